"""Stopping: what does not look at the clock by itself, and what signals ask for.

In:  what a long call into C is stopped by, such as the `interrupt` method of a
     solver.
Out: that it is called while the code still runs.

Python runs the handlers of signals between two of its own instructions, so a
solver that works for minutes would keep Ctrl-C waiting. A call that gives other
threads their turn is stopped here and returns early; then the handler runs,
and raises `KeyboardInterrupt`.

There is one thread for the whole process, since a thread for each call takes
longer than most calls. It looks at its calls now and then, and at once when a
signal comes: Python writes the number of a signal into a pipe before anything
else (`signal.set_wakeup_fd`).
"""

from __future__ import annotations

import os
import select
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import lru_cache
from threading import Lock, Thread, current_thread, main_thread
from time import monotonic
from types import FrameType

# Seconds between two looks at whether the time is up.
PAUSE = 0.05


# Seconds from a signal until a block ends wherever it is.
PATIENCE = 0.5


class _Request:
    """Whether a signal has asked to stop, and nobody has seen it yet."""

    asked = False


def check_request() -> None:
    """Raise `KeyboardInterrupt` if a signal has asked to stop; see `graceful`."""
    if _Request.asked:
        _Request.asked = False
        signal.setitimer(signal.ITIMER_REAL, 0)
        raise KeyboardInterrupt


@contextmanager
def graceful() -> Iterator[None]:
    """Let SIGINT and SIGTERM end the block where nothing that was found is lost.

    That is at the next check of a `Clock`, which every search makes often. Where
    none comes soon, and at a second signal, `KeyboardInterrupt` is raised wherever
    the block is. Without effect outside of the main thread, and where there is no
    interval timer.
    """
    if current_thread() is not main_thread() or not hasattr(signal, "setitimer"):
        yield
        return

    def ask(number: int, frame: FrameType | None) -> None:
        if _Request.asked:
            end(number, frame)
        _Request.asked = True
        signal.signal(signal.SIGALRM, end)
        signal.setitimer(signal.ITIMER_REAL, PATIENCE)

    def end(_number: int, _frame: FrameType | None) -> None:
        _Request.asked = True
        check_request()

    numbers = (signal.SIGINT, signal.SIGTERM)
    before = [signal.signal(number, ask) for number in numbers]
    alarm = signal.getsignal(signal.SIGALRM)
    try:
        yield
    finally:
        _Request.asked = False
        signal.setitimer(signal.ITIMER_REAL, 0)
        for number, handler in zip(numbers, before, strict=True):
            signal.signal(number, handler)
        signal.signal(signal.SIGALRM, alarm)


@contextmanager
def breakable(stop: Callable[[], None], seconds: float | None = None) -> Iterator[None]:
    """Have the call in the block stopped when it must not go on.

    Args:
        stop: Makes the call return soon; called from another thread, perhaps
            more than once, and never after the block.
        seconds: From now on, until the call is stopped; `None` for any time.

    A signal stops the call only in the main thread, where Python handles it.
    """
    with _watch().watching(stop, seconds):
        yield


class _Watch:
    """The thread and the calls that it watches."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._calls: dict[object, tuple[Callable[[], None], float | None]] = {}
        self._signals, self._wakeup = os.pipe()
        for end in (self._signals, self._wakeup):
            os.set_blocking(end, False)
        Thread(target=self._run, name="symrob-watch", daemon=True).start()

    @contextmanager
    def watching(
        self, stop: Callable[[], None], seconds: float | None
    ) -> Iterator[None]:
        call = object()
        end = None if seconds is None else monotonic() + seconds
        of_signals = current_thread() is main_thread()
        before = -1
        with self._lock:
            if of_signals:
                self._drain()
                before = signal.set_wakeup_fd(self._wakeup, warn_on_full_buffer=False)
            self._calls[call] = (stop, end)
        try:
            yield
        finally:
            with self._lock:
                del self._calls[call]
            if of_signals:
                signal.set_wakeup_fd(before)

    def _run(self) -> None:
        while True:
            signalled = bool(select.select([self._signals], [], [], PAUSE)[0])
            with self._lock:
                now = monotonic()
                for stop, end in self._calls.values():
                    if signalled or (end is not None and now > end):
                        stop()
                self._drain()

    def _drain(self) -> None:
        """Forget the signals that came so far."""
        with suppress(BlockingIOError):
            os.read(self._signals, 1 << 10)


@lru_cache
def _watch() -> _Watch:
    return _Watch()


if hasattr(os, "register_at_fork"):
    # A forked process has no thread but the one that forked.
    os.register_at_fork(after_in_child=_watch.cache_clear)
