"""Which events together are hazardous: minimal sets of them, and what holds none.

In:  an engine, and events.
Out: `Hazards`: the minimal hazardous sets as sets of events, while they are found, with
     what is known meanwhile; `breaking`: the minimal sets that break an assumption.

A set of events is hazardous if E with all that they allow keeps P_env and breaks P.
Where each event is one transition, these are the hazardous sets of `analyses.cuts`
within the events, and what breaks an assumption is left out early. A fault mode
allows several transitions. Then the minimal sets that break P come from those of
transitions, each member replaced by one of the modes that have it; those that keep
P_env are the hazardous ones, since more modes break what fewer break.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import product

from symrob.analyses.unsafe import UnsafeSets
from symrob.envelope.engine import Engine
from symrob.envelope.safe_sets import SafeSets
from symrob.envelope.transitions import Candidates
from symrob.lts import Transition
from symrob.risk.bounds import KnownSets
from symrob.risk.decision import Set, minimal
from symrob.risk.events import Events


class EventUnits:
    """The events by the transitions that they allow.

    Args:
        engine: The problem.
        events: Its events.

    Attributes:
        among: All transitions that some event allows.

    Raises:
        LimitExceeded: A bound of the run was hit.
    """

    def __init__(self, engine: Engine, events: Events) -> None:
        self._engine = engine
        self._of: dict[Transition, list[int]] = {}
        for number, event in enumerate(events.events):
            if number % 4096 == 0:
                engine.clock.check()
            for transition in event.transitions:
                self._of.setdefault(transition, []).append(number)
        self.events = events
        self.among = Candidates.of(engine.environment, self._of)

    def sets(self, transitions: Iterable[Transition]) -> Iterator[Set]:
        """Yield the sets of events that just allow all of some transitions."""
        choices = [self._of[transition] for transition in transitions]
        yield from minimal(frozenset(chosen) for chosen in product(*choices))

    def held(self, transitions: Iterable[Transition]) -> Set:
        """Return the events all of whose transitions are among some."""
        allowed = set(transitions)
        everything = enumerate(self.events.events)
        return frozenset(n for n, event in everything if event.transitions <= allowed)

    def transitions(self, events: Iterable[int]) -> frozenset[Transition]:
        """Return what E may do with some events."""
        return frozenset().union(*(self.events.events[n].transitions for n in events))

    def keeps_constraints(self, events: Set) -> bool:
        """Whether E with all that some events allow keeps P_env."""
        graph = self._engine.extended(self.transitions(events))
        return self._engine.keeps_constraints(graph)


def _screened(engine: Engine, units: EventUnits, *, constrained: bool) -> SafeSets:
    return SafeSets(
        engine.environment,
        engine.constraints if constrained else (),
        engine.closed_loop,
        engine.clock,
        engine.effort,
        units.among,
    )


@dataclass
class Hazards:
    """The minimal hazardous sets of some events, found one after the other.

    Attributes:
        engine: The problem: one property, or several.
        units: The events.
        family: The sets so far; none within another once all are there.
        is_complete: Whether these are all.
    """

    engine: Engine
    units: EventUnits
    family: list[Set] = field(default_factory=list)
    is_complete: bool = False
    _harmless: list[Set] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Screen the candidates.

        Raises:
            LimitExceeded: A bound was hit.
        """
        single = not self.units.events.has_modes
        self._sets = _screened(self.engine, self.units, constrained=single)
        engine = self.engine
        self._search = UnsafeSets(
            self._sets, self._sets.alone, engine.clock, engine.effort
        )
        self._single = single

    def search(self) -> Iterator[None]:
        """Look for the sets; yields after each, and ends when all are found.

        Raises:
            LimitExceeded: A bound was hit; what was found before is valid.
        """
        if self._single:
            hazardous = self._sets.keeping.without(self._sets.alone)
        else:
            hazardous = self._sets.asked.without(self._sets.alone)
        for transition in hazardous:
            yield from self._add((transition,))
        for transitions in self._search.by_size():
            if self._single:
                graph = self.engine.extended(transitions)
                if not self.engine.keeps_constraints(graph):
                    continue
            yield from self._add(transitions)
        self.family[:] = minimal(self.family)
        self.is_complete = True

    def _add(self, transitions: Iterable[Transition]) -> Iterator[None]:
        for events in self.units.sets(transitions):
            if self._single or self.units.keeps_constraints(events):
                self.family.append(events)
            yield

    def deviations(self) -> Iterator[None]:
        """Look for maximal sets of events that hold no hazardous set; as `search`."""
        # Not by weight: a MaxSAT call can take far longer than all that is asked here.
        for deviation in self._sets.deviations():
            self._harmless.append(self.units.held(deviation.new))
            yield

    @property
    def known(self) -> KnownSets:
        """What is known so far."""
        # Before the search has begun, not even all that hurts alone is known.
        begun = self._search.complete_to > 0
        relevant = self.units.held(self._sets.alone if begun else self._sets.asked)
        # With modes, a set of k transitions may take fewer modes: none is complete.
        complete = self._search.complete_to if self._single else 0
        if self.is_complete:
            complete = len(relevant)
        # Single transitions are sets as they were found, none within another.
        kept = list(self.family) if self._single else minimal(self.family)
        return KnownSets(kept, relevant, complete, tuple(self._harmless))


def breaking(engine: Engine, units: EventUnits) -> list[Set]:
    """Return the minimal sets of events that break an assumption.

    Raises:
        LimitExceeded: A bound was hit.

    Cost: a screening with the constraints; then as of `UnsafeSets`, of E alone.
    """
    if not engine.constraints:
        return []
    alone = SafeSets(
        engine.environment,
        engine.constraints,
        None,
        engine.clock,
        engine.effort,
        units.among,
    )
    search = UnsafeSets(alone, units.among, engine.clock, engine.effort)
    found = (events for cut in search.by_size() for events in units.sets(cut))
    return minimal(found)
