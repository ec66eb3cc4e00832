"""JSON texts: what is wrong with one, where, and what to do about it.

In:  a text and the name of its file.
Out: what it says; or a problem with line and column.
"""

from __future__ import annotations

import json
from typing import Any

from symrob.errors import Diagnostic, SymrobError

# A longer line is not shown.
_LONGEST_LINE = 200


def parsed(text: str, path: str, code: str, **hooks: Any) -> Any:
    """Return what a text says.

    Args:
        text: The text.
        path: The name of its file, for messages.
        code: Of the diagnostic.
        hooks: As `json.loads` takes them; a `SymrobError` of one is kept.

    Raises:
        SymrobError: It is no JSON.
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
            f"this is no JSON: {message}",
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
        return "a comma stands before a closing bracket", "leave the comma out"
    if rest.startswith("#") or rest in {"//", "/*"}:
        return "expected a value", "JSON has no comments"
    if rest.startswith("'"):
        return "expected a value", "texts stand in double quotes"
    return error.msg[:1].lower() + error.msg[1:], None
