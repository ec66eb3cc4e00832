"""Small makers of pyparsing rules that look one character ahead.

In:  patterns, rules.
Out: rules, with the names that messages use.

pyparsing tries alternatives in turn, and each that fails costs as much as one that
matches. The grammar is LL(1), so nearly always one character tells which of them can
match, and whether an optional part is there: the elements here look at it first.
Words and symbols take the white space behind them, so that it is the next character.
"""

from __future__ import annotations

import re
from contextlib import suppress
from functools import cached_property
from typing import Any, cast

import pyparsing as pp

from symrob.formats.fsp import words
from symrob.formats.fsp.actions import second

Rule = pp.ParserElement


class Element(pp.ParserElement):
    """What all elements here have in common: they deliver plain lists.

    pyparsing skips white space, wraps results and can trace each attempt; that is more
    than half of its time, and nothing here needs it.
    """

    def _parse(self, text: str, at: int, act: bool = True, _skip: bool = True) -> Any:
        end, found = self.parseImpl(text, at, act)
        for action in self.parseAction:
            found = [cast(Any, action)(text, at, found)]
        return end, found

    def streamline(self) -> Rule:
        """Leave the rule as it is: `+` and `-` make flat rows."""
        return self

    def __add__(self, other: Rule) -> RuleRow:
        return RuleRow([*self._parts(), other])

    def __sub__(self, other: Rule) -> RuleRow:
        return RuleRow([*self._parts(), _COMMIT, other])

    def _parts(self) -> list[Rule]:
        return [self]


class Terminal(Element, pp.Token):
    """One word or symbol.

    Args:
        pattern: What it looks like.
        first: Its first characters.
    """

    def __init__(self, pattern: str, first: str) -> None:
        super().__init__()
        self._match = re.compile(rf"({pattern})\s*").match
        self.first = frozenset(first)

    def parseImpl(self, text: str, at: int, _act: bool = True) -> Any:  # noqa: N802
        """Match the word and the white space behind it."""
        match = self._match(text, at)
        if match is None:
            raise pp.ParseException(text, at, self.errmsg, self)
        return match.end(), [match[1]]


class OneOf(Element, pp.Token):
    """One of some keywords or symbols, where no longer token begins."""

    def __init__(self, *spellings: str) -> None:
        super().__init__()
        self._spellings = frozenset(spellings)
        self.first = frozenset(spelling[0] for spelling in spellings)

    def parseImpl(self, text: str, at: int, _act: bool = True) -> Any:  # noqa: N802
        """Match the token and the white space behind it."""
        match = words.TOKEN.match(text, at)
        if match is None or match[1] not in self._spellings:
            raise pp.ParseException(text, at, self.errmsg, self)
        return match.end(), [match[1]]


_COMMIT = pp.Empty()


class RuleRow(Element, pp.And):
    """One rule after the other; behind a `-`, what does not match is a mistake."""

    def _parts(self) -> list[Rule]:
        return [self] if self.parseAction else self.exprs

    def parseImpl(self, text: str, at: int, act: bool = True) -> Any:  # noqa: N802
        """Match all parts."""
        found: list[Any] = []
        committed, start = False, at
        try:
            for part in self.exprs:
                if part is _COMMIT:
                    committed = True
                else:
                    at, one = part._parse(text, at, act)
                    found += one
        except pp.ParseException as error:
            if committed:
                raise pp.ParseSyntaxException(
                    text, error.loc, error.msg, error.parser_element
                ) from None
            if error.loc == start and self.customName:
                error.msg = self.errmsg or error.msg
            raise
        return at, found


def first(found: Rule) -> frozenset[str]:
    """Return the characters that a rule can begin with."""
    if isinstance(found, Terminal | OneOf):
        return found.first
    starts: frozenset[str] = frozenset()
    for part in found.recurse():
        starts |= first(part)
        if isinstance(found, RuleRow) and not isinstance(part, Maybe | Many | pp.Empty):
            break
    return starts


