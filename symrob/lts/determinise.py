"""Subset construction: a deterministic system with the same traces.

In:  an `Lts`, with or without `tau`.
Out: a deterministic `Lts` with the same traces.

The treatment of END and ERROR follows LTSA.

Source: grammar/README.md (`deterministic`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from symrob.limits import check_size, watched
from symrob.lts.model import ERROR, TAU, Action, Lts, StateId
from symrob.lts.naming import distinct
from symrob.lts.reachability import closures


def determinise(lts: Lts, *, max_states: int | None = None) -> Lts:
    """Return a deterministic system with the same traces, not minimised.

    A set of states that an action reaches, `tau` moves included, and that
    contains ERROR becomes ERROR. A set is END if it holds the END state alone.
    An initial `tau` to ERROR is ignored, as LTSA does.

    Args:
        lts: Any system.
        max_states: Bound on the number of sets of states.

    Raises:
        LimitExceeded: There are more sets than that.

    Cost: exponential in the states in the worst case, linear if `lts` is
        deterministic already.
    """
    closure = closures(lts)
    first = frozenset().union(*map(closure, lts.initial)) - {ERROR}
    numbers: dict[frozenset[StateId], StateId] = {first: 0}
    order = [first]
    transitions: list[tuple[StateId, Action, StateId]] = []
    for states in watched(order, 64):
        source = numbers[states]
        for action, after in _steps(lts, states, closure).items():
            if ERROR in after:
                transitions.append((source, action, ERROR))
                continue
            key = frozenset(after)
            target = numbers.setdefault(key, len(order))
            if target == len(order):
                check_size(target + 1, max_states, "determinised system")
                order.append(key)
            transitions.append((source, action, target))
    end = None
    if lts.end is not None:
        end = numbers.get(frozenset([lts.end]))
    names = distinct([_set_name(lts, states) for states in order])
    return Lts(lts.alphabet, len(order), transitions, names=names, end=end)


def _steps(
    lts: Lts,
    states: Iterable[StateId],
    closure: Callable[[StateId], frozenset[StateId]],
) -> dict[Action, set[StateId]]:
    after: dict[Action, set[StateId]] = {}
    for state in sorted(states):
        for action, targets in lts.successors[state].items():
            if action != TAU:
                found = after.setdefault(action, set())
                for target in targets:
                    found |= closure(target)
    return after


def _set_name(lts: Lts, states: frozenset[StateId]) -> str:
    names = [lts.state_name(s) for s in sorted(states)]
    return names[0] if len(names) == 1 else "{" + ", ".join(names) + "}"
