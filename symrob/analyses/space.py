"""Spaces: the sets of units of one problem, the interface that every question uses.

A *unit* is a candidate transition or a fault mode. Questions use only `Space`; its two
implementations are `candidate_space` (hundreds of thousands of candidates, as masks)
and `fault_mode_space` (of E as a whole or in independent parts). If algorithms differ,
a space implements the whole search; differences in order, counting and wording belong
to the question.
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
from symrob.envelope.transitions import AnyGraph
from symrob.errors import Diagnostic, LimitExceeded, SymrobError, Trace, plural
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
    """A description of a space, as data for output.

    Attributes:
        noun: The name of a unit.
        size: Number of units.
        environment: E, with any extra states; `None` if its product is not computed.
        network: The components of E, if units change components.
        among: The only candidates, if they are restricted.
        units: The fault modes; `None` if each candidate is a unit.
        classes: The class of change of each candidate; `None` without `environment`.
        parts: Number of independent parts of E.
        backend: The BDD library.
        properties: Their names; the name of equal components once.
        budget: How often a run can deviate; `None` for no bound.
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
        """Return the name of a fault mode, followed by its identifier."""
        units = self.units
        if units is None or mode not in units.numbers:
            return mode
        return units.modes[units.numbers[mode]].called


class Timing(NamedTuple):
    """The time used for an answer.

    Attributes:
        seconds: From the start of the analysis to its end.
        backend: The BDD library.
    """

    seconds: float
    backend: str


class _Named(NamedTuple):
    modes: tuple[str, ...]


class ModeSet(Stoppable, _Named):
    """A maximal tolerated set of fault modes, if the product of E is not computed.

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
        complete_to: Every minimal unsafe set of at most this many units has been
            yielded.
    """

    complete_to: int

    @abstractmethod
    def by_size(self, order: int | None = None) -> Iterator[Any]:
        """Yield every minimal unsafe set as a `UnitSet`, each once, smallest first.

        Args:
            order: Yield only sets of at most this many units; at least 1.

        Raises:
            LimitExceeded: A bound was hit; the sets yielded before are valid.
        """


class Direction(ABC):
    """Whether one side tolerates a set of units that another does not.

    Args:
        keeper: The side that tolerates it.
        breaker: The side that it breaks; with the same units.

    Attributes:
        keeper: As given.
        breaker: As given.
        exists: Whether there is such a set; `None` while unknown.
        added: The smallest known set.
        smallest: Whether it is known to be a smallest.
        alone: The units that only the keeper tolerates individually; `None` before
            `settle` has found them.
        both: Number of units that both tolerate individually; `None` before `settle`.

    If a bound is hit, these hold what is known.
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
            LimitExceeded: A bound was hit before that.
        """

    @abstractmethod
    def search(self) -> None:
        """Decide whether there is such a set, if `settle` did not."""

    @abstractmethod
    def shrink(self) -> None:
        """Find smaller sets, down to a smallest."""


# What of a space outlives its BDDs, as far as it is known by then.
_DATA = {
    *("clock", "effort", "warnings", "constrained", "about"),
    *("engine", "engines", "_units", "_shifts"),
}


