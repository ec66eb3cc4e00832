"""How much some guards forbid: by this they are compared.

In:  a `GuardFacts`, and guards.
Out: a `Cost`.

What is lost of the plan comes first; then what a guard has to remember, and to how many
components it is wired; then in how many states it refuses. So a guard on one component
comes before one that looks at two and refuses more seldom. More guards cost no less.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from symrob.repair.components import MEMORY
from symrob.repair.guards import Guards
from symrob.repair.known import GuardFacts


class Cost(NamedTuple):
    """How much is forbidden; less is better, the first first.

    Attributes:
        lost: Steps of the plan that are lost: an action of C in a state of E and of C,
            as planned.
        memory: States of what has to be remembered; none if C's own tell.
        components: Components that are looked at, of each guard, and at least one.
        refused: States of C in which an action is refused, whatever E does, counted
            once for each such action. States of C are what its actions tell of it,
            with or without the guards.
    """

    lost: int
    memory: int
    components: int
    refused: int

    @property
    def loss(self) -> tuple[int, int]:
        """What is lost: of the plan, and of what else C can do."""
        return self.lost, self.refused


def cost(known: GuardFacts, guards: Sequence[Guards]) -> Cost:
    """Return what some guards together forbid.

    Args:
        known: C, with the memories of the guards.
        guards: One or more.

    Raises:
        LimitExceeded: A bound was hit.

    Cost: a few operations on BDDs where nothing of the plan is lost, a search of the
        plan else.
    """
    every = [guard for one in guards for guard in one.guards]
    memories = [one.memory.size for one in guards if one.memory.size > 1]
    looked = sum(
        max(1, len({*g.looks_at} - {(MEMORY, one.memory)}))
        for one in guards
        for g in one.guards
    )
    return Cost(
        known.lost(known.refused(every)), sum(memories), looked, known.states(every)
    )
