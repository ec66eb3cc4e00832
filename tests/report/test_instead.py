"""What a trace says of the plan beside added steps, and of the violated property."""

from collections import Counter
from random import Random

import pytest

import symrob
from symrob import ERROR, TAU, Lts, SymrobError
from tests.generate import random_problem


def traces(at_most):
    """Traces of minimal sets of random problems, with E, C and what they violate."""
    for seed in range(400):
        models = random_problem(Random(seed), constrained=0.4)
        environment, controller, properties, constraints = models
        known = {f"property {i}": p for i, p in enumerate(properties, 1)}
        known |= {f"constraint {i}": p for i, p in enumerate(constraints, 1)}
        try:
            for cut in symrob.compute(*models, at_most=at_most).cuts(outside=True):
                violated = known.get(cut.trace.violated)
                yield environment, controller, violated, cut.trace
        except SymrobError:
            # The plan is unsafe, or a property is not deterministic.
            continue


class Machine:
    """What C can do in a state, given by the names of its components' states."""

    def __init__(self, controller, names):
        # E alone violates an assumption.
        self.parts = controller.components if names else ()
        self.hidden = {*controller.hidden} if names else set()
        self.states = [
            next(q for q in range(part.size) if part.state_name(q) == name)
            for part, name in zip(self.parts, names, strict=True)
        ]

    def rows(self, action):
        pairs = zip(self.parts, self.states, strict=True)
        return [p.successors[q] for p, q in pairs if action in p.alphabet]

    def joins(self, action):
        """Whether it lets E take an action."""
        if action == TAU or action in self.hidden:
            return True
        return all(action in row for row in self.rows(action))

    def alone(self, others):
        """What it can do alone, beside actions of others."""
        known = {a for part in self.parts for a in part.alphabet}
        for action in known - {*others} | self.hidden:
            rows = self.rows(action)
            if rows and all(action in row for row in rows):
                yield TAU if action in self.hidden else action
        for part, state in zip(self.parts, self.states, strict=True):
            if TAU in part.successors[state]:
                yield TAU


@pytest.mark.parametrize("at_most", [None, 2])
def test_the_plan_beside_added_steps(at_most):
    seen = Counter()
    for environment, controller, _, trace in traces(at_most):
        number = {environment.state_name(q): q for q in range(environment.size)}
        before = trace.start
        for step in trace.steps:
            source = number[before.environment]
            row = environment.successors[source]
            machine = Machine(controller, before.components)
            before = step
            if not step.added:
                assert step.planned == ()
                continue
            if step.action in row:
                kind, want = "outcome", {(step.action, r) for r in row[step.action]}
            else:
                kind = "E"
                want = {(a, r) for a, rs in row.items() if machine.joins(a) for r in rs}
            if not want:
                kind = "C"
                want = {(a, source) for a in machine.alone(environment.alphabet)}
            seen[kind] += 1
            assert {(s.action, number[s.environment]) for s in step.planned} == want
    assert min(seen["outcome"], seen["E"], seen["C"]) > 5, seen


@pytest.mark.parametrize("at_most", [None, 2])
def test_what_a_violated_property_allows(at_most):
    seen = 0
    for _, _, monitor, trace in traces(at_most):
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


def test_the_start_is_no_step_of_the_plan():
    steps = 0
    for seed in range(150):
        environment, *others = random_problem(Random(seed), constrained=0.8)
        begin = {"initial": [*range(environment.size)]}
        several = Lts.from_dict({**environment.to_dict(), **begin})
        known = {*environment.alphabet, *others[0].alphabet, TAU}
        try:
            for cut in symrob.compute(several, *others).cuts(outside=True):
                for step in cut.trace.steps:
                    assert {planned.action for planned in step.planned} <= known
                    steps += len(step.planned)
        except SymrobError:
            continue
    assert steps > 50
