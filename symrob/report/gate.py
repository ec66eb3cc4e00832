"""The verdicts of a gate, as text and as JUnit XML.

In:  `Ruling`s, as they come.
Out: lines of text or of XML.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from symrob.analyses.policy import Answer, Ruling
from symrob.analyses.space import About
from symrob.case.policy import Rule
from symrob.problem import Unit
from symrob.questions.gate import Rulings
from symrob.questions.question import View
from symrob.report.forms import Form
from symrob.report.junit import TestOutcome, junit_lines
from symrob.report.run import trace_lines
from symrob.report.text import (
    WIDEST,
    budget_lines,
    limited,
    plural,
    printable,
    with_vacuous,
)
from symrob.report.units import unit_lines
from symrob.words import PLAIN, Words

# Of each list of transitions.
MOST_LINES = 20
# What stands before each line of it.
_EVIDENCE = " " * 9
_MARKS = {"holds": "ok", "fails": "FAILS", "unknown": "unknown"}
_KINDS = {"holds": "", "fails": "failure", "unknown": "error"}


def verdict_lines(
    about: About,
    verdict: Ruling,
    most: int | None = None,
    words: Words = PLAIN,
) -> Iterator[str]:
    """Yield what became of a rule, and what shows it.

    Args:
        about: For the names of states.
        verdict: What became of it.
        most: Of each list of transitions so many lines; `None` for all.
        words: What names are called in runs.
    """
    name = printable(title_of(verdict.rule))
    yield f"{_MARKS[verdict.answer]:8} {name}: {printable(verdict.message)}"
    for line in _evidence_lines(about, verdict, most, words):
        yield f"{_EVIDENCE}{line}"


def _evidence_lines(
    about: About, verdict: Ruling, most: int | None, words: Words
) -> Iterator[str]:
    if verdict.units:
        yield from limited(_lines(about, verdict.units), most)
    if verdict.trace is not None:
        where = "where that is so" if verdict.lost else "the violation"
        yield f"A shortest trace to {where}:"
        yield from trace_lines(verdict.trace, words, WIDEST - len(_EVIDENCE))
    if verdict.together is not None:
        yield "A maximal deviation that contains it adds:"
        lines = _lines(about, verdict.together)
        yield from limited((f"  {line}" for line in lines), most)


def _lines(about: About, units: Iterable[Unit]) -> Iterator[str]:
    """Units that a rule is about; some rules name transitions, whatever the case."""
    if not any(isinstance(unit, str) for unit in units):
        about = replace(about, units=None)
    return unit_lines(about, units)


def title_of(rule: Rule) -> str:
    """Return what a rule is called, and whether it is asked without constraints."""
    return f"{rule.name}{', without constraints' * rule.without_constraints}"


def summary_line(verdicts: Sequence[Ruling]) -> str:
    """Return how many rules hold, fail and are unknown."""
    counts = Counter(verdict.answer for verdict in verdicts)
    told = [f"{counts[a]} {word}" for a, word in _SUMMARY.items() if counts[a]]
    return f"{plural(len(verdicts), 'rule')}: {', '.join(told)}"


_SUMMARY: dict[Answer, str] = {"holds": "held", "fails": "failed", "unknown": "unknown"}


def gate_junit(
    about: About,
    title: str,
    verdicts: Sequence[Ruling],
    words: Words = PLAIN,
) -> Iterator[str]:
    """Yield a report for CI servers; a rule that is unknown is an error."""
    outcomes = [
        TestOutcome(
            title_of(verdict.rule),
            verdict.kind,
            verdict.seconds,
            _KINDS[verdict.answer],
            verdict.message,
            "\n".join(_junit_lines(about, verdict, words)),
        )
        for verdict in verdicts
    ]
    yield from junit_lines(title, outcomes)


def _junit_lines(about: About, verdict: Ruling, words: Words) -> Iterator[str]:
    """What is told of a rule below its message, and the message if it has no place."""
    if verdict.answer == "holds" and verdict.by_assumptions is not False:
        yield verdict.message
    yield from _evidence_lines(about, verdict, None, words)


def _text(answer: Rulings, view: View) -> Iterator[str]:
    yield printable(answer.title)
    most = None if view.everything else MOST_LINES
    for ruling in answer:
        yield from verdict_lines(answer.space.about, ruling, most, view.session.words)
    yield from budget_lines(answer.space.about.budget)
    yield from with_vacuous([summary_line(answer.final.rules)], answer.space)


def _junit(answer: Rulings, view: View) -> Iterator[str]:
    found, words = answer.final.rules, view.session.words
    yield from gate_junit(answer.space.about, answer.title, found, words)


FORMS: Mapping[str, Form] = {"text": _text, "junit": _junit}
