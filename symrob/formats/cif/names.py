"""Resolving the names of a CIF specification, and expressions with them.

In:  scopes, each with the names of a component.
Out: symbols; terms.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from symrob.errors import did_you_mean, plural
from symrob.formats.cif.tree import (
    CifBody,
    CifFunction,
    CifText,
    CifToken,
    CifTree,
    CifType,
)
from symrob.formats.cif.words import WORDS
from symrob.formats.extended.terms import (
    DataStore,
    DataUnit,
    DataValue,
    Term,
    at_location,
    constant,
    of_store,
    term,
)
from symrob.limits import Limits


class BadName(Exception):
    """A name cannot be resolved; the problem is noted."""


class EventName(NamedTuple):
    """An event, by its full name."""

    name: str


class LeftOut(NamedTuple):
    """A variable without values, which is an error only if it is read."""

    what: str


class Domain(NamedTuple):
    """A type: its kind, and its values."""

    kind: str
    values: Sequence[DataValue]


class LocationName(NamedTuple):
    """A location of an automaton."""

    unit: DataUnit
    name: str


@dataclass(eq=False)
class GivenValue:
    """A value computed on first use: a constant, or by equations."""

    tree: CifTree | None
    scope: CifScope
    at: list[tuple[DataUnit, str, CifTree]] = field(default_factory=list)
    found: Term | None = None
    busy: bool = False


@dataclass(eq=False)
class CifCallable:
    """A function, and its scope."""

    function: CifFunction
    scope: CifScope
    busy: bool = False


class Alias(NamedTuple):
    """The argument of an instance for a parameter."""

    tree: CifTree
    scope: CifScope


class CifTypeAlias(NamedTuple):
    """Another name of a type, and its scope."""

    type: CifType
    scope: CifScope


class Definition(NamedTuple):
    """A definition that can be instantiated, and its scope."""

    body: CifBody
    scope: CifScope


@dataclass(eq=False)
class CifScope:
    """The names of a component, and the enclosing scope."""

    name: str
    outer: CifScope | None
    unit: DataUnit | None = None
    symbols: dict[str, Symbol] = field(default_factory=dict)
    # Those that say what a group has, each once.
    files: list[CifText] = field(default_factory=list)

    @property
    def inside(self) -> str:
        """The prefix of the names in it."""
        return f"{self.name}." if self.name else ""


Symbol = (
    EventName
    | Domain
    | CifTypeAlias
    | LocationName
    | GivenValue
    | CifCallable
    | Alias
    | Definition
    | CifScope
    | DataStore
    | LeftOut
    | Term
)


# The values of an integer without bounds.
UNBOUNDED = range(-(1 << 31), 1 << 31)
_TRUTHS = {"and", "or", "=>", "<=>"}
_ORDERS = {"<", "<=", ">", ">="}
# Types whose values are not unfolded.
_ENDLESS = {"real", "string", "list", "set", "dict", "tuple", "func", "dist", "void"}


class CifNames:
    """Resolves names, from the innermost scope outwards.

    Args:
        limits: `max_expansion` bounds the values of a type.
    """

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.root = CifScope("", None)
        # Names that are not declared; whether some declarations were not read.
        self.unknown: set[str] = set()
        self.unread = False
        # What `?` stands for.
        self.received: Callable[[], Term] | None = None

    # Names.

    def _found(
        self, token: CifToken, scope: CifScope, *, event: bool = False
    ) -> Symbol:
        """What a name stands for; a location may have the name of an event outside.

        Raises:
            BadName: Nothing; a problem was noted.
        """
        text = token.name
        absolute = text.lstrip(".:^")
        first, *rest = absolute.split(".")
        here: CifScope | None = self.root if absolute != text else scope
        while here is not None:
            found = here.symbols.get(first)
            hidden = event and not rest and isinstance(found, LocationName)
            if found is not None and not hidden:
                break
            here = here.outer
        symbol: Symbol | None = here.symbols[first] if here else None
        known: Iterable[str] = () if here else _known(scope)
        for word in (*rest, None):
            while isinstance(symbol, Alias):
                symbol = self._found(symbol.tree.token, symbol.scope)
            if word is None or symbol is None:
                break
            inner = symbol.symbols if isinstance(symbol, CifScope) else {}
            symbol, known = inner.get(word), inner
            first = word
        if symbol is None:
            # Once a name; and what was not read may have declared it.
            if token.text not in self.unknown and not self.unread:
                self.unknown.add(token.text)
                hint = did_you_mean(first, [*known])
                if not hint and here is None:
                    hint = f"if another file declares '{first:.60}', import that file"
                token.note(f"'{token.text:.60}' is not declared", hint or "")
            raise BadName
        return symbol

    def _named_type(self, of: CifType, scope: CifScope) -> tuple[CifType, CifScope]:
        """A type, behind all names that stand for it."""
        seen = set[CifToken]()
        while of.token.text not in WORDS:
            found = self._found(of.token, scope)
            if not isinstance(found, CifTypeAlias):
                break
            if of.token in seen:
                of.token.note("the type is defined in terms of itself")
                raise BadName
            seen.add(of.token)
            of, scope = found
        return of, scope

    def _left_out(self, of: CifType, scope: CifScope) -> LeftOut | None:
        """What a variable of a type is, if its values are not unfolded."""
        word = self._named_type(of, scope)[0].token.text
        return LeftOut(f"a variable of the type '{word}'") if word in _ENDLESS else None

    def _domain(self, of: CifType, scope: CifScope) -> Domain:
        """The values of a type."""
        of, scope = self._named_type(of, scope)
        token = of.token
        if token.text == "bool":
            return Domain("bool", (False, True))
        if token.text == "int":
            if of.bounds is None:
                return Domain("int", UNBOUNDED)
            low, high = (self._constant(tree, scope) for tree in of.bounds)
            if isinstance(low, str) or isinstance(high, str):
                token.note("the bounds of a range must be numbers")
                raise BadName
            if low > high:
                token.note(f"the range {low}..{high} is empty")
                raise BadName
            if high - low >= self.limits.max_expansion:
                most = self.limits.max_expansion
                message = f"a range of {high - low + 1} values, more than {most}"
                hint = "--bound max-expansion raises this limit"
                token.origin.note(token, message, "cif-limit", hint)
                raise BadName
            return Domain("int", range(low, high + 1))
        found = self._found(token, scope)
        if not isinstance(found, Domain):
            token.note(f"'{token.text:.60}' is not a type")
            raise BadName
        return found

    # Expressions.

    def _constant(self, tree: CifTree, scope: CifScope) -> DataValue:
        found = self._term(tree, scope)
        if found.kind != "value":
            tree.token.note("expected a constant value")
            raise BadName
        value: DataValue = found.value
        return value

    def _truth(self, tree: CifTree, scope: CifScope) -> Term:
        found = self._term(tree, scope)
        if found.type != "bool":
            tree.token.note("expected a condition")
            raise BadName
        return found

    def _term(self, tree: CifTree, scope: CifScope) -> Term:
        kind = tree.kind
        if kind in ("true", "false"):
            return constant(kind == "true")
        if kind == "number":
            return constant(int(tree.token.text))
        if kind == "name":
            return self._named(tree.token, scope)
        if kind == "apply":
            return self._applied(tree, scope)
        if kind == "switch":
            return self._switched(tree, scope)
        if kind == "unvalued" and tree.token.text == "?" and self.received:
            return self.received()
        if kind == "unvalued":
            tree.token.note(f"{tree.what} is not supported")
            raise BadName
        if kind == "self":
            tree.token.note("'self' is supported only in 'switch self'")
            raise BadName
        parts = [self._term(part, scope) for part in tree.parts]
        types = [part.type for part in parts]
        if kind == "if":
            conditions, values = types[:-1:2], [*types[1:-1:2], types[-1]]
            self._same(tree, {*conditions} == {"bool"} and len({*values}) == 1)
            return term("if", values[0], parts)
        if kind == "not" or kind in _TRUTHS:
            self._same(tree, {*types} == {"bool"})
            return term(kind, "bool", parts)
        if kind in ("=", "!="):
            self._same(tree, types[0] == types[1])
            return term(kind, "bool", parts)
        self._same(tree, {*types} == {"int"})
        if kind == "call":
            name = tree.token.text
            self._same(tree, (name == "abs") == (len(parts) == 1))
            return term(kind, "int", parts, name)
        return term(kind, "bool" if kind in _ORDERS else "int", parts)

    def _switched(self, tree: CifTree, scope: CifScope) -> Term:
        """A choice by a value, or by the location of an automaton."""
        subject, *cases = tree.parts
        automaton: Symbol | None = None
        if subject.kind == "self":
            automaton = scope
            while isinstance(automaton, CifScope) and automaton.unit is None:
                automaton = automaton.outer
        elif subject.kind == "name":
            automaton = self._found(subject.token, scope)
        parts: list[Term] = []
        for case, value in zip(cases[:-1:2], cases[1:-1:2], strict=True):
            if isinstance(automaton, CifScope):
                condition = self._truth(case, automaton)
            else:
                both = self._term(subject, scope), self._term(case, scope)
                self._same(tree, both[0].type == both[1].type)
                condition = term("=", "bool", both)
            parts += [condition, self._term(value, scope)]
        parts.append(self._term(cases[-1], scope))
        values = [part.type for part in (*parts[1::2], parts[-1])]
        self._same(tree, len({*values}) == 1)
        return term("if", values[0], parts)

    def _applied(self, tree: CifTree, scope: CifScope) -> Term:
        """The value of a function: its body, with what it is given."""
        found, name = self._found(tree.token, scope), f"'{tree.token.text:.60}'"
        if not isinstance(found, CifCallable):
            tree.token.note(f"{name} is not a function")
            raise BadName
        expected, value = found.function.parameters, found.function.value
        if value is not None and len(expected) != len(tree.parts):
            number = f"{plural(len(expected), 'parameter')}, not {len(tree.parts)}"
            tree.token.note(f"{name} takes {number}")
            raise BadName
        if value is None:
            message = f"the function {name} is not supported: {found.function.why}"
            tree.token.note(message)
            raise BadName
        if found.busy:
            tree.token.note(f"{name} calls itself, which is not supported")
            raise BadName
        inner = CifScope(scope.name, found.scope)
        for token, part in zip(expected, tree.parts, strict=True):
            inner.symbols[token.name] = GivenValue(part, scope)
        found.busy = True
        try:
            return self._term(value, inner)
        finally:
            found.busy = False

    def _same(self, tree: CifTree, fits: bool) -> None:
        if not fits:
            what = f"'{tree.token.text:.20}'"
            tree.token.note(f"{what} does not support values of these types")
            raise BadName

    def _named(self, token: CifToken, scope: CifScope) -> Term:
        found = self._found(token, scope)
        if isinstance(found, Term):
            return found
        if isinstance(found, DataStore):
            return of_store(found)
        if isinstance(found, LocationName):
            return at_location(found.unit, found.name)
        if isinstance(found, GivenValue):
            return self._given(found, token)
        what = "has no value"
        if isinstance(found, LeftOut):
            what = f"is {found.what}, which is not supported"
        token.note(f"'{token.text:.60}' {what}")
        raise BadName

    def _given(self, given: GivenValue, token: CifToken) -> Term:
        if given.found is not None:
            return given.found
        if given.busy:
            token.note(f"'{token.text:.60}' is defined in terms of itself")
            raise BadName
        given.busy = True
        try:
            if given.tree is not None:
                given.found = self._term(given.tree, given.scope)
            elif given.at:
                parts: list[Term] = []
                for unit, location, tree in given.at:
                    value = self._term(tree, given.scope)
                    parts += [at_location(unit, location), value]
                given.found = term("if", parts[1].type, (*parts[:-2], parts[-1]))
            else:
                token.note(f"'{token.text:.60}' has no value")
                raise BadName
        finally:
            given.busy = False
        return given.found


def _known(scope: CifScope | None) -> Iterable[str]:
    while scope is not None:
        yield from scope.symbols
        scope = scope.outer
