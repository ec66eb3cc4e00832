"""The cost and benefit of a repair, and a check that it is correct.

In:  a `Repair` that changes something.
Out: its `Worth`, as far as the bounds of the run allow.

C' is a model like any other, so the usual analyses compute its worth, and an explicit
search without BDDs checks that it is correct (`certify`).
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace

from symrob.analyses.compare import Comparison, Unassumed, compare, unassumed
from symrob.analyses.fault_mode_space import space_of
from symrob.analyses.progress import LostGoal
from symrob.analyses.space import Space
from symrob.certify.local import is_safe
from symrob.errors import LimitExceeded
from symrob.limits import Stages, Status
from symrob.repair.losses import Losses, losses
from symrob.repair.repair import Repair


@dataclass(frozen=True)
class Worth:
    """The cost and benefit of a repair; `None` stands for unknown.

    Attributes:
        lost: What is lost with the nominal E.
        lost_with: What is lost with each of the deviations.
        goals: The goals of the plan that C' loses with the nominal E.
        goals_with: For each of the deviations the goals of the plan that C' loses.
        comparison: How C' compares with C, within the assumptions.
        without: The same without them; `None` also if there are none.
        checked: Whether C' satisfies P with each deviation, checked on the model of C'
            by an explicit search that shares no code with the repair.
        status: `complete`, or what stopped the last part that was stopped.
        reason: Why it was stopped.
    """

    lost: Losses | None = None
    lost_with: tuple[Losses, ...] | None = None
    goals: tuple[LostGoal, ...] | None = None
    goals_with: tuple[tuple[LostGoal, ...], ...] | None = None
    comparison: Comparison | None = None
    without: Unassumed | None = None
    checked: bool | None = None
    status: Status = "complete"
    reason: str = ""


def worth(repair: Repair) -> Worth:
    """Return the cost and benefit of a repair.

    Args:
        repair: A repair with guards.

    Cost: an encoding and a search or two for each deviation, a comparison, and at most
        the budget `repair-check`.
    """
    assert repair.guards is not None
    engine, guards = repair.engine, repair.guards.components
    found = Worth()
    stages = Stages(engine.clock)
    with stages, engine.effort.stage("losses"):
        found = replace(found, lost=losses(engine, guards))
        with_them = tuple(losses(engine, guards, d) for d in repair.deviations)
        found = replace(found, lost_with=with_them)
    if not engine.clock.interrupted:
        with stages, engine.effort.stage("goals"):
            found = _with_goals(repair, found)
    if not engine.clock.interrupted:
        with stages, engine.effort.stage("check"):
            found = replace(found, checked=checked(repair))
    if not engine.clock.interrupted:
        with stages, engine.effort.stage("comparison"):
            found = _compared(repair, found)
    if stages.status != "complete":
        found = replace(found, status=stages.status, reason=stages.reason)
    return found


def _with_goals(repair: Repair, found: Worth) -> Worth:
    """Add the goals of the plan that C' loses, with their traces."""
    better, plan = space_of(repair.repaired).progress, space_of(repair.engine).progress
    lost = better.losing_of(plan)
    brought = map(repair.engine.brought_by, repair.deviations)
    with_them = tuple(better.losing_of(plan, [added]) for added in brought)
    for one in (*lost, *(goal for goals in with_them for goal in goals)):
        # Kept in it.
        _ = one.traces
    return replace(found, goals=lost, goals_with=with_them)


def _compared(repair: Repair, found: Worth) -> Worth:
    """Add how C' compares with C, in the units that are asked about."""
    better, asked = space_of(repair.repaired), space_of(repair.engine)
    comparison = compare(better, asked)
    without = _unassumed(repair, better, asked)
    return replace(
        found,
        comparison=comparison,
        without=without,
        status=comparison.status,
        reason=comparison.reason,
    )


def _unassumed(repair: Repair, better: Space, asked: Space) -> Unassumed | None:
    """How C' compares with C without the assumptions.

    C' tolerates what C does, for it does nothing that C does not do. So it is more
    robust if C breaks under something that was asked for and is asked about.
    """
    engine, wanted = repair.engine, repair.deviations
    if engine.problem.units is None and engine.constraints:
        among = engine.problem.among
        known = wanted if among is None else [d for d in wanted if d <= {*among}]
        graphs = (engine.extended(engine.brought_by(d)) for d in known)
        if not all(map(engine.keeps_properties, graphs)):
            return Unassumed("more", "complete", "")
    return unassumed(better, asked)


def checked(repair: Repair) -> bool | None:
    """Whether C' satisfies P with each deviation; `None` if too large to check."""
    problem, clock = repair.repaired.problem, repair.engine.clock
    # That it was not enough is no fault of the repair.
    with suppress(LimitExceeded), clock.step("repair-check"):
        return all(is_safe(problem, d, clock) for d in repair.deviations)
    return None
