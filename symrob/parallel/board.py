"""The shared state of a parallel search: who searches which cube, and known sets.

In:  cubes, and the sets that searchers find.
Out: new sets, the sets that a searcher needs to know, and when all is done.

All sets that searchers find are stored here, so nothing is lost with a searcher:
another one gets its cube with all known sets.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Hashable, Iterable

from symrob.parallel.cubes import Cubes


class Board:
    """The state of a parallel search.

    Args:
        cubes: The cubes.
        known: The initially known sets.

    Attributes:
        cubes: The cubes.
        sample: The initially known sets.
        repeated: Number of sets that were found more than once.
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
        """Whether a cube is waiting for a searcher."""
        return bool(self._waiting)

    @property
    def done(self) -> bool:
        """Whether no cube is left."""
        return not self._waiting and not self._searched

    def next_cube(self, searcher: Hashable) -> int | None:
        """Return a cube for a searcher; `None` if none is waiting."""
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
        """Return all known sets of an unfinished cube."""
        known = self._of_cube[number]
        assert known is not None, "the cube is done"
        self._news[number] = []
        return list(known)

    def news(self, searcher: Hashable) -> list[bytes]:
        """Return the sets that others found in a searcher's cube since then."""
        number = self._searched[searcher]
        news, self._news[number] = self._news[number], []
        return news

    def note(self, searcher: Hashable, found: Iterable[bytes]) -> list[bytes]:
        """Record the sets that a searcher found; return the new ones, each once."""
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
        """Record that a searcher's cube contains no unknown set."""
        number = self._searched.pop(searcher)
        del self._news[number]
        self._of_cube[number] = None

    def give_back(self, searcher: Hashable) -> None:
        """Record that a searcher is gone: its cube is assigned next."""
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
