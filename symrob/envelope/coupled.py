"""Problems without a product of E: sets of fault modes, judged with BDDs.

In:  a `CoupledProblem`, in which E's components stand beside those of C.
Out: a `CoupledEngine`, with the interface of `Engine`; `CoupledSets`, its sets.

One search of E_S‖C‖P with BDDs decides whether a set of modes is safe. There are no
explicit monitor states, so a search yields only its answer: all subsets of a safe set
are safe, and all supersets of an unsafe one unsafe.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Sequence, Set
from dataclasses import replace
from functools import cached_property

from symrob.envelope import tuning
from symrob.envelope.engine import ByModes, Engine
from symrob.envelope.mode_sets import ModeSets, ModeWeight
from symrob.envelope.monitors import AnyMonitor, SymbolicMonitor
from symrob.envelope.solvers import MaxSatSolver
from symrob.envelope.transitions import AnyGraph, Graph
from symrob.errors import LimitExceeded, Trace
from symrob.limits import Clock
from symrob.lts import Action, Network, Transition
from symrob.lts.masks import bits
from symrob.problem import Model, Monitor
from symrob.problem.coupled import CoupledProblem
from symrob.problem.units import Chosen, Units
from symrob.symbolic.context import Bdd, Context
from symrob.symbolic.encoding import SymbolicSystem

# Sets of which it is remembered what is met with them.
_RECENT = 8


class Search:
    """The reachable states of E_S‖C‖P, for sets S of steps of modes.

    Args:
        monitor: C and E's components, with what watches them.
        clock: Checked at every image.
    """

    def __init__(self, monitor: SymbolicMonitor, clock: Clock) -> None:
        self._monitor = monitor
        self._clock = clock
        self._known: dict[frozenset[Action], Bdd | None] = {}

    def met(self, actions: Iterable[Action]) -> Bdd | None:
        """Return the reachable states, or `None` if ERROR is reachable.

        Alternates between the steps of modes, taken as often as possible, and all other
        steps, so that sets stay regular. States reachable with some modes are reachable
        with more, so the search continues from them. Ends, since each round adds
        states.

        Cost: an image for each move and each time that states were added.
        """
        chosen = frozenset(actions)
        if chosen not in self._known:
            known = self._known[chosen] = self._search(chosen)
            if known is not None and len(self._known) > _RECENT:
                old = next(k for k, met in self._known.items() if met is not None)
                del self._known[old]
        return self._known[chosen]

    def _search(self, chosen: frozenset[Action]) -> Bdd | None:
        monitor, system = self._monitor, self._monitor.system
        brought = [system.moves[action] for action in sorted(chosen)]
        errors = system.ctx.union([monitor.failing, *(m.error for m in brought)])
        less = [k for k, met in self._known.items() if met is not None and k < chosen]
        start = self._known[max(less, key=len)] if less else None
        states = monitor.initial if start is None else start
        while states & errors == monitor.empty:
            self._clock.check()
            larger = system.saturated(states, brought)
            if larger == states:
                return states
            states = system.saturated(larger, system.internal)
        return None


class CoupledEngine(Engine):
    """A problem with E's components in bits; `environment` has the steps of modes."""

    multiplied_out = False
    problem: CoupledProblem

    def _judging(self) -> Sequence[AnyMonitor]:
        return [self._watched(self._plan, (m,)) for m in self.problem.constraints]

    def loop_with(self, monitors: Sequence[Monitor]) -> SymbolicMonitor:
        """See `Engine`."""
        return self._watched(self.problem.controller, monitors)

    def _watched(self, system: Model, monitors: Sequence[Monitor]) -> SymbolicMonitor:
        context = Context(self.backend, self.clock, tuning.COUPLED_NODES)
        alphabet = self.problem.environment.alphabet
        return SymbolicMonitor(SymbolicSystem(context, system, monitors, alphabet))

    @property
    def _plan(self) -> Network:
        return self.problem.plan

    def search(self, monitor: SymbolicMonitor) -> Search:
        """Return the cached searches with a monitor."""
        return self._searches.setdefault(monitor, Search(monitor, self.clock))

    @cached_property
    def _searches(self) -> dict[SymbolicMonitor, Search]:
        return {}

    def keeps(self, monitor: AnyMonitor, graph: AnyGraph) -> bool:
        """See `Engine`."""
        assert isinstance(monitor, SymbolicMonitor), "E runs in bits"
        actions = (action for action, _ in graph.rows[0])
        try:
            return self.search(monitor).met(actions) is not None
        except LimitExceeded as error:
            if error.reason != "limit":
                raise
            count, (first, *_) = len(self.problem.parts.components), error.diagnostics
            message = f"E's {count} components are coupled and have too many reachable "
            message += f"states with C and the monitors: {first.message}"
            hint = (
                "reduce the states or counters of components and properties, or select "
            )
            hint += "fewer fault modes (--among)"
            raise LimitExceeded(replace(first, message=message, hint=hint)) from None

    def trace_in(
        self,
        system: SymbolicSystem,
        graph: Graph,
        added: Set[Transition] = frozenset(),
    ) -> Trace | None:
        """See `Engine`; in terms of E and C."""
        trace = super().trace_in(system, graph, added)
        return None if trace is None else self.problem.told(trace)

    @cached_property
    def mode_sets(self) -> CoupledSets:
        """See `Engine`."""
        assert self.problem.units is not None, "modes are what is asked about"
        monitors: list[AnyMonitor] = [*self.constraints, self.closed_loop]
        return CoupledSets(self, self.problem.units, monitors)

    def _silent_in(self, chosen: ByModes) -> frozenset[Transition]:
        deviation, _ = chosen
        loop = self.closed_loop
        with self.clock.suspended():
            met = self.search(loop).met(t.action for t in deviation)
            assert met is not None, "the deviation is not robust"
            return frozenset(
                t for t in deviation if loop.post(met, t.action) == loop.empty
            )


