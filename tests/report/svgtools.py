"""Reads an SVG picture back, by the `id` and `class` of its groups."""

import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass

from symrob.lts import ERROR, Transition

SVG = "{http://www.w3.org/2000/svg}"
KINDS = {
    *("nominal", "internal", "both", "added", "only_first", "only_second", "inert"),
    *("hazardous", "excluded-unsafe", "excluded-safe", "tolerated"),
}


@dataclass(frozen=True)
class Drawn:
    """One group: a state, the line of an edge, a label, a legend."""

    id: str
    classes: frozenset
    lines: tuple
    title: str
    colours: frozenset

    @property
    def text(self):
        return " ".join(line.strip() for line in self.lines)


def read(svg):
    """All groups that have a class."""
    return [
        Drawn(
            group.get("id", ""),
            frozenset(group.get("class").split()),
            tuple(t.text or "" for t in group.findall(f"{SVG}text")),
            group.findtext(f"{SVG}title", ""),
            frozenset(
                colour
                for element in group
                for colour in (element.get("stroke"), element.get("fill"))
                if colour not in (None, "none")
            ),
        )
        for group in ElementTree.fromstring(svg).iter(f"{SVG}g")
        if group.get("class")
    ]


def of_class(groups, name):
    return [d for d in groups if name in d.classes]


def states_of(groups):
    """The names of states by their ids; ERROR too."""
    return {d.id: d.text for d in of_class(groups, "state")}


def transitions_of(groups):
    """What labels say, or the cells of a matrix, by kind."""
    cells = not of_class(groups, "graph")
    found = {}
    for drawn in of_class(groups, "edge" if cells else "label"):
        (kind,) = drawn.classes & KINDS
        ends, named, more = drawn.id.removesuffix("-label").rpartition(f"-{kind}")
        assert (named, more) == (f"-{kind}", "")
        *_, source, target = ends.split("-")
        found.setdefault(kind, []).extend(
            Transition(number(source), action, number(target))
            for action in drawn.text.split(", ")
        )
    for members in found.values():
        assert len(members) == len(set(members)), "nothing is drawn twice"
    return {kind: set(members) for kind, members in found.items()}


def number(state):
    return ERROR if state == "error" else int(state.removeprefix("s"))


def all_of(svg):
    return frozenset().union(*transitions_of(read(svg)).values())
