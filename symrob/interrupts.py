"""Interrupts: stopping calls that do not check the clock, and handling signals.

In:  how to stop a long call into C, such as the `interrupt` method of a solver; when
     the time of a run is up.
Out: the call is stopped while it runs, and the run ends soon after.

Python runs signal handlers between two of its own instructions, so a solver that works
for minutes would delay Ctrl-C. This module stops such a call, provided that it releases
the interpreter lock: the call returns early, then the handler runs and raises
`KeyboardInterrupt`.

One thread serves the whole process, since starting a thread for each call takes longer
than most calls. It checks its calls from time to time, and at once when a signal comes:
Python writes the number of a signal into a pipe before anything else
(`signal.set_wakeup_fd`).
"""

from __future__ import annotations

import os
import select
import signal
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import lru_cache
from math import inf
from threading import Lock, Thread, current_thread, main_thread
from time import monotonic, process_time
from types import FrameType

from symrob.borders import why_given_up
from symrob.errors import LimitExceeded, SymrobError

# Seconds between two looks at whether the time is up.
PAUSE = 0.05

# What asks a run to stop; Windows has no SIGHUP.
SIGNALS = tuple(
    getattr(signal, name)
    for name in ("SIGINT", "SIGTERM", "SIGHUP")
    if hasattr(signal, name)
)
# Seconds from a signal, or from when the time of a run is up, until a block ends
# wherever it is; and until the run ends, whatever it still shows.
PATIENCE, LAST = 0.3, 0.75
# The same after a signal: what was found is shown, and a second signal ends that.
SHOWN = 5.0
# Seconds between two looks at a run whose time is up, or whose memory is bounded.
BEAT = 0.05


class OverError(BaseException):
    """The run must end now; no code between the raise and `graceful` may catch it.

    Attributes:
        error: The exception that the caller of the block receives.
    """

    def __init__(self, error: BaseException) -> None:
        super().__init__()
        self.error = error


class Endable:
    """A block of computation that may be ended at any point when the time is up.

    Raises:
        LimitExceeded: Memory was used up.
        BaseException: The error because of which an operation on BDDs gave up.

    Attributes:
        depth: Number of such blocks that are active, one within the other.
    """

    depth = 0

    def __enter__(self) -> None:
        Endable.depth += 1

    def __exit__(
        self, _kind: object, error: BaseException | None, _traceback: object
    ) -> None:
        Endable.depth -= 1
        reason = why_given_up(error)
        try:
            if reason is not None:
                raise reason from None
        finally:
            # An error that its own frames hold would be kept, with BDDs.
            del reason


class _Run:
    """What is known of the end of the run.

    Attributes:
        asked: Whether a signal has asked to stop, and nobody has seen it yet.
        signalled: Whether one came in the latest run.
        due: When a signal came, by the clock of the machine; `None` before.
        end: When the time of the run is up; `None` if it has no bound.
        watch: See `expect_end`.
        worked: Processor time when a signal came, or the time was up; `None` before.
    """

    asked = signalled = False
    due: float | None = None
    end: float | None = None
    watch: Callable[[bool], None] | None = None
    worked: float | None = None


def broken_by_signal(error: BaseException | None) -> bool:
    """Return whether a signal during an import or a call into C caused an error.

    An interrupt there leaves a module half imported, or surfaces as another exception.
    Expected errors, such as wrong input, return `False`.
    """
    expected = SymrobError, OSError
    unexpected = isinstance(error, Exception) and not isinstance(error, expected)
    return _Run.signalled and unexpected


def take_request() -> bool:
    """Return whether a signal asked to stop, and clear the request; see `graceful`."""
    asked, _Run.asked = _Run.asked, False
    return asked


def check_request() -> None:
    """Raise `KeyboardInterrupt` if a signal asked to stop; see `graceful`."""
    if take_request():
        raise KeyboardInterrupt


def expect_end(
    seconds: float | None, watch: Callable[[bool], None], *, always: bool = False
) -> None:
    """Ensure that a run within `graceful` ends when its time is up.

    An `Endable` block that does not check the clock is ended soon after the time is up.
    The run itself is ended after `LAST` further seconds of its own work, since the
    reader of its output may be slow.

    Args:
        seconds: Seconds from now until the time is up; `None` for no bound.
        watch: Called every `BEAT` after that, at any point of the computation, with
            whether the run has had time to end by itself; raises to end it.
        always: Call `watch` before the time is up, too.
    """
    if current_thread() is main_thread() and signal.getsignal(signal.SIGALRM) is _ring:
        _Run.watch = watch
        if _Run.due is None and (always or seconds is not None):
            _Run.end = None if seconds is None else monotonic() + seconds
            _Run.worked = None
            first = BEAT if always or seconds is None else seconds
            # More than a system counts is as good as a century.
            signal.setitimer(signal.ITIMER_REAL, min(max(first, 1e-6), 3e9), BEAT)


