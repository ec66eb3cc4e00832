"""The outcome of checking a result, as plain text."""

from __future__ import annotations

from collections.abc import Iterator

from symrob.certify.check import Verification
from symrob.lts import Lts, Transition
from symrob.report.run import trace_lines
from symrob.report.text import plural, printable
from symrob.words import PLAIN, Words

# More faults are counted: a result of other models has thousands.
MOST_FAULTS = 20


def verification_lines(
    environment: Lts, verification: Verification, *, traces: bool, words: Words = PLAIN
) -> Iterator[str]:
    """Yield every fault with its trace, then what was checked and what was not.

    Args:
        environment: For the names of states.
        verification: The outcome of the check.
        traces: Also yield a trace for each transition that a deviation lacks.
        words: What names are called in runs.
    """
    shown = verification.faults[: None if traces else MOST_FAULTS]
    for fault in shown:
        yield printable(f"wrong ({fault.kind}): {fault.message}")
        if fault.trace is not None:
            yield from trace_lines(fault.trace, words)
    if traces:
        for (number, transition), trace in sorted(verification.certificates.items()):
            yield _missing(environment, number, transition, trace.violated)
            yield from trace_lines(trace, words)
    if not verification.correct:
        found = plural(len(verification.faults), "error")
        first = (
            ""
            if len(shown) == len(verification.faults)
            else f"; the first {MOST_FAULTS} are listed"
        )
        yield f"{found} found{first}"
        return
    yield (
        f"{plural(verification.deviations, 'deviation')}: each contains R_E, is safe "
        "and keeps the assumptions; none contains another"
    )
    if verification.left_out is None:
        unit, count = "transition", len(verification.certificates)
    else:
        unit, count = "fault mode", verification.left_out
    yield (
        f"each is maximal: for {plural(count, unit)} left out, the checker found a "
        "shortest violating trace"
    )
    if verification.without_run:
        more = plural(verification.without_run, f"more {unit}")
        yield f"{more} checked together: each leads to a violation"
    if verification.complete:
        yield f"none is missing: the checker tried every set of {unit}s"
    else:
        yield "not checked: whether one is missing (--complete checks small problems)"


def _missing(
    environment: Lts, number: int, transition: Transition, violated: str
) -> str:
    source, action, target = transition
    return printable(
        f"deviation {number} lacks {environment.state_name(source)} --{action}--> "
        f"{environment.state_name(target)}, which would violate {violated}:"
    )
