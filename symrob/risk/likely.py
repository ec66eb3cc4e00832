"""The most probable hazardous sets first, without listing the others.

In:  an engine whose nominal system is safe, and events.
Out: `LikelySets`: iterate over it for sets of events with their probability.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from decimal import Decimal
from math import prod
from typing import ClassVar

from symrob.analyses.cut import Cut
from symrob.analyses.few import Few
from symrob.analyses.likely import by_weight
from symrob.analyses.space import About
from symrob.analyses.wide import Wide
from symrob.door import spelled
from symrob.envelope.engine import Engine
from symrob.envelope.safe_sets import SafeSets
from symrob.limits import Clock, Stages, Status
from symrob.problem import FaultMode
from symrob.problem.units import units_of
from symrob.risk.decision import Set
from symrob.risk.events import Events
from symrob.risk.figures import ONE, nearest, wide
from symrob.risk.search import EventUnits
from symrob.shown import Shown

# Weights are whole numbers, so that a part never seems heavier than the whole.
_UNIT = 1 << 40


@dataclass(frozen=True)
class LikelySet:
    """A minimal hazardous set with its probability.

    Attributes:
        events: Its events, by number.
        cut: The set as transitions.
        probability: How likely all of it is possible.
    """

    also: ClassVar = {"transitions": "cut.transitions", "classes": "cut.classes"}

    events: Set = field(metadata={"json": False})
    cut: Cut = field(metadata={"json": False})
    probability: float


@dataclass(frozen=True)
class LikelyEnd:
    """How a search for the most probable sets ended.

    Attributes:
        status: `complete`, or what stopped it.
        reason: Why it stopped, for a person.
    """

    status: Status
    reason: str


def _weight(chance: Decimal) -> int:
    """The logarithm of 1 / p."""
    return round(-chance.ln() * _UNIT)


class LikelySets(Shown, Iterator[LikelySet]):
    """The minimal hazardous sets with their probability, the most probable first.

    Args:
        engine: The problem, its preconditions checked.
        events: What may be possible.
        limit: Stop after so many.

    Attributes:
        status: `running` until the last one is out, then `complete` or what stopped it.
        reason: Why something is missing, for a person.
        came: How many there were so far.
    """

    schema: ClassVar = "likely/2"
    parts: ClassVar = "sets"

    def __init__(
        self, engine: Engine, events: Events, limit: int | None = None
    ) -> None:
        self.engine, self.events = engine, events
        self.status: Status = "running"
        self.reason = ""
        self.came = 0
        self._limit = limit
        self._units = EventUnits(engine, events)
        self._source = self._search()

    @property
    def clock(self) -> Clock:
        """Of the run."""
        return self.engine.clock

    @property
    def about(self) -> About:
        """What the candidates are of."""
        return Wide(self.engine).about

    def again(self) -> LikelySets:
        """Return the same search from its beginning."""
        return LikelySets(self.engine, self.events, self._limit)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.status}, {self.came:,} sets found)"

    @property
    def end(self) -> LikelyEnd:
        """How it ended."""
        return LikelyEnd(self.status, self.reason)

    def __next__(self) -> LikelySet:
        """Find one more."""
        if self.status != "running":
            raise StopIteration
        found = None
        stages = Stages(self.engine.clock)
        with stages, self.engine.effort.stage("cuts"):
            self.engine.clock.check()
            found = next(self._source, None)
        if found is not None and self.came == self._limit:
            self.status = "limit"
            self.reason = spelled(f"stopped after --limit {self._limit} sets")
            raise StopIteration
        if found is None:
            self.status, self.reason = stages.status, stages.reason
            raise StopIteration
        self.came += 1
        chances = self.events.chances
        with wide():
            chance = nearest(ONE * prod(chances[n] for n in sorted(found)))
        return LikelySet(found, self.cut(found), chance)

    def _search(self) -> Iterator[Set]:
        if self.events.has_modes:
            return self._search_modes()
        return self._search_singles()

    def _search_modes(self) -> Iterator[Set]:
        """Each event as a fault mode, whatever it allows."""
        engine, events = self.engine, self.events.events
        modes = [FaultMode(str(n), e.transitions) for n, e in enumerate(events)]
        units = units_of(engine.environment, modes)
        problem = replace(engine.problem, units=units)
        asked = Engine(problem, engine.backend, engine.clock, engine.closed_loop)
        asked.effort = engine.effort
        space = Few([asked])
        # A set weighs more than its parts, also where they are certain to happen.
        weight = [_weight(event.chance) * len(events) + 1 for event in events]
        found = space.unsafe_sets(singles=True)
        for members in found.by_weight(lambda name: weight[int(name)]):
            if space.keeps_assumptions(members):
                yield frozenset(int(str(name)) for name in members)

    def _search_singles(self) -> Iterator[Set]:
        engine, units = self.engine, self._units
        chance = {min(e.transitions): e.chance for e in self.events.events}
        sets = SafeSets(
            engine.environment,
            engine.constraints,
            engine.closed_loop,
            engine.clock,
            engine.effort,
            units.among,
        )
        steps = engine.clock, engine.effort
        for _, transitions in by_weight(sets, lambda t: _weight(chance[t]), *steps):
            if engine.keeps_constraints(engine.extended(transitions)):
                (events,) = units.sets(transitions)
                yield events

    def cut(self, one: Set) -> Cut:
        """Return a set as transitions, with its run."""
        return Cut(self._units.transitions(one), "hazardous", Wide(self.engine))
