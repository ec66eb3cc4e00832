"""What a repair is worth: what is lost, what is won, and that it is right.

In:  a `Repair` that changes something.
Out: its `Worth`, as far as the bounds of the run let it be known.

C' is a model like any other, so what it is worth is found by the analyses that any
model gets, and that it is right is checked without BDDs (`certify`).
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace

from symrob.analyses.compare import Comparison, Unassumed, compare, unassumed
from symrob.certify.closed_loop import ExplicitLoop
from symrob.errors import LimitExceeded
from symrob.limits import Stages, Status
from symrob.repair.losses import Losses, losses
from symrob.repair.repair import Repair

# Seconds for checking C' state by state, which is out of reach for large machines.
CHECK_SECONDS = 5.0


@dataclass(frozen=True)
class Worth:
    """What a repair costs and brings; `None` for what is not known.

    Attributes:
        lost: What the plan loses: E as it is.
        lost_with: What is lost with each of the deviations.
        comparison: How C' compares with C, within the assumptions.
        without: The same without them; `None` also where there are none.
        modes: Where fault modes are asked about, in place of a comparison: those that
            C' tolerates alone and C does not.
        checked: Whether C' keeps P with each deviation, state by state; it is asked of
            the model of C', by a search that shares nothing with the repair.
        status: `complete`, or what stopped the last part that was stopped.
        reason: Why it was.
    """

    lost: Losses | None = None
    lost_with: tuple[Losses, ...] | None = None
    comparison: Comparison | None = None
    without: Unassumed | None = None
    modes: tuple[str, ...] | None = None
    checked: bool | None = None
    status: Status = "complete"
    reason: str = ""


def worth(repair: Repair) -> Worth:
    """Return what a repair is worth.

    Args:
        repair: One with guards.

    Cost: an encoding and a search or two for each deviation, a comparison, and at most
        `CHECK_SECONDS`.
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
        with stages, engine.effort.stage("check"):
            found = replace(found, checked=checked(repair))
    if engine.problem.units is not None:
        with stages:
            found = replace(found, modes=_modes_won(repair))
    elif not engine.clock.interrupted:
        with stages, engine.effort.stage("comparison"):
            comparison = compare(repair.repaired, engine)
            found = replace(
                found,
                comparison=comparison,
                without=unassumed(repair.repaired, engine),
                status=comparison.status,
                reason=comparison.reason,
            )
    if stages.status != "complete":
        found = replace(found, status=stages.status, reason=stages.reason)
    return found


def _modes_won(repair: Repair) -> tuple[str, ...]:
    units = repair.engine.problem.units
    assert units is not None
    won = []
    for number, mode in enumerate(units.modes):
        graph = repair.engine.extended(units.added(1 << number))
        if not repair.engine.keeps_properties(graph) and repair.repaired.is_safe(graph):
            won.append(mode.name)
    return tuple(won)


def checked(repair: Repair) -> bool | None:
    """Whether C' keeps P with each deviation, state by state; `None`: too large."""
    problem, clock = repair.repaired.problem, repair.engine.clock
    loop = ExplicitLoop(problem.environment, problem.controller, problem.properties)
    # That it was not enough is no fault of the repair.
    with suppress(LimitExceeded), clock.at_most(CHECK_SECONDS):
        return all(loop.is_safe(d, clock) for d in repair.deviations)
    return None
