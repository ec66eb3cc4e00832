"""Reads an SVG picture back: what it says and where its ink is.

Works on the XML alone and shares nothing with the code that drew it.
"""

import re
import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass, field
from itertools import combinations, pairwise

SVG = "{http://www.w3.org/2000/svg}"


@dataclass(frozen=True)
class Area:
    left: float
    top: float
    right: float
    bottom: float

    def overlaps(self, other, slack=0.0):
        return (
            self.left < other.right - slack
            and other.left < self.right - slack
            and self.top < other.bottom - slack
            and other.top < self.bottom - slack
        )

    def holds(self, point, slack=0.01):
        x, y = point
        return (
            self.left - slack <= x <= self.right + slack
            and self.top - slack <= y <= self.bottom + slack
        )

    def off_border(self, point):
        """How far a point is from the nearest side, if it is on its height."""
        x, y = point
        if not self.holds(point, slack=1.0):
            return float("inf")
        sides = (x - self.left, self.right - x, y - self.top, self.bottom - y)
        return min(map(abs, sides))


@dataclass
class Drawn:
    """One drawn state, edge or label."""

    kind: str
    data: dict
    area: Area | None = None
    lines: list = field(default_factory=list)
    path: list = field(default_factory=list)
    arrow: list = field(default_factory=list)
    colours: set = field(default_factory=set)
    ink: list = field(default_factory=list)
    title: str = ""


def read(svg):
    """Return the root and all groups as (class name, Drawn)."""
    root = ElementTree.fromstring(svg)
    groups = []
    ink = []
    _walk(root, (0.0, 0.0), None, groups, ink)
    return root, groups, ink


def of_class(groups, name):
    return [d for d in groups if name in d.kind.split()]


def crossings(drawn):
    """How many pairs of lines cross."""
    return sum(
        any(
            _cross(*one, *other)
            for one in pairwise(first.path)
            for other in pairwise(second.path)
        )
        for first, second in combinations(drawn, 2)
    )


def _cross(p, q, r, s):
    return _turn(p, q, r) * _turn(p, q, s) < 0 and _turn(r, s, p) * _turn(r, s, q) < 0


def _turn(a, b, c):
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


def view(root):
    x, y, w, h = map(float, root.get("viewBox").split())
    return Area(x, y, x + w, y + h)


def _walk(element, shift, group, groups, ink):
    tag = element.tag.removeprefix(SVG)
    move = re.fullmatch(r"translate\((\S+) (\S+)\)", element.get("transform", ""))
    assert move or "transform" not in element.attrib
    if move:
        shift = (shift[0] + float(move[1]), shift[1] + float(move[2]))
    if tag == "g":
        data = {k: v for k, v in element.attrib.items() if k.startswith("data-")}
        group = Drawn(element.get("class"), data)
        groups.append(group)
    elif tag == "title" and group is not None:
        group.title = element.text or ""
    points = [(x + shift[0], y + shift[1]) for x, y in _points(tag, element)]
    ink.extend(points)
    if group is not None and points:
        _note(group, tag, element, points)
    for child in element:
        _walk(child, shift, group, groups, ink)


def _note(group, tag, element, points):
    group.ink.extend(points)
    if tag == "rect" and group.area is None:
        group.area = Area(*points[0], *points[1])
    elif tag == "path":
        group.path = points
        group.colours.add(element.get("stroke"))
    elif tag == "polygon":
        group.arrow = points
        group.colours.add(element.get("fill"))
    elif tag == "tspan":
        group.lines.append(element.text or "")


def _points(tag, element):
    if tag == "rect":
        x, y = float(element.get("x", 0)), float(element.get("y", 0))
        w, h = float(element.get("width")), float(element.get("height"))
        assert w > 0
        assert h > 0
        return [(x, y), (x + w, y + h)]
    if tag == "circle":
        x, y, r = (float(element.get(a)) for a in ("cx", "cy", "r"))
        return [(x - r, y - r), (x + r, y + r)]
    if tag == "polygon":
        return [tuple(map(float, p.split(","))) for p in element.get("points").split()]
    if tag == "tspan":
        return [(float(element.get("x")), float(element.get("y")))]
    if tag == "path":
        return list(_along(element.get("d")))
    assert tag in {"svg", "g", "title", "text"}, f"unexpected element {tag}"
    return []


def _along(d):
    """Points along a path of M and C commands."""
    for part in re.findall(r"M[^M]+", d):
        start, _, rest = part[1:].partition("C")
        numbers = [float(n) for n in re.split(r"[ ,]+", f"{start} {rest}".strip())]
        points = list(zip(numbers[::2], numbers[1::2], strict=True))
        yield points[0]
        for i in range(0, len(points) - 1, 3):
            p, q, r, s = points[i : i + 4]
            yield from (_bezier(p, q, r, s, k / 32) for k in range(1, 33))


def _bezier(p, q, r, s, t):
    """De Casteljau's construction, one axis after the other."""
    point = []
    for row in zip(p, q, r, s, strict=True):
        while len(row) > 1:
            row = [u + (v - u) * t for u, v in pairwise(row)]
        point.append(row[0])
    return tuple(point)
