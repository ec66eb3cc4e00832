"""One problem in symbolic form: the starting point of every analysis.

In:  a `Problem`.
Out: an `Engine` with the safety monitors of the problem, a check of its preconditions,
     its deviations and statistics on demand.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Sequence, Set
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any, TypeVar

from symrob.envelope.cache import Cache
from symrob.envelope.counterexample import shortest_violation
from symrob.envelope.effort import Effort
from symrob.envelope.exploration import AddedSteps, Course, reach
from symrob.envelope.metasystem import MetaSystem, reachable_states
from symrob.envelope.mode_sets import ModeSets, ModeWeight
from symrob.envelope.monitors import AnyMonitor, SymbolicMonitor, TableMonitor, joined
from symrob.envelope.safe_sets import SafeSets, Weight
from symrob.envelope.screening import cones
from symrob.envelope.silence import Silence
from symrob.envelope.transitions import AnyGraph, Candidates, Graph, MaskGraph
from symrob.errors import Diagnostic, NominalViolation, SymrobError, Trace
from symrob.limits import Clock, Limits, Stages
from symrob.lts import TAU, Network, Transition
from symrob.lts.deviation import Deviation
from symrob.lts.views import moves_of, with_views
from symrob.memory import Closable
from symrob.problem import Monitor, Problem, counted, walked_steps
from symrob.problem.warnings import is_meant, listed
from symrob.shown import Shown
from symrob.symbolic.context import Bdd, Context
from symrob.symbolic.encoding import SymbolicSystem

Figure = TypeVar("Figure")

# A deviation and its modes: equal deviations may come from modes with other budgets.
ByModes = tuple[Deviation, tuple[str, ...] | None]

# Maximal environment deviations, and transitions in all of them, for |W_Penv|.
MOST_ENVIRONMENT_DEVIATIONS = 1000
MOST_ENVIRONMENT_TRANSITIONS = 300_000


@dataclass(frozen=True)
class Statistics(Shown):
    """The figures of the paper's Table 1, except the two on Δ.

    State counts are without error states; the paper counts one more each. `None` stands
    for a figure that was not computed because of a bound.

    Attributes:
        actions: |Act|, the union of all alphabets.
        environment_states: |Q_E|, reachable or not.
        controller_states: |Q_C|, the reachable part of C alone.
        property_states: |Q_P|, the reachable part of the properties alone.
        winning_set: |W|.
        winning_set_per_env_deviation: |W_Penv| for each maximal environment
            deviation, sorted; empty without constraints.
        candidates: |A minus R_E|, or the number of selected candidates or fault modes.
    """

    actions: int
    environment_states: int | None
    controller_states: int | None
    property_states: int | None
    winning_set: int | None
    winning_set_per_env_deviation: tuple[int, ...] | None
    candidates: int


# What of an engine outlives its BDDs, as far as it is known by then.
_DATA = {
    *("problem", "walked", "clock", "backend", "effort", "environment", "nominal"),
    *("constraints", "candidates", "statistics"),
}


class Engine(Closable):
    """A problem ready for analysis; closing it frees its BDDs.

    Args:
        problem: The checked problem.
        backend: For the BDDs.
        clock: Watches the bounds of the whole run.
        loop: C‖P of the problem, where it is encoded already.
        tables: The constraints of an engine of the same environment, with what they
            remember.

    Attributes:
        multiplied_out: Whether `environment` is E itself; see `coupled`.
    """

    multiplied_out = True

    def __init__(
        self,
        problem: Problem,
        backend: str,
        clock: Clock,
        loop: SymbolicMonitor | None = None,
        tables: Cache[Monitor, TableMonitor] | None = None,
    ) -> None:
        self.problem = problem
        self.clock = clock
        self.backend = backend
        self.effort = Effort()
        # What is walked through: a problem without budgets that means the same.
        self.walked = counted(problem)
        self.environment = self.walked.environment
        self.nominal = self.graph(self.environment.transitions)
        if loop is not None and not self._is_of_this(loop):
            loop = None
        self._loop: SymbolicMonitor | None = loop or self._encoded()
        # P_env as the engine takes it; see `Problem.seen`.
        self._rules = self.walked.seen(self.walked.constraints, alone=True)
        self._tables = Cache(TableMonitor) if tables is None else tables
        self.constraints: Sequence[AnyMonitor] = self._judging()
        # Asked by the summary, and again when these deviations are shown.
        self._silent: Cache[ByModes, frozenset[Transition]] = Cache(
            self._silent_in, most=16
        )

    @property
    def closed_loop(self) -> SymbolicMonitor:
        """C‖P in bits.

        Raises:
            SymrobError: The engine was closed.
        """
        if self._loop is None:
            message = "this object was closed and cannot compute anything more"
            raise SymrobError(Diagnostic("api-closed", message))
        return self._loop

    @property
    def context(self) -> Context:
        """The BDDs of C‖P; errors as for `closed_loop`."""
        return self.closed_loop.system.ctx

    def _judging(self) -> Sequence[AnyMonitor]:
        """The constraints, as what E runs with alone."""
        return [self._tables[m] for m in self._rules.monitors]

    def other(self, problem: Problem, loop: SymbolicMonitor | None = None) -> Engine:
        """Return an engine of another problem over the same environment.

        Args:
            problem: A problem of the same run.
            loop: Its C‖P, if it is encoded already.
        """
        engine = type(self)(problem, self.backend, self.clock, loop, self._tables)
        engine.effort = self.effort
        return engine

    def close(self) -> None:
        """See `Closable`."""
        for name in vars(self).keys() - _DATA:
            del vars(self)[name]
        self._loop = None

    def _encoded(self) -> SymbolicMonitor:
        with self.effort.stage("encode"):
            return self.loop_with(self.walked.properties)

    def loop_with(self, monitors: Sequence[Monitor]) -> SymbolicMonitor:
        """Return C with some monitors, encoded anew.

        Args:
            monitors: Properties of `walked`, or others as `watching` has them.
        """
        controller, seen, alphabet, _ = self.walked.seen(monitors)
        assert controller is not None, "it is asked for"
        return joined(controller, seen, alphabet, self.backend, self.clock)

    def seen_with(self, other: Engine) -> Engine:
        """Return the same problem, with the labels of another one on the same E added.

        States of E that the other's conditions distinguish are then distinguished here,
        too. Returns this engine if they already are.

        Cost: an encoding, if it is needed.
        """
        e, theirs = self.problem.environment, other.environment.views
        starts = other.environment.starts and not e.starts
        if theirs is None or (theirs == e.views and not starts):
            return self
        mine = e.views or (0,) * e.size
        numbers: dict[tuple[int, int], int] = {}
        joint = [
            numbers.setdefault(pair, len(numbers))
            for pair in zip(mine, theirs, strict=True)
        ]
        if tuple(joint) == e.views and not starts:
            return self
        starts = e.starts or other.environment.starts
        seen = with_views(e, joint, starts=starts)
        problem = replace(self.problem, environment=seen)
        found = Engine(problem, self.backend, self.clock)
        found.effort = self.effort
        return found

    def graph(self, transitions: Iterable[Transition]) -> Graph:
        """Return some transitions over the states of E as a graph for explorations."""
        e = self.environment
        return Graph.of(e.size, moves_of(e, transitions))

    def _is_of_this(self, loop: SymbolicMonitor) -> bool:
        """Whether C‖P of another problem counts what this one does."""
        system, walked = loop.system, self.walked
        return walked is self.problem or (
            system.controller == walked.controller
            and system.moves.keys() >= {*walked.environment.alphabet}
        )

    def __reduce__(self) -> tuple[Any, ...]:
        """Copy the problem; BDDs are rebuilt in the copy."""
        limits, spent = self.clock.limits, self.clock.elapsed
        return _copied, (type(self), self.problem, self.backend, limits, spent)

    def check_nominal(self) -> None:
        """Check that E‖C satisfies P and that E satisfies the constraints.

        Raises:
            NominalViolation: One fails; carries a shortest violating trace.

        Source: docs/sources.md [S1], Def. 5 (preconditions).
        """
        with self.effort.stage("nominal"):
            self._check_nominal()

    def _check_nominal(self) -> None:
        rules = self.walked.constraints
        for monitor, table in zip(rules, self.constraints, strict=True):
            if not self.keeps(table, self.nominal):
                raise NominalViolation(
                    Diagnostic(
                        "nominal-constraint",
                        f"the environment itself violates assumption {monitor.name}",
                    ),
                    self.constraint_trace(monitor, self.nominal),
                )
        if not self.keeps(self.closed_loop, self.nominal):
            trace = self.property_trace(self.nominal)
            raise NominalViolation(
                Diagnostic(
                    "nominal-property",
                    f"the nominal system already violates {trace.violated}",
                    hint=_unsafe_hint(trace, self.problem.one_sided),
                ),
                trace,
            )

    def is_safe(self, graph: AnyGraph) -> bool:
        """Whether an environment with these transitions satisfies P and P_env."""
        return self.keeps_constraints(graph) and self.keeps_properties(graph)

    def keeps(self, monitor: AnyMonitor, graph: AnyGraph) -> bool:
        """Whether an environment with these transitions satisfies a monitor.

        Args:
            monitor: One of `constraints`, or C with its properties.
            graph: The transitions of E.
        """
        return reach(monitor, graph, self.clock) is not None

    def keeps_constraints(self, graph: AnyGraph) -> bool:
        """Whether an environment with these transitions satisfies P_env."""
        return all(self.keeps(m, graph) for m in self.constraints)

    def keeps_properties(self, graph: AnyGraph) -> bool:
        """Whether an environment with these transitions keeps P with C."""
        loop = self.closed_loop
        parts: Sequence[SymbolicMonitor] = ()
        if self.multiplied_out:
            # What the components that P needs tolerate, all of C does.
            parts = cones(loop, self.environment, self.nominal, self.clock)
        if parts and all(self.keeps(cone, graph) for cone in parts):
            return True
        return self.keeps(loop, graph)

    def extended(self, added: Iterable[Transition]) -> Graph:
        """Return the transitions of E with some more."""
        return self.graph((*self.environment.transitions, *added))

    def brought_by(self, deviation: Iterable[Transition]) -> frozenset[Transition]:
        """Return what E gets with a deviation, as explorations walk it.

        Args:
            deviation: New transitions; where it has modes, each step pays for them.
        """
        steps = frozenset(walked_steps(self.walked, deviation))
        return steps.difference(self.environment.transitions)

    def property_trace(
        self, graph: Graph, added: Set[Transition] = frozenset()
    ) -> Trace:
        """Return a shortest violating trace of an unsafe closed loop."""
        trace = self.trace_in(self.closed_loop.system, graph, added)
        assert trace is not None, "the closed loop is safe"
        return trace

    def constraint_trace(
        self, monitor: Monitor, graph: Graph, added: Set[Transition] = frozenset()
    ) -> Trace:
        """Return a shortest trace of an environment that violates a constraint."""
        _, seen, alphabet, watching = self.walked.seen((monitor,), alone=True)
        context = Context(self.backend, self.clock)
        system = SymbolicSystem(context, self._plan, seen, alphabet)
        trace = self.trace_in(system, graph, added)
        assert trace is not None, "the environment is safe"
        return trace if watching is None else watching.told(trace)

    def trace_in(
        self,
        system: SymbolicSystem,
        graph: Graph,
        added: Set[Transition] = frozenset(),
    ) -> Trace | None:
        """Return a shortest trace of E with a system to ERROR; `None` if safe."""
        return shortest_violation(
            system, self.environment, graph, self.clock, added=added
        )

    @property
    def _plan(self) -> Network | None:
        """What of E is not in `environment`; see `coupled`."""
        return None

    def violation(self, added: Iterable[Transition]) -> Trace | None:
        """Return a shortest trace by which added transitions violate P or P_env.

        Args:
            added: The added transitions; those of R_E are always included.

        Returns:
            A shortest trace to ERROR, of E alone for the constraints and of E‖C for the
            properties; `None` if there is none. Among equally short ones, one that
            violates a constraint is preferred.

        Cost: a search for each violated constraint and for the properties.
        """
        new = frozenset(added).difference(self.problem.environment.transitions)
        graph, rules = self.extended(new), self.walked.constraints
        traces = [
            self.constraint_trace(monitor, graph, new)
            for monitor, table in zip(rules, self.constraints, strict=True)
            if not self.keeps(table, graph)
        ]
        if not self.keeps(self.closed_loop, graph):
            traces.append(self.property_trace(graph, new))
        return min(traces, key=lambda trace: len(trace.steps), default=None)

    def deviations(
        self, weight: Weight | None = None, mode_weight: ModeWeight | None = None
    ) -> Generator[Deviation, None, None]:
        """Yield Δ, each deviation as soon as it is found.

        Args:
            weight: Yield those that add the greatest weight first; see
                `SafeSets.deviations`.
            mode_weight: The same for fault modes; see `ModeSets`.

        Raises:
            LimitExceeded: A bound was hit; the deviations yielded before are valid.
        """
        # Screening belongs to the search: a bound that is hit there ends it.
        if self.problem.units is None:
            yield from self.safe_sets.deviations(weight)
        else:
            yield from self.mode_sets.deviations(mode_weight)

    @cached_property
    def safe_sets(self) -> SafeSets:
        """The safe sets of candidates; screened on first use.

        The nominal system must be safe; see `check_nominal`.

        Raises:
            SymrobError: The units of the problem are fault modes, not single
                candidates.
        """
        self.problem.require_singles("this answer")
        return SafeSets(
            self.environment,
            self.constraints,
            self.closed_loop,
            self.clock,
            self.effort,
            self.candidates,
        )

    @cached_property
    def mode_sets(self) -> ModeSets:
        """The safe sets of fault modes; the nominal system must be safe."""
        assert self.walked.units is not None, "each candidate is a unit"
        monitors: list[AnyMonitor] = [*self.constraints, self.closed_loop]
        return ModeSets(
            self.environment, self.walked.units, monitors, self.clock, self.effort
        )

    @property
    def sets(self) -> SafeSets | ModeSets:
        """The safe sets of units of any kind, for parallel search."""
        return self.safe_sets if self.problem.units is None else self.mode_sets

    @property
    def property_sets(self) -> SafeSets:
        """The sets of candidates that satisfy P, whether or not they satisfy P_env."""
        return self.unconstrained.safe_sets

    @property
    def constrained(self) -> bool:
        """Whether there are assumptions."""
        return bool(self.constraints)

    @property
    def warnings(self) -> tuple[Diagnostic, ...]:
        """Warnings about the problem: valid input that may be a mistake."""
        return self.problem.warnings

    @property
    def unconstrained(self) -> Engine:
        """The problem without its constraints; this one, if it has none."""
        return self._unconstrained if self.constraints else self

    @cached_property
    def _unconstrained(self) -> Engine:
        problem = replace(self.problem, constraints=())
        return self.other(problem, self.closed_loop)

    @property
    def steps(self) -> AddedSteps:
        """How many deviated steps violate P; by monitor states, where at hand."""
        sets: SafeSets | None = vars(self.unconstrained).get("safe_sets")
        if (
            sets is not None
            and "determinised" in vars(sets)
            and [*sets.objecting] == [self.closed_loop]
        ):
            return self._steps_of_states
        return self._steps_in_bits

    @cached_property
    def _steps_of_states(self) -> AddedSteps:
        course = self.property_sets.determinised.course
        return AddedSteps(course, self.nominal, self.clock)

    @cached_property
    def _steps_in_bits(self) -> AddedSteps:
        return AddedSteps(Course.of(self.closed_loop), self.nominal, self.clock)

    def budgeted(self, at_most: int) -> Engine:
        """Return the problem with at most this many deviated steps in a trace."""
        problem = replace(self.problem, at_most=at_most)
        return self.other(problem)

    @cached_property
    def candidates(self) -> Candidates:
        """The selected single candidates: A without R_E, or K."""
        among = self.problem.among
        if among is None:
            return Candidates.all_new(self.environment)
        return Candidates.of(self.environment, among)

    @cached_property
    def metasystem(self) -> MetaSystem:
        """F and W; computed on first use."""
        return MetaSystem(self.environment, self.closed_loop, self.clock)

    @cached_property
    def statistics(self) -> Statistics:
        """The figures of Table 1; `None` for a figure if a bound is hit."""
        problem = self.problem
        return Statistics(
            actions=len(problem.actions),
            environment_states=self.environment.size,
            controller_states=self._figure(
                lambda: reachable_states(problem.controller, self.backend, self.clock)
            ),
            property_states=self._figure(
                lambda: reachable_states(problem.properties, self.backend, self.clock)
            ),
            winning_set=self._figure(self._winning_set),
            winning_set_per_env_deviation=self._figure(
                self._winning_set_per_env_deviation
            ),
            candidates=len(self.problem.units or self.candidates),
        )

    def never_firing(self, deviation: Deviation) -> frozenset[Transition]:
        """Return the transitions of a robust deviation that can never fire.

        Their source is never reached in E_d‖C, or the controller never offers their
        action when it is.
        """
        return self._silent[deviation, deviation.modes]

    def _silent_in(self, chosen: ByModes) -> frozenset[Transition]:
        deviation, _ = chosen
        with self.clock.suspended():
            return self._silence.of(deviation, self._added_by_robust)

    @cached_property
    def _silence(self) -> Silence:
        # Not a method, which would keep this engine with its BDDs.
        steps_of = partial(walked_steps, self.walked)
        return Silence(self.environment, self.closed_loop, steps_of, self.clock)

    def _added_by_robust(self) -> Candidates:
        """What robust deviations may add."""
        single = self.problem.units is None
        return self.safe_sets.alone if single else self.candidates

    def _figure(self, compute: Callable[[], Figure]) -> Figure | None:
        """Return a figure, `None` if a bound or the user stopped its computation.

        Figures come after Δ; an interrupt must not lose what was computed before.
        """
        with Stages(self.clock), self.effort.stage("figures"):
            return compute()
        return None

    def _winning_set(self) -> int | None:
        # F is about any number of deviated steps.
        if self.walked is not self.problem:
            return None
        return self.metasystem.size(self.metasystem.winning)

    def _winning_set_per_env_deviation(self) -> tuple[int, ...] | None:
        """Count the part of W that each E_d̃‖C‖P reaches ([S1] Sect. 6.6)."""
        sizes: list[int] = []
        left = MOST_ENVIRONMENT_TRANSITIONS
        if not self.constraints:
            return ()
        if self.walked is not self.problem:
            return None
        alone = SafeSets(self.environment, self.constraints, None, self.clock, Effort())
        for deviation in alone.deviations():
            left -= len(deviation)
            if len(sizes) == MOST_ENVIRONMENT_DEVIATIONS or left < 0:
                return None
            sizes.append(self.metasystem.size(self._winning_part(deviation)))
        return tuple(sorted(sizes))

    def _winning_part(self, deviation: Deviation) -> list[Bdd]:
        """W as far as the closed loop reaches it with the deviation."""
        graph = self.deviated(deviation)
        met = reach(self.closed_loop, graph, self.clock, past_error=True)
        assert met is not None
        winning = self.metasystem.winning
        return [x & w for x, w in zip(met, winning, strict=True)]

    def deviated(self, deviation: Iterable[Transition]) -> MaskGraph:
        """Return the transitions of E_d, with the `tau` moves of E.

        Args:
            deviation: Its transitions, including R_E.
        """
        moves = moves_of(self.environment, walked_steps(self.walked, deviation))
        return MaskGraph.of(self.environment.size, moves)


def _unsafe_hint(trace: Trace, one_sided: Iterable[str]) -> str:
    """How to go on with an unsafe plan.

    First what may have been forgotten in E: the actions that C takes without it.
    """
    forbid = "symrob assume CASE lists the transitions of E to forbid"
    alone = {
        step.action
        for step in trace.steps
        if step.who == "C" and not is_meant(step.action, (TAU, *one_sided))
    }
    if not alone:
        return forbid
    return (
        f"C performs these actions without E: {listed(alone)}; if E takes part in "
        f"them, add them to E; {forbid}"
    )


def _copied(
    kind: type[Engine], problem: Problem, backend: str, limits: Limits, spent: float
) -> Engine:
    return kind(problem, backend, Clock(limits, spent=spent))
