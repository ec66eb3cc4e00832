"""The transitions of E to forbid if the plan is unsafe.

In:  the safe sets of E's own transitions, as a `Space`: E's `tau` steps are its
     environment, all other transitions of E, or groups of them, its candidates.
Out: `Assumed`: iterate over it for each minimal set whose removal makes the plan safe.

The minimal sets to forbid are the complements of the maximal safe ones. Constraints are
ignored: they describe what E does not do besides its plan.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import islice
from typing import ClassVar, NoReturn

from symrob.analyses.assumptions import Mattering
from symrob.analyses.space import About, Space, Timing, units_in
from symrob.envelope.counterexample import shortest_run
from symrob.envelope.engine import Engine
from symrob.envelope.exploration import reach
from symrob.envelope.transitions import Graph
from symrob.errors import Trace, stopped_after
from symrob.limits import Clock, Stages, Status
from symrob.lts import TAU, Action, Lts, StateId, Transition
from symrob.lts.naming import distinct
from symrob.lts.views import START, moves_of, plain, with_transitions
from symrob.memory import Closable
from symrob.problem import Unit, UnitSet
from symrob.shown import Shown
from symrob.symbolic.context import Bdd

# Answers that text lists, unless all are asked for.
MOST_LISTED = 50
# This many answers are sorted, the smallest first; others come as they are found.
SORTED = 1_000
# If there are no more answers than this, those that cost the plan least come first.
RANKED = 20


@dataclass(frozen=True)
class Needed:
    """Why one unit of an answer must be forbidden.

    Attributes:
        unit: The transition; or the action, or the transition of a component.
        trace: A shortest trace that violates a property if all other units of the
            answer are forbidden and this one is not.
    """

    unit: Unit
    trace: Trace


@dataclass(frozen=True)
class PlanLosses:
    """What the plan can no longer do.

    Attributes:
        run: A shortest trace of the plan that ends with a forbidden step and violates
            nothing; `None` if each forbidden step immediately violates a property.
        actions: The actions that the plan performs before a violation, and the repaired
            plan never does; sorted.
        deadlock: A shortest trace of the repaired plan to a deadlock that the plan does
            not have; `None` if there is none.
    """

    run: Trace | None
    actions: tuple[Action, ...]
    deadlock: Trace | None


@dataclass(frozen=True)
class Forbidden(Shown):
    """A minimal set of E's own transitions whose removal makes the plan safe.

    Attributes:
        forbid: The transitions, with E's numbers of states.
        units: The units that it consists of: transitions, or names of actions or of
            transitions of components.
        plan: The plan that it is an answer for.
    """

    also: ClassVar = {"needed": "known_needed", "lost": "known_lost"}

    forbid: frozenset[Transition]
    units: UnitSet
    plan: Plan = field(repr=False, compare=False)

    def __len__(self) -> int:
        return len(self.units)

    @cached_property
    def needed(self) -> tuple[Needed, ...]:
        """For each unit a trace that shows why it must be forbidden."""
        with self.plan.clock.suspended():
            return self.plan.needed(self)

    @cached_property
    def lost(self) -> PlanLosses:
        """What the plan can no longer do."""
        with self.plan.clock.suspended():
            return self.plan.lost(self.forbid)

    @property
    def known_needed(self) -> tuple[Needed, ...] | None:
        """`needed`, if it was computed already."""
        return vars(self).get("needed")

    @property
    def known_lost(self) -> PlanLosses | None:
        """`lost`, if it was computed already."""
        return vars(self).get("lost")

    def explain(self) -> None:
        """Compute `needed` and `lost` now, within the bounds of the run.

        Raises:
            LimitExceeded: A bound was hit.
        """
        # Where the cached properties keep them.
        vars(self)["needed"] = self.plan.needed(self)
        vars(self)["lost"] = self.plan.lost(self.forbid)


def _loss(answer: Forbidden) -> tuple[bool, int, int]:
    """What is worse about an answer: a new deadlock, lost actions, its size."""
    lost = answer.lost
    return lost.deadlock is not None, len(lost.actions), len(answer)


class Plan(Closable):
    """An environment whose own transitions are the candidates.

    Args:
        space: The sets of these transitions; E's `tau` steps with C are safe.
        environment: E with all its transitions.

    Attributes:
        space: As given.
        environment: As given.
    """

    def __init__(self, space: Space, environment: Lts) -> None:
        self.space = space
        self.environment = environment

    def close(self) -> None:
        """See `Closable`."""
        self.space.close()
        vars(self).pop("_loop", None)

    @property
    def engine(self) -> Engine:
        """The engine for E's `tau` steps."""
        return self.space.required_whole("this answer")

    @property
    def clock(self) -> Clock:
        """The clock of the run."""
        return self.space.clock

    @cached_property
    def about(self) -> About:
        """E and the groups of its transitions, for output."""
        about = self.space.about
        return replace(about, environment=self.environment, among=None, classes=None)

    def without(self, forbidden: frozenset[Transition]) -> Lts:
        """Return E without some transitions, with the same states and actions."""
        e = self.environment
        kept = [t for t in e.transitions if t not in forbidden]
        return with_transitions(e, kept)

    def answers(self) -> Iterator[Forbidden]:
        """Yield each answer as it is found."""
        planned, everything = self.environment.visible_transitions, {*self.space.all}
        for found in self.space.maximal():
            units = units_in(found)
            forbid = planned - self.space.added(units)
            yield Forbidden(forbid, frozenset(everything - units), self)

    def needed(self, answer: Forbidden) -> tuple[Needed, ...]:
        """Return a trace for each unit; cost: a search of the closed loop for each."""
        kept, engine = frozenset(self.space.all) - answer.units, self.engine
        found = []
        for unit in sorted(answer.units):
            graph = engine.extended(self.space.added(kept | {unit}))
            found.append(Needed(unit, engine.property_trace(graph)))
        return tuple(found)

    def lost(self, forbidden: frozenset[Transition]) -> PlanLosses:
        """Return what the plan can no longer do; cost: a few searches of the loop."""
        if not forbidden:
            return PlanLosses(None, (), None)
        left = _Loop(self.engine, self.without(forbidden))
        actions = self._loop.taken - left.taken
        run = self._loop.run_with(forbidden)
        return PlanLosses(run, tuple(sorted(actions)), left.stuck(self._loop))

    @cached_property
    def _loop(self) -> _Loop:
        return _Loop(self.engine, self.environment)


