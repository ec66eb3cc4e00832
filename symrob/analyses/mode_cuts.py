"""Minimal cut sets of fault modes: which modes together can hurt.

In:  an `Engine` whose problem asks about fault modes.
Out: `ModeCuts`, iterated over as `Cuts` is.

A smallest set that meets the complement of every maximal safe set known so far is
unsafe, and then minimal, or it is safe and grows to a maximal one that was not known.
So each proposal of a solver gives one of either; modes are few.
"""

from __future__ import annotations

from collections.abc import Iterator

from symrob.analyses.cut import Cut
from symrob.analyses.cuts import Cuts, Found
from symrob.analyses.hazards import Verdict, verdict
from symrob.envelope.effort import Effort
from symrob.envelope.engine import Engine
from symrob.envelope.mode_sets import ModeSets
from symrob.envelope.solvers import MaxSatSolver
from symrob.limits import Clock
from symrob.lts import Transition
from symrob.lts.masks import bits
from symrob.problem.units import Chosen


def cuts_of(engine: Engine) -> type[Cuts]:
    """Return the class that finds the cuts of a problem in its units."""
    return Cuts if engine.problem.units is None else ModeCuts


class UnsafeModes:
    """The minimal unsafe sets of modes, smallest first.

    Args:
        sets: Which sets are safe.
        clock: Asked now and then whether the run may go on.
        effort: Counts the sets looked at.
        among: The only modes that are looked at; by default all.

    Attributes:
        complete_to: Every minimal unsafe set of at most so many modes has been given.
    """

    def __init__(
        self, sets: ModeSets, clock: Clock, effort: Effort, among: Chosen | None = None
    ) -> None:
        self._sets = sets
        self._clock = clock
        self._effort = effort
        self._among = sets.units.all if among is None else among
        self.complete_to = 0

    def by_size(self, order: int | None = None) -> Iterator[Chosen]:
        """Yield every minimal unsafe set, each once, the smallest first.

        Args:
            order: Give only sets of at most so many modes; at least 1.

        Raises:
            LimitExceeded: A bound was hit; what was yielded before is valid.

        Cost: a MaxSAT problem for each set and for some of the maximal safe ones.
        """
        sets, left = self._sets, self._among
        for m in bits(self._among):
            self._clock.check()
            self._effort.sets_visited += 1
            if not sets.is_safe(1 << m):
                left &= ~(1 << m)
                yield 1 << m
        self.complete_to = 1
        if order == 1:
            return
        # Variable i + 1 says that mode i of those left is not in the set.
        modes = [*bits(left)]
        solver = MaxSatSolver([1] * len(modes), self._clock, self._effort)
        try:
            while (model := solver.propose()) is not None:
                members = [i for i in range(len(modes)) if model[i] < 0]
                if order is not None and len(members) > order:
                    break
                # Every smaller one would have come before.
                self.complete_to = max(self.complete_to, len(members) - 1)
                self._effort.sets_visited += 1
                chosen = sum(1 << modes[i] for i in members)
                if not sets.is_safe(chosen):
                    yield chosen
                    solver.add([i + 1 for i in members])
                    continue
                grown = sets.grown(chosen)
                outside = [i for i, m in enumerate(modes) if not grown >> m & 1]
                if not outside:
                    break
                solver.add([-(i + 1) for i in outside])
        finally:
            solver.close()
        self.complete_to = max(self.complete_to, order or len(modes))


class ModeCuts(Cuts):
    """As `Cuts`, over the fault modes of a problem."""

    def _made(self, transitions: frozenset[Transition], verdict: Verdict) -> Cut:
        return Cut(transitions, verdict, self.engine, self._names)

    def _search(self) -> Iterator[Found]:
        engine = self.engine
        for chosen in self._sets(engine.mode_sets, self.order):
            judged = verdict(engine, self._added(chosen))
            if judged == "hazardous" or (
                self._outside and judged == "outside-assumptions"
            ):
                yield self._found(chosen, judged)
                if self.smallest:
                    break
            elif judged == "outside-assumptions":
                self.sizes[judged][chosen.bit_count()] += 1
        if engine.constraints and not self._within_only:
            yield from self._modes_assumed_away()

    def _modes_assumed_away(self) -> Iterator[Found]:
        """The minimal P-unsafe sets that break an assumption."""
        engine, order = self.engine, self.order
        smallest = min(self.sizes["hazardous"], default=None) if self.smallest else None
        if smallest is not None:
            if smallest == 1:
                return
            order = smallest - 1 if order is None else min(order, smallest - 1)
        size = None
        for chosen in self._sets(engine.unconstrained.mode_sets, order):
            if size is not None and chosen.bit_count() > size:
                return
            if not engine.keeps_constraints(engine.extended(self._added(chosen))):
                yield self._found(chosen, "assumed-away")
                if self.smallest:
                    return
                if self.order is None:
                    size = chosen.bit_count()

    def _sets(self, sets: ModeSets, order: int | None) -> Iterator[Chosen]:
        search = UnsafeModes(sets, self.engine.clock, self.engine.effort)
        self._searches.append(search)
        return search.by_size(order)

    def _added(self, chosen: Chosen) -> frozenset[Transition]:
        return self.engine.mode_sets.units.added(chosen)

    def _found(self, chosen: Chosen, judged: Verdict) -> Found:
        self._names = self.engine.mode_sets.units.names(chosen)
        return self._added(chosen), judged
