"""Expressions over the states of automata, and their values.

In:  operators, values, variables and locations, with names resolved.
Out: `Term`, which has a value in each state of the automata that it refers to. Nothing
     is executed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple, Protocol

# Truth values, numbers, and values of enumerations as texts.
DataValue = bool | int | str
# How many numbers an integer without bounds may be: none is unfolded.
_LARGEST = 1 << 62


class Place(NamedTuple):
    """A state of an automaton: a location, and a value for each of its variables."""

    location: str
    values: tuple[DataValue, ...] = ()


@dataclass(eq=False)
class DataStore:
    """A variable.

    Attributes:
        name: Its full name.
        owner: Its automaton.
        index: Its index there.
        domain: Its values, in order.
        first: Its initial values.
    """

    name: str
    owner: DataUnit
    index: int
    domain: Sequence[DataValue]
    first: tuple[DataValue, ...]


class Noted(Protocol):
    """A place in a file."""

    def note(self, message: str, hint: str = "") -> None:
        """Note a problem there."""


class DataMove(NamedTuple):
    """An edge: its events, target, guards and updates.

    A guard may refer to the state after the event (`DataUnit.after`).
    """

    source: str
    events: tuple[str, ...]
    target: str
    guards: tuple[Term, ...]
    updates: tuple[tuple[DataStore, Term], ...]
    token: Noted


@dataclass(eq=False)
class DataUnit:
    """An automaton with its data.

    Attributes:
        name: Its full name.
        role: `plant`, `requirement`, `property` (a requirement that blocks nothing),
            `supervisor` or `automaton`.
        token: The place of its declaration.
        locations: Its locations, in order, with the condition under which each is
            initial.
        stores: Its variables.
        moves: Its edges.
        alphabet: Its events.
        monitored: Events that it observes and never blocks.
        initial: The initial condition.
        failing: Locations that are the ERROR state.
        changers: The automata that change it, if it is a variable.
        base: The automaton itself, also for its state after an event.
    """

    name: str
    role: str
    token: Noted
    locations: dict[str, Term] = field(default_factory=dict)
    stores: list[DataStore] = field(default_factory=list)
    moves: list[DataMove] = field(default_factory=list)
    alphabet: set[str] = field(default_factory=set)
    monitored: frozenset[str] = frozenset()
    initial: list[Term] = field(default_factory=list)
    failing: frozenset[str] = frozenset()
    changers: frozenset[DataUnit] = frozenset()
    base: DataUnit = field(init=False)

    def __post_init__(self) -> None:
        self.base = self

    def __repr__(self) -> str:
        return f"DataUnit({self.name})"

    @property
    def terms(self) -> Iterator[Term]:
        """Its guards, what it assigns, and its initial conditions."""
        for move in self.moves:
            yield from move.guards
            yield from (value for _store, value in move.updates)
        yield from self.locations.values()
        yield from self.initial

    @cached_property
    def after(self) -> DataUnit:
        """Its representation in conditions on its state after an event."""
        found = DataUnit(f"{self.name}'", self.role, self.token, self.locations)
        found.base = self
        return found


Places = Mapping[DataUnit, Place]


class NoValue(Exception):
    """An expression has no value in a state: a division by zero, or an overflow."""


_OPERATORS: dict[str, Callable[..., DataValue]] = {
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
        kind: See `CifTree`; in place of names `value`, `store` and `at` (an automaton
            is at a location).
        type: `bool`, `int` or `enum`.
        parts: The operands.
        value: For these three the value, the variable, or automaton and location.
        refs: The automata that it refers to.
    """

    kind: str
    type: str
    parts: tuple[Term, ...] = ()
    value: Any = None
    refs: frozenset[DataUnit] = frozenset()

    @property
    def units(self) -> frozenset[DataUnit]:
        """The automata that it refers to, before or after an event."""
        return frozenset(unit.base for unit in self.refs)

    @property
    def key(self) -> tuple[object, ...]:
        """A key that is equal for equal terms."""
        return self.kind, self.type, self.value, *(part.key for part in self.parts)

    def within(self, places: Places) -> DataValue:
        """Return its value.

        Args:
            places: The states of at least the automata in `refs`.

        Raises:
            NoValue: It has no value there.
        """
        kind, parts = self.kind, self.parts
        if kind == "value":
            found: DataValue = self.value
            return found
        if kind == "store":
            store: DataStore = self.value
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


