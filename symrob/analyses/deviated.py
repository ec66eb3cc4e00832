"""E_d‖C as what becomes of goals in it: where they are impossible, and where it stops.

In:  an `Engine`, and what E gets.
Out: a `DeviatedLoop`.

Every state leads into a part of E_d‖C that is never left and in which each state leads
to each other; so a goal is lost exactly if one of these parts does not perform it.
There are few of them, often one, so all goals are decided at once.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from typing import Any, NamedTuple

from symrob.envelope.counterexample import component_states, shortest_run
from symrob.envelope.engine import Engine
from symrob.envelope.exploration import reach
from symrob.envelope.transitions import MaskGraph
from symrob.errors import Trace
from symrob.lts import TAU, Action, StateId, Transition
from symrob.lts.masks import bits
from symrob.lts.views import moves_of
from symrob.lts.views import plain as without_view
from symrob.problem import plain
from symrob.problem.goals import Goal
from symrob.symbolic.encoding import ActionRelation

# States of the closed loop, for each state of E.
Vector = list[Any]
# Searches for parts that are never left, before each goal is asked for by itself.
MOST_PARTS = 12


class Deadlock(NamedTuple):
    """A state of E in which the closed loop can deadlock.

    Attributes:
        state: The state; of a part of E where it is in parts.
        components: An example of the states of the controller's components, by name.
    """

    state: StateId
    components: tuple[str, ...]


class ProgressMachine:
    """C alone, to be met by environments.

    Args:
        engine: The problem, whose properties do not count.

    Attributes:
        actions: What C takes part in, as far as anybody sees it.
        known: That, and the actions of E.
    """

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        # With a budget, what can no longer happen counts as well.
        self.loop: Any = engine.loop_with(()).exact
        self.system = self.loop.system
        self.actions = tuple(engine.problem.controller.alphabet)
        self.known = frozenset((*self.actions, *engine.environment.alphabet))
        # Hidden actions are seen by nobody: no goal means them.
        self._own = {m.action: m for m in self.system.internal if m.action != TAU}
        self._known: dict[Action, Any] = {TAU: self.system.ctx.true}

    def able(self, action: Action) -> Any:
        """Return from where C can take part in an action of E, were it into ERROR."""
        known = self._known.get(action)
        if known is None:
            known = self._known[action] = self._start_of(self.system.moves[action])
        return known

    def alone(self, action: Action) -> Any:
        """Return from where C can perform a visible action without E."""
        move = self._own.get(action)
        return self.system.ctx.false if move is None else self._start_of(move)

    def _start_of(self, move: ActionRelation) -> Any:
        return self.system.pre(self.system.ctx.true, move) | move.error

    @cached_property
    def by_itself(self) -> Any:
        """From where C can move without E."""
        return self.system.ctx.union(map(self._start_of, self.system.internal))

    @cached_property
    def drained(self) -> Any:
        """C where something of the budget of a run may be used before."""
        return self.loop.drained

    def walk(
        self, added: frozenset[Transition], *, drained: bool = False
    ) -> DeviatedLoop:
        """Meet E with some more transitions."""
        return DeviatedLoop(self, added, self.drained if drained else self.loop)


class DeviatedLoop:
    """E_d‖C, explored.

    Args:
        machine: C.
        added: What E gets.
        loop: C, as it begins.
    """

    def __init__(
        self, machine: ProgressMachine, added: frozenset[Transition], loop: Any
    ) -> None:
        self.machine = machine
        self.added = added
        environment = machine.engine.environment
        moves = moves_of(environment, {*environment.transitions, *added})
        graph = MaskGraph.of(environment.size, moves)
        self._rows = graph.rows
        met = reach(loop, graph, machine.engine.clock, past_error=True)
        assert met is not None, "runs go on beyond ERROR"
        self.met: Vector = met
        # The parts that are never left, as far as they are known; what leads to no
        # known one; where to look next.
        self._known: list[Vector] = []
        self._left: Vector = met
        self._start: Vector | None = None
        self._searches = 0

    @cached_property
    def _moves(self) -> list[tuple[Action, int, int]]:
        """Each action with the states that it leads from and to, as bits."""
        sources: dict[tuple[Action, int], int] = {}
        for q, row in enumerate(self._rows):
            for key in row:
                sources[key] = sources.get(key, 0) | 1 << q
        return [(action, some, to) for (action, to), some in sources.items()]

    @cached_property
    def dead(self) -> Vector:
        """The states without a move."""
        machine, found = self.machine, []
        for states, row in zip(self.met, self._rows, strict=True):
            moving = machine.by_itself
            for action, _ in row:
                moving |= machine.able(action)
            found.append(states & ~moving)
        return found

    @property
    def _false(self) -> Any:
        return self.machine.system.ctx.false

    @cached_property
    def can_stop(self) -> bool:
        """Whether it can deadlock."""
        return any(states != self._false for states in self.dead)

    @property
    def stops(self) -> int:
        """The states of E in which it can stop: by a deadlock, or at E's END."""
        end = self.machine.engine.environment.end
        pairs = enumerate(zip(self.dead, self.met, strict=True))
        return sum(
            1 << q
            for q, (dead, met) in pairs
            if dead != self._false or (q == end and met != self._false)
        )

    @property
    def over(self) -> int:
        """Those of them in which E has no step at all."""
        return sum(1 << q for q in bits(self.stops) if not self._rows[q])

    def new_deadlocks(
        self, plan: DeviatedLoop, among: Vector | None = None
    ) -> Iterator[Deadlock]:
        """Yield the states of E with a deadlock that another walk lacks.

        Args:
            plan: The other walk.
            among: The deadlocks that count; by default all.
        """
        system, some = self.machine.system, self.dead if among is None else among
        for q, (dead, known) in enumerate(zip(some, plan.dead, strict=True)):
            new = system.without_counts(dead) & ~system.without_counts(known)
            found = system.pick(new)
            if found is not None:
                yield Deadlock(q, component_states(system, found))

    def lost(self, goals: Iterable[Goal], ends: int) -> set[Goal]:
        """Return the goals that are lost.

        Args:
            goals: These are asked about.
            ends: The states of E in which the plan can end, as bits.
        """
        left, gone = {*goals}, set[Goal]()
        if self.can_stop:
            gone = {goal for goal in left if goal.actions}
        left -= gone
        if not left:
            return gone
        for part in self._recurrent() if not self.can_stop else [None]:
            if part is None:
                return gone | {goal for goal in left if self.impossible(goal, ends)}
            now = {g for g in left if not self._any(self._does(g, ends), part)}
            gone, left = gone | now, left - now
            if not left:
                break
        return gone

    def trace(self, goal: Goal, ends: int) -> Trace:
        """Return a shortest trace to where a goal that is lost is impossible."""
        states = self.impossible(goal, ends)
        assert states is not None, "the goal is lost"
        return self.run_to(states)

    def run_to(self, states: Mapping[StateId, Any]) -> Trace:
        """Return a shortest trace to some states, by state of E, that are met."""
        engine = self.machine.engine
        found = shortest_run(
            self.machine.system,
            engine.environment,
            engine.extended(self.added),
            states,
            engine.clock,
            added=self.added,
        )
        assert found is not None, "what was met is reached"
        return found

    def _does(self, goal: Goal, ends: int) -> Vector:
        """The states that perform a goal."""
        machine = self.machine
        if not goal.actions:
            return [met if ends >> q & 1 else self._false for q, met in self._each]
        ctx = machine.system.ctx
        alone = ctx.union(machine.alone(action) for action in goal.actions)
        wanted = {*goal.actions}
        found = []
        for (_, met), row in zip(self._each, self._rows, strict=True):
            able = alone
            for action, _ in row:
                if plain(without_view(action)) in wanted:
                    able |= machine.able(action)
            found.append(met & able)
        return found

    @property
    def _each(self) -> Iterator[tuple[StateId, Any]]:
        return iter(enumerate(self.met))

    def _any(self, one: Vector, other: Vector) -> bool:
        return any(a & b != self._false for a, b in zip(one, other, strict=True))

    def impossible(self, goal: Goal, ends: int) -> Mapping[StateId, Any] | None:
        """By state of E, from where a goal is impossible; `None` if from nowhere."""
        to_it = self._closure(self._does(goal, ends), back=True)
        pairs = enumerate(zip(self.met, to_it, strict=True))
        found = {q: met & ~able for q, (met, able) in pairs}
        return {q: s for q, s in found.items() if s != self._false} or None

    def _recurrent(self) -> Iterator[Vector | None]:
        """Yield the parts that are never left; `None` at the end where these are many.

        Each is found once.
        """
        yield from self._known
        while self._searches < MOST_PARTS:
            self._searches += 1
            if all(states == self._false for states in self._left):
                return
            if self._searches == 1:
                # What the initial state leads to is known.
                start, ahead = self._initial, self.met
            else:
                start, self._start = self._start or self._one_of(self._left), None
                ahead = self._closure(start, back=False)
            behind = self._closure(start, back=True)
            beyond = [a & ~b for a, b in zip(ahead, behind, strict=True)]
            if any(states != self._false for states in beyond):
                # What is ahead and does not lead back is nearer to such a part.
                self._start = self._one_of(beyond)
                continue
            self._left = [s & ~b for s, b in zip(self._left, behind, strict=True)]
            self._known.append(ahead)
            yield ahead
        if any(states != self._false for states in self._left):
            yield None

    @property
    def _initial(self) -> Vector:
        found = [self._false] * len(self.met)
        found[0] = self.machine.system.initial
        return found

    def _one_of(self, states: Vector) -> Vector:
        """A single state of some."""
        system = self.machine.system
        found = [self._false] * len(self.met)
        # Those that are met last are the furthest from the start, more or less.
        for q in reversed(range(len(states))):
            picked = system.pick(states[q])
            if picked is not None:
                found[q] = system.ctx.cube(picked)
                break
        return found

    def _closure(self, start: Vector, *, back: bool) -> Vector:
        """Add all that some states lead to, or all that is met and leads to them.

        A least fixpoint: ends, since states are finite and each round adds some.
        """
        loop, clock = self.machine.loop, self.machine.engine.clock
        met, false = self.met, self._false

        def closed(states: Any, q: StateId, after: Action | None = None) -> Any:
            if back:
                return loop.close_back(states & met[q], met[q], after)
            return states if after is not None else loop.system.close(states)

        found = [s if s == false else closed(s, q) for q, s in enumerate(start)]
        dirty = sum(1 << q for q, states in enumerate(found) if states != false)
        step = loop.pre if back else loop.post
        while dirty:
            clock.check()
            now, dirty = dirty, 0
            for action, sources, targets in self._moves:
                here, there = (targets, sources) if back else (sources, targets)
                if not here & (now | dirty):
                    continue
                states = false
                for q in bits(here):
                    states |= found[q]
                image = step(states, action)
                for q in bits(there):
                    if back and image & met[q] & ~found[q] == false:
                        continue
                    new = closed(image, q, action) & ~found[q]
                    if new != false:
                        found[q] |= new
                        dirty |= 1 << q
        return found
