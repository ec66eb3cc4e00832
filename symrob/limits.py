"""Bounds on a run, and the clock that watches them.

In:  what the user allows: seconds, BDD nodes, states, whom to tell.
Out: `LimitExceeded` at the next check after a bound is passed.

Long loops call `Clock.check` once a round, so that a bound is noticed within
one image or one solver call.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from time import monotonic

from symrob.errors import LimitExceeded


@dataclass(frozen=True)
class Limits:
    """What one run may use; `None` is no bound.

    Attributes:
        seconds: Wall time.
        nodes: Live BDD nodes.
        states: States of any product or subset construction that has to be
            built explicitly.
    """

    seconds: float | None = None
    nodes: int | None = None
    states: int = 1_000_000


NO_LIMITS = Limits()


class Clock:
    """Watches the wall time of one run; it starts when it is created.

    Args:
        limits: The bounds of the run.
        on_tick: Called at every check, for a progress display.
    """

    def __init__(
        self, limits: Limits = NO_LIMITS, on_tick: Callable[[], None] | None = None
    ) -> None:
        self.limits = limits
        self.started = monotonic()
        self._end = None if limits.seconds is None else self.started + limits.seconds
        self._on_tick = on_tick

    @property
    def elapsed(self) -> float:
        """Seconds since the clock was created."""
        return monotonic() - self.started

    @property
    def remaining(self) -> float | None:
        """Seconds until the time is up; `None` if there is no bound."""
        return None if self._end is None else self._end - monotonic()

    @contextmanager
    def suspended(self) -> Iterator[None]:
        """Let the block finish whatever the time, to present what was found."""
        end, self._end = self._end, None
        try:
            yield
        finally:
            self._end = end

    def check(self) -> None:
        """Raise `LimitExceeded` (reason `timeout`) if the time is up."""
        if self._end is not None and monotonic() > self._end:
            raise LimitExceeded(
                f"stopped after {self.limits.seconds:g} s; raise --timeout to go on",
                reason="timeout",
            )
        if self._on_tick is not None:
            self._on_tick()
