"""Rows of a batch as CSV, safe to open in a spreadsheet.

In:  rows.
Out: lines, the first one with the heads.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from symrob.files.csvtext import csv_line
from symrob.report.rows import HEADS, BatchRow, cells


def csv_lines(rows: Iterable[BatchRow]) -> Iterator[str]:
    """Yield rows as CSV by RFC 4180, without line ends."""
    yield csv_line(HEADS)
    for row in rows:
        of = cells(row)
        yield csv_line(of[head] for head in HEADS)
