"""Whether one of two designs tolerates a set of candidates that the other does not.

In:  two `Engine`s over one environment, with their preconditions checked.
Out: `WideDirection`; `compare` creates one for each direction.

1. Screening. A candidate that only one side tolerates individually is a smallest
   witness. 2. If the other side tolerates all of this side's individually tolerated
   candidates together, there is none. 3. If both have few maximal deviations, these
   decide (`dual`). 4. If whatever breaks the other side provably breaks this one, there
   is none (`inclusion`). With many candidates, this comes before 3. 5. A complete
   search (`escape`, `difference`).

Source: docs/sources.md [S1], Def. 6, Def. 7.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from symrob.analyses.difference import DifferenceSearch
from symrob.analyses.dual import least_beyond
from symrob.analyses.escape import Escapes
from symrob.analyses.inclusion import breaks_too
from symrob.analyses.space import Direction, Space
from symrob.envelope import tuning
from symrob.envelope.engine import Engine
from symrob.lts import Transition


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
        self._search: Iterator[frozenset[Transition]] = iter(())

    def settle(self) -> None:
        """Decide whether there is one, if that needs no search.

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
        everything = keeper.safe_sets.alone.with_nominal(keeper.environment)
        with keeper.effort.stage("settle"):
            if breaker.is_safe(everything):
                self.exists = False
                return
            # The search that follows determinises both sides together.
            tests = [self._few_tell, self._is_included]
            if len(keeper.safe_sets.alone) > tuning.MANY_CANDIDATES:
                tests.reverse()
            any(test() for test in tests)

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
        everything = keeper.safe_sets.alone.with_nominal(keeper.environment)
        sides = keeper.walked, breaker.walked
        included = breaks_too(*sides, everything, keeper.backend, keeper.clock)
        if included:
            self.exists = False
        return included

    def search(self) -> None:
        """Decide whether there is one, if `settle` did not.

        Raises:
            LimitExceeded: A bound was hit before that.
        """
        if self.exists is None and self.alone is not None:
            with self._keeper.effort.stage("search"):
                self._search = self._witnesses()
                found = next(self._search, None)
            self.exists = found is not None
            self.added = found or frozenset()

    def shrink(self) -> None:
        """Find smaller witnesses, down to a smallest.

        Raises:
            LimitExceeded: A bound was hit before it was known to be smallest.
        """
        if self.exists and not self.smallest:
            with self._keeper.effort.stage("shrink"):
                for added in self._search:
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
