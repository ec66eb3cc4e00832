"""A repair as JSON, schema `symrob/repair/1`.

In:  an `Answer`, or `Suggestions`.
Out: a dictionary for `json.dumps`.
"""

from __future__ import annotations

from typing import Any

from symrob.envelope.engine import Engine
from symrob.errors import Trace
from symrob.repair.answer import Answer
from symrob.repair.forced import Forced
from symrob.repair.losses import Losses
from symrob.repair.repair import Repair
from symrob.repair.suggest import Suggestions
from symrob.repair.worth import Worth
from symrob.report.guards import guards_dict
from symrob.report.json import environment_dict, trace_dict, triples, versions
from symrob.report.suggest import suggestions_dict
from symrob.report.units import unit_rows

SCHEMA = "symrob/repair/1"


def answer_dict(answer: Answer, title: str, *, assumed: bool) -> dict[str, Any]:
    """Return an answer.

    Args:
        answer: What to tell.
        title: What a person calls the case.
        assumed: Whether what may be disabled is only assumed.
    """
    repair = answer.repair
    return {
        **_head(repair.engine, title, repair.controllable, assumed=assumed),
        "status": answer.status,
        "reason": answer.reason,
        "asked": answer.asked,
        "keep_plan": answer.keep_plan,
        "possible": answer.possible,
        "repair": _repair_dict(repair),
        "worth": None if answer.worth is None else _worth_dict(answer.worth),
        "had": [_repair_dict(one) for one in answer.had],
        "more": answer.more,
    }


def suggested_dict(
    found: Suggestions,
    engine: Engine,
    title: str,
    controllable: frozenset[str],
    *,
    assumed: bool,
) -> dict[str, Any]:
    """Return suggestions; arguments as of `answer_dict`."""
    return {
        **_head(engine, title, controllable, assumed=assumed),
        "status": found.status,
        "reason": found.reason,
        "suggestions": suggestions_dict(found),
    }


def _head(
    engine: Engine, title: str, controllable: frozenset[str], *, assumed: bool
) -> dict[str, Any]:
    return {
        "schema": SCHEMA,
        "title": title,
        "environment": environment_dict(engine.environment),
        "controllable": sorted(controllable),
        "assumed": assumed,
        "versions": versions(),
    }


def _repair_dict(repair: Repair) -> dict[str, Any]:
    return {
        "tolerate": [triples(d) for d in repair.deviations],
        "modes": [
            None if d.modes is None else list(d.modes) for d in repair.deviations
        ],
        "guards": None if repair.guards is None else guards_dict(repair.guards),
        "forced": None if repair.forced is None else _forced_dict(repair.forced),
    }


def _forced_dict(forced: Forced) -> dict[str, Any]:
    return {
        "deviation": triples(forced.deviation),
        "trace": trace_dict(forced.trace),
        "further": [list(actions) for actions in forced.further],
        "more": forced.more,
    }


def _worth_dict(worth: Worth) -> dict[str, Any]:
    with_them, compared = worth.lost_with, worth.comparison
    alone = None if compared is None else unit_rows(compared.first.alone)
    modal = compared is not None and compared.about.units is not None
    return {
        "lost": None if worth.lost is None else _losses_dict(worth.lost),
        "lost_with": None if with_them is None else [*map(_losses_dict, with_them)],
        "robustness": None if worth.comparison is None else worth.comparison.verdict,
        "without_constraints": None if worth.without is None else worth.without.verdict,
        "newly_tolerated": None if modal else alone,
        "modes": alone if modal else None,
        "checked": worth.checked,
    }


def _losses_dict(lost: Losses) -> dict[str, Any]:
    return {
        "run": _run(lost.run),
        "actions": list(lost.actions),
        "deadlock": _run(lost.deadlock),
        "livelock": _run(lost.livelock),
    }


def _run(trace: Trace | None) -> dict[str, Any] | None:
    return None if trace is None else trace_dict(trace)
