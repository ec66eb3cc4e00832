"""All sets of candidates, split into cubes.

In:  some maximal safe sets.
Out: `Cubes`: each set lies in exactly one of them.

A cube is the family of sets that contain some candidates and lack some others. Cubes
are the leaves of a decision tree over candidates, so that a few tests find the cube of
a set.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from symrob.envelope.determinised import BitRows
from symrob.lts import StateId
from symrob.lts.masks import bits

# A candidate: its row and its target.
Member = tuple[int, StateId]


@dataclass(frozen=True)
class Cube:
    """The family of sets that contain some candidates and lack others.

    Attributes:
        including: The candidates that they contain; for each row as bits.
        excluding: The candidates that they lack; for each row as bits.
    """

    including: tuple[int, ...]
    excluding: tuple[int, ...]


class Sets:
    """Encoding of sets of candidates as fixed-length bytes, for exchange.

    Args:
        rows: Number of rows.
        states: Number of possible targets of a row.
    """

    def __init__(self, rows: int, states: int) -> None:
        self.rows = rows
        self._width = (states + 7) // 8

    def packed(self, chosen: BitRows) -> bytes:
        """Encode a set as bytes."""
        return b"".join([mask.to_bytes(self._width, "little") for mask in chosen])

    def unpacked(self, packed: bytes) -> BitRows:
        """Decode a set from bytes."""
        width = self._width
        if width == 1:
            return list(packed)
        starts = range(0, len(packed), width)
        return [int.from_bytes(packed[i : i + width], "little") for i in starts]

    def holds(self, packed: bytes, member: Member) -> bool:
        """Whether a set contains a candidate."""
        row, target = member
        return bool(packed[row * self._width + (target >> 3)] >> (target & 7) & 1)


class Cubes:
    """A partition of the sets of candidates into cubes.

    Args:
        sets: The encoding of sets.
        sample: Some sets; the candidates that best distinguish them determine the
            split.
        most: Maximum number of cubes.

    Cost: O(m n) for m cubes and n members of the sample in all.
    """

    def __init__(self, sets: Sets, sample: Iterable[bytes], most: int) -> None:
        self._sets = sets
        # For each candidate asked about: where those without and with it go on; below
        # 0 are the cubes.
        self._asked: list[tuple[Member, list[int]]] = []
        self._root = [-1]
        whole = Cube((0,) * sets.rows, (0,) * sets.rows)
        members = [self._members(packed) for packed in sample]
        # What of the sample is in it, and the place in the tree that leads to it.
        leaves = [(members, whole, self._root, 0)]
        while len(leaves) < most:
            leaves.sort(key=lambda leaf: len(leaf[0]))
            inside, cube, parent, branch = leaves[-1]
            member = _telling(inside)
            if member is None:
                break
            leaves.pop()
            branches = [-1, -1]
            parent[branch] = len(self._asked)
            self._asked.append((member, branches))
            without = [s for s in inside if member not in s]
            having = [s for s in inside if member in s]
            leaves.append((without, _narrowed(cube, member, False), branches, 0))
            leaves.append((having, _narrowed(cube, member, True), branches, 1))
        # The largest first: they take longest.
        leaves.sort(key=lambda leaf: -len(leaf[0]))
        self._cubes = [cube for _, cube, _, _ in leaves]
        for number, (_, _, parent, branch) in enumerate(leaves):
            parent[branch] = -1 - number

    def __len__(self) -> int:
        return len(self._cubes)

    def __iter__(self) -> Iterator[Cube]:
        return iter(self._cubes)

    def __getitem__(self, number: int) -> Cube:
        """Return one of them."""
        return self._cubes[number]

    def place(self, packed: bytes) -> int:
        """Return the number of the cube that contains a set."""
        at = self._root[0]
        while at >= 0:
            member, branches = self._asked[at]
            at = branches[self._sets.holds(packed, member)]
        return -1 - at

    def _members(self, packed: bytes) -> frozenset[Member]:
        rows = enumerate(self._sets.unpacked(packed))
        return frozenset((row, target) for row, mask in rows for target in bits(mask))


def _telling(inside: list[frozenset[Member]]) -> Member | None:
    """The candidate that splits sets most evenly; `None` if none does."""
    count = Counter(member for found in inside for member in found)
    contested = [member for member, n in count.items() if n < len(inside)]
    return min(
        contested, key=lambda m: (abs(2 * count[m] - len(inside)), m), default=None
    )


def _narrowed(cube: Cube, member: Member, having: bool) -> Cube:
    row, target = member
    including, excluding = list(cube.including), list(cube.excluding)
    (including if having else excluding)[row] |= 1 << target
    return Cube(tuple(including), tuple(excluding))
