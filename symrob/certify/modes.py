"""Are maximal sets of fault modes right, by other means than the engine's.

In:  a checked `Problem` with `Units`, and sets of modes.
Out: a `Verification`, as of `check`.

The components are changed and composed anew for each set, and the closed loop is
searched state by state.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

from symrob.certify.check import MOST_CANDIDATES, Fault, Verification
from symrob.certify.closed_loop import ExplicitLoop
from symrob.errors import Diagnostic, SymrobError, Trace
from symrob.limits import Clock
from symrob.lts import Transition
from symrob.lts.masks import bits
from symrob.problem import Problem
from symrob.problem.units import Chosen


def verify_modes(
    problem: Problem,
    sets: Sequence[Sequence[str]],
    deviations: Sequence[frozenset[Transition]],
    clock: Clock,
    *,
    complete: bool = False,
) -> Verification:
    """Check sets of modes: tolerated, maximal, none within another.

    Args:
        problem: The checked problem.
        sets: The modes of each set, by name.
        deviations: What E is said to be with each set.
        clock: Asked now and then whether the run may go on.
        complete: Also check that none is missing, by trying all sets.

    Raises:
        SymrobError: A mode that there is not; or `complete`, and too many modes.
        LimitExceeded: A bound was hit.

    Cost: a composition and a search for each set and for each mode beside it.
    """
    units = problem.units
    assert units is not None
    if complete and len(units) > MOST_CANDIDATES:
        raise SymrobError(
            Diagnostic(
                "verify-complete",
                f"--complete would have to try 2^{len(units)} sets; it does so up to "
                f"2^{MOST_CANDIDATES}",
                hint="without --complete all else is checked",
            )
        )
    result = Verification(deviations=len(sets), complete=complete)
    left_out = 0
    trace = _breaks(problem, 0, clock)
    if trace is not None:
        fault = Fault("nominal", f"the nominal system violates {trace.violated}", trace)
        result.faults.append(fault)
        return result
    chosen = [units.chosen(names) for names in sets]
    planned = problem.environment.visible_transitions
    for number, (each, deviation) in enumerate(zip(chosen, deviations, strict=True), 1):
        if planned | units.added(each) != deviation:
            message = f"deviation {number} is not E with its fault modes"
            result.faults.append(Fault("foreign", message))
        trace = _breaks(problem, each, clock)
        if trace is not None:
            message = f"deviation {number} violates {trace.violated}"
            result.faults.append(Fault("unsafe", message, trace))
            continue
        for m in bits(units.all & ~each):
            if _breaks(problem, each | 1 << m, clock) is None:
                name = units.modes[m].name
                message = f"deviation {number} is not maximal: {name} can be added"
                result.faults.append(Fault("not-maximal", message))
            else:
                left_out += 1
    result.left_out = left_out
    result.faults += _comparable(chosen)
    if complete:
        for missing in _missing(problem, chosen, clock):
            names = ", ".join(units.names(missing)) or "none"
            message = f"a maximal set of fault modes is missing: {names}"
            result.faults.append(Fault("missing", message))
    return result


def _breaks(problem: Problem, chosen: Chosen, clock: Clock) -> Trace | None:
    """The first condition that a set breaks, as a shortest run."""
    assert problem.units is not None
    deviated = problem.units.deviated(problem.environment, chosen)
    for controller, monitors in (
        (None, problem.constraints),
        (problem.controller, problem.properties),
    ):
        trace = ExplicitLoop(deviated, controller, monitors).violation((), clock)
        if trace is not None:
            return trace
    return None


def _comparable(chosen: Sequence[Chosen]) -> list[Fault]:
    return [
        Fault("comparable", f"deviation {number} is contained in deviation {other}")
        for number, one in enumerate(chosen, 1)
        for other, larger in enumerate(chosen, 1)
        if number != other and one & ~larger == 0 and (one != larger or number < other)
    ]


def _missing(problem: Problem, known: Sequence[Chosen], clock: Clock) -> list[Chosen]:
    """The maximal sets that are not known, by trying all, the largest first."""
    assert problem.units is not None
    count, found = len(problem.units), list[Chosen]()
    for size in range(count, -1, -1):
        for members in combinations(range(count), size):
            clock.check()
            chosen = sum(1 << m for m in members)
            if any(chosen & ~other == 0 for other in (*known, *found)):
                continue
            if _breaks(problem, chosen, clock) is None:
                found.append(chosen)
    return found
