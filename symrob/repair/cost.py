"""How much some guards forbid.

In:  the engine of C, and guards as components.
Out: a `Cost`: in how many states of the plan, and of C at all, an action is refused.

Each guard is a monitor that is tripped for ever where it would block, as in `tripping`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from symrob.envelope.engine import Engine
from symrob.envelope.exploration import reach
from symrob.lts import TAU, Action, Lts
from symrob.problem import Monitor
from symrob.repair.tripping import Kept, tripping_monitors
from symrob.symbolic.context import Bdd, Context
from symrob.symbolic.encoding import ActionRelation, SymbolicSystem


class Cost(NamedTuple):
    """How much is forbidden; less is better, the first first.

    Attributes:
        planned: States of E and C together, as planned, in which an action is refused.
        refused: States of C in which an action is refused, whatever E does, counted
            once for each such action.
    """

    planned: int
    refused: int


def cost(engine: Engine, guards: Sequence[Lts]) -> Cost:
    """Return what some guards together forbid.

    Args:
        engine: The problem, with C.
        guards: The guards as components.

    Raises:
        LimitExceeded: A bound was hit.

    Cost: two encodings, a search of E‖C and one of C alone.
    """
    monitors = tripping_monitors(guards)
    return Cost(_planned(engine, guards, monitors), _anywhere(engine, guards, monitors))


def _encoded(
    engine: Engine, monitors: Sequence[Monitor], alphabet: Sequence[Action]
) -> SymbolicSystem:
    context = Context(engine.backend, engine.clock)
    return SymbolicSystem(context, engine.problem.controller, monitors, alphabet)


def _planned(engine: Engine, guards: Sequence[Lts], monitors: Sequence[Monitor]) -> int:
    system = _encoded(engine, monitors, engine.environment.alphabet)
    loop = Kept(system, guards)
    met = reach(loop, engine.nominal, engine.clock, past_error=True)
    assert met is not None
    total = 0
    for states, row in zip(met, engine.nominal.rows, strict=True):
        moves = [system.moves[action] for action, _ in row if action != TAU]
        refusing = system.ctx.union(
            _refused(loop, move) for move in (*system.internal, *moves)
        )
        total += _machine_states(system, states & refusing)
    return total


def _anywhere(
    engine: Engine, guards: Sequence[Lts], monitors: Sequence[Monitor]
) -> int:
    system = _encoded(engine, monitors, ())
    loop = Kept(system, guards)
    return sum(
        _machine_states(system, loop.initial & _refused(loop, move))
        for move in system.internal
    )


def _refused(loop: Kept, move: ActionRelation) -> Bdd:
    """Where no guard is tripped yet, and a move trips one."""
    if not move.monitors:
        return loop.empty
    return loop.system.pre(~loop.untripped, move) & loop.untripped


def _machine_states(system: SymbolicSystem, states: Bdd) -> int:
    """How many states of C there are in a set."""
    bits = [bit for bit in system.bits if bit not in set(system.monitor_bits)]
    return system.ctx.count(system.ctx.exists(states, system.monitor_bits), bits)
