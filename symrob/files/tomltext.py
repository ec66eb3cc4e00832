"""Untrusted TOML texts: bounded before they are parsed, with our own messages.

In:  a path, or a text.
Out: the text, and the dictionary from the TOML reader.

The reader of Python's library takes time and memory that grow with the square of
the parts of one dotted name, so these are counted first.
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import replace
from typing import Any

from symrob.errors import Diagnostic, SymrobError
from symrob.files import reading
from symrob.files.decimals import WrittenDecimal
from symrob.memory import MEBIBYTE

# No key of ours has more than three.
MAX_PARTS = 16

# A comment or a text, also one that is not closed; a word; anything else.
_TOKEN = r"""
      (?P<skip> \#[^\n]* | \"{3}(?:[^\\]|\\.)*?(?:\"{3}|\Z) | '{3}.*?(?:'{3}|\Z) )
    | (?P<name> [A-Za-z0-9_-]+ | "(?:[^"\\\n]|\\.)*"? | '[^'\n]*'? )
    | (?P<dot> [ \t]*\.[ \t]* )
    | (?P<rest> . )
"""
_PLACE = r" \(at (?:line (\d+), column (\d+)|end of document)\)$"


def read_toml(path: str) -> tuple[str, dict[str, Any]]:
    """Read a file of TOML.

    Args:
        path: The file.

    Returns:
        Its text, and its contents.

    Raises:
        SymrobError: It cannot be read, is larger than allowed, or is not valid TOML.
    """
    text = reading.read_text(path, reading.MAX_TOML)
    return text, _parsed(text, path)


def parsed(text: str) -> dict[str, Any] | None:
    """Return the contents of a text; `None` if it is not valid TOML, or too large."""
    if len(text) > reading.MAX_TOML * MEBIBYTE:
        return None
    try:
        return _parsed(text, "")
    except SymrobError:
        return None


def _parsed(text: str, path: str) -> dict[str, Any]:
    place = _long_name(text)
    if place is not None:
        line = text.count("\n", 0, place) + 1
        message = f"a key has more than {MAX_PARTS} parts"
        raise SymrobError(Diagnostic("toml-syntax", message, file=path, line=line))
    try:
        return tomllib.loads(text, parse_float=WrittenDecimal)
    except tomllib.TOMLDecodeError as error:
        raise SymrobError(_syntax_problem(path, text, str(error))) from None
    except ValueError:
        message = "a number has too many digits, or a date does not exist"
    except RecursionError:
        message = "arrays are nested too deeply"
    raise SymrobError(Diagnostic("toml-syntax", message, file=path))


def _long_name(text: str) -> int | None:
    """Where a dotted name has too many parts; `None` if none has."""
    if text.count(".") < MAX_PARTS:
        return None
    parts = 0
    # Only here, since case files have few dots.
    for token in re.finditer(_TOKEN, text, re.VERBOSE | re.DOTALL):
        if token.lastgroup == "dot":
            parts += 1
            if parts >= MAX_PARTS:
                return token.start()
        elif token.lastgroup != "name":
            parts = 0
    return None


def _syntax_problem(path: str, text: str, message: str) -> Diagnostic:
    """Give what the TOML reader says the form of all other diagnostics."""
    place = re.search(_PLACE, message)
    problem = Diagnostic("toml-syntax", f"not valid TOML: {message}", file=path)
    if place is None:
        return problem
    lines = text.removesuffix("\n").split("\n")
    line = int(place[1] or len(lines))
    column = int(place[2] or len(lines[-1]) + 1)
    words = message[: place.start()]
    source = lines[line - 1] if line <= len(lines) else ""
    return replace(
        problem,
        message=f"not valid TOML: {words[:1].lower()}{words[1:]}",
        line=line,
        column=column,
        source=source,
    )