class _Loop:
    """An environment with C, as far as no property is violated."""

    def __init__(self, engine: Engine, environment: Lts) -> None:
        self._engine, self._environment = engine, environment
        self._loop = engine.closed_loop
        self._system = self._loop.system
        moves = moves_of(environment, environment.transitions)
        self._graph = Graph.of(environment.size, moves)
        met = reach(self._loop, self._graph, engine.clock, past_error=True)
        assert met is not None
        self._met: Sequence[Bdd] = met

    @cached_property
    def taken(self) -> frozenset[Action]:
        """The actions that are performed somewhere and violate nothing."""
        system, found = self._system, set[Action]()
        true, false = system.ctx.true, system.ctx.false
        for states, row in zip(self._met, self._graph.rows, strict=True):
            moves = [*system.internal]
            moves += [system.moves[action] for action, _ in row if action != TAU]
            for move in moves:
                action = plain(move.action)
                if action not in found and states & system.pre(true, move) != false:
                    found.add(action)
        return frozenset(found - {TAU, START})

    def _moving(self, state: StateId) -> Bdd:
        """Where something can happen, if only a violation."""
        system, true = self._system, self._system.ctx.true
        moves = [*system.internal]
        moves += [system.moves[a] for a, _ in self._graph.rows[state] if a != TAU]
        silent = any(action == TAU for action, _ in self._graph.rows[state])
        able = (system.pre(true, move) | move.error for move in moves)
        return true if silent else system.ctx.union(able)

    def stuck(self, plan: _Loop) -> Trace | None:
        """A shortest trace to a deadlock that the plan does not have."""
        false = self._system.ctx.false
        targets = {}
        for state, met in enumerate(self._met):
            if self._graph.rows[state] != plan._graph.rows[state] and met != false:
                ended = met & ~self._moving(state) & plan._moving(state)
                targets[state] = ended
        return self._run_to(
            {q: states for q, states in targets.items() if states != false}
        )

    def _run_to(self, targets: dict[StateId, Bdd]) -> Trace | None:
        if not targets:
            return None
        engine = self._engine
        return shortest_run(
            *(self._system, self._environment, self._graph, targets, engine.clock)
        )

    def run_with(self, steps: frozenset[Transition]) -> Trace | None:
        """A shortest trace that ends with one of some steps and violates nothing.

        Each of these leads to a copy of its target, from where nothing goes on.
        """
        environment, engine = self._environment, self._engine
        copies = {
            target: environment.size + number
            for number, target in enumerate(sorted({t.target for t in steps}))
        }
        size = environment.size + len(copies)
        names = [environment.state_name(q) for q in range(environment.size)]
        marked = Lts(
            environment.alphabet,
            size,
            [
                Transition(t.source, t.action, copies[t.target]) if t in steps else t
                for t in environment.transitions
            ],
            names=distinct([*names, *map(environment.state_name, copies)]),
            parts=environment.parts,
            initial=environment.initial,
        )
        marked.starts = environment.starts
        if environment.views is not None:
            copied = (environment.views[target] for target in copies)
            marked.views = (*environment.views, *copied)
        graph = Graph.of(size, moves_of(marked, marked.transitions))
        targets = dict.fromkeys(copies.values(), self._system.ctx.true)
        trace = shortest_run(self._system, marked, graph, targets, engine.clock)
        if trace is None:
            return None
        called = {marked.state_name(copy): target for target, copy in copies.items()}
        *before, last = trace.steps
        target = called[last.environment]
        told = environment.state_name(target), environment.part_names(target)
        last = replace(last, environment=told[0], parts=told[1])
        return replace(trace, steps=(*before, last))


