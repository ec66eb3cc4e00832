"""What a notebook shows as a page that answers what-ifs.

In:  safety envelopes over one environment.
Out: `Exploration`: what is to be shown; `symrob.notebook` makes the page when it is.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from symrob.envelope.engine import Engine
from symrob.shown import Shown


@dataclass(frozen=True)
class Exploration(Shown):
    """One design, or two to be asked the same.

    Attributes:
        engines: Their problems.
        names: What they are called.
    """

    engines: tuple[Engine, ...] = field(repr=False)
    names: tuple[str, ...]
