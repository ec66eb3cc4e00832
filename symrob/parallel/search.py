"""The search of one process: maximal safe sets in one cube after the other.

In:  the safe sets of a problem, cubes, and the sets that others have found.
Out: sets that were not known here, as bytes.

A set is proposed inside the cube and extended without regard to it, so that it is
maximal; it may then lie in another cube, and is reported all the same, so that it need
not be found there again. A cube is done when no set in it is proposed any more: each
maximal set in it is contained in a known one, and so is a known one itself.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator, Sequence
from time import monotonic
from typing import Any, Protocol

from symrob.envelope.effort import Effort
from symrob.lts.deviation import Deviation
from symrob.parallel.cubes import Cube, Sets


class Enumeration(Protocol):
    """A search for maximal safe sets as rows of bits; it can be resumed."""

    def search(
        self, including: Sequence[int] = ..., excluding: Sequence[int] = ...
    ) -> Iterator[list[int]]:
        """Yield the sets that are not excluded; see `MaximalSets`."""

    def exclude(self, chosen: Any) -> None:
        """Exclude all subsets of this set."""

    def close(self) -> None:
        """Free the solver."""


class UnitSets(Protocol):
    """The safe sets of candidates, or of fault modes, as rows of bits."""

    effort: Effort

    @property
    def unbroken(self) -> bool:
        """Whether all units together are safe."""

    @property
    def shape(self) -> tuple[int, int]:
        """The number of rows of a set, and of bits in each."""

    def maximal(self) -> Enumeration:
        """Return a new search for the maximal sets."""

    def found(self, chosen: Any) -> Deviation:
        """Return E with a set."""

    def deviations(self) -> Generator[Deviation, None, None]:
        """Yield E with every maximal set."""


class CubeSearch:
    """A search that excludes known sets.

    Args:
        sets: The safe sets; not all candidates together are safe.
    """

    def __init__(self, sets: UnitSets) -> None:
        self._sets = sets
        self._maximal = sets.maximal()
        self.packing = packing(sets)
        self._known: set[bytes] = set()

    def exclude(self, known: Iterable[bytes]) -> None:
        """Exclude these sets and their subsets."""
        for packed in known:
            if packed not in self._known:
                self._known.add(packed)
                self._maximal.exclude(self.packing.unpacked(packed))

    def search(self, cube: Cube, seconds: float) -> tuple[list[bytes], bool]:
        """Return the new sets, and whether the cube contains no others.

        Args:
            cube: The cube; the sets found may lie in others.
            seconds: How long to search, at least until one set is found.

        Raises:
            LimitExceeded: A bound was hit.
        """
        end = monotonic() + seconds
        found: list[bytes] = []
        sets = self._maximal.search(cube.including, cube.excluding)
        with self._sets.effort.stage("enumerate"):
            for chosen in sets:
                packed = self.packing.packed(chosen)
                self._known.add(packed)
                found.append(packed)
                if monotonic() > end:
                    return found, False
        return found, True

    def close(self) -> None:
        """Free the solver."""
        self._maximal.close()


def packing(sets: UnitSets) -> Sets:
    """Return the encoding of a problem's sets as bytes."""
    return Sets(*sets.shape)
