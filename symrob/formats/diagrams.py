"""State diagrams as text, for writing only: Mermaid (`.mmd`) and PlantUML (`.puml`).

In:  `Picture`s, or a system.
Out: one diagram; several pictures are states side by side.

Each transition has its own line, so a diagram contains the whole system. Mermaid does
not colour lines: a mark before the action, which a legend explains, shows the kind of a
transition. Special characters are escaped: `#N;` for Mermaid, `<U+XXXX>` for PlantUML.

Sources: docs/sources.md [Mermaid], [PlantUML].
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from symrob.formats.dot import LOOKS, Kind, Picture, state_id, system_pictures
from symrob.formats.registry import Format
from symrob.lts import ERROR

# What stands before the actions of each kind.
_BEFORE: dict[Kind, str] = {
    "nominal": "",
    "internal": "",
    "both": "= ",
    "added": "+ ",
    "only_first": "1 ",
    "only_second": "2 ",
    "inert": "- ",
    "hazardous": "! ",
    "excluded-unsafe": "? ",
    "excluded-safe": "x ",
    "tolerated": "+ ",
}
_NO_MERMAID = re.compile(r"[^\w .,()+*/=|!?'-]", re.ASCII)
_NO_PLANTUML = re.compile(r"[^\w .,()+=!?'-]|--|__", re.ASCII)

_Statements = Callable[[Picture, str, str], Iterator[str]]


def mermaid_lines(pictures: Sequence[Picture], title: str = "") -> Iterator[str]:
    """Yield the lines of a `stateDiagram-v2`.

    Args:
        pictures: The pictures, at least one.
        title: The common title of several pictures.

    Cost: linear in the pictures.
    """
    title = title if len(pictures) > 1 else pictures[0].title
    if title:
        plain = re.sub(r"[^\w .,:()-]", " ", title, flags=re.ASCII)
        yield from ("---", f'title: "{plain}"', "---")
    yield "stateDiagram-v2"
    yield from _side_by_side(pictures, "  ", _mermaid, _of_mermaid)
    yield "  classDef error fill:#fde8e8,stroke:#b42318,color:#b42318"


def plantuml_lines(pictures: Sequence[Picture], title: str = "") -> Iterator[str]:
    """Yield the lines of a diagram of PlantUML.

    Args:
        pictures: The pictures, at least one.
        title: The common title of several pictures.

    Cost: linear in the pictures.
    """
    yield "@startuml"
    title = title if len(pictures) > 1 else pictures[0].title
    if title:
        yield f"title {_of_plantuml(title)}"
    yield "hide empty description"
    yield from _side_by_side(pictures, "", _plantuml, _of_plantuml)
    legend = {pair: None for picture in pictures for pair in picture.legend}
    if legend:
        yield "legend"
        for kind, meaning in legend:
            yield f"  <color:{LOOKS[kind].colour}>{_of_plantuml(meaning)}</color>"
        yield "endlegend"
    yield "@enduml"


def _side_by_side(
    pictures: Sequence[Picture],
    pad: str,
    statements: _Statements,
    written: Callable[[str], str],
) -> Iterator[str]:
    if len(pictures) == 1:
        yield from statements(pictures[0], "", pad)
        return
    for number, picture in enumerate(pictures, 1):
        yield f'{pad}state "{written(picture.title or str(number))}" as p{number} {{'
        yield from statements(picture, f"p{number}_", f"{pad}  ")
        yield f"{pad}}}"


def _mermaid(picture: Picture, prefix: str, pad: str) -> Iterator[str]:
    for state in picture.states:
        name = prefix + state_id(state.id)
        yield f'{pad}state "{_of_mermaid(state.name)}" as {name}'
        yield from _ends(state.initial, state.end, name, pad)
        if state.id == ERROR:
            yield f"{pad}class {name} error"
    for edge in picture.edges:
        ends = f"{prefix}{state_id(edge.source)} --> {prefix}{state_id(edge.target)}"
        for action in edge.actions:
            yield f"{pad}{ends} : {_BEFORE[edge.kind]}{_of_mermaid(action)}"
    if picture.legend:
        yield f"{pad}note left of {prefix}s0"
        for kind, meaning in picture.legend:
            if _BEFORE[kind]:
                yield f"{pad}  {_BEFORE[kind]}{_of_mermaid(meaning)}"
        yield f"{pad}end note"


def _plantuml(picture: Picture, prefix: str, pad: str) -> Iterator[str]:
    for state in picture.states:
        name = prefix + state_id(state.id)
        colour = " #fde8e8" if state.id == ERROR else ""
        yield f'{pad}state "{_of_plantuml(state.name)}" as {name}{colour}'
        yield from _ends(state.initial, state.end, name, pad)
    for edge in picture.edges:
        look = LOOKS[edge.kind]
        style = "" if look.style == "solid" else f",{look.style}"
        arrow = "-->" if edge.kind == "nominal" else f"-[{look.colour}{style}]->"
        source, target = (prefix + state_id(s) for s in (edge.source, edge.target))
        for action in edge.actions:
            yield f"{pad}{source} {arrow} {target} : {_of_plantuml(action)}"


def _ends(initial: bool, end: bool, name: str, pad: str) -> Iterator[str]:
    if initial:
        yield f"{pad}[*] --> {name}"
    if end:
        yield f"{pad}{name} --> [*]"


# Blanks at the ends would be cut off.


def _of_mermaid(text: str) -> str:
    inner = _NO_MERMAID.sub(lambda found: f"#{ord(found[0])};", text)
    return re.sub(r"^ | $", "#32;", inner)


def _of_plantuml(text: str) -> str:
    inner = _NO_PLANTUML.sub(
        lambda found: "".join(f"<U+{ord(c):04X}>" for c in found[0]), text
    )
    return re.sub(r"^ | $", "<U+0020>", inner)


MERMAID = Format(
    "Mermaid", write=lambda s: mermaid_lines(system_pictures(s)), networks=True
)
PLANTUML = Format(
    "PlantUML", write=lambda s: plantuml_lines(system_pictures(s)), networks=True
)
