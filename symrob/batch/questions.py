"""What a batch can ask about a case, each question answered by its own analysis.

In:  the case, its models, and Δ that nobody has computed yet.
Out: for each question a document, as the command of that name prints it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from symrob.api import Roles, load_roles, open_sides
from symrob.errors import NominalViolation, SymrobError
from symrob.limits import Outcome, Stages

if TYPE_CHECKING:
    from symrob.api.result import SafetyEnvelope
    from symrob.case import Case
    from symrob.options import Options


@dataclass(frozen=True)
class Asked:
    """What every question is about.

    Attributes:
        case: The case.
        roles: Its models.
        options: How to run.
        envelope: Δ, yet to be computed, and its engine.
    """

    case: Case
    roles: Roles
    options: Options
    envelope: SafetyEnvelope


@dataclass(frozen=True)
class Answered:
    """An answer.

    Attributes:
        key: Where it stands in the row.
        document: As the command prints it.
        status: Whether it is complete, or what stopped it.
        reason: Why it is not complete.
    """

    key: str
    document: dict[str, Any]
    status: str
    reason: str


def _deviations(asked: Asked) -> Answered:
    from symrob.report.result import result_dict

    envelope = asked.envelope
    result = result_dict(envelope, asked.case.title)
    if envelope.as_asked:
        # Only the largest were asked for, and there they are.
        result["status"] = "complete"
    return Answered("result", result, result["status"], envelope.reason)


def _summary(asked: Asked) -> Answered:
    if asked.envelope.engine.problem.units is not None:
        return _mode_summary(asked)
    from symrob.analyses.story import tell
    from symrob.report.summary import summary_dict

    summary = asked.envelope.summary()
    engine = asked.envelope.engine
    stages, story = Stages(engine.clock), None
    with stages:
        story = tell(engine)
    side = asked.envelope.side_report()
    document = summary_dict(summary, side, story, asked.case.title)
    parts: list[Outcome] = [summary, story or stages, side]
    part = next((p for p in parts if p.status != "complete"), summary)
    return Answered("summary", document, part.status, part.reason)


def _mode_summary(asked: Asked) -> Answered:
    from symrob.analyses.modes import summarise_modes
    from symrob.report.modes import summary_dict

    engine = asked.envelope.engine
    summary = summarise_modes(engine)
    document = summary_dict(engine, summary, asked.case.title)
    return Answered("summary", document, summary.status, summary.reason)


def _cuts(asked: Asked) -> Answered:
    from symrob.analyses.mode_cuts import cuts_of
    from symrob.report.cuts import cuts_dict

    engine = asked.envelope.engine
    found = cuts_of(engine)(engine, order=asked.case.order, limit=asked.options.limit)
    document = cuts_dict(found, asked.case.title, traces=False)
    return Answered("cuts", document, found.status, found.reason)


def _compare(asked: Asked) -> Answered:
    from symrob.analyses.compare import compare, unassumed
    from symrob.report.compare import comparison_dict

    assert asked.case.other is not None, "the keys of the case were checked"
    options, clock = asked.options, asked.envelope.engine.clock
    reading = options.limits
    if clock.remaining is not None:
        reading = replace(reading, seconds=max(clock.remaining, 1e-3))
    other = load_roles(asked.case.other, reading)
    sides = {"case": asked.roles, "against": other}
    try:
        one, two = open_sides(sides, options, clock)
    except NominalViolation as error:
        # The plan of this case is safe: it is the other side that is wrong.
        raise SymrobError(error.diagnostics) from None
    comparison = compare(one, two)
    without = unassumed(one, two)
    document = comparison_dict(comparison, tuple(sides), unassumed=without)
    return Answered("compare", document, comparison.status, comparison.reason)


QUESTIONS: Mapping[str, Callable[[Asked], Answered]] = {
    "deviations": _deviations,
    "summary": _summary,
    "cuts": _cuts,
    "compare": _compare,
}
