"""The complete answer of a repair: one repair, or what can be achieved instead.

In:  an `Engine` whose nominal system is safe, the deviations that must be tolerated (if
     specified), the actions that may be disabled, whether the plan has to be kept.
Out: an `Answer`.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass, replace
from itertools import islice
from typing import ClassVar

from symrob.analyses.fault_mode_space import space_of
from symrob.analyses.space import About
from symrob.envelope.engine import Engine
from symrob.limits import Stages, Status
from symrob.lts import Action, Transition
from symrob.repair.observable import Observable, observable
from symrob.repair.possible import allowed, to_be_had
from symrob.repair.repair import Repair, repair
from symrob.repair.worth import Worth, worth
from symrob.shown import Shown

# Of the maximal sets that can be had, with the guards of each.
MOST_HAD = 3


@dataclass(frozen=True)
class Answer(Shown):
    """The answer of a repair.

    Attributes:
        repair: The repair for all that must be tolerated.
        asked: Whether the user specified what must be tolerated; else it is all that
            the assumptions allow.
        keep_plan: Whether the plan has to be kept.
        worth: The cost and benefit of the repair; `None` if there is none or nothing
            changes.
        had: If the repair is not possible, and the user did not specify what must be
            tolerated: maximal sets that some restriction tolerates, each with its
            repair.
        more: Whether there are further such sets.
        assumed: Whether the actions that may be disabled are only assumed.
        observable: What C would have to observe, if an action is always disabled.
        status: `complete`, or what stopped it.
        reason: Why something is missing.
    """

    schema: ClassVar = "repair/2"
    also: ClassVar = {"controllable": "controllable", "possible": "possible"}

    repair: Repair
    asked: bool
    keep_plan: bool
    worth: Worth | None = None
    had: tuple[Repair, ...] = ()
    more: bool = False
    assumed: bool = False
    observable: Observable | None = None
    status: Status = "complete"
    reason: str = ""

    @property
    def controllable(self) -> frozenset[Action]:
        """The actions of C that may be disabled."""
        return self.repair.controllable

    @property
    def about(self) -> About:
        """What the units belong to, for output."""
        return space_of(self.repair.engine).about

    @property
    def plan_lost(self) -> bool:
        """Whether the plan had to be kept, and no repair keeps it."""
        lost = None if self.worth is None else self.worth.lost
        return self.keep_plan and lost is not None and not lost.nothing

    @property
    def possible(self) -> bool:
        """Whether a repair tolerates all that it must, and the plan keeps its goals."""
        return self.repair.guards is not None and not self.plan_lost and self.useful

    @property
    def useful(self) -> bool:
        """Whether C' loses no goal of the plan, as far as is known."""
        return self.worth is None or not self.worth.goals


def answer(
    engine: Engine,
    deviation: Set[Transition] | None,
    controllable: Set[Action],
    *,
    keep_plan: bool = False,
    most: int = MOST_HAD,
) -> Answer:
    """Find changes that make C tolerate what it must.

    Args:
        engine: The problem, with its preconditions checked.
        deviation: What must be tolerated, all of it together; `None` for each maximal
            deviation that the assumptions allow.
        controllable: The actions of C that may be disabled.
        keep_plan: Whether no trace of E and C as planned may be lost.
        most: Maximum number of achievable maximal sets.

    Raises:
        LimitExceeded: A bound was hit before anything was known.

    Cost: see `repair` and `worth`; that of the first deviations of an envelope if what
        the assumptions allow is not possible.
    """
    asked = deviation is not None
    wanted: Sequence[Set[Transition]]
    wanted = allowed(engine) if deviation is None else [deviation]
    found = repair(engine, wanted, controllable)
    value = None
    if found.guards is not None and not found.needless:
        value = worth(found)
    result = Answer(found, asked, keep_plan, value)
    if value is not None and value.status != "complete":
        result = Answer(
            found, asked, keep_plan, value, status=value.status, reason=value.reason
        )
    if value is not None:
        with Stages(engine.clock):
            result = replace(result, observable=observable(found))
    if asked or (found.guards is not None and not result.plan_lost):
        return result
    sets: list[Repair] = []
    stages = Stages(engine.clock)
    with stages:
        for chosen in islice(
            to_be_had(engine, found.controllable, plan=keep_plan), most + 1
        ):
            sets.append(repair(engine, [chosen], found.controllable))
    return Answer(
        found,
        asked,
        keep_plan,
        value,
        tuple(sets[:most]),
        len(sets) > most,
        status=stages.status,
        reason=stages.reason,
    )
