"""Two designs compared over fault modes: the verdict, and what shows it.

In:  a `ModeComparison`, and what its sides are called.
Out: lines of text, or a dictionary for `json.dumps`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any

from symrob.analyses.compare import Unassumed
from symrob.analyses.mode_compare import ModeComparison, ModeWitness
from symrob.envelope.engine import Engine
from symrob.report.compare import SIDES, VERDICTS
from symrob.report.json import asked_dict, environment_dict, trace_dict, versions
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


def comparison_dict(
    engine: Engine,
    comparison: ModeComparison,
    names: Sequence[str],
    unassumed: Unassumed | None,
) -> dict[str, Any]:
    """Return a comparison for programs; the engine is that of either side."""
    return {
        "schema": SCHEMA,
        "status": comparison.status,
        "reason": comparison.reason,
        "sides": list(names),
        "environment": environment_dict(engine.environment),
        "modes": asked_dict(engine.problem)["modes"],
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
