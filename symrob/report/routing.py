"""How the edges of a picture run, once its boxes have their places.

In:  for each edge the boxes of its two states and of its label, and the way
     that the layout engine found around everything else.
Out: curves from state to label to state.

The engine leads all edges to the middle of a state's side. Here each gets a
place of its own on that side, and an edge that has nothing to go around is
drawn anew as one bow.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from symrob.report.curves import (
    Box,
    Curve,
    Point,
    bend,
    bow,
    crossing,
    from_height,
    samples,
)

SLOT = 13.0
"""Pixels between two edges that meet a state at the same side."""

LOOP_WIDTH, LOOP_HEIGHT = 26.0, 17.0
"""Pixels from a state to the label of its loop, and from loop to loop."""

START = 20.0
"""Length in pixels of the arrow into the initial state."""

NUDGE = 7.0
"""Pixels that a label may be moved so that its edge runs straight."""


@dataclass(frozen=True)
class Link:
    """An edge that is no loop, seen downwards.

    Attributes:
        upper: The state above.
        label: Its label, between the states.
        lower: The state below.
        up: The engine's way from the upper state to the label.
        down: The engine's way from the label to the lower state.
    """

    upper: Box
    label: Box
    lower: Box
    up: Curve
    down: Curve


@dataclass(frozen=True)
class Start:
    """The arrow into the initial state: its mark, the state, the engine's way."""

    mark: Box
    state: Box
    way: Curve


@dataclass(frozen=True)
class Way:
    """How an edge runs, downwards: to its label, there, and on from it."""

    up: Curve
    centre: Point
    down: Curve


@dataclass(frozen=True)
class _Touch:
    """One end of an edge: the state, its side (1 below, -1 above), the way."""

    state: Box
    side: int
    way: Curve


class _Rows:
    """The ranks of a picture from top to bottom, with the boxes on each.

    Boxes on one rank have exactly the same height on the page.
    """

    def __init__(self, boxes: Iterable[Box]) -> None:
        self.boxes: dict[float, list[Box]] = {}
        for box in boxes:
            self.boxes.setdefault(box.y, []).append(box)
        self.levels = sorted(self.boxes)
        self.rank = {y: k for k, y in enumerate(self.levels)}

    def neighbour(self, box: Box, side: int) -> float:
        """Return the height of the rank below (1) or above (-1) a box."""
        return self.levels[self.rank[box.y] + side]

    def past(self, point: Point, own: Box, side: int, curve: Curve) -> Point:
        """Go straight on from a point until a curve is free of its rank.

        Args:
            point: A point of a box, or its centre; an end of the curve.
            own: The box.
            side: 1 to go down, -1 to go up.
            curve: How the way would run without going straight on first.

        Returns:
            The point itself if the curve meets no other box of the rank, or
            one beyond every other box that is below or above the curve.
        """
        x, y = point
        left, right = sorted((curve[0][0], curve[-1][0]))
        others = [
            box
            for box in self.boxes[own.y]
            if box != own and abs(2 * box.x - left - right) < box.width + right - left
        ]
        if not any(box.holds(p, 2.0) for p in samples(curve) for box in others):
            return point
        beyond = [box.y + side * (box.height / 2 + 3) for box in others]
        # Long enough for an arrow head.
        return (x, side * max(side * b for b in [*beyond, y + side * 9]))


def run(
    links: Sequence[Link], start: Start, boxes: Iterable[Box]
) -> tuple[list[Way], Curve]:
    """Find the ways of all edges and of the arrow into the initial state.

    Args:
        links: The edges between different states.
        start: The arrow into the initial state.
        boxes: Everything that has a place on a rank.

    Returns:
        The ways in the order of `links`, and that of the arrow.

    Cost: O(n m) for n edges and m boxes on a rank.
    """
    rows = _Rows(boxes)
    touches = [_Touch(start.state, -1, start.way)]
    for link in links:
        touches.append(_Touch(link.upper, 1, link.up))
        touches.append(_Touch(link.lower, -1, link.down))
    slots = _slots(touches, rows)
    pairs = zip(slots[1::2], slots[2::2], strict=True)
    ways = [
        _way(link, above, below, rows)
        for link, (above, below) in zip(links, pairs, strict=True)
    ]
    x, y = slots[0]
    return ways, ((x, y - START), (x, y - START), (x, y), (x, y))


def loop(right: float, foot: float, y: float) -> Curve:
    """Draw a loop at the right side of a state.

    Args:
        right: The right side of the state.
        foot: Height at which the loop stands on that side.
        y: Height of its label.
    """
    out = right + LOOP_WIDTH - 5
    return (
        (right, foot - 4.5),
        (right + 9, foot - 4.5),
        (out, y - 8),
        (out, y),
        (out, y + 7),
        (right + 14, foot + 4.5),
        (right, foot + 4.5),
    )


def _slots(touches: Sequence[_Touch], rows: _Rows) -> list[Point]:
    """Give the edges that meet at a side of a state a place each.

    They stand in the order in which they pass the neighbouring rank, so that
    none cross on the way to it.
    """
    sides: dict[tuple[Box, int], list[tuple[float, int]]] = {}
    for i, touch in enumerate(touches):
        level = rows.neighbour(touch.state, touch.side)
        ends = sides.setdefault((touch.state, touch.side), [])
        ends.append((crossing(touch.way, level), i))
    slots: list[Point] = [(0.0, 0.0)] * len(touches)
    for (box, side), ends in sides.items():
        gap = min(SLOT, (box.width - 20) / max(1, len(ends) - 1))
        for k, (_, i) in enumerate(sorted(ends)):
            x = box.x + (k - (len(ends) - 1) / 2) * gap
            slots[i] = (x, box.y + side * box.height / 2)
    return slots


def _way(link: Link, above: Point, below: Point, rows: _Rows) -> Way:
    """Run an edge from its place above to its place below."""
    x, y = link.label.x, link.label.y
    free_above = rows.neighbour(link.upper, 1) == y
    free_below = rows.neighbour(link.lower, -1) == y
    heading = (0.0, 1.0)
    if free_above and free_below:
        # The label is moved towards the straight line between the places.
        line = above[0] + (below[0] - above[0]) * (y - above[1]) / (below[1] - above[1])
        x += max(-NUDGE, min(NUDGE, line - x))
        heading = bend(above, (x, y), below)
    halves: list[Curve] = []
    for state, slot, side, free, way in (
        (link.upper, above, 1, free_above, link.up),
        (link.lower, below, -1, free_below, link.down[::-1]),
    ):
        rest: Curve = ()
        if free:
            end = (x, y)
            towards = (side * heading[0], side * heading[1])
            over = rows.past(end, link.label, -side, bow(slot, end, towards))
            if over != end:
                end, rest, towards = over, _straight(over, end), (0.0, float(side))
        else:
            # Up to the neighbouring rank there is nothing to go around, so
            # the engine's way is joined there.
            left, towards = from_height(way, rows.neighbour(state, side))
            end, rest = left[0], left[1:] + _straight(left[-1], (x, y))
        begin = rows.past(slot, state, side, bow(slot, end, towards))
        first = _straight(slot, begin)
        halves.append((slot, *first, *bow(begin, end, towards)[1:], *rest))
    return Way(halves[0], (x, y), halves[1][::-1])


def _straight(start: Point, end: Point) -> Curve:
    """Return what leads a curve that has come to `start` on to `end`."""
    return () if start == end else (start, end, end)
