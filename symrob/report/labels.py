"""Moves labels out of the way of other edges' lines.

In:  the lines of all edges with their labels, and the boxes of the states.
Out: the boxes of the labels; one that a line of another edge ran behind stands
     elsewhere on its own line, if there is a better place.

The layout engine keeps labels apart from states and from each other, and lines
out of states. A line that has to pass a row of labels may still pass behind
one, which looks as if it belonged to it. Only labels move, one after the other,
and only to where fewer lines pass; so the picture as a whole never gets worse.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise, product

from symrob.report.curves import Box, Curve, Point, samples

CELL = 60.0
"""Width and height in pixels of the cells in which lines are looked up."""

AROUND = 6.0
"""Pixels that belong to a label on both sides together, and above and below."""

CLEAR = 9.0
"""Pixels that a label stays away from the ends of its edge."""

APART = 4.0
"""Pixels between a label that was moved and any other box."""


@dataclass(frozen=True)
class Lane:
    """The line of an edge.

    Attributes:
        curves: Its curves, from source to target.
        tip: The point of its arrow.
        label: Where its label is.
        loop: Whether it is a loop; the label of a loop stays.
    """

    curves: tuple[Curve, ...]
    tip: Point
    label: Box
    loop: bool

    @property
    def points(self) -> Iterator[Point]:
        """Points along the line."""
        for curve in self.curves:
            yield from samples(curve)


def settled(lanes: Sequence[Lane], states: Iterable[Box]) -> list[Box]:
    """Move labels along their lines to where the fewest others pass behind them.

    Args:
        lanes: The line of every edge.
        states: Boxes that no label may touch.

    Returns:
        The places of the labels in the same order.

    Cost: linear in the lengths of the lines if few labels are in the way.
    """
    lines = _Lines(lanes)
    fixed = list(states)
    boxes = [lane.label for lane in lanes]
    for i, lane in enumerate(lanes):
        if not lane.loop and lines.behind(boxes[i], i):
            others = fixed + boxes[:i] + boxes[i + 1 :]
            boxes[i] = _best_place(i, lane, lines, others)
    return boxes


def _best_place(i: int, lane: Lane, lines: _Lines, others: Sequence[Box]) -> Box:
    """Return the place with the fewest lines, the nearest of several."""
    here = lane.label
    ends = (lane.curves[0][0], lane.tip)
    best = (lines.behind(here, i), 0.0, here)
    for x, y in lane.points:
        box = Box(x, y, here.width, here.height)
        far = abs(x - here.x) + abs(y - here.y)
        count = lines.behind(box, i)
        if (count, far) < best[:2] and not (
            any(box.near(other, APART) for other in others)
            or any(box.holds(end, CLEAR) for end in ends)
        ):
            best = (count, far, box)
    return best[2]


class _Lines:
    """The lines of all edges, looked up by where they are."""

    def __init__(self, lanes: Sequence[Lane]) -> None:
        self.cells: dict[tuple[int, int], list[tuple[int, Point, Point]]] = {}
        for i, lane in enumerate(lanes):
            for a, b in pairwise([*lane.points, lane.tip]):
                middle = Box(
                    (a[0] + b[0]) / 2,
                    (a[1] + b[1]) / 2,
                    abs(a[0] - b[0]),
                    abs(a[1] - b[1]),
                )
                for cell in _cells(middle):
                    self.cells.setdefault(cell, []).append((i, a, b))

    def behind(self, label: Box, own: int) -> int:
        """Return how many lines other than its own pass behind a label."""
        box = Box(label.x, label.y, label.width + AROUND, label.height + AROUND)
        return len(
            {
                i
                for cell in _cells(box)
                for i, a, b in self.cells.get(cell, ())
                if i != own and box.meets(a, b)
            }
        )


def _cells(box: Box) -> Iterator[tuple[int, int]]:
    """Return the cells that a box has a part in."""
    left, right = box.x - box.width / 2, box.x + box.width / 2
    top, bottom = box.y - box.height / 2, box.y + box.height / 2
    return product(
        range(int(left // CELL), int(right // CELL) + 1),
        range(int(top // CELL), int(bottom // CELL) + 1),
    )
