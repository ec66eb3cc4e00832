"""Where the states, edges and labels of a picture go.

In:  a `Picture`.
Out: a `Layout`: boxes for states and labels, curves for edges, in pixels, the
     origin at the top left.

The layered drawing is computed by the `dot` engine of Graphviz, which comes
inside the wheel of pygraphviz, in this process. It is given numbers only: no
name or action reaches it, so nothing in them can upset it, and the fonts of
this computer have no say in the result. Three things are ours:

- Every label is a node of its own on its edge. So labels are given room, no
  two overlap, and which edge one belongs to is never in doubt.
- Edges are handed over along the depth of their states in the nominal
  system, so that its flow goes one way whatever a deviation adds.
- Edges meet a state above or below, each at a place of its own; loops are
  drawn at its right, one below the other.

Source: E. R. Gansner, E. Koutsofios, S. C. North, K.-P. Vo, "A technique for
drawing directed graphs", IEEE Trans. Software Eng. 19(3), 1993 (the engine).
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from threading import Lock
from typing import Any

from symrob.errors import Diagnostic, LimitExceeded, SymrobError
from symrob.lts import StateId
from symrob.report.curves import Box, Curve, Point, samples, trimmed
from symrob.report.labels import Lane, settled
from symrob.report.lettering import (
    LABEL_SIZE,
    LINE,
    NAME_SIZE,
    width,
    wrap_list,
    wrap_name,
)
from symrob.report.picture import Picture, PictureEdge, PictureState
from symrob.report.routing import (
    LOOP_HEIGHT,
    LOOP_WIDTH,
    SLOT,
    Link,
    Start,
    Way,
    loop,
    run,
)

MAX_EDGES = 300
"""Edges that a picture may have; beyond it no reader finds one again."""

MAX_SLOTS = 200.0
"""Width in pixels up to which a state grows to keep that distance."""

LABEL_GAP = 5.0
"""Pixels kept free above and below a label, together."""

ARROW = 7.0
"""Length of an arrow head in pixels."""

_ENGINE = Lock()
"""Graphviz keeps global state: one picture at a time."""

Arrow = tuple[tuple[Curve, ...], Point]
"""Curves up to the back of an arrow head, and its tip."""


@dataclass(frozen=True)
class PlacedState:
    """A state in its place; `lines` is its name, broken to fit the box."""

    state: PictureState
    box: Box
    lines: tuple[str, ...]


@dataclass(frozen=True)
class PlacedEdge:
    """An edge in its place.

    Attributes:
        edge: The edge.
        curves: Bezier curves from source to target, each a first point and
            three more for every piece.
        tip: Point of the arrow; the last curve ends at the arrow's back.
        label: The box of the label, on the edge or beside a loop.
        lines: The actions, broken to fit the box.
    """

    edge: PictureEdge
    curves: tuple[Curve, ...]
    tip: Point
    label: Box
    lines: tuple[str, ...]


@dataclass(frozen=True)
class Layout:
    """A picture with all its places.

    Attributes:
        states: The states.
        edges: The edges, in the order of the picture.
        start: The arrow into the initial state.
    """

    states: tuple[PlacedState, ...]
    edges: tuple[PlacedEdge, ...]
    start: Arrow

    @cached_property
    def frame(self) -> Box:
        """The smallest box around everything."""
        boxes = [s.box for s in self.states] + [e.label for e in self.edges]
        points = [p for e in self.edges for c in e.curves for p in samples(c)]
        points += [p for c in self.start[0] for p in samples(c)]
        for side in (-0.5, 0.5):
            points += [(b.x + side * b.width, b.y + side * b.height) for b in boxes]
        xs, ys = zip(*points, strict=True)
        left, right, top, bottom = min(xs), max(xs), min(ys), max(ys)
        return Box((left + right) / 2, (top + bottom) / 2, right - left, bottom - top)


def place(picture: Picture, *, max_edges: int = MAX_EDGES) -> Layout:
    """Find a place for everything in a picture.

    Args:
        picture: What to place.
        max_edges: Largest number of edges that is tried.

    Returns:
        The layout; the same for the same picture, in every run.

    Raises:
        LimitExceeded: The picture has more than `max_edges` edges or states.
        SymrobError: pygraphviz is not installed.

    Cost: half a second for 100 edges, half a minute for 300 in bad cases.
    """
    sizes = ((len(picture.edges), "edges"), (len(picture.states), "states"))
    number, what = max(sizes)
    if number > max_edges:
        faint = any(edge.kind == "inert" for edge in picture.edges)
        less = "leave out what never fires (--hide-inert), " if faint else ""
        raise LimitExceeded(
            f"a picture of {number:,} {what} cannot be read (limit {max_edges:,}); "
            f"{less}choose another format, or raise the limit with "
            f"--bound max-edges={number} (max_edges={number} in Python)"
        )
    return _Plan(picture).layout()


class _Plan:
    """One run of the engine: what it is asked, and what its answer means."""

    def __init__(self, picture: Picture) -> None:
        self.picture = picture
        self.depth = _depths(picture)
        self.node_of = {s.id: f"s{i}" for i, s in enumerate(picture.states)}
        self.names = [wrap_name(s.name, NAME_SIZE, 170.0) for s in picture.states]
        self.labels = [wrap_list(e.actions, LABEL_SIZE) for e in picture.edges]
        self.loops: dict[StateId, list[int]] = {s.id: [] for s in picture.states}
        self.straight: list[int] = []
        for i, edge in enumerate(picture.edges):
            is_loop = edge.source == edge.target
            (self.loops[edge.source] if is_loop else self.straight).append(i)

    def layout(self) -> Layout:
        """Ask the engine and read its answer."""
        answer = _run_dot("\n".join(self.request()))
        left, _, _, top = map(float, answer["bb"].split(","))
        turn = _Turn(left, top)
        boxes = {o["name"]: turn.box(o) for o in answer["objects"]}
        routes = {
            e["part"]: turn.curve(e["pos"]) for e in answer["edges"] if "part" in e
        }
        states = tuple(
            PlacedState(state, boxes[self.node_of[state.id]], self.names[i])
            for i, state in enumerate(self.picture.states)
        )
        links = {i: self._link(i, boxes, routes) for i in self.straight}
        entry = Start(boxes["start"], boxes["s0"], routes["start"])
        blocks = filter(None, map(self._loop_block, states))
        ways, start = run(list(links.values()), entry, [*boxes.values(), *blocks])
        placed = dict(loop for state in states for loop in self._loops_at(state))
        for i, way in zip(links, ways, strict=True):
            placed[i] = self._placed(i, way)
        edges = _labelled([placed[i] for i in sorted(placed)], states)
        return Layout(states, edges, _with_arrow((start,)))

    def request(self) -> Iterator[str]:
        """Write the question in the engine's language; numbers only."""
        above, below = self._degrees()
        # Many edges fanning out of one state need height to come apart.
        most = max([*above.values(), *below.values()])
        yield f"digraph {{ nodesep=0.28; ranksep={0.26 + 0.02 * max(0, most - 6):.2f};"
        yield 'node [shape=box fixedsize=true label="" margin=0];'
        yield "edge [arrowhead=none];"
        for i, state in enumerate(self.picture.states):
            w, h = _block(self.names[i], NAME_SIZE)
            ends = max(above[state.id], below[state.id])
            w = max(w + 22, 42, min((ends - 1) * SLOT + 24, MAX_SLOTS))
            h = max(h + 14, len(self.loops[state.id]) * LOOP_HEIGHT + 8)
            yield f"s{i} [{_size(w, h)}];"
            if not above[state.id]:
                # Nothing leads down to it, but it must not stand over the start.
                weight = 0 if below[state.id] else 5
                yield f"start -> s{i} [style=invis weight={weight}];"
            yield from self._loop_request(state.id)
        yield f"start [{_size(6, 6)}];"
        yield "start:s -> s0:n [part=start weight=20];"
        for i in self.straight:
            yield from self._edge_request(i, self.picture.edges[i])
        yield "}"

    def _degrees(self) -> tuple[Counter[StateId], Counter[StateId]]:
        """Count the ends of edges above and below each state."""
        above, below = Counter({0: 1}), Counter[StateId]()
        for i in self.straight:
            upper, lower = self._ends(self.picture.edges[i])
            below[upper] += 1
            above[lower] += 1
        return above, below

    def _loop_request(self, state: StateId) -> Iterator[str]:
        """Have room kept at the right of a state for its loops and their labels."""
        sizes = [_block(self.labels[i], LABEL_SIZE) for i in self.loops[state]]
        if sizes:
            w = max(w for w, _ in sizes) + LOOP_WIDTH
            h = sum(h + LABEL_GAP for _, h in sizes)
            room = (
                f'<<TABLE BORDER="0" FIXEDSIZE="TRUE" WIDTH="{w:.0f}" '
                f'HEIGHT="{h:.0f}"><TR><TD></TD></TR></TABLE>>'
            )
            node = self.node_of[state]
            yield f"{node} -> {node} [label={room}];"

    def _edge_request(self, i: int, edge: PictureEdge) -> Iterator[str]:
        """Hand over an edge as two, its upper half `u` and its lower half `d`."""
        w, h = _block(self.labels[i], LABEL_SIZE)
        upper, lower = (self.node_of[q] for q in self._ends(edge))
        weights = (8, 8) if edge.kind == "nominal" else (1, 2)
        yield f"l{i} [{_size(w + 8, h + LABEL_GAP)}];"
        yield f"{upper}:s -> l{i}:n [part=u{i} weight={weights[0]}];"
        yield f"l{i}:s -> {lower}:n [part=d{i} weight={weights[1]}];"

    def _ends(self, edge: PictureEdge) -> tuple[StateId, StateId]:
        """Return the ends of an edge, the one that is drawn above first."""
        if self.depth[edge.source] < self.depth[edge.target]:
            return edge.source, edge.target
        return edge.target, edge.source

    def _link(
        self, i: int, boxes: Mapping[str, Box], routes: Mapping[str, Curve]
    ) -> Link:
        upper, lower = (self.node_of[q] for q in self._ends(self.picture.edges[i]))
        return Link(
            upper=boxes[upper],
            label=boxes[f"l{i}"],
            lower=boxes[lower],
            up=routes[f"u{i}"],
            down=routes[f"d{i}"],
        )

    def _placed(self, i: int, way: Way) -> PlacedEdge:
        """Turn the way of an edge from downwards to from source to target."""
        edge, lines = self.picture.edges[i], self.labels[i]
        halves = (way.up, way.down)
        if self._ends(edge)[0] != edge.source:
            halves = (way.down[::-1], way.up[::-1])
        curves, tip = _with_arrow(halves)
        label = Box(*way.centre, *_block(lines, LABEL_SIZE))
        return PlacedEdge(edge, curves, tip, label, lines)

    def _loop_block(self, placed: PlacedState) -> Box | None:
        """Return the place that the labels of a state's loops take together."""
        sizes = [
            _block(self.labels[i], LABEL_SIZE) for i in self.loops[placed.state.id]
        ]
        if not sizes:
            return None
        box, w = placed.box, max(w for w, _ in sizes)
        x = box.x + box.width / 2 + LOOP_WIDTH + w / 2
        return Box(x, box.y, w, sum(h + LABEL_GAP for _, h in sizes))

    def _loops_at(self, placed: PlacedState) -> Iterator[tuple[int, PlacedEdge]]:
        """Draw the loops of a state one below the other, at its right."""
        loops, box, block = (
            self.loops[placed.state.id],
            placed.box,
            self._loop_block(placed),
        )
        if block is None:
            return
        top = block.y - block.height / 2
        for k, i in enumerate(loops):
            w, h = _block(self.labels[i], LABEL_SIZE)
            y = top + (h + LABEL_GAP) / 2
            top += h + LABEL_GAP
            foot = box.y + (k - (len(loops) - 1) / 2) * LOOP_HEIGHT
            label = Box(block.x - block.width / 2 + w / 2, y, w, h)
            curves, tip = _with_arrow((loop(box.x + box.width / 2, foot, y),))
            edge = self.picture.edges[i]
            yield i, PlacedEdge(edge, curves, tip, label, self.labels[i])


