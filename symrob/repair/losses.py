"""The losses of a repair: traces, actions, and new deadlocks.

In:  the engine of C, the guards as components, and an environment.
Out: `Losses`: a shortest trace that is no longer possible, the actions that C' never
     takes, and the states in which C' is stuck where C is not.

Here, guards are monitors that never block: when one would, it is *tripped* for good. So
C and C' share one set of states; those of C' are the ones in which none is tripped.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cached_property

from symrob.envelope.counterexample import shortest_run, shortest_violation
from symrob.envelope.engine import Engine
from symrob.envelope.exploration import reach
from symrob.envelope.monitors import SymbolicMonitor
from symrob.envelope.transitions import Graph
from symrob.errors import Trace
from symrob.lts import TAU, Action, Lts, StateId, Transition
from symrob.lts.views import START
from symrob.problem import Monitor, action_of, watching
from symrob.problem.roles import GUARD
from symrob.repair.tripping import Kept, tripping_monitors
from symrob.symbolic.context import Bdd
from symrob.symbolic.encoding import SymbolicSystem


@dataclass(frozen=True)
class Losses:
    """What is lost with one environment.

    Attributes:
        run: A shortest trace of E and C that ends with an action that C' refuses.
        actions: The actions that C takes and C' never does, sorted.
        deadlock: A shortest trace to a deadlock of C' that C does not have; `None` if
            there is none.
        livelock: A shortest trace after which C' moves only by itself and E never takes
            part again, although it could with C.
    """

    run: Trace | None
    actions: tuple[Action, ...]
    deadlock: Trace | None
    livelock: Trace | None

    @property
    def nothing(self) -> bool:
        """Whether C' does all that C does."""
        return self.run is None


NOTHING_LOST = Losses(None, (), None, None)


def losses(
    engine: Engine, guards: Sequence[Lts], deviation: Iterable[Transition] = ()
) -> Losses:
    """Return what C' cannot do with E and some added transitions.

    Args:
        engine: The problem, with C.
        guards: What makes C' of C.
        deviation: What E gets; where it has modes, each step pays for them.

    Raises:
        LimitExceeded: A bound was hit.

    Cost: two encodings, a search of the closed loop for each run.
    """
    added = engine.brought_by(deviation)
    graph = engine.extended(added)
    run = lost_run(engine, guards, graph, added)
    if run is None:
        return NOTHING_LOST
    both = _Both(engine, guards, graph)
    return Losses(
        run,
        both.never_taken,
        both.run_to(both.dead, added),
        both.run_to(both.alone, added),
    )


def lost_run(
    engine: Engine,
    guards: Sequence[Lts],
    graph: Graph,
    added: Set[Transition] = frozenset(),
) -> Trace | None:
    """Return a shortest trace of E and C that ends with an action that C' refuses.

    Args:
        engine: The problem, with C.
        guards: What makes C' of C.
        graph: The transitions of E.
        added: Those that are not planned.

    Cost: an encoding and a search of the closed loop, two if there is one.
    """
    loop = engine.loop_with(
        [watching(engine.environment, Monitor(GUARD, guard)) for guard in guards]
    )
    # Whether there is one is found faster than a shortest one.
    if reach(loop, graph, engine.clock) is not None:
        return None
    trace = shortest_violation(
        loop.system, engine.environment, graph, engine.clock, added=added
    )
    # A run into an ERROR of C is none that anybody misses.
    return trace if trace is not None and trace.violated == GUARD else None


class _Both:
    """C and C' with one environment, in one set of states."""

    def __init__(self, engine: Engine, guards: Sequence[Lts], graph: Graph) -> None:
        self._engine, self._graph = engine, graph
        watched = [watching(engine.environment, m) for m in tripping_monitors(guards)]
        loop = Kept(engine.loop_with(watched).system, guards)
        self._system, self._untripped = loop.system, loop.untripped
        self.kept = _met(loop, graph, engine)

    @property
    def never_taken(self) -> tuple[Action, ...]:
        """What C takes somewhere and C' never does, sorted."""
        engine, graph = self._engine, self._graph
        left = _taken(self._system, graph, self.kept, self._untripped)
        able = {*engine.problem.controller.alphabet}
        able -= {*engine.problem.environment.alphabet}
        taken = {action_of(action) for row in graph.rows for action, _ in row}
        able |= taken - {TAU, START}
        if left >= able.intersection(engine.problem.controller.alphabet):
            return ()
        loop = engine.loop_with(())
        everything = _met(loop, graph, engine)
        all_of_c = _taken(loop.system, graph, everything, loop.system.ctx.true)
        return tuple(sorted(all_of_c - left))

    def _by_itself(self, within: Bdd) -> Bdd:
        ctx = self._system.ctx
        return ctx.union(self._system.pre(within, m) for m in self._system.internal)

    def _with_e(self, state: StateId, within: Bdd) -> Bdd:
        """Where E in a state can take part in a move, or make one of its own."""
        ctx, system = self._system.ctx, self._system
        return ctx.union(
            within if action == TAU else system.pre(within, system.moves[action])
            for action, _ in self._graph.rows[state]
        )

    @cached_property
    def dead(self) -> dict[StateId, Bdd]:
        """Where C' has no move with E, and C has one."""
        ctx = self._system.ctx
        found = {}
        for state, kept in enumerate(self.kept):
            free = self._by_itself(ctx.true) | self._with_e(state, ctx.true)
            left = self._by_itself(self._untripped) | self._with_e(
                state, self._untripped
            )
            found[state] = kept & free & ~left
        return found

    @cached_property
    def alone(self) -> dict[StateId, Bdd]:
        """Where C' moves, but never again with E, though C could."""
        ctx, own = self._system.ctx, self._by_itself(self._untripped)
        found = {}
        for state, kept in enumerate(self.kept):
            # Moves of C' alone lead from states of C' to such states only.
            can = self._leading(self._with_e(state, self._untripped), kept)
            stuck = kept & own & ~can
            if stuck != ctx.false:
                could = self._leading(self._with_e(state, ctx.true), ctx.true)
                found[state] = stuck & could
        return found

    def _leading(self, states: Bdd, within: Bdd) -> Bdd:
        """The states from which moves of C alone lead there; a least fixpoint."""
        states &= within
        while True:
            before = states
            for move in self._system.internal:
                states |= self._system.pre(states, move) & within
            if states == before:
                return states

    def run_to(
        self, targets: Mapping[StateId, Bdd], added: Set[Transition]
    ) -> Trace | None:
        """A shortest trace to some states of C'; it is never tripped before."""
        some = {q: s for q, s in targets.items() if s != self._system.ctx.false}
        if not some:
            return None
        engine = self._engine
        return shortest_run(
            self._system,
            engine.environment,
            self._graph,
            some,
            engine.clock,
            added=added,
        )


def _met(loop: SymbolicMonitor, graph: Graph, engine: Engine) -> list[Bdd]:
    """What is met together with each state of E."""
    met = reach(loop, graph, engine.clock, past_error=True)
    assert met is not None
    return met


def _taken(
    system: SymbolicSystem, graph: Graph, met: Sequence[Bdd], within: Bdd
) -> set[Action]:
    """The actions of C that are taken somewhere, to states in `within`."""
    found: set[Action] = set()
    for states, row in zip(met, graph.rows, strict=True):
        moves = [*system.internal]
        moves += [
            system.moves[action]
            for action, _ in row
            if action != TAU and system.moves[action].components
        ]
        found |= {
            action_of(m.action)
            for m in moves
            if action_of(m.action) not in found
            and states & system.pre(within, m) != system.ctx.false
        }
    return found - {TAU, START}
