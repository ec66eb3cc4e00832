"""The changes of cases between two batches, for readers and CI servers.

In:  the changes.
Out: lines of text; cells for Markdown; outcomes for JUnit.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from symrob.analyses.changes import Change, Triple, Verdict
from symrob.report.junit import TestOutcome
from symrob.report.text import plural, printable

HEADS = ("case", "robustness", "before", "after", "evidence")

_WORDS: dict[Verdict, str] = {
    "less": "less robust",
    "more": "more robust",
    "incomparable": "incomparable",
    "unknown": "unknown",
    "other": "another environment",
    "new": "new",
    "gone": "gone",
    "equal": "equal",
}
# A change for the worse, for a CI server.
_FAILURES = ("less", "incomparable")


def change_lines(changes: Sequence[Change]) -> Iterator[str]:
    """Yield the changes, the worst first, then the number of unchanged cases."""
    for verdict, words in _WORDS.items():
        for change in changes:
            if change.verdict != verdict or verdict == "equal":
                continue
            yield printable(f"{words}: {change.case}{_statuses(change)}")
            for line in evidence(change):
                yield f"  {printable(line)}"
    counts = Counter(change.verdict for change in changes)
    shown = ", ".join(f"{counts[v]:,} {w}" for v, w in _WORDS.items() if counts[v])
    yield f"{plural(len(changes), 'case')}: {shown or 'none'}"


def _statuses(change: Change) -> str:
    if "" in (change.before, change.after) or change.before == change.after:
        return ""
    return f" ({change.before}, now {change.after})"


def evidence(change: Change) -> Iterator[str]:
    """Yield the evidence for a verdict."""
    if change.note:
        yield change.note
    if change.lost:
        yield f"no longer tolerated: a deviation with {_listed(change.lost)}"
    if change.gained:
        yield f"newly tolerated: a deviation with {_listed(change.gained)}"


def _listed(transitions: Sequence[Triple]) -> str:
    return ", ".join(f"{s} –{a}→ {t}" for s, a, t in transitions)


def change_cells(change: Change) -> tuple[str, ...]:
    """Return the cells of a change by `HEADS`."""
    return (
        change.case,
        _WORDS[change.verdict],
        change.before,
        change.after,
        "; ".join(evidence(change)),
    )


def change_outcome(change: Change) -> TestOutcome:
    """Return a change as a test case: a change for the worse is a failure."""
    kind = "failure" if change.verdict in _FAILURES else ""
    if change.verdict in ("unknown", "other", "gone"):
        kind = "skipped"
    return TestOutcome(
        change.case,
        "changes",
        kind=kind,
        message=_WORDS[change.verdict],
        text="\n".join(evidence(change)),
    )
