"""What every question is asked of: the sets of units of one problem, and what they do.

A *unit* is a candidate transition or a fault mode. Questions know only `Space`; its two
implementations are `wide` (candidates by the hundred thousand, as masks) and `few`
(fault modes, of E as one or in independent parts). Where algorithms differ a space has
one whole search; where only order, counting and words differ, that is the question's.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cached_property
from math import inf
from typing import Any, NamedTuple

from symrob.analyses.hazards import Alone, Blocked
from symrob.analyses.progress import Outlook, PlanProgress
from symrob.envelope.effort import Effort
from symrob.envelope.engine import Engine
from symrob.envelope.exploration import least_steps
from symrob.envelope.transitions import AnyGraph
from symrob.errors import Diagnostic, LimitExceeded, SymrobError, Trace
from symrob.limits import Clock
from symrob.lts import Action, Lts, StateId, Transition
from symrob.lts.deviation import Deviation, Stoppable
from symrob.memory import Closable
from symrob.problem import Budget, Many, Model, Problem, Unit, Units, UnitSet
from symrob.problem.classes import Classes
from symrob.problem.roles import NO_PROPERTY
from symrob.verdicts import Verdict


@dataclass(frozen=True)
class About:
    """What a space is about, as data for who prints an answer.

    Attributes:
        noun: What a unit is called.
        size: How many units there are.
        environment: E, with any extra states; `None` where it is not multiplied out.
        network: What E is composed of, where units change components.
        among: The only candidates, where they are restricted.
        units: The fault modes; `None` where each candidate is a unit.
        classes: What kind of change each candidate is; `None` without `environment`.
        parts: In how many independent parts E is.
        backend: Of the BDDs.
        properties: Their names; that of equal components once.
        budget: How often a run can deviate; `None` for any number of times.
    """

    noun: str
    size: int
    environment: Lts | None
    network: Model | None
    among: frozenset[Transition] | None
    units: Units | None
    classes: Classes | None
    parts: int
    backend: str
    properties: tuple[str, ...] = ()
    budget: Budget | None = None

    def called(self, mode: str) -> str:
        """Return the name of a fault mode, with its identifier behind it."""
        units = self.units
        if units is None or mode not in units.numbers:
            return mode
        return units.modes[units.numbers[mode]].called


class Timing(NamedTuple):
    """What an answer took.

    Attributes:
        seconds: From the start of the analysis to its end.
        backend: Of the BDDs.
    """

    seconds: float
    backend: str


class _Named(NamedTuple):
    modes: tuple[str, ...]


class ModeSet(Stoppable, _Named):
    """A maximal tolerated set of fault modes, where E is not multiplied out.

    Attributes:
        modes: Their names, sorted.
    """

    def __reduce__(self) -> tuple[type[ModeSet], tuple[tuple[str, ...]]]:
        return ModeSet, (self.modes,)


Maximal = Deviation | ModeSet


def units_in(found: Maximal) -> UnitSet:
    """Return the units that a maximal set adds to E."""
    if isinstance(found, Deviation) and found.modes is None:
        return found.new
    return frozenset(found.modes or ())


class UnsafeSearch(ABC):
    """The minimal unsafe sets of some units, one after the other.

    Attributes:
        complete_to: Every minimal unsafe set of at most so many units has been given.
    """

    complete_to: int

    @abstractmethod
    def by_size(self, order: int | None = None) -> Iterator[Any]:
        """Yield every minimal unsafe set as a `UnitSet`, each once, smallest first.

        Args:
            order: Give only sets of at most so many units; at least 1.

        Raises:
            LimitExceeded: A bound was hit; what was yielded before is valid.
        """


class Direction(ABC):
    """Whether one side tolerates a set of units that another does not.

    Args:
        keeper: The side that tolerates it.
        breaker: The side that it breaks; of the same units.

    Attributes:
        keeper: As given.
        breaker: As given.
        exists: Whether there is one; `None` as long as that is not known.
        added: The smallest known one.
        smallest: Whether it is known to be a smallest.
        alone: The units that only the keeper tolerates alone; `None` before `settle`
            has found them.
        both: How many units both tolerate alone; likewise.

    A bound that is hit leaves in these what is known.
    """

    def __init__(self, keeper: Space, breaker: Space) -> None:
        self.keeper = keeper
        self.breaker = breaker
        self.exists: bool | None = None
        self.added: UnitSet = frozenset()
        self.smallest = False
        self.alone: Many | None = None
        self.both: int | None = None

    @abstractmethod
    def settle(self, *, smallest: bool = True) -> None:
        """Find out whether there is one, if that is seen without a search.

        Args:
            smallest: Only a smallest one is of use; else any that is minimal, which may
                be found sooner.

        Raises:
            LimitExceeded: A bound was hit before that; likewise the others.
        """

    @abstractmethod
    def search(self) -> None:
        """Find out whether there is one, if `settle` has not."""

    @abstractmethod
    def shrink(self) -> None:
        """Look for smaller ones, down to a smallest."""


# What of a space outlives its BDDs, as far as it is known by then.
_DATA = {
    *("clock", "effort", "warnings", "constrained", "about"),
    *("engine", "engines", "_units", "_shifts"),
}


class Space(Closable):
    """The sets of units of a problem whose nominal system is safe.

    Args:
        clock: Of the run.
        effort: Counts what is done.
        warnings: What may be a mistake in the models, or in the modes.
        constrained: Whether there are assumptions.

    Attributes:
        engines: That of E as one, or one for each independent part.

    Every method raises `LimitExceeded` where a bound is hit. A set of units that is
    given is of this space.
    """

    engines: Sequence[Engine]

    def __init__(
        self,
        clock: Clock,
        effort: Effort,
        warnings: tuple[Diagnostic, ...],
        constrained: bool,
    ) -> None:
        self.clock = clock
        self.effort = effort
        self.warnings = warnings
        self.constrained = constrained

    def close(self) -> None:
        """See `Closable`."""
        for engine in self.engines:
            engine.close()
        for name in vars(self).keys() - _DATA:
            del vars(self)[name]

    @property
    @abstractmethod
    def about(self) -> About:
        """For who prints an answer; pure data."""

    @property
    @abstractmethod
    def problems(self) -> Sequence[Problem]:
        """That of E as one, or one for each independent part."""

    @property
    @abstractmethod
    def whole(self) -> Engine | None:
        """The engine of all of E; `None` where E is not multiplied out."""

    @property
    @abstractmethod
    def unconstrained(self) -> Space:
        """The same without the assumptions; this one, where there are none."""

    @property
    @abstractmethod
    def all(self) -> Many:
        """All units."""

    @property
    def slow(self) -> bool:
        """Whether judging a single unit takes so long that answers should not wait."""
        return False

    @property
    def properties(self) -> tuple[str, ...]:
        """The names of the properties, those of all parts."""
        return tuple(
            monitor.name
            for problem in self.problems
            for monitor in problem.properties
            if monitor.name != NO_PROPERTY
        )

    @property
    def vacuous(self) -> tuple[str, ...]:
        """Those that nothing can violate; see `Problem.vacuous`."""
        found = {name for problem in self.problems for name in problem.vacuous}
        return tuple(name for name in self.properties if name in found)

    @cached_property
    def progress(self) -> PlanProgress:
        """What must stay possible; computed when first asked for.

        Raises:
            LimitExceeded: Units are `slow`, or parts of E share a budget of deviated
                steps: no budget of time suffices.
        """
        if self.about.parts > 1 and any(p.at_most is not None for p in self.problems):
            message = "goals with a budget of deviated steps need E multiplied out"
            raise LimitExceeded(message, reason="timeout")
        if self.slow:
            message = "goals need E multiplied out; this one is too large for that"
            raise LimitExceeded(message, reason="timeout")
        goals = next((p.goals for p in self.problems if p.goals), ())
        return PlanProgress(self.engines, goals)

    def outlook(self, members: UnitSet) -> Outlook:
        """Return the goals of the plan that are lost with a set, and new deadlocks.

        Cost: see `PlanProgress`.
        """
        return self.progress.of(self.each_added(members))

    def lost_with(self, found: Maximal) -> tuple[str, ...]:
        """Return the names of the goals that are lost with a maximal set."""
        return tuple(one.goal.name for one in self.outlook(units_in(found)).lost)

    def __len__(self) -> int:
        return self.about.size

    def required_whole(self, what: str) -> Engine:
        """Return the engine of all of E.

        Args:
            what: What needs it, for the message.

        Raises:
            SymrobError: E is not multiplied out.
        """
        if self.whole is None:
            message = f"{what} needs E multiplied out; this one is too large for that"
            if self.about.parts > 1:
                message += f" and falls into {self.about.parts} independent parts"
            raise SymrobError(Diagnostic("modes-parts", message))
        return self.whole

    # Each unit by itself.

    @abstractmethod
    def many(self, units: Iterable[Unit]) -> Many:
        """Collect units.

        Raises:
            SymrobError: There is no such fault mode.
        """

    @abstractmethod
    def alone(self, seconds: float | None = inf) -> Alone[Many]:
        """Judge each unit alone.

        Args:
            seconds: What may be spent on whether what breaks an assumption is hazardous
                without it; `None` for nothing.

        Cost: candidates by two screenings; modes one by one.
        """

    @abstractmethod
    def alone_soon(self) -> Alone[Many] | None:
        """Do as `alone`, beside another question that must not wait for it.

        Returns:
            What breaks an assumption is undecided where more would take long; `None`
            where the units are too many to be judged one by one.
        """

    @abstractmethod
    def typical(self, many: Many, most: int) -> Sequence[Unit]:
        """Return some units that stand for all, the most plausible first."""

    @abstractmethod
    def rank(self, unit: Unit) -> tuple[int, ...]:
        """Return how plausible a unit is, for sorting: the most plausible first."""

    @abstractmethod
    def each_alone(self, members: UnitSet, seconds: float) -> Alone[Many]:
        """Do as `alone` for some units; the others are not looked at."""

    @abstractmethod
    def addable(self, members: UnitSet) -> Many:
        """Return the units that can join a tolerated set, each alone."""

    # A set: a search of E_d, and one of E_d‖C.

    @abstractmethod
    def added(self, members: UnitSet) -> frozenset[Transition]:
        """Return what E gets from a set; nothing where E is in parts."""

    @abstractmethod
    def each_added(self, members: UnitSet) -> Sequence[frozenset[Transition]]:
        """Return what each part of E gets from a set."""

    @abstractmethod
    def brought(self, many: Many) -> Iterable[Transition]:
        """Return what E gets from some units, each by itself.

        Raises:
            SymrobError: E is in parts.
        """

    @abstractmethod
    def by_class(self, groups: Mapping[Any, Many]) -> dict[Any, Counter[Any]]:
        """Count what groups of units bring, by class and action.

        Args:
            groups: By a key; what units of several groups bring counts for the last.

        Returns:
            For each class and action that has some, how many of each key.

        Raises:
            SymrobError: E is in parts.
        """

    @abstractmethod
    def is_safe(self, members: UnitSet) -> bool:
        """Whether a set is tolerated."""

    @abstractmethod
    def verdict(self, members: UnitSet) -> Verdict:
        """Return what a set amounts to."""

    @abstractmethod
    def harm(self, members: UnitSet) -> Verdict:
        """Do as `verdict`, for a set that is known not to be tolerated."""

    @abstractmethod
    def keeps_assumptions(self, members: UnitSet) -> bool:
        """Whether E with a set keeps P_env, alone."""

    # Whole searches.

    @abstractmethod
    def unsafe_sets(
        self, among: UnitSet | None = None, *, singles: bool = False
    ) -> UnsafeSearch:
        """Return a search for the minimal unsafe sets.

        Args:
            among: The only units that are looked at; by default all.
            singles: Give sets of a single unit too; by default they are told by
                `alone`, at once.
        """

    @abstractmethod
    def maximal(self, including: UnitSet = frozenset()) -> Generator[Any, None, None]:
        """Yield every maximal tolerated set that holds some units, each once.

        Yields:
            A `Deviation`; a `ModeSet` where E is not multiplied out.
        """

    @abstractmethod
    def grown(self, members: UnitSet) -> UnitSet:
        """Return a maximal tolerated set that holds a tolerated one."""

    @abstractmethod
    def beyond(self, other: Space) -> Direction:
        """Return a search for what this side tolerates and another does not.

        Args:
            other: The other side, of the same units over the same environment.
        """

    # Reasons.

    @abstractmethod
    def violation(self, members: UnitSet) -> Trace | None:
        """Return a shortest run by which a set breaks P or P_env."""

    @abstractmethod
    def violations(self, members: UnitSet) -> tuple[Trace, ...]:
        """Return a shortest run for each property and constraint that a set breaks.

        Properties come first.
        """

    @abstractmethod
    def property_trace(self, members: UnitSet) -> Trace:
        """Return a shortest run by which a set breaks P."""

    @abstractmethod
    def broken_assumptions(self, members: UnitSet) -> tuple[str, ...]:
        """Return the constraints that a set breaks, by their names."""

    def least_steps(self, members: Many) -> int | None:
        """Return how many deviated steps a run that breaks P takes at least.

        Args:
            members: What E gets.

        Returns:
            The number; `None` where no run breaks P, or where that is slow.

        Cost: a search of the closed loop, as of `reach`.
        """
        if self.slow:
            return None
        found = (
            least_steps(engine.course, engine.nominal, added, self.clock)
            for engine, added in self.deviated(members)
        )
        return min((steps for steps in found if steps is not None), default=None)

    @abstractmethod
    def deviated(self, members: Many) -> Iterator[tuple[Engine, AnyGraph]]:
        """Yield each part of E that some units change, with the steps they bring."""

    @abstractmethod
    def budgeted(self, at_most: int) -> Space:
        """Return the same where at most so many steps of a run deviate."""

    @abstractmethod
    def blocked(
        self,
        members: UnitSet = frozenset(),
        known: Set[tuple[StateId, Action]] = frozenset(),
    ) -> tuple[Blocked, ...]:
        """Return what E refuses with a tolerated set, and must refuse.

        Args:
            members: The set.
            known: States with actions that are not asked about.
        """

    @abstractmethod
    def idle(self, members: UnitSet) -> UnitSet:
        """Return the units of a tolerated set of which nothing can ever fire with it.

        Cost: a walk of the closed loop.
        """

    @abstractmethod
    def inert(self, members: UnitSet) -> UnitSet | None:
        """Return those of some units that fire in no tolerated set.

        Args:
            members: Units that are tolerated alone.

        Returns:
            Them; `None` where a space does not tell.
        """

    # All of it at a glance. The types are of modules that stand above this one.

    @abstractmethod
    def summarised(
        self, *, every_reason: bool | None = None, at_once: bool = False
    ) -> Any:
        """Judge every unit; return a `Summary`.

        Args:
            every_reason: Give all reasons of what is never tolerated, not only the
                first of each; `None` if there are not very many units.
            at_once: Leave unknown what would take longer than a moment.

        Returns:
            The summary. Where a bound is hit or the user interrupts after the verdicts,
            it holds what was proved until then.
        """

    @abstractmethod
    def hurting(self, judged: Alone[Many], refused: Sequence[Blocked] | None) -> Many:
        """Return units that hurt alone, soon, of those that are undecided.

        Args:
            judged: The verdicts so far.
            refused: What E refuses in the plan, where that is known.
        """

    @abstractmethod
    def side_report(self, deviations: Iterable[Any], most: int) -> Any:
        """Look at what maximal sets make impossible; return a `SideReport`."""

    # What is written down elsewhere.

    @property
    @abstractmethod
    def singles(self) -> Space:
        """The same problem, asked of single candidates.

        Raises:
            SymrobError: E is in parts.
        """

    @abstractmethod
    def read(self, given: Any) -> tuple[frozenset[Transition], UnitSet]:
        """Take what a user gives: what E has already of it, and the units.

        Args:
            given: Triples of A, states by number or name; or names of fault modes.

        Raises:
            SymrobError: Some are not known; all of them are named.
        """

    @abstractmethod
    def sets_of(self, data: Mapping[str, Any], file: str) -> Sequence[UnitSet]:
        """Take the tolerated sets out of a result.

        Raises:
            SymrobError: It is of another environment, or of other units.
        """


def counted(space: Space, count: int) -> str:
    """Say how many units, such as `2 transitions`."""
    noun = space.about.noun
    return f"1 {noun}" if count == 1 else f"{count:,} {noun}s"
