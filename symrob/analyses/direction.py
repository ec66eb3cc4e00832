"""Whether one of two designs tolerates a set of candidates that the other does not.

In:  two `Engine`s over one environment, with their preconditions checked.
Out: `WideDirection`; `compare` creates one for each direction.

1. Screening. A candidate that only one side tolerates alone is a smallest witness.
2. If the other side tolerates all that this one tolerates alone, put together, there
   is none.
3. Where any witness will do, the first maximal deviations of this side are tried; the
   other one is not determinised for that (`breaking`).
4. Where both have few maximal deviations, these tell (`dual`).
5. If what breaks the other side is known to break this one, there is none
   (`inclusion`). It is asked before 4 where there are many candidates.
6. A search that is complete (`escape`, `difference`).

Source: docs/sources.md [S1], Def. 6, Def. 7.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator
from contextlib import closing
from itertools import islice

from symrob.analyses.difference import DifferenceSearch
from symrob.analyses.dual import least_beyond
from symrob.analyses.escape import Escapes
from symrob.analyses.inclusion import breaks_too
from symrob.analyses.space import Direction, Space
from symrob.envelope import tuning
from symrob.envelope.breaking import Step, run_to_error
from symrob.envelope.engine import Engine
from symrob.envelope.exploration import reach
from symrob.envelope.transitions import MaskGraph
from symrob.lts import Transition
from symrob.lts.views import plain


class WideDirection(Direction):
    """Whether one side tolerates a set of candidates that the other does not.

    Args:
        keeper: The side that tolerates it.
        breaker: The side that it breaks.
        sides: Their engines.
    """

    def __init__(
        self, keeper: Space, breaker: Space, sides: tuple[Engine, Engine]
    ) -> None:
        super().__init__(keeper, breaker)
        keeping, breaking = sides
        self._keeper = keeping.seen_with(breaking)
        self._breaker = breaking.seen_with(self._keeper)
        # `None` before 4.
        self._search: Iterator[frozenset[Transition]] | None = None

    def settle(self, *, smallest: bool = True) -> None:
        """Find out whether there is one, if that is seen without a search.

        Args:
            smallest: See `Direction`.

        Raises:
            LimitExceeded: A bound was hit before that.
        """
        keeper, breaker = self._keeper, self._breaker
        tolerated = keeper.safe_sets.alone
        self.alone = tolerated.without(breaker.safe_sets.alone)
        self.both = len(tolerated) - len(self.alone)
        if len(self.alone):
            self.exists, self.smallest = True, True
            self.added = frozenset({self._telling(self.alone)})
            return
        with keeper.effort.stage("settle"):
            if not smallest and (found := self._guessed()) is not None:
                self.exists, self.added = True, found
            elif breaker.is_safe(self._everything):
                self.exists = False

    @property
    def _everything(self) -> MaskGraph:
        """E with all that the keeper tolerates alone."""
        return self._keeper.safe_sets.alone.with_nominal(self._keeper.environment)

    def _guessed(self) -> frozenset[Transition] | None:
        """Try the first maximal deviations of the keeper, with all of C in bits.

        What is found is minimal: without any of its members it breaks nothing.

        Cost: as of the keeper's first deviations; for each a search of the breaker's
            closed loop, and one more for each step of E in a shortest run into ERROR.
        """
        keeper, breaker, clock = self._keeper, self._breaker, self._keeper.clock
        loop = breaker.closed_loop
        # What breaks a cone may break C; what breaks none does not.
        monitors = (*breaker.constraints, *(loop.cones or (loop,)))
        with closing(self._first_graphs()) as graphs:
            for graph in graphs:
                for monitor in monitors:
                    if reach(monitor, graph, clock) is not None:
                        continue
                    run = run_to_error(monitor, graph, keeper.nominal, clock)
                    added = self._added(run)
                    if not breaker.is_safe(breaker.extended(added)):
                        return self._thinned(added)
        return None

    def _first_graphs(self) -> Generator[MaskGraph, None, None]:
        """Yield E with some of the keeper's maximal deviations."""
        sets = self._keeper.safe_sets
        if sets.unbroken:
            yield self._everything
            return
        extension, maximal = sets.extension, sets.maximal()
        try:
            for chosen in islice(maximal.search(), tuning.GUESSED_SETS):
                yield extension.graph(chosen)
        finally:
            maximal.close()

    def _added(self, run: Iterable[Step]) -> frozenset[Transition]:
        """What E lacks of the steps of a run."""
        steps = (Transition(q, plain(action), r) for q, action, r in run)
        return frozenset(t for t in steps if t in self._keeper.safe_sets.alone)

    def _thinned(self, added: frozenset[Transition]) -> frozenset[Transition]:
        """Take out what the breaker does not need to break."""
        for step in sorted(added):
            if not self._breaker.is_safe(self._breaker.extended(added - {step})):
                added -= {step}
        return added

    def _few_tell(self) -> bool:
        """Whether both sides have few deviations, which tell."""
        keeper, breaker = self._keeper, self._breaker
        least = least_beyond(keeper.safe_sets, breaker.safe_sets, keeper.clock)
        if least is not None:
            self.exists = self.smallest = bool(least)
            self.added = least
        return least is not None

    def _is_included(self) -> bool:
        """Whether what breaks the breaker is known to break the keeper."""
        keeper, breaker = self._keeper, self._breaker
        sides, clock = (keeper.walked, breaker.walked), keeper.clock
        included = breaks_too(*sides, self._everything, keeper.backend, clock)
        if included:
            self.exists = False
        return included

    def search(self) -> None:
        """Decide whether there is one, if `settle` did not.

        Raises:
            LimitExceeded: A bound was hit before that.
        """
        if self.exists is None and self.alone is not None:
            self._decide()

    def _decide(self) -> None:
        """Find out whether there is one, whatever it takes."""
        keeper = self._keeper
        # The search that follows determinises both sides together.
        tests = [self._few_tell, self._is_included]
        if len(keeper.safe_sets.alone) > tuning.MANY_CANDIDATES:
            tests.reverse()
        self._search = iter(())
        with keeper.effort.stage("search"):
            if any(test() for test in tests):
                return
            self._search = self._witnesses()
            found = next(self._search, None)
        self.exists, self.added = found is not None, found or frozenset()

    def shrink(self) -> None:
        """Find smaller witnesses, down to a smallest.

        Raises:
            LimitExceeded: A bound was hit before it was known to be smallest.
        """
        if not self.exists or self.smallest:
            return
        if self._search is None:
            self._decide()  # It was guessed.
        if not self.smallest:
            with self._keeper.effort.stage("shrink"):
                for added in self._search or ():
                    self.added = added
            self.smallest = True

    def _witnesses(self) -> Iterator[frozenset[Transition]]:
        """Search where no single transition decides; see `DifferenceSearch`."""
        keeper = self._keeper
        sets, clock = keeper.safe_sets, keeper.clock
        escapes = Escapes(
            sets.extension,
            sets.determinised,
            self._breaker.safe_sets.determinised,
            clock,
        )
        search = DifferenceSearch(sets, escapes, clock, keeper.effort)
        try:
            # What the keeper tolerates alone, the other side does too.
            yield from search.witnesses(least=2)
        finally:
            search.close()

    def _telling(self, alone: Iterable[Transition]) -> Transition:
        """Choose the transition that is shown.

        First those with an action that E has and never takes: something new
        rather than something known at another moment.
        """
        unused = set(self._keeper.problem.environment.unused_actions)
        return min(alone, key=lambda t: (t.action not in unused, t))
