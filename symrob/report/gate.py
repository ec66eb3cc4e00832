"""The rulings of a gate, as text, as JUnit XML and as a report in Markdown.

In:  `Ruling`s, as they are found.
Out: lines of text, of XML or of Markdown.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

from symrob.analyses.space import About
from symrob.errors import Diagnostic
from symrob.gate.rule import Answer, GateRule, Ruling
from symrob.problem import Unit
from symrob.questions.gate import Rulings
from symrob.questions.question import View
from symrob.report.endings import markdown_endings
from symrob.report.junit import TestOutcome, junit_lines
from symrob.report.markdown import escaped, markdown_table
from symrob.report.output_formats import Form
from symrob.report.run import property_called, trace_lines
from symrob.report.text import (
    WIDEST,
    budget_lines,
    limited,
    plural,
    printable,
    with_vacuous,
)
from symrob.report.units import name_lines, unit_lines
from symrob.risk.figures import figure
from symrob.version import VERSION
from symrob.words import PLAIN, Identity, Words

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
    """Yield the ruling on a rule, and its evidence.

    Args:
        about: For the names of states.
        verdict: The ruling.
        most: Maximum lines of each list of transitions; `None` for all.
        words: What names are called in runs.
    """
    name = printable(title_of(verdict.rule))
    yield f"{_MARKS[verdict.answer]:8} {name}: {printable(verdict.message)}"
    for line in _evidence_lines(about, verdict, most, words):
        yield f"{_EVIDENCE}{line}"


def _evidence_lines(
    about: About, verdict: Ruling, most: int | None, words: Words
) -> Iterator[str]:
    about = verdict.about or about
    if verdict.units:
        yield from limited(_lines(about, verdict.units), most)
    if verdict.trace is not None:
        where = "the loss" if verdict.lost else "the violation"
        yield f"A shortest trace to {where}:"
        yield from trace_lines(verdict.trace, words, WIDEST - len(_EVIDENCE))
    if verdict.together is not None:
        yield "A maximal deviation that contains it adds:"
        lines = _lines(about, verdict.together)
        yield from limited((f"  {line}" for line in lines), most)


def _lines(about: About, units: Iterable[Unit]) -> Iterator[str]:
    """Units that a rule is about; some rules name transitions, whatever the case."""
    names = [unit for unit in units if isinstance(unit, str)]
    if names:
        return name_lines([printable(name) for name in sorted(names)])
    return unit_lines(replace(about, units=None), units)


def title_of(rule: GateRule) -> str:
    """Return the name of a rule, and whether it ignores the constraints."""
    known = "" if rule.identity is None else f"{rule.identity.id}: "
    return f"{known}{rule.name}{', without assumptions' * rule.without_constraints}"


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
    identities: Mapping[str, Identity] = MappingProxyType({}),
) -> Iterator[str]:
    """Yield a report for CI servers; an unknown rule is an error.

    The identifiers of rules, properties, constraints and modes are its properties.
    """
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
    rules = {
        ruling.rule.name: ruling.rule.identity
        for ruling in verdicts
        if ruling.rule.identity is not None
    }
    known = {**identities, **rules}
    facts = [(one.id, _with_source(name, one)) for name, one in known.items()]
    yield from junit_lines(title, outcomes, facts)


def _with_source(name: str, identity: Identity) -> str:
    return f"{name} ({identity.source})" if identity.source else name


def _junit_lines(about: About, verdict: Ruling, words: Words) -> Iterator[str]:
    """What is told of a rule below its message, and the message if it has no place."""
    if verdict.answer == "holds" and verdict.by_assumptions is not False:
        yield verdict.message
    yield from _evidence_lines(about, verdict, None, words)


_HEADS = ("verdict", "rule", "kind", "result", "target", "computed")


def _markdown(answer: Rulings, view: View) -> Iterator[str]:
    """The report for those who decide: a table of the rules, then what shows each."""
    rulings, words = answer.final.rules, view.session.words
    yield f"# {escaped(answer.title)}"
    yield ""
    yield f"**{summary_line(rulings)}** (symrob {VERSION})"
    yield ""
    yield from markdown_table(_HEADS, map(_cells, rulings))
    for ruling in rulings:
        evidence = [*_evidence_lines(answer.space.about, ruling, None, words)]
        if ruling.answer == "holds" and not evidence:
            continue
        yield ""
        mark = _MARKS[ruling.answer]
        yield f"## {mark}: {escaped(title_of(ruling.rule))}"
        yield ""
        yield f"{escaped(ruling.message)}."
        identity = ruling.rule.identity
        if identity is not None and identity.source:
            yield ""
            yield f"Source: {escaped(identity.source)}."
        if evidence:
            yield ""
            # In a block of code names are nothing but text.
            yield from (f"    {line}" for line in evidence)
    vacuous = answer.final.vacuous
    if vacuous:
        yield ""
        yield "## Properties that cannot be violated"
        yield ""
        yield from (f"- {escaped(property_called(name, words))}" for name in vacuous)
    yield from markdown_endings(view.session)


def _cells(ruling: Ruling) -> tuple[str, ...]:
    name, target = title_of(ruling.rule), ruling.target
    kind = ruling.kind.replace("_", " ")
    cells = (_MARKS[ruling.answer], name, kind, ruling.message)
    if target is None:
        return (*cells, "", "")
    bounds = dict.fromkeys(map(figure, (target.lower, target.upper)))
    return (*cells, f"at most {figure(target.at_most)}", " to ".join(bounds))


def _text(answer: Rulings, view: View) -> Iterator[str]:
    yield printable(answer.title)
    most = None if view.everything else MOST_LINES
    for ruling in answer:
        yield from verdict_lines(answer.space.about, ruling, most, view.session.words)
    yield from budget_lines(answer.space.about.budget)
    yield from with_vacuous([summary_line(answer.final.rules)], answer.space)


def _junit(answer: Rulings, view: View) -> Iterator[str]:
    found, words = answer.final.rules, view.session.words
    known = view.session.identities
    yield from gate_junit(answer.space.about, answer.title, found, words, known)


_LEVELS: dict[Answer, str] = {"holds": "notice", "fails": "error", "unknown": "warning"}


def _github(answer: Rulings, view: View) -> Iterator[str]:
    """Annotations of GitHub Actions: one for each rule, at its line in the policy."""
    words = view.session.words
    for ruling in answer:
        place = answer.policy.at(Diagnostic("rule", ruling.message), ruling.rule)
        lines = _evidence_lines(answer.space.about, ruling, MOST_LINES, words)
        where = f"file={_parameter(place.file or '')},line={place.line or 1}"
        title = _parameter(printable(title_of(ruling.rule)))
        message = "\n".join((printable(ruling.message), *lines))
        yield (f"::{_LEVELS[ruling.answer]} {where},title={title}::{_data(message)}")
    yield printable(f"{answer.title}: {summary_line(answer.final.rules)}")


def _data(text: str) -> str:
    """A text as such an annotation takes it."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _parameter(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


FORMS: Mapping[str, Form] = {
    "text": _text,
    "junit": _junit,
    "markdown": _markdown,
    "github": _github,
}
