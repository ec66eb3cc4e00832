"""Two designs compared over fault modes: the verdict, and what shows it.

In:  a `ModeComparison`, and what its sides are called.
Out: lines of text, or a dictionary for `json.dumps`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any

from symrob.analyses.compare import Unassumed
from symrob.analyses.in_modes import InModes
from symrob.analyses.mode_compare import ModeComparison, ModeWitness, SurplusSets
from symrob.limits import Outcome
from symrob.report.compare import SIDES, VERDICTS
from symrob.report.json import problem_dict, trace_dict, versions
from symrob.report.modes import named_lines
from symrob.report.run import trace_lines
from symrob.report.text import printable
from symrob.words import Words

SCHEMA = "symrob/compare-modes/1"


def comparison_lines(
    comparison: ModeComparison,
    names: Sequence[str],
    words: Sequence[Words],
    unassumed: Unassumed | None,
    listed: Sequence[SurplusSets] = (),
) -> Iterator[str]:
    """Yield the verdict, a smallest set of modes for each side, and its run."""
    for side, name in zip(SIDES, names, strict=True):
        yield f"{side}  {printable(name)}"
    yield ""
    if comparison.verdict == "unknown":
        yield f"The verdict is unknown ({comparison.reason})."
    else:
        yield VERDICTS[comparison.verdict]
    for index, witness in enumerate((comparison.first, comparison.second)):
        if witness is None:
            continue
        side, other = SIDES[index], SIDES[1 - index]
        yield ""
        head = f"A smallest set that {side} tolerates and {other} does not: "
        yield from named_lines(head, witness.modes)
        yield f"A shortest run that breaks {other}:"
        yield from trace_lines(witness.trace, words[1 - index])
    if unassumed is not None:
        yield ""
        if unassumed.verdict == "unknown":
            yield f"Without the assumptions: {unassumed.reason}."
        else:
            yield f"Without the assumptions: {VERDICTS[unassumed.verdict]}"
    for index, one in enumerate(listed):
        side, other = SIDES[index], SIDES[1 - index]
        yield ""
        yield f"Maximal sets of {side} that {other} does not tolerate:"
        for number, names_of in enumerate(one.sets, 1):
            yield from named_lines(f"Set {number:,}: ", names_of)
        if one.status != "complete":
            yield f"  incomplete ({one.reason}): {len(one.sets):,} so far"
        elif not one.sets:
            yield "  none"


def comparison_dict(
    modes: InModes,
    comparison: ModeComparison,
    names: Sequence[str],
    unassumed: Unassumed | None,
    listed: Sequence[SurplusSets] = (),
) -> dict[str, Any]:
    """Return a comparison for programs; the problem is that of either side."""
    parts: tuple[Outcome, ...] = (comparison, *listed)
    stopped = next((part for part in parts if part.status != "complete"), comparison)
    delta = [[list(names) for names in sorted(one.sets)] for one in listed]
    return {
        "schema": SCHEMA,
        **({"delta_modes": delta} if listed else {}),
        "status": stopped.status,
        "reason": stopped.reason,
        "sides": list(names),
        **problem_dict(modes),
        "verdict": comparison.verdict,
        "without_constraints": None if unassumed is None else asdict(unassumed),
        "surplus": [
            _witness_dict(witness) for witness in (comparison.first, comparison.second)
        ],
        "versions": versions(),
    }


def _witness_dict(witness: ModeWitness | None) -> dict[str, Any] | None:
    if witness is None:
        return None
    return {"modes": list(witness.modes), "trace": trace_dict(witness.trace)}
