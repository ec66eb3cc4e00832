"""Minimal unsafe sets and witnesses from Δ, against other ways to the same."""

from functools import cache
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.baselines.grow_and_shrink import grow_and_shrink
from bench.bench_nondeterministic import checked, envelope, graded, thinned
from symrob.analyses.dual import least_beyond, minimal_transversals
from symrob.envelope import tuning
from symrob.limits import Clock
from symrob.lts.masks import bits
from tests.bench.duality import minimal_hitting_sets

# Members of some masks that no other mask tells apart make classes.
masks = st.lists(st.integers(1, 2**9 - 1), min_size=1, max_size=7)


@given(masks)
def test_transversals_are_the_minimal_sets_that_meet_all(edges):
    found = list(minimal_transversals(edges, Clock()))
    sizes = [mask.bit_count() for mask in found]
    assert sizes == sorted(sizes)
    assert len(set(found)) == len(found)
    expected = minimal_hitting_sets([frozenset(bits(e)) for e in edges])
    assert {frozenset(bits(mask)) for mask in found} == expected


# Of the graded set, with 44, 395 and 135 minimal unsafe sets of up to five transitions.
NUMBERS = (92, 529, 713)


@cache
def known(number, seed=None):
    problem = graded(number)
    problem = problem if seed is None else thinned(problem, seed)
    return grow_and_shrink(checked(problem), 60)


def named(known, sets):
    return {frozenset(known.candidates[n] for n in bits(s)) for s in sets}


@pytest.mark.parametrize("number", NUMBERS)
def test_cuts_are_the_same_by_runs_and_from_delta(number, monkeypatch):
    """Runs alone, Δ at once, and turns that end in the middle of a size."""
    problem = graded(number)
    reference = known(number)
    expected = named(reference, reference.cuts)
    for steps, first, many in (
        (10**9, 1, 300),
        (10**9, 10**9, 300),
        (10**9, 1, -1),
        *((4**n, 2, 300) for n in range(8)),
    ):
        monkeypatch.setattr(tuning, "TURN_STEPS", steps)
        monkeypatch.setattr(tuning, "TURN_DEVIATIONS", first)
        monkeypatch.setattr(tuning, "MERGED_STATES", many)
        search = envelope(problem, 60).cuts()
        found = [cut.transitions for cut in search]
        assert search.status == "complete"
        assert list(map(len, found)) == sorted(map(len, found))
        assert len(found) == len(set(found))
        assert set(found) == expected


@pytest.mark.parametrize("number", [46, 92])
def test_a_smallest_set_that_one_side_alone_tolerates(number, monkeypatch):
    monkeypatch.setattr(tuning, "FIRST_DEVIATIONS", 100)
    problem = graded(number)
    for one, other in permutations(range(5), 2):
        keeper, breaker = (
            envelope(thinned(problem, seed), 60).engine.safe_sets
            for seed in (one, other)
        )
        if len(keeper.alone.without(breaker.alone)):
            continue
        kept, unsafe = known(number, one).maximal, known(number, other).cuts
        beyond = [cut for cut in unsafe if any(cut & ~d == 0 for d in kept)]
        found = least_beyond(keeper, breaker, Clock())
        assert len(found) == min(map(int.bit_count, beyond), default=0)
        assert not found or found in named(known(number, other), beyond)
