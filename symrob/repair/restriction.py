"""The most permissive restriction of C under which P holds.

In:  a `Plant`, and the actions that may be disabled.
Out: a `Restriction`: the states that C' reaches, and for each such action where it must
     be disabled and where it may be taken; or `None` if there is none.

The supremal controllable sublanguage, on the states of the plant: states from which
moves that cannot be disabled lead to ERROR are bad, and C' takes no action to one.

Source: docs/sources.md [RW], [LW].
"""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import dataclass

from symrob.lts import ERROR, Action
from symrob.repair.plant import Plant
from symrob.symbolic.context import Bdd
from symrob.symbolic.encoding import ActionRelation


@dataclass(frozen=True)
class Restriction:
    """The behaviour of C'.

    Attributes:
        plant: The plant; all sets are over its current bits.
        reached: The states that C' reaches.
        off: For each action that C' ever disables, the reached states where it does.
        on: For each of these actions, the reached states where it is taken.
    """

    plant: Plant
    reached: Bdd
    off: Mapping[Action, Bdd]
    on: Mapping[Action, Bdd]


def most_permissive(plant: Plant, controllable: Set[Action]) -> Restriction | None:
    """Return the most permissive restriction, `None` if even the strictest fails.

    Args:
        plant: The plant.
        controllable: The actions that may be disabled.

    Raises:
        LimitExceeded: A bound was hit.

    Cost: a pre-image for each move that cannot be disabled and each round of one
        fixpoint, an image for each move and each round of another.
    """
    system, ctx = plant.system, plant.system.ctx
    if plant.fails_at_start:
        return None
    bad = _bad(plant, controllable)
    if system.initial & bad != ctx.false:
        return None
    optional = [m for m in system.internal if m.action in controllable]
    into = {m.action: m.error | system.pre(bad, m) for m in optional}
    reached = _reached(plant, into)
    off = {m.action: into[m.action] & reached for m in optional}
    off = {action: states for action, states in off.items() if states != ctx.false}
    on = {
        m.action: _enabled(plant, m) & reached & ~off[m.action]
        for m in optional
        if m.action in off
    }
    return Restriction(plant, reached, off, on)


def _bad(plant: Plant, controllable: Set[Action]) -> Bdd:
    """The states that lead to ERROR whatever is disabled, reached or not.

    Few parts decide that, while what is reached is about all of them.

    Start: an action that cannot be disabled leads to ERROR. Each round adds the states
    with such an action into those that are there; it ends because states are finite,
    and nothing is missed, as the shortest way to ERROR grows by one a round at most.
    """
    system, ctx = plant.system, plant.system.ctx
    forced = [m for m in system.internal if m.action not in controllable]
    bad = ctx.union(m.error for m in forced)
    while True:
        before = bad
        for move in forced:
            bad |= system.pre(bad, move)
        if bad == before:
            return bad


def _reached(plant: Plant, into: Mapping[Action, Bdd]) -> Bdd:
    """The states that C' reaches: as `SymbolicSystem.close`, but for what is disabled.

    What cannot be disabled leads from none of them to ERROR. Moves come in the order
    in which the parts can first take them, so that a round goes far.
    """
    system = plant.system
    depth = _depths(plant)
    moves = sorted(system.internal, key=lambda m: (depth.get(m.action, 0), m.action))
    states = system.initial
    while True:
        before = states
        for move in moves:
            taken = states
            if move.action in into:
                taken = states & ~into[move.action]
            states |= system.post(taken, move)
        if states == before:
            return states


def _depths(plant: Plant) -> dict[Action, int]:
    """How many moves of a part come before an action; of the parts the most."""
    depth: dict[Action, int] = {}
    for part in plant.parts:
        distances = {0: 0}
        first: dict[Action, int] = {}
        for state in (todo := [0]):
            for action, targets in part.lts.successors[state].items():
                first.setdefault(action, distances[state])
                new = [t for t in targets if t != ERROR and t not in distances]
                distances |= dict.fromkeys(new, distances[state] + 1)
                todo += new
        depth |= {a: max(d, depth.get(a, 0)) for a, d in first.items()}
    return depth


def _enabled(plant: Plant, move: ActionRelation) -> Bdd:
    """Where the plant offers an action, were it into ERROR."""
    return plant.system.pre(plant.system.ctx.true, move) | move.error


def taken_from(restriction: Restriction, action: Action) -> Bdd:
    """Return the states, of those that C' reaches, in which it takes an action."""
    plant = restriction.plant
    for move in plant.system.internal:
        if move.action == action:
            able = _enabled(plant, move) & restriction.reached
            return able & ~restriction.off.get(action, plant.system.ctx.false)
    return plant.system.ctx.false
