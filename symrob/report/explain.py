"""An explanation in the model's own words, as text and as JSON.

In:  an `Explanation`.
Out: lines of text, or a dictionary for `json.dumps`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from typing import Any

from symrob.analyses.explain import Explanation
from symrob.lts import Transition
from symrob.report.json import environment_dict, trace_dict, versions
from symrob.report.text import (
    NEVER_MARK,
    limited,
    plural,
    printable,
    trace_lines,
    transition_lines,
)

SCHEMA = "symrob/explain/1"
# Of each list, unless all are asked for.
MOST_LINES = 20


def explanation_lines(
    explanation: Explanation, title: str, *, everything: bool = False
) -> Iterator[str]:
    """Yield the verdict and what explains it.

    Args:
        explanation: What to tell.
        title: What a person calls the case; may be empty.
        everything: Print long lists whole.
    """
    if title:
        yield printable(title)
    most = None if everything else MOST_LINES
    yield from _asked_lines(explanation, most)
    if explanation.inside:
        yield from _inside_lines(explanation, most)
    else:
        yield from _outside_lines(explanation)


def _table(
    explanation: Explanation,
    transitions: Collection[Transition],
    most: int | None,
    marked: frozenset[Transition] = frozenset(),
) -> Iterator[str]:
    lines = transition_lines(explanation.environment, transitions, marked)
    for line in limited(lines, most):
        yield f"  {line}"


def _asked_lines(explanation: Explanation, most: int | None) -> Iterator[str]:
    """The verdict, and the transitions that were asked about."""
    new, idle = explanation.new, explanation.idle or frozenset()
    asked = f"E with {plural(len(new), 'added transition')}"
    if not explanation.inside:
        assert explanation.trace is not None
        yield (
            f"Outside the envelope: {asked} violates "
            f"{printable(explanation.trace.violated)}"
        )
    elif new:
        yield f"Inside the envelope: {asked} is safe"
    else:
        yield "Inside the envelope: nothing is added"
    yield from _table(explanation, new, most, idle)
    if idle:
        yield f"{NEVER_MARK} can never fire in E and C with these transitions"
        yield from _inert_lines(explanation, idle, most)
    if explanation.nominal:
        count = len(explanation.nominal)
        yield f"Nominal: E has {plural(count, 'transition')} of these already"
        yield from _table(explanation, explanation.nominal, most)


def _inert_lines(
    explanation: Explanation, idle: frozenset[Transition], most: int | None
) -> Iterator[str]:
    inert = explanation.inert or frozenset()
    if inert == idle:
        yield f"{NEVER_MARK} nor with anything else that is tolerated"
    elif inert:
        yield (
            f"{len(inert):,} of these can never fire with anything else that is "
            "tolerated either:"
        )
        yield from _table(explanation, inert, most)


def _outside_lines(explanation: Explanation) -> Iterator[str]:
    trace, cut = explanation.trace, explanation.cut
    assert trace is not None
    yield ""
    if cut is None:
        yield f"The smallest part that does so is not known ({explanation.reason})."
        yield f"A shortest run that violates {printable(trace.violated)}:"
    elif cut.transitions == explanation.new:
        needed = "It is" if len(cut) == 1 else f"All {len(cut)} are"
        yield f"{needed} needed to break the system. A shortest run:"
    else:
        enough = "one is" if len(cut) == 1 else f"{len(cut)} are"
        yield f"Of these {enough} enough, and no fewer:"
        yield from _table(explanation, cut.transitions, None)
        added = "it" if len(cut) == 1 else "these"
        yield (
            f"A shortest run with only {added} added, which violates "
            f"{printable(trace.violated)}:"
        )
    yield from trace_lines(trace)


def _inside_lines(explanation: Explanation, most: int | None) -> Iterator[str]:
    addable, excluded = explanation.addable, explanation.excluded
    these = "it" if len(explanation.new) == 1 else "these"
    if addable is not None and excluded is not None:
        yield ""
        yield (
            f"Could be added to {these}, one at a time: "
            f"{plural(len(addable), 'transition')}"
        )
        yield from _table(explanation, list(addable), most)
        yield (
            f"Ruled out by {these}, though tolerated alone: "
            f"{plural(len(excluded), 'transition')}"
        )
        yield from _table(explanation, list(excluded), most)
    yield from _deviation_lines(explanation, most)
    if explanation.status != "complete":
        yield ""
        yield f"Incomplete ({explanation.reason}): the verdict stands"


def _deviation_lines(explanation: Explanation, most: int | None) -> Iterator[str]:
    found = explanation.deviations
    if not found:
        return
    yield ""
    count = plural(len(found), "maximal deviation")
    if explanation.more:
        yield f"In more than {count}; --limit shows more of them"
    elif explanation.more is None:
        yield f"In {count} or more"
    else:
        yield f"In {count}"
    for deviation in found:
        # Without a number: theirs in Δ, by which other commands ask, is not known.
        besides = deviation.new - explanation.new
        yield (
            f"One with {plural(len(deviation), 'transition')}, "
            f"{len(besides):,} new besides these"
        )
        yield from _table(explanation, besides, most)


def explanation_dict(explanation: Explanation, title: str) -> dict[str, Any]:
    """Return an explanation; `None` stands for what is not known or not asked.

    Args:
        explanation: What to tell.
        title: What a person calls the case.
    """
    cut, trace = explanation.cut, explanation.trace
    return {
        "schema": SCHEMA,
        "title": title,
        "status": explanation.status,
        "reason": explanation.reason,
        "environment": environment_dict(explanation.environment),
        "nominal": _rows(explanation.nominal),
        "new": _rows(explanation.new),
        "inside": explanation.inside,
        "cut": None if cut is None else _rows(cut.transitions),
        "trace": None if trace is None else trace_dict(trace),
        "idle": _rows_if_known(explanation.idle),
        "inert": _rows_if_known(explanation.inert),
        "addable": _rows_if_known(explanation.addable),
        "excluded": _rows_if_known(explanation.excluded),
        "deviations": sorted(_rows(d) for d in explanation.deviations),
        "more": explanation.more,
        "versions": versions(),
    }


def _rows(transitions: Iterable[Transition]) -> list[list[int | str]]:
    return sorted(map(list, transitions))


def _rows_if_known(
    transitions: Iterable[Transition] | None,
) -> list[list[int | str]] | None:
    return None if transitions is None else _rows(transitions)
