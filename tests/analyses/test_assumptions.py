"""What rests on the assumptions, against its definition on random problems."""

from collections import Counter
from itertools import combinations
from math import inf
from random import Random

from hypothesis import settings

from symrob.analyses import hazards
from symrob.analyses.candidate_space import CandidateSpace
from symrob.analyses.compare import compare, unassumed
from symrob.envelope.transitions import Candidates
from symrob.lts import Transition
from tests.analyses.sides import random_sides, with_delta
from tests.engines import engine_if_safe, engine_of
from tests.generate import TINY, random_problem
from tests.oracles import definition

SCALE = max(1, settings.default.max_examples // 1000)


def verdict_of(problem, added):
    """What a set of added transitions amounts to, by walking through all runs."""
    environment, controller, properties, constraints = problem
    hurts = definition.violation(environment, added, controller, properties)
    breaks = definition.violation(environment, added, None, constraints)
    if hurts is None:
        return "tolerated" if breaks is None else "excluded-safe"
    return "hazardous" if breaks is None else "excluded-unsafe"


def test_the_four_verdicts():
    """Of every set of up to two candidates, and of each candidate alone."""
    rng, sets, alone = Random(15), Counter(), Counter()
    for _ in range(150 * SCALE):
        problem = random_problem(rng, constrained=0.8)
        engine = engine_if_safe(problem)
        if engine is None:
            continue
        new = [Transition(*t) for t in definition.candidates(problem[0])]
        for chosen in (*combinations(new, 1), *combinations(new, 2)):
            expected = verdict_of(problem, chosen)
            assert hazards.verdict(engine, chosen) == expected
            sets[expected] += 1
        asked = frozenset(t for t in new if rng.random() < 0.7)
        among = Candidates.of(problem[0], asked)
        for found, all_ in (
            (hazards.alone(engine), frozenset(new)),
            (hazards.each_alone(engine, among, inf), asked),
        ):
            told = {
                "tolerated": {*found.tolerated},
                "hazardous": {*found.hazardous},
                "excluded-unsafe": {*found.excluded_unsafe},
                "excluded-safe": {*found.excluded_safe},
            }
            for verdict, transitions in told.items():
                assert transitions == {
                    t for t in all_ if verdict_of(problem, {t}) == verdict
                }
                alone[verdict] += len(transitions)
            assert not len(found.undecided)
    assert all(sets[v] > 100 and alone[v] > 20 for v in hazards.VERDICTS), sets


def test_an_engine_without_its_constraints():
    """It gives the Δ of the problem without them, and shares what is encoded."""
    rng, differ = Random(16), 0
    for _ in range(60 * SCALE):
        problem = random_problem(rng, constrained=0.8)
        engine = engine_if_safe(problem)
        if engine is None:
            continue
        bare = engine.unconstrained
        found = {frozenset(map(tuple, d)) for d in bare.deviations()}
        assert found == definition.delta(*problem[:3])
        assert bare.closed_loop is engine.closed_loop
        assert (bare is engine) == (not problem[3])
        differ += found != {frozenset(map(tuple, d)) for d in engine.deviations()}
    assert differ >= 5


def test_a_comparison_with_and_without_the_assumptions():
    """Both verdicts, by Δ with the constraints and without them."""
    seen = Counter()
    for seed in range(25 * SCALE):
        sides = random_sides(Random(seed), count=5, shapes=TINY, constrained=0.8)
        designs = [
            (p, engine_of(p), delta, definition.delta(*p[:3]))
            for p, delta in with_delta(sides)
        ]
        for mine, theirs in combinations(designs, 2):
            one, other = CandidateSpace(mine[1]), CandidateSpace(theirs[1])
            within = compare(one, other).verdict
            assert within == verdict_on(mine[2], theirs[2])
            found = unassumed(one, other, inf)
            if not mine[0][3] and not theirs[0][3]:
                assert found is None
                continue
            without = verdict_on(mine[3], theirs[3])
            assert (found.verdict, found.status) == (without, "complete")
            seen[within == without] += 1
    assert seen[True] > 50, seen
    assert seen[False] > 20, seen


def verdict_on(delta, delta2):
    """How two envelopes compare: whether all of one lies below the other."""
    more, less = (
        not all(any(d <= e for e in theirs) for d in mine)
        for mine, theirs in ((delta, delta2), (delta2, delta))
    )
    return {
        (False, False): "equal",
        (True, False): "more",
        (False, True): "less",
        (True, True): "incomparable",
    }[more, less]


def test_no_time_for_the_second_verdict():
    """The first one is there, and the run can go on."""
    rng = Random(17)
    sides = with_delta(random_sides(rng, count=4, shapes=((2, 2),), constrained=1.0))
    one, other = (CandidateSpace(engine_of(problem)) for problem, _ in sides[:2])
    first = compare(one, other).verdict
    found = unassumed(one, other, seconds=-1.0)
    assert (found.verdict, found.status) == ("unknown", "timeout")
    assert found.reason == "unknown (-1 s used)"
    assert compare(one, other).verdict == first
    one.clock.interrupt()
    assert unassumed(one, other).status in ("timeout", "interrupted")
