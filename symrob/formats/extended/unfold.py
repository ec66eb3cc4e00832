"""Unfolding automata with data into transition systems.

In:  a `Specification`.
Out: for each automaton, or several that are inseparable, a `DataCluster`: states,
     transitions, and conditions of transitions on other automata.

A guard that refers to other automata becomes such a condition. If the target depends
on it, an update reads or changes another automaton, a guard refers to the state after
the event, or the internal move is guarded so, the product of the automata is computed.

A variable keeps its value unless an edge assigns it or refers to its next value. Edges
that assign different values to it exclude each other.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import NamedTuple

from symrob.errors import LimitExceeded
from symrob.formats.extended.terms import (
    DataMove,
    DataRule,
    DataStore,
    DataUnit,
    DataValue,
    Noted,
    NoValue,
    Place,
    Places,
    Term,
    both,
    changing,
    conjuncts,
    constant,
    negated,
    shown,
    term,
)
from symrob.formats.text import keep_bound
from symrob.limits import Limits, tick
from symrob.lts import ERROR, TAU, Lts, Transition
from symrob.lts.naming import distinct

VIOLATED = "violated"
# A type with more values has no bounds in the file; so many are followed.
_ENDLESS, _MOST_VALUES = 1 << 31, 10_000

# Operators whose result may be too large, or not exist.
_PARTIAL = {"+", "-", "*", "neg", "div", "mod", "call"}


class Inseparable(Exception):
    """Automata and others require one product.

    Args:
        units: All of them.
        why: The reason, which the names of those that something depends on follow.
        refs: These.
        token: The place of the reason, if known.
    """

    def __init__(
        self,
        units: Iterable[DataUnit],
        why: str,
        refs: Iterable[DataUnit],
        token: Noted | None = None,
    ) -> None:
        super().__init__()
        self.units = frozenset(units)
        self.why = f"{why} {' and '.join(sorted(unit.name for unit in refs))}"
        self.token = token


@dataclass(eq=False)
class DataCluster:
    """Automata that form one transition system.

    Attributes:
        units: The automata.
        places: Their states, for each state of the system.
        lts: The system.
        guarded: The condition on other automata under which an event happens in a
            state, if any.
    """

    units: tuple[DataUnit, ...]
    places: list[Places] = field(default_factory=list)
    lts: Lts = field(default_factory=lambda: Lts((), 1, ()))
    guarded: dict[tuple[int, str], Term] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """Its name: the names of its automata."""
        return "+".join(unit.name for unit in self.units)

    @property
    def role(self) -> str:
        """Its role: that of its automata which have one."""
        given = {unit.role for unit in self.units} - {"automaton"}
        return min(given, default="automaton")

    @property
    def alone(self) -> bool:
        """Whether its transitions say what it allows: each trace leads to one state.

        A requirement with a choice must allow what happens whatever it chooses.
        """
        return not self.guarded and self.lts.deterministic

    @property
    def states(self) -> tuple[str, ...]:
        """The names of its states, as in conditions."""
        return self.lts.names or tuple(map(str, range(self.lts.size)))


def cluster(
    units: Sequence[DataUnit],
    invariants: Sequence[DataRule],
    path: str,
    limits: Limits,
) -> DataCluster:
    """Compute the product of automata.

    Args:
        units: The automata.
        invariants: Invariants that refer only to these automata.
        path: The file, for messages.
        limits: Bounds on states and transitions.

    Raises:
        Inseparable: The product must include others.
        LimitExceeded: A bound was hit.

    Cost: the reachable states times the edges; all locations of a single automaton
        without data.
    """
    return _ClusterWalk(units, invariants, path, limits).cluster()


class _Conditions:
    """What guards and updates of a move ask, sorted; most moves have none.

    Args:
        move: The move.
        known: The automata of the product.

    Attributes:
        now: What must hold before the event, of these automata.
        outside: The same of others.
        later: What must hold of the state after it.
        needs: The automata that must be in the product.
    """

    def __init__(self, move: DataMove, known: frozenset[DataUnit]) -> None:
        parts = [part for guard in move.guards for part in conjuncts(guard)]
        later = [part for part in parts if part.refs != part.units]
        others = [part for part in parts if part.refs == part.units]
        self.now = [part for part in others if part.refs <= known]
        self.outside = both([part for part in others if not part.refs <= known])
        self.later = tuple(later)
        self.needs = frozenset().union(
            *(part.units for part in later),
            *(value.refs for _store, value in move.updates),
            (store.owner for store, _value in move.updates),
        )


class _Taken(NamedTuple):
    """An edge of an automaton that is taken, with the values that it assigns."""

    unit: DataUnit
    location: str
    assigned: Mapping[DataStore, DataValue]
    condition: Term
    later: tuple[Term, ...] = ()
    token: Noted | None = None


class _ClusterWalk:
    def __init__(
        self,
        units: Sequence[DataUnit],
        invariants: Sequence[DataRule],
        path: str,
        limits: Limits,
    ) -> None:
        self.units = tuple(units)
        self.known = frozenset(units)
        self.invariants = [rule.condition for rule in invariants]
        self.path, self.limits = path, limits
        self.alphabet = set().union(*(unit.alphabet for unit in units)) - {TAU}
        self.endless = [
            (number, store)
            for number, unit in enumerate(units)
            for store in unit.stores
            if len(store.domain) > _ENDLESS
        ]
        self.failing = {(unit, where) for unit in units for where in unit.failing}
        self.followed: dict[DataStore, set[DataValue]] = {}
        # Of a location of an automaton the edges by event.
        self.edges: dict[tuple[DataUnit, str], dict[str, list[DataMove]]] = {}
        for unit in units:
            for move in unit.moves:
                leaving = self.edges.setdefault((unit, move.source), {})
                for event in move.events:
                    leaving.setdefault(event, []).append(move)
        # By guards and updates, which many edges share.
        self.asked: dict[tuple[object, object], _Conditions] = {}

    def cluster(self) -> DataCluster:
        found = DataCluster(self.units)
        numbers: dict[tuple[Place, ...], int] = {}

        def number(state: tuple[Place, ...]) -> int:
            if state not in numbers:
                numbers[state] = len(numbers)
                self._follow(state)
                found.places.append(dict(zip(self.units, state, strict=True)))
            return numbers[state]

        first = [*map(number, self._first())]
        if not first:
            self.units[0].token.note(f"'{found.name}' has no initial location")
            return found
        (unit, *more) = self.units
        if not more and not unit.stores and not self.invariants:
            for location in unit.locations:
                if location not in unit.failing:
                    number((Place(location),))
        rows: list[Transition] = []
        done = 0
        while done < len(found.places):
            tick()
            here = found.places[done]
            for event in self._offered(here):
                there = self._next(here, event)
                for state, condition in there.items():
                    fails = self._fails(state)
                    target = ERROR if fails else number(state)
                    rows.append(Transition(done, event, target))
                    if condition.kind != "value":
                        if event == TAU or len(there) > 1:
                            refs = condition.refs
                            why = f"the target of '{event}' depends on"
                            token = self.units[0].token
                            raise Inseparable(self.known | refs, why, refs, token)
                        found.guarded[done, event] = condition
            done += 1
            who = f"{self.path}: '{found.name}'"
            keep_bound(who, len(numbers), self.limits, "states")
            keep_bound(who, len(rows), self.limits, "transitions")
        names = distinct([self._called(places) for places in found.places])
        found.lts = Lts(self.alphabet, len(names), rows, names=names, initial=first)
        return found

    def _follow(self, state: Sequence[Place]) -> None:
        """Keep what an integer without bounds can be small."""
        for at, store in self.endless:
            values = self.followed.setdefault(store, set())
            values.add(state[at].values[store.index])
            if len(values) > _MOST_VALUES:
                who = f"{self.path}: the integer '{store.name}' has no bounds and"
                what = "takes more than {} values; give its range, such as int[0..9]"
                message = f"{who} {what.format(f'{_MOST_VALUES:,}')}"
                raise LimitExceeded(message)

    def _offered(self, here: Places) -> list[str]:
        """The events for which there may be an edge, the internal one last."""
        found = set().union(
            *(self.edges.get((u, here[u].location), ()) for u in self.units),
            *(unit.monitored for unit in self.units),
        )
        return sorted(found, key=lambda event: (event == TAU, event))

    def _fails(self, state: Iterable[Place]) -> bool:
        if not self.failing:
            return False
        places = zip(self.units, state, strict=True)
        return any((unit, place.location) in self.failing for unit, place in places)

    def _first(self) -> list[tuple[Place, ...]]:
        """The states that it may begin in, one automaton after another.

        A condition is asked as soon as all that it speaks of has its place, so that
        few combinations are tried where each condition speaks of few automata.
        """
        who = f"{self.path}: '{'+'.join(unit.name for unit in self.units)}'"
        due = self._due()
        found: list[tuple[Place, ...]] = [()]
        for last, unit in enumerate(self.units):
            before, found, tried = found, [], 0
            for start in before:
                for place in _first_places(unit):
                    tick()
                    tried += 1
                    what = "more than {} combinations of initial values"
                    keep_bound(who, tried, self.limits, "states", what)
                    state = (*start, place)
                    places = dict(zip(self.units, state, strict=False))
                    asked = (
                        condition
                        for number, location, condition in due[last]
                        if location is None or location == state[number].location
                    )
                    if self._all(asked, places):
                        found.append(state)
        return found

    def _due(self) -> dict[int, list[tuple[int, str | None, Term]]]:
        """What a first state has to fulfil, by the last automaton it speaks of.

        Each condition comes with an automaton's number and the location of it that
        needs the condition, or none.
        """
        needed: list[tuple[int, str | None, Term]] = []
        needed += ((0, None, condition) for condition in self.invariants)
        for number, unit in enumerate(self.units):
            needed += ((number, None, condition) for condition in unit.initial)
            needed += ((number, *item) for item in unit.locations.items())
        numbers = {unit: number for number, unit in enumerate(self.units)}
        due: dict[int, list[tuple[int, str | None, Term]]] = {
            number: [] for number in numbers.values()
        }
        for number, location, when in needed:
            if not when.refs <= self.known:
                why = "the initial state depends on"
                raise Inseparable(self.known | when.refs, why, when.refs - self.known)
            # A part may lack a value where one before it is false.
            parts = [when] if _may_lack_value(when) else conjuncts(when)
            for part in parts:
                last = max([number, *(numbers[unit] for unit in part.refs)])
                due[last].append((number, location, part))
        return due

    def _all(self, conditions: Iterable[Term], places: Places) -> bool:
        for condition in conditions:
            if not condition.refs <= self.known:
                refs = condition.refs - self.known
                why = "an invariant refers to"
                raise Inseparable(self.known | refs, why, refs)
            try:
                if not condition.within(places):
                    return False
            except NoValue as problem:
                self.units[0].token.note(str(problem))
                return False
        return True

    def _next(self, here: Places, event: str) -> dict[tuple[Place, ...], Term]:
        """Where an event leads, and under which condition on others."""
        found: dict[tuple[Place, ...], Term] = {}
        for steps in self._together(here, event):
            condition = both([step.condition for step in steps])
            for there in self._reached(here, steps):
                if self._all(self.invariants, there):
                    state = tuple(there[unit] for unit in self.units)
                    way = condition
                    if state in found:
                        way = term("or", "bool", (found[state], condition))
                    found[state] = way
        return found

    def _together(self, here: Places, event: str) -> Iterator[tuple[_Taken, ...]]:
        """Yield the edges that automata take together."""
        if event == TAU:
            for unit in self.units:
                for step in self._taken(unit, event, here):
                    yield (step,)
            return
        choices: list[list[_Taken]] = []
        for unit in self.units:
            if event not in unit.alphabet:
                continue
            taken = [*self._taken(unit, event, here)]
            if event in unit.monitored:
                taken = self._watched(unit, here[unit].location, taken)
            choices.append(taken)
        yield from product(*choices)

    def _watched(
        self, unit: DataUnit, location: str, taken: list[_Taken]
    ) -> list[_Taken]:
        """The edges of a monitor, which stays where it is while none is enabled."""
        stays = _Taken(unit, location, {}, constant(True))
        if any(step.condition.kind == "value" for step in taken):
            return taken
        if all(
            step._replace(condition=stays.condition, token=None) == stays
            for step in taken
        ):
            return [stays]
        enabled = term("or", "bool", [step.condition for step in taken])
        return [*taken, stays._replace(condition=negated(enabled))]

    def _taken(self, unit: DataUnit, event: str, here: Places) -> Iterator[_Taken]:
        for move in self.edges.get((unit, here[unit].location), {}).get(event, ()):
            asked = self._asked(move)
            try:
                if not all(part.within(here) for part in asked.now):
                    continue
                if not asked.needs <= self.known:
                    refs = asked.needs - self.known
                    why = f"for '{event}', an edge of {unit.name} reads or changes"
                    raise Inseparable(self.known | refs, why, refs, move.token)
                values = {store: value.within(here) for store, value in move.updates}
            except NoValue as problem:
                move.token.note(str(problem))
                continue
            # A value that leaves its range disables the edge.
            if all(value in store.domain for store, value in values.items()):
                given = move.target, values, asked.outside, asked.later, move.token
                yield _Taken(unit, *given)

    def _asked(self, move: DataMove) -> _Conditions:
        key = move.guards, move.updates
        if key not in self.asked:
            self.asked[key] = _Conditions(move, self.known)
        return self.asked[key]

    def _reached(self, here: Places, steps: Sequence[_Taken]) -> Iterator[Places]:
        """Yield the states that edges lead to together."""
        if not any(step.assigned or step.later for step in steps):
            yield _moved(here, steps, {})
            return
        values: dict[DataStore, DataValue] = {}
        for step in steps:
            for store, value in step.assigned.items():
                if values.setdefault(store, value) != value:
                    return
        later = [condition for step in steps for condition in step.later]
        said = dict.fromkeys(store for part in later for store in changing(part))
        free = [store for store in said if store not in values]
        for chosen in product(*(store.domain for store in free)):
            there = _moved(
                here, steps, {**values, **dict(zip(free, chosen, strict=True))}
            )
            if later:
                tick()
                both_times = {**here, **{u.after: place for u, place in there.items()}}
                try:
                    if not all(part.within(both_times) for part in later):
                        continue
                except NoValue as problem:
                    for token in filter(None, (step.token for step in steps)):
                        token.note(str(problem))
                    return
            yield there

    def _called(self, places: Places) -> str:
        several = len(self.units) > 1
        return "+".join(_place_name(u, places[u], several) for u in self.units)


def _first_places(unit: DataUnit) -> Iterator[Place]:
    for location, when in unit.locations.items():
        if when.kind != "value" or when.value:
            for values in product(*(store.first for store in unit.stores)):
                yield Place(location, values)


def _may_lack_value(part: Term) -> bool:
    return part.kind in _PARTIAL or any(map(_may_lack_value, part.parts))


def _moved(
    here: Places, steps: Iterable[_Taken], values: Mapping[DataStore, DataValue]
) -> Places:
    """Where automata are after a step."""
    there = dict(here)
    for step in steps:
        there[step.unit] = Place(step.location, there[step.unit].values)
    for store, value in values.items():
        place = there[store.owner]
        changed = list(place.values)
        changed[store.index] = value
        there[store.owner] = Place(place.location, tuple(changed))
    return there


def _place_name(unit: DataUnit, place: Place, several: bool) -> str:
    words = [place.location] if place.location else []
    if not words and len(unit.stores) == 1:
        named = several and unit.stores[0].name == unit.name
        return (f"{unit.name}=" if named else "") + shown(place.values[0])
    for store, value in zip(unit.stores, place.values, strict=True):
        name = store.name.removeprefix(f"{unit.name}.")
        name = name.removeprefix(unit.name) or unit.name.rpartition(".")[2]
        words.append(f"{name}={shown(value)}")
    return ".".join(words) or "location"


def supervising(found: DataCluster, blocked: Container[str]) -> DataCluster:
    """Return a requirement as a part of C.

    Args:
        found: The requirement.
        blocked: The events that it blocks, also instead of transitions to ERROR; any
            other event leads to a state in which everything is allowed, and which no
            condition refers to.
    """
    lts, size = found.lts, found.lts.size
    bad = {(s, e) for s, e, t in lts.transitions if t == ERROR and e in blocked}
    rows = [row for row in lts.transitions if (row.source, row.action) not in bad]
    offered = {(source, event) for source, event, _target in rows}
    rows = [Transition(s, e, size if t == ERROR else t) for s, e, t in rows]
    for event in lts.alphabet:
        if event not in blocked:
            lacking = (s for s in range(size) if (s, event) not in offered)
            rows += [Transition(state, event, size) for state in lacking]
        rows.append(Transition(size, event, size))
    names = distinct([*found.states, VIOLATED])
    first = lts.initial
    same = Lts(lts.alphabet, size + 1, rows, names=names, initial=first)
    return DataCluster(found.units, found.places, same, found.guarded)
