"""Writes the pages of `docs` that hold commands anew: runs them, checks claims.

    python -m docs.case_studies

In:  the pages, in the folder of the project: prose, blocks of commands with what
     they print, tables of claims.
Out: the same files with what the commands print now and what the claims come to,
     and the pictures that the commands draw.

The prose is written by hand; everything that can be computed is not. A command
may end in `| head -N`, `| tail -N` or `| grep 'TEXT'`, with `-A N` for the lines
behind, as a shell understands it. Lines that differ in times only stay as they are.
"""

from __future__ import annotations

import io
import re
import shlex
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout
from itertools import zip_longest
from pathlib import Path

from bench import table1
from docs.claims import CLAIMS, Finding
from docs.scenarios import envelope
from symrob.cli import application

PAGES = tuple(
    Path("docs", name)
    for name in (
        "case-studies.md",
        "tutorial.md",
        "classes.md",
        "modes.md",
        "how-often.md",
        "risk.md",
        "repair.md",
        "safety-case.md",
        "stpa.md",
    )
)

_BLOCK = re.compile(r"(?<=^```console\n)(.*?)(?=^```$)", re.MULTILINE | re.DOTALL)
_TABLE = re.compile(r"(?<=^<!-- claims: )(.*?)( -->\n).*?(?=<!-- end -->)", re.M | re.S)
_PART = re.compile(r" \| (head|tail) -(\d+)$")
_GREP = re.compile(r" \| grep (?:-A (\d+) )?'([^']+)'$")
# Seconds in sentences, and in the last column of Table 1.
_TIME = re.compile(r"\d+\.\d+(?= s\b| │$)", re.MULTILINE)


def regenerated(page: str) -> str:
    """Return the page with its commands run and its claims checked."""
    try:
        page = _BLOCK.sub(lambda block: "".join(_block(block[1])), page)
        return _TABLE.sub(lambda t: t[1] + t[2] + "".join(_table(t[1])), page)
    finally:
        envelope.cache_clear()


def without_times(page: str) -> str:
    """Return the page as far as it is the same on every machine."""
    return _TIME.sub("#", page)


def printed(command: str) -> str:
    """Return what a command prints, errors included, as a terminal shows it.

    Args:
        command: `symrob …` or `make table1`, as in a shell.
    """
    if part := _PART.search(command):
        lines = printed(command[: part.start()]).splitlines(keepends=True)
        count = int(part[2])
        return "".join(lines[:count] if part[1] == "head" else lines[-count:])
    if part := _GREP.search(command):
        lines = printed(command[: part.start()]).splitlines(keepends=True)
        return "".join(_grep(lines, part[2], int(part[1] or 0)))
    words = shlex.split(command)
    text = io.StringIO()
    with redirect_stdout(text), redirect_stderr(text):
        if words == ["make", "table1"]:
            table1.main([])
        else:
            assert words[0] == "symrob", command
            application()(words[1:], standalone_mode=False)
    return "".join(line.rstrip() + "\n" for line in text.getvalue().splitlines())


def _grep(lines: list[str], text: str, behind: int) -> Iterator[str]:
    """Give the lines with a text, and some behind; `--` stands between groups."""
    shown: set[int] = set()
    for i, line in enumerate(lines):
        if re.search(text, line):
            shown.update(range(i, min(i + behind + 1, len(lines))))
    for i in sorted(shown):
        if behind and i - 1 not in shown and i != min(shown):
            yield "--\n"
        yield lines[i]


def _block(block: str) -> Iterator[str]:
    """Run the commands of a block one after the other."""
    # Where commands of the pages write what is not part of them.
    Path("out").mkdir(exist_ok=True)
    for part in re.split(r"^(?=\$ )", block, flags=re.MULTILINE)[1:]:
        command, *shown = part.splitlines()
        yield f"{command}\n"
        for old, new in zip_longest(shown, printed(command[2:]).splitlines()):
            if new is not None:
                same = old is not None and without_times(old) == without_times(new)
                yield f"{old if same else new}\n"


def _table(study: str) -> Iterator[str]:
    """Check the claims of a study."""
    claims = [claim for claim in CLAIMS if claim.study == study]
    assert claims, f"no claim about {study}"
    yield "| [S1] | the paper says | confirmed? | symrob finds |\n"
    yield "|---|---|---|---|\n"
    for claim in claims:
        found = claim.check()
        row = (claim.place, claim.says, _verdict(found), found.words)
        cells = [cell.replace("|", "\\|") for cell in row]
        yield f"| {' | '.join(cells)} |\n"


def _verdict(found: Finding) -> str:
    return {True: "yes", False: "**no**", None: "**in part**"}[found.holds]


def main() -> None:
    """Write the pages anew."""
    for path in PAGES:
        page = path.read_text("utf-8")
        path.write_text(regenerated(page), "utf-8")


if __name__ == "__main__":
    main()
