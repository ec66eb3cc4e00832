"""Mermaid state diagrams (`.mmd`), written only: for pages that draw them.

In:  `Picture`s, or a system.
Out: one `stateDiagram-v2`; several pictures are states side by side in it.

Each transition has a line of its own, so that a diagram holds the whole system. Its
lines have no colours: what is no ordinary transition has a mark before its action,
which the diagram explains. Characters with a meaning for Mermaid are written `#N;`.

Sources: docs/sources.md [Mermaid].
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from symrob.formats.dot import Kind, Picture, state_id, system_pictures
from symrob.formats.registry import Format, Text
from symrob.lts import ERROR, Lts, Network

MARKS: dict[Kind, str] = {
    "nominal": "",
    "internal": "",
    "both": "= ",
    "added": "+ ",
    "only_first": "1 ",
    "only_second": "2 ",
    "inert": "- ",
    "hazardous": "! ",
    "assumed-away": "? ",
    "outside-assumptions": "x ",
    "tolerated": "+ ",
}
"""What stands before the actions of each kind."""

_SPECIAL = re.compile(r"[^\w .,()+*/=|!?'-]", re.ASCII)


def mermaid_lines(pictures: Sequence[Picture], title: str = "") -> Iterator[str]:
    """Yield the lines of a diagram.

    Args:
        pictures: What it shows, at least one.
        title: What several are called together.

    Cost: linear in the pictures.
    """
    title = title if len(pictures) > 1 else pictures[0].title
    if title:
        yield from ("---", f"title: {_quoted(title)}", "---")
    yield "stateDiagram-v2"
    if len(pictures) == 1:
        yield from _statements(pictures[0], "", "  ")
    else:
        for number, picture in enumerate(pictures, 1):
            yield f'  state "{_text(picture.title or str(number))}" as p{number} {{'
            yield from _statements(picture, f"p{number}_", "    ")
            yield "  }"
    yield "  classDef error fill:#fde8e8,stroke:#b42318,color:#b42318"


def _statements(picture: Picture, prefix: str, pad: str) -> Iterator[str]:
    for state in picture.states:
        name = prefix + state_id(state.id)
        yield f'{pad}state "{_text(state.name)}" as {name}'
        if state.initial:
            yield f"{pad}[*] --> {name}"
        if state.end:
            yield f"{pad}{name} --> [*]"
        if state.id == ERROR:
            yield f"{pad}class {name} error"
    for edge in picture.edges:
        ends = f"{prefix}{state_id(edge.source)} --> {prefix}{state_id(edge.target)}"
        for action in edge.actions:
            yield f"{pad}{ends} : {MARKS[edge.kind]}{_text(action)}"
    if picture.legend:
        yield f"{pad}note left of {prefix}s0"
        for kind, meaning in picture.legend:
            if MARKS[kind]:
                yield f"{pad}  {MARKS[kind]}{_text(meaning)}"
        yield f"{pad}end note"


def _text(text: str) -> str:
    """A text with what has a meaning for Mermaid written as numbers."""
    inner = _SPECIAL.sub(lambda found: f"#{ord(found[0])};", text)
    # Blanks at the ends would be cut off.
    return re.sub(r"^ | $", "#32;", inner)


def _quoted(text: str) -> str:
    return '"' + re.sub(r"[^\w .,:()-]", " ", text, flags=re.ASCII) + '"'


def _write(system: Lts | Network) -> Text:
    return list(mermaid_lines(system_pictures(system))), ()


FORMAT = Format("Mermaid", write=_write, networks=True)
