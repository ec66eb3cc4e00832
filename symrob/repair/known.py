"""The determinised C, encoded once, for evaluating guards.

In:  an `Engine`, and memories that guards read.
Out: `GuardFacts`. A guard is a set of its states in which an action is refused, so that
     trying one needs no encoding.

The determinised C has the traces of C, and P is about traces. A memory observes and
blocks nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from functools import cached_property

from symrob.envelope.cache import Cache
from symrob.envelope.counterexample import shortest_violation
from symrob.envelope.engine import Engine
from symrob.envelope.exploration import reach
from symrob.envelope.monitors import SymbolicMonitor
from symrob.envelope.transitions import Graph
from symrob.errors import Trace
from symrob.lts import Action, Lts, Network
from symrob.problem import counted_as, counting_machine, plain
from symrob.repair.components import MEMORY, Guard
from symrob.repair.cover import Point
from symrob.repair.plant import known_parts
from symrob.symbolic.context import Bdd, Context
from symrob.symbolic.encoding import SymbolicSystem
from symrob.symbolic.guarded import GuardedSystem
from symrob.symbolic.parts import code_of, number_of

# Components by their places, in order.
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
        system: All of it in bits, for composition with E.

    Raises:
        LimitExceeded: A bound was hit; here and in every method.
    """

    def __init__(self, engine: Engine, memories: Sequence[Lts] = ()) -> None:
        self._engine = engine
        self.parts = known_parts(engine.problem.controller, engine.clock)
        watching = [(MEMORY, _watching(memory)) for memory in memories]
        named = [*self.parts, *watching]
        self._network = Network(
            [lts for _, lts in named], component_names=[name for name, _ in named]
        )
        self._places = {looked: i for i, looked in enumerate(self.parts)}
        for place, memory in enumerate(memories, len(self.parts)):
            self._places[MEMORY, memory] = place
        self.system = SymbolicSystem(
            Context(engine.backend, engine.clock),
            counting_machine(engine.environment, self._network),
            engine.walked.properties,
            engine.environment.alphabet,
        )
        self._names = [
            {lts.state_name(s): s for s in range(lts.size)} for _, lts in self.parts
        ]
        self._cells: dict[tuple[Action, View], dict[Point, int]] = {}

    def refused(self, guards: Iterable[Guard]) -> dict[Action, Bdd]:
        """Return the states in which some guards refuse each action."""
        return self._refused(self.system, guards)

    def _refused(
        self, system: SymbolicSystem, guards: Iterable[Guard]
    ) -> dict[Action, Bdd]:
        ctx = system.ctx
        where: dict[Action, Bdd] = {}
        for guard in guards:
            states = ctx.false
            for term in guard.terms:
                held = ctx.true
                for one in term:
                    place = self._places[one.component, one.lts]
                    held &= system.where(place, one.states)
                states |= held
            where[guard.action] = where.get(guard.action, ctx.false) | states
        return where

    def cells(self, view: View, points: Iterable[Point]) -> Bdd:
        """Return the states in which some components have one of some combinations."""
        ctx, parts = self.system.ctx, self.system.parts
        return ctx.union(
            ctx.cube(
                {
                    name: value
                    for place, state in zip(view, point, strict=True)
                    for name, value in code_of(state, parts[place][1]).items()
                }
            )
            for point in points
        )

    def refusable(self, kept: Bdd) -> Bdd:
        """Return all states except those that agree with some in all components."""
        machine = {b for _, bits in self.system.parts[: len(self.parts)] for b in bits}
        others = [bit for bit in self.system.bits if bit not in machine]
        return ~self.system.ctx.exists(kept, others)

    def points(self, states: Bdd, view: View) -> Set[Point]:
        """Return the combinations of states of some components in a set."""
        return _points(self.system, states, view)

    def closed_loop(self, refused: Refused) -> SymbolicMonitor:
        """Return C and P as E meets them, with what is refused."""
        e = self._engine.environment
        where = {x: there for a, there in refused.items() for x in counted_as(e, a)}
        return SymbolicMonitor(GuardedSystem(self.system, where))

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
        for before, step in zip((run.start, *run.steps), run.steps, strict=False):
            if step.action == action:
                yield tuple(self._names[i][before.components[i]] for i in view)

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

    def lost(self, refused: Refused) -> int:
        """Return how many steps of the plan are lost.

        A step is an action of C in a state of E and of the determinised C.
        """
        empty = self.system.ctx.false
        if all(self._in_plan[a] & states == empty for a, states in refused.items()):
            return 0
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
    def _own(self) -> list[list[Action]]:
        """With each state of E, the actions that C can take."""
        alone = [move.action for move in self.system.internal]
        return [
            alone + [a for a in map(plain, dict(row)) if a in self._possible]
            for row in self._engine.nominal.rows
        ]

    @cached_property
    def _possible(self) -> dict[Action, Bdd]:
        """By action of C, where it can take it, were it into ERROR."""
        system = self.system
        moves = [*system.internal, *(m for m in system.moves.values() if m.components)]
        found: dict[Action, Bdd] = {}
        for move in moves:
            action = plain(move.action)
            able = system.pre(system.ctx.true, move) | move.error
            found[action] = found.get(action, system.ctx.false) | able
        return found

    # What C can do, whatever E does.

    @cached_property
    def _alone(self) -> tuple[SymbolicSystem, Bdd]:
        """C with its memories by itself, and the states that it reaches."""
        context = Context(self._engine.backend, self._engine.clock)
        system = SymbolicSystem(context, self._network, (), ())
        return system, system.close(system.initial)

    @cached_property
    def _able(self) -> dict[Action, Bdd]:
        """Where C takes each action, whatever E does."""
        system, reached = self._alone
        true = system.ctx.true
        return {
            m.action: reached & (system.pre(true, m) | m.error) for m in system.internal
        }

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
            able = self._able[action]
            known = {}
            for point in sorted(_points(system, able, view)):
                here = able
                for place, state in zip(view, point, strict=True):
                    here &= system.where(place, [state])
                known[point] = self._machine_states(system, here)
            self._cells[action, view] = known
        return known

    def _machine_states(self, system: SymbolicSystem, states: Bdd) -> int:
        """How many states of C there are in a set."""
        machine = [b for _, bits in system.parts[: len(self.parts)] for b in bits]
        others = [b for b in system.bits if b not in set(machine)]
        return system.ctx.count(system.ctx.exists(states, others), machine)


def _points(system: SymbolicSystem, states: Bdd, view: View) -> Set[Point]:
    parts = [system.parts[place][1] for place in view]
    kept = [bit for bits in parts for bit in bits]
    shadow = system.ctx.exists(states, [b for b in system.bits if b not in set(kept)])
    return {
        tuple(number_of(values, bits) for bits in parts)
        for values in system.ctx.iterate(shadow, kept)
    }


def _watching(memory: Lts) -> Lts:
    """A memory that offers all its actions, as a component that blocks nothing."""
    moves = [
        (state, action, state)
        for state in range(memory.size)
        for action in memory.alphabet
        if action not in memory.successors[state]
    ]
    return Lts(memory.alphabet, memory.size, [*memory.transitions, *moves])
