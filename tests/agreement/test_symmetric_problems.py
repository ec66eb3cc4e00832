"""Problems with symmetries: Δ by the definition, each deviation once.

Where actions, states, components or properties can be exchanged, deviations come in
families of equal shape. Whoever takes one for another loses or repeats some.
"""

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import symrob
from symrob.errors import NominalViolation
from symrob.lts import Lts, Network
from tests.generate import random_problem
from tests.oracles import definition
from tests.strength import examples


def turned_round(things, turn):
    """The things and all their images, each once, in a fixed order."""
    found = list(dict.fromkeys(things))
    for thing in found:
        if (image := turn(thing)) not in found:
            found.append(image)
    return found


class Turn:
    """A permutation of actions, and of E's states but for the initial one."""

    def __init__(self, rng, environment):
        alphabet, others = environment.alphabet, range(1, environment.size)
        shift = rng.randrange(len(alphabet))
        self.after = dict(
            zip(alphabet, alphabet[shift:] + alphabet[:shift], strict=True)
        )
        self.after |= rng.choice(({}, {"u": "v", "v": "u"}))
        self.place = [0, *rng.sample(others, len(others))]

    def action(self, action):
        return self.after.get(action, action)

    def transition(self, transition):
        source, action, target = transition
        return (self.place[source], self.action(action), self.place[target])

    def system(self, lts):
        """With its actions renamed, and its states as they are."""
        return Lts(
            [self.action(a) for a in lts.alphabet],
            lts.size,
            [(s, self.action(a), t) for s, a, t in lts.transitions],
        )


def symmetric_problem(rng, **shape):
    """A random problem made symmetric, and the turn that it is symmetric under."""
    environment, controller, properties, constraints = random_problem(
        rng, machine=2, **shape
    )
    turn = Turn(rng, environment)
    moves = turned_round(map(tuple, environment.transitions), turn.transition)
    controller = Network(
        turned_round(controller.components, turn.system),
        hidden=turned_round(sorted(controller.hidden), turn.action),
    )
    properties = turned_round(properties, turn.system)
    constraints = turned_round(constraints, turn.system)
    environment = Lts(environment.alphabet, environment.size, moves)
    if not definition.robust(
        environment, frozenset(), controller, properties, constraints
    ):
        environment = Lts(environment.alphabet, environment.size, ())
    return (environment, controller, properties, constraints), turn


def spoiled(rng, problem):
    """The problem with one transition more or less, somewhere."""
    environment, controller, properties, constraints = problem
    parts = list(controller.components)
    systems = rng.choice([s for s in (parts, properties, constraints) if s])
    index = rng.randrange(len(systems))
    lts = systems[index]
    if not lts.alphabet:
        return problem
    new = (rng.randrange(lts.size), rng.choice(lts.alphabet), rng.randrange(lts.size))
    same = {(s, a, t) for s, a, t in lts.transitions if (s, a) == new[:2]}
    moves = {*map(tuple, lts.transitions)} - same | (set() if same else {new})
    systems[index] = Lts(lts.alphabet, lts.size, moves)
    return (
        environment,
        Network(parts, hidden=controller.hidden),
        properties,
        constraints,
    )


def delta(problem):
    """Δ as a list, so that what comes twice is seen."""
    environment, controller, properties, constraints = problem
    envelope = symrob.compute(environment, controller, properties, constraints)
    return [frozenset(map(tuple, d)) for d in envelope]


@settings(max_examples=examples(40, 1000))
@given(st.integers(0, 2**48))
def test_delta_of_symmetric_problems_is_that_of_the_definition(seed):
    rng = Random(seed)
    problem, _ = symmetric_problem(rng, shapes=((2, 2), (3, 1)))
    if rng.random() < 0.4:
        problem = spoiled(rng, problem)
    expected = definition.delta(*problem)
    if expected is None:
        with pytest.raises(NominalViolation):
            delta(problem)
        return
    found = delta(problem)
    assert set(found) == expected
    assert len(found) == len(expected)


@settings(max_examples=examples(25, 600))
@given(st.integers(0, 2**48))
def test_the_image_of_a_deviation_is_a_deviation(seed):
    problem, turn = symmetric_problem(Random(seed), shapes=((3, 2), (4, 1), (3, 3)))
    try:
        found = delta(problem)
    except NominalViolation:
        return
    assert len(set(found)) == len(found)
    assert {frozenset(map(turn.transition, d)) for d in found} == set(found)
