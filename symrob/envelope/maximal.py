"""All maximal safe sets, one after the other: proposed by a solver, then made maximal.

In:  a `HornFormula`, the `MaximalExtension` of its rows, `Units`.
Out: sets of candidates, each once.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from symrob.envelope import tuning
from symrob.envelope.determinised import FAILED, BitRows, DeterminisedMonitor
from symrob.envelope.effort import Effort
from symrob.envelope.extension import MaximalExtension
from symrob.envelope.horn import HornFormula
from symrob.envelope.solvers import ProofSolver, Variable
from symrob.limits import Clock
from symrob.lts.masks import bits


def maximal_sets(
    formula: HornFormula,
    extension: MaximalExtension,
    units: Units,
    effort: Effort,
    including: Sequence[int] = (),
    excluding: Sequence[int] = (),
) -> Iterator[BitRows]:
    """Yield every maximal safe set of candidates that is not forbidden yet, each once.

    Each round proposes a set that is no subset of one found before. If it is
    unsafe, the clauses of the pairs that it meets are written down, which
    excludes it; as there are finitely many pairs, that happens finitely often.
    If it is safe, it is made a maximal one. That is a new one, since it
    contains a set that none of the old ones contains; and when nothing is
    proposed any more, every safe set is a subset of one found. So k sets need
    k + 1 proposals, and one for each time the formula had to be extended.

    Args:
        formula: The formula.
        extension: Makes sets maximal.
        units: Does so, too, where it can.
        effort: Counts the sets.
        including: What all that is proposed holds, for each row as bits. Growing does
            not care, so that other sets come as well, and all that hold it.
        excluding: What nothing that is proposed holds; likewise.
    """
    left = True
    while left and (proposed := formula.propose(including, excluding)) is not None:
        effort.sets_visited += 1
        if (settled := units.settled(proposed)) is not None:
            inside, outside = settled
            left = formula.exclude(outside)
            yield formula.rows_of(inside)
            continue
        rows = formula.rows_of(proposed)
        found, safe = extension.met(rows)
        if not safe:
            formula.learn(found)
            continue
        chosen, found = extension.grow(rows, found)
        # What makes it a new one.
        if any(p & ~c for p, c in zip(rows, chosen, strict=True)):
            raise AssertionError("a set lost a member while it was grown")
        left = formula.forbid(chosen)
        formula.learn(found)
        yield chosen


class Units:
    """Makes sets maximal by unit propagation in a solver, where the formula is small.

    Assume that a set of candidates is there. If the whole formula is written down,
    units derive what is met, and which others would lead to ERROR then: these are in no
    safe set that holds it. Without a contradiction it is safe, the formula being Horn.
    If all others are refuted, it is maximal; those that are not may join all at once.
    Where that contradicts, units do not tell, and the set has to be grown.

    Args:
        determinised: The monitor states.
        extension: The rows and their candidates.
        clock: Of the run.

    Cost: one propagation for each set, and one more where others join; a fifth of the
        time that growing takes. The formula is written down when so many sets were
        grown that it is worth it.
    """

    def __init__(
        self,
        determinised: DeterminisedMonitor,
        extension: MaximalExtension,
        clock: Clock,
    ) -> None:
        self._determinised = determinised
        self._extension = extension
        self._solver = ProofSolver(clock, Effort())
        self._candidates = sum(mask.bit_count() for mask in extension.options)
        self._asked = self._told = self._missed = 0
        self._written = self._over = False

    def settled(
        self, proposed: list[Variable]
    ) -> tuple[list[Variable], list[Variable]] | None:
        """Return a maximal safe set that holds this one, and all other candidates.

        `None` where units do not tell.
        """
        self._asked += 1
        if self._over or self._asked <= tuning.GROWN_SETS:
            return None
        if not self._written and not self._write():
            self._over = True
            return None
        inside = proposed
        for _ in range(2):
            if (derived := self._solver.derived(inside)) is None:
                break
            outside = [-v for v in derived if -self._candidates <= v < 0]
            if len(inside) + len(outside) == self._candidates:
                self._told += 1
                return inside, outside
            refuted = {*outside}
            inside = [v for v in range(1, self._candidates + 1) if v not in refuted]
        # Where small sets are proposed they seldom tell.
        self._missed += 1
        self._over = self._missed > self._told + tuning.CALLS_WATCHED
        return None

    def _write(self) -> bool:
        """Write the whole formula down; False if it is large."""
        determinised, extension = self._determinised, self._extension
        if len(determinised) > tuning.MERGED_STATES:
            # Steps are still to be taken, and there can be any number.
            return False
        full = [f | o for f, o in zip(extension.fixed, extension.options, strict=True)]
        found = [0] * extension.states
        todo = [(0, determinised.initial)]
        clauses = 0
        while todo:
            state, monitor_states = todo.pop()
            new = monitor_states & ~found[state]
            found[state] |= new
            for monitor_state in bits(new):
                for action, row in extension.of_state(state):
                    after = determinised.step(monitor_state, action)
                    clauses += full[row].bit_count()
                    if after not in (0, FAILED):
                        todo += [(t, after) for t in extension.targets(full[row])]
            if clauses > tuning.WRITTEN_CLAUSES:
                return False
        HornFormula(determinised, extension, self._solver, Effort()).learn(found)
        self._written = True
        return True
