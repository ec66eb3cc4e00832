"""Whether goals stay possible: E with some units beside C, state by state.

In:  a changed environment, a controller with its guards, and goals: sets of actions.
Out: for each goal whether it is lost: some state is reached from which no state is
     reachable in which an action of it is taken. ERROR of C ends a run.

Standard library only. Source: docs/certificates.md.
"""

from collections.abc import Iterator
from itertools import product

from symrob.certify.reading import Side
from symrob.certify.watching import ERROR, TAU, Joint, Names, Walked

State = tuple[int, Joint]  # Of E, and of C.


def lost(walked: Walked, side: Side, own: Names, goals: list[Names]) -> list[bool]:
    """Return for each goal whether it is lost; `own` are the actions of E."""
    order = [*product(walked.initial, side.controller.starts)]
    into: dict[State, list[State]] = {state: [] for state in order}
    taken: dict[State, set[str]] = {}
    for state in order:
        taken[state] = set()
        for action, after in _steps(walked, side, own, *state):
            side.controller.budget.spend(1, side.controller.width)
            taken[state].add(action)
            if ERROR not in after[1]:
                if after not in into:
                    order.append(after)
                into.setdefault(after, []).append(state)
    found = []
    for goal in goals:
        todo = [state for state in order if taken[state] & goal]
        able = {*todo}
        for state in todo:
            more = {*into[state]} - able
            able |= more
            todo += more
        found.append(len(able) < len(order))
    return found


def _steps(
    walked: Walked, side: Side, own: Names, q: int, s: Joint
) -> Iterator[tuple[str, State]]:
    """Each step: its action, and the states of E and C after it."""
    row, e, c = walked.rows[q], walked.states[q], side.controller
    yield from ((TAU, (r, s)) for r in row.get(TAU, ()))
    yield from ((TAU, (q, t)) for t in c.inner(s))
    for action in sorted((row.keys() - {TAU}) | (c.visible & c.offered(s))):
        of_c = action in c.visible
        asked = side.guards if of_c else ()
        if not any(g.hits({"guard": False}, action, g.of_e(e), s) for g in asked):
            targets = row.get(action, ()) if action in own else (q,)
            after = product(targets, c.together(s, action) if of_c else (s,))
            yield from ((action, state) for state in after)
