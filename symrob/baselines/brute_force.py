"""The brute-force algorithm of the paper: every set of new transitions is tried.

In:  a checked `Problem`.
Out: all maximal robust deviations, largest first.

Source: docs/sources.md [S1], Sect. 5.1.
"""

from __future__ import annotations

from collections.abc import Generator

from symrob.certify.check import ExplicitTransitions, every_maximal
from symrob.envelope.effort import Effort
from symrob.limits import Clock
from symrob.lts.deviation import Deviation
from symrob.problem import Problem


def brute_force(
    problem: Problem, clock: Clock, effort: Effort
) -> Generator[Deviation, None, None]:
    """Yield every maximal robust deviation, each once, by decreasing size.

    Args:
        problem: The checked problem; the nominal system is safe.
        clock: Checked at every set.
        effort: Counts the sets that were judged.

    Raises:
        LimitExceeded: A bound was hit; the deviations yielded before are valid.

    Cost: see `every_maximal`.
    """
    environment = problem.environment
    nominal = environment.visible_transitions

    def judged() -> None:
        effort.sets_visited += 1

    for added in every_maximal(ExplicitTransitions(problem), clock, judged):
        yield Deviation(nominal, added, environment)
