"""The summary: whether each unit is always, never, or sometimes tolerated.

In:  a `Space`.
Out: a `Summary`.

- *Never*: individually unsafe. - *Always*: in every maximal tolerated set. -
*Contested*: in some of them only. - *Inert*: fires in no tolerated set. A unit that is
always tolerated and inert can never fire at all; one that is contested and inert is
tolerated only if it cannot fire.

Source: docs/sources.md [S1], Def. 5.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar, Literal, get_args

from symrob.analyses.assumptions import Mattering
from symrob.analyses.hazards import Alone
from symrob.analyses.space import About
from symrob.limits import Status
from symrob.problem import Many
from symrob.shown import Shown

if TYPE_CHECKING:
    from symrob.analyses.classes import ClassMatrix, ClassRow
    from symrob.analyses.deadlocks import SideReport
    from symrob.analyses.story import Story


Counted = Literal["always", "contested", "never", "unknown", "inert", "inert_unknown"]


@dataclass(frozen=True)
class Reason:
    """A reason why units are individually unsafe.

    Attributes:
        kind: `constraint` for P_env, `property` for P, `controller` if the controller
            reaches an ERROR of its own.
        name: The constraint or property.
        forbids: The units that individually violate it.
    """

    kind: Literal["constraint", "property", "controller"]
    name: str
    forbids: Many


@dataclass(frozen=True)
class Summary(Shown):
    """The classification of each unit; `never` to `unknown` partition the units.

    Attributes:
        about: What the units belong to, for output.
        alone: All units by their individual verdict; units that violate an assumption
            may not have been judged further.
        never: Individually unsafe, so in no tolerated set.
        always: In every maximal set.
        contested: In some maximal sets, but not in all.
        unknown: Individually tolerated; a bound left open whether always.
        inert: Of the individually tolerated units, those that fire in no tolerated set.
        inert_unknown: Of these, the units for which a bound left this open.
        reasons: The reasons for the units of `never`; they can overlap.
        all_reasons: Whether `reasons` holds every reason of each, or only the first.
        sets: Number of maximal sets, if all were examined.
        story: The main hazards; `None` if not requested, or not found.
        matrix: The counts by class and action; `None` if not requested, or not found.
        mattering: Which assumptions matter; `None` if not requested, or not found.
        side_report: Deadlocks, lost goals and idle properties; `None` if not requested,
            or not found.
        status: `complete`, or what stopped the analysis.
        reason: Why it stopped, as text.
    """

    schema: ClassVar = "summary/5"
    also: ClassVar = {"counts": "counts", "classes": "classes"}

    about: About = field(repr=False, compare=False)
    alone: Alone[Many]
    never: Many
    always: Many
    contested: Many
    unknown: Many
    inert: Many
    inert_unknown: Many
    reasons: tuple[Reason, ...] = ()
    all_reasons: bool = False
    sets: int | None = None
    story: Story | None = None
    matrix: ClassMatrix | None = field(default=None, metadata={"json": False})
    mattering: Mattering | None = None
    side_report: SideReport | None = None
    status: Status = "complete"
    reason: str = ""

    @property
    def counts(self) -> dict[Counted, int]:
        """Number of units of each kind."""
        return {kind: len(getattr(self, kind)) for kind in get_args(Counted)}

    @property
    def classes(self) -> tuple[ClassRow, ...] | None:
        """The counts by class and action, as rows."""
        return None if self.matrix is None else self.matrix.rows

    def __repr__(self) -> str:
        return (
            f"Summary({len(self.always)} always tolerated, {len(self.contested)} "
            f"contested, {len(self.never)} never, {len(self.unknown)} unknown; "
            f"{self.status})"
        )
