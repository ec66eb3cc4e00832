"""Users' TOML files: reading and checking them, and locating problems in the text.

In:  a path, and the description of the file; diagnostics without location.
Out: the contents; diagnostics with line, column and the line's text, if these are
     found.

The TOML reader keeps no positions, so one pass over the text finds those of all keys;
in untrusted texts, neither a problem nor a line may cost another pass.
"""

from __future__ import annotations

import os
import re
import tomllib
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import islice
from typing import Any

from symrob.case.specs import Rule, Spec, read_named
from symrob.case.tables import VALUE, KeyPath, KeyProblem, Keys
from symrob.errors import EXIT_INPUT, Diagnostic, SymrobError
from symrob.files.kinds import recognised
from symrob.files.paths import beside, is_inside
from symrob.files.tomltext import read_toml

# More of a file is not told at once.
MOST_PROBLEMS = 50
# Longer keys are found by their beginning: names of 16 parts in three tables.
_DEEPEST = 20

# Nothing is tried twice: what a `+` behind a repetition or a group `(?>…)` has taken is
# not given back. Before Python 3.11.5 a `+` behind a repeated group is wrong.
_NAME = r"""(?:[A-Za-z0-9_-]++|"(?>(?:[^"\\\n]|\\.)*)"|'[^'\n]*+')"""
_NAMES = rf"{_NAME}(?>(?:[ \t]*+\.[ \t]*+{_NAME})*)"
# What can stand at the beginning of a line outside of a value.
_STATEMENT = rf"""
    [ \t]*+(?: (?P<header>\[\[?+[ \t]*+(?P<table>{_NAMES})) [ \t]*+ \]\]?+
             | (?P<key>{_NAMES})[ \t]*+= )
"""
# The same within braces.
_ENTRY = rf"\s*+ (?P<header>(?!))? (?P<key>{_NAMES})[ \t]*+="
# A text, also one that is not closed; a comment or space; other characters.
_VALUE = r"""
    (?P<scalar> "{3}(?>(?:[^\\"]|\\.|"(?!""))*)(?:"{3,5}|\Z)
              | '{3}(?>(?:[^']|'(?!''))*)(?:'{3,5}|\Z)
              | "(?>(?:[^"\\\n]|\\.)*)"? | '[^'\n]*+'? | [^\[\]{},"'\#\s]++ )
    | \#[^\n]*+ | [^\S\n]++ | (?P<mark> [\[\]{},\n] )
"""


def load_table(
    path: str,
    kind: str,
    code: str,
    table: Keys,
    *,
    problems: Callable[[Mapping[str, Any]], Iterator[KeyProblem]] | None = None,
    allow_outside: bool = False,
) -> tuple[dict[str, Any], TomlSource]:
    """Read a valid TOML file.

    Args:
        path: The file.
        kind: The expected kind of file, as in `files.kinds`.
        code: The code of its problems.
        table: The description of its keys.
        problems: Finds its problems; by default those of `table`.
        allow_outside: Allow paths in the file outside of its folder.

    Returns:
        The contents, and the file with the locations of the paths in it.

    Raises:
        SymrobError: It cannot be read or is not valid TOML, or its contents are wrong;
            all problems at once.
    """
    with recognised(path, kind):
        content, data = read_toml(path)
    with recognised(path, kind, data):
        source, named = TomlSource(path, content), [*table.texts(data)]
        message = "a path contains the character NUL"
        nul = (KeyProblem(message, key) for text, key, _ in named if "\0" in text)
        _refuse(located(nul, "file-path", source))
        _refuse(located((problems or table.problems)(data), code, source))
        rules = [(read_named(text, names), key) for text, key, names in named]
        if not allow_outside:
            _refuse([*_outside(rules, kind, source)])
    keys: dict[str, KeyPath] = {}
    for rule, key in rules:
        named_by = rule
        if isinstance(rule, Spec):
            named_by = rule.called(beside(path, rule.path))
        keys.setdefault(str(named_by).strip(), key)
    return data, replace(source, keys=keys)


def _refuse(problems: list[Diagnostic]) -> None:
    if problems:
        raise SymrobError(problems)


def _outside(
    rules: Iterable[tuple[Rule, KeyPath]], kind: str, source: TomlSource
) -> Iterator[Diagnostic]:
    """A problem for each path in a file that leaves the file's folder."""
    named = {"case": "case file"}.get(kind, kind)
    folder = os.path.dirname(source.file)
    for rule, key in rules:
        if isinstance(rule, Spec) and not is_inside(
            beside(source.file, rule.path), folder
        ):
            message = f"'{rule}' is outside the folder of the {named}"
            hint = "--allow-outside permits this; use it only for files that you trust"
            yield source.at(Diagnostic(f"{kind}-outside", message, hint=hint), key)


def located(
    problems: Iterable[KeyProblem], code: str, source: TomlSource
) -> list[Diagnostic]:
    """Return the first `MOST_PROBLEMS` problems as diagnostics, in reading order.

    Args:
        problems: The problems of a file, found one after the other.
        code: The code of the diagnostics.
        source: The file.

    Cost: linear in the text.
    """
    rest = iter(problems)
    first = [*islice(rest, MOST_PROBLEMS)]
    found = [source.at(Diagnostic(code, p.message, hint=p.hint), p.key) for p in first]
    # What is about the file as a whole comes last.
    found.sort(key=lambda each: (each.line is None, each.line, each.column))
    if next(rest, None) is not None:
        message = f"stopped after {MOST_PROBLEMS} problems"
        found.append(Diagnostic(code, message, file=source.file))
    return found


