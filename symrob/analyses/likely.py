"""Minimal unsafe sets by weight, the lightest first, without listing the others.

In:  `SafeSets`, and the weight of each candidate.
Out: every minimal unsafe set that the caller accepts, one after the other.

The search is that of `unsafe`, but in the order of weight instead of size. The results
for a set's parts must be known before the set is examined: no part weighs more than the
whole, and of equal weight the smaller set comes first. With the logarithm of 1 / p as
the weight of a candidate of probability p, the most probable sets come first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from heapq import heappop, heappush, merge

from symrob.analyses.dual import Chosen
from symrob.analyses.pairs import Explorer, PairGraph
from symrob.analyses.unsafe import LOST, SetSearch
from symrob.envelope.effort import Effort
from symrob.envelope.safe_sets import SafeSets
from symrob.limits import Clock
from symrob.lts import ERROR, Transition
from symrob.lts.masks import bits

Weighed = tuple[int, frozenset[Transition]]


def by_weight(
    safe_sets: SafeSets,
    weight: Callable[[Transition], int],
    clock: Clock,
    effort: Effort,
) -> Iterator[Weighed]:
    """Yield each minimal unsafe set of more than nothing, with its weight.

    Args:
        safe_sets: The safe sets; candidates that individually violate a constraint are
            left out.
        weight: The weight of a candidate; a nonnegative integer.
        clock: Checked at intervals.
        effort: Counts the sets examined.

    Raises:
        LimitExceeded: A bound was hit; the sets yielded before are valid.

    Cost: as for `UnsafeSets`, for the sets up to the weight of the last one.
    """
    alone = safe_sets.keeping.without(safe_sets.alone)
    singles = sorted((weight(t), t) for t in alone)
    larger = _larger(safe_sets, weight, clock, effort)
    ones = ((heavy, frozenset((t,))) for heavy, t in singles)
    yield from merge(ones, larger, key=lambda found: found[0])


def _larger(
    safe_sets: SafeSets,
    weight: Callable[[Transition], int],
    clock: Clock,
    effort: Effort,
) -> Iterator[Weighed]:
    """Those of two and more."""
    if safe_sets.unbroken:
        return
    candidates = tuple(safe_sets.alone)
    explorer = Explorer(safe_sets.environment, candidates, clock)
    pairs = PairGraph()
    for monitor in safe_sets.objecting:
        pairs.add(explorer.risks(monitor))
    weights = [0, *map(weight, candidates)]
    search = _Lightest(pairs, len(candidates), clock, effort)
    for chosen in search.lightest_first(weights):
        members = [*bits(chosen)]
        found = frozenset(candidates[c - 1] for c in members)
        yield sum(weights[c] for c in members), found


class _Lightest(SetSearch):
    """The search by weight."""

    def lightest_first(self, weights: list[int]) -> Iterator[Chosen]:
        """Yield the minimal unsafe sets as masks, the lightest first.

        Args:
            weights: Of each candidate, by its number from 1.
        """
        heap: list[tuple[int, int, Chosen]] = []
        waiting: set[Chosen] = set()
        start = self.begin()
        self._push(heap, waiting, weights, start, self._reached[start])
        # Sets leave the heap by weight and size, so the parts of each were looked at
        # before it. Ends, since each set enters once.
        while heap:
            _, _, chosen = heappop(heap)
            self._count_one()
            members = tuple(bits(chosen))
            base = 0
            for part, reached in self._reached.items():
                if not part & ~chosen:
                    base |= reached
                    if base == LOST:
                        break
            if base == LOST:
                continue
            own = self._reached_by_all(chosen, members, base)
            if not own:
                continue
            self._reached[chosen] = own
            if own == LOST:
                yield chosen
            else:
                self._push(heap, waiting, weights, chosen, base | own)

    def _push(
        self,
        heap: list[tuple[int, int, Chosen]],
        waiting: set[Chosen],
        weights: list[int],
        chosen: Chosen,
        reached: int,
    ) -> None:
        """Put what a set can be extended by into the heap, each set once."""
        for pair in bits(self._reached[chosen]):
            for candidate, target in self._added[pair]:
                larger = chosen | 1 << candidate
                new = target == ERROR or not reached >> target & 1
                if new and larger not in waiting and larger != chosen:
                    waiting.add(larger)
                    members = [*bits(larger)]
                    heavy = sum(weights[c] for c in members)
                    heappush(heap, (heavy, len(members), larger))
