"""When two explicit transition systems are the same, and their quotients.

In:  `Lts` values.
Out: an answer, a map of states, or the smallest system of a kind.

Strong bisimulation takes `tau` as an action like others, weak bisimulation takes
it as silent; both keep END and ERROR apart from all other states. To the weak one a
state that `tau` leads to END can end as END itself can. Partitions are refined by
signatures until nothing splits.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from symrob.limits import watched
from symrob.lts import ERROR, TAU, Action, Lts, StateId
from symrob.lts.reachability import closures, reachable

_Signature = Callable[[StateId, Sequence[int]], object]


def _refine(start: Sequence[int], signature: _Signature) -> list[int]:
    """Return the coarsest stable partition that refines `start`.

    Start: the given classes. Invariant: states in one class of the coarsest
    stable partition are in one class here. Each round splits by signature; it
    ends when no class splits, which is after at most as many rounds as states.
    """
    classes = list(start)
    count = len(set(classes))
    while True:
        rank: dict[object, int] = {}
        classes = [
            rank.setdefault((c, signature(s, classes)), len(rank))
            for s, c in enumerate(watched(classes))
        ]
        if len(rank) == count:
            return classes
        count = len(rank)


def _class_of(classes: Sequence[int], state: StateId) -> int:
    return ERROR if state == ERROR else classes[state]


def _strong(lts: Lts) -> _Signature:
    def signature(state: StateId, classes: Sequence[int]) -> object:
        return frozenset(
            (action, _class_of(classes, target))
            for action, targets in lts.successors[state].items()
            for target in targets
        )

    return signature


def _weak(lts: Lts) -> _Signature:
    closure = closures(lts)
    rows: list[list[tuple[Action, StateId]]] = []
    for state in watched(range(lts.size), 64):
        row = {(TAU, t) for t in closure(state)}
        for middle in closure(state) - {ERROR}:
            for action, targets in lts.successors[middle].items():
                row |= {(action, u) for t in targets for u in closure(t)}
        rows.append(sorted(row))

    def signature(state: StateId, classes: Sequence[int]) -> object:
        return frozenset((a, _class_of(classes, t)) for a, t in rows[state])

    return signature


def _ends(lts: Lts) -> list[int]:
    return [int(state == lts.end) for state in range(lts.size)]


def _ends_silently(lts: Lts) -> list[int]:
    closure = closures(lts)
    return [int(lts.end in closure(state)) for state in range(lts.size)]


def _quotient(lts: Lts, classes: Sequence[int], *, drop_loops: bool = False) -> Lts:
    """Return one state for each class, with all edges of its members.

    `drop_loops` leaves out `tau` from a state to itself.
    """
    number: dict[int, StateId] = {}
    names: list[str] = []
    for state, cls in enumerate(classes):
        if cls not in number:
            number[cls] = len(number)
            names.append(lts.state_name(state))
    place = [number[cls] for cls in classes]
    transitions = {
        (place[s], a, ERROR if t == ERROR else place[t]) for s, a, t in lts.transitions
    }
    result = Lts(
        lts.alphabet,
        len(number),
        [t for t in transitions if not (drop_loops and t[1] == TAU and t[0] == t[2])],
        names=names,
        end=place[lts.end] if lts.end is not None else None,
    )
    return reachable(result)


def minimise(lts: Lts) -> Lts:
    """Return the quotient by weak bisimulation, END and ERROR kept apart.

    Its edges are those that the members of a class have in `lts`, without
    `tau` loops; so it is weakly bisimilar to `lts`, as LTSA's `minimal` is.

    Cost: quadratic in the states for chains of `tau`, times the number of
        rounds of refinement.
    """
    part = reachable(lts)
    classes = _refine(_ends_silently(part), _weak(part))
    return _quotient(part, classes, drop_loops=True)


def minimise_strong(lts: Lts) -> Lts:
    """Return the quotient by strong bisimulation, END and ERROR kept apart."""
    part = reachable(lts)
    classes = _refine(_ends(part), _strong(part))
    return _quotient(part, classes)


def isomorphism(a: Lts, b: Lts) -> dict[StateId, StateId] | None:
    """Return the map of reachable states that makes two systems equal.

    Args:
        a: A deterministic system (a `tau` counts as an action here).
        b: Another one.

    Returns:
        The map from states of `a` to states of `b`; `None` if the alphabets,
        the END states or the reachable parts differ.

    Cost: linear in the transitions.
    """
    if a.alphabet != b.alphabet:
        return None
    image: dict[StateId, StateId] = {0: 0}
    taken = {0}
    todo = [0]
    for state in todo:
        row, other = a.successors[state], b.successors[image[state]]
        if (state == a.end) != (image[state] == b.end) or row.keys() != other.keys():
            return None
        for action, targets in row.items():
            if len(targets) != 1 or len(other[action]) != 1:
                return None
            here, there = targets[0], other[action][0]
            if here == ERROR or there == ERROR:
                if here != there:
                    return None
            elif here not in image:
                if there in taken:
                    return None
                image[here] = there
                taken.add(there)
                todo.append(here)
            elif image[here] != there:
                return None
    return image


def isomorphic(a: Lts, b: Lts) -> bool:
    """Tell whether two deterministic systems are equal up to state numbers."""
    return isomorphism(a, b) is not None


def _disjoint_union(a: Lts, b: Lts) -> Lts:
    shift = a.size
    moved = [
        (s + shift, x, ERROR if t == ERROR else t + shift) for s, x, t in b.transitions
    ]
    return Lts(
        set(a.alphabet) | set(b.alphabet), a.size + b.size, [*a.transitions, *moved]
    )


def strongly_bisimilar(a: Lts, b: Lts) -> bool:
    """Tell whether two systems are strongly bisimilar and have one alphabet.

    `tau` counts as an action; END and ERROR are kept apart from other states.
    """
    if a.alphabet != b.alphabet:
        return False
    classes = _refine(_ends(a) + _ends(b), _strong(_disjoint_union(a, b)))
    return classes[0] == classes[a.size]


def weakly_bisimilar(a: Lts, b: Lts) -> bool:
    """Tell whether two systems are weakly bisimilar and have one alphabet."""
    if a.alphabet != b.alphabet:
        return False
    start = _ends_silently(a) + _ends_silently(b)
    classes = _refine(start, _weak(_disjoint_union(a, b)))
    return classes[0] == classes[a.size]
