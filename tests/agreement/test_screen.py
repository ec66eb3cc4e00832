"""Screening: exactly the transitions that are tolerated on their own."""

from hypothesis import given, settings

import symrob
from symrob.envelope.exploration import reach
from symrob.envelope.screening import Screen
from symrob.envelope.transitions import Candidates
from symrob.errors import NominalViolation
from symrob.limits import Clock
from tests.generate import random_problem
from tests.oracles import definition
from tests.strategies import rngs

CLOCK = Clock()


@settings(max_examples=400)
@given(rngs())
def test_screening_is_exact_for_every_monitor(rng):
    environment, controller, properties, constraints = random_problem(
        rng, shapes=((2, 2), (3, 1), (3, 2), (4, 2)), constrained=0.7
    )
    try:
        found = symrob.compute(environment, controller, properties, constraints)
    except NominalViolation:
        return
    engine = found.engine
    every = definition.candidates(environment)

    def tolerated(monitor, within=None):
        screen = Screen(monitor, engine.nominal, CLOCK, within)
        kept = screen.tolerated(Candidates.all_new(environment))
        return set(map(tuple, kept))

    for index, monitor in enumerate(engine.constraints):
        # Random constraints have one component each, so their order is kept.
        constraint = constraints[index]
        assert tolerated(monitor) == {
            t
            for t in every
            if definition.violation(environment, (t,), None, [constraint]) is None
        }
    safe = {
        t
        for t in every
        if definition.violation(environment, (t,), controller, properties) is None
    }
    graph = Candidates.all_new(environment).with_nominal(environment)
    within = reach(engine.closed_loop, graph, CLOCK, past_error=True)
    assert tolerated(engine.closed_loop) == safe
    assert tolerated(engine.closed_loop, within) == safe
