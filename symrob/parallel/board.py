"""Who searches which cube, and what is known of each.

In:  cubes, and what searchers find.
Out: what is new, what a searcher has to know, and when all is done.

Whatever a searcher found is kept here, so nothing is lost with it: another one gets its
cube with all that is known of it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Hashable, Iterable

from symrob.parallel.cubes import Cubes


class Board:
    """The state of a search by cubes.

    Args:
        cubes: The cubes.
        known: The sets that are known at the beginning.

    Attributes:
        cubes: The cubes.
        sample: What was known at the beginning.
        repeated: How many sets came that were known.
    """

    def __init__(self, cubes: Cubes, known: Iterable[bytes]) -> None:
        self.cubes = cubes
        self.sample = tuple(known)
        self.repeated = 0
        self._known = set(self.sample)
        self._of_cube: list[list[bytes] | None] = [[] for _ in cubes]
        for packed in self.sample:
            self._keep(packed)
        self._waiting = deque(range(len(cubes)))
        self._searched: dict[Hashable, int] = {}
        # What was found in a cube since its searcher was told.
        self._news: dict[int, list[bytes]] = {}

    @property
    def waiting(self) -> bool:
        """Whether a cube is there for a searcher."""
        return bool(self._waiting)

    @property
    def done(self) -> bool:
        """Whether no cube is left."""
        return not self._waiting and not self._searched

    def next_cube(self, searcher: Hashable) -> int | None:
        """Give a cube to a searcher; `None` if none is waiting."""
        if not self._waiting:
            return None
        number = self._waiting.popleft()
        self._searched[searcher] = number
        self._news[number] = []
        return number

    def searched_by(self, searcher: Hashable) -> int:
        """Return the number of the cube that a searcher has."""
        return self._searched[searcher]

    def known_in(self, number: int) -> list[bytes]:
        """Return all that is known of a cube that is not done."""
        known = self._of_cube[number]
        assert known is not None, "the cube is done"
        self._news[number] = []
        return list(known)

    def news(self, searcher: Hashable) -> list[bytes]:
        """Return what others found in a searcher's cube since it was asked last."""
        number = self._searched[searcher]
        news, self._news[number] = self._news[number], []
        return news

    def note(self, searcher: Hashable, found: Iterable[bytes]) -> list[bytes]:
        """Note what a searcher found; return what is new, each once."""
        own = self._searched[searcher]
        new = []
        for packed in found:
            if packed in self._known:
                self.repeated += 1
                continue
            self._known.add(packed)
            new.append(packed)
            number = self._keep(packed)
            if number != own and number in self._news:
                self._news[number].append(packed)
        return new

    def finish(self, searcher: Hashable) -> None:
        """Note that a searcher's cube holds nothing that is not known."""
        number = self._searched.pop(searcher)
        del self._news[number]
        self._of_cube[number] = None

    def give_back(self, searcher: Hashable) -> None:
        """Note that a searcher is gone: its cube is the next that is given."""
        number = self._searched.pop(searcher, None)
        if number is not None:
            del self._news[number]
            self._waiting.appendleft(number)

    def _keep(self, packed: bytes) -> int:
        number = self.cubes.place(packed)
        known = self._of_cube[number]
        if known is None:
            raise AssertionError("a cube that was searched lacks a set")
        known.append(packed)
        return number
