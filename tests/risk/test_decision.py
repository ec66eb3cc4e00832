"""Probabilities of families of sets: against all subsets, sums and samples."""

from itertools import combinations, product
from math import inf, isclose, log, prod
from random import Random

import pytest

from symrob.errors import LimitExceeded
from symrob.risk.bounds import KnownSets, TooLarge, Tree, bounds_of, joint
from symrob.risk.decision import Builder, minimal, ordering
from symrob.symbolic.context import Context

MOST = 100_000


def manager(backend="auto"):
    return Context(backend).manager


def nothing(*_):
    pass


def random_family(rng, events, sets, most=4):
    sizes = [rng.randint(1, min(most, events)) for _ in range(sets)]
    return minimal(frozenset(rng.sample(range(events), size)) for size in sizes)


def worlds(chances):
    """Every set of events with its probability."""
    for happens in product((False, True), repeat=len(chances)):
        yield (
            frozenset(n for n, yes in enumerate(happens) if yes),
            prod(p if yes else 1 - p for p, yes in zip(chances, happens, strict=True)),
        )


def by_definition(family, chances):
    return sum(p for s, p in worlds(chances) if any(one <= s for one in family))


def by_inclusion_and_exclusion(family, chances):
    return sum(
        (-1) ** (size + 1) * prod(chances[e] for e in frozenset().union(*some))
        for size in range(1, len(family) + 1)
        for some in combinations(family, size)
    )


@pytest.mark.parametrize("backend", ["cudd", "autoref"])
def test_probability_is_that_of_inclusion_and_exclusion(backend):
    rng = Random(1)
    for _ in range(100):
        chances = [rng.choice((0.0, 1.0, rng.random())) for _ in range(8)]
        family = random_family(rng, 8, rng.randint(0, 9))
        tree = Tree(family, chances, lambda: manager(backend), nothing, MOST)
        expected = by_inclusion_and_exclusion(family, chances)
        assert isclose(tree.bounds.lower, expected, abs_tol=1e-12)
        assert tree.bounds.is_exact
        assert isclose(expected, by_definition(family, chances), abs_tol=1e-12)


def test_tiny_probabilities_keep_their_digits():
    family = [frozenset((0, 1)), frozenset((1, 2)), frozenset((3,))]
    chances = [1e-12, 3e-12, 2e-12, 1e-24]
    tree = Tree(family, chances, manager, nothing, MOST)
    # Of two sets that share an event, both happen only with three events.
    expected = 3e-24 + 6e-24 - 6e-36 + 1e-24
    assert isclose(tree.bounds.lower, expected, rel_tol=1e-12)


def test_importance_is_what_its_definitions_say():
    rng = Random(2)
    for _ in range(60):
        chances = [rng.uniform(0.05, 0.9) for _ in range(7)]
        family = random_family(rng, 7, rng.randint(1, 7))
        tree = Tree(family, chances, manager, nothing, MOST)
        whole = by_definition(family, chances)
        for some in ([rng.randrange(7)], rng.sample(range(7), 3)):
            changed = [
                [value if n in some else p for n, p in enumerate(chances)]
                for value in (1.0, 0.0)
            ]
            surely, never = (by_definition(family, c) for c in changed)
            touched = by_definition([s for s in family if s & {*some}], chances)
            found = tree.importance(some, fussell=True)
            assert isclose(found.birnbaum, surely - never, abs_tol=1e-12)
            assert isclose(found.criticality, (whole - never) / whole, abs_tol=1e-12)
            assert isclose(found.fussell_vesely, touched / whole, abs_tol=1e-12)
            assert isclose(found.raw, surely / whole, rel_tol=1e-9)
            rrw = whole / never if never else inf
            assert isclose(found.rrw, rrw, rel_tol=1e-9)


def test_bounds_hold_and_use_all_that_is_known():
    rng = Random(3)
    for _ in range(150):
        events = rng.randint(2, 8)
        chances = [rng.random() for _ in range(events)]
        family = random_family(rng, events, rng.randint(1, 8))
        complete = rng.randint(1, 3)
        known = [s for s in family if len(s) <= complete or rng.random() < 0.5]
        alone = {e for s in family if len(s) == 1 for e in s}
        relevant = frozenset(range(events)) - alone
        some = [frozenset(e for e in relevant if rng.random() < 0.6) for _ in "abc"]
        harmless = [h for h in some if not any(s <= h for s in family)]
        found = bounds_of(
            KnownSets(known, relevant, complete, harmless),
            chances,
            manager,
            nothing,
            MOST,
        )
        exact = by_definition(family, chances)
        assert found.lower - 1e-12 <= exact <= found.upper + 1e-12
        safe = sum(
            p
            for s, p in worlds(chances)
            if not any(one <= s for one in known)
            and (
                len(s & relevant) <= complete
                or any(s & relevant <= one for one in harmless)
            )
        )
        assert isclose(found.lower, by_definition(known, chances), abs_tol=1e-12)
        assert isclose(found.upper, 1 - safe, abs_tol=1e-12)


