"""Bounds on a run, and the clock that watches them.

In:  the user's bounds: seconds, memory, BDD nodes, states; a callback for progress.
Out: `LimitExceeded` at the next check after a bound is passed; and how a run ended.

Long loops call `Clock.check` once a round, so that a bound is noticed within
one image or one solver call.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from math import inf
from time import monotonic, process_time
from typing import Literal, NoReturn, Protocol, TypeVar

from symrob.borders import why_given_up
from symrob.doing import Doing, counted
from symrob.errors import LimitExceeded
from symrob.interrupts import (
    PATIENCE,
    SHOWN,
    Endable,
    OverError,
    broken_by_signal,
    check_request,
    expect_end,
    take_request,
)
from symrob.memory import MEBIBYTE, bounded, memory_exceeded, resident

Thing = TypeVar("Thing")

# Seconds between two looks at how much memory is in use.
_PAUSE = 0.02


# What is presented may use this many times the bound on memory.
_PRESENTED = 1.15
# Seconds after the end of the time in which what was found is still evaluated.
GRACE = 0.35

# Ten times what any model shipped here has, and a few hundred MiB of memory.
MAX_STATES = 1_000_000
MAX_TRANSITIONS = 2_000_000
MAX_EXPANSION = 100_000
# Brackets cost a few frames of Python each; its stack holds a thousand.
MAX_NESTING = 100
# Choices of a matrix.
MAX_CASES = 10_000
# MiB that are read of one file unless the user says otherwise.
MAX_FILE = 256


@dataclass(frozen=True)
class Limits:
    """Bounds of one run, including reading its models; `None` is no bound.

    Each has a command-line option, which messages name.

    Attributes:
        seconds: Wall time. Option `--timeout`.
        memory: Memory of the process, in MiB. Option `--memory`.
        nodes: Live BDD nodes. Option `--bound max-nodes`.
        max_states: States of one process, and of any product or subset
            construction that has to be built explicitly. Option `--bound max-states`.
        max_transitions: Transitions of one process. Option `--bound max-transitions`.
        max_expansion: Names that one label, set or range of a text may stand for,
            and components of one composite. Option `--bound max-expansion`.
        max_nesting: Depth of brackets, of `then if` and of composites that
            refer to composites. Option `--bound max-nesting`.
        budgets: Seconds for parts of an answer, by names of `BUDGETS`, if a case sets
            them in its table `[budgets]`.
    """

    seconds: float | None = None
    memory: int | None = None
    nodes: int | None = None
    max_states: int = MAX_STATES
    max_transitions: int = MAX_TRANSITIONS
    max_expansion: int = MAX_EXPANSION
    max_nesting: int = MAX_NESTING
    budgets: tuple[tuple[str, float], ...] = ()


DEFAULT_LIMITS = Limits()

# Seconds that parts of an answer may take, so that none holds up the others; the table
# `[budgets]` of a case gives them other times.
BUDGETS: Mapping[str, float] = {
    "assumptions": 1.0,  # `summary`: which assumptions matter
    "at-once": 1.0,  # `compute`: contested or always tolerated, before Δ
    "counting": 10.0,  # `compute`, `cuts` in text: what is counted and not listed
    "danger": 2.0,  # `cuts --resilience`: the most dangerous of the smallest sets
    "largest": 1.0,  # `draw`: the largest deviation
    "observe": 5.0,  # `repair`: what C would have to observe
    "page": 5.0,  # `explore`: the verdicts, Δ, and the minimal sets; each
    "part": 5.0,  # `explain`, `gate`: a hazardous part of what breaks an assumption
    "progress": 2.0,  # goals that are lost: `compute`, `summary`, `explain`, `compare`
    "repair-check": 20.0,  # `repair`: C' checked state by state
    "singles": 5.0,  # `risk`: hazardous candidates without a probability
    "soon": 1.0,  # `compute`: verdicts beyond the assumptions, before Δ
    "steps": 5.0,  # `cuts`, `summary`: how many deviated steps a violation needs
    "story": 5.0,  # `summary`: each question; `explore` gives it 1 s
    "table": 30.0,  # `candidates`: verdicts beyond the assumptions
    "unassumed": 5.0,  # `compare`, `gate`: the verdict without the assumptions
}


@dataclass
class BudgetStep:
    """A part of an answer with its own time budget.

    Attributes:
        seconds: The budget.
        exhausted: Whether the budget was too small.
    """

    seconds: float
    exhausted: bool = False


def check_size(size: int, limit: int | None, what: str) -> None:
    """Raise if something that is built explicitly has too many states.

    Args:
        size: Number of its states so far.
        limit: The bound; `None` for `MAX_STATES`.
        what: What is being built, for the message.

    Raises:
        LimitExceeded: The bound is exceeded.
    """
    bound = MAX_STATES if limit is None else limit
    if Doing.things == "states":
        counted(size, "states")
    if size > bound:
        raise LimitExceeded(
            f"the {what} has more than {bound} states; "
            "--bound max-states raises this limit"
        )


class Clock:
    """Watches the time and the memory of one run; it starts when it is created.

    Args:
        limits: The bounds of the run.
        spent: Seconds of the run that have passed already, such as those of reading;
            not needed within `begun`.

    Attributes:
        limits: The bounds.
        interrupted: Whether the user has stopped the run.
        stopped_by: The bound that ended a stage: `timeout`, `memory`, or `limit` for
            any other; empty if none did.
    """

    def __init__(
        self,
        limits: Limits = DEFAULT_LIMITS,
        *,
        spent: float = 0.0,
    ) -> None:
        self.limits = limits
        self.started = monotonic()
        begun = _begun.get()
        self._end: float | None = None
        if limits.seconds is not None:
            first = self.started - spent if begun is None else begun
            self._end = first + limits.seconds
        self._on_tick: Callable[[], None] | None = None
        self._next_look = self.started
        self._suspended = self._hurried = False
        self._quiet = 0.0
        self.interrupted = False
        self.stopped_by = ""
        if begun is not None:
            bounded = limits.memory is not None
            expect_end(self.remaining, self._watch, always=bounded)

    @property
    def elapsed(self) -> float:
        """Seconds since the clock was created."""
        return monotonic() - self.started

    @property
    def remaining(self) -> float | None:
        """Seconds until the time is up; `None` if there is no bound."""
        return None if self._end is None else self._end - monotonic()

    @property
    def is_over(self) -> bool:
        """Whether the time of the run is up."""
        return self._end is not None and monotonic() >= self._end

    @contextmanager
    def suspended(self, grace: float = inf) -> Iterator[None]:
        """Within the block, disable the bounds so that results can be presented.

        Args:
            grace: Seconds that the block may take after the time is up; by default
                there is no bound.

        Raises:
            LimitExceeded: An interrupt has ended a block with a bound.
        """
        before = self._end, self._next_look, self._suspended, self._hurried
        interrupted = self.interrupted
        end = None if self._end is None or grace == inf else self._end + grace
        self._end, self._next_look, self._suspended = end, inf, True
        self._hurried = grace < inf
        try:
            yield
        except KeyboardInterrupt:
            # It has not come to a check of the clock for a while.
            if grace == inf:
                raise
            self.interrupt()
            raise self._time_is_up() from None
        finally:
            stopped = self.interrupted and not interrupted
            last, self._next_look, self._suspended, self._hurried = before
            self._end = self._end if stopped else last

    def _watch(self, late: bool) -> None:
        """End what goes on, in its midst; what is presented may take a little more."""
        bound = self.limits.memory
        used = 0 if bound is None else resident() / MEBIBYTE
        computes = Endable.depth and not self._suspended
        if computes and process_time() >= self._quiet:
            # Once: what is freed on the way out can take longer than a beat.
            self._quiet = process_time() + PATIENCE
            if bound is not None and used > bound:
                _raise_up(memory_exceeded())
            if late and self.is_over:
                _raise_up(self._time_is_up())
            self._quiet = 0.0
        if bound is not None and used > _PRESENTED * bound:
            raise OverError(memory_exceeded())

    def _time_is_up(self) -> LimitExceeded:
        if self.interrupted:
            return LimitExceeded("interrupted", reason="interrupted")
        seconds = self.limits.seconds
        message = "stopped"
        if seconds is not None:
            message = f"stopped after {seconds:g} s; raise --timeout to continue"
        return LimitExceeded(message, reason="timeout")

    @contextmanager
    def at_most(self, seconds: float) -> Iterator[None]:
        """Within the block, let the time be up in this many seconds or sooner.

        If this bound is hit, the rest of the answer may still be complete, so
        `stopped_by` keeps its former value.
        """
        before, end = self._end, monotonic() + seconds
        stopped_by = self.stopped_by
        self._end = end if before is None else min(end, before)
        try:
            with Endable():
                yield
        finally:
            if not self.interrupted:
                self._end = before
            self.stopped_by = stopped_by

    def budget(self, name: str) -> float:
        """Return the seconds of a budget."""
        return dict(self.limits.budgets).get(name, BUDGETS[name])

    def step(self, name: str, most: float = inf) -> AbstractContextManager[BudgetStep]:
        """Give a block the time of a budget; see `allow`.

        Args:
            name: Name of the budget, in `BUDGETS`.
            most: Upper bound in seconds, whatever the budget is.
        """
        return self.allow(min(self.budget(name), most))

    @contextmanager
    def allow(self, seconds: float) -> Iterator[BudgetStep]:
        """Give the block this many seconds; if they run out, only the block ends.

        Raises:
            LimitExceeded: Another bound was hit, or the run's own time is up.
        """
        step = BudgetStep(seconds)
        try:
            with self.at_most(seconds):
                yield step
        except LimitExceeded as error:
            if error.reason != "timeout":
                raise
            step.exhausted = True
        if step.exhausted:
            self.check()

    def interrupt(self) -> None:
        """Record that the user stopped the run: every later check fails.

        After that, the results are only presented, and that must be quick.
        """
        self.interrupted = True
        self._end = monotonic()
        # Nothing may end what is presented in its midst; it would be lost.
        self._quiet = process_time() + SHOWN / 2

    def watch_elsewhere(self, on_tick: Callable[[], None]) -> None:
        """Leave the memory bound to the parent process of this fork.

        Args:
            on_tick: Called at every check from now on.
        """
        self.limits = replace(self.limits, memory=None)
        self._on_tick = on_tick

    def check(self) -> None:
        """Raise if the run must not go on.

        Raises:
            LimitExceeded: The time is up, or the memory is used up.
            KeyboardInterrupt: A signal has asked to stop.
        """
        if not self._suspended:
            check_request()
        elif self._hurried and take_request():
            # What evaluates for a moment gives what it has.
            self.interrupt()
        if self.is_over:
            raise self._time_is_up()
        if self.limits.memory is not None and monotonic() > self._next_look:
            self._next_look = monotonic() + _PAUSE
            if resident() > self.limits.memory * MEBIBYTE:
                raise memory_exceeded()
        if self._on_tick is not None:
            self._on_tick()


_running: ContextVar[Clock | None] = ContextVar("_running", default=None)
_begun: ContextVar[float | None] = ContextVar("_begun", default=None)


@contextmanager
def begun(moment: float | None = None) -> Iterator[None]:
    """Make all clocks in the block count from one moment.

    An outer block's moment takes precedence.

    Args:
        moment: By `time.monotonic`; `None` for now.
    """
    first = _begun.get()
    token = _begun.set((moment or monotonic()) if first is None else first)
    try:
        yield
    finally:
        _begun.reset(token)


@contextmanager
def running(clock: Clock) -> Iterator[None]:
    """Within the block, let `watched` and `tick` check this clock.

    For code that is not given a clock: readers, products, output. If the block is
    ended, what it has built must not be used.

    Raises:
        LimitExceeded: A bound of the clock was hit.
    """
    token = _running.set(clock)
    try:
        with bounded(clock.limits.memory), Endable():
            yield
    except _Ended as ended:
        raise ended.error from None
    finally:
        _running.reset(token)


class _Ended(OverError):
    """A bound was hit: becomes a `LimitExceeded` where `running` ends.

    Readers collect the problems of their files, which are `SymrobError`s. This is none
    of them.
    """


def tick() -> None:
    """Check the clock of `running`, if there is one.

    Raises:
        KeyboardInterrupt: A signal has asked to stop.
    """
    clock = _running.get()
    if clock is not None:
        try:
            clock.check()
        except LimitExceeded as error:
            _raise_up(error)


def _raise_up(error: LimitExceeded) -> NoReturn:
    """Raise an error so that it arrives where it is waited for."""
    if _running.get() is None:
        raise error
    raise _Ended(error) from None


def watched(things: Iterable[Thing], every: int = 1024) -> Iterator[Thing]:
    """Yield the items, and `tick` before the first and at regular intervals."""
    for count, thing in enumerate(things):
        if count % every == 0:
            tick()
        yield thing


Status = Literal["running", "complete", "limit", "timeout", "interrupted"]


class Outcome(Protocol):
    """The fields that every answer has.

    Attributes:
        status: `complete`, or what stopped the run; `running` while it goes on.
        reason: Why something is missing, as text; empty if nothing is.
    """

    @property
    def status(self) -> Status:
        """How the run ended."""

    @property
    def reason(self) -> str:
        """Why something is missing."""


Part = TypeVar("Part", bound=Outcome)


def ending(parts: Sequence[Part]) -> Part:
    """Return the part that tells how a run ended.

    That is an interrupted one, since the user ended the run; or else the first one that
    is incomplete; the first one if all are complete.
    """
    place = {"interrupted": 0, "complete": 2}
    return min(parts, key=lambda part: place.get(part.status, 1))


def counted_out(status: Status, clock: Clock) -> bool:
    """Whether a search ended because of the text budget `counting` alone.

    Args:
        status: Status of the search.
        clock: Clock of the run.
    """
    return status == "timeout" and not clock.is_over


def ending_of(answer: Outcome, clock: Clock) -> tuple[Status, str]:
    """Return how an answer ended, and why; a used-up counting budget is no bound."""
    if counted_out(answer.status, clock):
        return "complete", ""
    return answer.status, answer.reason


class Stages:
    """Runs the stages of an analysis, and records what stops one.

    Each stage is a `with` block. A bound that is hit, or an interrupt, ends only its
    own block, so that earlier results are kept and can be presented.

    Args:
        clock: Clock of the run; an interrupt is recorded there.

    Attributes:
        status: `complete` until a stage is stopped.
        reason: Why the last stopped stage was stopped.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._block = Endable()
        self._bounds: list[AbstractContextManager[None]] = []
        self.status: Status = "complete"
        self.reason = ""

    def __enter__(self) -> Stages:
        self._bounds.append(bounded(self._clock.limits.memory))
        self._bounds[-1].__enter__()
        self._block.__enter__()
        return self

    def __exit__(
        self, kind: object, error: BaseException | None, _traceback: object
    ) -> bool:
        # The error is not kept: its frames hold BDDs.
        self._block.__exit__(None, None, None)
        self._bounds.pop().__exit__(None, None, None)
        given_up = why_given_up(error)
        error = given_up or error
        if isinstance(error, LimitExceeded):
            self._clock.stopped_by = error.reason
            self.status, self.reason = error.status, error.diagnostics[0].message
        elif isinstance(error, KeyboardInterrupt) or broken_by_signal(error):
            self._clock.interrupt()
            self.status = self.reason = "interrupted"
        elif given_up is not None:
            raise given_up from None
        else:
            return False
        return True
