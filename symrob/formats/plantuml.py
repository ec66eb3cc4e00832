"""PlantUML state diagrams (`.puml`), written only.

In:  `Picture`s, or a system.
Out: one diagram; several pictures are states side by side in it.

Each transition has a line of its own, so that a diagram holds the whole system.
Characters with a meaning for PlantUML are written `<U+XXXX>`.

Sources: docs/sources.md [PlantUML].
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from symrob.formats.dot import LOOKS, Kind, Picture, state_id, system_pictures
from symrob.formats.registry import Format, Text
from symrob.lts import ERROR, Lts, Network

_SPECIAL = re.compile(r"[^\w .,()+=!?'-]|--|__", re.ASCII)


def plantuml_lines(pictures: Sequence[Picture], title: str = "") -> Iterator[str]:
    """Yield the lines of a diagram.

    Args:
        pictures: What it shows, at least one.
        title: What several are called together.

    Cost: linear in the pictures.
    """
    yield "@startuml"
    title = title if len(pictures) > 1 else pictures[0].title
    if title:
        yield f"title {_text(title)}"
    yield "hide empty description"
    if len(pictures) == 1:
        yield from _statements(pictures[0], "", "")
    else:
        for number, picture in enumerate(pictures, 1):
            yield f'state "{_text(picture.title or str(number))}" as p{number} {{'
            yield from _statements(picture, f"p{number}_", "  ")
            yield "}"
    legend = {pair: None for picture in pictures for pair in picture.legend}
    if legend:
        yield "legend"
        for kind, meaning in legend:
            yield f"  <color:{LOOKS[kind].colour}>{_text(meaning)}</color>"
        yield "endlegend"
    yield "@enduml"


def _statements(picture: Picture, prefix: str, pad: str) -> Iterator[str]:
    for state in picture.states:
        name = prefix + state_id(state.id)
        colour = " #fde8e8" if state.id == ERROR else ""
        yield f'{pad}state "{_text(state.name)}" as {name}{colour}'
        if state.initial:
            yield f"{pad}[*] --> {name}"
        if state.end:
            yield f"{pad}{name} --> [*]"
    for edge in picture.edges:
        source, target = (prefix + state_id(s) for s in (edge.source, edge.target))
        for action in edge.actions:
            line = f"{source} {_arrow(edge.kind)} {target}"
            yield f"{pad}{line} : {_text(action)}"


def _arrow(kind: Kind) -> str:
    look = LOOKS[kind]
    if kind == "nominal":
        return "-->"
    style = "" if look.style == "solid" else f",{look.style}"
    return f"-[{look.colour}{style}]->"


def _text(text: str) -> str:
    """A text with what has a meaning for PlantUML written as numbers."""
    inner = _SPECIAL.sub(
        lambda found: "".join(f"<U+{ord(c):04X}>" for c in found[0]), text
    )
    # Blanks at the ends would be cut off.
    return re.sub(r"^ | $", "<U+0020>", inner)


def _write(system: Lts | Network) -> Text:
    return list(plantuml_lines(system_pictures(system))), ()


FORMAT = Format("PlantUML", write=_write, networks=True)
