"""The four algorithms that give Δ, by name.

In:  an `Engine` whose nominal system is safe, and a name.
Out: the deviations as that algorithm finds them; the set is the same for each.
"""

from __future__ import annotations

from collections.abc import Generator

from symrob.envelope.antichain import antichain
from symrob.envelope.engine import Engine
from symrob.envelope.safe_sets import Weight
from symrob.lts.deviation import Deviation


def deviations(
    engine: Engine, algorithm: str = "maximal", weight: Weight | None = None
) -> Generator[Deviation, None, None]:
    """Yield Δ by one of the algorithms.

    Args:
        engine: The problem, its preconditions checked.
        algorithm: One of `symrob.options.ALGORITHMS`.
        weight: For `maximal`: give those first that add the greatest weight.

    Raises:
        LimitExceeded: A bound was hit; see the algorithm for what the
            deviations yielded before are worth.
    """
    # The baselines are imported when they are wanted: start-up is most of what
    # the user of a small model waits for.
    if algorithm == "brute-force":
        from symrob.baselines.brute_force import brute_force

        return antichain(brute_force(engine.problem, engine.clock, engine.effort))
    if algorithm in ("connected", "plain"):
        from symrob.baselines import algorithm_1

        return antichain(
            algorithm_1.synthesise(
                engine.problem,
                algorithm_1.SEARCHES[algorithm],
                engine.backend,
                engine.clock,
                engine.effort,
            )
        )
    assert algorithm == "maximal"
    return engine.deviations(weight)
