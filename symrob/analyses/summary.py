"""What each unit is worth: always tolerated, never, or contested.

In:  a `Space`.
Out: a `Summary`.

- *Never*: unsafe alone.
- *Always*: in every maximal tolerated set.
- *Contested*: in some of them only.
- *Inert*: fires in no tolerated set. What is always tolerated and inert can never fire
  at all; what is contested and inert is tolerated only where it cannot fire.

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
    """What forbids units on their own.

    Attributes:
        kind: `constraint` for P_env, `property` for P, `controller` where the
            controller reaches ERROR of its own.
        name: The constraint or property.
        forbids: The units that break it when added alone.
    """

    kind: Literal["constraint", "property", "controller"]
    name: str
    forbids: Many


@dataclass(frozen=True)
class Summary(Shown):
    """What is known of each unit; `never` to `unknown` are all units.

    Attributes:
        about: What the units are of.
        alone: Every unit by its verdict alone; what breaks an assumption may not have
            been looked at further.
        never: Unsafe alone, so in no tolerated set.
        always: In every maximal set.
        contested: In some maximal sets, but not in all.
        unknown: Tolerated alone; whether always, a bound did not let us find out.
        inert: Of those tolerated alone, what fires in no tolerated set.
        inert_unknown: Of those, where a bound did not let us find out.
        reasons: What forbids the units of `never`; they can overlap.
        all_reasons: Whether `reasons` holds every reason of each, or only the first.
        sets: How many maximal sets there are, where all were looked at.
        story: What can hurt, and how; `None` if that was not asked, or not found.
        matrix: The counts by class and action; likewise.
        mattering: Which assumptions matter; likewise.
        side_report: What makes safety cheaper than it looks; likewise.
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
        """How many units there are of each kind."""
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
