"""Writes the index of docs/decisions.md from its headings.

    python -m docs.decisions

In:  the page: `### ` for a decision, below it the date, `*2026-11-30.*`. A paragraph
     that begins with `**A title.**` is a decision of today.
Out: the same page with a line for each part, which links to its decisions.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date
from pathlib import Path

PAGE = Path(__file__).with_name("decisions.md")

_INDEX = re.compile(r"(?<=<!-- index -->\n).*?(?=<!-- end -->)", re.DOTALL)
_HEADING = re.compile(r"^(##|###) (.*)$", re.MULTILINE)
_TITLE = re.compile(r"^\*\*([^*]+?)[.,:]?\*\*[.,:]? *", re.MULTILINE)


def dated(page: str, today: date) -> str:
    """Return the page with headings and dates for what has none yet."""

    def heading(found: re.Match[str]) -> str:
        return f"### {' '.join(found[1].split())}\n\n*{today.isoformat()}.* "

    return _TITLE.sub(heading, page)


def indexed(page: str) -> str:
    """Return the page with an index of what it holds now."""
    return _INDEX.sub(lambda _: "".join(_lines(page)), page)


def _lines(page: str) -> Iterator[str]:
    """Give a line for each part; anchors are those of the site."""
    links: dict[str, list[str]] = {}
    part = ""
    for level, title in _HEADING.findall(page):
        anchor = re.sub(r"[-\s]+", "-", re.sub(r"[^\w\s-]", "", title).lower())
        if level == "##":
            part = f"[{title}](#{anchor})"
            links[part] = []
        else:
            links[part].append(f"[{title}](#{anchor})")
    for part, decisions in links.items():
        yield f"- **{part}:** {'; '.join(decisions)}.\n"


def main() -> None:
    """Write the page with its index."""
    page = dated(PAGE.read_text("utf-8"), date.today())
    PAGE.write_text(indexed(page), "utf-8")


if __name__ == "__main__":
    main()