def seconds_left() -> float:
    """Return how many seconds a process that the run waits for may still take."""
    end = _Run.end if _Run.due is None else _Run.due
    return inf if end is None else max(end + PATIENCE - monotonic(), BEAT)


@contextmanager
def held() -> Iterator[None]:
    """Block signals for processes that the block starts, until they ignore them."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def ignore_signals() -> None:
    """Ignore signals in this process, including those blocked by `held`.

    The process that started this one handles them.
    """
    for number in SIGNALS:
        signal.signal(number, signal.SIG_IGN)
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)


@contextmanager
def graceful(numbers: Iterable[int] = SIGNALS) -> Iterator[None]:
    """Let signals and `expect_end` end the block without losing results.

    A signal takes effect at the next check of a `Clock`, which every search makes
    often. If none comes soon in an `Endable` block, or at a second signal,
    `KeyboardInterrupt` is raised wherever the code is. Ignored signals stay ignored. No
    effect outside of the main thread, or without an interval timer.

    Args:
        numbers: The signals.

    Raises:
        LimitExceeded: The time was up and the block did not end.
    """
    if current_thread() is not main_thread() or not hasattr(signal, "setitimer"):
        yield
        return
    _Run.signalled = False
    before = {n: h for n in numbers if (h := signal.getsignal(n)) != signal.SIG_IGN}
    for number in before:
        signal.signal(number, _ask)
    before[signal.SIGALRM] = signal.signal(signal.SIGALRM, _ring)
    try:
        yield
    except OverError as over:
        raise over.error from None
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        _Run.asked, _Run.due, _Run.end, _Run.watch = False, None, None, None
        for number, handler in before.items():
            signal.signal(number, handler)


def _ask(_number: int, _frame: FrameType | None) -> None:
    """A signal came."""
    twice, _Run.asked, _Run.signalled = _Run.asked, True, True
    if _Run.due is None:
        _Run.due, _Run.worked = monotonic(), process_time()
        signal.setitimer(signal.ITIMER_REAL, PATIENCE, BEAT)
    if twice:
        check_request()


# Where nothing may be raised: in `__del__` it is lost, and as a block begins or ends it
# misses the block that waits for it.
_UNSAFE = frozenset(("__del__", "__enter__", "__exit__"))


def _ring(_number: int, frame: FrameType | None) -> None:
    """A beat: the time is up, or a signal came, and the run goes on; or nothing yet."""
    if frame is not None and frame.f_code.co_name in _UNSAFE:
        return  # There will be another beat.
    late = _late()
    if _Run.due is None and late > LAST:
        raise OverError(_unshown())
    if _Run.due is not None and (late > 2 * SHOWN or _worked() > SHOWN):
        raise OverError(KeyboardInterrupt())
    if late > PATIENCE and Endable.depth:
        # What is shown goes on, so that it is whole.
        check_request()
    if _Run.watch is not None:
        _Run.watch(late > PATIENCE)


def _late() -> float:
    """Seconds since a signal, or of work since the time is up; else 0."""
    if _Run.due is not None:
        return monotonic() - _Run.due
    if _Run.end is None or monotonic() < _Run.end:
        return 0.0
    return _worked()


def _worked() -> float:
    """Processor time since a signal came, or since somebody asked first."""
    if _Run.worked is None:
        _Run.worked = process_time()
    return process_time() - _Run.worked


def _unshown() -> LimitExceeded:
    message = "stopped before all results were shown; raise --timeout to continue"
    return LimitExceeded(message, reason="timeout")


@contextmanager
def breakable(stop: Callable[[], None], seconds: float | None = None) -> Iterator[None]:
    """Stop the call in the block when the run must end.

    Args:
        stop: Makes the call return soon; called from another thread, possibly more than
            once, and never after the block.
        seconds: Seconds from now until the call is stopped; `None` for no bound.

    A signal stops the call only in the main thread, where Python handles signals.
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
