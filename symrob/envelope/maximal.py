"""Enumeration of maximal safe sets: a solver proposes sets, which are extended.

In:  a `HornFormula`, the `MaximalExtension` of its rows, `UnitPropagation`.
Out: sets of candidates, each once.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from symrob.envelope import tuning
from symrob.envelope.columns import met_by_all
from symrob.envelope.determinised import BitRows, DeterminisedMonitor
from symrob.envelope.effort import Effort
from symrob.envelope.extension import MaximalExtension, PlaceMask
from symrob.envelope.horn import HornFormula
from symrob.envelope.neighbours import Neighbours
from symrob.envelope.solvers import ProofSolver, Variable
from symrob.limits import Clock


class MaximalSets:
    """All maximal safe sets of candidates, each once.

    In each round the solver proposes a set that is not contained in a known one. If it
    is unsafe, the clauses of the pairs that it reaches are added, which excludes it; as
    there are finitely many pairs, that happens finitely often. If it is safe, it is
    extended to a maximal one. That is new, since it contains a set that no known one
    contains; and when there are no more proposals, every safe set is contained in a
    known one. So k sets need at most k + 1 proposals, plus one for each extension of
    the formula; none for neighbours.

    Args:
        formula: The formula; closed together with this object.
        extension: Extends sets to maximal ones.
        units: Does the same, if it can.
        neighbours: Finds neighbours of a set; `None` if sets come by weight.
        effort: Counts the sets.
    """

    def __init__(
        self,
        formula: HornFormula,
        extension: MaximalExtension,
        units: UnitPropagation,
        neighbours: Neighbours | None,
        effort: Effort,
    ) -> None:
        self._formula = formula
        self._extension = extension
        self._units = units
        self._neighbours = neighbours
        self._effort = effort
        # They were given and the formula does not exclude them yet: most searches are
        # ended before it is asked again.
        self._beside: list[PlaceMask] = []

    def close(self) -> None:
        """Free the solver."""
        self._formula.close()

    def exclude(self, chosen: BitRows) -> None:
        """Yield neither this maximal set nor any subset of it."""
        if self._neighbours is not None:
            self._neighbours.tell(chosen)
        self._formula.forbid(chosen)

    def search(
        self, including: Sequence[int] = (), excluding: Sequence[int] = ()
    ) -> Iterator[BitRows]:
        """Yield the maximal safe sets that are new and not excluded.

        It may be interrupted and called again.

        Args:
            including: Candidates that every proposal contains, for each row as bits.
                The extension ignores this, so that other sets are yielded as well,
                beside all that contain them.
            excluding: Candidates that no proposal contains, for each row as bits.

        Raises:
            LimitExceeded: A bound was hit; the sets yielded before are valid.
        """
        formula, effort = self._formula, self._effort
        while True:
            if self._neighbours is not None:
                for mask in self._neighbours.new(including, excluding):
                    effort.sets_visited += 1
                    self._beside.append(mask)
                    yield self._extension.rows_of(mask)
                while self._beside:
                    formula.forbid(self._extension.rows_of(self._beside.pop()))
            proposed = formula.propose(including, excluding)
            if proposed is None:
                return
            effort.sets_visited += 1
            if (outside := self._units.outside(proposed)) is not None:
                chosen = formula.rows_without(outside)
                left = formula.exclude(outside)
            elif (grown := self._grown(proposed)) is not None:
                chosen = grown
                left = formula.forbid(chosen)
            else:
                continue
            if self._neighbours is not None:
                self._neighbours.tell(chosen)
            yield chosen
            if not left:
                return

    def _grown(self, proposed: list[Variable]) -> BitRows | None:
        """Return a maximal set that holds a safe one; `None` if it is unsafe."""
        rows = self._formula.rows_of(proposed)
        found, safe = self._extension.met(rows)
        if not safe:
            self._formula.learn(found)
            return None
        chosen, found = self._extension.grow(rows, found)
        # What makes it a new one.
        if any(p & ~c for p, c in zip(rows, chosen, strict=True)):
            raise AssertionError("a set lost a member while it was grown")
        self._formula.learn(found)
        return chosen


class UnitPropagation:
    """Extends sets to maximal ones by unit propagation, if the formula is small.

    Assume that a set of candidates is present. With the complete formula, unit
    propagation derives the reached pairs, and which other candidates would lead to
    ERROR: these are in no safe superset. Without a contradiction the set is safe, the
    formula being Horn. If all others are refuted, it is maximal; otherwise the
    remaining ones are added all at once. If that leads to a contradiction, propagation
    does not decide, and the set has to be extended explicitly.

    Args:
        determinised: The monitor states.
        extension: The rows and their candidates.
        clock: Clock of the run.

    Cost: one propagation for each set, and one more if others are added; a fifth of the
        time of an explicit extension. The formula is completed once enough sets were
        extended to make it worthwhile.
    """

    def __init__(
        self,
        determinised: DeterminisedMonitor,
        extension: MaximalExtension,
        clock: Clock,
    ) -> None:
        self._determinised = determinised
        self._extension = extension
        self._clock = clock
        self._solver = ProofSolver(clock, Effort())
        self._candidates = sum(mask.bit_count() for mask in extension.options)
        self._asked = self._told = self._missed = 0
        self._written = self._over = False

    def outside(self, proposed: list[Variable]) -> list[Variable] | None:
        """Return the candidates that are not in a maximal safe superset of this set.

        `None` if propagation does not decide.
        """
        self._asked += 1
        if self._over or self._asked <= tuning.GROWN_SETS:
            return None
        if not self._written:
            # It stays so if the time is up before everything is written.
            self._over = True
            self._over = not self._write()
            if self._over:
                return None
        inside = proposed
        for _ in range(2):
            if (derived := self._solver.derived(inside)) is None:
                break
            outside = [-v for v in derived if -self._candidates <= v < 0]
            if len(inside) + len(outside) == self._candidates:
                self._told += 1
                return outside
            refuted = {*outside}
            inside = [v for v in range(1, self._candidates + 1) if v not in refuted]
        # Where small sets are proposed they seldom tell.
        self._missed += 1
        self._over = self._missed > self._told + tuning.CALLS_WATCHED
        return None

    def _write(self) -> bool:
        """Write the whole formula down; False if it is large."""
        if len(self._determinised) > tuning.MERGED_STATES:
            # Steps are still to be taken, and there can be any number.
            return False
        most = tuning.WRITTEN_CLAUSES
        tools = self._determinised, self._extension
        found = met_by_all(*tools, most, self._clock)
        if found is None:
            return False
        HornFormula(*tools, self._solver, Effort(), self._clock).learn(found)
        self._written = True
        return True
