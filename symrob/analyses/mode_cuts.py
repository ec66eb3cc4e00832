"""Minimal cut sets of fault modes: which modes together can hurt.

In:  a problem in fault modes, `InModes`.
Out: `ModeCuts`, iterated over as `Cuts` is.

A smallest set that meets the complement of every maximal safe set known so far is
unsafe, and then minimal, or it is safe and grows to a maximal one that was not known.
So each proposal of a solver gives one of either; modes are few.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from symrob.analyses.cut import Cut
from symrob.analyses.cut_search import Search
from symrob.analyses.cuts import Cuts
from symrob.analyses.in_modes import InModes
from symrob.envelope.engine import Engine
from symrob.envelope.solvers import MaxSatSolver
from symrob.lts.masks import bits
from symrob.problem.units import Chosen


def cuts_of(asked: Engine | InModes, **options: Any) -> Cuts:
    """Return the cuts of a problem in its units, yet to be found.

    Args:
        asked: The problem.
        options: As of `Cuts`.
    """
    if isinstance(asked, Engine) and asked.problem.units is None:
        return Cuts(asked, **options)
    return ModeCuts(InModes([asked]) if isinstance(asked, Engine) else asked, **options)


class UnsafeModes:
    """The minimal unsafe sets of modes, smallest first.

    Args:
        modes: Which sets are safe.
        among: The only modes that are looked at; by default all.

    Attributes:
        complete_to: Every minimal unsafe set of at most so many modes has been given.
    """

    def __init__(self, modes: InModes, among: Chosen | None = None) -> None:
        self._modes = modes
        self._among = modes.units.all if among is None else among
        self.complete_to = 0

    def by_size(self, order: int | None = None) -> Iterator[Chosen]:
        """Yield every minimal unsafe set, each once, the smallest first.

        Args:
            order: Give only sets of at most so many modes; at least 1.

        Raises:
            LimitExceeded: A bound was hit; what was yielded before is valid.

        Cost: a MaxSAT problem for each set and for some of the maximal safe ones.
        """
        asked, left = self._modes, self._among
        clock, effort = asked.clock, asked.effort
        for m in bits(self._among):
            clock.check()
            effort.sets_visited += 1
            if not asked.is_safe(1 << m):
                left &= ~(1 << m)
                yield 1 << m
        self.complete_to = 1
        if order == 1:
            return
        # Variable i + 1 says that mode i of those left is not in the set.
        modes = [*bits(left)]
        solver = MaxSatSolver([1] * len(modes), clock, effort)
        try:
            while (model := solver.propose()) is not None:
                members = [i for i in range(len(modes)) if model[i] < 0]
                if order is not None and len(members) > order:
                    break
                # Every smaller one would have come before.
                self.complete_to = max(self.complete_to, len(members) - 1)
                effort.sets_visited += 1
                chosen = sum(1 << modes[i] for i in members)
                if not asked.is_safe(chosen):
                    yield chosen
                    solver.add([i + 1 for i in members])
                    continue
                grown = asked.grown(chosen)
                outside = [i for i, m in enumerate(modes) if not grown >> m & 1]
                if not outside:
                    break
                solver.add([-(i + 1) for i in outside])
        finally:
            solver.close()
        self.complete_to = max(self.complete_to, order or len(modes))


@dataclass
class ModeSearch(Search):
    """As `Search`, over the fault modes of a problem.

    Attributes:
        modes: The problem, its preconditions checked.
    """

    modes: InModes = field(kw_only=True)

    @property
    def constrained(self) -> bool:
        """Whether there are assumptions."""
        return self.modes.constrained

    def __iter__(self) -> Iterator[Cut]:
        """Search."""
        for chosen in self._sets(self.modes, self.order):
            cut = self.modes.cut(chosen)
            outside = cut.verdict == "outside-assumptions"
            if cut.verdict == "hazardous" or (outside and self.outside):
                yield cut
                if self.smallest:
                    break
            elif outside:
                self.sizes[cut.verdict][len(cut)] += 1
        if self.constrained and not self.within_only:
            yield from self._assumed_away_sets()

    def _assumed_away_sets(self) -> Iterator[Cut]:
        """The minimal P-unsafe sets that break an assumption."""
        order = self.order
        smallest = min(self.sizes["hazardous"], default=None) if self.smallest else None
        if smallest is not None:
            if smallest == 1:
                return
            order = smallest - 1 if order is None else min(order, smallest - 1)
        size = None
        for chosen in self._sets(self.modes.unconstrained, order):
            if size is not None and chosen.bit_count() > size:
                return
            if not self.modes.keeps_constraints(chosen):
                yield self.modes.cut(chosen)
                if self.smallest:
                    return
                if self.order is None:
                    size = chosen.bit_count()

    def _sets(self, modes: InModes, order: int | None) -> Iterator[Chosen]:
        search = UnsafeModes(modes)
        self.searches.append(search)
        return search.by_size(order)


class ModeCuts(Cuts):
    """As `Cuts`, over the fault modes of a problem.

    Args:
        modes: The problem, its preconditions checked.
        options: As of `Cuts`.

    Attributes:
        modes: As given.
    """

    def __init__(self, modes: InModes, **options: Any) -> None:
        self.modes = modes
        super().__init__(modes.engines[0], **options)

    @property
    def units(self) -> int:
        """How many fault modes could be added."""
        return len(self.modes.units)

    def _sought(self, *sought: Any) -> ModeSearch:
        return ModeSearch(self.engine, *sought, modes=self.modes)
