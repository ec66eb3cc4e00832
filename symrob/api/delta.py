"""Compact storage of deviations as bits.

In:  deviations, one after the other.
Out: `Delta`, a sequence of them.

A deviation of a thousand transitions takes 64 KB as a set; Δ can have a million
deviations. Two of them differ little, so each is stored as the transitions that it
lacks among all those seen so far, one bit per transition.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import count
from typing import NamedTuple, overload

from symrob.envelope.extension import MaximalExtension
from symrob.lts import Lts, Transition
from symrob.lts.deviation import Deviation
from symrob.lts.masks import bits, mask_of


class Delta(Sequence[Deviation]):
    """Deviations of one environment, in the order in which they were added.

    Args:
        environment: E.

    Cost: for each deviation one bit per transition seen before, or per candidate if it
        comes as bits; adding one takes two set differences, or nothing, and reading one
        a set union.
    """

    def __init__(self, environment: Lts) -> None:
        self._environment = environment
        # How the first that came with its bits numbers them.
        self._layout: MaximalExtension | None = None
        self._nominal = frozenset(environment.visible_transitions)
        # All that deviations added so far, in the order in which it came, and the
        # place of each. A mask of each would take memory in the square of them.
        self._met: list[Transition] = []
        self._place: dict[Transition, int] = {}
        self._union: frozenset[Transition] = frozenset()
        # The bits of each deviation, or what it lacks of what had been met.
        self._kept: list[int | _Lacks] = []

    def append(self, deviation: Deviation) -> None:
        """Add a deviation."""
        if deviation.packed is not None:
            layout, mask = deviation.packed
            if self._layout is None and isinstance(layout, MaximalExtension):
                self._layout = layout
            if self._layout is layout:
                self._kept.append(mask)
                return
        lacking = self._union - deviation
        added = len(deviation) - len(self._nominal)
        if len(self._union) - len(lacking) < added:
            fresh = deviation - self._nominal - self._union
            self._union |= fresh
            first = len(self._met)
            self._met += sorted(fresh)
            self._place.update(zip(self._met[first:], count(first), strict=False))
        lacks = mask_of(list(map(self._place.__getitem__, lacking)))
        self._kept.append(_Lacks(lacks, len(self._met), deviation.modes))

    def __len__(self) -> int:
        return len(self._kept)

    @overload
    def __getitem__(self, index: int) -> Deviation: ...
    @overload
    def __getitem__(self, index: slice) -> list[Deviation]: ...
    def __getitem__(self, index: int | slice) -> Deviation | list[Deviation]:
        """Return a deviation, or several; rebuilt at each call."""
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        kept = self._kept[index]
        if isinstance(kept, int):
            assert self._layout is not None
            new = self._layout.joined(self._layout.rows_of(kept), self._nominal)
            packed = self._layout, kept
            return Deviation(self._nominal, new, self._environment, packed=packed)
        whole = kept.size == len(self._met)
        met = self._union if whole else frozenset(self._met[: kept.size])
        new = met.difference([self._met[i] for i in bits(kept.mask)])
        return Deviation(self._nominal, new, self._environment, kept.modes)

    def __iter__(self) -> Iterator[Deviation]:
        return map(self.__getitem__, range(len(self)))


class _Lacks(NamedTuple):
    """What a deviation lacks of the first transitions that were met, as bits."""

    mask: int
    size: int
    modes: tuple[str, ...] | None
