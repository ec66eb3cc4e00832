"""Results as JSON, schema `symrob/result/1`.

In:  a `SafetyEnvelope`.
Out: a dictionary for `json.dumps`: sorted, so that two runs of one problem
     differ in `timing` only.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict
from typing import Any

from symrob.api.result import SafetyEnvelope
from symrob.errors import Diagnostic, Trace
from symrob.lts import Lts, Transition
from symrob.version import VERSION

SCHEMA = "symrob/result/1"
# What a terminal obeys, of what JSON lets stand as it is: control characters, and
# those that turn text around or end a line. All of them stand in strings only.
_UNSEEN = (
    "[\x7f-\x9f\xad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\ud800-\udfff\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
LINES_SCHEMA = "symrob/result-lines/1"


def dumps(data: Mapping[str, Any]) -> str:
    """Format as JSON on one line with sorted keys, fit to be shown on a terminal."""
    text = json.dumps(data, sort_keys=True, ensure_ascii=False)
    return re.sub(_UNSEEN, lambda found: json.dumps(found[0])[1:-1], text)


def triples(transitions: Iterable[Transition]) -> list[list[Any]]:
    """Return transitions as lists, sorted."""
    return sorted(map(list, transitions))


def versions() -> dict[str, str]:
    """Return the versions of symrob and of the packages that compute."""
    # It brings the library for electronic mail along: a tenth of a start.
    from importlib.metadata import PackageNotFoundError, version

    found = {"symrob": VERSION}
    for package in ("dd", "python-sat"):
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found


def result_lines(envelope: SafetyEnvelope, title: str) -> Iterator[str]:
    """Yield a result as JSON lines while it is being computed.

    The first line is the result without its deviations, each next one is a
    deviation in the order in which they are found, and the last one tells the
    status. Nothing is kept but what iterating keeps.

    Args:
        envelope: Δ, computed or yet to be.
        title: What a person calls the case.
    """
    yield dumps(
        {
            "schema": LINES_SCHEMA,
            "title": title,
            "algorithm": envelope.algorithm,
            "environment": environment_dict(envelope.environment),
            "versions": versions(),
        }
    )
    found = 0
    for deviation in envelope:
        found += 1
        yield dumps({"deviation": triples(deviation)})
    yield dumps({"status": envelope.status, "delta": found})


def environment_dict(environment: Lts) -> dict[str, Any]:
    """Return an environment with the names of its states."""
    return {
        "alphabet": list(environment.alphabet),
        "states": environment.size,
        "names": [environment.state_name(q) for q in range(environment.size)],
        "transitions": [list(t) for t in environment.transitions],
    }


def result_dict(envelope: SafetyEnvelope, title: str) -> dict[str, Any]:
    """Return a result; iterates over all deviations.

    Args:
        envelope: Δ, computed or yet to be.
        title: What a person calls the case.
    """
    delta = sorted(triples(deviation) for deviation in envelope)
    statistics = asdict(envelope.statistics)
    statistics["delta"] = len(delta)
    statistics["largest"] = max(map(len, delta), default=0)
    return {
        "schema": SCHEMA,
        "title": title,
        "status": envelope.status,
        "algorithm": envelope.algorithm,
        "environment": environment_dict(envelope.environment),
        "delta": delta,
        "statistics": statistics,
        "warnings": [diagnostic_dict(w) for w in envelope.warnings],
        "timing": {
            "backend": envelope.engine.context.backend,
            "seconds": round(envelope.seconds, 6),
        },
        "versions": versions(),
    }


def diagnostic_dict(diagnostic: Diagnostic) -> dict[str, Any]:
    """Return a diagnostic without the fields that are empty."""
    return {k: v for k, v in asdict(diagnostic).items() if v is not None}


def trace_dict(trace: Trace) -> dict[str, Any]:
    """Return a trace: its start, its steps, what it violates."""
    data = asdict(trace)
    del data["components"]
    return data
