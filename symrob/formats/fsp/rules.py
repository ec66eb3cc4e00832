"""What rules of fsp.ebnf are made of: pyparsing elements that look one character ahead.

In:  patterns, elements.
Out: elements that deliver plain lists, and note where a text could not go on.

A rule takes the first alternative that fits. One character nearly always tells which
can, and whether an optional part is there: the elements here look at it first, where
pyparsing would try each in turn. It also skips white space, wraps results and can trace
each attempt; that is more than half of its time, and nothing here needs it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import cached_property
from threading import local
from typing import Any, NoReturn

import pyparsing as pp

from symrob.limits import tick

Action = Callable[..., Any]


class _Furthest(local):
    """The place furthest to the right where something else was expected."""

    at = -1
    expected = ""


furthest = _Furthest()


def _refuse(text: str, at: int, expected: str) -> NoReturn:
    if at >= furthest.at:
        furthest.at, furthest.expected = at, expected
    raise pp.ParseException(text, at, expected)


def listed(names: Iterable[str]) -> str:
    """Return names as a sentence has them: `a, b or c`."""
    *most, last = dict.fromkeys(names)
    return f"{', '.join(most)} or {last}" if most else last


class Element(pp.ParserElement):
    """What all elements have in common."""

    def streamline(self) -> pp.ParserElement:
        """Leave the element as it is."""
        return self

    def begin(self) -> list[Any]:
        """Return the parts that it can begin with."""
        return [*self.recurse()]

    @cached_property
    def empty(self) -> bool:
        """Whether it can be nothing."""
        parts = self.begin()
        return bool(parts) and all(part.empty for part in parts)

    @cached_property
    def first(self) -> frozenset[str]:
        """The characters that it can begin with."""
        return frozenset().union(*(part.first for part in self.begin()))

    @cached_property
    def spoken(self) -> str:
        """What messages call it."""
        return listed(part.spoken for part in self.begin() if not part.empty)


class Terminal(Element, pp.Token):
    """A word or symbol, and the white space behind it, so that a word comes next.

    It delivers the word, but nothing for a word that is always the same.

    Args:
        pattern: What it looks like.
        first: Its first characters.
        spoken: What messages call it.
        words: Those of all that look so which it can be; by default all.
    """

    def __init__(
        self, pattern: re.Pattern[str], first: Iterable[str], spoken: str, *words: str
    ) -> None:
        super().__init__()
        self.first, self.spoken, self.words = frozenset(first), spoken, words
        self._match = pattern.match

    def _parse(self, text: str, at: int, *_unused: Any) -> Any:
        found = self._match(text, at)
        if found is None or (self.words and found[1] not in self.words):
            _refuse(text, at, self.spoken)
        return found.end(), [] if len(self.words) == 1 else [found[1]]


class Row(Element, pp.And):
    """One element after the other; it delivers what they do."""

    def begin(self) -> list[Any]:
        """Return the parts up to the first that is always there."""
        parts = super().begin()
        filled = (i for i, part in enumerate(parts, 1) if not part.empty)
        return parts[: next(filled, None)]

    def _parse(self, text: str, at: int, *_unused: Any) -> Any:
        found: list[Any] = []
        for part in self.exprs:
            at, one = part._parse(text, at)
            found += one
        return at, found


class Choice(Element, pp.MatchFirst):
    """The first alternative that fits, of those that can begin with what comes."""

    @cached_property
    def _able(self) -> dict[str, list[Any]]:
        return {c: [e for e in self.begin() if c in e.first] for c in self.first}

    def _parse(self, text: str, at: int, *_unused: Any) -> Any:
        for option in self._able.get(text[at : at + 1], ()):
            try:
                return option._parse(text, at)
            except pp.ParseException:
                continue
        _refuse(text, at, self.spoken)


class Maybe(Element, pp.Opt):
    """An element that may be left out; a lone word tells whether it is there."""

    empty = True

    def _parse(self, text: str, at: int, *_unused: Any) -> Any:
        if text[at : at + 1] in self.first:
            try:
                at, found = self.expr._parse(text, at)
                return at, found or [True]
            except pp.ParseException:
                pass
        return at, [self.defaultValue]


class Many(Element, pp.ZeroOrMore):
    """Any number of elements; it delivers one tuple."""

    empty = True

    def _parse(self, text: str, at: int, *_unused: Any) -> Any:
        found: list[Any] = []
        try:
            while text[at : at + 1] in self.first:
                at, one = self.expr._parse(text, at)
                found += one
                tick()
        except pp.ParseException:
            pass
        return at, [tuple(found)]


class Some(Element, pp.OneOrMore):
    """One element or more; it delivers one tuple."""

    def _parse(self, text: str, at: int, *_unused: Any) -> Any:
        at, one = self.expr._parse(text, at)
        at, (more,) = Many._parse(self, text, at)  # type: ignore[arg-type]
        return at, [(*one, *more)]


class Rule(Element, pp.ParseElementEnhance):
    """A rule with a name; what it delivers becomes one node, if it has an action.

    Args:
        action: Given where the rule begins and each part that its body delivered.
        spoken: What messages call it; by default, what it begins with.
    """

    def __init__(self, action: Action | None, spoken: str | None) -> None:
        pp.ParserElement.__init__(self)  # Its body comes later.
        self.expr: Any = None
        self._action, self._spoken = action, spoken
        if spoken:
            self.spoken = spoken

    def _parse(self, text: str, at: int, *_unused: Any) -> Any:
        found: Any
        try:
            end, found = self.expr._parse(text, at)
        except pp.ParseException:
            if self._spoken and furthest.at == at:
                furthest.expected = self._spoken
            raise
        return end, found if self._action is None else [self._action(at, *found)]
