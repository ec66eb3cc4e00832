"""The risk of a case as JSON.

In:  an `Assessment`, or a `Change` between two.
Out: a dictionary for `json.dumps`.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite
from typing import Any

from symrob.report.json import environment_dict, trace_dict, triples, versions
from symrob.report.risk import MEANING, missing_hazards
from symrob.risk.assessment import Assessment, Part
from symrob.risk.bounds import Importance
from symrob.risk.comparison import Change
from symrob.risk.figures import nearest

SCHEMA = "symrob/risk/1"
CHANGE_SCHEMA = "symrob/risk-change/1"


def risk_dict(risk: Assessment, title: str, *, traces: bool = False) -> dict[str, Any]:
    """Return the risk for programs.

    Args:
        risk: What to tell.
        title: What a person calls the case.
        traces: With a shortest run for each set.
    """
    hurting = missing_hazards(risk)
    # First, since the status tells whether there was time for all of it.
    classes = {
        name: _importance_dict(found)
        for name, numbers in risk.classes.items()
        if (found := risk.importance(numbers)) is not None
    }
    ranked = set(risk.ranked)
    events = [_event_dict(risk, n, n in ranked) for n in risk.told]
    place = {number: place for place, number in enumerate(risk.told)}
    sets = [
        {
            "events": sorted(map(place.__getitem__, one)),
            "probability": chance,
            "share": share,
            "breaks": risk.broken(one),
            **(
                {"trace": trace_dict(risk.cut(one).trace)}
                if traces and risk.in_time()
                else {}
            ),
        }
        for one, chance, share in risk.contributions
    ]
    return {
        "schema": SCHEMA,
        "title": title,
        "status": risk.status,
        "reason": risk.reason,
        "environment": environment_dict(risk.engine.environment),
        "meaning": list(MEANING),
        "probability": _part_dict(risk.together),
        "properties": {part.name: _part_dict(part) for part in risk.parts},
        "given_assumptions": {
            "probability": risk.conditional,
            "assumptions_kept": risk.kept,
        },
        "events": events,
        "classes": classes,
        "sets": sets,
        "missing": {
            "modes": list(risk.events.missing_modes),
            "transitions": len(risk.events.missing),
            "hazardous_alone": None if hurting is None else triples(hurting),
        },
        "overlaps": list(risk.events.overlaps),
        "timing": {
            "backend": risk.engine.context.backend,
            "seconds": round(risk.seconds, 6),
        },
        "versions": versions(),
    }


def _part_dict(part: Part) -> dict[str, Any]:
    bounds = part.bounds
    return {
        "lower": bounds.lower,
        "upper": bounds.upper,
        "exact": bounds.is_exact,
        "sets": len(part.family),
        "complete": part.is_complete,
    }


def _event_dict(risk: Assessment, number: int, inside: bool) -> dict[str, Any]:
    event = risk.event(number)
    found = risk.importance([number]) if inside else None
    return {
        "name": event.name,
        "mode": event.is_mode,
        "transitions": triples(event.transitions),
        "classes": risk.classes_of(number),
        "probability": nearest(event.chance),
        "said": event.said,
        "importance": None if found is None else _importance_dict(found),
    }


def _importance_dict(importance: Importance) -> dict[str, Any]:
    return {
        "birnbaum": importance.birnbaum,
        "criticality": importance.criticality,
        "fussell_vesely": importance.fussell_vesely,
        "raw": importance.raw,
        "rrw": importance.rrw if isfinite(importance.rrw) else None,
    }


def change_dict(
    change: Change, risks: Sequence[Assessment], names: Sequence[str]
) -> dict[str, Any]:
    """Return the same for programs."""
    return {
        "schema": CHANGE_SCHEMA,
        "designs": [
            {
                "name": name,
                "status": risk.status,
                "reason": risk.reason,
                "probability": _part_dict(risk.together),
            }
            for name, risk in zip(names, risks, strict=True)
        ],
        "only_first": change.gone,
        "only_second": change.come,
        "meaning": list(MEANING),
        "versions": versions(),
    }
