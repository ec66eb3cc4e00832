"""Descriptions of TOML tables: the valid values of each key, and which texts are paths.

In:  a description, and the output of the TOML reader.
Out: all problems of it, each with its key; the texts that name models and files.

symrob checks tables itself: a schema validator takes longer to load than a small case
to compute, and its messages do not use the user's terms.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from symrob.errors import SymrobError, did_you_mean
from symrob.logic.patterns import is_sentence, parse_pattern

Check = Callable[[Any], bool]
# The number of a table or element stands behind the key of its array.
KeyPath = tuple[str | int, ...]
# Behind the key of a text or a number: not the key is meant, but what it holds.
VALUE = -1
# What texts name: a model, a model or else a property in words, another file.
MODEL, RULE, FILE = "model", "rule", "file"
# This many keys are all named where one is unknown.
_FEW = 8


# A text that names something, where it stands, and what it names.
NamedText = tuple[str, KeyPath, str]


class KeyProblem(NamedTuple):
    """A problem of a table.

    Attributes:
        message: The problem, and what was expected.
        key: The key that it is about, preceded by those of the enclosing tables; empty
            if a key is missing.
        hint: What to do about it.
    """

    message: str
    key: KeyPath = ()
    hint: str | None = None


def is_number(value: object, least: int | None = None) -> bool:
    """Whether a value is an integer of the usual size, and not too small."""
    if not isinstance(value, int) or isinstance(value, bool):
        return False
    return abs(value) <= sys.maxsize and (least is None or value >= least)


def is_text(value: object) -> bool:
    """Whether a value is a text that is not empty."""
    return isinstance(value, str) and value != ""


def is_table(value: object) -> bool:
    """Whether a value is a table."""
    return isinstance(value, dict)


def list_of(check: Check, least: int = 0) -> Check:
    """Return the check for lists of at least this many values that pass a check."""

    def fits(value: object) -> bool:
        return (
            isinstance(value, list)
            and len(value) >= least
            and all(check(v) for v in value)
        )

    return fits


def some_texts(least: int = 0) -> Check:
    """Return the check for a text, or a list of at least this many texts."""
    several = list_of(is_text, least)
    return lambda value: is_text(value) or several(value)


def dotted(key: KeyPath) -> str:
    """Return a key as messages name it, without array indexes."""
    return ".".join(part for part in key if isinstance(part, str))


@dataclass(frozen=True)
class Key:
    """The description of a key.

    Attributes:
        fits: The check for a value.
        expected: What is expected, for messages.
        names: What its texts name, of `MODEL`, `RULE`, `FILE`; empty for nothing.
        inside: The description of its table, or of each table of an array.
        also: A further check for a valid value, and what it expects.
    """

    fits: Check
    expected: str
    names: str = ""
    inside: Keys | None = None
    also: tuple[Check, str] | None = None

    def problems(self, value: object, at: KeyPath) -> Iterator[KeyProblem]:
        """Yield all problems of a value."""
        message = f"'{dotted(at)}' must be {self.expected}"
        if not self.fits(value):
            elements = value if isinstance(value, list) else []
            wrong = [i for i, each in enumerate(elements) if not self.fits([each])]
            # Where all are wrong, the list is.
            place = (*at, wrong[0]) if 0 < len(wrong) < len(elements) else at
            yield KeyProblem(message, place)
        elif self.also is not None and not self.also[0](value):
            yield KeyProblem(f"'{dotted(at)}' must be {self.also[1]}", at)
        elif self.inside is not None:
            for each, place in _elements(value, at):
                if isinstance(each, dict):
                    yield from self.inside.problems(each, place)
        if self.names == RULE:
            for text, place in _flat(value, at):
                try:
                    if is_sentence(text):
                        parse_pattern(text)
                except SymrobError as error:
                    problem = error.diagnostics[0]
                    yield KeyProblem(problem.message, place, problem.hint)

    def texts(self, value: object, at: KeyPath) -> Iterator[NamedText]:
        """Yield the texts in a value that name something."""
        if self.names:
            yield from ((text, place, self.names) for text, place in _flat(value, at))
        if self.inside is not None:
            for each, place in _elements(value, at):
                if isinstance(each, dict):
                    yield from self.inside.texts(each, place)


A_TEXT = Key(is_text, "a string")
# Characters of an identifier, and of where it stands.
_LONGEST_ID, _LONGEST_SOURCE = 60, 200


def _line(most: int) -> Key:
    """What a key may hold that stands for one line of text."""
    return Key(
        lambda v: isinstance(v, str) and 0 < len(v) <= most and v.isprintable(),
        f"a string of 1 to {most} printable characters",
    )


IDENTITY = {"id": _line(_LONGEST_ID), "source": _line(_LONGEST_SOURCE)}
"""The keys of identifiers in other documents; see `words.Identity`."""
A_COUNT = Key(lambda v: is_number(v, 1), "a whole number of at least 1, below 2^63")
# More deviated steps than that are not counted.
MOST_STEPS = 100
AT_MOST = Key(
    lambda v: is_number(v, 0) and v <= MOST_STEPS,
    f"a whole number from 0 to {MOST_STEPS:,}",
)
YES_OR_NO = Key(lambda v: isinstance(v, bool), "true or false")


class FreeNames(NamedTuple):
    """Names that users may choose; a dot in a name may be one of TOML's.

    Attributes:
        expected: Checks for a name, with what each expects; the first failure counts.
        most: Maximum number of names.
        what: The plural noun for them in messages.
        is_whole: Whether a value is not a table of further names.
    """

    expected: tuple[tuple[Check, str], ...]
    most: int
    what: str
    is_whole: Check = lambda value: not isinstance(value, dict)


def printable_name(most: int) -> tuple[Check, str]:
    """Return the check for a name of limited length, and what it expects."""
    return (
        lambda name: 0 < len(name) <= most and name.isprintable(),
        f"a name of 1 to {most} printable characters",
    )


@dataclass(frozen=True)
class Keys:
    """The description of a table.

    Attributes:
        keys: Its keys.
        free: The description of other keys, which users name; `None` if there are none.
        names: The names that these may have; `None` for anything, without dots.
        together: Finds keys that are missing, or cannot be combined; receives the table
            and its key.
    """

    keys: Mapping[str, Key] = field(default_factory=dict)
    free: Key | None = None
    names: FreeNames | None = None
    together: Callable[[Mapping[str, Any], KeyPath], Iterator[KeyProblem]] = (
        lambda _data, _at: iter(())
    )

    def problems(
        self, data: Mapping[str, Any], at: KeyPath = ()
    ) -> Iterator[KeyProblem]:
        """Yield all problems of a table.

        Args:
            data: The output of the TOML reader.
            at: The keys of the enclosing tables.
        """
        for key, value in data.items():
            if key in self.keys:
                yield from self.keys[key].problems(value, (*at, key))
            elif self.free is None:
                message = f"unknown key '{dotted((*at, key))}'"
                yield KeyProblem(message, (*at, key), self._hint(key, at))
        if self.free is not None:
            seen: set[str] = set()
            for keys, value in self.leaves(data):
                yield from self._wrong_name(keys, at, seen)
                yield from self.free.problems(value, (*at, *keys))
            if self.names is not None and len(seen) > self.names.most:
                message = f"has more than {self.names.most:,} {self.names.what}"
                yield KeyProblem(f"'{dotted(at)}' {message}", at)
        yield from self.together(data, at)

    def texts(self, data: Mapping[str, Any], at: KeyPath = ()) -> Iterator[NamedText]:
        """Yield the texts that name something, even of an invalid table."""
        for key, value in data.items():
            if key in self.keys:
                yield from self.keys[key].texts(value, (*at, key))

    def leaves(self, data: Mapping[str, Any]) -> Iterator[tuple[KeyPath, Any]]:
        """Yield the values with names of the user, with the keys that lead to them."""
        free = {key: value for key, value in data.items() if key not in self.keys}
        yield from _leaves(free, (), self.names)

    def _hint(self, key: str, at: KeyPath) -> str | None:
        """The key that is meant: the same one of an inner table, or a similar one."""
        inner = [
            f"'{dotted((*at, name, key))}'"
            for name, known in self.keys.items()
            if known.inside is not None and key in known.inside.keys
        ]
        if inner:
            return f"did you mean {' or '.join(inner)}?"
        few = f"known keys: {', '.join(self.keys)}" if len(self.keys) <= _FEW else None
        return did_you_mean(key, self.keys) or few

    def _wrong_name(
        self, key: KeyPath, at: KeyPath, seen: set[str]
    ) -> Iterator[KeyProblem]:
        name = dotted(key)
        expected = () if self.names is None else self.names.expected
        wrong = next((words for fits, words in expected if not fits(name)), None)
        if wrong is not None:
            message = f"'{dotted(at)}.{name:.60}' must have {wrong}"
            yield KeyProblem(message, (*at, *key))
        elif name in seen:
            yield KeyProblem(f"'{dotted((*at, *key))}' is given twice", (*at, *key))
        else:
            seen.add(name)


def needing(
    *keys: str,
) -> Callable[[Mapping[str, Any], KeyPath], Iterator[KeyProblem]]:
    """Return a check for missing keys, for `Keys.together`."""

    def lacking(table: Mapping[str, Any], at: KeyPath) -> Iterator[KeyProblem]:
        for key in keys:
            if key not in table:
                yield KeyProblem(f"'{dotted(at)}.{key}' is missing", at)

    return lacking


def array_of(table: Keys) -> Key:
    """Return the description of a key for an array of tables."""
    return Key(list_of(is_table), "an array of tables", inside=table)


def _leaves(
    table: Mapping[str, Any], at: KeyPath, names: FreeNames | None
) -> Iterator[tuple[KeyPath, Any]]:
    for key, value in table.items():
        if names is None or names.is_whole(value):
            yield (*at, key), value
        else:
            yield from _leaves(value, (*at, key), names)


def _elements(value: object, at: KeyPath) -> Iterator[tuple[object, KeyPath]]:
    """The elements of an array, or else the value, with their keys."""
    if isinstance(value, list):
        yield from ((each, (*at, number)) for number, each in enumerate(value))
    else:
        yield value, at


def _flat(value: object, at: KeyPath) -> Iterator[tuple[str, KeyPath]]:
    """Each text of a value that is one or a list, with its key."""
    if isinstance(value, str):
        yield value, at if isinstance(at[-1], int) else (*at, VALUE)
    elif isinstance(value, list):
        for number, part in enumerate(value):
            yield from _flat(part, (*at, number))
