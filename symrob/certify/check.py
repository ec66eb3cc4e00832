"""Checks a result against the definition, without BDDs and without a solver.

In:  a checked `Problem`, and deviations that are said to be its envelope.
Out: a `Verification`: every fault found, and for each transition that a
     deviation lacks a shortest run that adding it would allow.

What it stands on is `closed_loop` alone, so a fault of the symbolic engine cannot
hide here. That no deviation is missing is checked only on demand, by
trying all sets.

Source: docs/sources.md [S1], Def. 5 (conditions 1, 3, 4; 2 on demand).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from symrob.certify.closed_loop import ExplicitLoop, Rows, with_one
from symrob.certify.exhaustive import every_maximal
from symrob.certify.leaving import harmful
from symrob.errors import Diagnostic, SymrobError, Trace
from symrob.limits import Clock
from symrob.lts import Lts, Transition
from symrob.problem import Problem

# Trying all sets of so many transitions takes minutes.
MOST_CANDIDATES = 16
# A run is found for each transition that a deviation lacks, if these times its own are
# at most so many.
MOST_STEPS = 10_000_000


@dataclass(frozen=True)
class Fault:
    """One thing that is wrong with a result.

    Attributes:
        kind: `nominal`, `foreign`, `unsafe`, `not-maximal`, `comparable`,
            `missing`, or `shown`: not of a deviation, but of what stands beside.
        message: What is wrong, by the numbers of the deviations, from 1.
        trace: The run that shows it, where there is one.
    """

    kind: str
    message: str
    trace: Trace | None = None


@dataclass
class Verification:
    """What checking a result gave.

    Attributes:
        faults: Everything that is wrong.
        deviations: Number of deviations checked.
        certificates: For each deviation and each transition it lacks, the
            shortest run that adding it would allow.
        without_run: How many more cannot be added: where a search for each would take
            long, those that are judged together.
        complete: Whether it was checked that no deviation is missing.
        left_out: Where fault modes are asked about: for how many modes, of all
            deviations together, it was found that they cannot be added; else `None`.
    """

    faults: list[Fault] = field(default_factory=list)
    deviations: int = 0
    certificates: dict[tuple[int, Transition], Trace] = field(default_factory=dict)
    without_run: int = 0
    complete: bool = False
    left_out: int | None = None

    @property
    def is_of_safe_plan(self) -> bool:
        """Whether the nominal system is safe."""
        return not any(fault.kind == "nominal" for fault in self.faults)

    @property
    def correct(self) -> bool:
        """Whether no fault was found."""
        return not self.faults


def verify(
    problem: Problem,
    deviations: Sequence[frozenset[Transition]],
    clock: Clock,
    *,
    complete: bool = False,
) -> Verification:
    """Check deviations: robust, feasible, maximal, none within another.

    Args:
        problem: The checked problem; its nominal system may be unsafe.
        deviations: With R_E in them.
        clock: Asked now and then whether the run may go on.
        complete: Also check that none is missing, by trying all sets.

    Raises:
        SymrobError: `complete`, but there are too many sets to try.
        LimitExceeded: A bound was hit.

    Cost: a search of the explicit closed loop for each deviation and for each
        transition that it lacks; where these are many, one for most of them.
    """
    environment = problem.environment
    if complete:
        _require_few_candidates(problem)
    nominal = environment.visible_transitions
    everything = nominal.union(problem.candidates)
    result = Verification(deviations=len(deviations))
    loops = (
        ExplicitLoop(environment, None, problem.constraints),
        ExplicitLoop(environment, problem.controller, problem.properties),
    )
    trace = _breaks(loops, loops[0].rows(nominal), clock)
    if trace is not None:
        fault = Fault("nominal", f"the nominal system violates {trace.violated}", trace)
        result.faults.append(fault)
        return result
    for number, deviation in enumerate(deviations, 1):
        faults = list(_belongs(number, deviation, nominal, everything))
        result.faults += faults
        if faults:
            continue
        rows = loops[0].rows(deviation)
        trace = _breaks(loops, rows, clock)
        if trace is not None:
            message = f"deviation {number} violates {trace.violated}"
            result.faults.append(Fault("unsafe", message, trace))
            continue
        lacking = everything - deviation
        if len(lacking) * len(deviation) > MOST_STEPS:
            for loop in loops:
                plain = harmful(loop, rows, lacking, clock)
                result.without_run += len(plain)
                lacking -= plain
        for transition in sorted(lacking):
            trace = _breaks(loops, with_one(rows, transition), clock)
            if trace is None:
                shown = _shown(environment, transition)
                message = f"deviation {number} is not maximal: {shown} can be added"
                result.faults.append(Fault("not-maximal", message))
            else:
                result.certificates[number, transition] = trace
    result.faults += _comparable(deviations, clock)
    if complete:
        result.faults += _compare_with_all(problem, deviations, clock)
        result.complete = True
    return result


def each_alone(
    problem: Problem, clock: Clock
) -> tuple[set[Transition], set[Transition]]:
    """Judge each candidate alone.

    Args:
        problem: The checked problem; its nominal system is safe.
        clock: Asked now and then whether the run may go on.

    Returns:
        Those that break a constraint, and those that break a property.

    Raises:
        LimitExceeded: A bound was hit.

    Cost: that of `harmful`.
    """
    environment, candidates = problem.environment, problem.candidates
    loops = (
        ExplicitLoop(environment, None, problem.constraints),
        ExplicitLoop(environment, problem.controller, problem.properties),
    )
    rows = loops[0].rows(environment.visible_transitions)
    rules = candidates if problem.constraints else ()
    broken = harmful(loops[0], rows, rules, clock)
    return broken, harmful(loops[1], rows, candidates, clock)


def _require_few_candidates(problem: Problem) -> None:
    count = len(problem.candidates)
    if count > MOST_CANDIDATES:
        raise SymrobError(
            Diagnostic(
                "verify-complete",
                f"--complete would have to try 2^{count} sets; it does so up to "
                f"2^{MOST_CANDIDATES}",
                hint="without --complete all else is checked",
            )
        )


def _breaks(loops: Iterable[ExplicitLoop], rows: Rows, clock: Clock) -> Trace | None:
    """The first condition that a deviation breaks, as a shortest run."""
    for loop in loops:
        trace = loop.violation_in(rows, clock)
        if trace is not None:
            return trace
    return None


def _belongs(
    number: int,
    deviation: frozenset[Transition],
    nominal: frozenset[Transition],
    everything: frozenset[Transition],
) -> Iterator[Fault]:
    foreign = deviation - everything
    if foreign:
        example = min(foreign, key=repr)
        yield Fault(
            "foreign", f"deviation {number} has {tuple(example)}, which is no candidate"
        )
    lacking = nominal - deviation
    if lacking:
        yield Fault("nominal", f"deviation {number} lacks {tuple(min(lacking))} of R_E")


def _comparable(
    deviations: Sequence[frozenset[Transition]], clock: Clock
) -> Iterator[Fault]:
    """Each that another contains, or an earlier one is equal to; told once."""
    first: dict[frozenset[Transition], int] = {}
    for number, deviation in enumerate(deviations, 1):
        clock.check()
        other = first.setdefault(deviation, number)
        if other == number:
            larger = (n for n, d in enumerate(deviations, 1) if deviation < d)
            other = next(larger, number)
        if other != number:
            message = f"deviation {number} is contained in deviation {other}"
            yield Fault("comparable", message)


def _compare_with_all(
    problem: Problem, deviations: Sequence[frozenset[Transition]], clock: Clock
) -> Iterator[Fault]:
    nominal = problem.environment.visible_transitions
    expected = {nominal | added for added in every_maximal(problem, clock)}
    for missing in sorted(expected - set(deviations), key=sorted):
        yield Fault(
            "missing", f"a maximal deviation is missing: {_listed(problem, missing)}"
        )


def _listed(problem: Problem, deviation: frozenset[Transition]) -> str:
    new = sorted(deviation - set(problem.environment.transitions))
    shown = ", ".join(_shown(problem.environment, t) for t in new)
    return f"R_E with {shown}" if shown else "R_E alone"


def _shown(environment: Lts, transition: Transition) -> str:
    source, action, target = transition
    return (
        f"{environment.state_name(source)} --{action}--> "
        f"{environment.state_name(target)}"
    )
