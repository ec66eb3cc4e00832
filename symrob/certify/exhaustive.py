"""Every set of new transitions, tried on explicit states.

In:  a checked `Problem`.
Out: all maximal safe sets, largest first.

This stands on `closed_loop` alone: it is the oracle for all other algorithms.

Source: docs/sources.md [S1], Sect. 5.1.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import combinations

from symrob.certify.closed_loop import ExplicitLoop
from symrob.limits import Clock
from symrob.lts import Transition
from symrob.problem import Problem


def every_maximal(
    problem: Problem, clock: Clock, on_judged: Callable[[], None] = lambda: None
) -> Iterator[frozenset[Transition]]:
    """Yield every maximal safe set of new transitions, each once, largest first.

    Sets are tried from the largest down. A safe one that is no subset of one
    found before is maximal, since every larger set has been tried.

    Args:
        problem: The checked problem; the nominal system is safe.
        clock: Asked at every set whether the run may go on.
        on_judged: Called for each set that is judged.

    Raises:
        LimitExceeded: A bound was hit; what was yielded before is valid.

    Cost: one search of the closed loop for each of up to 2^|A minus R_E| sets;
        memory does not grow with the number of sets.
    """
    environment = problem.environment
    new = problem.candidates
    alone = ExplicitLoop(environment, None, problem.constraints)
    together = ExplicitLoop(environment, problem.controller, problem.properties)
    found: list[frozenset[Transition]] = []
    for size in range(len(new), -1, -1):
        for chosen in combinations(new, size):
            clock.check()
            added = frozenset(chosen)
            if any(added <= other for other in found):
                continue
            on_judged()
            if alone.is_safe(added, clock) and together.is_safe(added, clock):
                found.append(added)
                yield added
