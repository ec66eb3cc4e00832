"""A search that a bound ends at any moment finds the rest when called again."""

from collections import Counter

import pytest
from hypothesis import assume, given, settings

from symrob.envelope import tuning
from symrob.errors import LimitExceeded
from symrob.limits import Clock
from tests.agreement.test_modes import solve
from tests.composed import fault_modes, random_composed, random_modes
from tests.engines import engine_of
from tests.generate import random_problem
from tests.oracles import definition
from tests.oracles import modes as oracle
from tests.strategies import rngs
from tests.strength import examples


def found_in_spite_of(rng, search):
    """What a search yields if every third look at the clock ends it."""
    found, ended = [], 0

    def check(_clock):
        nonlocal ended
        if rng.random() < 0.3:
            ended += 1
            raise LimitExceeded("the time is up")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Clock, "check", check)
        while True:
            try:
                for one in search():
                    found.append(one)
            except LimitExceeded:
                assert ended < 10_000
            else:
                return found


@settings(max_examples=examples(40, 2000))
@given(rngs())
def test_a_search_for_transitions_goes_on_where_it_was_ended(rng):
    problem = random_problem(rng)
    expected = definition.delta(*problem)
    assume(expected is not None)
    sets = engine_of(problem).safe_sets
    assume(not sets.unbroken)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tuning, "GROWN_SETS", rng.choice((0, 2, 10**9)))
        search = sets.maximal()
        found = found_in_spite_of(rng, search.search)
        search.close()
    deviations = [frozenset(map(tuple, sets.found(rows))) for rows in found]
    assert len(deviations) == len(set(deviations))
    assert set(deviations) == expected


@settings(max_examples=examples(30, 1000))
@given(rngs())
def test_a_search_for_modes_goes_on_where_it_was_ended(rng):
    problem = random_composed(rng)
    assume(problem is not None)
    modes = random_modes(rng, problem)
    expected, _verdicts = oracle.every_maximal(problem, modes)
    sets = solve(problem, faults=fault_modes(modes), only=True).engine.mode_sets
    assume(not sets.unbroken)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tuning, "RUNS_EACH_MODE", rng.choice((0, 1)))
        search = sets.maximal()
        found = found_in_spite_of(rng, search.search)
        search.close()

    def named(chosen):
        return frozenset(sets.deviation(chosen).modes)

    assert Counter(named(chosen) for (chosen,) in found) == Counter(expected)
    # What one reader has found, all others get; each may stop and go on.
    readers = [sets.all_maximal() for _ in range(3)]
    several = [[], [], []]
    while readers:
        number = rng.randrange(len(readers))
        one = next(readers[number], None)
        if one is None:
            assert {*map(named, several[number])} == expected
            assert len(several[number]) == len(expected)
            del readers[number], several[number]
        else:
            several[number].append(one)
