"""The quotient of a transition system by weak bisimulation.

In:  an `Lts`.
Out: a weakly bisimilar one in which no two states are weakly bisimilar.

Weak bisimulation treats `tau` as silent. END and ERROR are never merged with other
states; a state that reaches END by `tau` can terminate as END itself can.
"""

from __future__ import annotations

from collections.abc import Sequence

from symrob.limits import watched
from symrob.lts import ERROR, TAU, Action, Lts, StateId
from symrob.lts.reachability import closures, reachable

Moves = Sequence[Sequence[tuple[Action, StateId]]]


def minimise(lts: Lts) -> Lts:
    """Return the quotient by weak bisimulation; END and ERROR stay separate.

    Its edges are those of the members of a class in `lts`, without `tau` loops; so it
    is weakly bisimilar to `lts`, like LTSA's `minimal`.

    Cost: quadratic in the states for chains of `tau`, times the number of
        rounds of refinement.
    """
    lts = reachable(lts)
    place = coarsest(silent_ends(lts), weak_moves(lts))
    names: dict[int, str] = {}
    for state, number in enumerate(place):
        names.setdefault(number, lts.state_name(state))
    transitions = {
        (place[s], a, ERROR if t == ERROR else place[t]) for s, a, t in lts.transitions
    }
    return reachable(
        Lts(
            lts.alphabet,
            len(names),
            [t for t in transitions if t[1] != TAU or t[0] != t[2]],
            names=list(names.values()),
            end=place[lts.end] if lts.end is not None else None,
        )
    )


def coarsest(start: Sequence[int], moves: Moves) -> list[int]:
    """Return the coarsest stable partition that refines `start`, as class numbers.

    Classes are numbered in the order of their first states.

    Start: the given classes. Invariant: states in one class of the coarsest stable
    partition are in one class here. Each round splits classes by the classes that their
    moves lead to; it ends when no class splits, which is after at most as many rounds
    as states.
    """
    classes = list(start)
    count = len(set(classes))
    while True:
        rank: dict[object, int] = {}
        of = [*classes, ERROR]  # ERROR is -1, a class of its own.
        classes = [
            rank.setdefault((c, frozenset((a, of[t]) for a, t in moves[s])), len(rank))
            for s, c in enumerate(watched(classes))
        ]
        if len(rank) == count:
            return classes
        count = len(rank)


def weak_moves(lts: Lts) -> Moves:
    """Return for each state its moves with any number of `tau` before and after."""
    closure = closures(lts)
    rows: list[list[tuple[Action, StateId]]] = []
    for state in watched(range(lts.size), 64):
        row = {(TAU, t) for t in closure(state)}
        for middle in closure(state) - {ERROR}:
            for action, targets in lts.successors[middle].items():
                row |= {(action, u) for t in targets for u in closure(t)}
        rows.append(sorted(row))
    return rows


def silent_ends(lts: Lts) -> list[int]:
    """Return for each state whether it reaches END by `tau` alone."""
    closure = closures(lts)
    return [int(lts.end in closure(state)) for state in range(lts.size)]