def _computed(kind: str, name: str | None, given: list[Any]) -> DataValue:
    if kind in ("div", "mod"):
        if given[1] == 0:
            raise NoValue("division by zero")
        # Towards zero, as in CIF and Supremica.
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


def shown(value: DataValue) -> str:
    """Return a value as files write it."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def constant(value: DataValue) -> Term:
    """Return the term of a value."""
    return Term("value", type_of(value), (), value)


_TRUE = Term("value", "bool", (), True)


def type_of(value: DataValue) -> str:
    """Return the type of a value, as in `Term.type`."""
    return {bool: "bool", int: "int", str: "enum"}[type(value)]


def of_store(store: DataStore) -> Term:
    """Return the term of a variable."""
    kind = type_of(store.domain[0]) if store.domain else "int"
    return Term("store", kind, (), store, frozenset((store.owner,)))


def after_event(condition: Term) -> Term:
    """Return a term about the state after an event."""
    if condition.kind == "store":
        store: DataStore = condition.value
        return of_store(replace(store, owner=store.owner.after))
    if condition.kind == "at":
        unit, location = condition.value
        return at_location(unit.after, location)
    parts = [after_event(part) for part in condition.parts]
    return term(condition.kind, condition.type, parts, condition.value)


def changing(condition: Term) -> Iterator[DataStore]:
    """Yield the variables whose next values a condition refers to."""
    if condition.kind == "store" and condition.value.owner.base is not (
        condition.value.owner
    ):
        yield condition.value.owner.base.stores[condition.value.index]
    for part in condition.parts:
        yield from changing(part)


def stores_in(condition: Term) -> Iterator[DataStore]:
    """Yield the variables that a term refers to."""
    if condition.kind == "store":
        yield condition.value
    for part in condition.parts:
        yield from stores_in(part)


def at_location(unit: DataUnit, location: str) -> Term:
    """Return the condition that an automaton is at a location."""
    return Term("at", "bool", (), (unit, location), frozenset((unit,)))


def term(kind: str, type_: str, parts: Sequence[Term], value: Any = None) -> Term:
    """Return an operator with its operands, or its value if it is constant."""
    refs: frozenset[DataUnit] = frozenset().union(*(part.refs for part in parts))
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
    """Return the conjunction of conditions."""
    if not terms:
        return _TRUE
    return term("and", "bool", terms) if len(terms) > 1 else terms[0]


def negated(condition: Term) -> Term:
    """Return the negation of a condition."""
    if condition.kind == "not":
        return condition.parts[0]
    if condition.kind == "!=":
        return term("=", "bool", condition.parts)
    if condition.kind == "=>":
        before, after = condition.parts
        return both([before, negated(after)])
    return term("not", "bool", (condition,))


def conjuncts(condition: Term) -> Iterator[Term]:
    """Yield the conjuncts of a condition."""
    if condition.kind == "and":
        for part in condition.parts:
            yield from conjuncts(part)
    else:
        yield condition


class DataRule(NamedTuple):
    """A requirement: a condition that holds always, or whenever an event happens.

    Attributes:
        role: `plant`, `requirement` or `supervisor`.
        event: The event; empty for always.
        condition: The condition.
        name: Its name; may be empty.
    """

    role: str
    event: str
    condition: Term
    name: str = ""


class Specification(NamedTuple):
    """A specification with all definitions instantiated.

    Attributes:
        units: Its automata.
        rules: Its requirements.
        controllable: The controllable events; `None` if unspecified.
    """

    units: Sequence[DataUnit]
    rules: Sequence[DataRule]
    controllable: set[str] | None
