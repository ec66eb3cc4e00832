"""The plan and assumptions automata: whether some trace explains the observations.

In:  a checked problem, and the actions that can be observed.
Out: the plan automaton (some trace of E explains them) and the assumptions automaton
     (some trace that satisfies every constraint does).

Unobserved actions may have happened at any moment. Actions that the system lacks give
no information about it.
"""

from __future__ import annotations

from collections.abc import Sequence

from symrob.limits import watched
from symrob.lts import ERROR, TAU, Action, Lts, Network, StateId
from symrob.lts.product import compose
from symrob.lts.reachability import closures
from symrob.monitor.machine import Machine, minimal
from symrob.monitor.size import check_states
from symrob.problem import Problem


def plan_machine(
    problem: Problem, observed: Sequence[Action], *, most: int
) -> Machine[bool]:
    """Return the automaton that says whether E is still on the plan.

    Args:
        problem: The problem, for E.
        observed: The observable actions.
        most: Bound on the number of sets of states of E.

    Raises:
        LimitExceeded: There are more.

    Cost: exponential in the states of E in the worst case; linear if E is deterministic
        and all its actions are observed.
    """
    return _explained(problem.environment, observed, most, "plan")


def assumptions_machine(
    problem: Problem, observed: Sequence[Action], *, most: int
) -> Machine[bool]:
    """Return the automaton that says whether the constraints are satisfied.

    Args:
        problem: The problem, for its constraints; without any, they are always
            satisfied.
        observed: The observable actions.
        most: Bound on the states of their product, and on the sets of them.

    Raises:
        LimitExceeded: There are more.

    Cost: linear in the product if all actions are observed.
    """
    keeping = [
        Lts(
            m.lts.alphabet,
            m.lts.size,
            [t for t in m.lts.transitions if t.target != ERROR],
            names=m.lts.names,
        )
        for m in problem.constraints
    ]
    rules = compose(Network(keeping)) if keeping else Lts([], 1, [])
    return _explained(rules, observed, most, "assumptions")


def _explained(
    lts: Lts, observed: Sequence[Action], most: int, machine: str
) -> Machine[bool]:
    hidden = {*lts.alphabet} - {*observed}
    seen = Lts(
        [a for a in lts.alphabet if a not in hidden],
        lts.size,
        [(s, TAU if a in hidden else a, t) for s, a, t in lts.transitions],
    )
    closure = closures(seen)
    columns = [a if a in seen.alphabet else None for a in observed]
    first = closure(0)
    numbers: dict[frozenset[StateId], int] = {first: 0}
    order = [first]
    rows = []
    for states in watched(order, 64):
        row = []
        for action in columns:
            after = states
            if action is not None:
                after = frozenset(
                    u
                    for s in states
                    for t in seen.successors[s].get(action, ())
                    for u in closure(t)
                )
            if after not in numbers:
                numbers[after] = len(order)
                order.append(after)
                check_states(len(order), most, machine)
            row.append(numbers[after])
        rows.append(row)
    names = [", ".join(lts.state_name(s) for s in sorted(x)) for x in order]
    return minimal(observed, rows, [bool(x) for x in order], names)
