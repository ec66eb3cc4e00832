"""Rows of a batch as CSV, safe to open in a spreadsheet.

In:  rows.
Out: lines, the first one with the heads.

A spreadsheet takes a cell that begins with `=` or the like for a formula, which
may start programs; names come from files of strangers. Such a cell gets an
apostrophe in front, which spreadsheets take for "this is text".
"""

from __future__ import annotations

import csv
import io
import unicodedata
from collections.abc import Iterable, Iterator
from typing import Any

from symrob.report.rows import HEADS, BatchRow, cells
from symrob.report.text import printable

_FORMULA = ("=", "+", "-", "@", "\t", "\r", "|", "%")


def csv_lines(rows: Iterable[BatchRow]) -> Iterator[str]:
    """Yield rows as CSV by RFC 4180, without line ends."""
    yield csv_line(HEADS)
    for row in rows:
        of = cells(row)
        yield csv_line(of[head] for head in HEADS)


def csv_line(values: Iterable[Any]) -> str:
    """Return one line of CSV, without its end, that no spreadsheet takes for orders."""
    text = io.StringIO()
    csv.writer(text, lineterminator="").writerow(map(_cell, values))
    return text.getvalue()


def _cell(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    # Some programs pass over blanks before they look, and take characters of full
    # width for the usual ones.
    plain = unicodedata.normalize("NFKC", value)
    risky = any(t.startswith(_FORMULA) for t in (value, plain, plain.lstrip()))
    return f"'{printable(value)}" if risky else printable(value)
