"""Reachability, by all moves and by `tau` alone.

In:  an `Lts`.
Out: its states in breadth-first order, its reachable part, its `tau` closures.
"""

from __future__ import annotations

from collections.abc import Callable

from symrob.limits import watched
from symrob.lts import ERROR, TAU, Lts, StateId


def breadth_first(lts: Lts) -> list[StateId]:
    """Return the reachable states in breadth-first order."""
    order = [*lts.initial]
    seen = {*order}
    for state in watched(order):
        for targets in lts.successors[state].values():
            for target in targets:
                if target != ERROR and target not in seen:
                    seen.add(target)
                    order.append(target)
    return order


def reachable(lts: Lts) -> Lts:
    """Return the reachable part; the alphabet does not change.

    Cost: linear in the transitions.
    """
    order = breadth_first(lts)
    if order == list(range(lts.size)):
        return lts
    number = {state: i for i, state in enumerate(order)}
    number[ERROR] = ERROR
    return Lts(
        lts.alphabet,
        len(order),
        [(number[s], a, number[t]) for s, a, t in lts.transitions if s in number],
        names=[lts.names[s] for s in order] if lts.names is not None else None,
        end=number.get(lts.end) if lts.end is not None else None,
        initial=range(len(lts.initial)),
    )


def closures(lts: Lts) -> Callable[[StateId], frozenset[StateId]]:
    """Return for each state the states that it reaches by `tau` alone."""
    known: dict[StateId, frozenset[StateId]] = {ERROR: frozenset([ERROR])}

    def closure(start: StateId) -> frozenset[StateId]:
        if start not in known:
            seen, todo = {start}, [start]
            while todo:
                state = todo.pop()
                if state == ERROR:
                    continue
                for target in lts.successors[state].get(TAU, ()):
                    if target not in seen:
                        seen.add(target)
                        todo.append(target)
            known[start] = frozenset(seen)
        return known[start]

    return closure
