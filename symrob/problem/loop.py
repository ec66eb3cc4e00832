"""The closed loop as one explicit system: E, C and the properties in parallel.

In:  a checked problem, and its environment, possibly with a deviation.
Out: an `Lts` in which a trace that violates a property ends in ERROR.

For export to other tools; the engine never builds it.
"""

from __future__ import annotations

from symrob.lts import ERROR, Lts, Network
from symrob.lts.product import product
from symrob.problem.build import Problem
from symrob.problem.roles import Monitor


def looped(environment: Lts, problem: Problem, max_states: int | None = None) -> Lts:
    """Return E‖C‖P.

    Args:
        environment: E_d: the environment of the problem, possibly with a deviation.
        problem: The problem, for C and the properties.
        max_states: Bound on the states of the product.

    Raises:
        LimitExceeded: It has more states.

    Cost: linear in the product, which can be exponential in the components.
    Source: docs/sources.md [S1], Sect. 4.
    """
    problem.require_actions("the closed loop as one model")
    controller = problem.controller
    if controller.hidden:
        # What is hidden in C synchronises with nobody outside.
        controller = product(controller, max_states=max_states)
    happening = {*environment.alphabet, *controller.alphabet}
    watching = [_completed(m, happening) for m in problem.properties]
    parts = [environment, *controller.components, *watching]
    return product(Network(parts), max_states=max_states)


def _completed(monitor: Monitor, happening: set[str]) -> Lts:
    """A monitor with a transition to ERROR for each action that it does not offer.

    Actions that no other model has can never happen: they are left out.
    """
    lts = monitor.lts
    alphabet = [a for a in lts.alphabet if a in happening]
    missing = [
        (state, action, ERROR)
        for state, row in enumerate(lts.successors)
        for action in alphabet
        if action not in row
    ]
    kept = [t for t in lts.transitions if t.action in alphabet]
    return Lts(alphabet, lts.size, [*kept, *missing], names=lts.names)
