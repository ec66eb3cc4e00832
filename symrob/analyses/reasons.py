"""Why candidates are in no deviation: the constraints and properties they violate.

In:  an `Engine` whose nominal system is safe, and its screened candidates.
Out: for each constraint and property the candidates that individually violate it.

Source: docs/sources.md [S1], Def. 5 (condition 1, for single transitions).
"""

from __future__ import annotations

from collections.abc import Iterator

from symrob.analyses.summary import Reason
from symrob.envelope.engine import Engine
from symrob.envelope.exploration import reach
from symrob.envelope.monitors import SymbolicMonitor
from symrob.envelope.screening import Screen
from symrob.envelope.transitions import Candidates
from symrob.lts import ERROR

OWN_ERROR = "the controller's own ERROR"


def first_reasons(engine: Engine, never: Candidates) -> tuple[Reason, ...]:
    """Return the first reason of each candidate, constraints before the closed loop.

    Args:
        engine: The problem.
        never: All candidates that are individually unsafe.

    Returns:
        Reasons with disjoint sets of candidates whose union is `never`. Several
        properties are one reason here.

    Cost: none; screening has found them.
    """
    reasons: list[Reason] = []
    left = never
    for table, part in zip(engine.constraints, engine.safe_sets.ruled_out, strict=True):
        reasons.append(Reason("constraint", table.name, part))
        left = left.without(part)
    names = [m.name for m in engine.problem.properties]
    reasons.append(Reason("property", " or ".join(names), left))
    return tuple(r for r in reasons if len(r.forbids))


def all_reasons(engine: Engine, never: Candidates) -> tuple[Reason, ...]:
    """Return all reasons of each candidate.

    A trace that reaches the controller's own ERROR ends there: a candidate that makes
    it possible has this reason, and no property as a further one.

    Args:
        engine: The problem.
        never: The candidates that are individually unsafe.

    Raises:
        LimitExceeded: A bound was hit.

    Cost: a screening by each constraint and, with a separate encoding, by the closed
        loop with each property.
    """
    reasons = [
        Reason(
            "constraint",
            table.name,
            never.without(Screen(table, engine.nominal, engine.clock).tolerated(never)),
        )
        for table in engine.constraints
    ]
    reasons += _closed_loop_reasons(engine, never)
    return tuple(r for r in reasons if len(r.forbids))


def _closed_loop_reasons(engine: Engine, never: Candidates) -> Iterator[Reason]:
    properties = engine.walked.properties
    can_fail_itself = any(
        target == ERROR
        for component in engine.problem.controller.components
        for _, _, target in component.transitions
    )
    if len(properties) == 1 and not can_fail_itself:
        broken = _broken(engine, engine.closed_loop, never)
        yield Reason("property", properties[0].name, broken)
        return
    left = never
    if can_fail_itself:
        own = _broken(engine, engine.loop_with(()), never)
        left = never.without(own)
        yield Reason("controller", OWN_ERROR, own)
    for monitor in properties:
        broken = _broken(engine, engine.loop_with((monitor,)), left)
        yield Reason("property", monitor.name, broken)


def _broken(
    engine: Engine, monitor: SymbolicMonitor, candidates: Candidates
) -> Candidates:
    """The candidates that the monitor does not tolerate alone."""
    everything = candidates.with_nominal(engine.environment)
    if reach(monitor, everything, engine.clock) is not None:
        return candidates.without(candidates)
    within = reach(monitor, everything, engine.clock, past_error=True)
    screen = Screen(monitor, engine.nominal, engine.clock, within)
    return candidates.without(screen.tolerated(candidates))