class Later(Element, pp.ParseElementEnhance):
    """A rule that is defined later, by `<<=`."""

    expr: Rule

    def __init__(self) -> None:
        pp.ParserElement.__init__(self)

    def __ilshift__(self, body: Rule) -> Later:
        self.expr = body
        return self

    def parseImpl(self, text: str, at: int, act: bool = True) -> Any:  # noqa: N802
        """Match the rule."""
        return self.expr._parse(text, at, act)


class Choice(Element, pp.MatchFirst):
    """The first alternative that fits, of those that can begin with what comes."""

    def __init__(self, *alternatives: Rule) -> None:
        super().__init__(alternatives)
        self._able: dict[str, list[Rule]] = {}

    def parseImpl(self, text: str, at: int, act: bool = True) -> Any:  # noqa: N802
        """Look one character ahead and try what is left."""
        character = text[at : at + 1]
        able = self._able.get(character)
        if able is None:
            able = [rule for rule in self.exprs if character in first(rule)]
            self._able[character] = able
        furthest = None
        for rule in able:
            try:
                return rule._parse(text, at, act)
            except pp.ParseException as error:
                # An error behind the first word tells more than that none fits.
                if error.loc > at and (furthest is None or error.loc > furthest[0]):
                    furthest = error.loc, error.msg
        raise pp.ParseException(text, *(furthest or (at, self.errmsg)), self)


class Maybe(Element, pp.Opt):
    """An item that may be left out; it delivers the default then, if there is one."""

    def __init__(self, item: Rule, *default: Any) -> None:
        super().__init__(item)
        self._default = default

    @cached_property
    def _first(self) -> frozenset[str]:
        return first(self.expr)

    def parseImpl(self, text: str, at: int, act: bool = True) -> Any:  # noqa: N802
        """Look one character ahead and try the item if it can begin with that."""
        if text[at : at + 1] in self._first:
            with suppress(pp.ParseException):
                return self.expr._parse(text, at, act)
        return at, [*self._default]


class Many(Element, pp.ZeroOrMore):
    """Any number of items."""

    @cached_property
    def _first(self) -> frozenset[str]:
        return first(self.expr)

    def parseImpl(self, text: str, at: int, act: bool = True) -> Any:  # noqa: N802
        """Try items for as long as what comes can begin one."""
        found: list[Any] = []
        with suppress(pp.ParseException):
            while text[at : at + 1] in self._first:
                at, one = self.expr._parse(text, at, act)
                found += one
        return at, found


def terminal(pattern: str, first: str, name: str, action: Any = None) -> Rule:
    """Return the rule for one word or symbol; see `Terminal`."""
    return rule(name, Terminal(pattern, first), action)


def either(*spellings: str, name: str, action: Any = None) -> Rule:
    """Return the rule for one of several keywords or symbols."""
    return rule(name, OneOf(*spellings), action)


def token(spelling: str) -> Rule:
    """Return the rule for a keyword or a symbol."""
    return either(spelling, name=f"'{spelling}'")


def rule(name: str, body: Rule, action: Any = None) -> Rule:
    """Name a rule for messages and give it its action."""
    body.set_name(name)
    if action is not None:
        # Without the wrapper that finds out how many arguments an action takes.
        body.parseAction = [action]
    return body


def forward(name: str) -> Any:
    """Return a rule that is defined later by `<<=`."""
    return Later().set_name(name)


def separated(item: Rule, separator: str) -> Rule:
    """Return the rule for one item or more with a separator between them."""
    return item + Many(token(separator) - item)


def listed(name: str, opening: str, item: Rule, closing: str, action: Any) -> Rule:
    """Return the rule for items with commas between them, in brackets."""
    return rule(name, token(opening) - separated(item, ",") - token(closing), action)


def optional(item: Rule) -> Rule:
    """Return the rule for an item that may be left out, which delivers `None`."""
    return Maybe(item, None)


def behind(name: str, word: str, item: Rule) -> Rule:
    """Return the rule for an item behind a word, which delivers the item."""
    return rule(name, token(word) - item, second)
