"""The four algorithms that compute Δ, by name.

In:  an `Engine` whose nominal system is safe, and a name.
Out: the deviations in the order of that algorithm; all algorithms find the same set.
"""

from __future__ import annotations

from collections.abc import Generator

from symrob.envelope.antichain import antichain
from symrob.envelope.engine import Engine
from symrob.envelope.mode_sets import ModeWeight
from symrob.envelope.safe_sets import Weight
from symrob.lts.deviation import Deviation


def deviations(
    engine: Engine,
    algorithm: str = "maximal",
    weight: Weight | None = None,
    mode_weight: ModeWeight | None = None,
) -> Generator[Deviation, None, None]:
    """Yield Δ by one of the algorithms.

    Args:
        engine: The problem, with its preconditions checked.
        algorithm: One of `symrob.options.ALGORITHMS`.
        weight: For `maximal`: yield the deviations with the greatest weight first.
        mode_weight: The same for fault modes.

    Raises:
        LimitExceeded: A bound was hit; the algorithm documents what holds for the
            deviations yielded before.
    """
    # The baselines are imported when they are wanted: start-up is most of what
    # the user of a small model waits for.
    problem = engine.problem
    if algorithm != "maximal":
        problem.require_no_budget(f"--algorithm {algorithm}")
    if problem.units is not None and algorithm != "maximal":
        from symrob.baselines import modes

        if algorithm == "brute-force":
            return modes.brute_force(problem, engine.clock, engine.effort)
        found = _by_algorithm_1(engine, algorithm)
        return modes.read_in_modes(problem, found, algorithm)
    if algorithm == "brute-force":
        from symrob.baselines.brute_force import brute_force

        return antichain(brute_force(engine.problem, engine.clock, engine.effort))
    if algorithm in ("connected", "plain"):
        return antichain(_by_algorithm_1(engine, algorithm))
    assert algorithm == "maximal"
    return engine.deviations(weight, mode_weight)


def _by_algorithm_1(engine: Engine, algorithm: str) -> Generator[Deviation, None, None]:
    from symrob.baselines import algorithm_1

    return algorithm_1.synthesise(
        engine.problem,
        algorithm_1.SEARCHES[algorithm],
        engine.backend,
        engine.clock,
        engine.effort,
    )
