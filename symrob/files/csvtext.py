"""CSV that is safe to open in a spreadsheet, written and read back.

In:  rows of values; a file.
Out: lines by RFC 4180; rows with the numbers of their lines.

A spreadsheet treats a cell that begins with `=` or the like as a formula, which may
start programs; names come from untrusted files. Such a cell gets a leading apostrophe,
which marks it as text.
"""

from __future__ import annotations

import csv
import io
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from symrob.errors import Diagnostic, SymrobError, printable
from symrob.files.reading import open_text, read_bytes, undecodable

_FORMULA = ("=", "+", "-", "@", "\t", "\r", "|", "%")
# What spreadsheets write between cells, by country.
_SEPARATORS = (",", ";", "\t")
# Characters of one cell that are read.
MAX_CELL = 100_000


def cell(value: Any) -> Any:
    """Return the text of a value; numbers and `None` are unchanged."""
    if not isinstance(value, str):
        return value
    # Some programs pass over blanks before they look, and take characters of full
    # width for the usual ones.
    plain = unicodedata.normalize("NFKC", value)
    risky = any(t.startswith(_FORMULA) for t in (value, plain, plain.lstrip()))
    return f"'{printable(value)}" if risky else printable(value)


def csv_line(values: Iterable[Any]) -> str:
    """Return one line, without its newline, that no spreadsheet executes."""
    text = io.StringIO()
    csv.writer(text, lineterminator="").writerow(map(cell, values))
    return text.getvalue()


def csv_rows(path: str, heads: Sequence[str]) -> Iterator[tuple[int, list[str]]]:
    """Yield the rows of a file, each with the number of its first line.

    The first row is the header; empty rows are skipped.

    Args:
        path: A file in UTF-8, with or without a byte order mark; its cells are
            separated by commas, semicolons or tabs.
        heads: Possible contents of the header.

    Raises:
        SymrobError: The file cannot be read, or is not valid CSV.

    Cost: linear; one row at a time is stored.
    """
    with open_text(path, newline="") as text:
        reader = None
        try:
            first = text.readline(MAX_CELL)
            separator = max(_SEPARATORS, key=lambda s: _known(first, s, heads))
            line = 1
            reader = csv.reader(_from(first, text), delimiter=separator, strict=True)
            for row in reader:
                if any(map(str.strip, row)):
                    yield line, row
                line = reader.line_num + 1
        except UnicodeDecodeError:
            raise SymrobError(undecodable(path, read_bytes(path))) from None
        except csv.Error as error:
            line = reader.line_num if reader else 1
            message = f"not valid CSV: {error}"
            raise SymrobError(
                Diagnostic("csv-text", message, file=path, line=line)
            ) from None


def _from(first: str, text: Iterable[str]) -> Iterator[str]:
    if first:
        yield first
    yield from text


def _known(line: str, separator: str, heads: Sequence[str]) -> int:
    """How many heads a line holds if this stands between them."""
    found = {part.strip().strip('"').lower() for part in line.split(separator)}
    return len(found.intersection(heads))
