"""The what-if page in a notebook.

In:  safety envelopes over one environment.
Out: `Exploration`, the contents; `symrob.notebook` builds the page on display.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from symrob.envelope.engine import Engine
from symrob.shown import Shown


@dataclass(frozen=True)
class Exploration(Shown):
    """The what-if page of one design, or of two side by side.

    Attributes:
        engines: The engines of the designs.
        names: The names of the designs.
    """

    engines: tuple[Engine, ...] = field(repr=False)
    names: tuple[str, ...]
