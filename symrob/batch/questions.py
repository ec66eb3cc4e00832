"""What a batch can ask about a case, each question answered by its own analysis.

In:  the case, its models, and Δ that nobody has computed yet.
Out: for each question a document, as the command of that name prints it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from symrob.api import Roles, load_roles, open_spaces
from symrob.batch.text import Written
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
    document: dict[str, Any] | Written
    status: str
    reason: str


def _deviations(asked: Asked) -> Answered:
    from symrob.report.result import result_pieces

    envelope, title = asked.envelope, asked.case.title
    document = Written.of(result_pieces(envelope, title, in_order=True, as_asked=True))
    # Only the largest may have been asked for, and there they are.
    status = "complete" if envelope.as_asked else envelope.status
    return Answered("result", document, status, envelope.reason)


def _summary(asked: Asked) -> Answered:
    from symrob.analyses.classes import class_matrix
    from symrob.analyses.story import tell
    from symrob.report.summary import summary_dict

    envelope, space = asked.envelope, asked.envelope.space
    summary = envelope.summary()
    stages, story = Stages(space.clock), None
    with stages:
        story = tell(space)
    side = envelope.side_report()
    matrix = class_matrix(
        space, summary, summary.alone if story is None else story.alone
    )
    document = summary_dict(summary, side, story, matrix, asked.case.title)
    parts: list[Outcome] = [summary, story or stages, side]
    part = next((p for p in parts if p.status != "complete"), summary)
    return Answered("summary", document, part.status, part.reason)


def _cuts(asked: Asked) -> Answered:
    from symrob.report.cuts import cuts_dict

    found = asked.envelope.cuts(asked.case.order, limit=asked.options.limit)
    document = cuts_dict(found, asked.case.title, traces=False)
    return Answered("cuts", document, found.status, found.reason)


def _compare(asked: Asked) -> Answered:
    from symrob.analyses.compare import compare, unassumed
    from symrob.report.compare import comparison_dict

    assert asked.case.other is not None, "the keys of the case were checked"
    options, clock = asked.options, asked.envelope.clock
    reading = options.limits
    if clock.remaining is not None:
        reading = replace(reading, seconds=max(clock.remaining, 1e-3))
    other = load_roles(asked.case.other, reading)
    sides = {"case": asked.roles, "against": other}
    try:
        one, two = open_spaces(sides, options, clock)
    except NominalViolation as error:
        # The plan of this case is safe: it is the other side that is wrong.
        raise SymrobError(error.diagnostics) from None
    found = compare(one, two)
    document = comparison_dict(found, tuple(sides), unassumed=unassumed(one, two))
    return Answered("compare", document, found.status, found.reason)


def _risk(asked: Asked) -> Answered:
    from symrob.analyses.wide import in_singles
    from symrob.api import open_sides
    from symrob.api.chances import events_in, table_of
    from symrob.report.riskjson import risk_dict
    from symrob.risk.assessment import Assessment

    # Events are of E as one system, also where Δ is asked of its parts.
    (engine,) = open_sides({"case": asked.roles}, asked.options, asked.envelope.clock)
    events = events_in(table_of([asked.case], None), asked.roles, engine)
    found = Assessment(in_singles(engine), events)
    document = risk_dict(found, asked.case.title)
    return Answered("risk", document, found.status, found.reason)


QUESTIONS: Mapping[str, Callable[[Asked], Answered]] = {
    "deviations": _deviations,
    "summary": _summary,
    "cuts": _cuts,
    "compare": _compare,
    "risk": _risk,
}
