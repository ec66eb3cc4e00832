"""The steps of E in a shortest run into ERROR, where E has very many transitions."""

from random import Random

from symrob.envelope.breaking import run_to_error
from symrob.envelope.exploration import reach
from symrob.lts import TAU, Transition
from symrob.lts.views import plain
from tests.engines import engine_if_safe
from tests.generate import random_problem
from tests.oracles import definition


def test_against_the_definition():
    tried = longest = deviating = alone = 0
    for seed in range(400):
        problem = random_problem(Random(seed), constrained=0)
        environment, controller, properties, _ = problem
        engine = engine_if_safe(problem)
        if engine is None:
            continue
        everything = engine.candidates
        graph = everything.with_nominal(engine.environment)
        if reach(engine.closed_loop, graph, engine.clock) is not None:
            continue
        run = run_to_error(engine.closed_loop, graph, engine.nominal, engine.clock)
        steps = [Transition(q, plain(action), r) for q, action, r in run]
        ends = [0, *(t.target for t in steps)]
        assert [t.source for t in steps] == ends[:-1]
        planned = frozenset(environment.transitions)
        added = frozenset(steps) - planned
        assert added <= frozenset(everything)
        found = definition.violation(environment, added, controller, properties)
        assert found is not None
        tried += 1
        longest = max(longest, len(steps))
        deviating = max(deviating, len(added))
        # Which looks at states one by one, and counts C's own moves as well.
        told = engine.property_trace(engine.extended(everything)).steps
        assert len(steps) <= len(told)
        own = {*controller.alphabet} - {*environment.alphabet} | controller.hidden
        taus = any(
            t.action == TAU for c in controller.components for t in c.transitions
        )
        if not own and not taus:
            assert len(steps) == len(told)
            alone += 1
    assert tried > 50
    assert alone > 5
    assert longest > 2
    assert deviating > 1
