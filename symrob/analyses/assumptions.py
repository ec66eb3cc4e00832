"""Which assumptions matter, as data; `mattering` finds it.

In:  the names of assumptions, and what each excludes.
Out: `Mattering`.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from symrob.analyses.space import About
from symrob.limits import Status
from symrob.problem import UnitSet


@dataclass(frozen=True)
class Assumption:
    """What one assumption excludes.

    Attributes:
        name: `FILE#NAME`, or as the case names it.
        effect: Whether some deviation violates it and no other; `None` if that is
            unknown.
        alone: How many units violate it individually, and no other; likewise.
        unsafe: How many of these violate a property; likewise.
        sets: Minimal unsafe sets that violate it and no other, the smallest first, at
            most ten; looked for where all assumptions together do not suffice.
    """

    name: str
    effect: bool | None = None
    alone: int | None = None
    unsafe: int | None = None
    sets: tuple[UnitSet, ...] = ()


@dataclass(frozen=True)
class Mattering:
    """Which assumptions matter.

    Attributes:
        about: What the units are of.
        assumptions: Each of them.
        suffices: Whether all together exclude every hazardous deviation; `None` if that
            is not known.
        sufficient: The minimal sets of assumptions that suffice, by their names; the
            empty one where C is safe without any.
        status: `complete`, or what stopped the run.
        reason: Why something is missing; empty if nothing is.
    """

    about: About = field(compare=False, repr=False)
    assumptions: tuple[Assumption, ...]
    suffices: bool | None = None
    sufficient: tuple[tuple[str, ...], ...] = ()
    status: Status = "complete"
    reason: str = ""