class Space(Closable):
    """The sets of units of a problem whose nominal system is safe.

    Args:
        clock: Clock of the run.
        effort: Counts the work done.
        warnings: Possible mistakes in the models, or in the modes.
        constrained: Whether there are assumptions.

    Attributes:
        engines: The engine of E as a whole, or one for each independent part.

    Every method raises `LimitExceeded` if a bound is hit. Sets of units given as
    arguments belong to this space.
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
        """Description of the space, for output."""

    @property
    @abstractmethod
    def problems(self) -> Sequence[Problem]:
        """The problem of E as a whole, or one for each independent part."""

    @property
    @abstractmethod
    def whole(self) -> Engine | None:
        """The engine of all of E; `None` if the product of E is not computed."""

    @property
    @abstractmethod
    def unconstrained(self) -> Space:
        """The same space without the assumptions; this one, if there are none."""

    @property
    @abstractmethod
    def all(self) -> Many:
        """All units."""

    @property
    def slow(self) -> bool:
        """Whether judging one unit is so slow that answers should not wait for it."""
        return False

    @property
    def properties(self) -> tuple[str, ...]:
        """The names of the properties of all parts."""
        return tuple(
            monitor.name
            for problem in self.problems
            for monitor in problem.properties
            if monitor.name != NO_PROPERTY
        )

    @property
    def vacuous(self) -> tuple[str, ...]:
        """The properties that cannot be violated; see `Problem.vacuous`."""
        found = {name for problem in self.problems for name in problem.vacuous}
        return tuple(name for name in self.properties if name in found)

    @cached_property
    def progress(self) -> PlanProgress:
        """The goals that must stay possible; computed on first use.

        Raises:
            LimitExceeded: Units are `slow`: no budget of time suffices.
        """
        if self.slow:
            message = "goals require the product of E's components, which is too large"
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
            what: The feature that needs it, for the message.

        Raises:
            SymrobError: The product of E's components is not computed.
        """
        if self.whole is None:
            message = (
                f"{what} requires the product of E's components, which is too large"
            )
            if self.about.parts > 1:
                message += f"; E consists of {self.about.parts} independent parts"
            raise SymrobError(Diagnostic("modes-parts", message))
        return self.whole

    # Each unit by itself.

    @abstractmethod
    def many(self, units: Iterable[Unit]) -> Many:
        """Collect units into a set.

        Raises:
            SymrobError: There is no such fault mode.
        """

    @abstractmethod
    def alone(self, seconds: float | None = inf) -> Alone[Many]:
        """Judge each unit individually.

        Args:
            seconds: Time bound for deciding whether units that violate an assumption
                also violate a property; `None` to leave them undecided.

        Cost: candidates by two screenings; modes one by one.
        """

    @abstractmethod
    def alone_soon(self) -> Alone[Many] | None:
        """Judge each unit individually, quickly, as part of another answer.

        Returns:
            The verdicts; units that violate an assumption are undecided if more would
            take long. `None` if the units are too many to be judged one by one.
        """

    @abstractmethod
    def typical(self, many: Many, most: int) -> Sequence[Unit]:
        """Return some representative units, the most plausible first."""

    @abstractmethod
    def rank(self, unit: Unit) -> tuple[int, ...]:
        """Return a sort key for a unit's plausibility: the most plausible first."""

    @abstractmethod
    def each_alone(self, members: UnitSet, seconds: float) -> Alone[Many]:
        """Judge some units individually; the others are ignored."""

    @abstractmethod
    def addable(self, members: UnitSet) -> Many:
        """Return the units that can individually join a tolerated set."""

    # A set: a search of E_d, and one of E_d‖C.

    @abstractmethod
    def added(self, members: UnitSet) -> frozenset[Transition]:
        """Return the transitions that a set adds to E; none if E consists of parts."""

    @abstractmethod
    def each_added(self, members: UnitSet) -> Sequence[frozenset[Transition]]:
        """Return the transitions that a set adds to each part of E."""

    @abstractmethod
    def brought(self, many: Many) -> Iterable[Transition]:
        """Return the transitions that each of some units adds to E."""

    @abstractmethod
    def by_class(self, groups: Mapping[Any, Many]) -> dict[Any, Counter[Any]]:
        """Count the transitions of groups of units, by class and action.

        Args:
            groups: Groups by key; a transition of several groups counts for the last.

        Returns:
            For each class and action that occurs, the count of each key.

        Raises:
            SymrobError: E consists of parts.
        """

    @abstractmethod
    def is_safe(self, members: UnitSet) -> bool:
        """Whether a set is tolerated."""

    @abstractmethod
    def verdict(self, members: UnitSet) -> Verdict:
        """Return the verdict on a set."""

    @abstractmethod
    def harm(self, members: UnitSet) -> Verdict:
        """Return the verdict on a set that is known not to be tolerated."""

    @abstractmethod
    def keeps_assumptions(self, members: UnitSet) -> bool:
        """Whether E with a set satisfies P_env."""

    # Whole searches.

    @abstractmethod
    def unsafe_sets(
        self, among: UnitSet | None = None, *, singles: bool = False
    ) -> UnsafeSearch:
        """Return a search for the minimal unsafe sets.

        Args:
            among: Consider only these units; by default all.
            singles: Yield sets of a single unit too; by default they are left to
                `alone`.
        """

    @abstractmethod
    def maximal(self, including: UnitSet = frozenset()) -> Generator[Any, None, None]:
        """Yield every maximal tolerated set that contains some units, each once.

        Yields:
            A `Deviation`; a `ModeSet` if the product of E is not computed.
        """

    @abstractmethod
    def grown(self, members: UnitSet) -> UnitSet:
        """Return a maximal tolerated superset of a tolerated set."""

    @abstractmethod
    def beyond(self, other: Space) -> Direction:
        """Return a search for a set that this side tolerates and another does not.

        Args:
            other: The other side, with the same units and environment.
        """

    # Reasons.

    @abstractmethod
    def violation(self, members: UnitSet) -> Trace | None:
        """Return a shortest trace by which a set violates P or P_env."""

    @abstractmethod
    def violations(self, members: UnitSet) -> tuple[Trace, ...]:
        """Return a shortest trace for each property and constraint that a set violates.

        Properties come first.
        """

    @abstractmethod
    def property_trace(self, members: UnitSet) -> Trace:
        """Return a shortest trace by which a set violates P."""

    @abstractmethod
    def broken_assumptions(self, members: UnitSet) -> tuple[str, ...]:
        """Return the names of the assumptions that a set violates."""

    def least_steps(self, members: Many | UnitSet) -> int | None:
        """Return the least number of deviated steps in a trace that violates P.

        Args:
            members: The set.

        Returns:
            The number; `None` if no trace violates P, or if that is slow.

        Cost: a search of the closed loop, as in `reach`.
        """
        if self.slow:
            return None
        found = (engine.steps.least(added) for engine, added in self.deviated(members))
        return min((steps for steps in found if steps is not None), default=None)

    @abstractmethod
    def deviated(self, members: Many | UnitSet) -> Iterator[tuple[Engine, AnyGraph]]:
        """Yield each part of E that some units change, with the steps they bring."""

    @abstractmethod
    def budgeted(self, at_most: int) -> Space:
        """Return the same space with at most this many deviated steps in a trace."""

    def blocked(self, members: UnitSet = frozenset()) -> tuple[Blocked, ...]:
        """Return the actions that E refuses with a tolerated set, and must refuse."""
        return self.blocked_with((members,))

    @abstractmethod
    def blocked_with(
        self,
        several: Sequence[UnitSet],
        known: Set[tuple[StateId, Action]] = frozenset(),
    ) -> tuple[Blocked, ...]:
        """Return the actions that E refuses with each of some sets, and must refuse.

        Args:
            several: Tolerated sets.
            known: States with actions that need not be checked.
        """

    @abstractmethod
    def idle(self, members: UnitSet) -> UnitSet:
        """Return the units of a tolerated set whose transitions can never fire with it.

        Cost: an exploration of the closed loop.
        """

    @abstractmethod
    def inert(self, members: UnitSet) -> UnitSet | None:
        """Return those of some units that fire in no tolerated set.

        Args:
            members: Individually tolerated units.

        Returns:
            The units; `None` if the space does not compute them.
        """

    # All of it at a glance. The types are of modules that stand above this one.

    @abstractmethod
    def summarised(
        self, *, every_reason: bool | None = None, at_once: bool = False
    ) -> Any:
        """Judge every unit; return a `Summary`.

        Args:
            every_reason: Return all reasons of units that are never tolerated, not only
                the first of each; `None` to do so only if there are few units.
            at_once: Leave unknown whatever would take longer than a moment.

        Returns:
            The summary. If a bound is hit or the user interrupts after the verdicts, it
            holds what was proved until then.
        """

    @abstractmethod
    def hurting(self, judged: Alone[Many], refused: Sequence[Blocked] | None) -> Many:
        """Return individually unsafe units, quickly, among the undecided ones.

        Args:
            judged: The verdicts so far.
            refused: The actions that E refuses in the plan, if known.
        """

    @abstractmethod
    def side_report(self, deviations: Iterable[Any], most: int) -> Any:
        """Examine the loss of progress with maximal sets; return a `SideReport`."""

    # What is written down elsewhere.

    @property
    @abstractmethod
    def singles(self) -> Space:
        """The same problem with single candidates as units.

        Raises:
            SymrobError: E consists of parts.
        """

    @abstractmethod
    def read(self, given: Any) -> tuple[frozenset[Transition], UnitSet]:
        """Read units given by the user.

        Args:
            given: Triples of A, states by number or name; or names of fault modes.

        Returns:
            The given transitions that E already has, and the units.

        Raises:
            SymrobError: Some are unknown; all of them are named.
        """

    @abstractmethod
    def sets_of(self, data: Mapping[str, Any], file: str) -> Sequence[UnitSet]:
        """Read the tolerated sets from a result.

        Raises:
            SymrobError: It is about another environment, or other units.
        """


def counted(space: Space, count: int) -> str:
    """Return a number of units as text, such as `2 transitions`."""
    return plural(count, space.about.noun)
