"""Screening with some components of C first: the same as with all of them."""

from random import Random

import pytest

import symrob
from symrob.envelope import screening, tuning
from symrob.envelope.transitions import Candidates
from symrob.errors import NominalViolation
from symrob.limits import Clock
from symrob.lts import Network
from tests.generate import random_lts, random_monitor, thinned
from tests.oracles import definition

ALPHABET = ("a", "b", "c")
CLOCK = Clock()


def random_composed(rng):
    """C has five components that share few actions; some of these are hidden."""
    environment = random_lts(rng, ALPHABET, 3, 0.6)
    parts = []
    for number in range(5):
        names = [*ALPHABET, "u", "v", f"own{number}"]
        own = tuple(name for name in names if rng.random() < 0.35) or ("u",)
        error = 0.03 if rng.random() < 0.2 else 0.0
        tau = 0.3 if rng.random() < 0.2 else 0.0
        size = rng.randint(1, 3)
        parts.append(random_lts(rng, own, size, 1.4, tau=tau, error=error))
    names = sorted({a for part in parts for a in part.alphabet})
    hidden = [a for a in names if a in "uv" and rng.random() < 0.3]
    controller = Network(parts, hidden=hidden)
    watched = sorted({*ALPHABET, *controller.alphabet})
    properties = [
        random_monitor(rng, tuple(rng.sample(watched, 2)), 3, 0.2)
        for _ in range(rng.choice((1, 1, 2)))
    ]
    return thinned(rng, environment, controller, properties, ())


@pytest.mark.parametrize(
    ("first", "alone", "followed"), [(1_000, 0, 1_000), (0, 0, 1_000), (0, 0, 0)]
)
def test_what_is_tolerated_is_what_the_definition_says(
    monkeypatch, first, alone, followed
):
    monkeypatch.setattr(tuning, "SCREENED_FIRST", first)
    monkeypatch.setattr(tuning, "FOLLOWED", followed)
    monkeypatch.setattr(tuning, "WALKED_ALONE", alone)
    smaller = told = 0
    for seed in range(60):
        environment, controller, properties, _ = random_composed(Random(seed))
        try:
            engine = symrob.compute(environment, controller, properties).engine
        except NominalViolation:
            continue
        loop, nominal = engine.closed_loop, engine.nominal
        every = Candidates.all_new(environment)
        found = screening.tolerated(loop, environment, nominal, every, CLOCK)
        assert set(map(tuple, found)) == {
            t
            for t in definition.candidates(environment)
            if definition.violation(environment, (t,), controller, properties) is None
        }
        smaller += bool(loop.cones)
        told += sum(1 for t in every if t not in found)
    assert smaller > 20
    assert told > 50
