"""A system in bits in which some actions are refused in some states.

In:  a `SymbolicSystem`, and for some actions the states in which they are not taken.
Out: another system over the same bits; nothing is encoded again.
"""

from __future__ import annotations

from collections.abc import Mapping

from symrob.lts import Action
from symrob.lts.views import plain
from symrob.symbolic.context import Bdd
from symrob.symbolic.encoding import ActionRelation, SymbolicSystem, clustered


class GuardedSystem(SymbolicSystem):
    """A system that refuses some actions in some states.

    Args:
        system: The original system.
        where: The states by action, over current bits; each label of one is refused.

    Cost: a few operations for each of these actions.
    """

    def __init__(self, system: SymbolicSystem, where: Mapping[Action, Bdd]) -> None:
        self.__dict__.update(system.__dict__)
        self.__dict__.pop("failing", None)
        self._where = where
        self.moves = {a: self._restricted(m) for a, m in system.moves.items()}
        self.internal = tuple(map(self._restricted, system.internal))
        self.clusters = clustered(self.internal)
        self._known_near = {}

    def _restricted(self, move: ActionRelation) -> ActionRelation:
        """What a refusal looks at takes part in the move, and stays as it is."""
        states = self._where.get(plain(move.action))
        if states is None:
            return move
        looked = self.ctx.support(states)
        current: list[str] = []
        following: list[str] = []
        for part in self._components + self._monitors:
            if part.current[0] not in move.current and looked & {*part.current}:
                current += part.current
                following += part.following
        stays = self.ctx.equality(current, following)
        return move._replace(
            relation=move.relation & ~states & stays,
            error=move.error & ~states,
            current=(*move.current, *current),
            following=(*move.following, *following),
        )
