"""Pictures as SVG.

In:  a `Picture`.
Out: one SVG document, the same bytes in every run.

Everything is drawn with plain shapes and attributes: no style sheet, no
identifiers and no markers, so that several pictures can stand in one page
without disturbing each other. Names and actions are made visible and escaped;
each state and edge carries its full text as a tooltip. Classes and `data-`
attributes say what an element stands for, states by number.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from xml.sax.saxutils import escape, quoteattr

from symrob.report.curves import Box, Curve, Point
from symrob.report.layout import (
    MAX_EDGES,
    Layout,
    PlacedEdge,
    PlacedState,
    place,
)
from symrob.report.lettering import (
    LABEL_SIZE,
    LINE,
    NAME_SIZE,
    visible,
    width,
    wrap_name,
)
from symrob.report.looks import INK, LOOKS, PAPER, label_colour, state_colours
from symrob.report.picture import Kind, Picture, PictureEdge

FONTS = "Helvetica, Arial, 'Liberation Sans', 'DejaVu Sans', sans-serif"
MARGIN = 14.0
TITLE_SIZE = 15.0


def to_svg(picture: Picture, *, max_edges: int = MAX_EDGES) -> str:
    """Draw a picture.

    Args:
        picture: What to draw.
        max_edges: Largest number of edges that is tried.

    Returns:
        An SVG document; without XML declaration, so that it can also be put
        into a page.

    Raises:
        LimitExceeded: The picture is too large to be read.
        SymrobError: The layout engine is not installed.

    Cost: that of `layout.place`.
    """
    layout = place(picture, max_edges=max_edges)
    frame = layout.frame
    head = _title(picture.title, frame.width)
    foot = _legend(picture.legend, frame.width)
    total_width = max(frame.width, head.width, foot.width) + 2 * MARGIN
    total_height = head.height + frame.height + foot.height + 2 * MARGIN
    shift_x = total_width / 2 - frame.x
    shift_y = MARGIN + head.height + frame.height / 2 - frame.y
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" '
        f'width="{_n(total_width)}" height="{_n(total_height)}" '
        f'viewBox="0 0 {_n(total_width)} {_n(total_height)}" '
        f"font-family={quoteattr(FONTS)}>",
        f"<title>{_text(picture.title or 'Transition system')}</title>",
        f'<rect class="background" width="{_n(total_width)}" '
        f'height="{_n(total_height)}" fill="{PAPER}"/>',
        *head.drawn(MARGIN, MARGIN),
        f'<g class="graph" transform="translate({_n(shift_x)} {_n(shift_y)})">',
        *_graph(layout, picture),
        "</g>",
        *foot.drawn(MARGIN, total_height - MARGIN - foot.height),
        "</svg>",
    ]
    return "\n".join(lines) + "\n"


@dataclass(frozen=True)
class _Strip:
    """A part above or below the graph, with its size and its elements."""

    name: str
    width: float = 0.0
    height: float = 0.0
    elements: tuple[str, ...] = ()

    def drawn(self, x: float, y: float) -> Iterator[str]:
        """Write the part with its top left corner at (x, y)."""
        if self.elements:
            yield f'<g class="{self.name}" transform="translate({_n(x)} {_n(y)})">'
            yield from self.elements
            yield "</g>"


def _title(title: str, room: float) -> _Strip:
    if not title:
        return _Strip("title")
    lines = wrap_name(title, TITLE_SIZE, max(room, 420.0))
    height = len(lines) * TITLE_SIZE * LINE
    wide = max(width(line, TITLE_SIZE) for line in lines)
    text = _lines(lines, Box(0, height / 2, 0, height), TITLE_SIZE, INK, "start")
    return _Strip("heading", wide, height + 12, (text,))


def _legend(legend: Iterable[tuple[Kind, str]], room: float) -> _Strip:
    """Set the entries side by side, in as many rows as they need."""
    room = max(room, 420.0)
    row = LABEL_SIZE * 1.7
    x, y, widest = 0.0, 12.0 + row / 2, 0.0
    elements = []
    for kind, meaning in legend:
        shown = visible(meaning)
        wide = 34 + width(shown, LABEL_SIZE)
        if x > 0 and x + wide > room:
            x, y = 0.0, y + row
        elements.append(f'<g class="legend-{kind}">')
        elements.append(_path((((x, y), (x, y), (x + 20, y), (x + 20, y)),), kind))
        elements.append(_arrow((x + 20, y), (x + 27, y), LOOKS[kind].colour))
        place = Box(x + 34, y, 0, 0)
        elements.append(_lines((shown,), place, LABEL_SIZE, INK, "start"))
        elements.append("</g>")
        widest = max(widest, x + wide)
        x += wide + 22
    if not elements:
        return _Strip("legend")
    return _Strip("legend", widest, y + row / 2, tuple(elements))


def _graph(layout: Layout, picture: Picture) -> Iterator[str]:
    """Draw faint edges first, then the others, then states, labels on top."""
    names = {s.id: visible(s.name) for s in picture.states}
    meaning = dict(picture.legend)
    order = sorted(layout.edges, key=lambda e: e.edge.kind not in ("inert", "both"))
    for placed in order:
        edge = placed.edge
        words = f" ({visible(meaning[edge.kind])})" if edge.kind in meaning else ""
        actions = ", ".join(map(visible, edge.actions))
        tip = f"{names[edge.source]} → {names[edge.target]}: {actions}{words}"
        yield f'<g class="edge {edge.kind}"{_between(edge)}>'
        yield f"<title>{escape(tip)}</title>"
        yield _path(placed.curves, edge.kind)
        yield _arrow(placed.curves[-1][-1], placed.tip, LOOKS[edge.kind].colour)
        yield "</g>"
    if any(state.initial for state in picture.states):
        curves, tip_at = layout.start
        x, y = curves[0][0]
        yield f'<g class="start"><circle cx="{_n(x)}" cy="{_n(y)}" r="3" fill="{INK}"/>'
        yield _path(curves, "nominal")
        yield _arrow(curves[-1][-1], tip_at, LOOKS["nominal"].colour) + "</g>"
    for state in layout.states:
        yield from _state(state)
    for placed in layout.edges:
        yield from _label(placed)


def _state(placed: PlacedState) -> Iterator[str]:
    state, box = placed.state, placed.box
    fill, stroke = state_colours(state.error)
    kind = "state error" if state.error else "state"
    weight = "2.2" if state.initial else "1.3"
    yield f'<g class="{kind}" data-state="{state.id}">'
    yield f"<title>{_text(state.name)}</title>"
    yield _rect(box, 8, f'fill="{fill}" stroke="{stroke}" stroke-width="{weight}"')
    if state.end:
        inner = Box(box.x, box.y, box.width - 6, box.height - 6)
        yield _rect(inner, 6, f'fill="none" stroke="{stroke}"')
    yield _lines(placed.lines, box, NAME_SIZE, stroke, "middle") + "</g>"


def _between(edge: PictureEdge) -> str:
    return f' data-source="{edge.source}" data-target="{edge.target}"'


def _label(placed: PlacedEdge) -> Iterator[str]:
    kind = placed.edge.kind
    box = placed.label
    ground = Box(box.x, box.y, box.width + 6, box.height + 1)
    yield f'<g class="label {kind}"{_between(placed.edge)}>'
    yield _rect(ground, 3, f'fill="{PAPER}"')
    anchor = "middle"
    if placed.edge.source == placed.edge.target:
        # A narrow face must not leave a gap between a loop and its label.
        anchor, box = "start", Box(box.x - box.width / 2, box.y, 0, box.height)
    yield _lines(placed.lines, box, LABEL_SIZE, label_colour(kind), anchor) + "</g>"


def _lines(
    lines: tuple[str, ...], box: Box, size: float, colour: str, anchor: str
) -> str:
    """Write lines of text, centred on the height of a box."""
    step = size * LINE
    # Half of a capital's height below the middle line puts the text on it.
    first = box.y - (len(lines) - 1) * step / 2 + size * 0.35
    spans = "".join(
        f'<tspan x="{_n(box.x)}" y="{_n(first + i * step)}">{escape(line)}</tspan>'
        for i, line in enumerate(lines)
    )
    return (
        f'<text font-size="{_n(size)}" fill="{colour}" text-anchor="{anchor}" '
        f'xml:space="preserve">{spans}</text>'
    )


def _rect(box: Box, radius: float, look: str) -> str:
    return (
        f'<rect x="{_n(box.x - box.width / 2)}" y="{_n(box.y - box.height / 2)}" '
        f'width="{_n(box.width)}" height="{_n(box.height)}" rx="{_n(radius)}" {look}/>'
    )


def _path(curves: Iterable[Curve], kind: Kind) -> str:
    pieces = []
    for curve in curves:
        pieces.append(f"M{_p(curve[0])}C" + " ".join(map(_p, curve[1:])))
    look = LOOKS[kind]
    dashes = f' stroke-dasharray="{look.dashes}"' if look.dashes else ""
    return (
        f'<path d="{"".join(pieces)}" fill="none" stroke="{look.colour}" '
        f'stroke-width="{_n(look.stroke)}"{dashes}/>'
    )


def _arrow(back: Point, tip: Point, colour: str) -> str:
    """Draw an arrow head from its back to its tip."""
    dx, dy = tip[0] - back[0], tip[1] - back[1]
    length = math.hypot(dx, dy) or 1.0
    nx, ny = -dy / length * 3.4, dx / length * 3.4
    corners = (tip, (back[0] + nx, back[1] + ny), (back[0] - nx, back[1] - ny))
    return f'<polygon points="{" ".join(map(_p, corners))}" fill="{colour}"/>'


def _text(text: str) -> str:
    return escape(visible(text))


def _p(point: Point) -> str:
    return f"{_n(point[0])},{_n(point[1])}"


def _n(number: float) -> str:
    """Write a number with at most two digits behind the point."""
    return f"{number:.2f}".rstrip("0").rstrip(".")
