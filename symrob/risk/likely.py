"""The most probable hazardous sets first, without listing the others.

In:  a space whose nominal system is safe, and events that are units of it.
Out: `LikelySets`: iterate over it for sets of events with their probability.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from decimal import Decimal
from math import prod
from typing import ClassVar, cast

from symrob.analyses.cut import Cut
from symrob.analyses.fault_mode_space import UnsafeModes
from symrob.analyses.likely import by_weight
from symrob.analyses.space import About, Space
from symrob.errors import stopped_after
from symrob.limits import Clock, Stages, Status
from symrob.problem import UnitSet
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
        cut: The set as units, with its trace.
        probability: The probability that all of it is possible.
    """

    also: ClassVar = {
        "transitions": "cut.transitions",
        "modes": "cut.modes",
        "classes": "cut.classes",
    }

    events: Set = field(metadata={"json": False})
    cut: Cut = field(metadata={"json": False})
    probability: float


@dataclass(frozen=True)
class LikelyEnd:
    """How a search for the most probable sets ended.

    Attributes:
        status: `complete`, or what stopped it.
        reason: Why it stopped, as text.
    """

    status: Status
    reason: str


def _weight(chance: Decimal) -> int:
    """The logarithm of 1 / p."""
    return round(-chance.ln() * _UNIT)


class LikelySets(Shown, Iterator[LikelySet]):
    """The minimal hazardous sets with their probability, the most probable first.

    Args:
        space: The problem; each event is a unit of it; if units are transitions, all
            units are events.
        events: The events.
        limit: Stop after this many.

    Attributes:
        status: `running` until the last set, then `complete` or what stopped it.
        reason: Why something is missing, as text.
        came: Number of sets so far.
    """

    schema: ClassVar = "likely/2"
    parts: ClassVar = "sets"

    def __init__(self, space: Space, events: Events, limit: int | None = None) -> None:
        self.space, self.events = space, events
        self.status: Status = "running"
        self.reason = ""
        self.came = 0
        self._limit = limit
        self._units = EventUnits(space, events)
        self._source = self._search()

    @property
    def clock(self) -> Clock:
        """The clock of the run."""
        return self.space.clock

    @property
    def about(self) -> About:
        """What the events belong to, for output."""
        return self.space.about

    def again(self) -> LikelySets:
        """Return the same search from its beginning."""
        return LikelySets(self.space, self.events, self._limit)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.status}, {self.came:,} sets found)"

    @property
    def end(self) -> LikelyEnd:
        """How the search ended."""
        return LikelyEnd(self.status, self.reason)

    def __next__(self) -> LikelySet:
        """Find the next set."""
        if self.status != "running":
            raise StopIteration
        found = None
        stages = Stages(self.space.clock)
        with stages, self.space.effort.stage("cuts"):
            self.space.clock.check()
            found = next(self._source, None)
        if found is not None and self.came == self._limit:
            self.status = "limit"
            self.reason = stopped_after(self._limit, "set")
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
        space, units = self.space, self._units
        for members in self._lightest_first():
            if space.keeps_assumptions(members):
                yield units.sets(members)

    def _lightest_first(self) -> Iterator[UnitSet]:
        space, members = self.space, self._units.of(self.space)
        found = space.unsafe_sets(members, singles=True)
        events = [*zip(self._units.all, self.events.events, strict=True)]
        if isinstance(found, UnsafeModes):
            # A set weighs more than its parts, also where they are certain to happen.
            many = len(events)
            weight = {str(u): _weight(e.chance) * many + 1 for u, e in events}
            yield from found.by_weight(weight.__getitem__)
            return
        chance = {unit: event.chance for unit, event in events}
        sets = space.required_whole("the order by probability").safe_sets
        steps = space.clock, space.effort
        for _, transitions in by_weight(sets, lambda t: _weight(chance[t]), *steps):
            yield cast("UnitSet", transitions)

    def cut(self, one: Set) -> Cut:
        """Return a set with its trace."""
        return Cut(self._units.units(one), "hazardous", self.space)
