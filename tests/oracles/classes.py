"""The class of a candidate, by quantifiers over R_E.

Each class is one sentence about the planned transitions, tried in the order of the
table; no masks, no rows, no depth by layers: the depth of a state is found by relaxing
every transition until nothing changes.
"""

from math import inf

from symrob.lts import TAU


def kind(environment, extra, candidate):
    """(class, the action that an omission leaves out or None) of a candidate."""
    q, a, r = candidate
    planned = [t for t in environment.transitions if t.action != TAU]
    depth = depths(environment)
    states = range(environment.size)
    fresh = {s for s in states if s >= environment.size - extra}
    here = any(s == q and b == a for s, b, _ in planned)
    into = [p for p in states if (p, a, r) in set(planned)]
    skipped = sorted({b for p in into for s, b, t in planned if s == q and t == p})
    if q in fresh or r in fresh:
        return "foreign-state", None
    if here:
        return ("no-effect" if r == q else "wrong-outcome"), None
    if all(b != a for _, b, _ in planned):
        return "foreign-action", None
    if r == q and any(b == a and t == q for _, b, t in planned):
        return "repetition", None
    if skipped:
        return "omission", skipped[0]
    if any(depth[p] > depth[q] for p in into):
        return "jump-ahead", None
    if into:
        return "jump-back", None
    return ("idle-action" if r == q else "intrusion"), None


def depths(environment):
    """The least number of planned steps to each state; `tau` costs nothing."""
    depth = dict.fromkeys(range(environment.size), inf)
    depth[0] = 0
    for _ in range(environment.size):
        for s, a, t in environment.transitions:
            depth[t] = min(depth[t], depth[s] + (a != TAU))
    return depth
