"""Random problems: the engine and the explicit baseline on the same seeds.

In:  a first seed, how many, a shape, a time-out.
Out: seconds of both for each seed; where both finish they must agree.

    python -m bench.bench_random --seed 1 --count 10 --timeout 20
"""

from __future__ import annotations

import argparse
from time import perf_counter
from typing import Any

import symrob
from bench.baselines.explicit_connected import Budget, OutOfBudget, explicit_connected
from bench.random_models import RandomProblem, Shape, random_problem
from symrob.api.result import SafetyEnvelope
from symrob.problem import Problem, Role, build_problem

SHAPE = Shape(states=4, actions=3, components=2, component_states=4)
SEED = 1
COUNT = 10


def random_problems(
    seed: int, count: int, timeout: float, shape: Shape = SHAPE
) -> list[dict[str, Any]]:
    """Measure the problems of some seeds, each in this process.

    Args:
        seed: The first seed.
        count: Number of seeds.
        timeout: Seconds for each tool and problem.
        shape: Sizes and densities.
    """
    # What is imported on first use shall not count for the first problem.
    list(_found(random_problem(seed, shape), timeout))
    return [
        _measured(number, random_problem(number, shape), timeout)
        for number in range(seed, seed + count)
    ]


def _found(problem: RandomProblem, timeout: float) -> SafetyEnvelope:
    return symrob.compute(
        problem.environment,
        problem.controller,
        problem.properties,
        problem.constraints,
        timeout=timeout,
    )


def _measured(seed: int, problem: RandomProblem, timeout: float) -> dict[str, Any]:
    start = perf_counter()
    found = _found(problem, timeout)
    delta = {frozenset(deviation) for deviation in found}
    ours = perf_counter() - start
    start = perf_counter()
    explicit: float | None = None
    try:
        theirs = explicit_connected(_checked(problem), Budget(timeout))
        explicit = perf_counter() - start
        assert found.status != "complete" or theirs == delta, f"seed {seed}"
    except OutOfBudget:
        pass
    return {
        "seed": seed,
        "status": found.status,
        "delta": len(delta),
        "candidates": len(found.engine.candidates),
        "symbolic": ours,
        "explicit": explicit,
    }


def _checked(problem: RandomProblem) -> Problem:
    return build_problem(
        Role(problem.environment, "environment"),
        Role(problem.controller, "controller"),
        [Role(p, f"property {i}") for i, p in enumerate(problem.properties)],
        [Role(c, f"constraint {i}") for i, c in enumerate(problem.constraints)],
    )


def lines(records: list[dict[str, Any]]) -> list[str]:
    """Return the records as a text table."""
    text = [f"{'seed':>6} {'new':>5} {'|Δ|':>7} {'symbolic':>12} {'explicit':>12}"]
    for r in records:
        more = "" if r["status"] == "complete" else "+"
        explicit = "TO" if r["explicit"] is None else f"{r['explicit'] * 1000:.1f} ms"
        text.append(
            f"{r['seed']:6} {r['candidates']:5} {r['delta']:6}{more or ' '} "
            f"{r['symbolic'] * 1000:9.1f} ms {explicit:>12}"
        )
    return text


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m bench.bench_random")
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--count", type=int, default=COUNT)
    parser.add_argument("--timeout", type=float, default=20.0)
    chosen = parser.parse_args()
    records = random_problems(chosen.seed, chosen.count, chosen.timeout)
    print("\n".join(lines(records)))


if __name__ == "__main__":
    main()
