"""The safety envelope in its forms: text, one document, JSON lines."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from symrob.api.result import SafetyEnvelope
from symrob.api.wide import WideDelta
from symrob.questions.question import View
from symrob.report import deviations, modes, text
from symrob.report.forms import Form, Piece
from symrob.report.legend import about_legend, legend_lines
from symrob.report.result import result_lines, result_pieces
from symrob.report.summary import side_lines
from symrob.report.text import effort_lines, statistics_lines, with_vacuous
from symrob.report.wide import wide_lines


def _text(answer: SafetyEnvelope | WideDelta, view: View) -> Iterator[str]:
    """Δ as it is found, then what it amounts to."""
    title, words = view.session.title, view.session.words
    if isinstance(answer, WideDelta):
        lines = wide_lines(answer.envelope, answer, title)
        yield from with_vacuous(lines, answer.envelope.space)
        return
    about, details = answer.space.about, view.question.details
    modal = about.units is not None
    envelope_lines = modes.envelope_lines if modal else deviations.envelope_lines
    # The other algorithms are there to be compared with: they run alone.
    preface = answer.algorithm == "maximal"
    yield from envelope_lines(answer, title, preface=preface, details=details)
    if preface:
        side = list(side_lines(answer.side_report()))
        yield from ("", *side) if side else ()
    if about.environment is not None and details:
        yield from legend_lines(about.environment, words)
    else:
        yield from about_legend(about, words)


def after(answer: SafetyEnvelope | WideDelta, view: View) -> Iterator[str]:
    """Yield what Δ amounts to, and what it took, the certificate included."""
    if view.session.form != "text" or isinstance(answer, WideDelta):
        return
    if view.question.stats:
        effort = list(effort_lines(answer))
        yield from ("", *statistics_lines(answer.statistics), "", *effort)
    modal = answer.space.about.units is not None
    yield ""
    lines = modes.verdict_lines(answer) if modal else text.verdict_lines(answer)
    yield from with_vacuous(lines, answer.space)


def _json(answer: SafetyEnvelope, view: View) -> Iterator[str]:
    asked, title = view.question, view.session.title
    pieces = result_pieces(
        answer,
        title,
        compact=asked.compact,
        in_order=asked.in_order,
        as_asked=view.session.form == "row",
    )
    yield from map(Piece, pieces)
    yield ""


def _lines(answer: SafetyEnvelope, view: View) -> Iterator[str]:
    yield from result_lines(answer, view.session.title, compact=view.question.compact)


FORMS: Mapping[str, Form] = {
    "text": _text,
    "json": _json,
    "row": _json,
    "jsonl": _lines,
}
