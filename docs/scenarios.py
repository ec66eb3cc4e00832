"""Questions that the claims ask of the models: envelopes, and who can do what.

In:  names of cases under `models/`, scenarios as actions in a row.
Out: envelopes, deviated environments, closed loops, and whether these can
     follow a scenario. All of it explicit and small.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from symrob import Lts, Network, NominalViolation, Transition, parse_transitions
from symrob.api import analyse, load_roles
from symrob.api.result import SafetyEnvelope
from symrob.case import load_case
from symrob.lts.product import product
from symrob.options import Options


@lru_cache
def envelope(name: str) -> SafetyEnvelope:
    """Return Δ of a case, lazily; raises if the nominal system is unsafe.

    Who asked for the last one calls `envelope.cache_clear()`: BDDs must not live
    until the interpreter ends.
    """
    return analyse(load_roles(load_case(f"models/{name}.toml")), Options())


def is_safe_as_planned(*names: str) -> bool:
    """Whether E‖C ⊨ P and E ⊨ P_env in each case."""
    try:
        for name in names:
            envelope(name)
    except NominalViolation:
        return False
    return True


def transitions(name: str, *texts: str) -> frozenset[Transition]:
    """Read transitions as people write them."""
    environment = envelope(name).environment
    none: frozenset[Transition] = frozenset()
    return none.union(*parse_transitions(texts, environment))


def deviated(name: str, deviation: Iterable[Transition]) -> Lts:
    """Return E_d."""
    plan = envelope(name).environment
    return Lts(plan.alphabet, plan.size, deviation, names=plan.names)


def closed_loop(name: str, deviation: Iterable[Transition]) -> Lts:
    """Return the product of E_d‖C."""
    controller = envelope(name).engine.problem.controller
    return product(Network([deviated(name, deviation), *controller.components]))


def follows(system: Lts, actions: str, seen: Iterable[str]) -> bool:
    """Whether a system can take these actions in this order.

    Args:
        system: The system.
        actions: Separated by spaces.
        seen: What counts; any other action may happen in between.
    """
    visible = set(seen)

    def quietly(states: set[int]) -> set[int]:
        todo = list(states)
        while todo:
            for action, targets in system.successors[todo.pop()].items():
                if action not in visible:
                    todo += set(targets) - states
                    states |= set(targets)
        return states

    here = quietly({0})
    for action in actions.split():
        moves = (system.successors[q].get(action, ()) for q in here)
        here = quietly({target for targets in moves for target in targets})
    return bool(here)


def allowing(name: str, actions: str, *, with_machine: bool) -> str:
    """Say how many maximal deviations allow a scenario, as '2 of 4'."""
    make = closed_loop if with_machine else deviated
    seen = envelope(name).environment.alphabet
    delta = list(envelope(name))
    count = sum(follows(make(name, d), actions, seen) for d in delta)
    return f"{count} of {len(delta)}"


def any_nurse_can(name: str, keys: str) -> bool:
    """Whether the machine takes these keys in this order from some nurse.

    There is one that has every transition of A.
    """
    plan = envelope(name).environment
    everything = {*plan.transitions, *envelope(name).engine.candidates}
    return follows(closed_loop(name, everything), keys, plan.alphabet)
