"""`compare` against Δ by its definition, and each of its parts on its own."""

from collections import Counter
from functools import cache
from itertools import combinations
from random import Random

import pytest
from hypothesis import settings

import symrob
from symrob.analyses.candidate_space import CandidateSpace
from symrob.analyses.compare import compare, surplus_sets
from symrob.analyses.difference import DifferenceSearch, closed_parts
from symrob.analyses.escape import Escapes
from symrob.analyses.inclusion import breaks_too
from symrob.analyses.ranking import rank
from symrob.envelope import tuning
from symrob.envelope.effort import Effort
from symrob.limits import Clock
from tests.analyses.sides import random_sides, smallest_surplus, with_delta
from tests.engines import engine_of
from tests.generate import TINY
from tests.oracles import definition, replay

# The profile `thorough` of Hypothesis is for these tests as well.
SCALE = max(1, settings.default.max_examples // 1000)
VERDICTS = {
    (False, False): "equal",
    (True, False): "more",
    (False, True): "less",
    (True, True): "incomparable",
}


@cache
def group(seed):
    """Designs in one environment, with Δ; made for witnesses of several transitions."""
    shapes = TINY if seed % 4 == 0 else ((2, 2),)
    return with_delta(
        random_sides(Random(seed), count=6, shapes=shapes, machine=8, constrained=0.15)
    )


def pairs(seeds):
    """Each pair of designs of a group: (problem, engine, Δ) of both."""
    for seed in seeds:
        sides = [(problem, engine_of(problem), delta) for problem, delta in group(seed)]
        yield from combinations(sides, 2)


def both_ways(seeds):
    """Each pair and its reverse, with the size of a smallest witness or None."""
    for one, other in pairs(seeds):
        for keeper, breaker in ((one, other), (other, one)):
            size = smallest_surplus(one[0][0], keeper[2], breaker[2])
            yield keeper, breaker, size


def is_shortest_break(problem, added, trace):
    """Whether a trace breaks a side, and none is shorter."""
    environment, controller, properties, constraints = problem
    alone = definition.violation(environment, added, None, constraints)
    loop = definition.violation(environment, added, controller, properties)
    shortest = min(n for n in (alone, loop) if n is not None)
    return len(trace.steps) == shortest and (
        replay.breaks(environment, added, None, constraints, trace)
        or replay.breaks(environment, added, controller, properties, trace)
    )


def check_surplus(surplus, keeper, breaker, size):
    """Whether a surplus holds what brute force says."""
    assert surplus.exists == (size is not None)
    if surplus.witness is None:
        assert size is None
        return
    added = {tuple(t) for t in surplus.witness.units}
    environment = keeper[0]
    assert surplus.witness.smallest
    assert len(added) == size
    assert added <= set(definition.candidates(environment))
    assert definition.robust(environment, added, *keeper[1:])
    assert is_shortest_break(breaker, added, surplus.witness.trace)


def test_all_four_verdicts_agree_with_brute_force(monkeypatch):
    """Verdict, smallest witness, trace and difference, on random designs."""
    seen, sizes = Counter(), Counter()
    sides = pairs(range(60 * SCALE))
    for number, ((mine, one, delta), (theirs, other, delta2)) in enumerate(sides):
        # An inclusion is asked for first, or deviations are listed first.
        monkeypatch.setattr(tuning, "MANY_CANDIDATES", 1_000 * (number % 2))
        environment = mine[0]
        comparison = compare(CandidateSpace(one), CandidateSpace(other))
        forth = smallest_surplus(environment, delta, delta2)
        back = smallest_surplus(environment, delta2, delta)
        verdict = VERDICTS[forth is not None, back is not None]
        assert comparison.verdict == verdict
        assert comparison.status == "complete"
        check_surplus(comparison.first, mine, theirs, forth)
        check_surplus(comparison.second, theirs, mine, back)
        new = definition.candidates(environment)
        alone, alone2 = (
            {t for t in new if any(t in d for d in s)} for s in (delta, delta2)
        )
        assert set(comparison.first.alone) == alone - alone2
        assert set(comparison.second.alone) == alone2 - alone
        assert comparison.tolerated_by_both == len(alone & alone2)
        seen[verdict] += 1
        sizes.update((forth, back))
    assert sum(seen.values()) > 700
    assert min(seen[v] for v in VERDICTS.values()) >= 10, seen
    assert sizes[2] >= 20, sizes
    assert sizes[3] >= 3, sizes


def searched(keeper, breaker):
    """All that the search gives, without any shortcut; None if it cannot be asked."""
    if keeper.safe_sets.alone.without(breaker.safe_sets.alone):
        return None
    sets, clock = keeper.safe_sets, keeper.clock
    escapes = Escapes(
        sets.extension, sets.determinised, breaker.safe_sets.determinised, clock
    )
    search = DifferenceSearch(sets, escapes, clock, Effort())
    try:
        return list(search.witnesses(least=2))
    finally:
        search.close()


@pytest.mark.parametrize("steps", [0, 30, 500_000])
def test_the_search_alone_is_complete(monkeypatch, steps):
    """However little is explored beforehand: witnesses shrink to a smallest one."""
    monkeypatch.setattr(tuning, "EXPLORED_STEPS", steps)
    seen = Counter()
    for (_, keeper, _), (_, breaker, _), size in both_ways(range(60 * SCALE)):
        found = searched(keeper, breaker)
        if found is None:
            continue
        sizes = [len(witness) for witness in found]
        assert sizes == sorted(set(sizes), reverse=True)
        assert (sizes[-1] if sizes else None) == size
        for witness in found:
            nominal = keeper.environment.transitions
            assert keeper.is_safe(keeper.deviated((*nominal, *witness)))
            assert not breaker.is_safe(breaker.deviated((*nominal, *witness)))
        seen[size] += 1
    assert seen[2] + seen[3] >= 20, seen
    assert seen[None] >= 100, seen


def test_few_maximal_deviations_make_a_short_search():
    """With 48 of them; without growing, it took 1,800 rounds."""
    sides = random_sides(
        Random(84),
        count=3,
        shapes=((5, 3), (6, 3), (6, 4), (8, 3)),
        machine=10,
        constrained=0.0,
    )
    one, other = engine_of(sides[0]), engine_of(sides[2])
    assert compare(CandidateSpace(one), CandidateSpace(other)).verdict == "equal"
    assert 0 < one.effort.solver_calls + other.effort.solver_calls < 400


def test_the_proof_by_inclusion_is_sound():
    """Where it says that what breaks one breaks the other, nothing is in between."""
    seen = Counter()
    for (problem, keeper, _), (_, breaker, _), size in both_ways(range(50 * SCALE)):
        everything = keeper.safe_sets.alone.with_nominal(problem[0])
        proved = breaks_too(
            keeper.problem, breaker.problem, everything, "auto", Clock()
        )
        assert size is None or not proved
        seen[size is None, proved] += 1
    # Far from vacuous, in both ways.
    assert seen[True, True] >= 100, seen
    assert seen[False, False] >= 100, seen


def test_deviations_of_one_side_only():
    """Those of Δ that lie below none of the other side."""
    some = 0
    for (_, one, delta), (_, other, delta2), _size in both_ways(range(30 * SCALE)):
        expected = {d for d in delta if not any(d <= e for e in delta2)}
        only = surplus_sets(CandidateSpace(one), CandidateSpace(other))
        found = {frozenset(map(tuple, d)) for d in only}
        assert found == expected
        some += bool(expected)
    assert some > 20


def test_ranking_is_the_order_of_delta():
    """All pairs, classes and the Hasse diagram, on random designs."""
    shapes = Counter()
    for seed in range(60 * SCALE):
        sides = group(seed)
        if not sides:
            continue
        deltas = [delta for _, delta in sides]
        ranking = rank([CandidateSpace(engine_of(problem)) for problem, _ in sides])
        size = range(len(sides))
        above = [
            [all(any(d <= e for e in a) for d in b) for b in deltas] for a in deltas
        ]
        assert ranking.status == "complete"
        assert [list(row) for row in ranking.at_least] == above
        assert sorted(i for members in ranking.classes for i in members) == list(size)
        number = {i: k for k, members in enumerate(ranking.classes) for i in members}
        for i in size:
            for j in size:
                assert (number[i] == number[j]) == (above[i][j] and above[j][i])
                assert not (above[i][j] and number[i] > number[j])
        strict = {
            (number[i], number[j])
            for i in size
            for j in size
            if above[i][j] and not above[j][i]
        }
        between = {(a, c) for a, b in strict for b2, c in strict if b == b2}
        assert {(s.upper, s.lower) for s in ranking.steps} == strict - between
        for step in ranking.steps:
            upper, lower = (ranking.classes[k][0] for k in (step.upper, step.lower))
            least = smallest_surplus(sides[0][0][0], deltas[upper], deltas[lower])
            assert step.smallest
            assert len(step.added) == least
        shapes[len(ranking.classes), len(ranking.steps)] += 1
    assert sum(n for (classes, _), n in shapes.items() if classes > 2) >= 10, shapes


def test_closed_parts_of_graphs():
    """Strongly connected parts that nothing leaves, against reachability."""
    for seed in range(300):
        rng = Random(seed)
        size = rng.randint(1, 8)
        graph = {
            n: [m for m in range(size) if rng.random() < rng.choice((0.15, 0.3))]
            for n in range(size)
        }
        reached = {n: _reached(graph, n) for n in graph}
        expected = {
            frozenset(reached[n])
            for n in graph
            if all(n in reached[m] for m in reached[n])
        }
        assert {frozenset(part) for part in closed_parts(graph, Clock())} == expected


def _reached(graph, start):
    seen, todo = {start}, [start]
    while todo:
        new = set(graph[todo.pop()]) - seen
        seen |= new
        todo.extend(new)
    return seen


def test_a_bound_leaves_what_is_known():
    """Each direction says what it found out; nothing is guessed."""
    known = Counter()
    rng = Random(0)
    for (_, keeper, _), (_, breaker, _), size in both_ways(range(35 * SCALE)):
        direction = CandidateSpace(keeper).beyond(CandidateSpace(breaker))
        _stop_after(direction, rng.randint(0, 60))
        if direction.exists is not None:
            assert direction.exists == (size is not None)
            assert not direction.smallest or len(direction.added) == size
        known[direction.exists, direction.smallest] += 1
    assert known[None, False] >= 20, known
    assert known[False, False] >= 20, known
    assert known[True, True] >= 20, known


def _stop_after(direction, ticks):
    """Run a direction until its engine's clock has been asked so often."""
    left = [ticks]

    def tick():
        left[0] -= 1
        if left[0] < 0:
            raise symrob.LimitExceeded("enough", reason="timeout")

    for engine in (direction._keeper, direction._breaker):
        engine.clock._on_tick = tick
    try:
        direction.settle()
        direction.search()
        direction.shrink()
    except symrob.LimitExceeded:
        pass
    finally:
        for engine in (direction._keeper, direction._breaker):
            engine.clock._on_tick = None