@contextmanager
def naming(source: TomlSource | None, spec: str) -> Iterator[None]:
    """If the block cannot read a file, report it at the place that names it.

    See `TomlSource.naming`.

    Args:
        source: The file that may name it; `None` for none.
        spec: The path that the block reads.

    Raises:
        SymrobError: The error of the block.
    """
    try:
        yield
    except SymrobError as error:
        if source is None or error.exit_code != EXIT_INPUT:
            raise
        found = [source.naming(spec, spec, problem) for problem in error.diagnostics]
        raise SymrobError(found) from None


@dataclass(frozen=True)
class TomlSource:
    """A TOML file in which problems can be located, also later ones.

    Attributes:
        file: The file.
        text: Its text.
        keys: Locations of some values, by name or by path: the key in the file,
            preceded by those of the enclosing tables.
    """

    file: str
    text: str
    keys: Mapping[str, KeyPath] = field(default_factory=dict)

    def at(self, problem: Diagnostic, key: KeyPath) -> Diagnostic:
        """Add the location of a key, or else of its enclosing table, to a problem.

        Cost: linear in the text for the first problem, constant for all others.
        """
        for depth in range(min(len(key), _DEEPEST), 0, -1):
            if key[:depth] in self._places:
                start, end = self._places[key[:depth]]
                return self._shown(problem, start, end)
        return replace(problem, file=self.file)

    def has(self, key: KeyPath) -> bool:
        """Whether the file has a key."""
        return key in self._places

    def naming(self, spec: str, file: str, problem: Diagnostic) -> Diagnostic:
        """Return a problem of a whole file at the place that names it.

        Args:
            spec: The text that names it, as in `keys`, possibly with a part of the
                file. If it is not there, for example on the command line, the problem
                is unchanged.
            file: The file without the part.
            problem: The problem; one with a location in that file, or in a file that it
                imports, is returned unchanged.
        """
        if (
            problem.file not in (spec, file)
            or problem.line is not None
            or spec not in self.keys
        ):
            return problem
        told = replace(problem, message=f"'{problem.file}': {problem.message}")
        return self.at(told, self.keys[spec])

    @cached_property
    def _places(self) -> dict[KeyPath, tuple[int, int]]:
        """Where keys, tables and elements of arrays stand: each at its first place."""
        places: dict[KeyPath, tuple[int, int]] = {}
        for key, start, end in _keys(self.text):
            for depth in range(len(key), 0, -1):
                if key[:depth] in places:
                    break
                places[key[:depth]] = start, end
        return places

    @cached_property
    def _lines(self) -> list[int]:
        """Where each line begins."""
        return [0, *(m.end() for m in re.finditer("\n", self.text))]

    def _shown(self, problem: Diagnostic, start: int, end: int) -> Diagnostic:
        number = bisect_right(self._lines, start)
        begin = self._lines[number - 1]
        stop = self.text.find("\n", start)
        source = self.text[begin : stop if stop >= 0 else len(self.text)].rstrip("\r")
        return replace(
            problem,
            file=self.file,
            line=number,
            column=start - begin + 1,
            # An element can have several lines.
            length=max(1, min(end - start, begin + len(source) - start)),
            source=source,
        )


def _keys(text: str) -> Iterator[tuple[KeyPath, int, int]]:
    """Yield each key, value, and element, and from where to where it stands.

    An element has the key of its array and its number; a table of an array of tables
    is one.
    """
    # Only here, since most files have no problem.
    statements = re.compile(_STATEMENT, re.VERBOSE)
    entries = re.compile(_ENTRY, re.VERBOSE)
    values = re.compile(_VALUE, re.VERBOSE | re.DOTALL)
    # How many tables an array of tables has so far.
    counts: dict[KeyPath, int] = {}
    table: KeyPath = ()
    # The key of the next value; and of each bracket around it the key, and the number
    # of the next element, which braces do not have.
    key: KeyPath = ()
    around: list[tuple[KeyPath, int | None]] = []
    place, begins = 0, True
    while place < len(text):
        # Within brackets a line that begins like a key or a header is none.
        pattern = entries if around else statements
        found = pattern.match(text, place) if begins else None
        begins = False
        if found is not None:
            place = found.end()
            if header := found["header"]:
                table = _table(found["table"], header.startswith("[["), counts)
                yield table, *found.span("header")
            else:
                key = (*(around[-1][0] if around else table), *_parts(found["key"]))
                yield key, *found.span("key")
            continue
        token = values.match(text, place)
        assert token is not None, "any character is a token"
        place = token.end()
        mark = token["mark"] or ""
        outer, number = around[-1] if around else ((), None)
        if number is not None and (token["scalar"] or mark in ("[", "{")):
            key = (*outer, number)[:_DEEPEST]
            yield key, *token.span()
        elif token["scalar"]:
            yield (*key, VALUE), *token.span()
        if mark in ("[", "{"):
            around.append((key, 0 if mark == "[" else None))
            begins = mark == "{"
        elif mark in ("]", "}") and around:
            around.pop()
        elif mark == "," and number is not None:
            around[-1] = outer, number + 1
        elif mark == "," or (mark == "\n" and not around):
            begins = True


def _table(names: str, of_array: bool, counts: dict[KeyPath, int]) -> KeyPath:
    """The key of the table that a header begins; counts those of an array."""
    key: KeyPath = ()
    for part in _parts(names):
        if key in counts:
            key = (*key, counts[key] - 1)
        key = (*key, part)
    if of_array:
        counts[key] = counts.get(key, 0) + 1
        key = (*key, counts[key] - 1)
    return key


def _parts(names: str) -> KeyPath:
    return tuple(map(_plain, re.findall(_NAME, names)))


def _plain(name: str) -> str:
    if "\\" in name and name.startswith('"'):
        (name,) = tomllib.loads(f"{name} = 0")
        return name
    return name.strip("\"'")
