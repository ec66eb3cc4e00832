"""Bounds without a diagram: against all subsets, and against exact diagrams."""

from itertools import pairwise
from math import exp, log
from random import Random

import pytest

from symrob.risk.bounds import Tree
from symrob.risk.decay import none_happens
from symrob.risk.decision import minimal
from tests.risk.test_decision import (
    MOST,
    by_definition,
    manager,
    nothing,
    random_family,
)


@pytest.mark.parametrize("seed", range(120))
def test_bounds_hold_on_every_level_and_meet_in_the_end(seed):
    rng = Random(seed)
    events = rng.randint(1, 7)
    family = random_family(rng, events, rng.randint(0, 12))
    some = (rng.random(), 0.5, 0.05, 0.001, 1.0, 0.0)
    chances = [rng.choice((*some[: rng.choice((4, 6))],)) for _ in range(events)]
    exact = 1 - by_definition(family, chances)
    found = [
        (float(low), float(high))
        for low, high in none_happens(family, chances, 1e-9, 10**7, nothing)
    ]
    for low, high in found:
        assert low - 1e-12 <= exact <= high + 1e-12
    assert found[-1][1] - found[-1][0] <= 1e-9
    # Asked for more, it is never worse by much; it begins with less than the end.
    for (low, high), (closer, lower) in pairwise(found):
        assert lower - closer <= (high - low) + 1e-12


def test_effort_ends_it_and_what_came_before_stays():
    rng = Random(3)
    family = minimal(frozenset(rng.sample(range(60), 2)) for _ in range(500))
    few, many = (
        list(none_happens(family, [0.05] * 60, 0.0, effort, nothing))
        for effort in (50_000, 400_000)
    )
    assert len(few) < len(many)
    assert few == many[: len(few)]


def spread(rng, events, least, most):
    return [exp(rng.uniform(log(least), log(most))) for _ in range(events)]


def test_a_tree_that_is_too_large_is_known_up_to_a_thousandth():
    """A ladder has a small diagram; one that may have few nodes is bounded without."""
    rng = Random(1)
    starts = [rng.randrange(290) for _ in range(1500)]
    family = minimal(
        frozenset(rng.sample(range(start, start + 8), rng.randint(2, 4)))
        for start in starts
    )
    chances = spread(rng, 300, 1e-4, 1e-2)
    exact = Tree(family, chances, manager, nothing, MOST).bounds.lower
    bounds = Tree(family, chances, manager, nothing, 2_000).bounds
    assert bounds.lower <= exact <= bounds.upper
    assert 0 < bounds.gap <= 1e-3 * bounds.upper


def test_ten_thousand_sets_of_three_hundred_events():
    rng = Random(1)
    family = minimal(
        frozenset(rng.sample(range(300), rng.choice((2, 3, 4)))) for _ in range(10_000)
    )
    chances = spread(rng, 300, 1e-3, 1e-2)
    *_, pair = none_happens(family, chances, 1e-3, 10**7, nothing)
    low, high = map(float, pair)
    assert high - low <= 1e-3
    samples, misses = 700, 0
    for _ in range(samples):
        happened = {n for n, p in enumerate(chances) if rng.random() < p}
        misses += len(happened) < 2 or not any(one <= happened for one in family)
    sigma = (low * (1 - low) / samples) ** 0.5
    assert abs(misses / samples - low) < 5 * sigma
