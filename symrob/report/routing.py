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


def run(links: Sequence[Link], start: Start) -> tuple[list[Way], Curve]:
    """Find the ways of all edges and of the arrow into the initial state.

    Args:
        links: The edges between different states.
        start: The arrow into the initial state.

    Returns:
        The ways in the order of `links`, and that of the arrow.

    Cost: O(n log n) for n edges.
    """
    touches = [_Touch(start.state, -1, start.way)]
    for link in links:
        touches.append(_Touch(link.upper, 1, link.up))
        touches.append(_Touch(link.lower, -1, link.down))
    # Boxes on one rank have exactly the same height on the page.
    heights = {start.mark.y, start.state.y}
    heights.update(b.y for t in links for b in (t.upper, t.label, t.lower))
    ranks = {y: k for k, y in enumerate(sorted(heights))}
    slots = _slots(touches, ranks)
    pairs = zip(slots[1::2], slots[2::2], strict=True)
    ways = [
        _way(link, above, below, ranks)
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


def _slots(touches: Iterable[_Touch], ranks: dict[float, int]) -> list[Point]:
    """Give the edges that meet at a side of a state a place each.

    They stand in the order in which they pass the neighbouring rank, so that
    none cross on the way to it.
    """
    levels = sorted(ranks)
    sides: dict[tuple[Box, int], list[tuple[float, int]]] = {}
    count = 0
    for count, touch in enumerate(touches, 1):
        level = levels[ranks[touch.state.y] + touch.side]
        passing = crossing(touch.way, level)
        sides.setdefault((touch.state, touch.side), []).append((passing, count - 1))
    slots: list[Point] = [(0.0, 0.0)] * count
    for (box, side), ends in sides.items():
        gap = min(SLOT, (box.width - 20) / max(1, len(ends) - 1))
        for k, (_, i) in enumerate(sorted(ends)):
            x = box.x + (k - (len(ends) - 1) / 2) * gap
            slots[i] = (x, box.y + side * box.height / 2)
    return slots


def _way(link: Link, above: Point, below: Point, ranks: dict[float, int]) -> Way:
    """Run an edge from its place above to its place below."""
    x, y = link.label.x, link.label.y
    free_above = ranks[y] - ranks[link.upper.y] == 1
    free_below = ranks[link.lower.y] - ranks[y] == 1
    heading = (0.0, 1.0)
    if free_above and free_below:
        # The label is moved towards the straight line between the places.
        line = above[0] + (below[0] - above[0]) * (y - above[1]) / (below[1] - above[1])
        x += max(-NUDGE, min(NUDGE, line - x))
        heading = bend(above, (x, y), below)
    centre = (x, y)
    against = (-heading[0], -heading[1])
    levels = sorted(ranks)
    up = (
        bow(above, centre, heading)
        if free_above
        else _led(link.up, above, centre, levels[ranks[link.upper.y] + 1])
    )
    down = (
        bow(below, centre, against)
        if free_below
        else _led(link.down[::-1], below, centre, levels[ranks[link.lower.y] - 1])
    )
    return Way(up, centre, down[::-1])


def _led(way: Curve, slot: Point, centre: Point, level: float) -> Curve:
    """Take the engine's way from a state to a label, from a place on its side.

    Up to the neighbouring rank there is nothing to go around, so it is left
    only from there on.
    """
    rest, heading = from_height(way, level)
    return (*bow(slot, rest[0], heading), *rest[1:], rest[-1], centre, centre)
