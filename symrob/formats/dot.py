"""Graphs of transition systems, in the DOT language of Graphviz (`.dot`).

In:  an `Lts` or a `Network`, or a `Picture` of it.
Out: one directed graph, identical in every run, which symrob cannot read back.
     `symrob.report.svg` passes it to Graphviz.

All transitions with the same ends and the same kind form one edge with several
actions. Every state and edge has a numeric `id` and a `class` with its kind, which
Graphviz copies to the SVG. Names and actions occur only in labels.

Source: docs/sources.md [S1], Fig. 3 and Fig. 8 (the colours).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from math import isqrt
from textwrap import wrap

from symrob.errors import printable
from symrob.lts import ERROR, TAU, Action, Lts, Network, StateId, Transition

Kind = str
"""What the transitions of an edge are: a key of `LOOKS`."""

INK, PAPER = "#1f2933", "#ffffff"
FONTS = "Helvetica,Arial,sans-serif"

LONGEST = 200
"""Characters of one name that are shown; the rest is cut and marked."""

MOST_ACTIONS = 200
"""Actions of one edge that are shown; the rest is counted."""

_LEFT = "\\l"
"""Ends a line of a label that starts beside its edge."""


def escaped(text: str) -> str:
    """Escape printable text for labels, quoted or HTML-like.

    Graphviz interprets entities and backslashes in both.
    """
    return escape(text).replace("\\", "\\\\")


def shown(text: str) -> str:
    """Return a name as a picture shows it: on one line, printable, shortened."""
    return printable(text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…")


def action_lines(actions: Sequence[Action]) -> list[str]:
    """Break a list of actions into lines that form a compact block.

    Joined with spaces they form the whole list, or its first `MOST_ACTIONS` and the
    number of others.
    """
    names = [shown(action) for action in actions[:MOST_ACTIONS]]
    if len(actions) > MOST_ACTIONS:
        names.append(f"… {len(actions) - MOST_ACTIONS} more")
    text = ", ".join(names)
    # A block about four times as wide as high, as a label beside an edge. Only words
    # of plain language have spaces inside, where they may be broken.
    words = (word for name in names for word in name.split())
    width = max(18, isqrt(6 * len(text)), *(len(word) + 1 for word in words))
    return wrap(text, width, break_long_words=False, break_on_hyphens=False)


@dataclass(frozen=True)
class Look:
    """The style of edges of one kind.

    Attributes:
        meaning: The text of the legend.
        colour: Colour of the line, arrow head and label.
        style: Style of the line, in Graphviz's terms.
        width: Width of the line, in points.
        second: Colour of a second, parallel line; empty for one line.
        shade: Background colour of its actions in a matrix; may be empty.
    """

    meaning: str
    colour: str
    style: str = "solid"
    width: float = 1.4
    second: str = ""
    shade: str = ""


# Colours that stand for different kinds differ in lightness or in dashes too, for
# readers who do not see the hues. In the order of legends.
LOOKS: dict[Kind, Look] = {
    "nominal": Look("nominal", "#374151", width=1.6),
    "internal": Look("internal move", "#374151", "dotted"),
    "both": Look("in both", "#76818d"),
    "added": Look("added by the deviation", "#12823b"),
    "only_first": Look("in the first only", "#12823b", width=1.6),
    "only_second": Look("in the second only", "#a8327f", "dashed", 1.6),
    "inert": Look("added, can never fire", "#8b95a1", "dashed", 1.0),
    # What an added transition amounts to alone, the worst first.
    "hazardous": Look(
        "hazardous: violates a property", "#a61b1b", width=2.4, shade="#fbdcdc"
    ),
    "excluded-unsafe": Look(
        "unsafe, excluded by an assumption",
        "#a61b1b",
        second="#8b95a1",
        shade="#e4e7eb",
    ),
    "excluded-safe": Look("safe, excluded by an assumption", "#76818d", "dashed", 1.0),
    "tolerated": Look("tolerated", "#12823b"),
    "guarded": Look("guarded: disabled in some states", "#b45309", "dashed", 2.0),
}


@dataclass(frozen=True)
class PictureState:
    """One state.

    Attributes:
        id: The number of the state; `ERROR` for the error state.
        name: Its name in the model.
        initial: Whether it is initial.
        end: Whether it is the state of successful termination.
    """

    id: StateId
    name: str
    initial: bool = False
    end: bool = False

    @property
    def dot_id(self) -> str:
        """Its identifier in documents."""
        return state_id(self.id)

    @property
    def classes(self) -> str:
        """Its classes, separated by spaces."""
        marks = {"initial": self.initial, "end": self.end, "error": self.id == ERROR}
        return " ".join(["state", *(word for word, is_so in marks.items() if is_so)])


@dataclass(frozen=True)
class PictureEdge:
    """All transitions of one kind from one state to another.

    Attributes:
        source: The number of the source state.
        target: The number of the target state; `ERROR` for the error state.
        kind: The kind of the transitions.
        actions: Their actions, sorted; never empty.
    """

    source: StateId
    target: StateId
    kind: Kind
    actions: tuple[Action, ...]

    @property
    def id(self) -> str:
        """Its identifier in documents."""
        return f"{state_id(self.source)}-{state_id(self.target)}-{self.kind}"


@dataclass(frozen=True)
class Picture:
    """States, edges and a legend.

    Attributes:
        title: A line above the picture; may be empty.
        states: The states by number; `ERROR` is last if an edge leads to it.
        edges: Sorted by source, target and kind; no two agree in all three.
        legend: The meaning of each kind; empty if all transitions are nominal.
    """

    title: str
    states: tuple[PictureState, ...]
    edges: tuple[PictureEdge, ...]
    legend: tuple[tuple[Kind, str], ...] = ()


def lts_picture(
    lts: Lts, *, title: str = "", hidden: frozenset[Action] = frozenset()
) -> Picture:
    """Return the picture of a transition system.

    Args:
        lts: The system; ERROR becomes a separate state.
        title: A line above the picture.
        hidden: Actions that are internal to its network.

    Returns:
        The picture, with every transition of `lts`.

    Cost: O(t log t) for t transitions.
    """
    return picture_of(lts, {t: own_kind(t, hidden) for t in lts.transitions}, title)


def own_kind(transition: Transition, hidden: frozenset[Action] = frozenset()) -> Kind:
    """Return the kind of a transition in its own system."""
    inside = transition.action == TAU or transition.action in hidden
    return "internal" if inside else "nominal"


def picture_of(
    lts: Lts,
    kinds: Mapping[Transition, Kind],
    title: str,
    words: Mapping[Kind, str] | None = None,
) -> Picture:
    """Return a picture of the states of a system and of transitions by kind.

    Args:
        lts: The system.
        kinds: The kind of each transition shown.
        title: A line above the picture.
        words: Legend texts that override those of `LOOKS`.
    """
    order = list(LOOKS)
    groups: dict[tuple[StateId, StateId, int], list[Action]] = {}
    for (source, action, target), kind in kinds.items():
        groups.setdefault((source, target, order.index(kind)), []).append(action)
    edges = tuple(
        PictureEdge(source, target, order[kind], tuple(sorted(actions)))
        for (source, target, kind), actions in sorted(groups.items())
    )
    states = [
        PictureState(q, lts.state_name(q), initial=q in lts.initial, end=q == lts.end)
        for q in range(lts.size)
    ]
    if any(edge.target == ERROR for edge in edges):
        states.append(PictureState(ERROR, lts.state_name(ERROR)))
    used = {edge.kind for edge in edges}
    meaning = {kind: look.meaning for kind, look in LOOKS.items()} | dict(words or {})
    legend = tuple((kind, meaning[kind]) for kind in order if kind in used)
    return Picture(title, tuple(states), edges, () if used <= {"nominal"} else legend)


def system_pictures(system: Lts | Network, title: str = "") -> list[Picture]:
    """Return the pictures of a system, one for each component.

    Args:
        system: The system.
        title: A line above a single picture; the pictures of components have their
            names.
    """
    names = system.component_names if isinstance(system, Network) else (title,)
    return [
        lts_picture(lts, title=name, hidden=system.hidden)
        for lts, name in zip(system.components, names, strict=True)
    ]


def pictures_dot(pictures: Sequence[Picture], prefix: str = "") -> Iterator[str]:
    """Yield the lines of a DOT document.

    Args:
        pictures: The pictures; with several, each has a box.
        prefix: The prefix of every `id`.

    Cost: linear in the pictures.
    """
    # Without a name: a viewer of the SVG would show it wherever one points.
    yield "digraph {"
    yield f'  graph [fontname="{FONTS}", fontcolor="{INK}", fontsize=13,'
    yield "         labelloc=t, labeljust=l, nodesep=0.5, ranksep=0.6];"
    yield f'  node [fontname="{FONTS}", fontsize=11, shape=box,'
    yield f'        style="rounded,filled", fillcolor="#f3f6fa", color="{INK}",'
    yield f'        fontcolor="{INK}"];'
    yield f'  edge [fontname="{FONTS}", fontsize=10, arrowsize=0.7];'
    if len(pictures) == 1:
        yield from _statements(pictures[0], prefix)
    else:
        for number, picture in enumerate(pictures, 1):
            yield f"  subgraph cluster_{number} {{"
            yield '  color="#c5ccd3"; style=rounded; margin=16;'
            yield from _statements(picture, f"{prefix}p{number}-")
            yield "  }"
    yield "}"


def _statements(picture: Picture, prefix: str) -> Iterator[str]:
    """Yield what a picture consists of; a prefix keeps several apart."""
    if picture.title or picture.legend:
        yield f"  label=<{_heading(picture)}>;"
    for state in picture.states:
        yield _state(state, prefix)
        if state.initial:
            start, name = f"{prefix}start", prefix + state.dot_id
            yield f'  "{start}" [id="{start}", class=start, shape=point, width=0.08,'
            yield f'    fillcolor="{INK}"];'
            yield f'  "{start}" -> "{name}" [id="{start}-{name}", color="{INK}"];'
    # What comes first is rather drawn downwards: that is to be the nominal flow.
    for edge in sorted(picture.edges, key=lambda edge: list(LOOKS).index(edge.kind)):
        yield _edge(edge, prefix)


def _heading(picture: Picture) -> str:
    """Return title and legend as rows of a table."""
    rows = [f"<B>{escaped(line)}</B>" for line in wrap(shown(picture.title), 90)]
    for kind, meaning in picture.legend:
        look = LOOKS[kind]
        line = "⇒" if look.second else "→" if look.style == "solid" else "⇢"
        rows.append(
            f'<FONT COLOR="{look.colour}" POINT-SIZE="11">'
            f"{line} {escaped(shown(meaning))}</FONT>"
        )
    gap = '<TR><TD HEIGHT="6"></TD></TR>'
    cells = "".join(f'<TR><TD ALIGN="LEFT">{row}</TD></TR>' for row in rows)
    return f'<TABLE BORDER="0" CELLSPACING="0" CELLPADDING="2">{cells}{gap}</TABLE>'


def _state(state: PictureState, prefix: str) -> str:
    name = prefix + state.dot_id
    text = shown(state.name)
    label = _block(wrap(text, 28) if len(text) > 28 else [text], "\\n")
    extra = ", penwidth=2" if state.initial else ""
    if state.id == ERROR:
        extra += ', shape=octagon, style=filled, fillcolor="#fde8e8"'
        extra += ', color="#b42318", fontcolor="#b42318"'
    if state.end:
        extra += ", peripheries=2"
    return f'  "{name}" [id="{name}", class="{state.classes}", label="{label}"{extra}];'


def _edge(edge: PictureEdge, prefix: str) -> str:
    look = LOOKS[edge.kind]
    colours = ":".join(filter(None, (look.colour, look.second)))
    source, target = prefix + state_id(edge.source), prefix + state_id(edge.target)
    extra = ", weight=8" if edge.kind == "nominal" else ""
    return (
        f'  "{source}" -> "{target}" [id="{prefix}{edge.id}", class="{edge.kind}", '
        f'label="{_block(action_lines(edge.actions), _LEFT)}", '
        f'color="{colours}", fontcolor="{look.colour}", '
        f"style={look.style}, penwidth={look.width:g}{extra}];"
    )


def _block(lines: Iterable[str], end: str) -> str:
    if end == _LEFT:
        return "".join(f" {escaped(line)}{end}" for line in lines)
    return end.join(map(escaped, lines))


def state_id(state: StateId) -> str:
    """Return the identifier of a state in documents."""
    return "error" if state == ERROR else f"s{state}"
