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
    from symrob.analyses.overview import overview
    from symrob.report.json import document

    envelope = asked.envelope
    *_, found = overview(
        envelope.space, asked.case.words, envelope.summary(), envelope.side_report
    )
    whole = document(found, asked.case.title)
    return Answered("summary", whole, found.status, found.reason)


def _cuts(asked: Asked) -> Answered:
    from symrob.report.cuts import by_size
    from symrob.report.json import streamed

    found = asked.envelope.cuts(asked.case.order, limit=asked.options.limit)
    whole = streamed(found, asked.case.title, by_size)
    return Answered("cuts", whole, found.status, found.reason)


def _compare(asked: Asked) -> Answered:
    from symrob.analyses.compare import compare, unassumed
    from symrob.report.json import document

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
    found = replace(found, sides=tuple(sides), without_constraints=unassumed(one, two))
    return Answered("compare", document(found), found.status, found.reason)


def _risk(asked: Asked) -> Answered:
    from symrob.analyses.wide import in_singles
    from symrob.api import open_sides
    from symrob.api.chances import events_in, table_of
    from symrob.report.json import document
    from symrob.risk.answer import Risk
    from symrob.risk.assessment import Assessment

    # Events are of E as one system, also where Δ is asked of its parts.
    (engine,) = open_sides({"case": asked.roles}, asked.options, asked.envelope.clock)
    events = events_in(table_of([asked.case], None), asked.roles, engine)
    found = Risk.of(Assessment(in_singles(engine), events))
    whole = document(found, asked.case.title)
    return Answered("risk", whole, found.status, found.reason)


QUESTIONS: Mapping[str, Callable[[Asked], Answered]] = {
    "deviations": _deviations,
    "summary": _summary,
    "cuts": _cuts,
    "compare": _compare,
    "risk": _risk,
}