def test_what_is_too_large_is_bounded():
    """The bounds hold where the diagram leaves sets out, of small families too."""
    rng = Random(4)
    left_out = 0
    for _ in range(40):
        chances = [rng.uniform(0, 0.5) for _ in range(10)]
        family = minimal(frozenset(rng.sample(range(10), 3)) for _ in range(25))
        tree = Tree(family, chances, manager, nothing, most=60)
        exact = by_definition(family, chances)
        assert tree.bounds.lower - 1e-12 <= exact <= tree.bounds.upper + 1e-12
        left_out += not tree.is_whole
    assert left_out > 10


def test_a_tree_that_must_not_go_on_still_bounds_the_probability():
    """Whenever it is stopped; and says so, unless it was whole by then."""
    rng = Random(9)
    stopped = 0
    for _ in range(60):
        chances = [rng.random() / 4 for _ in range(10)]
        family = random_family(rng, 10, 40)
        calls = iter(range(rng.randint(0, 3)))

        def check(calls=calls):
            if next(calls, None) is None:
                raise LimitExceeded("stopped", reason="timeout")

        most = rng.choice((MOST, 40))
        tree = Tree(family, chances, manager, check, most)
        exact = by_definition(family, chances)
        assert tree.bounds.lower <= exact + 1e-12
        assert tree.bounds.upper >= exact - 1e-12
        assert tree.is_whole or tree.stopped is not None or most < MOST
        stopped += tree.stopped is not None
        found = bounds_of(
            KnownSets(family, range(10), 0), chances, manager, check, most
        )
        assert found.lower <= exact + 1e-12
        assert found.upper >= exact - 1e-12
    assert 10 < stopped < 60


def test_spare_leaves_out_no_more_than_it_may():
    rng = Random(5)
    for _ in range(40):
        chances = [10 ** rng.uniform(-6, -1) for _ in range(10)]
        family = random_family(rng, 10, 25, most=5)
        exact = by_definition(family, chances)
        tree = Tree(family, chances, manager, nothing, MOST, spare=1e-5)
        assert tree.bounds.lower - 1e-12 <= exact <= tree.bounds.upper + 1e-12
        assert tree.bounds.gap <= 1e-5


def test_condition_is_that_nothing_excluded_happens():
    rng = Random(6)
    for _ in range(60):
        chances = [rng.random() for _ in range(7)]
        top, excluded = (random_family(rng, 7, rng.randint(0, 5)) for _ in "ab")
        kept, both = joint(top, excluded, chances, manager, nothing)
        fine = [(s, p) for s, p in worlds(chances) if not any(x <= s for x in excluded)]
        whole = sum(p for _, p in fine)
        hit = sum(p for s, p in fine if any(one <= s for one in top))
        assert isclose(kept, whole, abs_tol=1e-12)
        assert isclose(both, hit, abs_tol=1e-12)


def test_large_families_agree_with_samples():
    """60 events, 300 sets in a chain of neighbours: 20,000 samples within 5 sigma."""
    rng = Random(7)
    starts = [rng.randrange(55) for _ in range(300)]
    family = minimal(
        frozenset(rng.sample(range(start, start + 6), rng.randint(2, 5)))
        for start in starts
    )
    chances = [rng.uniform(0.0, 0.3) for _ in range(60)]
    exact = Tree(family, chances, manager, nothing, MOST).bounds.lower
    samples = 20_000
    hits = 0
    for _ in range(samples):
        happened = {n for n, p in enumerate(chances) if rng.random() < p}
        hits += any(one <= happened for one in family)
    sigma = (exact * (1 - exact) / samples) ** 0.5
    assert abs(hits / samples - exact) < 5 * sigma
    assert 0.05 < exact < 0.95


def test_a_bound_on_nodes_ends_the_building():
    rng = Random(8)
    family = [frozenset(rng.sample(range(100), 3)) for _ in range(400)]

    def check(nodes):
        if nodes > 1000:
            raise TooLarge

    with pytest.raises(TooLarge):
        Builder(manager(), ordering(family), check).holds_one(family)


def test_order_puts_together_what_occurs_together():
    """Pairs (i, i + 50): with partners apart a diagram would have 2^50 nodes."""
    family = [frozenset((n, n + 50)) for n in range(50)]
    tree = Tree(family, [0.01] * 100, manager, nothing, MOST)
    expected = -50 * log(1 - 1e-4)
    assert isclose(-log(1 - tree.bounds.lower), expected, rel_tol=1e-9)


def test_minimal_keeps_what_holds_no_other():
    rng = Random(9)
    for _ in range(100):
        sets = [frozenset(rng.sample(range(6), rng.randint(0, 4))) for _ in range(9)]
        expected = {s for s in sets if not any(other < s for other in sets)}
        assert set(minimal(sets)) == expected
        assert len(minimal(sets)) == len(expected)
