"""An explanation of fault modes, as text and for programs.

In:  a `ModeExplanation`, and what was asked.
Out: lines of text, or a dictionary for `json.dumps`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from symrob.analyses.hazards import SAID
from symrob.analyses.holding import Held
from symrob.analyses.in_modes import InModes
from symrob.analyses.modes import ModeExplanation
from symrob.report.json import problem_dict, trace_dict, versions
from symrob.report.modes import (
    mode_refused_lines,
    named_lines,
    refused_rows,
)
from symrob.report.run import trace_lines
from symrob.report.text import limited, plural, printable
from symrob.words import PLAIN, Words

SCHEMA = "symrob/explain-modes/1"


def explanation_lines(
    explanation: ModeExplanation,
    title: str,
    words: Words = PLAIN,
    held: Held | None = None,
    *,
    everything: bool = False,
) -> Iterator[str]:
    """Yield what the modes hold of what was asked, their verdict, and why."""
    most = 10**9 if everything else 30
    if title:
        yield printable(title)
    if held is not None:
        lines = (f"{said}: held by {', '.join(by)}" for said, by in held.by.items())
        yield from limited(map(printable, lines), most)
        if held.unheld:
            what = plural(held.unheld, "other transition")
            yield f"{what} that you ask about no fault mode holds"
    yield from named_lines("Fault modes: ", explanation.asked or ("none",))
    yield f"Verdict: {SAID[explanation.verdict]}"
    if explanation.cut is not None:
        yield ""
        if explanation.cut.modes == explanation.asked:
            yield "It takes all of them."
        else:
            yield from named_lines("It takes only: ", explanation.cut.modes or ())
    for trace in explanation.violations or ():
        yield ""
        yield from trace_lines(trace, words)
    if explanation.idle:
        yield from named_lines("Without effect here: ", explanation.idle)
    if explanation.addable is not None:
        some = explanation.addable[:most] or ("none",)
        yield from named_lines("Each of these could come to them: ", some)
    if explanation.excluded:
        some = explanation.excluded[:most]
        yield from named_lines("Tolerated alone, but not with them: ", some)
    for number, names in enumerate(explanation.sets, 1):
        yield from named_lines(f"Maximal set {number:,} that holds them: ", names)
    if explanation.more:
        yield "and others (--limit shows more)"
    yield from mode_refused_lines(
        "Safe only because E refuses what C offers; else a property would break:",
        explanation.refused or (),
        words,
        everything,
    )


def explanation_dict(
    modes: InModes, explanation: ModeExplanation, title: str, held: Held | None = None
) -> dict[str, Any]:
    """Return an explanation for programs."""
    cut = explanation.cut
    asked: dict[str, Any] = {}
    if held is not None and held.by:
        asked["held_by"] = {said: list(by) for said, by in held.by.items()}
    return {
        **asked,
        "schema": SCHEMA,
        "title": title,
        **problem_dict(modes),
        "asked": list(explanation.asked),
        "verdict": explanation.verdict,
        "cut": None if cut is None else list(cut.modes or ()),
        "violations": _optional(explanation.violations, trace_dict),
        "idle": _optional(explanation.idle, str),
        "addable": _optional(explanation.addable, str),
        "excluded": _optional(explanation.excluded, str),
        "delta_modes": [list(names) for names in explanation.sets],
        "more": explanation.more,
        "refused": refused_rows(modes, explanation.refused),
        "status": explanation.status,
        "reason": explanation.reason,
        "versions": versions(),
    }


def _optional(values: Iterable[Any] | None, convert: Any) -> list[Any] | None:
    return None if values is None else [convert(value) for value in values]
