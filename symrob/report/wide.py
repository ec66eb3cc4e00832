"""An answer with too many transitions to list: counted, by verdict and by action.

In:  a `SafetyEnvelope` of an environment of which very many transitions are tolerated
     alone.
Out: lines of text or a compact result, and what was not asked.

Where all that is tolerated alone is safe together, it is the one maximal deviation, and
its counts say it all. Else each maximal deviation leaves out a part of it, as large to
write down; they are not searched. Compact JSON would list what is tolerated, to number
it, so there no deviation is written in either case.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import fields
from typing import Any

from symrob.analyses.deadlocks import LISTED
from symrob.api.result import SafetyEnvelope
from symrob.envelope.engine import Statistics
from symrob.report.json import asked_dict, diagnostic_dict, environment_dict, versions
from symrob.report.listing import counted_or_listed
from symrob.report.result import COMPACT, verdict_counts
from symrob.report.summary import MOST_BEFORE, preface_lines
from symrob.report.text import plural, printable, wrapped


def is_wide(envelope: SafetyEnvelope) -> bool:
    """Whether more is tolerated alone than anybody wants to see listed.

    Raises:
        LimitExceeded: A bound was hit while screening.
    """
    engine = envelope.engine
    if envelope.algorithm != "maximal" or engine.problem.units is not None:
        return False
    return len(engine.candidates) > LISTED and len(engine.safe_sets.alone) > LISTED


def wide_lines(envelope: SafetyEnvelope, title: str) -> Generator[str, None, str]:
    """Yield what is known; return why something is missing, empty if nothing is."""
    environment, sets = envelope.environment, envelope.engine.safe_sets
    if title:
        yield printable(title)
    yield (
        f"Environment: {plural(environment.size, 'state')}, "
        f"{plural(len(environment.alphabet), 'action')}, "
        f"{plural(len(environment.transitions), 'transition')}; "
        f"{plural(len(envelope.engine.candidates), 'transition')} could be added"
    )
    summary = yield from preface_lines(envelope, listed=False)
    many = len(sets.alone)
    yield ""
    if sets.unbroken:
        largest = many + len(environment.visible_transitions)
        yield (
            f"|Δ| = 1: the maximal deviation adds all that is tolerated; |d_max| = "
            f"{largest:,}, {many:,} of them new; {envelope.seconds:.3f} s"
        )
        return ""
    yield f"Tolerated alone: {many:,}"
    yield from counted_or_listed(summary, sets.alone, MOST_BEFORE, "symrob summary")
    yield ""
    reason = (
        f"maximal deviations among {many:,} transitions are not searched; "
        "--among EXPR asks about some"
    )
    yield from wrapped(f"Incomplete: {reason}")
    return reason


def wide_dict(envelope: SafetyEnvelope, title: str) -> tuple[dict[str, Any], str]:
    """Return a result that lists nothing, and why, as `symrob/result/2`.

    The figures of Table 1 that need a search of F are not known.
    """
    engine = envelope.engine
    many = len(engine.safe_sets.alone)
    reason = (
        f"{many:,} transitions that are tolerated are counted and not listed; "
        "--among EXPR asks about some"
    )
    statistics: dict[str, Any] = {
        **{f.name: None for f in fields(Statistics)},
        "actions": len(engine.problem.actions),
        "environment_states": engine.environment.size,
        "candidates": len(engine.candidates),
        "delta": 0,
        "largest": 0,
    }
    data = {
        "algorithm": envelope.algorithm,
        "delta": [],
        "schema": f"symrob/result/{COMPACT}",
        "title": title,
        "status": "limit",
        "environment": environment_dict(engine.environment),
        **asked_dict(engine.problem),
        "statistics": statistics,
        "verdicts": verdict_counts(envelope),
        "warnings": [diagnostic_dict(w) for w in envelope.warnings],
        "timing": {
            "backend": engine.context.backend,
            "seconds": round(envelope.seconds, 6),
        },
        "tolerated": [],
        "versions": versions(),
    }
    return data, reason
