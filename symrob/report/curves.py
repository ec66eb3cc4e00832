"""Geometry of the curves in pictures: plain functions on points in pixels.

A curve is a first point and three more for every cubic Bezier piece: two
control points and the end of the piece.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

Point = tuple[float, float]
Curve = tuple[Point, ...]


@dataclass(frozen=True)
class Box:
    """A rectangle, by its centre and its size in pixels."""

    x: float
    y: float
    width: float
    height: float

    def holds(self, point: Point, margin: float = 0.0) -> bool:
        """Return whether a point is in the box, or so near to it."""
        return (
            abs(point[0] - self.x) < self.width / 2 + margin
            and abs(point[1] - self.y) < self.height / 2 + margin
        )

    def near(self, other: Box, margin: float = 0.0) -> bool:
        """Return whether a box overlaps with another, or comes so near to it."""
        return (
            abs(other.x - self.x) < (self.width + other.width) / 2 + margin
            and abs(other.y - self.y) < (self.height + other.height) / 2 + margin
        )

    def meets(self, start: Point, end: Point) -> bool:
        """Return whether a straight line from point to point enters the box."""
        low, high = 0.0, 1.0
        for at, size, a, b in (
            (self.x, self.width, start[0], end[0]),
            (self.y, self.height, start[1], end[1]),
        ):
            if a == b:
                if abs(a - at) >= size / 2:
                    return False
                continue
            # The part of the line that is between two sides of the box.
            ends = sorted(((at + side * size / 2 - a) / (b - a)) for side in (-1, 1))
            low, high = max(low, ends[0]), min(high, ends[1])
        return low < high


def pieces(curve: Curve) -> Iterator[Curve]:
    """Yield the cubic pieces of a curve, four points each."""
    for i in range(0, len(curve) - 1, 3):
        yield curve[i : i + 4]


def on_piece(piece: Curve, t: float) -> Point:
    """Return the point of a piece at parameter `t` from 0 to 1."""
    a, b, c, d = (1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t * t * (1 - t), t**3
    (x0, y0), (x1, y1), (x2, y2), (x3, y3) = piece
    return (
        a * x0 + b * x1 + c * x2 + d * x3,
        a * y0 + b * y1 + c * y2 + d * y3,
    )


def samples(curve: Curve, steps: int = 16) -> Iterator[Point]:
    """Yield points along a curve, `steps` for every piece and the start."""
    yield curve[0]
    for piece in pieces(curve):
        for k in range(1, steps + 1):
            yield on_piece(piece, k / steps)


def crossing(curve: Curve, y: float) -> float:
    """Return where a curve comes closest to the height `y`, as its x."""
    return min(samples(curve), key=lambda p: abs(p[1] - y))[0]


def from_height(curve: Curve, y: float) -> tuple[Curve, Point]:
    """Return what is left of a curve once it has come to the height `y`.

    Args:
        curve: A curve that starts above or below that height.
        y: A height; a curve that does not come to it is kept whole.

    Returns:
        The rest of the curve, and its direction where it starts, of length 1.
    """
    below = curve[0][1] < y
    rest = curve
    for i, piece in enumerate(pieces(curve)):
        if (piece[-1][1] >= y) == below:
            low, high = 0.0, 1.0
            for _ in range(30):
                middle = (low + high) / 2
                if (on_piece(piece, middle)[1] >= y) == below:
                    high = middle
                else:
                    low = middle
            rest = _head(piece[::-1], 1 - high)[::-1] + curve[3 * i + 4 :]
            break
    ahead = next((p for p in rest if math.dist(p, rest[0]) > 0.01), rest[-1])
    return rest, direction(rest[0], ahead)


def bow(start: Point, end: Point, heading: Point) -> Curve:
    """Return a piece that leaves a side of a state and arrives with a heading.

    Args:
        start: A point on the upper or lower side of a state.
        end: Where the piece ends, above or below.
        heading: Direction of the curve in `end`, of length 1.
    """
    dx, dy = end[0] - start[0], end[1] - start[1]
    # Never farther than the piece is high: it must not swing above its ends.
    reach = min(0.4 * math.hypot(dx, dy), 0.9 * abs(dy))
    # A steep piece leaves straight on; a flat one must first get off the side.
    slant = min(1.0, max(0.25, abs(dy) / (abs(dx) or 1.0)))
    return (
        start,
        (start[0] + 0.4 * slant * dx, start[1] + 0.4 * (2 - slant) * dy),
        (end[0] - reach * heading[0], end[1] - reach * heading[1]),
        end,
    )


def direction(start: Point, end: Point) -> Point:
    """Return the direction from one point to another, of length 1."""
    dx, dy = end[0] - start[0], end[1] - start[1]
    length = math.hypot(dx, dy)
    return (dx / length, dy / length) if length else (0.0, 1.0)


def bend(start: Point, middle: Point, end: Point) -> Point:
    """Return the direction that halves the turn of start, middle, end."""
    before, after = direction(start, middle), direction(middle, end)
    return direction((0.0, 0.0), (before[0] + after[0], before[1] + after[1]))


def trimmed(curve: Curve, length: float) -> Curve:
    """Return a curve without the stretch at its end that an arrow covers.

    Args:
        curve: A curve; its last piece is the one that is cut.
        length: Distance of the new end from the old one, in pixels.
    """
    last, tip = curve[-4:], curve[-1]
    low, high = 0.0, 1.0
    for _ in range(30):
        middle = (low + high) / 2
        if math.dist(on_piece(last, middle), tip) > length:
            low = middle
        else:
            high = middle
    return (*curve[:-4], *_head(last, low))


def _head(piece: Curve, t: float) -> Curve:
    """Return the part of a piece up to parameter `t` (de Casteljau)."""
    row, left = list(piece), [piece[0]]
    while len(row) > 1:
        row = [_between(p, q, t) for p, q in pairwise(row)]
        left.append(row[0])
    return tuple(left)


def _between(p: Point, q: Point, t: float) -> Point:
    return (p[0] + (q[0] - p[0]) * t, p[1] + (q[1] - p[1]) * t)
