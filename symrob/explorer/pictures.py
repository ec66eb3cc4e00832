"""The pictures of a page: E and the components of C, as Graphviz draws them.

In:  systems.
Out: SVG to embed in a page, or `None` if a picture would be unreadable.

A page has several pictures, so the identifier of a state or an edge is `data-id` there
instead of `id`. Colours are those of the page's style sheet.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from xml.etree.ElementTree import Element, tostring

from symrob.errors import printable
from symrob.formats.dot import Picture, lts_picture
from symrob.lts import Action, Lts
from symrob.report.svg import drawn_graphs, is_graph
from symrob.words import PLAIN, Words

# Beyond this a picture takes Graphviz longer than a reader waits, and tells less.
_MOST_TRANSITIONS = 2_000
# What the style sheet says instead.
_LOOKS = {"fill", "stroke", "font-family", "paint-order"}


@dataclass(frozen=True)
class System:
    """A system to be drawn.

    Attributes:
        lts: The system.
        title: What it shows, for a screen reader.
        component: The name of the component, for the words for its states.
        words: Words for states and actions.
        hidden: Actions that are internal to its network.
    """

    lts: Lts
    title: str
    component: str = "E"
    words: Words = PLAIN
    hidden: frozenset[Action] = frozenset()


def pictures(systems: Sequence[System]) -> list[str | None]:
    """Draw systems; `None` for one that would be unreadable.

    Args:
        systems: The systems.

    Raises:
        SymrobError: Graphviz is not installed.

    Cost: as for `symrob.report.svg.drawn_graphs`.
    """
    shown = {
        number: lts_picture(system.lts, hidden=system.hidden)
        for number, system in enumerate(systems)
        if len(system.lts.transitions) <= _MOST_TRANSITIONS
    }
    graphs = {number: found for number, found in shown.items() if is_graph(found)}
    words = [systems[number].words for number in graphs]
    named = [_in_words(found, systems[number]) for number, found in graphs.items()]
    roots = drawn_graphs(named, words, [*graphs.values()])
    drawn = dict(zip(graphs, roots, strict=True))
    return [
        None if (root := drawn.get(number)) is None else _embedded(root, system.title)
        for number, system in enumerate(systems)
    ]


def _in_words(picture: Picture, system: System) -> Picture:
    """The picture with words in place of names; the names stay in its tooltips."""
    words, component = system.words, system.component
    return replace(
        picture,
        states=tuple(
            replace(s, name=words.state(component, s.name)) for s in picture.states
        ),
        edges=tuple(
            replace(e, actions=tuple(map(words.action, e.actions)))
            for e in picture.edges
        ),
    )


def _embedded(root: Element, title: str) -> str:
    """The text of a picture within a page."""
    for element in root.iter():
        element.text = (element.text or "").strip("\n") or None
        element.tail = None
        _restyle(element)
    for size in ("width", "height"):
        root.attrib.pop(size)
    root.set("role", "img")
    name = Element("title")
    name.text = printable(title)
    root.insert(0, name)
    return tostring(root, encoding="unicode")


def _restyle(element: Element) -> None:
    if "id" in element.attrib:
        element.set("data-id", element.attrib.pop("id"))
    for name in _LOOKS & element.attrib.keys():
        del element.attrib[name]
