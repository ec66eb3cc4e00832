"""One analysis in a process of its own, for the runner to measure.

In:  a tool, a case file, values of constants, a time-out in seconds.
Out: one line of JSON: `status` (complete, timeout, memory), `delta`, `largest`,
     `candidates`, `seconds` for reading the models and for the analysis, and
     what else the tool counts.

    python -m bench.worker symbolic models/pca_pump/pca_pump.toml LINES=4 --timeout 60

Tools: `symbolic` is the default algorithm; `explicit` and `literal` are the two
readings of the paper's heuristic on explicit sets.
"""

from __future__ import annotations

import argparse
import json
import resource
from dataclasses import replace
from time import perf_counter
from typing import Any

from symrob.api import Roles, analyse, load_roles
from symrob.case import load_case, parse_constants
from symrob.errors import LimitExceeded
from symrob.options import Options

TOOLS = ("symbolic", "explicit", "literal")


def run(
    tool: str, path: str, constants: list[str], timeout: float, limit: int | None
) -> dict[str, Any]:
    """Read the case, run the tool, and return the figures."""
    start = perf_counter()
    case = load_case(path)
    given = parse_constants(constants)
    roles = load_roles(replace(case, constants={**case.constants, **given}))
    parsed = perf_counter()
    try:
        if tool == "symbolic":
            figures = _symbolic(roles, timeout, limit)
        else:
            figures = _explicit(roles, timeout, literal=tool == "literal")
    except LimitExceeded as error:
        # The bound was hit before the first deviation was looked for.
        figures = {"status": error.reason}
    except MemoryError:
        figures = {"status": "memory"}
    figures["seconds"] = {"read": parsed - start, "analysis": perf_counter() - parsed}
    return figures


def _symbolic(roles: Roles, timeout: float, limit: int | None) -> dict[str, Any]:
    found = analyse(roles, Options(timeout=timeout, limit=limit))
    count, largest = 0, 0
    for deviation in found:
        count += 1
        largest = max(largest, len(deviation))
    engine = found.engine
    return {
        "status": found.status,
        "delta": count,
        "largest": largest,
        "candidates": len(engine.candidates),
        "environment_states": engine.environment.size,
        "images": engine.context.images,
        "peak_nodes": engine.context.peak_nodes,
        "stages": dict(engine.effort.seconds),
    }


def _explicit(roles: Roles, timeout: float, *, literal: bool) -> dict[str, Any]:
    from bench.baselines.explicit_connected import (
        Budget,
        OutOfBudget,
        explicit_connected,
    )
    from symrob.problem import build_problem

    problem = build_problem(
        roles.environment, roles.controller, roles.properties, roles.constraints
    )
    budget = Budget(seconds=timeout)
    try:
        delta = explicit_connected(problem, budget, literal=literal)
    except OutOfBudget:
        return {"status": "timeout", "sets": budget.sets, "states": budget.states}
    return {
        "status": "complete",
        "delta": len(delta),
        "largest": max(len(d) for d in delta),
        "sets": budget.sets,
        "states": budget.states,
    }


def main() -> None:
    """Print the figures of one analysis."""
    parser = argparse.ArgumentParser(prog="python -m bench.worker")
    parser.add_argument("tool", choices=TOOLS)
    parser.add_argument("case")
    parser.add_argument("constants", nargs="*", metavar="NAME=VALUE")
    parser.add_argument("--timeout", type=float, default=60.0)
    parser.add_argument("--limit", type=int)
    parser.add_argument("--memory", type=float, default=4.0, help="bound in GiB")
    chosen = parser.parse_args()
    bound = int(chosen.memory * 2**30)
    resource.setrlimit(resource.RLIMIT_AS, (bound, bound))
    print(
        json.dumps(
            run(
                chosen.tool,
                chosen.case,
                chosen.constants,
                chosen.timeout,
                chosen.limit,
            )
        )
    )


if __name__ == "__main__":
    main()
