"""What one process does: look for maximal safe sets in one cube after the other.

In:  the safe sets of a problem, cubes, and what others have found.
Out: sets that were not known here, as bytes.

A set is proposed inside the cube and grown without regard to it, so that it is maximal;
it may then lie in another cube, and is told all the same: it need not be found there
again. A cube is done when nothing in it is proposed any more: each maximal set in it is
contained in one that is known, and so is one that is known.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator, Sequence
from time import monotonic
from typing import Any, Protocol

from symrob.envelope.effort import Effort
from symrob.lts.deviation import Deviation
from symrob.parallel.cubes import Cube, Sets


class Enumeration(Protocol):
    """A search for maximal safe sets as rows of bits; it may be left and resumed."""

    def search(
        self, including: Sequence[int] = ..., excluding: Sequence[int] = ...
    ) -> Iterator[list[int]]:
        """Yield the sets that are not excluded; see `MaximalSets`."""

    def exclude(self, chosen: Any) -> None:
        """Give no set inside this one any more."""

    def close(self) -> None:
        """Free the solver."""


class UnitSets(Protocol):
    """The safe sets of candidates, or of fault modes, as rows of bits."""

    effort: Effort

    @property
    def unbroken(self) -> bool:
        """Whether even all units together are safe."""

    @property
    def shape(self) -> tuple[int, int]:
        """How many rows a set has, and how many bits each."""

    def maximal(self) -> Enumeration:
        """Return a new search for the maximal sets."""

    def found(self, chosen: Any) -> Deviation:
        """Return what E is with a set."""

    def deviations(self) -> Generator[Deviation, None, None]:
        """Yield every maximal set as what E is with it."""


class CubeSearch:
    """A search, and what it excludes because it is known.

    Args:
        sets: The safe sets; not all candidates together are safe.
    """

    def __init__(self, sets: UnitSets) -> None:
        self._sets = sets
        self._maximal = sets.maximal()
        self.packing = packing(sets)
        self._known: set[bytes] = set()

    def exclude(self, known: Iterable[bytes]) -> None:
        """Look for none of these sets and none of their subsets any more."""
        for packed in known:
            if packed not in self._known:
                self._known.add(packed)
                self._maximal.exclude(self.packing.unpacked(packed))

    def search(self, cube: Cube, seconds: float) -> tuple[list[bytes], bool]:
        """Return sets that were not known, and whether the cube holds no others.

        Args:
            cube: Where to look; what is found may lie elsewhere.
            seconds: How long to look, at least until one set is found.

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
    """Return how the sets of a problem become bytes."""
    return Sets(*sets.shape)
