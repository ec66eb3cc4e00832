"""The brute-force algorithm: every set of new transitions, on explicit states.

In:  a checked `Problem`.
Out: all maximal robust deviations, largest first.

This is the paper's baseline, and the oracle for all other algorithms: it
stands on `explicit_loop` alone.

Source: docs/sources.md [S1], Sect. 5.1.
"""

from __future__ import annotations

from collections.abc import Generator
from itertools import combinations

from symrob.certify.closed_loop import ExplicitLoop
from symrob.envelope.effort import Effort
from symrob.limits import Clock
from symrob.lts import Transition
from symrob.lts.deviation import Deviation
from symrob.problem import Problem


def brute_force(
    problem: Problem, clock: Clock, effort: Effort
) -> Generator[Deviation, None, None]:
    """Yield every maximal robust deviation, each once, by decreasing size.

    Sets are tried from the largest down. A robust one that is no subset of one
    found before is maximal, since every larger set has been tried.

    Args:
        problem: The checked problem; the nominal system is safe.
        clock: Asked at every set whether the run may go on.
        effort: Counts the sets that were judged.

    Raises:
        LimitExceeded: A bound was hit; what was yielded before is valid.

    Cost: one search of the closed loop for each of up to 2^|A minus R_E| sets;
        memory does not grow with the number of sets.
    """
    environment = problem.environment
    nominal = environment.visible_transitions
    new = [
        t
        for q in range(environment.size)
        for a in environment.alphabet
        for r in range(environment.size)
        if (t := Transition(q, a, r)) not in nominal
    ]
    alone = ExplicitLoop(environment, None, problem.constraints)
    together = ExplicitLoop(environment, problem.controller, problem.properties)
    found: list[frozenset[Transition]] = []
    for size in range(len(new), -1, -1):
        for chosen in combinations(new, size):
            clock.check()
            added = frozenset(chosen)
            if any(added <= other for other in found):
                continue
            effort.sets_visited += 1
            if alone.is_safe(added, clock) and together.is_safe(added, clock):
                found.append(added)
                yield Deviation(nominal, added, environment)