@dataclass(frozen=True)
class AssumedEnd:
    """The final results, after the last answer.

    Attributes:
        safe: Whether the plan is safe as it is, so that nothing must be forbidden.
        mattering: Which assumptions matter, if the plan is safe; `None` if it is
            unsafe, there are no assumptions, or the plan violates one.
        timing: The time used.
        status: `complete`, or what stopped the run.
        reason: Why something is missing; empty if nothing is.
    """

    safe: bool | None
    mattering: Mattering | None
    timing: Timing
    status: Status
    reason: str


class Assumed(Shown, Iterator[Forbidden]):
    """The minimal sets to forbid, each once.

    Up to `RANKED` answers come by what the plan loses: those without a new deadlock
    first, then those that lose the fewest actions, then the smallest. Of more, the
    first thousand are sorted by size.

    The iteration ends early, without an exception, when a bound is hit or the user
    interrupts; then `status` gives the reason, and earlier answers are valid.

    Args:
        plan: The transitions of E, and their sets.
        limit: Stop after this many; at least 1.
        explained: For this many answers, compute traces and losses at once, so that an
            interrupt loses nothing; for others on demand.
        matters: Computes which assumptions matter; called if the plan is safe.

    Attributes:
        plan: As given.
        first: The answers that were sorted.
        safe: Whether the plan is safe as it is; `None` while that is unknown.
        status: `running` until the last answer; then `complete`, or `limit`, `timeout`
            or `interrupted` if something is missing.
        reason: Why something is missing, as text.
    """

    schema: ClassVar = "assume/1"
    parts: ClassVar = "answers"

    def __init__(
        self,
        plan: Plan,
        *,
        limit: int | None = None,
        explained: float = 0,
        matters: Callable[[], Mattering | None] = lambda: None,
    ) -> None:
        self.plan = plan
        self.first: list[Forbidden] = []
        self.safe: bool | None = None
        self.status: Status = "running"
        self.reason = ""
        self._limit, self._explained, self._matters = limit, explained, matters
        self._came = 0
        self._source = self._all()
        self._seconds: float | None = None

    def again(self) -> Assumed:
        """Return the same search from its beginning."""
        return Assumed(self.plan, limit=self._limit, matters=self._matters)

    @property
    def clock(self) -> Clock:
        """The clock of the run."""
        return self.plan.clock

    @property
    def seconds(self) -> float:
        """Time from the start of the analysis to its end, or until now."""
        return self.clock.elapsed if self._seconds is None else self._seconds

    @property
    def about(self) -> About:
        """What the units belong to, for output."""
        return self.plan.about

    @cached_property
    def mattering(self) -> Mattering | None:
        """Which assumptions matter, if the plan is safe; computed on demand."""
        return self._matters() if self.safe else None

    @property
    def end(self) -> AssumedEnd:
        """The final results, after the last answer."""
        timing = Timing(round(self.seconds, 6), self.plan.space.about.backend)
        return AssumedEnd(self.safe, self.mattering, timing, self.status, self.reason)

    def __repr__(self) -> str:
        if self.status == "running":
            return f"Assumed({self._came:,} answers so far; lazy: iterate to compute)"
        return f"Assumed({self.status}, {self._came:,} answers found)"

    def __reduce__(self) -> NoReturn:
        raise TypeError("a search cannot be copied; copy list(answers) instead")

    def __next__(self) -> Forbidden:
        """Find the next answer."""
        if (answer := next(self._source, None)) is None:
            raise StopIteration
        self._came += 1
        return answer

    def _all(self) -> Iterator[Forbidden]:
        source, stages = self.plan.answers(), Stages(self.clock)
        with stages, self.plan.space.effort.stage("assume"):
            for one in islice(source, SORTED):
                self.first.append(one)
                self.safe = not one.forbid
        self.first.sort(key=lambda one: (len(one), sorted(one.units)))
        if len(self.first) <= RANKED and stages.status == "complete":
            with stages, self.plan.space.effort.stage("assume"):
                for one in self.first:
                    one.explain()
                self.first.sort(key=_loss)
        for number, one in enumerate(self.first):
            asked = number < self._explained and one.known_lost is None
            if asked and stages.status == "complete":
                with stages:
                    one.explain()
            if self._is_enough():
                return
            yield one
        while stages.status == "complete":
            more = None
            with stages, self.plan.space.effort.stage("assume"):
                if (more := next(source, None)) and self._came < self._explained:
                    more.explain()
            if more is None or self._is_enough():
                break
            yield more
        if self.status == "running":
            self._end(stages.status, stages.reason)

    def _is_enough(self) -> bool:
        enough = self._limit is not None and self._came >= self._limit
        if enough:
            self._end("limit", stopped_after(self._limit, "answer"))
        return enough

    def _end(self, status: Status, reason: str) -> None:
        self.status, self.reason = status, reason
        self._seconds = self.clock.elapsed
