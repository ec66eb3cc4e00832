"""Automata of CIF without their data: as transition systems.

In:  a `Specification`.
Out: for each automaton, or several that cannot be distinguished, a `CifCluster`:
     states, transitions, and under which condition on others a transition is there.

A guard that speaks of other automata becomes such a condition. Where the target depends
on it, an update reads another automaton, or the internal move is guarded so, the
automata are multiplied out together.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import product

from symrob.formats.cif.terms import (
    CifMove,
    CifRule,
    CifUnit,
    NoValue,
    Place,
    Places,
    Term,
    both,
    conjuncts,
    constant,
    shown,
)
from symrob.formats.text import ERROR_NAME, keep_bound
from symrob.limits import Limits, tick
from symrob.lts import ERROR, TAU, Lts, Transition
from symrob.lts.naming import distinct

VIOLATED = "violated"


class Inseparable(Exception):
    """Automata have to be multiplied out with others.

    Args:
        units: All of them.
    """

    def __init__(self, units: Iterable[CifUnit]) -> None:
        super().__init__()
        self.units = frozenset(units)


@dataclass(eq=False)
class CifCluster:
    """Automata that are one transition system.

    Attributes:
        units: The automata.
        places: Where they are in each state.
        lts: The system.
        guarded: Of a state and an event the condition on others under which it happens,
            where there is one.
    """

    units: tuple[CifUnit, ...]
    places: list[Places] = field(default_factory=list)
    lts: Lts = field(default_factory=lambda: Lts((), 1, ()))
    guarded: dict[tuple[int, str], Term] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """What it is called: the names of its automata."""
        return "+".join(unit.name for unit in self.units)

    @property
    def states(self) -> tuple[str, ...]:
        """The names of its states, as conditions take them."""
        return self.lts.names or tuple(map(str, range(self.lts.size)))


def cluster(
    units: Sequence[CifUnit],
    invariants: Sequence[CifRule],
    path: str,
    limits: Limits,
    *,
    errors: bool = False,
) -> CifCluster:
    """Multiply automata out.

    Args:
        units: The automata.
        invariants: What no state may violate; all of it speaks of them alone.
        path: The file, for messages.
        limits: Bounds on states and transitions.
        errors: Whether a location `ERROR` without edges is the ERROR state.

    Raises:
        Inseparable: Others have to be multiplied out with them.
        LimitExceeded: A bound was hit.

    Cost: the reachable states times the edges; of a lone automaton without data all
        locations.
    """
    return _ClusterWalk(units, invariants, path, limits, errors).cluster()


class _ClusterWalk:
    def __init__(
        self,
        units: Sequence[CifUnit],
        invariants: Sequence[CifRule],
        path: str,
        limits: Limits,
        errors: bool,
    ) -> None:
        self.units = tuple(units)
        self.known = frozenset(units)
        self.invariants = [rule.condition for rule in invariants]
        self.path, self.limits = path, limits
        self.alphabet = sorted(set().union(*(unit.alphabet for unit in units)))
        self.moves: dict[tuple[CifUnit, str, str], list[CifMove]] = {}
        for unit in units:
            for move in unit.moves:
                for event in move.events:
                    key = unit, move.source, event
                    self.moves.setdefault(key, []).append(move)
        self.errors = errors and self._may_fail()

    def _may_fail(self) -> bool:
        """Whether the location ERROR of a lone automaton is the ERROR state."""
        (unit, *more) = self.units
        first = unit.locations.get(ERROR_NAME)
        left = any(move.source == ERROR_NAME for move in unit.moves)
        return not more and not left and first is not None and first.value is False

    def cluster(self) -> CifCluster:
        found = CifCluster(self.units)
        numbers: dict[tuple[Place, ...], int] = {}

        def number(state: tuple[Place, ...]) -> int:
            if state not in numbers:
                numbers[state] = len(numbers)
                found.places.append(dict(zip(self.units, state, strict=True)))
            return numbers[state]

        first = [*map(number, self._first())]
        if not first:
            self.units[0].token.note(f"'{found.name}' has no initial location")
            return found
        (unit, *more) = self.units
        if not more and not unit.stores and not self.invariants:
            for location in unit.locations:
                if not (self.errors and location == ERROR_NAME):
                    number((Place(location),))
        rows: list[tuple[int, str, int]] = []
        done = 0
        while done < len(found.places):
            tick()
            here = found.places[done]
            for event in (*self.alphabet, TAU):
                there = self._next(here, event)
                for state, condition in there.items():
                    fails = self.errors and state[0].location == ERROR_NAME
                    rows.append((done, event, ERROR if fails else number(state)))
                    if condition.kind != "value":
                        if event == TAU or len(there) > 1:
                            raise Inseparable(self.known | condition.refs)
                        found.guarded[done, event] = condition
            done += 1
            who = f"{self.path}: '{found.name}'"
            keep_bound(who, len(numbers), self.limits, "states")
            keep_bound(who, len(rows), self.limits, "transitions")
        names = distinct([self._called(places) for places in found.places])
        alphabet = {*self.alphabet} - {TAU}
        found.lts = Lts(alphabet, len(names), rows, names=names, initial=first)
        return found

    def _first(self) -> Iterator[tuple[Place, ...]]:
        """The states that it may begin in."""
        choices = [
            [
                Place(location, values)
                for location, when in unit.locations.items()
                if when.kind != "value" or when.value
                for values in product(*(store.first for store in unit.stores))
            ]
            for unit in self.units
        ]
        for state in product(*choices):
            tick()
            places = dict(zip(self.units, state, strict=True))
            conditions = [
                term
                for unit, place in zip(self.units, state, strict=True)
                for term in (unit.locations[place.location], *unit.initial)
            ]
            if self._all(conditions, places) and self._all(self.invariants, places):
                yield state

    def _all(self, conditions: Iterable[Term], places: Places) -> bool:
        for condition in conditions:
            if not condition.refs <= self.known:
                raise Inseparable(self.known | condition.refs)
            if not condition.within(places):
                return False
        return True

    def _next(self, here: Places, event: str) -> dict[tuple[Place, ...], Term]:
        """Where an event leads, and under which condition on others."""
        found: dict[tuple[Place, ...], Term] = {}
        if event == TAU:
            for unit in self.units:
                for place, condition in self._taken(unit, event, here):
                    self._add(found, {**here, unit: place}, condition)
            return found
        choices: list[list[tuple[CifUnit, Place, Term]]] = []
        for unit in self.units:
            if event not in unit.alphabet:
                continue
            taken = [(unit, *step) for step in self._taken(unit, event, here)]
            if not taken and event in unit.monitored:
                taken = [(unit, here[unit], constant(True))]
            choices.append(taken)
        for steps in product(*choices):
            moved = {unit: place for unit, place, _condition in steps}
            condition = both([condition for *_step, condition in steps])
            self._add(found, {**here, **moved}, condition)
        return found

    def _add(
        self, found: dict[tuple[Place, ...], Term], there: Places, condition: Term
    ) -> None:
        if not self._all(self.invariants, there):
            return
        state = tuple(there[unit] for unit in self.units)
        if state in found and condition.kind != "value":
            raise Inseparable(self.known | condition.refs)
        found[state] = condition

    def _taken(
        self, unit: CifUnit, event: str, here: Places
    ) -> Iterator[tuple[Place, Term]]:
        """Where an automaton goes with an event, by each edge, and when."""
        for move in self.moves.get((unit, here[unit].location, event), ()):
            parts = [part for guard in move.guards for part in conjuncts(guard)]
            outside = [part for part in parts if not part.refs <= self.known]
            try:
                if not all(p.within(here) for p in parts if p.refs <= self.known):
                    continue
                values = list(here[unit].values)
                for store, value in move.updates:
                    if not value.refs <= self.known:
                        raise Inseparable(self.known | value.refs)
                    values[store.index] = value.within(here)
            except NoValue as problem:
                move.token.note(str(problem))
                continue
            stores = zip(values, unit.stores, strict=True)
            # A value that leaves its range disables the edge.
            if all(value in store.domain for value, store in stores):
                yield Place(move.target, tuple(values)), both(outside)

    def _called(self, places: Places) -> str:
        return "+".join(_place_name(unit, places[unit]) for unit in self.units)


def _place_name(unit: CifUnit, place: Place) -> str:
    words = [place.location] if place.location else []
    if not words and len(unit.stores) == 1:
        return shown(place.values[0])
    for store, value in zip(unit.stores, place.values, strict=True):
        name = store.name.removeprefix(f"{unit.name}.")
        name = name.removeprefix(unit.name) or unit.name.rpartition(".")[2]
        words.append(f"{name}={shown(value)}")
    return ".".join(words) or "location"


def supervising(found: CifCluster, blocked: Callable[[str], bool]) -> CifCluster:
    """Return a requirement as a part of C.

    Args:
        found: The requirement.
        blocked: Whether it blocks an event; any other leads to a state in which
            everything is allowed, and which conditions do not speak of.
    """
    lts, size = found.lts, found.lts.size
    rows = list(lts.transitions)
    offered = {(source, event) for source, event, _target in rows}
    rows = [Transition(s, e, size if t == ERROR else t) for s, e, t in rows]
    for event in lts.alphabet:
        if not blocked(event):
            lacking = (s for s in range(size) if (s, event) not in offered)
            rows += [Transition(state, event, size) for state in lacking]
        rows.append(Transition(size, event, size))
    names = distinct([*found.states, VIOLATED])
    first = lts.initial
    same = Lts(lts.alphabet, size + 1, rows, names=names, initial=first)
    return CifCluster(found.units, found.places, same, found.guarded)
