"""The most probable hazardous sets first, without listing the others.

In:  an engine whose nominal system is safe, and events that are single transitions.
Out: `LikelySets`: iterate over it for sets of events with their probability.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from math import prod
from typing import ClassVar

from symrob.analyses.cut import Cut
from symrob.analyses.likely import by_weight
from symrob.analyses.space import About
from symrob.analyses.wide import Wide
from symrob.envelope.engine import Engine
from symrob.envelope.safe_sets import SafeSets
from symrob.errors import Diagnostic, SymrobError
from symrob.limits import Stages, Status
from symrob.risk.decision import Set
from symrob.risk.events import Events
from symrob.risk.figures import ONE, nearest, wide
from symrob.risk.search import Units

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


class LikelySets(Iterator[LikelySet]):
    """The minimal hazardous sets with their probability, the most probable first.

    Args:
        engine: The problem, its preconditions checked.
        events: What may be possible.
        limit: Stop after so many.

    Attributes:
        status: `running` until the last one is out, then `complete` or what stopped it.
        reason: Why something is missing, for a person.
        came: How many there were so far.

    Raises:
        SymrobError: One of the events is a fault mode.
    """

    schema: ClassVar = "likely/2"
    parts: ClassVar = "sets"

    def __init__(
        self, engine: Engine, events: Events, limit: int | None = None
    ) -> None:
        if events.has_modes:
            message = "sets by probability are of single transitions, not of modes"
            hint = (
                "`symrob risk --all` lists the sets of modes, the most probable first"
            )
            raise SymrobError(Diagnostic("risk-modes", message, hint=hint))
        self.engine, self.events = engine, events
        self.status: Status = "running"
        self.reason = ""
        self.came = 0
        self._limit = limit
        self._units = Units(engine, events)
        self._source = self._search()

    @property
    def about(self) -> About:
        """What the candidates are of."""
        return Wide(self.engine).about

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
            self.reason = f"stopped after --limit {self._limit} sets"
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
        found = by_weight(
            sets,
            lambda t: round(-chance[t].ln() * _UNIT),
            *(engine.clock, engine.effort),
        )
        for _, transitions in found:
            if engine.keeps_constraints(engine.extended(transitions)):
                (events,) = units.sets(transitions)
                yield events

    def cut(self, one: Set) -> Cut:
        """Return a set as transitions, with its run."""
        return Cut(self._units.transitions(one), "hazardous", Wide(self.engine))