@dataclass(frozen=True)
class _Turn:
    """Turns the engine's coordinates, upwards, into the picture's, downwards."""

    left: float
    top: float

    def point(self, text: str) -> Point:
        x, y = map(float, text.split(","))
        return (x - self.left, self.top - y)

    def box(self, place: Mapping[str, Any]) -> Box:
        x, y = self.point(place["pos"])
        return Box(x, y, float(place["width"]) * 72, float(place["height"]) * 72)

    def curve(self, text: str) -> Curve:
        return tuple(map(self.point, text.split()))


def _labelled(
    edges: Sequence[PlacedEdge], states: Iterable[PlacedState]
) -> tuple[PlacedEdge, ...]:
    """Move labels to where no lines of other edges pass behind them."""
    lanes = (
        Lane(e.curves, e.tip, e.label, e.edge.source == e.edge.target) for e in edges
    )
    boxes = settled(list(lanes), [state.box for state in states])
    return tuple(replace(e, label=box) for e, box in zip(edges, boxes, strict=True))


def _with_arrow(curves: tuple[Curve, ...]) -> Arrow:
    """Cut from the end of the last curve what its arrow head covers."""
    return (*curves[:-1], trimmed(curves[-1], ARROW)), curves[-1][-1]


def _block(lines: tuple[str, ...], size: float) -> tuple[float, float]:
    """Return width and height of some lines of text."""
    return max(width(line, size) for line in lines), len(lines) * size * LINE


