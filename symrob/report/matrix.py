"""A picture as a matrix: states × states, the actions in the cells.

In:  a `Picture` with more edges than a graph can show.
Out: SVG. A row for each source state, a column for each target state; the actions in a
     cell have the colours of their edges, and each group the `id` and `class` that it
     has in a graph.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from textwrap import wrap
from xml.etree.ElementTree import Element, SubElement

from symrob.formats.dot import (
    FONTS,
    INK,
    LOOKS,
    PAPER,
    Kind,
    Picture,
    PictureEdge,
    action_lines,
    shown,
)
from symrob.lts import StateId

CHARACTER, LINE, PAD = 6.8, 14.0, 8.0
_RULE, HEAD = "#c5ccd3", "#f3f6fa"
_CORNER = "from ↓  to →"


def matrix(picture: Picture, prefix: str = "") -> Element:
    """Draw a picture as a matrix.

    Args:
        picture: The picture.
        prefix: Prefix of every `id`.

    Returns:
        An `svg` element without a namespace.

    Cost: O(n² + t) for n states and t transitions.
    """
    names = {s.id: wrap(shown(s.name), 28) or [" "] for s in picture.states}
    cells: dict[tuple[StateId, StateId], list[tuple[PictureEdge, list[str]]]] = {}
    for edge in picture.edges:
        lines = action_lines(edge.actions)
        cells.setdefault((edge.source, edge.target), []).append((edge, lines))
    rows = [s for s in picture.states if "error" not in s.classes.split()]
    wide = {
        q: max(width_of(lines) for lines in [names[q], *_column(cells, q)])
        for q in names
    }
    first = width_of([_CORNER, *(f"→ {line}" for s in rows for line in names[s.id])])

    root = Element("svg")
    SubElement(root, "rect", width="100%", height="100%", fill=PAPER)
    y, width = _heading(root, picture)
    lefts = {}
    x = PAD + first
    for state in picture.states:
        lefts[state.id] = x
        x += wide[state.id]
    high = max(map(len, names.values())) * LINE + PAD
    box(root, PAD, y, first, high, HEAD)
    corner = SubElement(root, "g", {"class": "corner"})
    text(corner, [_CORNER], PAD, y, LOOKS["both"].colour)
    for state in picture.states:
        head = SubElement(root, "g", id=f"{prefix}to-{state.dot_id}")
        head.set("class", "column")
        box(head, lefts[state.id], y, wide[state.id], high, HEAD)
        text(head, names[state.id], lefts[state.id], y)
    y += high
    for state in rows:
        parts = [cells.get((state.id, q), []) for q in names]
        most = [sum(len(lines) for _, lines in part) for part in parts]
        high = max(len(names[state.id]), *most) * LINE + PAD
        head = SubElement(root, "g", id=f"{prefix}{state.dot_id}")
        head.set("class", f"node {state.classes}")
        box(head, PAD, y, first, high, HEAD)
        mark = "→ " if state.initial else "  "
        text(head, [mark + line for line in names[state.id]], PAD, y)
        for q, part in zip(names, parts, strict=True):
            box(root, lefts[q], y, wide[q], high, PAPER)
            top = y
            for edge, lines in part:
                group = SubElement(root, "g", id=f"{prefix}{edge.id}")
                group.set("class", f"edge {edge.kind}")
                shaded(group, lines, lefts[q], top, edge.kind)
                top += len(lines) * LINE
        y += high
    width, height = max(x, width) + PAD, y + PAD
    size(root, width, height)
    return root


def size(root: Element, width: float, height: float) -> None:
    """Return the size of a drawing, in points."""
    root.attrib |= {
        "width": f"{width:g}pt",
        "height": f"{height:g}pt",
        "viewBox": f"0 0 {width:g} {height:g}",
        "font-family": FONTS,
        "font-size": "11",
    }


def _heading(root: Element, picture: Picture) -> tuple[float, float]:
    """Write title and legend; return where the matrix begins, and their width."""
    lines = wrap(shown(picture.title), 90)
    head = SubElement(root, "g", {"class": "heading", "font-weight": "bold"})
    text(head, lines, 0, PAD)
    y = 1.5 * PAD + len(lines) * LINE
    for kind, meaning in picture.legend:
        entry = SubElement(root, "g", {"class": f"legend {kind}"})
        lines.append(shown(meaning))
        shaded(entry, lines[-1:], 0, y, kind)
        y += LINE
    note = SubElement(root, "g", {"class": "note"})
    lines.append(f"{len(picture.edges)} edges, drawn as a matrix: rows lead to columns")
    text(note, lines[-1:], 0, y, LOOKS["both"].colour)
    return y + LINE + PAD, width_of(lines)


def _column(
    cells: Mapping[tuple[StateId, StateId], list[tuple[PictureEdge, list[str]]]],
    column: StateId,
) -> Iterator[list[str]]:
    for (_, target), part in cells.items():
        if target == column:
            yield from (lines for _, lines in part)


def width_of(lines: Sequence[str]) -> float:
    """Return the width that a cell with these lines needs."""
    return max(map(len, lines), default=0) * CHARACTER + 2 * PAD


def box(
    parent: Element, x: float, y: float, width: float, height: float, fill: str
) -> None:
    """Draw an empty cell."""
    places = {"x": x, "y": y, "width": width, "height": height}
    look = {"fill": fill, "stroke": _RULE}
    SubElement(parent, "rect", {k: f"{v:g}" for k, v in places.items()} | look)


def shaded(
    parent: Element, lines: Sequence[str], x: float, y: float, kind: Kind
) -> None:
    """Write lines in the colour of a kind, upon its shade if it has one."""
    look = LOOKS[kind]
    if look.shade:
        width = width_of(lines) - PAD
        places = {"x": x + PAD / 2, "y": y + 1, "width": width}
        places |= {"height": len(lines) * LINE - 1, "rx": 3}
        shade = {k: f"{v:g}" for k, v in places.items()} | {"fill": look.shade}
        SubElement(parent, "rect", shade)
    text(parent, lines, x, y, look.colour)


def text(
    parent: Element, lines: Sequence[str], x: float, y: float, colour: str = INK
) -> None:
    """Write lines into the top left corner of a cell."""
    for number, line in enumerate(lines):
        place = {"x": f"{x + PAD:g}", "y": f"{y + 0.85 * LINE + number * LINE:g}"}
        written = SubElement(parent, "text", place | {"fill": colour})
        written.set("xml:space", "preserve")
        written.text = line
