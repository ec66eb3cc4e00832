"""The safety envelope: safe sets of candidates, and the maximal ones.

In:  the monitors of a problem whose nominal system is safe (`Engine`).
Out: `SafeSets`: whether each candidate is individually safe, whether a set is safe, the
     maximal deviations one after the other.

Differences from the paper ([S1] Sect. 5.2, 5.3): no subsets of the winning set are
enumerated, and constraints need no separate phase, because safety under C and the
constraints are both monotone (docs/mathematics.md, 1). Instead:

1. `screening`. Each constraint, then C‖P, rules out the individually unsafe candidates.
These are in no deviation. 2. If R_E with all remaining candidates is safe, that is the
one deviation. 3. Otherwise the violated monitors become Horn clauses in a SAT solver,
which proposes safe sets that are then extended (see `horn`).
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import closing
from functools import cached_property
from itertools import islice

from symrob.envelope import tuning
from symrob.envelope.antichain import antichain
from symrob.envelope.determinised import BitRows, DeterminisedMonitor
from symrob.envelope.effort import Effort
from symrob.envelope.extension import MaximalExtension
from symrob.envelope.heavy import Bracket
from symrob.envelope.horn import HornFormula
from symrob.envelope.maximal import MaximalSets, UnitPropagation
from symrob.envelope.monitors import AnyMonitor, SymbolicMonitor
from symrob.envelope.neighbours import Neighbours
from symrob.envelope.screening import screen
from symrob.envelope.simulation import lean_monitor
from symrob.envelope.solvers import EnumerationSolver, MaxSatSolver
from symrob.envelope.transitions import Candidates
from symrob.limits import Clock
from symrob.lts import Lts, Transition
from symrob.lts.deviation import Deviation
from symrob.lts.views import moves_of, visible_labels
from symrob.problem import plan_of

Weight = Callable[[Transition], int]


class SafeSets:
    """The safe sets of candidates.

    Args:
        environment: The undisturbed environment; safe for each monitor.
        constraints: The monitors of the environment alone, P_env.
        closed_loop: C‖P; `None` gives the maximal environment deviations of
            [S1] Sect. 5.3, which only have to satisfy the constraints.
        clock: Checked at intervals.
        effort: Counts the work done.
        among: The only candidates that may be added; by default all that E
            lacks.

    Attributes:
        environment: E; with counted actions if there is a budget.
        plan: The original E; the deviations are over it.
        asked: The candidates.
        alone: The individually safe candidates; no others are in any robust deviation.
        ruled_out: For each constraint the candidates that it does not individually
            tolerate, among those left by the constraints before it.
        unbroken: Whether all of `alone` together is safe.
        effort: Counts what is done.

    Raises:
        LimitExceeded: A bound was hit while screening.

    Cost: see docs/pipeline.md for what screening costs.
    Source: docs/sources.md [S1], Def. 5.
    """

    def __init__(
        self,
        environment: Lts,
        constraints: Sequence[AnyMonitor],
        closed_loop: SymbolicMonitor | None,
        clock: Clock,
        effort: Effort,
        among: Candidates | None = None,
    ) -> None:
        self.environment = environment
        self.plan = plan_of(environment)
        self.asked = Candidates.all_new(environment) if among is None else among
        self._clock = clock
        self.effort = effort
        with effort.stage("screen"):
            self.alone, self._objecting, self.ruled_out = screen(
                environment, constraints, closed_loop, clock, self.asked
            )
        self.unbroken = not self._objecting
        self._bracket: Bracket | None = None

    @property
    def keeping(self) -> Candidates:
        """The candidates that individually violate no constraint."""
        kept = self.asked
        for part in self.ruled_out:
            kept = kept.without(part)
        return kept

    @property
    def objecting(self) -> Sequence[AnyMonitor]:
        """The monitors that reach ERROR when all of `alone` is added."""
        return self._objecting

    @cached_property
    def determinised(self) -> DeterminisedMonitor:
        """The monitor states of the monitors that can be violated."""
        environment = self.environment
        planned = moves_of(environment, environment.transitions)
        names = {*visible_labels(environment), *(a for _, a, _ in planned)}
        return lean_monitor(self._objecting, sorted(names), self._clock)

    @cached_property
    def extension(self) -> MaximalExtension:
        """The monitor states that sets of candidates reach, and maximal extensions."""
        return MaximalExtension(
            self.determinised, self.environment, self.alone, self._clock
        )

    @cached_property
    def sprawls(self) -> bool:
        """Whether there are too many monitor states to merge, as if C branches.

        Then a deviation costs less than most alternatives.
        """
        return len(self.determinised) > tuning.MERGED_STATES

    @property
    def looked_at_first(self) -> int:
        """How many deviations to list first, for questions that Δ can decide."""
        return tuning.FEW_DEVIATIONS if self.sprawls else tuning.FIRST_DEVIATIONS

    @cached_property
    def few(self) -> tuple[Deviation, ...] | None:
        """Δ, if it has fewer members than are listed first; else `None`."""
        with closing(self.deviations()) as deviations:
            found = tuple(islice(deviations, self.looked_at_first))
        return found if len(found) < self.looked_at_first else None

    def is_safe(self, transitions: Iterable[Transition]) -> bool:
        """Whether R_E with these transitions satisfies P and P_env.

        Args:
            transitions: Any transitions of A; those of R_E count as present.
        """
        rows = self._rows(transitions)
        return rows is not None and self.extension.met(rows)[1]

    def grown(self, transitions: Iterable[Transition]) -> Deviation:
        """Return a maximal robust superset of a safe set."""
        rows = self._rows(transitions)
        assert rows is not None, "a transition is unsafe alone"
        found, safe = self.extension.met(rows)
        assert safe, "the transitions are unsafe together"
        return self.found(self.extension.grow(rows, found)[0])

    def seen(self) -> Deviation:
        """Return a heavy maximal deviation, if a search by weight was ended early."""
        if self.unbroken:
            return self._deviation(self.alone)
        if self._bracket is None:
            return self.grown(())
        return self.grown(self.extension.transitions(self._bracket.seen()))

    def formula(
        self, weight: Weight | None = None, bracket: Bracket | None = None
    ) -> HornFormula:
        """Return a new formula with its own solver.

        Args:
            weight: The weight of a transition, a positive integer. If given, proposals
                come by decreasing weight.
            bracket: Receives bounds on the heaviest weight during the search.
        """
        solver: EnumerationSolver | MaxSatSolver
        if weight is None:
            solver = EnumerationSolver(self._clock, self.effort)
        else:
            told = (bracket.at_most,) if bracket else ()
            weights = self._weights(weight)
            solver = MaxSatSolver(weights, self._clock, self.effort, *told)
        return HornFormula(
            self.determinised, self.extension, solver, self.effort, self._clock
        )

    def _weights(self, weight: Weight) -> list[int]:
        """The weight of each candidate, in the order of the extension."""
        return [weight(t) for t in self.extension.transitions(self.extension.options)]

    def deviations(
        self, weight: Weight | None = None, including: Iterable[Transition] = ()
    ) -> Generator[Deviation, None, None]:
        """Yield every maximal robust deviation, each once.

        Args:
            weight: If given, deviations come in the order of the weight that they add,
                the greatest first; a MaxSAT solver finds them, so that the first ones
                do not require all others.
            including: Only deviations that contain all of these transitions.

        Yields:
            Deviations that contain R_E (without `tau`), none a subset of another.

        Raises:
            LimitExceeded: A bound was hit; the deviations yielded before are valid.

        Cost: |Δ| + 1 proposals of the solver and the extension of each.
        """
        wanted = list(including)
        if self.unbroken and not wanted:
            # Rows and monitor states are not even set up: E can be large.
            yield self._deviation(self.alone)
            return
        required = self._rows(wanted)
        if required is None:
            return
        if self.unbroken:
            yield self._deviation(self.alone)
            return
        self._bracket = bracket = None
        if weight is not None and not wanted:
            weights = self._weights(weight)
            bracket = Bracket(self.determinised, self.extension, weights, self.effort)
            self._bracket = bracket
        maximal = self.maximal(weight, bracket)
        try:
            sets = antichain(map(self.found, maximal.search(required)))
            while True:
                with self.effort.stage("enumerate"):
                    deviation = next(sets, None)
                if deviation is None:
                    return
                if bracket is not None:
                    bracket.found()
                yield deviation
        finally:
            maximal.close()

    def maximal(
        self, weight: Weight | None = None, bracket: Bracket | None = None
    ) -> MaximalSets:
        """Return a new search for the maximal safe sets; the caller must close it.

        Args:
            weight: See `formula`.
            bracket: See `formula`.
        """
        neighbours = None
        if weight is None:
            neighbours = Neighbours(self.determinised, self.extension, self._clock)
        formula = self.formula(weight, bracket)
        return MaximalSets(
            formula, self.extension, self._units, neighbours, self.effort
        )

    @property
    def shape(self) -> tuple[int, int]:
        """The number of rows of a set of candidates, and of bits in each."""
        return len(self.extension.rows), self.environment.size

    @cached_property
    def _units(self) -> UnitPropagation:
        return UnitPropagation(self.determinised, self.extension, self._clock)

    def _rows(self, transitions: Iterable[Transition]) -> BitRows | None:
        """The candidates among the transitions; `None` if one is unsafe alone."""
        extension = self.extension
        rows = [0] * len(extension.rows)
        planned = self.plan.visible_transitions
        for source, action, target in transitions:
            if (source, action, target) in planned:
                continue
            row = extension.row_for(self.environment, source, action, target)
            if (
                row is None
                or not (extension.options[row] | extension.fixed[row]) >> target & 1
            ):
                return None
            rows[row] |= 1 << target & extension.options[row]
        return rows

    def found(self, chosen: BitRows) -> Deviation:
        """Return the deviation that adds these candidates, for each row as bits."""
        environment, extension = self.plan, self.extension
        nominal = environment.visible_transitions
        packed = None
        if environment is self.environment and environment.views is None:
            # Else rows are not in the order of E's transitions.
            packed = extension, extension.mask_of(chosen)
        new = extension.joined(chosen, nominal)
        return Deviation(nominal, new, environment, packed=packed)

    def _deviation(self, new: Iterable[Transition]) -> Deviation:
        environment = self.plan
        return Deviation(environment.visible_transitions, new, environment)
