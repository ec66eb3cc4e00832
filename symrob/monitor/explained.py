"""Whether some run of a system explains what was observed: plan and assumptions.

In:  a checked problem, and the actions that can be observed.
Out: the plan machine (some run of E explains it) and the assumptions machine (some run
     that keeps every constraint does).

Actions that are not observed may have happened at any moment. Those that the system
lacks tell nothing of it.
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
    """Return the machine that tells whether E is still on the plan.

    Args:
        problem: Whose E.
        observed: The actions that can be observed.
        most: Bound on the sets of states of E that are met.

    Raises:
        LimitExceeded: There are more.

    Cost: exponential in the states of E in the worst case; linear where E is
        deterministic and all its actions are observed.
    """
    return _explained(problem.environment, observed, most, "plan")


def assumptions_machine(
    problem: Problem, observed: Sequence[Action], *, most: int
) -> Machine[bool]:
    """Return the machine that tells whether the constraints are kept.

    Args:
        problem: Whose constraints; without any they are kept for good.
        observed: The actions that can be observed.
        most: Bound on the states of their product, and on the sets of them.

    Raises:
        LimitExceeded: There are more.

    Cost: linear in the product where all actions are observed.
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
