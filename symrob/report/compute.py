"""The safety envelope in its forms: text, one document, JSON lines."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeVar

from symrob.analyses.deadlocks import LOOKED_AT
from symrob.analyses.space import units_in
from symrob.api.large_deviations import WideDelta
from symrob.api.result import SafetyEnvelope
from symrob.limits import counted_out
from symrob.questions.question import View
from symrob.report import deviations, modes
from symrob.report import large_deviations as wide_
from symrob.report.hints import notes as notes
from symrob.report.legend import about_legend, legend_lines
from symrob.report.listed import COUNTED, Listed
from symrob.report.output_formats import Form, Piece, beside_of
from symrob.report.progress import side_lines
from symrob.report.result import result_lines, result_pieces
from symrob.report.text import (
    budget_lines,
    effort_lines,
    plural,
    statistics_lines,
    with_vacuous,
)

# Deviations, unless all or a number of them are asked for.
MOST_LISTED = 20

A = TypeVar("A", SafetyEnvelope, WideDelta)


def _text(answer: SafetyEnvelope | WideDelta, view: View) -> Iterator[str]:
    """Δ as it is found, then how large it is."""
    title, words, asked = view.session.title, view.session.words, view.question
    most = view.session.options.limit or asked.largest or MOST_LISTED
    wide = isinstance(answer, WideDelta)
    modal = not isinstance(answer, WideDelta) and bool(answer.space.about.units)
    listed: Listed[Any] = Listed(
        answer,
        None if view.everything else most,
        answer.clock,
        (wide_.measured if wide else modes.measured if modal else deviations.measured),
        to_the_end=asked.certificate is not None,
    )
    if isinstance(answer, WideDelta):
        yield from wide_.wide_lines(answer.envelope, answer, listed, title)
        return
    about, details = answer.space.about, asked.details
    envelope_lines = modes.envelope_lines if modal else deviations.envelope_lines
    # The other algorithms are there to be compared with: they run alone.
    preface = answer.algorithm == "maximal"
    yield from envelope_lines(answer, listed, title, preface=preface, details=details)
    if preface:
        report = answer.side_report(max(listed.came, LOOKED_AT))
        side = list(side_lines(report, words, details=details, numbered=True))
        yield from ("", *side) if side else ()
    if about.environment is not None and details:
        yield from budget_lines(about.budget)
        yield from legend_lines(about.environment, words)
    else:
        yield from about_legend(about, words)


def after(answer: SafetyEnvelope | WideDelta, view: View) -> Iterator[str]:
    """Yield the size of Δ and the effort, including the certificate."""
    if view.session.form != "text":
        return
    if isinstance(answer, WideDelta):
        yield ""
        found = len(answer.sizes)
        what = plural(found, "maximal deviation")
        line = _verdict(answer, found, what, _wide_sizes)
        yield from with_vacuous([line], answer.envelope.space)
        return
    if view.question.stats:
        effort = list(effort_lines(answer))
        yield from ("", *statistics_lines(answer.statistics), "", *effort)
    yield ""
    yield from with_vacuous([verdict_line(answer)], answer.space)


def verdict_line(envelope: SafetyEnvelope) -> str:
    """Return the size of Δ after its enumeration."""
    found = len(envelope)
    if envelope.space.about.units is not None:
        what = f"{plural(found, 'maximal set')} of fault modes"
    else:
        what = plural(found, "maximal deviation")
    return _verdict(envelope, found, what, _sizes)


def _sizes(envelope: SafetyEnvelope) -> str:
    """How large the largest of Δ are."""
    most = max((len(units_in(one)) for one in envelope), default=0)
    if envelope.space.about.units is not None:
        return f"; the largest has {plural(most, 'fault mode')}"
    return f"; {_largest(envelope.largest, most)}"


def _wide_sizes(delta: WideDelta) -> str:
    planned = len(delta.envelope.environment.visible_transitions)
    largest = max(delta.sizes, default=planned)
    return f"; {_largest(largest, largest - planned)}"


def _largest(largest: int, new: int) -> str:
    return f"the largest has {plural(largest, 'transition')}, {new:,} of them added"


def _verdict(answer: A, found: int, what: str, sizes: Callable[[A], str]) -> str:
    # Only a Δ that ended is measured: when the time is up, there is none to measure in.
    if answer.as_asked:
        return f"the largest of Δ: {what}{sizes(answer)}; {answer.seconds:.3f} s"
    if counted_out(answer.status, answer.clock):
        return f"More than {what}; {COUNTED}"
    if answer.status != "complete":
        return f"Incomplete ({answer.reason}): {what} so far"
    return f"|Δ| = {found:,}: {what}{sizes(answer)}; {answer.seconds:.3f} s"


def _json(answer: SafetyEnvelope, view: View) -> Iterator[str]:
    asked, title = view.question, view.session.title
    pieces = result_pieces(
        answer,
        title,
        beside_of(view),
        compact=asked.compact,
        in_order=asked.in_order,
        as_asked=view.session.form == "row",
        details=asked.details,
    )
    yield from map(Piece, pieces)
    yield ""


def _lines(answer: SafetyEnvelope, view: View) -> Iterator[str]:
    title, asked = view.session.title, view.question
    yield from result_lines(
        answer,
        title,
        beside_of(view),
        compact=asked.compact,
        details=asked.details,
    )


FORMS: Mapping[str, Form] = {
    "text": _text,
    "json": _json,
    "row": _json,
    "jsonl": _lines,
}
