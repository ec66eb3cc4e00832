"""Outcomes as JUnit XML, which CI servers show.

In:  a name and some outcomes.
Out: lines of XML, in the form that Jenkins, GitLab and GitHub's actions read.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from xml.sax.saxutils import escape, quoteattr

from symrob.report.text import printable_lines


@dataclass(frozen=True)
class TestOutcome:
    """One test case of a report.

    Attributes:
        name: Name of the test case.
        group: Name of its group.
        seconds: How long it took.
        kind: `""` if passed, else `failure`, `error` or `skipped`.
        message: A line about the outcome.
        text: Further lines about it.
    """

    name: str
    group: str = ""
    seconds: float = 0.0
    kind: str = ""
    message: str = ""
    text: str = ""


def junit_lines(
    name: str,
    outcomes: Sequence[TestOutcome],
    facts: Iterable[tuple[str, str]] = (),
) -> Iterator[str]:
    """Yield a report.

    Args:
        name: Name of the test suite.
        outcomes: Its test cases.
        facts: Properties of the test suite, by name.
    """

    def count(kind: str) -> int:
        return sum(outcome.kind == kind for outcome in outcomes)

    took = sum(outcome.seconds for outcome in outcomes)
    yield '<?xml version="1.0" encoding="UTF-8"?>'
    yield "<testsuites>"
    yield (
        f'  <testsuite name={_quoted(name)} tests="{len(outcomes)}" '
        f'failures="{count("failure")}" errors="{count("error")}" '
        f'skipped="{count("skipped")}" time="{took:.3f}">'
    )
    known = [*facts]
    if known:
        yield "    <properties>"
        for key, value in known:
            yield f"      <property name={_quoted(key)} value={_quoted(value)}/>"
        yield "    </properties>"
    for outcome in outcomes:
        yield from _case(outcome)
    yield "  </testsuite>"
    yield "</testsuites>"


def _case(outcome: TestOutcome) -> Iterator[str]:
    head = (
        f"    <testcase classname={_quoted(outcome.group)} "
        f'name={_quoted(outcome.name)} time="{outcome.seconds:.3f}"'
    )
    text = escape(printable_lines(outcome.text))
    if not outcome.kind:
        yield f"{head}>" if text else f"{head}/>"
        if text:
            yield f"      <system-out>{text}</system-out>"
            yield "    </testcase>"
        return
    yield f"{head}>"
    message = _quoted(outcome.message)
    yield f"      <{outcome.kind} message={message}>{text}</{outcome.kind}>"
    yield "    </testcase>"


def _quoted(text: str) -> str:
    # What XML cannot hold at all, such as control characters, is printed as escapes.
    return quoteattr(printable_lines(text).replace("\n", " "))
