"""Deviations with too many transitions to list: shown by what they leave out.

In:  a `SafetyEnvelope`.
Out: `WideDelta`.
"""

from __future__ import annotations

from collections.abc import Iterator

from symrob.analyses.deadlocks import LISTED
from symrob.api.result import SafetyEnvelope
from symrob.envelope.large_environments import InBlocks, WideSets, size_of
from symrob.errors import stopped_after
from symrob.limits import Clock, Stages, Status


def is_wide(envelope: SafetyEnvelope) -> bool:
    """Whether too many candidates are individually tolerated to list them.

    Raises:
        LimitExceeded: A bound was hit while screening.
    """
    if envelope.algorithm != "maximal" or envelope.modes:
        return False
    engine = envelope.engine
    if engine.environment.views is not None:
        # States that a condition tells apart cannot change places.
        return False
    return len(engine.candidates) > LISTED and len(engine.safe_sets.alone) > LISTED


class WideDelta:
    """Maximal deviations, each by what it leaves out, yielded as they are found.

    Args:
        envelope: The envelope.
        limit: Stop after this many; `None` for as many as are found.

    Attributes:
        envelope: As given.
        sets: The search that finds them.
        sizes: Number of transitions of each deviation found, including R_E.
        status: Why the iteration ended.
        reason: The same as text.
    """

    def __init__(self, envelope: SafetyEnvelope, limit: int | None) -> None:
        self.envelope = envelope
        engine = self._engine = envelope.engine
        self._limit = limit
        self._most = len(engine.safe_sets.alone)
        self._most += len(envelope.environment.visible_transitions)
        self.sets = WideSets(engine.safe_sets, engine.clock)
        self.sizes: list[int] = []
        self.status: Status = "complete"
        self.reason = ""

    as_asked = False

    @property
    def seconds(self) -> float:
        """Time from the start of the analysis until now."""
        return self.clock.elapsed

    @property
    def clock(self) -> Clock:
        """The clock of the run."""
        return self._engine.clock

    def __iter__(self) -> Iterator[InBlocks]:
        """Yield each deviation as soon as it is found; call it only once."""
        source, stages = self.sets.deviations(), Stages(self._engine.clock)
        while self._limit is None or len(self.sizes) < self._limit:
            left_out = None
            with stages, self._engine.effort.stage("enumerate"):
                left_out = next(source, None)
            if left_out is None:
                self.status, self.reason = stages.status, stages.reason
                return
            self.sizes.append(self._most - size_of(left_out))
            yield left_out
        if not self._engine.safe_sets.unbroken:
            self.status = "limit"
            self.reason = stopped_after(self._limit, "deviation")
