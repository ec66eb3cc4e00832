"""Δ over fault modes of an environment in independent parts: text and JSON.

In:  a `PartsEnvelope`, computed or yet to be.
Out: lines of text, or the result as `report.json` gives it, `delta` being null.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from symrob.analyses.hazards import SAID, VERDICTS
from symrob.analyses.modes import alone
from symrob.api.parts import PartsEnvelope
from symrob.report.json import (
    diagnostic_dict,
    dumps,
    versions,
)
from symrob.report.modes import MODE, named_lines
from symrob.report.result import WHOLE
from symrob.report.text import plural, printable


def envelope_lines(envelope: PartsEnvelope, title: str) -> Iterator[str]:
    """Yield the modes by their verdict, and each maximal set as soon as it is found."""
    count = len(envelope.modes)
    if title:
        yield printable(title)
    yield (
        f"Environment: {plural(len(envelope.network.components), 'component')} in "
        f"{plural(len(envelope.engines), 'independent part')}, not multiplied out; "
        f"{plural(count, MODE)} could happen"
    )
    judged: dict[str, list[str]] = {verdict: [] for verdict in VERDICTS}
    for engine in envelope.engines:
        for verdict, chosen in alone(engine).items():
            judged[verdict] += engine.mode_sets.units.names(chosen)
    for verdict in VERDICTS[1:]:
        if judged[verdict]:
            yield ""
            head = f"{SAID[verdict].capitalize()} alone: "
            yield from named_lines(head, sorted(judged[verdict]))
    tolerated = set(judged["tolerated"])
    for number, (modes,) in enumerate(envelope, 1):
        yield ""
        head = f"Set {number:,}: {len(modes):,} of {plural(count, MODE)}"
        lacking = sorted(tolerated.difference(modes))
        if modes and not lacking:
            said = "all" if len(modes) == count else "all that are tolerated alone"
            yield from named_lines(f"{head}, {said}: ", modes)
        elif len(lacking) < len(modes):
            yield from named_lines(f"{head}: those tolerated alone without ", lacking)
        else:
            yield from named_lines(f"{head}: ", modes or ("none",))


def verdict_lines(envelope: PartsEnvelope) -> Iterator[str]:
    """Yield what Δ amounts to, once all of it is there."""
    found = len(envelope)
    most = max((len(each.modes) for each in envelope), default=0)
    what = plural(found, "maximal set")
    if envelope.status != "complete":
        yield f"Incomplete ({envelope.reason}): {what} of fault modes so far"
        return
    yield (
        f"|Δ| = {found:,}: {what} of fault modes, of at most {most:,}; "
        f"{envelope.clock.elapsed:.3f} s"
    )


def _environment(envelope: PartsEnvelope) -> dict[str, Any]:
    network = envelope.network
    return {
        "alphabet": list(network.alphabet),
        "components": [
            {
                "name": name,
                "alphabet": list(part.alphabet),
                "states": part.size,
                "names": [part.state_name(q) for q in range(part.size)],
                "transitions": [list(t) for t in part.transitions],
            }
            for name, part in zip(
                network.component_names, network.components, strict=True
            )
        ],
    }


def result_dict(envelope: PartsEnvelope, title: str) -> dict[str, Any]:
    """Return a result; iterates over all sets."""
    sets = sorted(list(each.modes) for each in envelope)
    figures = [engine.statistics for engine in envelope.engines]
    return {
        "schema": f"symrob/result/{WHOLE}",
        "title": title,
        "status": envelope.status,
        "algorithm": "maximal",
        "environment": _environment(envelope),
        "delta": None,
        "modes": envelope.held(),
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
            "backend": envelope.engines[0].context.backend,
            "seconds": round(envelope.clock.elapsed, 6),
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
            "environment": _environment(envelope),
            "modes": envelope.held(),
            "versions": versions(),
        }
    )
    found = 0
    for (modes,) in envelope:
        found += 1
        yield dumps({"deviation": None, "modes": list(modes)})
    yield dumps({"status": envelope.status, "delta": found})
