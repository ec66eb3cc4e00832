"""The matrix of classes and actions as a picture.

In:  a `ClassMatrix`.
Out: SVG. A row for each class that has candidates, a column for each action; a cell
     counts them by verdict, in the colours of pictures of verdicts.
"""

from __future__ import annotations

from collections.abc import Mapping
from textwrap import wrap
from xml.etree.ElementTree import Element, SubElement

from symrob.analyses.classes import ClassMatrix, Worth
from symrob.errors import LimitExceeded
from symrob.formats.dot import PAPER, Kind, shown
from symrob.problem.classes import CLASSES
from symrob.report.matrix import HEAD, LINE, PAD, box, shaded, size, text, width_of
from symrob.report.svg import document
from symrob.words import PLAIN, Words

# The look of each kind, and what a cell says of it.
_LOOKS: Mapping[Worth, tuple[Kind, str]] = {
    "always": ("tolerated", "always"),
    "contested": ("only_second", "contested"),
    "unknown": ("inert", "tolerated, unknown whether always"),
    "hazardous": ("hazardous", "hazardous"),
    "excluded-unsafe": ("excluded-unsafe", "unsafe, excluded by an assumption"),
    "excluded-safe": ("excluded-safe", "safe, excluded by an assumption"),
    "undecided": ("excluded-safe", "excluded by an assumption"),
}
# Columns of a picture; beyond it no reader finds one again.
MOST_ACTIONS = 100
_CORNER = "class ↓  action →"


def class_picture(matrix: ClassMatrix, title: str, words: Words = PLAIN) -> str:
    """Draw the matrix.

    Args:
        matrix: The counts.
        title: The heading.
        words: What the classes are called.

    Raises:
        LimitExceeded: There are more than `MOST_ACTIONS` actions with candidates.
    """
    kinds = [k for k in CLASSES if any(k == kind for kind, _ in matrix.counts)]
    actions = [a for a in matrix.actions if any(a == b for _, b in matrix.counts)]
    if len(actions) > MOST_ACTIONS:
        raise LimitExceeded(
            f"a picture with {len(actions):,} actions is unreadable (limit: "
            f"{MOST_ACTIONS}); symrob summary --format csv has all of them"
        )
    root = Element("svg")
    SubElement(root, "rect", width="100%", height="100%", fill=PAPER)
    y, width = _heading(root, title)
    heads = {a: wrap(shown(a), 20) or [" "] for a in actions}
    labels = {k: [shown(words.kind(k))] for k in kinds}
    cells = {
        (k, a): _lines(matrix.counts.get((k, a), {})) for k in kinds for a in actions
    }
    first = width_of([_CORNER, *(line for lines in labels.values() for line in lines)])
    wide = {
        a: width_of([*heads[a], *(t for k in kinds for t, _ in cells[k, a])])
        for a in actions
    }
    high = max(map(len, heads.values()), default=1) * LINE + PAD
    box(root, PAD, y, first, high, HEAD)
    text(SubElement(root, "g", {"class": "corner"}), [_CORNER], PAD, y)
    x = PAD + first
    for action in actions:
        box(root, x, y, wide[action], high, HEAD)
        text(SubElement(root, "g", {"class": "column"}), heads[action], x, y)
        x += wide[action]
    right, y = x, y + high
    for kind in kinds:
        high = max(1, *(len(cells[kind, a]) for a in actions)) * LINE + PAD
        box(root, PAD, y, first, high, HEAD)
        text(SubElement(root, "g", {"class": "row"}), labels[kind], PAD, y)
        x = PAD + first
        for number, action in enumerate(actions):
            box(root, x, y, wide[action], high, PAPER)
            place = {"class": f"cell {kind}", "id": f"{kind}-{number}"}
            group = SubElement(root, "g", place)
            for line, (said, look) in enumerate(cells[kind, action]):
                shaded(group, [said], x, y + line * LINE, look)
            x += wide[action]
        y += high
    size(root, max(right, width) + PAD, y + PAD)
    return document(root, title)


def _heading(root: Element, title: str) -> tuple[float, float]:
    """Write the title; return where the matrix begins, and how wide the title is."""
    lines = wrap(shown(f"{title}: added transitions by class and action"), 90)
    head = SubElement(root, "g", {"class": "heading", "font-weight": "bold"})
    text(head, lines, 0, PAD)
    return 2.5 * PAD + len(lines) * LINE, width_of(lines)


def _lines(counts: Mapping[Worth, int]) -> list[tuple[str, Kind]]:
    """What a cell says, a line for each worth that it has, and how that looks."""
    return [
        (f"{counts[worth]:,} {said}", look)
        for worth, (look, said) in _LOOKS.items()
        if counts.get(worth)
    ]
