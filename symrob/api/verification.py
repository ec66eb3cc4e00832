"""Checking a result file against its models.

In:  a file that `symrob compute --format json` printed, and a case.
Out: a `Verification`: the verdict of `certify`, which searches state by state.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import replace
from typing import Any

from symrob.api.loading import Roles, load_roles
from symrob.api.parts import Part, split
from symrob.api.stages import pose
from symrob.case import Case
from symrob.case.results import (
    COMPACT,
    load_result,
    read_deviations,
    read_mode_sets,
    read_tolerated,
    require_modes,
    same,
)
from symrob.certify.check import (
    ExplicitModes,
    ExplicitSpace,
    ExplicitTransitions,
    Fault,
    Verification,
    verify,
)
from symrob.doing import Doing
from symrob.errors import Diagnostic
from symrob.limits import Clock
from symrob.lts import Lts, Transition
from symrob.options import Options
from symrob.problem import Problem, budget_of
from symrob.problem.units import Units, joined
from symrob.verdicts import of_today


def verify_result(
    path: str, case: Case, options: Options, complete: bool = False
) -> tuple[tuple[Diagnostic, ...], Lts, Verification]:
    """Check a result file against its models.

    Args:
        path: The output of `symrob compute --format json`.
        case: The models.
        options: How to read them.
        complete: Also check that no deviation is missing.

    Returns:
        The warnings, E for the names of its states, and the result of the check.

    Raises:
        SymrobError: The file is not a result, or is about another environment.
        LimitExceeded: A bound was hit.
    """
    roles = load_roles(case, options.limits)
    clock = Clock(options.limits, spent=roles.seconds)
    data = load_result(path)
    if parts := split(roles, options):
        return _verify_parts(roles, parts, data, path, options, clock, complete)
    problem = pose(roles, options, clock)
    environment, warnings = problem.environment, problem.warnings
    units, figures = problem.units, {"environment_states": environment.size}
    deviations = None
    if units is not None and data["schema"] == COMPACT:
        # It names the modes alone.
        require_modes(data, units, environment, path)
    else:
        deviations = read_deviations(data, environment, path)
        figures["largest"] = max(map(len, deviations), default=0)
    space: ExplicitSpace = ExplicitTransitions(problem)
    claimed: Sequence[Any] = deviations or ()
    if units is not None:
        space = ExplicitModes([problem], units, deviations)
        claimed = read_mode_sets(data, path)
    with Doing("checking the result"):
        done = verify(space, claimed, clock, complete=complete)
    figures["candidates"] = len(space.units)
    _compare_shown(data, problem, units, figures, done)
    # Of these nothing is compared.
    if units is None:
        _require_none(data, ("delta_modes",), done)
        tolerated = read_tolerated(data, environment)
        _compare_alone(space, data, done, clock, tolerated)
    else:
        if units.modes:
            _require_none(data, ("tolerated",), done)
        _compare_alone(space, data, done, clock)
    return warnings, environment, done


def _compare_shown(
    data: Mapping[str, Any],
    problem: Problem,
    units: Units | None,
    figures: dict[str, int],
    done: Verification,
) -> None:
    """Compare what the result shows beside its deviations; note all that is wrong.

    Args:
        data: The result.
        problem: What it is of; where E is in parts, any of these.
        units: All fault modes.
        figures: What its statistics are.
        done: Takes the faults.
    """
    if not done.is_of_safe_plan:
        return
    if not done.deviations and data.get("status", "complete") == "complete":
        message = "the result has no deviation, but the nominal system is safe"
        done.faults.append(Fault("missing", message))
    figures["delta"] = done.deviations
    shown = data.get("statistics")
    for name, figure in figures.items():
        theirs = shown.get(name, figure) if isinstance(shown, Mapping) else figure
        if not same(theirs, figure):
            message = f"the result has {name} = {theirs!r:.40}, expected {figure}"
            done.faults.append(Fault("shown", message))
    among, budget = problem.among, budget_of(problem.at_most, units)
    asked = {
        "among": None if among is None else sorted(map(list, among)),
        "modes": None if units is None else units.held(),
        "at_most": None if budget is None else budget._asdict(),
    }
    for name, ours in asked.items():
        if data.get(name) != ours:
            message = f"'{name}' of the result differs from the case"
            done.faults.append(Fault("shown", message))


def _require_none(
    data: Mapping[str, Any], names: Sequence[str], done: Verification
) -> None:
    """Note what a result of the case does not have."""
    for name in names:
        if data.get(name) is not None:
            message = f"the result has '{name}', which the case lacks"
            done.faults.append(Fault("shown", message))


def _compare_alone(
    space: ExplicitSpace,
    data: Mapping[str, Any],
    done: Verification,
    clock: Clock,
    tolerated: frozenset[Transition] | None = None,
) -> None:
    """Compare what the result says of each unit alone, where it does."""
    if not done.is_of_safe_plan or data.get("verdicts") is tolerated is None:
        return
    broken, hurt = space.alone(clock)
    safe = frozenset(space.units) - broken - hurt
    if tolerated is not None and tolerated - space.planned != safe:
        message = "'tolerated' of the result is wrong"
        done.faults.append(Fault("shown", message))
    _compare_verdicts(data, len(safe), broken, hurt, done)


def _compare_verdicts(
    data: Mapping[str, Any],
    tolerated: int,
    broken: Set[Any],
    hurt: Set[Any],
    done: Verification,
) -> None:
    """Compare how many have each verdict with what breaks what."""
    figures = {
        "tolerated": tolerated,
        "hazardous": len(hurt - broken),
        "excluded-unsafe": len(hurt & broken),
        "excluded-safe": len(broken - hurt),
        "undecided": 0,
    }
    if data.get("verdicts") is not None and not _fits(data["verdicts"], figures):
        message = f"'verdicts' of the result are wrong; expected {figures}"
        done.faults.append(Fault("shown", message))


def _fits(verdicts: object, figures: dict[str, int]) -> bool:
    """Whether verdicts are right; `undecided` is of what breaks a constraint."""
    if not isinstance(verdicts, Mapping):
        return False
    verdicts = of_today(verdicts)
    if {*verdicts} != {*figures}:
        return False
    if not all(type(count) is int and count >= 0 for count in verdicts.values()):
        return False
    less = "excluded-unsafe", "excluded-safe"
    open_ = sum(figures[name] - verdicts[name] for name in less)
    return verdicts["undecided"] == open_ and all(
        verdicts[name] <= figure if name in less else verdicts[name] == figure
        for name, figure in figures.items()
        if name != "undecided"
    )


def _verify_parts(
    roles: Roles,
    parts: Sequence[Part],
    data: Mapping[str, Any],
    path: str,
    options: Options,
    clock: Clock,
    complete: bool,
) -> tuple[tuple[Diagnostic, ...], Lts, Verification]:
    """Check sets of modes of an E in parts; its states have no names."""
    problems = [pose(part, replace(options, strict=False), clock) for part, _ in parts]
    own = [problem.units for problem in problems if problem.units is not None]
    model = roles.environment.model
    units = joined(zip(own, (p for _, p in parts), strict=True), model)
    require_modes(data, units, model, path)
    space = ExplicitModes(problems, units)
    done = verify(space, read_mode_sets(data, path), clock, complete=complete)
    _compare_shown(data, problems[0], units, {"candidates": len(units)}, done)
    _require_none(data, ("delta", "tolerated"), done)
    _compare_alone(space, data, done, clock)
    return roles.warnings, problems[0].environment, done
