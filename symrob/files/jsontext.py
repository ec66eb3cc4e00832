"""Parsing JSON texts, with located and helpful errors.

In:  a text and the name of its file.
Out: its contents; or a problem with line and column.
"""

from __future__ import annotations

import json
import re
from typing import Any

from symrob.errors import Diagnostic, Span, SymrobError

Path = tuple["str | int", ...]
"""The location of a value: keys and indexes, from the outside."""

_BLANK = re.compile(r"[ \t\n\r]*")
# A longer line is not shown.
_LONGEST_LINE = 200


def parsed(text: str, path: str, code: str, **hooks: Any) -> Any:
    """Return the contents of a text.

    Args:
        text: The text.
        path: The name of its file, for messages.
        code: Code of the diagnostic.
        hooks: Hooks for `json.loads`; a `SymrobError` of one is passed on.

    Raises:
        SymrobError: It is not valid JSON.
    """
    try:
        return json.loads(text, **hooks)
    except json.JSONDecodeError as error:
        message, hint = _problem(error, text)
        place = min(error.pos, len(text))
        start = text.rfind("\n", 0, place) + 1
        source = text[start:].split("\n", 1)[0].rstrip("\r")
        problem = Diagnostic(
            code,
            f"not valid JSON: {message}",
            file=path,
            line=error.lineno,
            column=error.colno,
            source=source if len(source) <= _LONGEST_LINE else None,
            hint=hint,
        )
    except RecursionError:
        problem = Diagnostic(code, "brackets are nested too deeply", file=path)
    except ValueError:
        # Python's reader refuses integers of more digits than it can print.
        problem = Diagnostic(code, "a number has too many digits", file=path)
    raise SymrobError(problem)


def _problem(error: json.JSONDecodeError, text: str) -> tuple[str, str | None]:
    """What is wrong in our words, and what to do about it, if that is known."""
    place = error.pos
    while place < len(text) and text[place] in " \t\r\n,":
        place += 1
    rest = text[place : place + 2]
    if rest[:1] in {"]", "}"} and text[:place].rstrip().endswith(","):
        return "trailing comma before a closing bracket", "remove the comma"
    if rest.startswith("#") or rest in {"//", "/*"}:
        return "expected a value", "JSON has no comments"
    if rest.startswith("'"):
        return "expected a value", "strings require double quotes"
    return error.msg[:1].lower() + error.msg[1:], None


def located(text: str, path: Path) -> Span:
    """Return the location of a value in a valid JSON text.

    Args:
        text: The text.
        path: Path of the value; a missing key is located at its object.

    Cost: that of reading the text again up to the value.
    """
    offset, end = _range(text, path)
    return spanned(text, offset, end)


def spanned(text: str, start: int, end: int) -> Span:
    """Return the span of some characters of a text, up to the end of their line."""
    first = text.rfind("\n", 0, start) + 1
    last = text.find("\n", start)
    source = text[first:] if last < 0 else text[first:last]
    column = start - first + 1
    length = min(end - start, max(1, len(source) - column + 1))
    return Span(text.count("\n", 0, start) + 1, column, length, source)


def _range(text: str, path: Path) -> tuple[int, int]:
    """Return where the value at `path` begins and ends in valid JSON text.

    A missing key is located at its object's opening bracket.
    """
    decoder = json.JSONDecoder()

    def skip(place: int) -> int:
        found = _BLANK.match(text, place)
        assert found is not None
        return found.end()

    place = skip(0)
    for step in path:
        inside = skip(place + 1)
        index = 0
        while text[inside] not in "]}":
            key: str | int = index
            if text[place] == "{":
                key, inside = decoder.raw_decode(text, inside)
                inside = skip(skip(inside) + 1)
            if key == step:
                break
            _value, inside = decoder.raw_decode(text, inside)
            inside = skip(inside)
            if text[inside] == ",":
                inside = skip(inside + 1)
            index += 1
        else:
            return place, place + 1
        place = inside
    _value, end = decoder.raw_decode(text, place)
    return place, end
