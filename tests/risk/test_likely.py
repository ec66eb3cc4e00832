"""Hazardous sets by probability: all of them, in order, and the first ones alone."""

from itertools import pairwise
from math import prod
from random import Random

from symrob.envelope.transitions import Candidates
from symrob.lts import Transition
from symrob.risk.assessment import Assessment
from symrob.risk.events import Event, Events
from symrob.risk.likely import LikelySets
from tests.engines import engine_if_safe
from tests.generate import MEDIUM, random_problem
from tests.oracles import definition


def test_all_sets_come_the_most_probable_first():
    """Against the search by size, which shares the formula and not the order."""
    rng = Random(50)
    larger = 0
    for _ in range(120):
        problem = random_problem(rng, shapes=MEDIUM, constrained=0.4)
        engine = engine_if_safe(problem, max_states=20_000)
        if engine is None:
            continue
        new = [Transition(*t) for t in definition.candidates(problem[0])]
        rng.shuffle(new)
        events = tuple(
            Event(
                str(n), frozenset((t,)), rng.choice((1.0, 10 ** rng.uniform(-4, 0))), ""
            )
            for n, t in enumerate(new[:14])
        )
        table = Events(events, Candidates.of(engine.environment, ()), (), ())
        expected = Assessment(engine, table).together.family
        search = LikelySets(engine, table)
        found = list(search)
        assert search.status == "complete"
        assert {one.events for one in found} == set(expected)
        assert len(found) == len(expected)
        chances = [one.probability for one in found]
        assert all(a >= b * (1 - 1e-9) for a, b in pairwise(chances))
        for one in found:
            chance = prod(events[n].chance for n in sorted(one.events))
            assert one.probability == float(chance)
        larger += any(len(one) > 2 for one in expected)
        if expected:
            first = LikelySets(engine, table, limit=1)
            assert [*first] == found[:1]
            assert first.status == ("limit" if len(expected) > 1 else "complete")
    assert larger >= 5
