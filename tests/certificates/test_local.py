"""Rule by rule with few components, against the definition of the closed loop."""

from random import Random

from hypothesis import given, settings

from symrob.certify import local
from symrob.certify.closed_loop import ExplicitLoop
from symrob.lts import Network
from symrob.lts.deviation import Deviation
from tests.generate import random_lts, random_problem
from tests.oracles import definition
from tests.repair.test_restriction import engine_of
from tests.strategies import rngs
from tests.strength import examples

EXAMPLES = examples(50)


def random_loop(rng):
    """A problem whose machine has several components, and what E gets."""
    environment, controller, properties, _ = random_problem(rng, machine=3)
    parts = [*controller.components]
    # Hidden actions, too: components that share one are never left out.
    own = sorted({a for part in parts for a in part.alphabet})
    for _ in range(rng.randint(0, 2)):
        alphabet = [a for a in own if rng.random() < 0.6]
        parts.append(random_lts(rng, (*alphabet, "w"), rng.randint(1, 3), 1.2, tau=0.1))
    machine = Network(parts, hidden=controller.hidden)
    new = definition.candidates(environment)
    added = frozenset(t for t in new if rng.random() < 0.4)
    return (environment, machine, properties, ()), added


def check_local(rng):
    problem, added = random_loop(rng)
    engine = engine_of(problem)
    if engine is None:
        return None
    safe = definition.violation(problem[0], added, *problem[1:3]) is None
    assert local.is_safe(engine.problem, Deviation((), added), engine.clock) == safe
    return safe


@settings(max_examples=EXAMPLES)
@given(rngs())
def test_few_components_tell_what_all_do(rng):
    check_local(rng)


def test_both_answers_are_met_and_components_are_left_out(monkeypatch):
    sizes = []

    class Watched(ExplicitLoop):
        def violation(self, deviation, clock):
            parts = () if self.controller is None else self.controller.components
            sizes.append(len(parts))
            return super().violation(deviation, clock)

    monkeypatch.setattr(local, "ExplicitLoop", Watched)
    # In the last one a component that shares a hidden action matters.
    answers = [check_local(Random(seed)) for seed in (*range(60), 1232)]
    assert min(answers.count(True), answers.count(False)) > 5
    assert {0, 1, 2} <= set(sizes)
