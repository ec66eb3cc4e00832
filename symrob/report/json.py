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

from symrob.analyses.hazards import alone_soon
from symrob.api.result import SafetyEnvelope
from symrob.errors import Diagnostic, Trace
from symrob.limits import Stages
from symrob.lts import Lts, Transition
from symrob.problem import Problem
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
            **asked_dict(envelope.engine.problem),
            "versions": versions(),
        }
    )
    found = 0
    for deviation in envelope:
        found += 1
        line: dict[str, Any] = {"deviation": triples(deviation)}
        if deviation.modes is not None:
            line["modes"] = list(deviation.modes)
        yield dumps(line)
    verdicts = verdict_counts(envelope)
    yield dumps({"status": envelope.status, "delta": found, "verdicts": verdicts})


def environment_dict(environment: Lts) -> dict[str, Any]:
    """Return an environment with the names of its states."""
    return {
        "alphabet": list(environment.alphabet),
        "states": environment.size,
        "names": [environment.state_name(q) for q in range(environment.size)],
        "transitions": [list(t) for t in environment.transitions],
    }


def asked_dict(problem: Problem) -> dict[str, Any]:
    """Return what is asked about, where it is not every candidate by itself.

    A mode is the list of its transitions of E, `[source, action, target]`, or of
    components of E, `[component, source, action, target]`.
    """
    data: dict[str, Any] = {}
    if problem.among is not None:
        data["among"] = triples(problem.among)
    if (units := problem.units) is not None:
        composed = units.network is not None
        data["modes"] = {
            mode.name: sorted(map(list, mode.local if composed else mode.transitions))
            for mode in units.modes
        }
    return data


def result_dict(envelope: SafetyEnvelope, title: str) -> dict[str, Any]:
    """Return a result; iterates over all deviations.

    Args:
        envelope: Δ, computed or yet to be.
        title: What a person calls the case.
    """
    found = sorted((triples(d), list(d.modes or ())) for d in envelope)
    delta = [transitions for transitions, _modes in found]
    asked = asked_dict(envelope.engine.problem)
    if "modes" in asked:
        asked["delta_modes"] = [modes for _transitions, modes in found]
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
        **asked,
        "statistics": statistics,
        "verdicts": verdict_counts(envelope),
        "warnings": [diagnostic_dict(w) for w in envelope.warnings],
        "timing": {
            "backend": envelope.engine.context.backend,
            "seconds": round(envelope.seconds, 6),
        },
        "versions": versions(),
    }


def verdict_counts(envelope: SafetyEnvelope) -> dict[str, int] | None:
    """Return how many candidates alone have each verdict.

    What breaks an assumption is `undecided` where more than that would take long;
    `None` where a bound was hit before, for algorithms that judge no candidates, and
    for fault modes.
    """
    modal = envelope.engine.problem.units is not None
    if modal or envelope.algorithm != "maximal":
        return None
    with Stages(envelope.engine.clock):
        alone = alone_soon(envelope.engine)
        return {
            "tolerated": len(alone.tolerated),
            "hazardous": len(alone.hazardous),
            "assumed-away": len(alone.assumed_away),
            "outside-assumptions": len(alone.outside),
            "undecided": len(alone.undecided),
        }
    return None


def diagnostic_dict(diagnostic: Diagnostic) -> dict[str, Any]:
    """Return a diagnostic without the fields that are empty."""
    return {k: v for k, v in asdict(diagnostic).items() if v is not None}


def trace_dict(trace: Trace) -> dict[str, Any]:
    """Return a trace: its start, its steps, what it violates."""
    data = asdict(trace)
    del data["components"]
    return data
