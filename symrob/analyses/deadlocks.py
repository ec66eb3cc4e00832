"""The side report: safe because nothing happens any more, or never did.

In:  the `Engine` of E as one, or those of its parts; maximal deviations.
Out: a `SideReport`: the deviations with which the closed loop can deadlock
     where E‖C does not, and the properties whose actions E‖C never performs.

A deadlock of E_d‖C is a pair of a state of E and a state of C with no move at
all: no common action, no action that one of them has alone, no internal move.
The monitors prevent nothing, so they have no part in it. Deadlocks that E‖C
reaches too are not reported, such as the end of a treatment.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from symrob.doing import Doing, counted
from symrob.envelope.engine import Engine
from symrob.envelope.exploration import reach
from symrob.envelope.transitions import AnyGraph
from symrob.limits import Stages, Status
from symrob.lts import ERROR, TAU, Lts, StateId
from symrob.lts.deviation import Deviation
from symrob.shown import Shown
from symrob.symbolic.context import Bdd
from symrob.symbolic.encoding import ActionRelation, SymbolicSystem

# So many maximal deviations are looked at unless more are asked for.
LOOKED_AT = 16
# Of more candidates none is looked at: each would be a set of so many transitions.
LISTED = 50_000


class Deadlock(NamedTuple):
    """A state of E in which the closed loop can deadlock.

    Attributes:
        state: The state.
        components: An example of the states of the controller's components, by name.
    """

    state: StateId
    components: tuple[str, ...]


@dataclass(frozen=True)
class Stuck:
    """A deviation with new deadlocks.

    Attributes:
        deviation: The deviation.
        deadlocks: For each state of E with one.
    """

    deviation: Deviation
    deadlocks: tuple[Deadlock, ...]


@dataclass(frozen=True)
class SideReport(Shown):
    """What makes safety cheaper than it looks.

    Attributes:
        environment: E, for the names of states; `None` where it is in parts.
        looked_at: Number of maximal deviations that were looked at.
        all_of_them: Whether these are all there are.
        status: `complete` if as many were looked at as were asked for, or what
            stopped it.
        reason: Why it stopped, for a person.
        stuck: Those with which the closed loop has new deadlocks.
        idle: Names of the properties none of whose actions E‖C performs.
    """

    environment: Lts | None = field(compare=False)
    looked_at: int
    all_of_them: bool
    stuck: tuple[Stuck, ...]
    idle: tuple[str, ...]
    status: Status = "complete"
    reason: str = ""


def side_report(
    engines: Sequence[Engine], deviations: Iterable[Deviation], *, most: int = LOOKED_AT
) -> SideReport:
    """Look for new deadlocks and idle properties.

    Args:
        engines: The problem, its preconditions checked; that of each part.
        deviations: Maximal deviations, such as a `SafetyEnvelope`. For parts none is
            looked at.
        most: Look at this many of them.

    Returns:
        The report, on the deviations that were there before a bound was hit.

    Cost: a reachability run for each deviation.
    """
    engine = engines[0]
    with engine.clock.suspended():
        deadlocks = _Deadlocks(engine)
        idle = tuple(name for each in engines for name in idle_properties(each))
    stuck: list[Stuck] = []
    looked_at = 0
    ended = False
    stages = Stages(engine.clock)
    with stages, Doing("searching for deadlocks"):
        # None is searched that is not looked at.
        for deviation in deviations if most else (None,):
            if deviation is None or looked_at == most:
                break
            found = tuple(deadlocks.new(deviation))
            if found:
                stuck.append(Stuck(deviation, found))
            looked_at += 1
            counted(looked_at, "deviations")
        else:
            ended = True
    return SideReport(
        engine.problem.environment if len(engines) == 1 else None,
        looked_at,
        ended,
        tuple(stuck),
        idle,
        stages.status,
        stages.reason,
    )


def idle_properties(engine: Engine) -> tuple[str, ...]:
    """Return the properties none of whose actions E‖C performs.

    They hold of the plan whatever they say. A property without actions of its
    own is among them; one that allows none of its actions at the start is not: it
    says that they never happen, so that no safe plan performs one.
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
        if index not in watching and not _says_never(monitor.lts)
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


class _Deadlocks:
    """Deadlocks of deviated closed loops, compared with those of E‖C."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._system = system = engine.closed_loop.system
        self._able = _Able(system)
        self._internal = system.ctx.union(self._able.to(m) for m in system.internal)
        self._nominal = self._of(engine.nominal)

    def new(self, deviation: Deviation) -> Iterator[Deadlock]:
        """Yield the states of E with a deadlock that E‖C has not."""
        system = self._system
        found = self._of(self._engine.deviated(deviation))
        for state, (dead, known) in enumerate(zip(found, self._nominal, strict=True)):
            bits = system.ctx.pick(dead & ~known, system.bits)
            if bits is not None:
                yield Deadlock(state, system.component_states(bits))

    def _of(self, graph: AnyGraph) -> list[Bdd]:
        """The states of the controller that have no move, for each state of E."""
        system = self._system
        engine = self._engine
        met = reach(engine.closed_loop.exact, graph, engine.clock)
        assert met is not None, "the deviation is not robust"
        result = []
        for states, row in zip(met, graph.rows, strict=True):
            moving = self._internal
            for action, _ in row:
                moving |= (
                    system.ctx.true
                    if action == TAU
                    else self._able.to(system.moves[action])
                )
            dead = states & ~moving
            result.append(system.ctx.exists(dead, system.watching_bits))
        return result
