"""Pictures of repairs: C's components with the guards on them, and the Pareto front.

In:  a `Repair` with guards; `Suggestions`.
Out: `Picture`s for `report.svg`; an SVG document of the front.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from textwrap import wrap
from typing import NamedTuple
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from symrob.formats.dot import (
    FONTS,
    INK,
    PAPER,
    Kind,
    Picture,
    own_kind,
    picture_of,
    shown,
)
from symrob.lts import Lts, StateId
from symrob.repair.components import MEMORY, Guard
from symrob.repair.plant import known_parts
from symrob.repair.repair import Repair
from symrob.repair.suggest import Suggestions
from symrob.report.guards import condition, guard_text
from symrob.report.text import WIDEST, plural

# In points; the list of guards stands below the height.
_WIDTH, _HEIGHT, _LEFT, _RIGHT, _TOP, _BASE = 720, 410, 70, 690, 60, 340
_STEP = 20
_COLOUR = "#b45309"
_LINE = {"fill": "none", "stroke": _COLOUR}


def guard_pictures(repair: Repair) -> list[Picture]:
    """Return a picture of each component of C that a guard restricts or reads.

    Args:
        repair: A repair with guards. If nothing has to change, C is shown unchanged.

    Cost: linear in the transitions of the components.
    """
    assert repair.guards is not None
    guards = repair.guards.guards
    parts = known_parts(repair.engine.problem, repair.engine.clock)
    if repair.guards.memory.size > 1:
        parts.append((MEMORY, repair.guards.memory))
    return [
        _component(name, lts, guards)
        for name, lts in parts
        if not guards or _concerns(name, lts, guards)
    ]


def _concerns(name: str, lts: Lts, guards: tuple[Guard, ...]) -> bool:
    looked_at = {c.component for g in guards for term in g.terms for c in term}
    return name in looked_at or any(g.action in lts.alphabet for g in guards)


def _component(name: str, lts: Lts, guards: tuple[Guard, ...]) -> Picture:
    mine = [g for g in guards if g.action in lts.alphabet]
    guarded = {g.action for g in mine}
    kinds: dict[Kind, str] = {}
    if mine:
        kinds["guarded"] = f"disabled: {'; '.join(map(guard_text, mine))}"
    picture = picture_of(
        lts,
        {t: "guarded" if t.action in guarded else own_kind(t) for t in lts.transitions},
        name,
        kinds,
    )
    states = tuple(
        replace(
            state, name="; ".join([state.name, *_refused_in(name, state.id, guards)])
        )
        for state in picture.states
    )
    return replace(picture, states=states)


def _refused_in(name: str, state: StateId, guards: tuple[Guard, ...]) -> Iterator[str]:
    """What is refused while a component is in a state, and under which conditions."""
    for guard in guards:
        for term in guard.terms:
            if not any(c.component == name and state in c.states for c in term):
                continue
            others = [condition(c) for c in term if c.component != name]
            more = f" if {' and '.join(others)}" if others else ""
            yield f"no {guard.action}{more}"


def front_svg(found: Suggestions, title: str) -> str:
    """Return a picture of the Pareto front: remaining hazards against cost.

    Each dot is a set of guards of the front; the first is the unchanged C. A list below
    explains them. A dot is filled if the plan loses nothing, and filled dots are
    joined.

    Args:
        found: The results.
        title: The heading.
    """
    count = len(found.hazards)
    dots = [_Dot(0, count, "", "no guard")]
    for one in found.front:
        text = "; ".join(guard_text(g) for gs in one.guards for g in gs.guards)
        cost, lost = one.cost, ""
        if cost.loses_trace:
            lost = plural(cost.lost, "step") if cost.lost else "traces but no step"
        dots.append(_Dot(cost.refused, count - len(one.removes), lost, text))
    notes = [line for number, dot in enumerate(dots) for line in dot.note(number)]
    height = _HEIGHT + _STEP * len(notes)
    svg = Element(
        "svg",
        {
            "xmlns": "http://www.w3.org/2000/svg",
            "viewBox": f"0 0 {_WIDTH} {height}",
            "width": str(_WIDTH),
            "height": str(height),
            "font-family": FONTS,
            "font-size": "12",
            "fill": INK,
        },
    )
    SubElement(svg, "rect", {"width": "100%", "height": "100%", "fill": PAPER})
    _text(svg, 16, 24, title, size="14")
    most = 1.05 * max(dot.refused for dot in dots) or 1
    places = [
        (
            _LEFT + (_RIGHT - _LEFT) * dot.refused / most,
            _BASE - (_BASE - _TOP) * dot.left / (1.05 * count or 1),
        )
        for dot in dots
    ]
    _axes(svg, dots, places)
    joined = [at for at, dot in zip(places, dots, strict=True) if not dot.lost]
    steps = "".join(f" H{x:.1f} V{y:.1f}" for x, y in joined[1:])
    path = f"M{joined[0][0]:.1f},{joined[0][1]:.1f}{steps}"
    SubElement(svg, "path", {"d": path, "stroke-dasharray": "4 3", **_LINE})
    for number, ((x, y), dot) in enumerate(zip(places, dots, strict=True)):
        place = {"cx": f"{x:.1f}", "cy": f"{y:.1f}", "r": "5", **_LINE}
        place["fill"] = PAPER if dot.lost else _COLOUR
        SubElement(SubElement(svg, "circle", place), "title").text = shown(dot.text)
        _text(svg, x + 9, y - 6, str(number))
    for row, (mark, line) in enumerate(notes):
        _text(svg, 16, _HEIGHT + _STEP * row, mark)
        _text(svg, 40, _HEIGHT + _STEP * row, line)
    indent(svg)
    return tostring(svg, encoding="unicode") + "\n"


class _Dot(NamedTuple):
    """A set of guards of the front; what the plan loses, in words."""

    refused: int
    left: int
    lost: str
    text: str

    def note(self, number: int) -> Iterator[tuple[str, str]]:
        """What it is, in lines; the first with its number."""
        loses = f"; the plan loses {self.lost}" if self.lost else ""
        left = plural(self.left, "hazardous set")
        states = plural(self.refused, "state")
        head = f"{left} left; disables an action in {states}{loses}: "
        for place, line in enumerate(wrap(head + shown(self.text), WIDEST)):
            yield "" if place else str(number), line


def _axes(svg: Element, dots: list[_Dot], places: list[tuple[float, float]]) -> None:
    """The axes, with the numbers of the dots as far as there is room."""
    axes = {"d": f"M{_LEFT},{_TOP} V{_BASE} H{_RIGHT}", "fill": "none", "stroke": INK}
    SubElement(svg, "path", axes)
    _text(svg, _LEFT, _BASE + 36, "states of C in which an action is disabled \u2192")
    _text(svg, 16, _TOP - 8, "hazardous sets left \u2191")
    across = {round(x): dot.refused for (x, _), dot in zip(places, dots, strict=True)}
    upwards = {round(y): dot.left for (_, y), dot in zip(places, dots, strict=True)}
    for x in _apart(across, 40):
        _text(svg, x - 4, _BASE + 16, f"{across[x]:,}")
    for y in _apart(upwards, 14):
        _text(svg, 16, y + 4, f"{upwards[y]:,}")


def _apart(places: Iterable[int], least: int) -> Iterator[int]:
    """Some of these places, at least so far from each other; the first among them."""
    last = None
    for place in sorted(places):
        if last is None or place - last >= least:
            yield place
            last = place


def _text(svg: Element, x: float, y: float, text: str, *, size: str = "") -> None:
    place = {"x": f"{x:.1f}", "y": f"{y:.1f}"}
    if size:
        place |= {"font-size": size, "font-weight": "bold"}
    SubElement(svg, "text", place).text = text
