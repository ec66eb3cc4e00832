"""A small writer of line charts in SVG, with a logarithmic vertical axis.

In:  series of points, each with a name.
Out: SVG text. A point that stands for a time-out is drawn hollow.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape
from math import ceil, floor, log10

WIDTH, HEIGHT = 560, 340
LEFT, RIGHT, TOP, BOTTOM = 70, 20, 44, 74
COLOURS = ("#1f5fa8", "#c4561d", "#3d7f3d", "#7a4a9c")
Place = Callable[[float, float], tuple[float, float]]


@dataclass(frozen=True)
class Series:
    """A line of a chart.

    Attributes:
        name: For the legend.
        points: (size, value) pairs, sizes rising; values are positive.
        stopped: The sizes whose value is a bound that was hit.
    """

    name: str
    points: tuple[tuple[float, float], ...]
    stopped: frozenset[float] = frozenset()


def line_chart(
    title: str,
    across: str,
    up: str,
    series: Sequence[Series],
    *,
    logarithmic: bool = False,
) -> str:
    """Return a chart as SVG.

    Args:
        title: Stands above it.
        across: What the horizontal axis shows.
        up: What the vertical, logarithmic axis shows.
        series: The lines; at most as many as there are colours.
        logarithmic: Whether the horizontal axis is, too: powers are straight lines.
    """
    assert len(series) <= len(COLOURS)
    points = [p for line in series for p in line.points]
    assert points, "a chart needs a point"
    sizes = sorted({x for x, _ in points})
    low = floor(log10(min(y for _, y in points)))
    high = max(low + 1, ceil(log10(max(y for _, y in points))))

    def across_by(x: float) -> float:
        return log10(x) if logarithmic else x

    first = across_by(sizes[0])
    span = (across_by(sizes[-1]) - first) or 1.0

    def place(x: float, y: float) -> tuple[float, float]:
        right = LEFT + (across_by(x) - first) / span * (WIDTH - LEFT - RIGHT)
        rise = (log10(y) - low) / (high - low)
        return right, HEIGHT - BOTTOM - rise * (HEIGHT - TOP - BOTTOM)

    parts = [_text(WIDTH / 2, 22, title, size=14, weight="bold")]
    for power in range(low, high + 1):
        _, y = place(sizes[0], 10.0**power)
        parts.append(_line(LEFT, y, WIDTH - RIGHT, y, "#dddddd"))
        parts.append(_text(LEFT - 6, y + 4, f"{10.0**power:g}", anchor="end"))
    last = float("-inf")
    for size in sizes:
        x, _ = place(size, 10.0**low)
        parts.append(_line(x, HEIGHT - BOTTOM, x, HEIGHT - BOTTOM + 4, "#555555"))
        # Small sizes stand close; a number is left out where it has no room.
        if x - last >= 18:
            parts.append(_text(x, HEIGHT - BOTTOM + 17, f"{size:g}"))
            last = x
    parts.append(
        _line(LEFT, HEIGHT - BOTTOM, WIDTH - RIGHT, HEIGHT - BOTTOM, "#555555")
    )
    parts.append(_text(WIDTH / 2, HEIGHT - BOTTOM + 34, across))
    middle = (TOP + HEIGHT - BOTTOM) / 2
    parts.append(_text(18, middle, up, turn=f"rotate(-90 18 {middle:g})"))
    for index, line in enumerate(series):
        parts += _drawn(line, COLOURS[index], place)
        x = LEFT + index * (WIDTH - LEFT - RIGHT) / len(series)
        y = HEIGHT - 14
        parts.append(_line(x, y - 4, x + 22, y - 4, COLOURS[index], 2.5))
        parts.append(_text(x + 28, y, line.name, anchor="start"))
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" '
            f'height="{HEIGHT}" viewBox="0 0 {WIDTH} {HEIGHT}" '
            'font-family="sans-serif" role="img">',
            f"<title>{escape(title)}</title>",
            f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
            *parts,
            "</svg>",
            "",
        ]
    )


def _drawn(line: Series, colour: str, place: Place) -> list[str]:
    spots = [place(x, y) for x, y in line.points]
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in spots)
    parts = [
        f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>'
    ]
    for (size, value), (x, y) in zip(line.points, spots, strict=True):
        stopped = size in line.stopped
        note = f"{line.name}, {size:g}: {'more than ' if stopped else ''}{value:.4g}"
        parts.append(
            f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" stroke="{colour}" '
            f'stroke-width="2" fill="{"white" if stopped else colour}">'
            f"<title>{escape(note)}</title></circle>"
        )
    return parts


def _line(
    x1: float, y1: float, x2: float, y2: float, colour: str, width: float = 1
) -> str:
    return (
        f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" '
        f'stroke="{colour}" stroke-width="{width:g}"/>'
    )


def _text(
    x: float,
    y: float,
    text: str,
    *,
    anchor: str = "middle",
    size: int = 12,
    weight: str = "normal",
    turn: str = "",
) -> str:
    extra = f' transform="{turn}"' if turn else ""
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}" '
        f'font-weight="{weight}"{extra}>{escape(text)}</text>'
    )
