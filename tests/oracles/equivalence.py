"""When two explicit transition systems are the same.

Strong bisimulation takes `tau` as an action like others, weak bisimulation takes it
as silent; both keep END and ERROR apart from all other states. To the weak one a
state that `tau` leads to END can end as END itself can.
"""

from symrob.lts import ERROR, Lts
from symrob.lts.bisimulation import coarsest, silent_ends, weak_moves


def strongly_bisimilar(a, b):
    """Whether two systems are strongly bisimilar and have one alphabet."""
    ends = [int(s == lts.end) for lts in (a, b) for s in range(lts.size)]
    both = side_by_side(a, b)
    moves = [
        [(action, t) for action, targets in row.items() for t in targets]
        for row in both.successors
    ]
    return _same(a, b, coarsest(ends, moves))


def weakly_bisimilar(a, b):
    """Whether two systems are weakly bisimilar and have one alphabet."""
    ends = silent_ends(a) + silent_ends(b)
    return _same(a, b, coarsest(ends, weak_moves(side_by_side(a, b))))


def _same(a, b, classes):
    return a.alphabet == b.alphabet and classes[0] == classes[a.size]


def side_by_side(a, b):
    """The states of both, those of `b` behind those of `a`; END is left out."""
    moved = [
        (s + a.size, x, t if t == ERROR else t + a.size) for s, x, t in b.transitions
    ]
    alphabet = {*a.alphabet, *b.alphabet}
    return Lts(alphabet, a.size + b.size, [*a.transitions, *moved])


def isomorphism(a, b):
    """The map of reachable states that makes two deterministic systems equal.

    `None` if the alphabets, the END states or the reachable parts differ; `tau`
    counts as an action.
    """
    if a.alphabet != b.alphabet:
        return None
    image, todo = {0: 0}, [0]
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
                image[here] = there
                todo.append(here)
            elif image[here] != there:
                return None
    return image if len({*image.values()}) == len(image) else None
