"""What a trace says of the plan beside added steps, and of the violated property."""

from random import Random

import pytest

import symrob
from symrob import ERROR, TAU, SymrobError
from tests.generate import random_problem


def traces(at_most):
    """The traces of hazards of random problems, with E and the violated property."""
    for seed in range(400):
        models = random_problem(Random(seed), constrained=0.0)
        environment, controller, properties, _ = models
        known = {f"property {i}": p for i, p in enumerate(properties, 1)}
        try:
            found = symrob.compute(
                environment, controller, properties, at_most=at_most
            ).cuts()
            for cut in found:
                yield environment, known.get(cut.trace.violated), cut.trace
        except SymrobError:
            # The plan is unsafe, or a property is not deterministic.
            continue


@pytest.mark.parametrize("at_most", [None, 2])
def test_the_plan_beside_added_steps(at_most):
    seen = []
    for environment, _, trace in traces(at_most):
        number = {environment.state_name(q): q for q in range(environment.size)}
        before = trace.start
        for step in trace.steps:
            row = environment.successors[number[before.environment]]
            before = step
            names = [step.action] if step.action in row else row
            want = {(a, r) for a in names if step.added for r in row[a]}
            assert {(s.action, number[s.environment]) for s in step.planned} == want
            if step.added:
                seen.append(step.action in row)
    assert min(seen.count(True), seen.count(False)) > 10


@pytest.mark.parametrize("at_most", [None, 2])
def test_what_a_violated_property_allows(at_most):
    seen = 0
    for _, monitor, trace in traces(at_most):
        if monitor is None or not monitor.deterministic:
            continue
        state = 0
        for action in trace.actions[:-1]:
            if action in monitor.alphabet:
                (state,) = monitor.successors[state][action]
        row = monitor.successors[state]
        want = {a for a, targets in row.items() if targets != (ERROR,)} - {TAU}
        assert {*trace.allowed} == want
        seen += bool(want)
    assert seen > 10
