"""Safety of deviations as a Horn formula inside a SAT solver, grown on demand.

In:  safety monitors, R_E, and the candidate transitions.
Out: a formula over one variable per candidate whose models, cut down to these
     variables, are exactly the safe sets of candidates.

Over the pairs (state of E, monitor point) that are met, being safe is Horn
(design: fact 5): the initial pair is met; if a pair is met and a transition
present, the pair that it leads to is met; ERROR is not. A monitor point is a
set of monitor states: the ones that the machine may be in after some actions
of the environment. An action leads from a point to one point, so that a
nondeterministic machine is determinised, only as far as it is looked at.

Pairs get their clauses when a set of candidates that is being looked at meets
them, so pairs that no tolerated deviation meets cost nothing.

Unit propagation decides Horn formulas: with a set of candidates assumed, the
pairs it meets come out true, and the candidates it rules out come out false.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from threading import Timer
from typing import Any

from symrob.errors import LimitExceeded
from symrob.limits import Clock
from symrob.lts import Action, StateId, Transition
from symrob.robustness.graph import Graph
from symrob.robustness.loop import step
from symrob.robustness.monitor import AnyMonitor

# A variable of the solver; candidates are numbered from 1 in their order.
Variable = int
SOLVER = "minisat22"
_ERROR = object()

_Row = list[tuple[Action, bool, tuple[StateId, ...], list[tuple[Variable, StateId]]]]


class HornFormula:
    """The safe sets of candidates, as models of a growing Horn formula.

    Args:
        monitors: The monitors that judge; a set is safe if all are content.
        nominal: The transitions that are always there, R_E.
        candidates: The transitions to choose from; variable i + 1 stands for
            candidate i.
        clock: Asked at every solver call whether the run may go on.

    Attributes:
        solver_calls: Number of satisfiability calls so far.
        sets_visited: Number of sets of candidates that were judged.
        pairs: Number of pairs that have a variable.
    """

    def __init__(
        self,
        monitors: Sequence[AnyMonitor],
        nominal: Graph,
        candidates: Sequence[Transition],
        clock: Clock,
    ) -> None:
        from pysat.solvers import Solver

        self.count = len(candidates)
        self.solver_calls = 0
        self.sets_visited = 0
        self._monitors = monitors
        self._clock = clock
        self._rows = _rows(nominal, candidates)
        self._pairs: dict[tuple[int, StateId, Any], Variable] = {}
        self._unexpanded: dict[Variable, tuple[int, StateId, Any]] = {}
        self._steps: list[dict[tuple[Any, Action], Any]] = [{} for _ in monitors]
        self._next = self.count + 1
        self._solver = Solver(name=SOLVER)
        # Models then come out nearly maximal, and growing them is short.
        self._solver.set_phases(list(range(1, self.count + 1)))
        # Assumed at each call instead of being unit clauses: the solver does
        # not report what holds at its top level, and these must be expanded.
        self._initial = [self._pair(i, 0, m.initial) for i, m in enumerate(monitors)]

    @property
    def pairs(self) -> int:
        """Number of pairs (environment state, monitor point) looked at."""
        return len(self._pairs)

    def close(self) -> None:
        """Free the solver."""
        self._solver.delete()

    def forbid(self, chosen: Sequence[Variable]) -> bool:
        """Exclude `chosen` and all its subsets from further models.

        Returns:
            Whether anything can be left.
        """
        inside = set(chosen)
        outside = [v for v in range(1, self.count + 1) if v not in inside]
        if outside:
            self._solver.add_clause(outside)
        return bool(outside)

    def propose(self) -> list[Variable] | None:
        """Return a safe set that no forbidden one contains, or `None`.

        A model of the formula as far as it is written down may be unsafe; its
        pairs are then expanded, which excludes it, and the solver is asked
        again. Ends, since there are finitely many pairs.
        """
        while True:
            if not self._solve():
                return None
            model = self._solver.get_model()
            chosen = [v for v in model[: self.count] if v > 0]
            if self.implied(chosen) is not None:
                return chosen

    def implied(self, chosen: Sequence[Variable]) -> list[int] | None:
        """Return the literals that `chosen` implies, or `None` if it is unsafe.

        Negative literals of candidates are those that may no longer join.
        Complete also in the presence of the clauses of `forbid` if `chosen`
        satisfies these, as everything that contains a proposed set does: what
        is implied by Horn clauses and by satisfied ones is implied by the Horn
        clauses alone.
        """
        self.sets_visited += 1
        while True:
            safe, literals = self._solver.propagate(
                assumptions=[*self._initial, *chosen]
            )
            if not safe:
                return None
            if not self._unexpanded:
                return literals  # type: ignore[no-any-return]
            met = [v for v in literals if v in self._unexpanded]
            if not met:
                return literals  # type: ignore[no-any-return]
            self._clock.check()
            for variable in met:
                self._expand(variable)

    def grow(self, chosen: list[Variable]) -> list[Variable]:
        """Add candidates to a proposed set until no other can join it.

        Safety is monotone, so one pass is enough: a candidate that was
        rejected once stays rejected when the set grows.
        """
        literals = self.implied(chosen)
        assert literals is not None
        undecided = self._undecided(chosen, literals)
        while undecided:
            candidate = undecided.pop(0)
            literals = self.implied([*chosen, candidate])
            if literals is not None:
                chosen = [*chosen, candidate]
                rejected = {-v for v in literals if v < 0}
                undecided = [v for v in undecided if v not in rejected]
        return sorted(chosen)

    def _undecided(self, chosen: Sequence[Variable], literals: list[int]) -> list[int]:
        decided = {*chosen, *(-v for v in literals if v < 0)}
        return [v for v in range(1, self.count + 1) if v not in decided]

    def _solve(self) -> bool:
        self._clock.check()
        self.solver_calls += 1
        remaining = self._clock.remaining
        if remaining is None:
            return bool(self._solver.solve(assumptions=self._initial))
        timer = Timer(max(0.0, remaining), self._solver.interrupt)
        timer.start()
        try:
            answer = self._solver.solve_limited(
                assumptions=self._initial, expect_interrupt=True
            )
        finally:
            timer.cancel()
            self._solver.clear_interrupt()
        if answer is None:
            self._clock.check()
            raise LimitExceeded("the solver was interrupted", reason="timeout")
        return bool(answer)

    def _pair(self, monitor: int, state: StateId, point: Any) -> Variable:
        key = (monitor, state, point)
        variable = self._pairs.get(key)
        if variable is None:
            variable = self._pairs[key] = self._next
            self._unexpanded[variable] = key
            self._next += 1
        return variable

    def _expand(self, variable: Variable) -> None:
        """Write down what leads on from a pair."""
        monitor, state, point = self._unexpanded.pop(variable)
        add = self._solver.add_clause
        for action, always, targets, options in self._rows[state]:
            after = self._step(monitor, point, action)
            if after is None:
                continue
            if after is _ERROR:
                if always:
                    add([-variable])
                for candidate, _ in options:
                    add([-variable, -candidate])
                continue
            for target in targets:
                add([-variable, self._pair(monitor, target, after)])
            for candidate, target in options:
                add([-variable, -candidate, self._pair(monitor, target, after)])

    def _step(self, index: int, point: Any, action: Action) -> Any:
        """Where `action` leads: a point, `_ERROR`, or None if it cannot happen."""
        steps = self._steps[index]
        key = (point, action)
        if key in steps:
            return steps[key]
        monitor = self._monitors[index]
        after = step(monitor, point, action)
        if after is None:
            after = _ERROR
        elif after == monitor.empty:
            after = None
        steps[key] = after
        return after


def _rows(nominal: Graph, candidates: Sequence[Transition]) -> list[_Row]:
    """For each state and action: the fixed targets and the optional ones."""
    options: list[dict[Action, list[tuple[Variable, StateId]]]] = [
        {} for _ in nominal.rows
    ]
    for index, (source, action, target) in enumerate(candidates):
        options[source].setdefault(action, []).append((index + 1, target))
    rows: list[_Row] = []
    for row, optional in zip(nominal.rows, options, strict=True):
        fixed = dict(row)
        rows.append(
            [
                (a, a in fixed, fixed.get(a, ()), optional.get(a, []))
                for a in sorted({*fixed, *optional})
            ]
        )
    return rows


def maximal_models(formula: HornFormula) -> Iterator[list[Variable]]:
    """Yield every maximal safe set of candidates, each once, sorted.

    Each round proposes a safe set that is no subset of one found before, and
    grows it to a maximal one. That is a new one, since it contains a set that
    none of the old ones contains; and when nothing is proposed any more, every
    safe set is a subset of one found. So k sets need k + 1 proposals.
    """
    while (proposed := formula.propose()) is not None:
        chosen = formula.grow(proposed)
        yield chosen
        if not formula.forbid(chosen):
            return
