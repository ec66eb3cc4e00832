"""Safety of deviations as a Horn formula inside a SAT solver, grown on demand.

In:  a `Growth`: the points, the rows and their candidates.
Out: all maximal safe sets of candidates, one after the other.

Over the pairs (state of E, point) that are met, being safe is Horn (design:
fact 5): the initial pairs are met; if a pair is met and a transition present,
the pair that it leads to is met; ERROR is not. The solver has a variable for
each candidate and each pair, and proposes sets; whether they are safe is for
`Growth` to say, which also makes them maximal.

Pairs get their clauses when a set of candidates that is being looked at meets
them. So the formula is always implied by the whole one, and grows only where a
proposal was wrong, or close to a set that was found.
"""

from __future__ import annotations

import weakref
from collections.abc import Iterator
from threading import Timer

from symrob.errors import LimitExceeded
from symrob.limits import Clock
from symrob.lts import StateId
from symrob.robustness.effort import Effort
from symrob.robustness.points import FAILED, Growth, Points, PointSpace, Rows

# A variable of the solver.
Variable = int
SOLVER = "minisat22"


class HornFormula:
    """The Horn formula of a problem, as far as it is written down.

    Args:
        space: The points of the monitors.
        growth: The rows and their candidates.
        clock: Asked at every solver call whether the run may go on.
        effort: Counts what the solver does.

    Attributes:
        close: Call it to free the solver.
    """

    def __init__(
        self, space: PointSpace, growth: Growth, clock: Clock, effort: Effort
    ) -> None:
        from pysat.solvers import Solver

        self._space = space
        self._growth = growth
        self._clock = clock
        self._effort = effort
        self._count = 0
        # For each row, the variables of its candidates, by target.
        self._candidates: list[dict[StateId, Variable]] = [
            {t: self._new() for t in growth.targets(mask)} for mask in growth.options
        ]
        self._bits = [
            (row, 1 << target)
            for row, candidates in enumerate(self._candidates)
            for target in candidates
        ]
        self._pairs: dict[tuple[StateId, int], Variable] = {}
        self._expanded: list[Points] = [0] * growth.states
        self._solver = Solver(name=SOLVER)
        # Also at exit, before the solver's module is taken down.
        self.close = weakref.finalize(self, self._solver.delete)
        # Proposals then come out large, and growing them is short.
        self._solver.set_phases(list(range(1, self._count + 1)))
        self._initial = [
            self._pair(0, point) for point in growth.targets(space.initial)
        ]

    def propose(self) -> Rows | None:
        """Return a set that no forbidden one contains, or `None`.

        It need not be safe: the formula may not be written down far enough.
        """
        if not self._solve():
            return None
        rows = [0] * len(self._candidates)
        # Candidates have the first variables, in the order of `_bits`.
        for value, (row, bit) in zip(
            self._solver.get_model(), self._bits, strict=False
        ):
            if value > 0:
                rows[row] |= bit
        return rows

    def learn(self, found: list[Points]) -> None:
        """Write down what leads on from pairs that were met.

        Args:
            found: For each state of E the points met with it.
        """
        for state, points in enumerate(found):
            new = points & ~self._expanded[state]
            if new:
                self._expanded[state] |= new
                for point in self._growth.targets(new):
                    self._expand(state, point)

    def forbid(self, chosen: Rows) -> bool:
        """Exclude `chosen` and all its subsets from further proposals.

        Returns:
            Whether anything can be left.
        """
        outside = [
            candidates[target]
            for candidates, mask, options in zip(
                self._candidates, chosen, self._growth.options, strict=True
            )
            for target in self._growth.targets(options & ~mask)
        ]
        if outside:
            self._solver.add_clause(outside)
        return bool(outside)

    def _expand(self, state: StateId, point: int) -> None:
        met = self._pair(state, point)
        add = self._solver.add_clause
        for action, row in self._growth.of_state(state):
            after = self._space.step(point, action)
            fixed, candidates = self._growth.fixed[row], self._candidates[row]
            if after == FAILED:
                if fixed:
                    add([-met])
                for variable in candidates.values():
                    add([-met, -variable])
            elif after:
                following = after.bit_length() - 1
                for target in self._growth.targets(fixed):
                    add([-met, self._pair(target, following)])
                for target, variable in candidates.items():
                    add([-met, -variable, self._pair(target, following)])

    def _solve(self) -> bool:
        self._clock.check()
        self._effort.solver_calls += 1
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

    def _pair(self, state: StateId, point: int) -> Variable:
        key = (state, point)
        variable = self._pairs.get(key)
        if variable is None:
            variable = self._pairs[key] = self._new()
            self._effort.pairs += 1
        return variable

    def _new(self) -> Variable:
        self._count += 1
        return self._count


def maximal_sets(
    formula: HornFormula, growth: Growth, effort: Effort
) -> Iterator[Rows]:
    """Yield every maximal safe set of candidates, each once.

    Each round proposes a set that is no subset of one found before. If it is
    unsafe, the clauses of the pairs that it meets are written down, which
    excludes it; as there are finitely many pairs, that happens finitely often.
    If it is safe, it is grown to a maximal one. That is a new one, since it
    contains a set that none of the old ones contains; and when nothing is
    proposed any more, every safe set is a subset of one found. So k sets need
    k + 1 proposals, and one for each time the formula had to be extended.
    """
    while (proposed := formula.propose()) is not None:
        effort.sets_visited += 1
        found, safe = growth.met(proposed)
        if safe:
            chosen, found = growth.grow(proposed, found)
            yield chosen
            if not formula.forbid(chosen):
                return
        formula.learn(found)
