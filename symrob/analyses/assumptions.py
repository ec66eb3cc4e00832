"""Which assumptions matter, as data; `mattering` computes it.

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
        effect: Whether some deviation violates only this assumption; `None` if unknown.
        alone: Number of units that individually violate only this assumption; `None` if
            unknown.
        unsafe: How many of these violate a property; `None` if unknown.
        sets: Minimal unsafe sets that violate only this assumption, the smallest first,
            at most ten; computed if all assumptions together do not suffice.
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
        about: What the units belong to, for output.
        assumptions: The assumptions.
        suffices: Whether all together exclude every hazardous deviation; `None` if
            unknown.
        sufficient: The minimal sets of assumptions that suffice, by their names; the
            empty set if C is safe without any.
        status: `complete`, or what stopped the run.
        reason: Why something is missing; empty if nothing is.
    """

    about: About = field(compare=False, repr=False)
    assumptions: tuple[Assumption, ...]
    suffices: bool | None = None
    sufficient: tuple[tuple[str, ...], ...] = ()
    status: Status = "complete"
    reason: str = ""