def _size(w: float, h: float) -> str:
    return f"width={w / 72:.4f} height={h / 72:.4f}"


def _depths(picture: Picture) -> dict[StateId, tuple[int, int]]:
    """Order the states: by distance from the start, nominal edges first.

    States that only added edges reach come after those that nominal ones
    reach, and states that nothing reaches come last; ties by number, ERROR
    after all others of its distance.
    """
    depth = {0: 0}
    for kinds in ({"nominal", "internal"}, None):
        frontier = sorted(depth)
        while frontier:
            following = []
            for edge in picture.edges:
                new = edge.source in frontier and edge.target not in depth
                if new and (kinds is None or edge.kind in kinds):
                    depth[edge.target] = depth[edge.source] + 1
                    following.append(edge.target)
            frontier = following
    last = max(depth.values()) + 1
    number = {s.id: i for i, s in enumerate(picture.states)}
    return {q: (depth.get(q, last), i) for q, i in number.items()}


def _run_dot(request: str) -> dict[str, Any]:
    """Run the layout engine on a request and return its answer."""
    try:
        from pygraphviz import AGraph
    except ImportError as error:
        raise SymrobError(
            Diagnostic(
                "picture-no-engine",
                f"a picture with places needs the package pygraphviz ({error})",
                hint="install it with: pip install pygraphviz, or write DOT instead",
            )
        ) from error
    with _ENGINE:
        graph = AGraph(string=request)
        try:
            answer: dict[str, Any] = json.loads(graph.draw(format="json0", prog="dot"))
        finally:
            graph.close()
    return answer
