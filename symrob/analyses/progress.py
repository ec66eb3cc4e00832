"""Loss of progress: goals that can become impossible, and new deadlocks.

In:  the engines of a problem: that of E as a whole, or those of its independent parts.
Out: `PlanProgress`: for a set of added transitions the goals that are lost with it,
     each with a shortest trace to where it is lost, and the deadlocks that the plan
     lacks.

A goal is *lost* if from some reachable state of E_d‖C no state that performs it is
reachable. Every state leads to a bottom strongly connected component of E_d‖C; so a
goal is lost exactly if one of these components does not perform it. There are few of
them, often one, so all goals are decided at once. The properties and constraints
prevent nothing and are ignored.

Parts of E move independently: a goal is lost if each part loses it, and the end of the
plan if some part loses it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

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
from symrob.problem.goals import COMPLETION, Goal
from symrob.symbolic.encoding import ActionRelation

# States of the closed loop, for each state of E.
Vector = list[Any]
# Searches for parts that are never left, before each goal is asked for by itself.
MOST_PARTS = 12


class Deadlock(NamedTuple):
    """A state of E in which the closed loop can deadlock.

    Attributes:
        state: The state; of a part of E if it consists of parts.
        components: An example of the states of the controller's components, by name.
    """

    state: StateId
    components: tuple[str, ...]


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
    def _plans(self) -> list[_DeviatedLoop]:
        machines = [_Machine(engine) for engine in self._engines]
        return [machine.walk(frozenset()) for machine in machines]

    @cached_property
    def _ends(self) -> list[int]:
        """For each part the states of E in which the plan can end, as bits.

        Where E has nothing left to do; if it always has, where E and C stop.
        """
        over = [walk.over for walk in self._plans]
        return over if all(over) else [walk.stops for walk in self._plans]

    @cached_property
    def ends(self) -> bool:
        """Whether the plan can end."""
        return all(self._ends)

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
        ends = other._ends if same else self._ends
        walks = self._plans if added is None else self._walks(added)
        return self._lost(walks, goals, ends)

    def _walks(self, added: Sequence[frozenset[Transition]]) -> list[_DeviatedLoop]:
        plans = self._plans
        return [p.machine.walk(new) for p, new in zip(plans, added, strict=True)]

    def _lost(
        self,
        walks: Sequence[_DeviatedLoop],
        goals: Sequence[Goal],
        ends: Sequence[int] | None = None,
    ) -> tuple[LostGoal, ...]:
        ends = self._ends if ends is None else ends
        gone = [w.lost(goals, e) for w, e in zip(walks, ends, strict=True)]
        found = []
        for goal in goals:
            losing = [goal in each for each in gone]
            if all(losing) if goal.actions else any(losing):
                found.append(LostGoal(goal, _Finder(walks, ends, goal)))
        return tuple(found)

    def _new_deadlocks(self, walks: Sequence[_DeviatedLoop]) -> Iterator[Deadlock]:
        if not all(walk.can_stop for walk in walks):
            return
        for walk, plan in zip(walks, self._plans, strict=True):
            yield from walk.new_deadlocks(plan)


@dataclass(frozen=True)
class _Finder:
    """Finds the traces to where a goal is lost."""

    walks: Sequence[_DeviatedLoop]
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


class _Machine:
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

    def walk(self, added: frozenset[Transition]) -> _DeviatedLoop:
        """Meet E with some more transitions."""
        return _DeviatedLoop(self, added)


class _DeviatedLoop:
    """E_d‖C, explored.

    Args:
        machine: C.
        added: What E gets.
    """

    def __init__(self, machine: _Machine, added: frozenset[Transition]) -> None:
        self.machine = machine
        self.added = added
        environment = machine.engine.environment
        moves = moves_of(environment, {*environment.transitions, *added})
        graph = MaskGraph.of(environment.size, moves)
        self._rows = graph.rows
        met = reach(machine.loop, graph, machine.engine.clock, past_error=True)
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

    def new_deadlocks(self, plan: _DeviatedLoop) -> Iterator[Deadlock]:
        """Yield the states of E with a deadlock that another walk lacks."""
        system = self.machine.system
        for q, (dead, known) in enumerate(zip(self.dead, plan.dead, strict=True)):
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
                return gone | {goal for goal in left if self._gone(goal, ends)}
            now = {g for g in left if not self._any(self._does(g, ends), part)}
            gone, left = gone | now, left - now
            if not left:
                break
        return gone

    def trace(self, goal: Goal, ends: int) -> Trace:
        """Return a shortest trace to where a goal that is lost is impossible."""
        states, engine = self._gone(goal, ends), self.machine.engine
        assert states is not None, "the goal is lost"
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

    def _gone(self, goal: Goal, ends: int) -> Mapping[StateId, Any] | None:
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
