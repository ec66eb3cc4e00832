"""Tables in Markdown, as GitHub shows them.

In:  heads and cells.
Out: lines; the text of a cell is shown literally.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from symrob.report.text import printable

_SPECIAL = re.compile(r"([\\`*_\[\]#!|~@])")
_HTML = {"&": "&amp;", "<": "&lt;", ">": "&gt;"}


def markdown_table(
    heads: Sequence[str], lines: Iterable[Sequence[Any]]
) -> Iterator[str]:
    """Yield a table.

    Args:
        heads: The column headings.
        lines: Cells, texts and numbers; `None` is an empty cell.
    """
    yield _line(heads)
    yield "|" + " --- |" * len(heads)
    for line in lines:
        yield _line(line)


def escaped(text: str) -> str:
    """Return text that Markdown shows literally."""
    safe = "".join(_HTML.get(c, c) for c in printable(text))
    # Entities are written without any character that the next line escapes.
    return _SPECIAL.sub(r"\\\1", safe)


def _line(values: Sequence[Any]) -> str:
    cells = (
        ""
        if value is None
        else escaped(value)
        if isinstance(value, str)
        else f"{value:,}"
        for value in values
    )
    return "| " + " | ".join(cells) + " |"
