"""Many transitions that a safe deviation lacks, judged together.

In:  an `ExplicitLoop`, the transitions of a deviation with which it is safe.
Out: of some that it lacks, those that cannot be added.

Most lead to ERROR when they are taken once, by what the deviation has: one search for
all of them tells. Of the others a run may have to take one twice; it comes to nothing
new but from where that one leads, so that only this is searched.
"""

from __future__ import annotations

from collections.abc import Iterable

from symrob.certify.closed_loop import ExplicitLoop, Rows, State, with_one
from symrob.limits import Clock
from symrob.lts import ERROR, Action, StateId, Transition

# The states of the controller's components and of the monitors.
Local = tuple[tuple[StateId, ...], tuple[StateId, ...]]


def harmful(
    loop: ExplicitLoop, rows: Rows, lacking: Iterable[Transition], clock: Clock
) -> set[Transition]:
    """Return those with which the loop is not safe.

    Args:
        loop: Safe with the deviation.
        rows: The deviation, by state and action.
        lacking: Visible transitions that it lacks.
        clock: Asked now and then whether the run may go on.

    Raises:
        LimitExceeded: A bound was hit.

    Cost: linear in the steps of the closed loop from what the transitions lead to; a
        search of what is new there for each that does no harm when it is taken once.
    """
    met, _, _ = _explored(loop, rows, [loop.start], set(), clock)
    here: list[list[State]] = [[] for _ in rows]
    for state in met:
        here[state[0]].append(state)
    images: dict[tuple[StateId, Action], frozenset[Local]] = {}
    for source, action, _ in lacking:
        if (source, action) not in images:
            images[source, action] = _images(loop, rows, here[source], source, action)
    # Many lead to the same.
    alike = {(target, images[source, action]) for source, action, target in lacking}
    led = {(r, *x) for r, local in alike for x in local if not _failed(x)}
    _, into, bad = _explored(loop, rows, led - met, met, clock)
    # Backwards: what leads to where ERROR is next.
    todo = list(bad)
    while todo:
        for before in into.get(todo.pop(), ()):
            if before not in bad:
                bad.add(before)
                todo.append(before)
    once = {
        (r, local)
        for r, local in alike
        if any(_failed(x) or (r, *x) in bad for x in local)
    }
    found: set[Transition] = set()
    for source, action, target in lacking:
        transition, leads = Transition(source, action, target), images[source, action]
        if (target, leads) in once:
            found.add(transition)
            continue
        new = {(target, *x) for x in leads} - met
        more = with_one(rows, transition) if new else rows
        if _explored(loop, more, new, met, clock, first=True)[2]:
            found.add(transition)
    return found


def _failed(local: Local) -> bool:
    return ERROR in local[0] or ERROR in local[1]


def _images(
    loop: ExplicitLoop,
    rows: Rows,
    states: Iterable[State],
    source: StateId,
    action: Action,
) -> frozenset[Local]:
    """What C and the monitors come to when E takes an action where some states are."""
    alone: Rows = [{} for _ in rows]
    alone[source] = {action: [source]}
    return frozenset(
        after[1:]
        for state in states
        for taken, who, after in loop.steps(alone, state)
        if taken == action and who != "C"
    )


def _explored(
    loop: ExplicitLoop,
    rows: Rows,
    start: Iterable[State],
    beyond: set[State],
    clock: Clock,
    *,
    first: bool = False,
) -> tuple[set[State], dict[State, list[State]], set[State]]:
    """Walk from some states, but not into those `beyond`; perhaps to the first ERROR.

    Returns:
        The states; for each what leads to it; those with a step to ERROR.
    """
    order = list(start)
    found, bad = set(order), set[State]()
    into: dict[State, list[State]] = {}
    for state in order:
        clock.check()
        for _, _, after in loop.steps(rows, state):
            if _failed(after[1:]):
                bad.add(state)
                if first:
                    return found, into, bad
            elif after not in beyond:
                into.setdefault(after, []).append(state)
                if after not in found:
                    found.add(after)
                    order.append(after)
    return found, into, bad
