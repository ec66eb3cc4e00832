"""The side report: systems that are safe only because nothing happens.

In:  a `Space`; maximal deviations.
Out: a `SideReport`: the deviations with which goals of the plan are lost or the closed
     loop can deadlock where E‖C does not, the fault modes that do so alone, and the
     properties whose actions E‖C never performs.

A deadlock of E_d‖C is a pair of a state of E and a state of C without any move: no
common action, no action of one of them alone, no internal move. The monitors prevent
nothing, so they are ignored. Deadlocks that E‖C also reaches, such as the end of a
treatment, are not reported.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from time import monotonic

from symrob.analyses.deviated import Deadlock
from symrob.analyses.progress import LostGoal
from symrob.analyses.space import Maximal, Space, units_in
from symrob.doing import Doing, counted
from symrob.envelope.engine import Engine
from symrob.envelope.exploration import reach
from symrob.limits import BudgetStep, Stages, Status
from symrob.lts import ERROR, TAU, Lts
from symrob.problem.goals import Goal
from symrob.shown import Shown
from symrob.symbolic.context import Bdd
from symrob.symbolic.encoding import ActionRelation, SymbolicSystem

# This many maximal deviations are looked at unless more are asked for.
LOOKED_AT = 20
# Of more candidates none is looked at: each would be a set of this many transitions.
LISTED = 50_000


@dataclass(frozen=True)
class Stuck:
    """A deviation with which the plan can get stuck.

    Attributes:
        deviation: The deviation, or set of fault modes.
        deadlocks: The states of E with a new deadlock; of a part of E if it consists of
            parts.
        lost: The goals of the plan that are lost.
        number: Its number among the examined deviations, from 1.
    """

    deviation: Maximal
    deadlocks: tuple[Deadlock, ...]
    lost: tuple[LostGoal, ...]
    number: int = field(metadata={"json": False})


@dataclass(frozen=True)
class StuckMode:
    """A fault mode with which, alone, the plan can get stuck.

    Attributes:
        mode: Its name.
        deadlock: Whether the closed loop can deadlock where the plan does not.
        lost: The goals of the plan that are lost.
    """

    mode: str
    deadlock: bool
    lost: tuple[LostGoal, ...]


@dataclass(frozen=True)
class SideReport(Shown):
    """Deadlocks, lost goals and idle properties: safety at the cost of progress.

    Attributes:
        environment: E, for the names of states; `None` if it consists of parts.
        modal: Whether the units are fault modes.
        looked_at: Number of maximal deviations that were examined.
        all_of_them: Whether there are no others.
        goals: The goals; `None` if the budget `progress` did not suffice.
        lost_by_plan: The goals that the plan already loses.
        stuck: The deviations with new deadlocks or lost goals.
        modes: The fault modes that, alone, cause a new deadlock or lose a goal; `None`
            if each candidate is a unit, or if the budget did not suffice.
        status: `complete` if as many were examined as requested, or what stopped it.
        reason: Why it stopped, as text.
        idle: Names of the properties none of whose actions E‖C performs.
    """

    environment: Lts | None = field(compare=False)
    modal: bool = field(metadata={"json": False})
    looked_at: int
    all_of_them: bool
    goals: tuple[Goal, ...] | None
    lost_by_plan: tuple[LostGoal, ...]
    stuck: tuple[Stuck, ...]
    modes: tuple[StuckMode, ...] | None
    idle: tuple[str, ...]
    status: Status = "complete"
    reason: str = ""

    @property
    def lost(self) -> Iterator[LostGoal]:
        """All lost goals, with any deviation or mode."""
        yield from self.lost_by_plan
        for stuck in self.stuck:
            yield from stuck.lost
        for mode in self.modes or ():
            yield from mode.lost


def side_report(
    space: Space, deviations: Iterable[Maximal], *, most: int = LOOKED_AT
) -> SideReport:
    """Look for new deadlocks, lost goals and idle properties.

    Args:
        space: The problem, with its preconditions checked.
        deviations: Maximal deviations, such as a `SafetyEnvelope`.
        most: Examine this many of them.

    Returns:
        The report, on the deviations that were found before a bound was hit, or the
        budget `progress` was used up.

    Cost: see `PlanProgress`, for each deviation and each fault mode.
    """
    clock = space.clock
    with clock.suspended():
        idle = tuple(name for each in space.engines for name in idle_properties(each))
    found = _Found(space)
    stages = Stages(clock)
    with stages, Doing("searching for lost goals"):
        # None is searched that is not looked at.
        if most:
            found.look(deviations, most)
            found.look_at_modes()
    return SideReport(
        space.about.environment,
        space.about.units is not None,
        found.looked_at,
        found.ended,
        found.goals,
        found.lost_by_plan,
        tuple(found.stuck),
        found.modes,
        idle,
        stages.status,
        stages.reason,
    )


class _Found:
    """What was found so far, within the budget `progress`.

    Args:
        space: The problem.
    """

    def __init__(self, space: Space) -> None:
        self._space = space
        self._left = space.clock.budget("progress")
        self.looked_at, self.ended = 0, False
        self.stuck: list[Stuck] = []
        self.goals: tuple[Goal, ...] | None = None
        self.lost_by_plan: tuple[LostGoal, ...] = ()
        self.modes: tuple[StuckMode, ...] | None = None

    @contextmanager
    def _step(self) -> Iterator[BudgetStep]:
        """Let a block have what is left; what else takes time does not count."""
        clock, start = self._space.clock, monotonic()
        with clock.allow(max(self._left, 0.0)) as step:
            yield step
        self._left -= monotonic() - start

    def look(self, deviations: Iterable[Maximal], most: int) -> None:
        """Look at some deviations."""
        space = self._space
        with self._step():
            self.goals = space.progress.goals
            self.lost_by_plan = space.progress.lost_by_plan
        for one in deviations:
            if self.looked_at == most or self._left <= 0:
                return
            with self._step() as step:
                told = space.outlook(units_in(one))
                self.looked_at += 1
                if told.stuck:
                    number = self.looked_at
                    self.stuck.append(Stuck(one, told.deadlocks, told.lost, number))
            if step.exhausted:
                return
            counted(self.looked_at, "deviations")
        self.ended = True

    def look_at_modes(self) -> None:
        """Look at each fault mode alone."""
        space, units = self._space, self._space.about.units
        if units is None or self._left <= 0:
            return
        found = []
        with self._step():
            for mode in units.modes:
                told = space.outlook(frozenset((mode.name,)))
                if told.stuck:
                    found.append(StuckMode(mode.name, bool(told.deadlocks), told.lost))
            self.modes = tuple(found)


def idle_properties(engine: Engine) -> tuple[str, ...]:
    """Return the properties none of whose actions E‖C performs.

    The plan trivially satisfies them. They include properties without actions. A
    property that allows none of its actions at the start is not idle: it states that
    they never occur, so that no safe plan performs one.
    """
    loop, system = engine.closed_loop, engine.closed_loop.system
    met = reach(loop, engine.nominal, engine.clock)
    assert met is not None, "the nominal system is not safe"
    able = _Able(system)
    watching: set[int] = set()
    for states, row in zip(met, engine.nominal.rows, strict=True):
        moves = [system.moves[action] for action, _ in row if action != TAU]
        for move in (*moves, *system.internal):
            if states & able.to(move) != system.ctx.false:
                watching.update(move.monitors)
    return tuple(
        monitor.name
        for index, monitor in enumerate(system.monitors)
        if index not in watching
        and not _says_never(monitor.lts)
        # What is said of states is asked in every state.
        and monitor.requirement is None
    )


def _says_never(lts: Lts) -> bool:
    """Whether a monitor has actions, and each of them breaks it at the start."""
    allowed = any(set(targets) - {ERROR} for targets in lts.successors[0].values())
    return bool(lts.alphabet) and not allowed


class _Able:
    """From which states the machine can make a move, remembered."""

    def __init__(self, system: SymbolicSystem) -> None:
        self._system = system
        self._known: dict[int, Bdd] = {}

    def to(self, move: ActionRelation) -> Bdd:
        """Return the states from which a move can be made, were it into ERROR."""
        known = self._known.get(id(move))
        if known is None:
            system = self._system
            known = system.pre(system.ctx.true, move) | move.error
            self._known[id(move)] = known
        return known
