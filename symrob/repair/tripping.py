"""Guards as monitors that never block: C and C' in one set of states.

In:  guards as components.
Out: monitors of a `SymbolicSystem` of C. When a guard would block, it is *tripped* for
     good; the states of C' are those in which none is.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from symrob.envelope.monitors import SymbolicMonitor
from symrob.lts import TAU, Action, Lts, Transition
from symrob.problem.roles import GUARD, Monitor
from symrob.symbolic.context import Bdd
from symrob.symbolic.encoding import SymbolicSystem
from symrob.symbolic.parts import code_of


def tripping(guard: Lts) -> Lts:
    """Return a guard that never blocks, but goes to its last state instead."""
    tripped = guard.size
    moves = [*guard.transitions]
    for state in range(guard.size):
        offered = guard.successors[state]
        moves += [
            Transition(state, a, tripped) for a in guard.alphabet if a not in offered
        ]
    moves += [Transition(tripped, a, tripped) for a in guard.alphabet]
    return Lts(guard.alphabet, guard.size + 1, moves)


def tripping_monitors(guards: Sequence[Lts]) -> tuple[Monitor, ...]:
    """Return guards as monitors that never fail."""
    return tuple(Monitor(GUARD, tripping(guard)) for guard in guards)


class Kept(SymbolicMonitor):
    """C until a guard is tripped: the states that C' reaches.

    Once a guard is tripped, the state is no longer tracked; with several guards, the
    states beyond would be exponentially many.

    Args:
        system: One whose last monitors are `tripping_monitors(guards)`.
        guards: The guards.

    Attributes:
        untripped: The states in which no guard is tripped.
    """

    def __init__(self, system: SymbolicSystem, guards: Sequence[Lts]) -> None:
        super().__init__(system)
        self.untripped = system.ctx.true
        parts = system.parts[len(system.parts) - len(guards) :]
        for guard, (_, bits) in zip(guards, parts, strict=True):
            self.untripped &= ~system.ctx.cube(code_of(guard.size, bits))

    @cached_property
    def initial(self) -> Bdd:
        """See `SafetyMonitor`."""
        start = self.system.initial & self.untripped
        return self.system.close(start, within=self.untripped)

    def post(self, states: Bdd, action: Action) -> Bdd:
        """See `SafetyMonitor`."""
        if action == TAU:
            return states
        move = self.system.moves[action]
        image = self.system.post(states, move) & self.untripped
        return self.system.close(image, move, self.untripped)
