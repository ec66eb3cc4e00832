"""Deviations that were found, kept as bits.

In:  deviations, one after the other.
Out: `Delta`, a sequence of them.

A deviation of a thousand transitions takes 64 KB as a set; Δ can have a million. Two of
them differ in little, so what each lacks of all that were met so far is kept, a bit for
each transition.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from typing import overload

from symrob.lts import Lts, Transition
from symrob.lts.deviation import Deviation
from symrob.lts.masks import bits


class Delta(Sequence[Deviation]):
    """Deviations of one environment, in the order in which they came.

    Args:
        environment: E.

    Cost: a bit for each transition that was met before, for each deviation; adding one
        and giving it back take one or two differences of sets.
    """

    def __init__(self, environment: Lts) -> None:
        self._environment = environment
        self._nominal = frozenset(environment.visible_transitions)
        # All that deviations added so far, in the order in which it came, and the bit
        # of each.
        self._met: list[Transition] = []
        self._bit: dict[Transition, int] = {}
        self._union: frozenset[Transition] = frozenset()
        # For each deviation what it lacks of what had been met, and how much that was.
        self._lacks: list[bytes] = []
        self._sizes = array("Q")
        self._modes: list[tuple[str, ...] | None] = []

    def append(self, deviation: Deviation) -> None:
        """Add one more."""
        lacking = self._union - deviation
        added = len(deviation) - len(self._nominal)
        if len(self._union) - len(lacking) < added:
            fresh = deviation - self._nominal - self._union
            self._union |= fresh
            for transition in sorted(fresh):
                self._bit[transition] = 1 << len(self._met)
                self._met.append(transition)
        lacks = sum(map(self._bit.__getitem__, lacking))
        self._lacks.append(lacks.to_bytes(len(self._met) // 8 + 1, "little"))
        self._sizes.append(len(self._met))
        self._modes.append(deviation.modes)

    def __len__(self) -> int:
        return len(self._lacks)

    @overload
    def __getitem__(self, index: int) -> Deviation: ...
    @overload
    def __getitem__(self, index: slice) -> list[Deviation]: ...
    def __getitem__(self, index: int | slice) -> Deviation | list[Deviation]:
        """Return one of them, or some; made anew each time."""
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        size = self._sizes[index]
        whole = size == len(self._met)
        met = self._union if whole else frozenset(self._met[:size])
        lacks = int.from_bytes(self._lacks[index], "little")
        new = met.difference([self._met[i] for i in bits(lacks)])
        return Deviation(self._nominal, new, self._environment, self._modes[index])

    def __iter__(self) -> Iterator[Deviation]:
        return map(self.__getitem__, range(len(self)))
