"""Minimal unsafe sets from Δ: the minimal transversals of the complements.

In:  `SafeSets`, and the complement of each maximal deviation, as a mask.
Out: `Lacking`: these masks, as far as Δ has been listed; `minimal_transversals`: every
     minimal set that meets all of them, the smallest first.

A set is unsafe exactly if no maximal deviation contains it, so if it meets the
complement of each ([S1] Def. 5). If Δ is small this takes microseconds for each set,
regardless of the number of traces. Members that the same deviations leave out are
interchangeable: the search uses one of each class and expands it at the end.

Source: the search is that of Murakami and Uno (MMCS), breadth first: a set grows by a
member of the first mask that it does not meet, as long as each of its members is the
only one that meets some mask.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice, product
from typing import Self

from symrob.envelope.safe_sets import SafeSets
from symrob.errors import LimitExceeded
from symrob.limits import Clock
from symrob.lts import Transition
from symrob.lts.deviation import Deviation
from symrob.lts.masks import bits, mask_of

# A set of candidates as a mask.
Chosen = int
# Classes of candidates, which others may join, which masks they do not meet, and which
# they meet once.
Part = tuple[tuple[int, ...], int, int, int]


def require_room(sets: int, clock: Clock) -> None:
    """Raise if this many sets of transitions do not fit into memory.

    Raises:
        LimitExceeded: They do not.
    """
    bound = clock.limits.max_states
    if sets >= bound:
        raise LimitExceeded(
            f"more than {bound:,} sets of transitions to keep in memory; "
            "raise --bound max-states to continue"
        )


class Lacking:
    """The complements of maximal deviations; use it in a `with` block.

    Args:
        safe_sets: The safe sets.
        candidates: The individually safe candidates; the n-th is bit n of a mask.

    Attributes:
        masks: One for each deviation that was listed.
        complete: Whether all deviations were listed.
    """

    def __init__(self, safe_sets: SafeSets, candidates: Sequence[Transition]) -> None:
        self._candidates = candidates
        self._deviations = safe_sets.deviations()
        self.masks: list[Chosen] = []
        self.complete = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._deviations.close()

    def list_more(self, most: int) -> None:
        """List this many more deviations."""
        wanted = len(self.masks) + most
        for deviation in islice(self._deviations, most):
            self.masks.append(_mask(self._candidates, deviation))
        self.complete = len(self.masks) < wanted


def least_beyond(
    keeper: SafeSets, breaker: SafeSets, clock: Clock
) -> frozenset[Transition] | None:
    """Return a smallest set that the keeper tolerates and the breaker does not.

    Args:
        keeper: One side.
        breaker: The other side; it tolerates individually all units that the keeper
            does.
        clock: Checked at intervals.

    Returns:
        The set, empty if there is none; `None` if one of the two has more maximal
        deviations than are listed for this.

    Raises:
        LimitExceeded: A bound was hit.

    Cost: listing the first deviations of each, and, for each of the keeper's, the
        smallest transversals of the parts of it that the breaker's leave out.
    """
    if (kept := keeper.few) is None or (other := breaker.few) is None:
        return None
    candidates = tuple(keeper.alone)
    lacking = [_mask(candidates, deviation) for deviation in other]
    least: Chosen = 0
    for deviation in kept:
        held = ~_mask(candidates, deviation)
        within = [mask & held for mask in lacking]
        if all(within):
            found = next(minimal_transversals(within, clock))
            if not least or found.bit_count() < least.bit_count():
                least = found
    return frozenset(candidates[n] for n in bits(least))


def _mask(candidates: Sequence[Transition], deviation: Deviation) -> Chosen:
    """The candidates that a deviation lacks."""
    new = deviation.new
    return mask_of([n for n, t in enumerate(candidates) if t not in new])


def minimal_transversals(masks: Sequence[Chosen], clock: Clock) -> Iterator[Chosen]:
    """Yield every minimal set that meets all masks, each once, the smallest first.

    Args:
        masks: At least one; none of them empty.
        clock: Checked for each set; bounds the number of sets of one size.

    Raises:
        LimitExceeded: A bound was hit; the sets yielded before are valid.

    Cost: a few operations on masks of `len(masks)` bits for each set that is, or may
        be, a part of a minimal one.
    """
    masks = sorted(masks, key=int.bit_count)
    met: dict[int, int] = {}
    for number, mask in enumerate(masks):
        for member in bits(mask):
            met[member] = met.get(member, 0) | 1 << number
    classes: dict[int, list[Chosen]] = {}
    for member, pattern in met.items():
        classes.setdefault(pattern, []).append(1 << member)
    patterns = list(classes)
    edges = [0] * len(masks)
    for index, pattern in enumerate(patterns):
        for number in bits(pattern):
            edges[number] |= 1 << index
    # Before round k the sets of k classes that can be a part of a minimal set are here,
    # each once: of the classes that meet a mask, a set takes one, and those after it in
    # the mask join no more. Ends: there are finitely many.
    level: list[Part] = [((), (1 << len(patterns)) - 1, (1 << len(masks)) - 1, 0)]
    while level:
        following: list[Part] = []
        for members, joining, unmet, once in level:
            clock.check()
            require_room(len(following), clock)
            choices = edges[(unmet & -unmet).bit_length() - 1] & joining
            joining &= ~choices
            for index in bits(choices):
                pattern = patterns[index]
                still = once & ~pattern
                if not all(patterns[m] & still for m in members):
                    continue
                larger = (*members, index)
                if pattern & unmet == unmet:
                    chosen = (classes[patterns[m]] for m in larger)
                    yield from map(sum, product(*chosen))
                else:
                    now = still | pattern & unmet
                    following.append((larger, joining, unmet & ~pattern, now))
                joining |= 1 << index
        level = following
