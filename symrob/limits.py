"""Bounds on a run, and the clock that watches them.

In:  what the user allows: seconds, memory, BDD nodes, states, whom to tell.
Out: `LimitExceeded` at the next check after a bound is passed.

Long loops call `Clock.check` once a round, so that a bound is noticed within
one image or one solver call.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from math import inf
from time import monotonic

from symrob.errors import LimitExceeded
from symrob.interrupts import check_request
from symrob.memory import MEBIBYTE, memory_exceeded, resident
from symrob.record import Record

# Seconds between two looks at how much memory is in use.
_PAUSE = 0.02


class Limits(Record):
    """What one run may use; `None` is no bound.

    Attributes:
        seconds: Wall time.
        nodes: Live BDD nodes.
        states: States of any product or subset construction that has to be
            built explicitly.
        memory: Memory of the process, in MiB.
    """

    seconds: float | None = None
    nodes: int | None = None
    states: int = 1_000_000
    memory: int | None = None


NO_LIMITS = Limits()


class Clock:
    """Watches the time and the memory of one run; it starts when it is created.

    Args:
        limits: The bounds of the run.
        on_tick: Called at every check, for a progress display.
        spent: Seconds of the run that are over, such as those of reading.
    """

    def __init__(
        self,
        limits: Limits = NO_LIMITS,
        on_tick: Callable[[], None] | None = None,
        *,
        spent: float = 0.0,
    ) -> None:
        self.limits = limits
        self.started = monotonic()
        end = None if limits.seconds is None else self.started + limits.seconds - spent
        self._end = end
        self._on_tick = on_tick
        self._next_look = self.started
        self._suspended = False

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
        """Let the block finish whatever it takes, to present what was found."""
        before = self._end, self._next_look, self._suspended
        self._end, self._next_look, self._suspended = None, inf, True
        try:
            yield
        finally:
            self._end, self._next_look, self._suspended = before

    def stop(self) -> None:
        """Let every check from now on fail: what was found is only presented."""
        self._end = self.started

    def check(self) -> None:
        """Raise if the run must not go on.

        Raises:
            LimitExceeded: The time is up, or the memory is used up.
            KeyboardInterrupt: A signal has asked to stop.
        """
        if not self._suspended:
            check_request()
        if self._end is not None and monotonic() > self._end:
            seconds = self.limits.seconds
            message = "stopped"
            if seconds is not None:
                message = f"stopped after {seconds:g} s; raise --timeout to go on"
            raise LimitExceeded(message, reason="timeout")
        if self.limits.memory is not None and monotonic() > self._next_look:
            self._next_look = monotonic() + _PAUSE
            if resident() > self.limits.memory * MEBIBYTE:
                raise memory_exceeded()
        if self._on_tick is not None:
            self._on_tick()
