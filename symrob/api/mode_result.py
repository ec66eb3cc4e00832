"""Δ over fault modes of an environment in independent parts, as it is being computed.

In:  a problem in fault modes whose E is not multiplied out.
Out: a `PartsEnvelope`: iterate over it for the maximal tolerated sets of modes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from symrob.analyses.cuts import Cuts
from symrob.analyses.in_modes import InModes
from symrob.analyses.mode_cuts import cuts_of
from symrob.errors import Diagnostic, require_count
from symrob.limits import Clock, Stages, Status
from symrob.problem import FaultMode

Progress = Callable[[int, float], None]


class ModeSet(NamedTuple):
    """A maximal tolerated set of fault modes, where E is not multiplied out.

    Attributes:
        modes: Their names, sorted.
    """

    modes: tuple[str, ...]


class PartsEnvelope:
    """Δ of an environment in independent parts, over fault modes.

    Iterating yields each maximal set as soon as it is found. It ends early, without an
    exception, when a bound is hit or the user interrupts; `status` tells.

    Args:
        asked: The problem, its preconditions checked.
        limit: Stop after this many sets; `None` for all.
        on_progress: Called with the number found and the seconds elapsed after each.

    Attributes:
        asked: As given.
        status: As of `SafetyEnvelope`.
        reason: Why it is not complete.
    """

    def __init__(
        self, asked: InModes, limit: int | None, on_progress: Progress | None
    ) -> None:
        self.asked = asked
        self.status: Status = "running"
        self.reason = ""
        self._limit = limit
        self._on_progress = on_progress
        self._found: list[ModeSet] = []
        self._source = asked.maximal()

    @property
    def modes(self) -> dict[str, FaultMode]:
        """The modes by name."""
        return {mode.name: mode for mode in self.asked.units.modes}

    @property
    def warnings(self) -> tuple[Diagnostic, ...]:
        """What may be a mistake in the models, or in the modes."""
        return self.asked.warnings

    @property
    def clock(self) -> Clock:
        """Of the run."""
        return self.asked.clock

    @property
    def seconds(self) -> float:
        """Time from the start of the analysis."""
        return self.asked.clock.elapsed

    @property
    def as_asked(self) -> bool:
        """Whether only the largest were asked for, and are there: never."""
        return False

    def cuts(
        self,
        order: int | None = None,
        *,
        limit: int | None = None,
        outside: bool = False,
    ) -> Cuts:
        """Return the minimal hazardous sets; as of `SafetyEnvelope.cuts`."""
        require_count("order", order, 1)
        require_count("limit", limit, 1)
        return cuts_of(self.asked, order=order, limit=limit, outside=outside)

    def __iter__(self) -> Iterator[ModeSet]:
        """Yield what is known, then what is still to be found."""
        index = 0
        while index < len(self._found) or self._advance():
            yield self._found[index]
            index += 1

    def __len__(self) -> int:
        """Return the number of sets; computes them all."""
        return sum(1 for _ in self)

    def _advance(self) -> bool:
        if self.status != "running":
            return False
        stages = Stages(self.asked.clock)
        found = None
        with stages:
            found = next(self._source, None)
        if found is None:
            self.status, self.reason = stages.status, stages.reason
            return False
        if self._limit is not None and len(self._found) >= self._limit:
            self.status = "limit"
            self.reason = f"stopped after --limit {self._limit} deviations"
            return False
        self._found.append(ModeSet(self.asked.units.names(found)))
        if self._on_progress is not None:
            self._on_progress(len(self._found), self.seconds)
        return True
