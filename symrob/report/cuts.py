"""Minimal unsafe sets as text, as JSON, and as JSON lines while they come.

In:  `Cuts`, yet to be found.
Out: lines of text, or dictionaries for `json.dumps`.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import Any, Literal

from symrob.analyses.cuts import Cut, Cuts
from symrob.errors import Trace
from symrob.report.json import dumps, environment_dict, trace_dict, versions
from symrob.report.text import (
    limited,
    plural,
    printable,
    trace_lines,
    transition_lines,
    wrapped,
)

SCHEMA = "symrob/cuts/1"
LINES_SCHEMA = "symrob/cuts-lines/1"
# Of the transitions that are unsafe alone, unless all are asked for.
MOST_LINES = 40

Runs = Literal["none", "short", "full"]


def cut_lines(
    cuts: Cuts, title: str, *, runs: Runs = "short", everything: bool = False
) -> Iterator[str]:
    """Yield each set as soon as it is found; single transitions in one table.

    Args:
        cuts: The sets.
        title: What a person calls the case; may be empty.
        runs: Whether to show how each set breaks the system: not at all, as a
            line of actions for sets of two and more, or step by step for all.
        everything: Print the table whole.
    """
    if title:
        yield printable(title)
    if cuts.smallest:
        for cut in cuts:
            yield from _set_lines(cuts, "A smallest unsafe set", cut, runs)
        return
    singles: list[Cut] = []
    larger: list[Cut] = []
    for cut in cuts:
        if len(cut) > 1:
            larger.append(cut)
            break
        singles.append(cut)
    if singles:
        most = None if everything else MOST_LINES
        yield from _single_lines(cuts, singles, most)
    if runs == "full":
        for number, cut in enumerate(singles, 1):
            yield from _set_lines(cuts, f"Set {number:,}", cut, runs)
    for number, cut in enumerate(chain(larger, cuts), len(singles) + 1):
        yield from _set_lines(cuts, f"Set {number:,}", cut, runs)


def _single_lines(cuts: Cuts, singles: list[Cut], most: int | None) -> Iterator[str]:
    yield f"Unsafe alone: {plural(len(singles), 'transition')}"
    transitions = (t for cut in singles for t in cut.transitions)
    lines = transition_lines(cuts.environment, transitions, frozenset())
    for line in limited(lines, most):
        yield f"  {line}"


def _set_lines(cuts: Cuts, title: str, cut: Cut, runs: Runs) -> Iterator[str]:
    yield ""
    yield f"{title}: {plural(len(cut), 'transition')}"
    for line in transition_lines(cuts.environment, cut.transitions, frozenset()):
        yield f"  {line}"
    if runs == "short":
        name, run = printable(cut.trace.violated), _actions(cut.trace)
        yield from wrapped(f"  violates {name} by {run}")
    elif runs == "full":
        yield f"  violates {printable(cut.trace.violated)}:"
        yield from trace_lines(cut.trace)


def _actions(trace: Trace) -> str:
    """The actions of a run; a `+` marks added transitions."""
    steps = (s.action + (" +" if s.added else "") for s in trace.steps)
    return printable(", ".join(steps)) or "doing nothing"


def verdict_lines(cuts: Cuts) -> Iterator[str]:
    """Yield what the sets amount to, once all that were asked for came."""
    if not cuts.as_asked:
        yield _count(cuts)
    yield _resilience(cuts)


def _count(cuts: Cuts) -> str:
    kind = plural(cuts.sizes.total(), "minimal unsafe set")
    if cuts.order is not None:
        kind += f" of up to {plural(cuts.order, 'transition')}"
    sizes = ", ".join(f"{n:,} of size {size}" for size, n in sorted(cuts.sizes.items()))
    listed = f": {sizes}" if sizes else ""
    if cuts.status != "complete":
        return f"Incomplete ({cuts.reason}): {kind} so far{listed}"
    return f"{kind}{listed}; {cuts.seconds:.3f} s"


def _resilience(cuts: Cuts) -> str:
    harmless = cuts.harmless
    if cuts.resilience == 1:
        return "Resilience 1: a single added transition can break the system"
    if cuts.resilience is not None:
        return (
            f"Resilience {cuts.resilience}: any {plural(harmless, 'added transition')} "
            f"{_is(harmless)} harmless, {cuts.resilience:,} can break the system"
        )
    if harmless == len(cuts.engine.candidates):
        return "Nothing that is added can break the system"
    if harmless == 0:
        return "Resilience unknown"
    return (
        f"Resilience above {harmless:,}: any {plural(harmless, 'added transition')} "
        f"{_is(harmless)} harmless"
    )


def _is(count: int) -> str:
    return "is" if count == 1 else "are"


def cuts_dict(cuts: Cuts, title: str, *, traces: bool) -> dict[str, Any]:
    """Return all sets; iterates over them.

    Args:
        cuts: The sets.
        title: What a person calls the case.
        traces: With a shortest run for each set.
    """
    found = [_cut_dict(cut, traces) for cut in cuts]
    found.sort(key=lambda cut: (len(cut["transitions"]), cut["transitions"]))
    return {
        "schema": SCHEMA,
        "title": title,
        "environment": environment_dict(cuts.environment),
        "cuts": found,
        **_end_dict(cuts),
        "timing": {
            "backend": cuts.engine.context.backend,
            "seconds": round(cuts.seconds, 6),
        },
        "versions": versions(),
    }


def cuts_json_lines(cuts: Cuts, title: str, *, traces: bool) -> Iterator[str]:
    """Yield JSON lines: what is asked, each set when it is found, the end.

    Args:
        cuts: The sets.
        title: What a person calls the case.
        traces: With a shortest run for each set.
    """
    yield dumps(
        {
            "schema": LINES_SCHEMA,
            "title": title,
            "environment": environment_dict(cuts.environment),
            "versions": versions(),
        }
    )
    for cut in cuts:
        yield dumps(_cut_dict(cut, traces))
    yield dumps(_end_dict(cuts))


def _cut_dict(cut: Cut, traces: bool) -> dict[str, Any]:
    data: dict[str, Any] = {"transitions": sorted(map(list, cut.transitions))}
    if traces:
        data["trace"] = trace_dict(cut.trace)
    return data


def _end_dict(cuts: Cuts) -> dict[str, Any]:
    return {
        "status": cuts.status,
        "reason": cuts.reason,
        "order": cuts.order,
        "resilience": cuts.resilience,
        "harmless": cuts.harmless,
        "sizes": {str(size): count for size, count in sorted(cuts.sizes.items())},
    }
