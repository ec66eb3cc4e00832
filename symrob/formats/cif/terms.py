"""Expressions of CIF with their names looked up, and their values.

In:  operators, values, variables and locations.
Out: `Term`, which has a value in each state of the automata that it speaks of. Nothing
     is executed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from symrob.formats.cif.tree import CifToken

# Truth values, numbers, and values of enumerations as texts.
CifConstant = bool | int | str
# How many numbers an integer without bounds may be: none is unfolded.
_LARGEST = 1 << 62


class Place(NamedTuple):
    """Where an automaton is: a location, and a value for each of its variables."""

    location: str
    values: tuple[CifConstant, ...] = ()


@dataclass(eq=False)
class CifStore:
    """A variable.

    Attributes:
        name: Its full name.
        owner: The automaton that it belongs to.
        index: Its number there.
        domain: Its values, in order.
        first: Those that it may begin with.
    """

    name: str
    owner: CifUnit
    index: int
    domain: tuple[CifConstant, ...]
    first: tuple[CifConstant, ...]


class CifMove(NamedTuple):
    """An edge: its events, where it leads, when, and what it assigns."""

    source: str
    events: tuple[str, ...]
    target: str
    guards: tuple[Term, ...]
    updates: tuple[tuple[CifStore, Term], ...]
    token: CifToken


@dataclass(eq=False)
class CifUnit:
    """An automaton with its data.

    Attributes:
        name: Its full name.
        role: `plant`, `requirement`, `supervisor` or `automaton`.
        token: Where it is declared.
        locations: Its locations, in order; when each may be the first.
        stores: Its variables.
        moves: Its edges.
        alphabet: Its events.
        monitored: Those that it watches and never blocks.
        initial: What must hold at the start.
    """

    name: str
    role: str
    token: CifToken
    locations: dict[str, Term] = field(default_factory=dict)
    stores: list[CifStore] = field(default_factory=list)
    moves: list[CifMove] = field(default_factory=list)
    alphabet: set[str] = field(default_factory=set)
    monitored: frozenset[str] = frozenset()
    initial: list[Term] = field(default_factory=list)

    def __repr__(self) -> str:
        return f"CifUnit({self.name})"


Places = Mapping[CifUnit, Place]


class NoValue(Exception):
    """An expression has no value in a state: it divides by zero, or is too large."""


_OPERATORS: dict[str, Callable[..., CifConstant]] = {
    "neg": lambda a: -a,
    "=": lambda a, b: a == b,
    "<=>": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
}
_FUNCTIONS: dict[str, Callable[[Sequence[int]], int]] = {
    "abs": lambda given: abs(given[0]),
    "min": min,
    "max": max,
}


@dataclass(frozen=True, eq=False)
class Term:
    """An expression.

    Attributes:
        kind: See `CifTree`; `value`, `store` and `at` (an automaton at a location) in
            place of names.
        type: `bool`, `int` or `enum`.
        parts: The operands.
        value: Of those three the value, the variable, or automaton and location.
        refs: The automata that it speaks of.
    """

    kind: str
    type: str
    parts: tuple[Term, ...] = ()
    value: Any = None
    refs: frozenset[CifUnit] = frozenset()

    def within(self, places: Places) -> CifConstant:
        """Return its value.

        Args:
            places: Where at least the automata of `refs` are.

        Raises:
            NoValue: It has none.
        """
        kind, parts = self.kind, self.parts
        if kind == "value":
            found: CifConstant = self.value
            return found
        if kind == "store":
            store: CifStore = self.value
            return places[store.owner].values[store.index]
        if kind == "at":
            unit, location = self.value
            return bool(places[unit].location == location)
        if kind == "not":
            return not parts[0].within(places)
        if kind == "and":
            return all(part.within(places) for part in parts)
        if kind == "or":
            return any(part.within(places) for part in parts)
        if kind == "=>":
            return not parts[0].within(places) or bool(parts[1].within(places))
        if kind == "if":
            for condition, then in zip(parts[:-1:2], parts[1:-1:2], strict=True):
                if condition.within(places):
                    return then.within(places)
            return parts[-1].within(places)
        return _computed(kind, self.value, [part.within(places) for part in parts])


def _computed(kind: str, name: str | None, given: list[Any]) -> CifConstant:
    if kind in ("div", "mod"):
        if given[1] == 0:
            raise NoValue("a number is divided by zero")
        # Towards zero, as in CIF.
        quotient = abs(given[0]) // abs(given[1])
        if (given[0] < 0) != (given[1] < 0):
            quotient = -quotient
        return int(quotient if kind == "div" else given[0] - quotient * given[1])
    if kind == "call":
        return _FUNCTIONS[name or ""](given)
    found = _OPERATORS[kind](*given)
    if isinstance(found, int) and abs(found) > _LARGEST:
        raise NoValue("a number is too large")
    return found


def shown(value: CifConstant) -> str:
    """Return a value as CIF writes it."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def constant(value: CifConstant) -> Term:
    """Return the term of a value."""
    return Term("value", type_of(value), (), value)


def type_of(value: CifConstant) -> str:
    """Return the type of a value, as terms have it."""
    return {bool: "bool", int: "int", str: "enum"}[type(value)]


def term(kind: str, type_: str, parts: Sequence[Term], value: Any = None) -> Term:
    """Return an operator with its operands, or its value if that is known already."""
    refs: frozenset[CifUnit] = frozenset().union(*(part.refs for part in parts))
    found = Term(kind, type_, tuple(parts), value, refs)
    if not refs:
        try:
            return constant(found.within({}))
        except NoValue:
            return found
    if kind in ("and", "or"):
        return _shorter(found)
    if kind == "not" and parts[0].kind == "value":
        return constant(not parts[0].value)
    return found


def _shorter(found: Term) -> Term:
    """Leave out what a conjunction or disjunction holds in any case."""
    ends = found.kind == "or"
    rest = []
    for part in found.parts:
        if part.kind != "value":
            rest.append(part)
        elif part.value is ends:
            return constant(ends)
    if not rest:
        return constant(not ends)
    return (
        rest[0]
        if len(rest) == 1
        else Term(found.kind, "bool", tuple(rest), None, found.refs)
    )


def both(terms: Sequence[Term]) -> Term:
    """Return that all of some conditions hold."""
    return term("and", "bool", terms) if len(terms) != 1 else terms[0]


def negated(condition: Term) -> Term:
    """Return that a condition does not hold."""
    if condition.kind == "not":
        return condition.parts[0]
    if condition.kind == "!=":
        return term("=", "bool", condition.parts)
    if condition.kind == "=>":
        before, after = condition.parts
        return both([before, negated(after)])
    return term("not", "bool", (condition,))


def conjuncts(condition: Term) -> Iterator[Term]:
    """Yield what a condition is the conjunction of."""
    if condition.kind == "and":
        for part in condition.parts:
            yield from conjuncts(part)
    else:
        yield condition


class CifRule(NamedTuple):
    """What must hold: a condition always, or while an event happens.

    Attributes:
        role: `plant`, `requirement` or `supervisor`.
        event: The event; empty for always.
        condition: What must hold (then).
    """

    role: str
    event: str
    condition: Term


class Specification(NamedTuple):
    """A specification whose definitions are instantiated.

    Attributes:
        units: Its automata.
        rules: What must hold.
        controllable: The events that may be disabled; `None` if nothing is said.
    """

    units: Sequence[CifUnit]
    rules: Sequence[CifRule]
    controllable: set[str] | None
