"""Pictures in the DOT language, for Graphviz and everything that reads it.

In:  a `Picture`.
Out: one DOT document, the same bytes in every run.

Names and actions stand in labels only; states are called `s0`, `s1`, … and
ERROR `error`, so that nothing in a name can break the document. Layout is
left to the reader's program.
"""

from __future__ import annotations

from collections.abc import Iterator

from symrob.lts import ERROR, StateId
from symrob.report.lettering import LABEL_SIZE, visible, wrap_list
from symrob.report.looks import INK, LOOKS, PAPER, label_colour, state_colours
from symrob.report.picture import Picture, PictureEdge, PictureState


def to_dot(picture: Picture) -> str:
    """Write a picture as DOT.

    Args:
        picture: What to write.

    Returns:
        A DOT document. Each edge carries its kind as `class`, which Graphviz
        hands on to SVG.

    Cost: linear in the picture.
    """
    return "\n".join(_lines(picture)) + "\n"


def _lines(picture: Picture) -> Iterator[str]:
    yield "digraph picture {"
    if picture.title:
        yield f"  label={_quoted(picture.title)}; labelloc=t;"
    yield f'  fontname="Helvetica"; bgcolor="{PAPER}"; fontcolor="{INK}";'
    yield '  node [shape=box, style="rounded,filled", fontname="Helvetica"];'
    yield f'  edge [fontname="Helvetica", fontsize={LABEL_SIZE:g}];'
    for state in picture.states:
        yield _state(state)
    for state in picture.states:
        if state.initial:
            yield f'  start [shape=point, label="", width=0.08, color="{INK}"];'
            yield f'  start -> {_node(state.id)} [color="{INK}"];'
    for edge in picture.edges:
        yield _edge(edge)
    for kind, meaning in picture.legend:
        yield f"  // {kind}: {visible(meaning)}"
    yield "}"


def _state(state: PictureState) -> str:
    fill, stroke = state_colours(state.error)
    rings = ", peripheries=2" if state.end else ""
    width = ", penwidth=2" if state.initial else ""
    return (
        f"  {_node(state.id)} [label={_quoted(state.name)}, fillcolor="
        f'"{fill}", color="{stroke}", fontcolor="{stroke}"{rings}{width}];'
    )


def _edge(edge: PictureEdge) -> str:
    look = LOOKS[edge.kind]
    label = r"\n".join(map(_escaped, wrap_list(edge.actions, LABEL_SIZE)))
    style = ", style=dashed" if look.dashes else ""
    return (
        f"  {_node(edge.source)} -> {_node(edge.target)} "
        f'[label="{label}", class="{edge.kind}", color="{look.colour}", '
        f'fontcolor="{label_colour(edge.kind)}", '
        f"penwidth={look.stroke:g}{style}];"
    )


def _node(state: StateId) -> str:
    return "error" if state == ERROR else f"s{state}"


def _quoted(text: str) -> str:
    return f'"{_escaped(visible(text))}"'


def _escaped(text: str) -> str:
    """Escape visible text for a quoted label.

    In labels a backslash starts an escape and an ampersand an entity, besides
    the quote that ends the string.
    """
    return text.replace("&", "&amp;").replace("\\", "\\\\").replace('"', '\\"')
