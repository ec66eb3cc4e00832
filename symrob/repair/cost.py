"""The cost of guards: how much they forbid.

In:  a `GuardFacts`, and guards.
Out: a `Cost`.

Lost steps of the plan count first, then whether it loses any trace: a guard with memory
can refuse a step after some traces and permit it after others. Then come the memory of
a guard, the number of components that it reads, and the number of states in which it
refuses. So a guard on one component comes before one that reads two and refuses less
often. More guards never cost less.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from symrob.repair.components import MEMORY
from symrob.repair.guards import Guards
from symrob.repair.known import GuardFacts


class Cost(NamedTuple):
    """How much guards forbid, compared lexicographically; less is better.

    Attributes:
        lost: Lost steps of the plan: an action of C in a state of E and of C, as
            planned, that no trace takes any more.
        loses_trace: Whether a trace of the plan is lost; always so if a step is.
        memory: Number of memory states; 0 if C's own states suffice.
        components: Number of components that each guard reads, at least one, in total.
        refused: States of C in which an action is refused, whatever E does, counted
            once for each such action. C is determinised, with or without the guards.
    """

    lost: int
    loses_trace: bool
    memory: int
    components: int
    refused: int

    @property
    def loss(self) -> tuple[int, bool, int]:
        """What is lost: of the plan, and of other behaviour of C."""
        return self.lost, self.loses_trace, self.refused


def cost(known: GuardFacts, guards: Sequence[Guards]) -> Cost:
    """Return how much some guards together forbid.

    Args:
        known: C, with the memories of the guards.
        guards: One or more.

    Raises:
        LimitExceeded: A bound was hit.

    Cost: a few operations on BDDs if nothing of the plan is lost, otherwise a search of
        the plan.
    """
    every = [guard for one in guards for guard in one.guards]
    memories = [one.memory.size for one in guards if one.memory.size > 1]
    looked = sum(
        max(1, len({*g.looks_at} - {(MEMORY, one.memory)}))
        for one in guards
        for g in one.guards
    )
    refused = known.refused(every)
    loses_trace = known.loses_trace(refused)
    lost = known.lost(refused) if loses_trace else 0
    return Cost(lost, loses_trace, sum(memories), looked, known.states(every))
