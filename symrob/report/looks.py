"""Colours and lines of pictures, one place for SVG and DOT.

Grey is what the environment or both designs have, green what a deviation or
the first design adds, as in the paper's figures ([S1], Fig. 3 and 8); purple
is the second design. Colours that stand for different kinds differ in
lightness or in dashes too, for readers who do not see the hues.
"""

from __future__ import annotations

from dataclasses import dataclass

from symrob.report.picture import Kind

INK = "#1f2933"
PAPER = "#ffffff"


@dataclass(frozen=True)
class Look:
    """How edges of one kind look.

    Attributes:
        colour: Colour of line and arrow head.
        stroke: Width of the line in pixels.
        dashes: Lengths of dashes and gaps in pixels; empty for a full line.
    """

    colour: str
    stroke: float
    dashes: str = ""


LOOKS: dict[Kind, Look] = {
    "nominal": Look("#374151", 1.8),
    "internal": Look("#374151", 1.3, "1.5 3"),
    "both": Look("#8b95a1", 1.5),
    "added": Look("#12823b", 1.5),
    "only_first": Look("#12823b", 1.8),
    "only_second": Look("#a8327f", 1.8, "7 2.5"),
    "inert": Look("#a3adb8", 1.0, "4 4"),
}


def label_colour(kind: Kind) -> str:
    """Return the colour of a label: that of its edge, darker where faint."""
    return {"both": "#5f6b78", "inert": "#6b7783"}.get(kind, LOOKS[kind].colour)


def state_colours(error: bool) -> tuple[str, str]:
    """Return the colours of a state: its ground, its line and name."""
    return ("#fde8e8", "#b42318") if error else ("#f3f6fa", INK)