class CoupledSets(ModeSets):
    """Sets of fault modes, judged only by searches."""

    def __init__(
        self, engine: CoupledEngine, units: Units, monitors: Sequence[AnyMonitor]
    ) -> None:
        clock, effort = engine.clock, engine.effort
        super().__init__(engine.environment, units, monitors, clock, effort)
        self._engine = engine
        # Maximal among those that are known.
        self._safe: list[Chosen] = []
        self._unsafe: list[Chosen] = []

    def is_safe(self, chosen: Chosen) -> bool:
        """See `ModeSets`.

        Cost: a search, unless a known set contains it or is contained in it.
        """
        if any(chosen & ~known == 0 for known in self._safe):
            return True
        if any(known & ~chosen == 0 for known in self._unsafe):
            return False
        graph = self.graph(chosen)
        if all(self._engine.keeps(m, graph) for m in self._monitors):
            self._safe = [s for s in self._safe if s & ~chosen] + [chosen]
            return True
        self._unsafe = [s for s in self._unsafe if chosen & ~s] + [chosen]
        return False

    def grown(self, chosen: Chosen) -> Chosen:
        """See `ModeSets`; all modes are tried at once, then each."""
        if self.is_safe(self.units.all):
            return self.units.all
        for m in range(len(self.units)):
            if self.is_safe(chosen | 1 << m):
                chosen |= 1 << m
        return chosen

    def all_maximal(
        self, including: Chosen = 0, weight: ModeWeight | None = None
    ) -> Generator[Chosen, None, None]:
        """See `ModeSets`.

        A largest set that is contained in no known maximal set and contains no known
        unsafe set is either safe, and then maximal; or a minimal unsafe set in it is
        added to the known ones.

        Cost: for each set a MaxSAT problem, and for each minimal unsafe set one and a
            search for each mode.
        """
        count = len(self.units)
        weights = [1 if weight is None else weight(m) for m in range(count)]
        solver = MaxSatSolver(weights, self._clock, self.effort)
        try:
            for m in bits(including):
                solver.add([m + 1])
            # A mode that is unsafe alone is soon told, and found in each set otherwise.
            for m in range(count):
                self.is_safe(1 << m)
            for known in self._unsafe:
                solver.add([-m - 1 for m in bits(known)])
            while (model := solver.propose()) is not None:
                self.effort.sets_visited += 1
                chosen = sum(1 << m for m in range(count) if model[m] > 0)
                if self.is_safe(chosen):
                    yield chosen
                    outside = [m + 1 for m in range(count) if not chosen >> m & 1]
                    if not outside:
                        return
                    solver.add(outside)
                else:
                    reason = self._shrunk(chosen)
                    solver.add([-m - 1 for m in bits(reason)])
        finally:
            solver.close()

    def _shrunk(self, chosen: Chosen) -> Chosen:
        """Return a minimal unsafe set in an unsafe one."""
        for m in bits(chosen):
            if not self.is_safe(chosen & ~(1 << m)):
                chosen &= ~(1 << m)
        return chosen
