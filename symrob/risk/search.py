"""Minimal hazardous sets of events, and sets that contain none.

In:  a space whose units are the events, or more, and the events.
Out: `Hazards`: the minimal hazardous sets as sets of events, as they are found, with
     the current knowledge; `breaking`: the minimal sets that break an assumption.

A set of events is hazardous if E with all their transitions satisfies P_env and
violates P. The minimal ones are the minimal unsafe sets of units that satisfy P_env, as
in `analyses.cuts`, restricted to the events.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from symrob.analyses.fault_mode_space import space_of
from symrob.analyses.space import Space, units_in
from symrob.envelope.engine import Engine
from symrob.problem import Monitor, Unit, UnitSet
from symrob.problem.roles import NO_PROPERTY
from symrob.problem.units import units_of
from symrob.risk.bounds import KnownSets
from symrob.risk.decision import Set, minimal
from symrob.risk.events import Events


def space_about(engine: Engine, events: Events) -> Space:
    """Return the space of events for E as a whole.

    Args:
        engine: The problem, with any units.
        events: Its events; none changes a component.

    Returns:
        A space of candidates, or of fault modes if some events are.
    """
    held = frozenset().union(*(event.transitions for event in events.events))
    problem = replace(engine.problem, units=None, among=held)
    if events.has_modes:
        modes = [event.mode for event in events.events]
        units = units_of(engine.problem.environment, modes)
        problem = replace(problem, units=units, among=None)
    return space_of(engine.other(problem, engine.closed_loop))


def by_property(space: Space) -> Iterator[tuple[str, Space]]:
    """Yield the name of each property with the space of the part that it belongs to."""
    watched: list[tuple[Engine, Monitor | None]] = [
        (engine, monitor)
        for engine in space.engines
        for monitor in engine.problem.properties
        if monitor.name != NO_PROPERTY
    ]
    for engine, monitor in watched or [(space.engines[0], None)]:
        if monitor is None or len(engine.problem.properties) == 1:
            yield (monitor.name if monitor else NO_PROPERTY), space_of(engine)
            continue
        problem = replace(engine.problem, properties=(monitor,))
        yield monitor.name, space_of(engine.other(problem))


class EventUnits:
    """The events as units of a space.

    Args:
        space: The problem.
        events: Its events, each a unit.

    Attributes:
        space: As given.
        events: As given.
        all: The unit of each event.
    """

    def __init__(self, space: Space, events: Events) -> None:
        self.space, self.events = space, events
        named = space.about.units is not None
        self.all: Sequence[Unit] = [
            event.name if named else min(event.transitions) for event in events.events
        ]
        self._numbers = {unit: number for number, unit in enumerate(self.all)}

    def units(self, events: Iterable[int]) -> UnitSet:
        """Return some events as units."""
        return frozenset(self.all[number] for number in events)

    def sets(self, units: Iterable[Unit]) -> Set:
        """Return the events among some units."""
        numbers = self._numbers
        return frozenset(numbers[unit] for unit in units if unit in numbers)

    def of(self, space: Space) -> UnitSet:
        """Return all events that are units of a part of the problem."""
        units = space.about.units
        if units is None:
            return frozenset(self.all)
        return frozenset(u for u in self.all if u in units.numbers)


@dataclass
class Hazards:
    """The minimal hazardous sets of some events, found one after the other.

    Attributes:
        space: The problem: one property, or several.
        units: The events.
        family: The sets so far; none is contained in another.
        is_complete: Whether these are all.
    """

    space: Space
    units: EventUnits
    family: list[Set] = field(default_factory=list)
    is_complete: bool = False
    _harmless: list[Set] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Set up the search."""
        members = self.units.of(self.space)
        self._whole = len(members) == len(self.space)
        self._members = members
        self._relevant = self.units.sets(members)
        self._search = self.space.unsafe_sets(None if self._whole else members)

    def search(self) -> Iterator[None]:
        """Search for the sets; yields after each, and ends when all are found.

        Raises:
            LimitExceeded: A bound was hit; the sets found before are valid.
        """
        space = self.space
        if self._whole:
            judged = space.alone(None)
        else:
            judged = space.each_alone(self._members, 0)
        self.family += (self.units.sets((unit,)) for unit in judged.hazardous)
        self._relevant = self.units.sets(judged.tolerated)
        for _ in judged.hazardous:
            yield
        for units in self._search.by_size():
            if space.keeps_assumptions(units):
                self.family.append(self.units.sets(units))
                yield
        self.is_complete = True

    def deviations(self) -> Iterator[None]:
        """Search for maximal sets of events without a hazardous subset.

        See `search`.
        """
        # Not by weight: a MaxSAT call can take far longer than all that is asked here.
        for found in self.space.maximal():
            self._harmless.append(self.units.sets(units_in(found)))
            yield

    @property
    def known(self) -> KnownSets:
        """What is known so far."""
        complete = self._search.complete_to
        if self.is_complete:
            complete = len(self._relevant)
        kept = list(self.family)
        return KnownSets(kept, self._relevant, complete, tuple(self._harmless))


def breaking(units: EventUnits) -> list[Set]:
    """Return the minimal sets of events that violate an assumption.

    Raises:
        LimitExceeded: A bound was hit.

    Cost: that of all minimal unsafe sets, of E alone with the assumptions.
    """
    found: list[Set] = []
    for engine in units.space.engines:
        if engine.constraints:
            alone = space_of(engine.other(engine.problem.alone))
            search = alone.unsafe_sets(units.of(alone), singles=True)
            found += map(units.sets, search.by_size())
    return minimal(found)
