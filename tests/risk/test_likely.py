"""Hazardous sets by probability: all of them, in order, and the first ones alone."""

from itertools import pairwise
from math import prod
from random import Random

from symrob.envelope.transitions import Candidates
from symrob.lts import Transition
from symrob.risk.assessment import Assessment
from symrob.risk.events import Event, Events
from symrob.risk.likely import LikelySets
from symrob.risk.search import space_about
from tests.engines import engine_if_safe
from tests.generate import MEDIUM, random_problem
from tests.oracles import definition
from tests.strength import examples


def test_all_sets_come_the_most_probable_first():
    """Against the search by size, which shares the formula and not the order."""
    rng = Random(50)
    larger = 0
    for _ in range(examples(120, 1_200)):
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
        expected = Assessment(space_about(engine, table), table).together.family
        search = LikelySets(space_about(engine, table), table)
        found = list(search)
        assert search.status == "complete"
        assert {one.events for one in found} == set(expected)
        assert len(found) == len(expected)
        chances = [one.probability for one in found]
        assert all(a >= b * (1 - 1e-9) for a, b in pairwise(chances))
        for one in found:
            product = prod(events[n].chance for n in sorted(one.events))
            assert one.probability == float(product)
        larger += any(len(one) > 2 for one in expected)
        if expected:
            first = LikelySets(space_about(engine, table), table, limit=1)
            assert [one.events for one in first] == [found[0].events]
            assert first.status == ("limit" if len(expected) > 1 else "complete")
    assert larger >= 5


def test_sets_of_fault_modes_come_the_most_probable_first():
    """Against the search that replaces transitions by the modes that have them."""
    rng = Random(51)
    larger = 0
    for _ in range(examples(250, 2_500)):
        problem = random_problem(rng, shapes=MEDIUM, constrained=0.4)
        engine = engine_if_safe(problem, max_states=20_000)
        if engine is None:
            continue
        new = [Transition(*t) for t in definition.candidates(problem[0])]
        size = min(len(new), 3)
        events = tuple(
            Event(
                f"mode {n}",
                frozenset(rng.sample(new, rng.randint(1, size))),
                rng.choice((1.0, 10 ** rng.uniform(-4, 0))),
                "",
                is_mode=True,
            )
            for n in range(rng.randint(1, 8) if new else 0)
        )
        table = Events(events, Candidates.of(engine.environment, ()), (), ())
        if not table.has_modes:
            continue
        expected = Assessment(space_about(engine, table), table).together.family
        search = LikelySets(space_about(engine, table), table)
        found = list(search)
        assert search.status == "complete"
        assert sorted(map(sorted, (one.events for one in found))) == sorted(
            map(sorted, expected)
        )
        chances = [one.probability for one in found]
        assert all(a >= b * (1 - 1e-9) for a, b in pairwise(chances))
        for one in found:
            assert one.cut.trace.steps or one.cut.trace.violated
        larger += any(len(one) > 1 for one in expected)
    assert larger >= 5
