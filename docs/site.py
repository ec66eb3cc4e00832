"""What the site adds to the pages: a first page, and links that stay inside.

mkdocs calls these functions; mkdocs.yml names the file.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, Files

import symrob

ROOT = Path(__file__).parents[1]
_FILE = re.compile(r"\[([^\]]*)\]\((?!https?:)([^)#]+)\)")
_OUTSIDE = re.compile(r"(!?)\[([^\]]*)\]\((\.\./[^)\s]+)\)")
_PICTURES = ("bench/results",)


def on_files(files: Files, config: Any) -> Files:
    """Add the README as the first page, and the pictures of the benchmarks."""
    text = (ROOT / "README.md").read_text("utf-8")
    inside = re.sub(r"\]\(docs/", "](", text)
    readme = _FILE.sub(
        lambda m: m[0] if (ROOT / "docs" / m[2]).exists() else f"{m[1]} (`{m[2]}`)",
        inside,
    )
    files.append(File.generated(config, "index.md", content=readme))
    for folder in _PICTURES:
        for path in (ROOT / folder).glob("*.svg"):
            name = f"{folder}/{path.name}"
            files.append(File.generated(config, name, abs_src_path=str(path)))
    return files


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Turn links to files of the project that are no pages into their names."""

    def inside(match: re.Match[str]) -> str:
        picture, text, path = match[1], match[2], match[3]
        name = path.removeprefix("../")
        if picture and name.startswith(_PICTURES):
            return f"![{text}]({name})"
        return text if text == name else f"{text} (`{name}`)"

    return _OUTSIDE.sub(inside, markdown)


def on_post_build(config: Any) -> None:
    """Fail where a public name has no entry."""
    page = (Path(config.site_dir) / "api/index.html").read_text("utf-8")
    # `symrob.risk` is a room as well: of such names the page has what the call is.
    lacking = [
        n for n in symrob.__all__ if not re.search(rf'id="symrob[\w.]*\.{n}"', page)
    ]
    if lacking:
        raise PluginError(f"docs/api.md has no entry for {', '.join(lacking)}")
