"""Where in a TOML text a problem stands.

In:  diagnostics without place, the text, and what the problems are about.
Out: the diagnostics with line, column and the line's text, where they are found.

The TOML reader keeps no positions, so one pass over the text finds those of all
keys; in texts of strangers neither problem nor line may cost another pass.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import islice

from symrob.case.keys import KeyPath, KeyProblem
from symrob.errors import Diagnostic

# More of a file is not told at once.
MOST_PROBLEMS = 50

_NAME = r"""(?:[A-Za-z0-9_-]++|"(?:[^"\\\n]|\\.)*+"|'[^'\n]*+')"""
_NAMES = rf"{_NAME}(?:[ \t]*+\.[ \t]*+{_NAME})*+"
# What can stand at the beginning of a line outside of a value. Nothing is tried
# twice: what a `+` behind a repetition has taken is not given back.
_STATEMENT = rf"""
    [ \t]*+(?: (?P<header>\[\[?+[ \t]*+(?P<table>{_NAMES}))
             | (?P<key>{_NAMES})[ \t]*+= )
"""
# A text, also one that is not closed; a comment; other characters.
_VALUE = r"""
      "{3}(?:[^\\"]|\\.|"(?!""))*+(?:"{3}|\Z) | '{3}(?:[^']|'(?!''))*+(?:'{3}|\Z)
    | "(?:[^"\\\n]|\\.)*+"? | '[^'\n]*+'? | \#[^\n]*+
    | (?P<open> [\[{] ) | (?P<close> [\]}] ) | \n | [^\[\]{}"'\#\n]++ | .
"""


def located(
    problems: Iterable[KeyProblem], code: str, path: str, text: str
) -> list[Diagnostic]:
    """Return the first `MOST_PROBLEMS` problems as diagnostics, in reading order.

    Args:
        problems: What is wrong with a file, found one after the other.
        code: The code of the diagnostics.
        path: The file.
        text: Its text.

    Cost: linear in the text.
    """
    rest = iter(problems)
    first = [*islice(rest, MOST_PROBLEMS)]
    if not first:
        return []
    places = _Places(text)
    found = [
        places.mark(Diagnostic(code, p.message, file=path, hint=p.hint), p.key)
        for p in first
    ]
    # What is about the file as a whole comes last.
    found.sort(key=lambda each: (each.line is None, each.line, each.column))
    if next(rest, None) is not None:
        message = f"stopped after {MOST_PROBLEMS} problems"
        found.append(Diagnostic(code, message, file=path))
    return found


@dataclass(frozen=True)
class Source:
    """Where the entries of a table were said.

    Attributes:
        file: The file.
        text: Its text.
        keys: Of each entry the key in the file, behind those of the tables around it.
    """

    file: str
    text: str
    keys: Mapping[str, KeyPath]

    def at(self, problem: Diagnostic, name: str) -> Diagnostic:
        """Add the place of an entry to what is wrong with it."""
        said = KeyProblem(problem.message, self.keys[name], problem.hint)
        (told,) = located([said], problem.code, self.file, self.text)
        return told


def at_value(problem: Diagnostic, text: str, value: str) -> Diagnostic:
    """Add the place where a text stands in quotes, if there is one.

    Args:
        problem: What is wrong.
        text: The text of the file.
        value: The text in quotes.
    """
    found = [text.find(f"{quote}{value}{quote}") for quote in "\"'"]
    start = min((place for place in found if place >= 0), default=None)
    if start is None:
        return problem
    return _at(problem, text, _lines(text), start, len(value) + 2)


class _Places:
    """Where the keys and tables of a text stand: each at its first place."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._lines = _lines(text)
        self._places: dict[KeyPath, tuple[int, int]] = {}
        for key, start, end in _keys(text):
            for depth in range(len(key), 0, -1):
                self._places.setdefault(key[:depth], (start, end))

    def mark(self, problem: Diagnostic, key: KeyPath) -> Diagnostic:
        """Add the place of a key, or else of the table around it."""
        for depth in range(len(key), 0, -1):
            if key[:depth] in self._places:
                start, end = self._places[key[:depth]]
                return _at(problem, self._text, self._lines, start, end - start)
        return problem


def _keys(text: str) -> Iterator[tuple[KeyPath, int, int]]:
    """Yield each key with the tables around it, and from where to where it stands."""
    # Only here, since most files have no problem.
    statements = re.compile(_STATEMENT, re.VERBOSE)
    values = re.compile(_VALUE, re.VERBOSE | re.DOTALL)
    table: KeyPath = ()
    place = depth = 0
    while place < len(text):
        # Within brackets a line that begins like a key or a header is none.
        begins = depth == 0 and (place == 0 or text[place - 1] == "\n")
        statement = statements.match(text, place) if begins else None
        if statement is not None and statement["header"]:
            table = _parts(statement["table"])
            yield table, statement.start("header"), statement.end("header")
        elif statement is not None:
            yield (
                (*table, *_parts(statement["key"])),
                statement.start("key"),
                statement.end("key"),
            )
        if statement is not None:
            place = statement.end()
            continue
        token = values.match(text, place)
        assert token is not None, "any character is a token"
        depth = max(0, depth + bool(token["open"]) - bool(token["close"]))
        place = token.end()


def _lines(text: str) -> list[int]:
    """Where each line begins."""
    return [0, *(m.end() for m in re.finditer("\n", text))]


def _parts(names: str) -> KeyPath:
    return tuple(m[0].strip("\"'") for m in re.finditer(_NAME, names))


def _at(
    problem: Diagnostic, text: str, lines: list[int], start: int, length: int
) -> Diagnostic:
    number = bisect_right(lines, start)
    begin = lines[number - 1]
    end = text.find("\n", start)
    return replace(
        problem,
        line=number,
        column=start - begin + 1,
        length=length,
        source=text[begin : end if end >= 0 else len(text)].rstrip("\r"),
    )
