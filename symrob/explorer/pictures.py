"""The pictures of a page: E and the components of C, as Graphviz draws them.

In:  systems.
Out: SVG to be put into a page, or `None` where a picture cannot be followed.

In a page several pictures stand side by side, so what documents call a state or an
edge is no `id` there but `data-id`. Colours are those of the page's style sheet.
"""

from __future__ import annotations

from xml.etree.ElementTree import Element, fromstring, tostring

from symrob.formats.dot import lts_picture
from symrob.lts import Action, Lts
from symrob.report.svg import drawn, is_graph
from symrob.words import PLAIN, Words

_SVG = "http://www.w3.org/2000/svg"
# Beyond this a picture takes Graphviz longer than a reader waits, and tells less.
_MOST_TRANSITIONS = 2_000
# What the style sheet says instead.
_LOOKS = {"fill", "stroke", "font-family", "paint-order"}


def picture(
    lts: Lts,
    title: str,
    words: Words = PLAIN,
    hidden: frozenset[Action] = frozenset(),
) -> str | None:
    """Draw a system; `None` if nobody could follow its edges.

    Args:
        lts: The system.
        title: What it shows, for a screen reader.
        words: What the states of E and the actions are called.
        hidden: Actions that are internal to the network it is a part of.

    Raises:
        SymrobError: Graphviz is not installed.

    Cost: a tenth of a second for most.
    """
    if len(lts.transitions) > _MOST_TRANSITIONS:
        return None
    shown = lts_picture(lts, hidden=hidden)
    if not is_graph(shown):
        return None
    root = fromstring(drawn([shown], words=words))
    if root.find(f"{{{_SVG}}}g[@class='graph']") is None:
        # Graphviz took too long, and a matrix stands in its place.
        return None
    for element in root.iter():
        element.tag = element.tag.removeprefix(f"{{{_SVG}}}")
        element.text = (element.text or "").strip("\n") or None
        element.tail = None
        _restyle(element)
    name = root.find("title")
    assert name is not None
    name.text = title
    for size in ("width", "height"):
        root.attrib.pop(size)
    return tostring(root, encoding="unicode")


def _restyle(element: Element) -> None:
    if "id" in element.attrib:
        element.set("data-id", element.attrib.pop("id"))
    for name in _LOOKS & element.attrib.keys():
        del element.attrib[name]
