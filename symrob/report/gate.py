"""The verdicts of a gate, as text, as JSON and as JUnit XML.

In:  `Ruling`s, as they come.
Out: lines of text, a dictionary for `json.dumps`, or lines of XML.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from symrob.analyses.policy import Answer, Ruling
from symrob.analyses.space import About
from symrob.case.policy import Rule
from symrob.problem import Unit
from symrob.report.json import about_dict, trace_dict, versions
from symrob.report.junit import Outcome, junit_lines
from symrob.report.run import trace_lines
from symrob.report.text import WIDEST, limited, plural, printable
from symrob.report.units import rows_if_known, unit_lines, unit_rows
from symrob.words import PLAIN, Words

SCHEMA = "symrob/gate/2"
# Of each list of transitions.
MOST_LINES = 20
# What stands before each line of it.
_EVIDENCE = " " * 9
_MARKS = {"holds": "ok", "fails": "FAILS", "unknown": "unknown"}
_KINDS = {"holds": "", "fails": "failure", "unknown": "error"}
_RULES = {
    "Tolerates": "tolerates",
    "Forbids": "forbids",
    "AsRobustAs": "as_robust_as",
    "Resilience": "resilience",
}


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
        yield "A shortest run into the violation:"
        yield from trace_lines(verdict.trace, words, WIDEST - len(_EVIDENCE))
    if verdict.together is not None:
        yield "A maximal robust deviation with it adds:"
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


def gate_dict(about: About, title: str, verdicts: Sequence[Ruling]) -> dict[str, Any]:
    """Return all verdicts, schema `symrob/gate/2`."""
    return {
        "schema": SCHEMA,
        "title": title,
        "environment": about_dict(about)["environment"],
        "rules": [_verdict_dict(verdict) for verdict in verdicts],
        "timing": {"seconds": [round(v.seconds, 6) for v in verdicts]},
        "versions": versions(),
    }


def _verdict_dict(verdict: Ruling) -> dict[str, Any]:
    return {
        "kind": kind_of(verdict.rule),
        "name": verdict.rule.name,
        "without_constraints": verdict.rule.without_constraints,
        "answer": verdict.answer,
        "by_assumptions": verdict.by_assumptions,
        "verdicts": dict(verdict.counts),
        "message": verdict.message,
        "units": unit_rows(verdict.units),
        "trace": None if verdict.trace is None else trace_dict(verdict.trace),
        "together": rows_if_known(verdict.together),
    }


def kind_of(rule: Rule) -> str:
    """Return the key of a policy that a rule stands under."""
    return _RULES[type(rule).__name__]


def gate_junit(
    about: About,
    title: str,
    verdicts: Sequence[Ruling],
    words: Words = PLAIN,
) -> Iterator[str]:
    """Yield a report for CI servers; a rule that is unknown is an error."""
    outcomes = [
        Outcome(
            title_of(verdict.rule),
            kind_of(verdict.rule),
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
