"""What a batch can ask about a case, each question answered by its own analysis.

In:  the case, its models, and Δ that nobody has computed yet.
Out: for each question a document, as the command of that name prints it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from symrob.api import Roles, load_roles, open_asked_sides
from symrob.batch.text import Written
from symrob.errors import NominalViolation, SymrobError
from symrob.limits import Outcome, Stages

if TYPE_CHECKING:
    from symrob.analyses.in_modes import InModes
    from symrob.api.mode_result import PartsEnvelope
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
    envelope: SafetyEnvelope | PartsEnvelope


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
    from symrob.api.result import SafetyEnvelope
    from symrob.report import parts
    from symrob.report.result import result_pieces

    envelope, title = asked.envelope, asked.case.title
    document: dict[str, Any] | Written
    if isinstance(envelope, SafetyEnvelope):
        document = Written.of(
            result_pieces(envelope, title, in_order=True, as_asked=True)
        )
    else:
        document = parts.result_dict(envelope, title)
    # Only the largest may have been asked for, and there they are.
    status = "complete" if envelope.as_asked else envelope.status
    if not isinstance(document, Written):
        document["status"] = status
    return Answered("result", document, status, envelope.reason)


def _summary(asked: Asked) -> Answered:
    from symrob.analyses.story import tell
    from symrob.api.result import SafetyEnvelope
    from symrob.report.json import asked_dict
    from symrob.report.modes import in_modes
    from symrob.report.summary import summary_dict

    envelope = asked.envelope
    if not isinstance(envelope, SafetyEnvelope) or envelope.engine.problem.units:
        return _mode_summary(in_modes(envelope), asked.case.title)
    summary = envelope.summary()
    engine = envelope.engine
    stages, story = Stages(engine.clock), None
    with stages:
        story = tell(engine)
    side = envelope.side_report()
    document = summary_dict(summary, side, story, asked.case.title)
    document |= asked_dict(engine.problem)
    parts: list[Outcome] = [summary, story or stages, side]
    part = next((p for p in parts if p.status != "complete"), summary)
    return Answered("summary", document, part.status, part.reason)


def _mode_summary(modes: InModes, title: str) -> Answered:
    from symrob.analyses.modes import summarise_modes
    from symrob.report.modes import summary_dict

    summary = summarise_modes(modes)
    document = summary_dict(modes, summary, title)
    return Answered("summary", document, summary.status, summary.reason)


def _cuts(asked: Asked) -> Answered:
    from symrob.report.cuts import cuts_dict

    found = asked.envelope.cuts(asked.case.order, limit=asked.options.limit)
    document = cuts_dict(found, asked.case.title, traces=False)
    return Answered("cuts", document, found.status, found.reason)


def _compare(asked: Asked) -> Answered:
    from symrob.envelope.engine import Engine

    assert asked.case.other is not None, "the keys of the case were checked"
    options, clock = asked.options, asked.envelope.clock
    reading = options.limits
    if clock.remaining is not None:
        reading = replace(reading, seconds=max(clock.remaining, 1e-3))
    other = load_roles(asked.case.other, reading)
    sides = {"case": asked.roles, "against": other}
    try:
        one, two = open_asked_sides(sides, options, clock)
    except NominalViolation as error:
        # The plan of this case is safe: it is the other side that is wrong.
        raise SymrobError(error.diagnostics) from None
    found: Outcome
    if isinstance(one, Engine) and isinstance(two, Engine):
        from symrob.analyses.compare import compare, unassumed
        from symrob.report.compare import comparison_dict

        found = compare(one, two)
        without = unassumed(one, two)
        document = comparison_dict(found, tuple(sides), unassumed=without)
    else:
        assert not isinstance(one, Engine)
        assert not isinstance(two, Engine)
        from symrob.analyses.mode_compare import compare_modes, unassumed_modes
        from symrob.report import mode_compare as report

        found = compare_modes(one, two)
        without = unassumed_modes(one, two)
        document = report.comparison_dict(one, found, tuple(sides), without)
    return Answered("compare", document, found.status, found.reason)


def _risk(asked: Asked) -> Answered:
    from symrob.api import open_sides
    from symrob.api.chances import events_in, in_singles, table_of
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
