"""Are maximal sets of fault modes right, by other means than the engine's.

In:  a checked `Problem` with `Units`, or one for each independent part, and sets of
     modes.
Out: a `Verification`, as of `check`.

The components are changed and composed anew for each set, and the closed loop is
searched state by state; of parts those that the set changes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations, islice

from symrob.certify.check import MOST_CANDIDATES, Fault, Verification
from symrob.certify.closed_loop import ExplicitLoop
from symrob.errors import Diagnostic, SymrobError, Trace
from symrob.limits import Clock
from symrob.lts import Transition
from symrob.lts.masks import bits
from symrob.problem import Problem
from symrob.problem.units import Chosen, Units


def verify_modes(
    problems: Sequence[Problem],
    units: Units,
    sets: Sequence[Sequence[str]],
    deviations: Sequence[frozenset[Transition]] | None,
    clock: Clock,
    *,
    complete: bool = False,
) -> Verification:
    """Check sets of modes: tolerated, maximal, none within another.

    Args:
        problems: The checked problem, or that of each part.
        units: The modes; of parts those of the first part first.
        sets: The modes of each set, by name.
        deviations: What E is said to be with each set; `None` where E is in parts.
        clock: Asked now and then whether the run may go on.
        complete: Also check that none is missing, by trying all sets.

    Raises:
        SymrobError: A mode that there is not; or `complete`, and too many modes.
        LimitExceeded: A bound was hit.

    Cost: a composition and a search for each set and for each mode beside it.
    """
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
    trace = _breaks(problems, 0, clock)
    if trace is not None:
        fault = Fault("nominal", f"the nominal system violates {trace.violated}", trace)
        result.faults.append(fault)
        return result
    chosen = [units.chosen(names) for names in sets]
    for number, each in enumerate(chosen, 1):
        if deviations is not None:
            planned = problems[0].environment.visible_transitions
            if planned | units.added(each) != deviations[number - 1]:
                message = f"deviation {number} is not E with its fault modes"
                result.faults.append(Fault("foreign", message))
        trace = _breaks(problems, each, clock)
        if trace is not None:
            message = f"deviation {number} violates {trace.violated}"
            result.faults.append(Fault("unsafe", message, trace))
            continue
        for m in bits(units.all & ~each):
            if _breaks(problems, each | 1 << m, clock, 1 << m) is None:
                name = units.modes[m].name
                message = f"deviation {number} is not maximal: {name} can be added"
                result.faults.append(Fault("not-maximal", message))
            else:
                left_out += 1
    result.left_out = left_out
    result.faults += _comparable(chosen, clock)
    if complete:
        for missing in _missing(problems, len(units), chosen, clock):
            names = ", ".join(units.names(missing)) or "none"
            message = f"a maximal set of fault modes is missing: {names}"
            result.faults.append(Fault("missing", message))
    return result


def each_mode_alone(
    problems: Sequence[Problem], units: Units, clock: Clock
) -> tuple[set[str], set[str]]:
    """Judge each mode alone.

    Args:
        problems: As of `verify_modes`; the nominal system is safe.
        units: The modes; likewise.
        clock: Asked now and then whether the run may go on.

    Returns:
        Those that break a constraint, and those that break a property.

    Raises:
        LimitExceeded: A bound was hit.

    Cost: a composition and two searches for each mode.
    """
    found: tuple[set[str], set[str]] = set(), set()
    for m, mode in enumerate(units.modes):
        for kind, loop in _loops(problems, 1 << m, 1 << m):
            if loop.violation((), clock) is not None:
                found[kind].add(mode.name)
    return found


def _breaks(
    problems: Sequence[Problem], chosen: Chosen, clock: Clock, new: Chosen = -1
) -> Trace | None:
    """The first condition that a set breaks, as a run; `new` as of `_loops`."""
    for _, loop in _loops(problems, chosen, new):
        trace = loop.violation((), clock)
        if trace is not None:
            return trace
    return None


def _loops(
    problems: Sequence[Problem], chosen: Chosen, new: Chosen
) -> Iterator[tuple[int, ExplicitLoop]]:
    """What a set of modes can break: 0 and the constraints, 1 and the properties.

    With -1 for `new` those of all parts; else of those that these modes change.
    """
    for problem in problems:
        units = problem.units
        assert units is not None
        own, chosen = chosen & units.all, chosen >> len(units)
        touched, new = bool(new & units.all), new >> len(units)
        if not touched and len(units):
            continue
        deviated = units.deviated(problem.environment, own)
        yield 0, ExplicitLoop(deviated, None, problem.constraints)
        yield 1, ExplicitLoop(deviated, problem.controller, problem.properties)


def _comparable(chosen: Sequence[Chosen], clock: Clock) -> Iterator[Fault]:
    """Each that another holds, or an earlier one is equal to; told once."""
    for number, one in enumerate(chosen, 1):
        clock.check()
        holding = (
            other
            for other, larger in enumerate(chosen, 1)
            if one & ~larger == 0 and (one != larger or other < number)
        )
        for other in islice(holding, 1):
            message = f"deviation {number} is contained in deviation {other}"
            yield Fault("comparable", message)


def _missing(
    problems: Sequence[Problem], count: int, known: Sequence[Chosen], clock: Clock
) -> list[Chosen]:
    """The maximal sets that are not known, by trying all, the largest first."""
    found = list[Chosen]()
    for size in range(count, -1, -1):
        for members in combinations(range(count), size):
            clock.check()
            chosen = sum(1 << m for m in members)
            if any(chosen & ~other == 0 for other in (*known, *found)):
                continue
            if _breaks(problems, chosen, clock) is None:
                found.append(chosen)
    return found
