"""Δ over fault modes of an environment in independent parts, as JSON.

In:  a `PartsEnvelope`, computed or yet to be.
Out: the result as `report.result` gives it, `delta` being null.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from symrob.api.mode_result import PartsEnvelope
from symrob.report.json import diagnostic_dict, dumps, problem_dict, versions
from symrob.report.result import WHOLE


def result_dict(envelope: PartsEnvelope, title: str) -> dict[str, Any]:
    """Return a result; iterates over all sets."""
    sets = sorted(list(each.modes) for each in envelope)
    figures = [engine.statistics for engine in envelope.asked.engines]
    return {
        "schema": f"symrob/result/{WHOLE}",
        "title": title,
        "status": envelope.status,
        "algorithm": "maximal",
        **problem_dict(envelope.asked),
        "delta": None,
        "delta_modes": sets,
        "statistics": {
            "actions": sum(each.actions for each in figures),
            "environment_states": None,
            "controller_states": None,
            "property_states": None,
            "winning_set": None,
            "winning_set_per_env_deviation": None,
            "candidates": len(envelope.modes),
            "delta": len(sets),
            "largest": None,
        },
        "warnings": [diagnostic_dict(w) for w in envelope.warnings],
        "timing": {
            "backend": envelope.asked.engines[0].context.backend,
            "seconds": round(envelope.seconds, 6),
        },
        "versions": versions(),
    }


def result_lines(envelope: PartsEnvelope, title: str) -> Iterator[str]:
    """Yield a result as JSON lines while it is being computed."""
    yield dumps(
        {
            "schema": f"symrob/result-lines/{WHOLE}",
            "title": title,
            "algorithm": "maximal",
            **problem_dict(envelope.asked),
            "versions": versions(),
        }
    )
    found = 0
    for (modes,) in envelope:
        found += 1
        yield dumps({"deviation": None, "modes": list(modes)})
    yield dumps({"status": envelope.status, "delta": found})
