"""The determinised C, encoded once, for evaluating guards.

In:  an `Engine`, and memories that guards read.
Out: `GuardFacts`. A guard is a set of its states in which an action is refused, so that
     trying one needs no encoding.

The determinised C has the traces of C, so it stands for C where P is about traces. If a
requirement is about states, or there are several initial states, C itself runs with E;
the determinised C then observes it, as a memory does, and blocks nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import replace
from functools import cached_property

from symrob.envelope.cache import Cache
from symrob.envelope.counterexample import shortest_violation
from symrob.envelope.engine import Engine
from symrob.envelope.exploration import reach
from symrob.envelope.monitors import SymbolicMonitor
from symrob.envelope.transitions import Graph
from symrob.errors import Trace
from symrob.lts import Action, Lts, Network
from symrob.problem import (
    Model,
    Monitor,
    Problem,
    action_of,
    counting_machine,
    watching,
)
from symrob.repair.components import MEMORY, Guard
from symrob.repair.cover import Point
from symrob.repair.plant import known_parts
from symrob.symbolic.context import Bdd, Context
from symrob.symbolic.encoding import ActionRelation, SymbolicSystem
from symrob.symbolic.guarded import GuardedSystem
from symrob.symbolic.parts import code_of, number_of

# Components by their numbers, in order.
View = tuple[int, ...]
# Where each action is refused.
Refused = Mapping[Action, Bdd]


class GuardFacts:
    """The determinised C, beside P and some memories.

    Args:
        engine: The problem.
        memories: The memories of guards; an action that one does not offer keeps its
            state.

    Attributes:
        parts: The determinised components of C, each with its name.
        system: C, P and what observes C, in bits, for composition with E.

    Raises:
        LimitExceeded: A bound was hit; here and in every method.
    """

    def __init__(self, engine: Engine, memories: Sequence[Lts] = ()) -> None:
        self._engine = engine
        problem, e = engine.problem, engine.environment
        self.parts = known_parts(problem, engine.clock)
        looked = [*self.parts, *((MEMORY, memory) for memory in memories)]
        self._numbers = {one: i for i, one in enumerate(looked)}
        self._names = [
            {lts.state_name(s): s for s in range(lts.size)} for _, lts in self.parts
        ]
        observing = [Monitor(name, _observing(lts)) for name, lts in looked]
        # How many of the parts are components of what runs with E.
        self._running = 0
        self._machine: Model = problem.controller
        if not problem.judges_states and e.views is None:
            self._running = len(self.parts)
            self._machine = Network([lts for _, lts in self.parts])
        self._observing = observing[self._running :]
        self.system = self._encoded(
            replace(engine.walked, controller=counting_machine(e, self._machine)),
            [*engine.walked.properties, *(watching(e, m) for m in self._observing)],
        )
        self._cells: dict[tuple[Action, View], dict[Point, int]] = {}

    def _encoded(
        self, problem: Problem, monitors: Sequence[Monitor], *, alone: bool = False
    ) -> SymbolicSystem:
        """A problem in bits; C alone takes all actions, whatever E does."""
        controller, seen, alphabet, _ = problem.seen(monitors)
        context = Context(self._engine.backend, self._engine.clock)
        return SymbolicSystem(context, controller, seen, () if alone else alphabet)

    def _places(self, system: SymbolicSystem) -> list[int]:
        """The places, in a system, of the parts, and then of the memories."""
        count = len(system.parts)
        last = range(count - len(self._observing), count)
        return [*range(self._running), *last]

    def _bits(self, system: SymbolicSystem, view: Iterable[int]) -> list[Sequence[str]]:
        """The bits of some parts in a system."""
        places = self._places(system)
        return [system.parts[places[i]][1] for i in view]

    def refused(self, guards: Iterable[Guard]) -> dict[Action, Bdd]:
        """Return the states in which some guards refuse each action."""
        return self._refused(self.system, guards)

    def _refused(
        self, system: SymbolicSystem, guards: Iterable[Guard]
    ) -> dict[Action, Bdd]:
        ctx, places = system.ctx, self._places(system)
        where: dict[Action, Bdd] = {}
        for guard in guards:
            states = ctx.false
            for term in guard.terms:
                held = ctx.true
                for one in term:
                    number = self._numbers[one.component, one.lts]
                    held &= system.where(places[number], one.states)
                states |= held
            where[guard.action] = where.get(guard.action, ctx.false) | states
        return where

    def cells(self, view: View, points: Iterable[Point]) -> Bdd:
        """Return the states in which some components have one of some combinations."""
        ctx, parts = self.system.ctx, self._bits(self.system, view)
        return ctx.union(
            ctx.cube(
                {
                    name: value
                    for bits, state in zip(parts, point, strict=True)
                    for name, value in code_of(state, bits).items()
                }
            )
            for point in points
        )

    def refusable(self, kept: Bdd) -> Bdd:
        """Return all states except those that agree with some in all components."""
        return ~self._shadow(self.system, kept, range(len(self.parts)))[0]

    def points(self, states: Bdd, view: View) -> Set[Point]:
        """Return the combinations of states of some components in a set."""
        return self._points(self.system, states, view)

    def _points(self, system: SymbolicSystem, states: Bdd, view: View) -> Set[Point]:
        parts = self._bits(system, view)
        shadow, kept = self._shadow(system, states, view)
        return {
            tuple(number_of(values, bits) for bits in parts)
            for values in system.ctx.iterate(shadow, kept)
        }

    def _shadow(
        self, system: SymbolicSystem, states: Bdd, view: Iterable[int]
    ) -> tuple[Bdd, list[str]]:
        """A set projected to some parts, and their bits."""
        kept = [bit for bits in self._bits(system, view) for bit in bits]
        others = [bit for bit in system.bits if bit not in set(kept)]
        return system.ctx.exists(states, others), kept

    def closed_loop(self, refused: Refused) -> SymbolicMonitor:
        """Return C and P as E meets them, with what is refused."""
        return SymbolicMonitor(GuardedSystem(self.system, refused))

    def keeps(self, loop: SymbolicMonitor, graph: Graph) -> bool:
        """Whether P holds with some transitions of E."""
        return reach(loop, graph, self._engine.clock) is not None

    def taken_in_violation(
        self, loop: SymbolicMonitor, graph: Graph, action: Action, view: View
    ) -> Set[Point] | None:
        """Return where a shortest violating trace takes an action.

        `None` if there is no violating trace.
        """
        engine = self._engine
        run = shortest_violation(loop.system, engine.environment, graph, engine.clock)
        return None if run is None else set(self._taken(run, action, view))

    def _taken(self, run: Trace, action: Action, view: View) -> Iterable[Point]:
        first = len(self._engine.problem.properties)
        for before, step in zip((run.start, *run.steps), run.steps, strict=False):
            if step.action == action:
                known = before.components if self._running else before.monitors[first:]
                yield tuple(self._names[i][known[i]] for i in view)

    # What is planned.

    @cached_property
    def _plan(self) -> list[Bdd]:
        """With each state of E, what is met as planned."""
        return self._met(SymbolicMonitor(self.system))

    def _met(self, loop: SymbolicMonitor) -> list[Bdd]:
        met = reach(loop, self._engine.nominal, self._engine.clock)
        assert met is not None, "the plan is safe"
        return met

    def planned(self, action: Action, refused: Refused | None = None) -> Bdd:
        """Return the states in which an action is taken as planned, under guards."""
        met = self._plan if refused is None else self._met(self.closed_loop(refused))
        union, able = self.system.ctx.union, self._possible[action]
        states = union(
            x for x, own in zip(met, self._own, strict=True) if action in own
        )
        return states & able & ~(refused or {}).get(action, self.system.ctx.false)

    def loses_trace(self, refused: Refused) -> bool:
        """Return whether a trace of the plan is lost: it takes what is refused."""
        empty = self.system.ctx.false
        return any(self._in_plan[a] & states != empty for a, states in refused.items())

    def lost(self, refused: Refused) -> int:
        """Return how many steps of the plan are lost: no trace takes them any more.

        A step is an action of C in a state of E and of the determinised C, whatever the
        memories are.
        """
        met = self._met(self.closed_loop(refused))
        return self._planned_steps - self._steps(met, refused)

    @cached_property
    def _in_plan(self) -> dict[Action, Bdd]:
        return {action: self.planned(action) for action in self._possible}

    @cached_property
    def _planned_steps(self) -> int:
        return self._steps(self._plan, {})

    def _steps(self, met: Sequence[Bdd], refused: Refused) -> int:
        able = dict(self._possible)
        for action, states in refused.items():
            able[action] &= ~states
        # Most states of E are met with the same states of C as others.
        steps = Cache[tuple[Bdd, Action], int](
            lambda key: self._machine_states(self.system, key[0] & able[key[1]])
        )
        return sum(
            steps[states, action]
            for states, own in zip(met, self._own, strict=True)
            for action in own
        )

    @cached_property
    def _own(self) -> list[Set[Action]]:
        """With each state of E, the actions that C can take."""
        able = self._possible.keys()
        alone = able - {*self._engine.problem.environment.alphabet}
        return [
            alone | ({action_of(label) for label, _ in row} & able)
            for row in self._engine.nominal.rows
        ]

    @cached_property
    def _possible(self) -> dict[Action, Bdd]:
        """By action of C, where it can take it, were it into ERROR."""
        system = self.system
        return self._takes(system, [*system.internal, *system.moves.values()])

    def _takes(
        self, system: SymbolicSystem, moves: Iterable[ActionRelation]
    ) -> dict[Action, Bdd]:
        ctx, found = system.ctx, dict.fromkeys(self._machine.alphabet, system.ctx.false)
        for move in moves:
            action = action_of(move.action)
            if action in found:
                found[action] |= system.pre(ctx.true, move) | move.error
        return found

    # What C can do, whatever E does.

    @cached_property
    def _alone(self) -> tuple[SymbolicSystem, Bdd]:
        """C with what observes it, and the states that it reaches with any E."""
        problem = replace(self._engine.problem, controller=self._machine)
        system = self._encoded(problem, self._observing, alone=True)
        return system, system.close(system.initial)

    @cached_property
    def _able(self) -> dict[Action, Bdd]:
        """Where C takes each action, whatever E does."""
        system, reached = self._alone
        taken = self._takes(system, system.internal)
        return {action: reached & states for action, states in taken.items()}

    def states(self, guards: Sequence[Guard]) -> int:
        """Return the number of states of C in which guards refuse, for each action."""
        system, _ = self._alone
        refused = self._refused(system, guards)
        return sum(
            self._machine_states(system, where & self._able[action])
            for action, where in refused.items()
        )

    def where_taken(self, action: Action, view: View) -> dict[Point, int]:
        """Return where C takes an action, by the states of some components.

        Returns:
            For each combination of their states: the number of states of C.
        """
        known = self._cells.get((action, view))
        if known is None:
            system, _ = self._alone
            able, places = self._able[action], self._places(system)
            known = {}
            for point in sorted(self._points(system, able, view)):
                here = able
                for number, state in zip(view, point, strict=True):
                    here &= system.where(places[number], [state])
                known[point] = self._machine_states(system, here)
            self._cells[action, view] = known
        return known

    def _machine_states(self, system: SymbolicSystem, states: Bdd) -> int:
        """How many states of C there are in a set."""
        shadow, machine = self._shadow(system, states, range(len(self.parts)))
        return system.ctx.count(shadow, machine)


def _observing(lts: Lts) -> Lts:
    """What follows actions and blocks none; without a move it stays as it is."""
    stays = [
        (state, action, state)
        for state, row in enumerate(lts.successors)
        for action in lts.alphabet
        if action not in row
    ]
    return Lts(lts.alphabet, lts.size, [*lts.transitions, *stays], names=lts.names)
