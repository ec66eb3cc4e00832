"""Loss of progress: goals that can become impossible, and new deadlocks.

In:  the engines of a problem: that of E as a whole, or those of its independent parts.
Out: `PlanProgress`: for a set of added transitions the goals that are lost with it,
     each with a shortest trace to where it is lost, and the deadlocks that the plan
     lacks.

A goal is *lost* if from some reachable state of E_d‖C no state that performs it is
reachable; `deviated` finds out. The properties and constraints prevent nothing: they
play no part.

Parts of E move independently: a goal is lost if each part loses it, and the end of the
plan if some part does. Where they share the budget of a run, `sharing` decides.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any, ClassVar, NamedTuple

from symrob.analyses.deviated import Deadlock, DeviatedLoop, ProgressMachine
from symrob.analyses.sharing import Sharing
from symrob.envelope.engine import Engine
from symrob.errors import Trace
from symrob.lts import Action, Transition
from symrob.problem.goals import COMPLETION, Goal


@dataclass(frozen=True)
class LostGoal:
    """A goal that can become impossible.

    Attributes:
        goal: The goal.
        find: Computes the traces.
    """

    also: ClassVar = {"traces": "known_traces"}

    goal: Goal
    find: Callable[[], tuple[Trace, ...]] = field(repr=False, compare=False)

    @cached_property
    def traces(self) -> tuple[Trace, ...]:
        """A shortest trace to where the goal is impossible.

        If E consists of independent parts, one for each part that performs it.
        """
        return self.find()

    @property
    def known_traces(self) -> tuple[Trace, ...] | None:
        """`traces`, if they were computed already."""
        return vars(self).get("traces")

    def __reduce__(self) -> tuple[Any, ...]:
        return LostGoal, (self.goal, Known(self.traces))


@dataclass(frozen=True)
class Known:
    """A callable that returns stored traces."""

    traces: tuple[Trace, ...]

    def __call__(self) -> tuple[Trace, ...]:
        """Return the traces."""
        return self.traces


class Outlook(NamedTuple):
    """The effect of an environment on the plan's goals.

    Attributes:
        lost: The goals of the plan that are lost.
        deadlocks: The states of E with a deadlock that the plan lacks.
    """

    lost: tuple[LostGoal, ...]
    deadlocks: tuple[Deadlock, ...]

    @property
    def stuck(self) -> bool:
        """Whether there is anything to report."""
        return bool(self.lost or self.deadlocks)


class PlanProgress:
    """The goals of the plan, and which of them an environment loses.

    Args:
        engines: The engine of E as a whole, or one for each independent part.
        named: The goals that the user names; by default those of the plan.

    The plan need not be safe: properties are ignored.

    Cost: an encoding of C; for each environment a search of E_d‖C, and a forward and a
        backward search for each bottom strongly connected component.
    """

    def __init__(self, engines: Sequence[Engine], named: Sequence[Goal] = ()) -> None:
        self._engines = engines
        self.named = tuple(named)

    @cached_property
    def _plans(self) -> list[DeviatedLoop]:
        machines = [ProgressMachine(engine) for engine in self._engines]
        return [machine.walk(frozenset()) for machine in machines]

    @cached_property
    def final(self) -> list[int]:
        """For each part the states of E in which the plan can end, as bits.

        Where E has nothing left to do; if it always has, where E and C stop.
        """
        over = [walk.over for walk in self._plans]
        return over if all(over) else [walk.stops for walk in self._plans]

    @cached_property
    def ends(self) -> bool:
        """Whether the plan can end."""
        return all(self.final)

    @cached_property
    def goals(self) -> tuple[Goal, ...]:
        """All goals: those that the user names, or the default ones.

        By default, there is a goal for each action of C that the plan can always
        perform again, and, if the plan can end, its end.
        """
        if self.named:
            return self.named
        found = set[Action]()
        for walk in self._plans:
            actions = walk.machine.actions
            one_each = [Goal(a, (a,)) for a in actions]
            gone = walk.lost(one_each, 0)
            found.update(a for a in actions if Goal(a, (a,)) not in gone)
        live = tuple(Goal(a, (a,)) for a in sorted(found))
        return (*live, Goal(COMPLETION, ())) if self.ends else live

    @cached_property
    def lost_by_plan(self) -> tuple[LostGoal, ...]:
        """The goals that the plan already loses."""
        # Of its own goals it keeps all actions.
        asked = self.named or [goal for goal in self.goals if not goal.actions]
        return self._lost(self._plans, asked)

    @cached_property
    def kept(self) -> tuple[Goal, ...]:
        """The goals that the plan keeps."""
        gone = {one.goal for one in self.lost_by_plan}
        return tuple(goal for goal in self.goals if goal not in gone)

    def of(self, added: Sequence[frozenset[Transition]]) -> Outlook:
        """Return what is lost if E gets some transitions.

        Args:
            added: For each part the transitions that it gets.

        Raises:
            LimitExceeded: A bound was hit.
        """
        walks = self._walks(added)
        return Outlook(self._lost(walks, self.kept), tuple(self._new_deadlocks(walks)))

    def losing(
        self, added: Sequence[frozenset[Transition]], goals: Iterable[Goal]
    ) -> tuple[LostGoal, ...]:
        """Return which of some goals are lost, even if the plan loses them."""
        return self._lost(self._walks(added), tuple(goals))

    def losing_of(
        self, other: PlanProgress, added: Sequence[frozenset[Transition]] | None = None
    ) -> tuple[LostGoal, ...]:
        """Return the goals that another plan of the same E keeps and this one loses.

        Args:
            other: The other plan; it determines in which states of E it can end.
            added: For each part the transitions that E gets; by default none.
        """
        if other is self and added is None:
            return self.lost_by_plan
        same = len(self._engines) == len(other._engines)
        goals = [goal for goal in other.kept if goal.actions or same]
        ends = other.final if same else self.final
        walks = self._plans if added is None else self._walks(added)
        return self._lost(walks, goals, ends)

    def _walks(self, added: Sequence[frozenset[Transition]]) -> list[DeviatedLoop]:
        plans = self._plans
        return [p.machine.walk(new) for p, new in zip(plans, added, strict=True)]

    @property
    def _shares(self) -> bool:
        """Whether parts of E share the budget of a run."""
        several = len(self._engines) > 1
        return several and self._engines[0].problem.at_most is not None

    def _lost(
        self,
        walks: Sequence[DeviatedLoop],
        goals: Sequence[Goal],
        ends: Sequence[int] | None = None,
    ) -> tuple[LostGoal, ...]:
        ends = self.final if ends is None else ends
        if self._shares:
            shared = Sharing(walks)
            return tuple(
                LostGoal(goal, partial(shared.traces, goal, ends))
                for goal in goals
                if shared.lost(goal, ends)
            )
        gone = [w.lost(goals, e) for w, e in zip(walks, ends, strict=True)]
        found = []
        for goal in goals:
            losing = [goal in each for each in gone]
            if all(losing) if goal.actions else any(losing):
                found.append(LostGoal(goal, _Finder(walks, ends, goal)))
        return tuple(found)

    def _new_deadlocks(self, walks: Sequence[DeviatedLoop]) -> Iterator[Deadlock]:
        if self._shares:
            yield from Sharing(walks).new_deadlocks(self._plans)
            return
        if not all(walk.can_stop for walk in walks):
            return
        for walk, plan in zip(walks, self._plans, strict=True):
            yield from walk.new_deadlocks(plan)


@dataclass(frozen=True)
class _Finder:
    """Finds the traces to where a goal is lost."""

    walks: Sequence[DeviatedLoop]
    ends: Sequence[int]
    goal: Goal

    def __call__(self) -> tuple[Trace, ...]:
        walks, goal = [*zip(self.walks, self.ends, strict=True)], self.goal
        found = []
        for walk, ends in walks:
            concerned = len(walks) == 1 or {*goal.actions} & {*walk.machine.known}
            if concerned or (not goal.actions and walk.lost([goal], ends)):
                with walk.machine.engine.clock.suspended():
                    found.append(walk.trace(goal, ends))
            if found and not goal.actions:
                break
        return tuple(found)
