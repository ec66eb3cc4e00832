"""Few and short conditions that hold at some points and not at others.

In:  points where something must hold, points where it must not; all others are free.
Out: a list of cubes that cover the first points and none of the others. A cube gives
     for each coordinate the allowed values, or `None` for any.

Two-level minimisation over coordinates with several values: every point is grown into
cubes as large as they can be, coordinate by coordinate and in every order of up to
`ALL_ORDERS` coordinates; then the fewest cubes that cover all points are chosen. The
choice is optimal if there are few cubes, otherwise greedy. Finally, each cube drops the
values that no point needs, so that nothing is forbidden unnecessarily.

Source: R. K. Brayton, G. D. Hachtel, C. T. McMullen, A. L. Sangiovanni-Vincentelli,
"Logic Minimization Algorithms for VLSI Synthesis", 1984 (expand, irredundant).
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import islice, permutations

from symrob.envelope.solvers import HittingSets

Point = tuple[int, ...]
Cube = tuple[frozenset[int] | None, ...]

# Coordinates of which all orders are tried, and cubes of which a smallest cover is
# looked for.
ALL_ORDERS = 4
SMALLEST_OF = 60


def cover(inside: Collection[Point], outside: Collection[Point]) -> list[Cube]:
    """Return few cubes that cover all of `inside` and none of `outside`.

    Args:
        inside: Points where the condition must hold; none of them is in `outside`.
        outside: Points where it must not hold.

    Cost: |inside|·|outside| for each order of coordinates that is tried.
    """
    points = sorted(set(inside))
    if not points:
        return []
    avoided = sorted(set(outside))
    width = len(points[0])
    most = 24 if width <= ALL_ORDERS else width
    grown: dict[Cube, None] = {}
    for order in islice(permutations(range(width)), most):
        for point in points:
            for values_first in (False, True):
                cube = _grown(point, points, avoided, order, values_first)
                grown.setdefault(cube)
    chosen = _fewest(list(grown), points)
    return sorted(
        (_reduced(cube, points) for cube in chosen), key=lambda c: (_length(c), _key(c))
    )


def holds(cube: Cube, point: Sequence[int]) -> bool:
    """Whether a point is in a cube."""
    return all(c is None or v in c for c, v in zip(cube, point, strict=True))


def _grown(
    point: Point,
    points: Sequence[Point],
    outside: Sequence[Point],
    order: Point,
    values_first: bool,
) -> Cube:
    """A cube around a point that cannot grow further, tried in one order.

    Where a coordinate is free, others stay narrow; where its values join one by one,
    others may have some of theirs, too.
    """
    cube: list[frozenset[int] | None] = [frozenset((v,)) for v in point]

    def widen(index: int, values: frozenset[int] | None) -> None:
        before = cube[index]
        cube[index] = values
        if any(holds(tuple(cube), other) for other in outside):
            cube[index] = before

    def free() -> None:
        for index in order:
            widen(index, None)

    def join() -> None:
        for index in order:
            for value in sorted({p[index] for p in points}):
                kept = cube[index]
                if kept is not None and value not in kept:
                    widen(index, kept | {value})

    for grow in (join, free) if values_first else (free, join):
        grow()
    return tuple(cube)


def _fewest(cubes: list[Cube], points: Sequence[Point]) -> list[Cube]:
    """The fewest cubes that hold of all points; among those, short ones."""
    cubes.sort(key=lambda c: (_length(c), _key(c)))
    having = [[i for i, c in enumerate(cubes) if holds(c, point)] for point in points]
    if len(cubes) <= SMALLEST_OF:
        return [cubes[i] for i in _smallest_hitting(having)]
    left, chosen = set(range(len(points))), []
    while left:
        gains = [sum(i in having[p] for p in left) for i in range(len(cubes))]
        best = gains.index(max(gains))
        chosen.append(cubes[best])
        left = {p for p in left if best not in having[p]}
    return chosen


def _smallest_hitting(sets: Sequence[Sequence[int]]) -> list[int]:
    with HittingSets[int]() as hitting:
        for one in sets:
            hitting.hit(one)
        found = hitting.smallest()
    assert found is not None, "each point is in its own cube"
    return sorted(found)


def _reduced(cube: Cube, points: Sequence[Point]) -> Cube:
    """A cube without the values that no point in it has; `None` stays."""
    held = [p for p in points if holds(cube, p)]
    return tuple(
        None if c is None else frozenset(p[i] for p in held) for i, c in enumerate(cube)
    )


def _length(cube: Cube) -> int:
    return sum(1 + len(c) for c in cube if c is not None)


def _key(cube: Cube) -> list[list[int]]:
    return [sorted(c) if c is not None else [] for c in cube]
