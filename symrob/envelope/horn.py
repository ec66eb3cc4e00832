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

from collections.abc import Iterator, Sequence

from symrob.envelope.cache import Memo
from symrob.envelope.determinised import FAILED, Points, PointSpace, Rows
from symrob.envelope.effort import Effort
from symrob.envelope.extension import Growth
from symrob.envelope.solver import Proposer, Variable
from symrob.envelope.transitions import bits
from symrob.lts import StateId


class HornFormula:
    """The Horn formula of a problem, as far as it is written down.

    Args:
        space: The points of the monitors.
        growth: The rows and their candidates; candidate i in the order of
            `growth.transitions` is variable i + 1.
        proposer: Gets the clauses and gives the models.
        effort: Counts the pairs.
    """

    def __init__(
        self, space: PointSpace, growth: Growth, proposer: Proposer, effort: Effort
    ) -> None:
        self._space = space
        self._growth = growth
        self._proposer = proposer
        self._effort = effort
        self._count = 0
        # For each row, the variables of its candidates, by target.
        self._candidates: list[dict[StateId, Variable]] = [
            {t: self._new() for t in growth.targets(mask)} for mask in growth.options
        ]
        # Of each candidate, by variable, its row and its bit in the row.
        self._bits = [(0, 0)] + [
            (row, 1 << target)
            for row, candidates in enumerate(self._candidates)
            for target in candidates
        ]
        # What is left out of a row comes again and again.
        self._outside = Memo(self._variables_of)
        self._pairs: dict[tuple[StateId, int], Variable] = {}
        self._expanded: list[Points] = [0] * growth.states
        for point in growth.targets(space.initial):
            proposer.add([self._pair(0, point)])

    def propose(
        self, including: Sequence[int] = (), excluding: Sequence[int] = ()
    ) -> Rows | None:
        """Return a set that no forbidden one contains, or `None`.

        It need not be safe: the formula may not be written down far enough.

        Args:
            including: What it must hold, this time; for each row as bits.
            excluding: What it must not hold, this time; likewise.
        """
        wanted = [
            *self._variables(including),
            *(-v for v in self._variables(excluding)),
        ]
        model = self._proposer.propose(wanted)
        return None if model is None else self.rows_of(model)

    def rows_of(self, model: Sequence[int]) -> Rows:
        """Return the candidates in a model, for each row as bits."""
        rows = [0] * len(self._candidates)
        # Candidates have the first variables; few of them are true.
        for variable in [v for v in model[: len(self._bits) - 1] if v > 0]:
            row, bit = self._bits[variable]
            rows[row] |= bit
        return rows

    def variable(self, row: int, target: StateId) -> Variable:
        """Return the variable of a candidate, for clauses from elsewhere."""
        return self._candidates[row][target]

    def new_variable(self) -> Variable:
        """Return a fresh variable, for clauses from elsewhere."""
        return self._new()

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

    def require(self, chosen: Rows) -> None:
        """From now on propose only sets that hold these."""
        for variable in self._variables(chosen):
            self._proposer.add([variable])

    def close(self) -> None:
        """Free the solver."""
        self._proposer.close()

    def _variables(self, rows: Sequence[int]) -> Iterator[Variable]:
        for key in enumerate(rows):
            yield from self._variables_of(key)

    def _variables_of(self, key: tuple[int, int]) -> tuple[Variable, ...]:
        """The variables of some candidates in one row."""
        row, mask = key
        candidates = self._candidates[row]
        return tuple(candidates[target] for target in bits(mask))

    def forbid(self, chosen: Rows) -> bool:
        """Exclude `chosen` and all its subsets from further proposals.

        Returns:
            Whether anything can be left.
        """
        outside: list[Variable] = []
        for row, (mask, every) in enumerate(
            zip(chosen, self._growth.options, strict=True)
        ):
            if mask != every:
                outside += self._outside[row, every & ~mask]
        if outside:
            self._proposer.add(outside)
        return bool(outside)

    def _expand(self, state: StateId, point: int) -> None:
        met = self._pair(state, point)
        add = self._proposer.add
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
    formula: HornFormula,
    growth: Growth,
    effort: Effort,
) -> Iterator[Rows]:
    """Yield every maximal safe set of candidates, each once.

    Each round proposes a set that is no subset of one found before. If it is
    unsafe, the clauses of the pairs that it meets are written down, which
    excludes it; as there are finitely many pairs, that happens finitely often.
    If it is safe, it is grown to a maximal one. That is a new one, since it
    contains a set that none of the old ones contains; and when nothing is
    proposed any more, every safe set is a subset of one found. So k sets need
    k + 1 proposals, and one for each time the formula had to be extended.

    Args:
        formula: The formula.
        growth: Makes sets maximal.
        effort: Counts the sets.
    """
    while (proposed := formula.propose()) is not None:
        effort.sets_visited += 1
        found, safe = growth.met(proposed)
        if safe:
            chosen, found = growth.grow(proposed, found)
            # What makes it a new one.
            if any(p & ~c for p, c in zip(proposed, chosen, strict=True)):
                raise AssertionError("a set lost a member while it was grown")
            yield chosen
            if not formula.forbid(chosen):
                return
        formula.learn(found)
