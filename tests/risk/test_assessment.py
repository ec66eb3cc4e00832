"""The risk of random problems, by the definition of hazardous, set by set."""

from dataclasses import replace
from itertools import product
from math import isclose, prod
from random import Random

import pytest

from symrob.envelope.transitions import Candidates
from symrob.lts import Transition
from symrob.report.risk import risk_lines
from symrob.report.risktables import RiskTables
from symrob.risk.assessment import Assessment
from symrob.risk.events import Event, Events
from symrob.risk.search import Hazards, space_about
from tests.engines import engine_if_safe
from tests.generate import random_problem
from tests.oracles import definition
from tests.strength import examples

MOST_EVENTS = 5
# Those that have no hazardous set are many, and say little.
PROBLEMS = examples(100)


def random_events(rng, environment, modes):
    """Single candidates, or sets of them, with chances."""
    new = [Transition(*t) for t in definition.candidates(environment)]
    rng.shuffle(new)
    groups = [frozenset((t,)) for t in new[:MOST_EVENTS]]
    if modes and new:
        groups = [
            frozenset(rng.sample(new, rng.randint(1, min(3, len(new)))))
            for _ in range(MOST_EVENTS)
        ]
    return tuple(
        Event(str(n), group, rng.choice((1.0, rng.random())), "", is_mode=modes)
        for n, group in enumerate(groups)
    )


def by_definition(problem, events):
    """P(top), P(kept), P(breaks P | kept) and the minimal hazardous sets."""
    environment, controller, properties, constraints = problem
    hazardous, breaks, keeps, chance = {}, {}, {}, {}
    for happens in product((False, True), repeat=len(events)):
        chosen = frozenset(n for n, yes in enumerate(happens) if yes)
        added = frozenset().union(*(events[n].transitions for n in chosen))
        told = definition.violation(environment, added, controller, properties)
        breaks[chosen] = told is not None
        told = definition.violation(environment, added, None, constraints)
        keeps[chosen] = told is None
        hazardous[chosen] = breaks[chosen] and keeps[chosen]
        chances = zip(events, happens, strict=True)
        chance[chosen] = prod(e.chance if y else 1 - e.chance for e, y in chances)
    sets = [s for s in chance if hazardous[s]]
    minimal = {s for s in sets if not any(other < s for other in sets)}
    top = sum(p for s, p in chance.items() if any(one <= s for one in minimal))
    kept = sum(p for s, p in chance.items() if keeps[s])
    both = sum(p for s, p in chance.items() if hazardous[s])
    return top, kept, both / kept if kept else 0.0, minimal


def events_of(engine, events):
    nothing = Candidates.of(engine.environment, ())
    return Events(tuple(events), nothing, (), ())


def assessed(engine, events):
    table = events_of(engine, events)
    return Assessment(space_about(engine, table), table)


@pytest.mark.parametrize("modes", [False, True])
def test_risk_is_what_its_definition_says(modes):
    rng = Random(20 + modes)
    seen = {"hazardous": 0, "several": 0, "conditional": 0, "properties": 0}
    for _ in range(PROBLEMS):
        problem = random_problem(rng, constrained=0.6)
        engine = engine_if_safe(problem)
        if engine is None:
            continue
        events = random_events(rng, problem[0], modes)
        risk = assessed(engine, events)
        top, kept, conditional, minimal = by_definition(problem, events)
        assert set(risk.together.family) == minimal
        assert isclose(risk.together.bounds.lower, top, abs_tol=1e-12)
        assert risk.is_exact
        assert risk.status == "complete"
        assert isclose(risk.kept, kept, abs_tol=1e-12)
        if kept:
            assert isclose(risk.conditional, conditional, abs_tol=1e-9)
        else:
            assert risk.conditional is None
        for part, monitor in zip(risk.parts, problem[2], strict=True):
            if len(problem[2]) == 1 or not minimal:
                break
            one = (problem[0], problem[1], [monitor], problem[3])
            expected = by_definition(one, events)[0]
            assert isclose(part.bounds.lower, expected, abs_tol=1e-12)
        for chosen in minimal:
            added = frozenset().union(*(events[n].transitions for n in chosen))
            hurt = [
                part.name
                for part, monitor in zip(risk.parts, problem[2], strict=True)
                if definition.violation(problem[0], added, problem[1], [monitor])
            ]
            assert risk.broken(chosen) == hurt
        seen["hazardous"] += bool(minimal)
        seen["several"] += any(len(s) > 1 for s in minimal)
        seen["conditional"] += not isclose(top, conditional, abs_tol=1e-9)
        seen["properties"] += len(problem[2]) > 1
    assert min(seen.values()) >= 1, seen


@pytest.mark.parametrize("modes", [False, True])
def test_bounds_hold_wherever_the_search_stops(modes):
    """With each number of sets found so far, and of maximal harmless ones."""
    rng = Random(30 + modes)
    looser = 0
    for _ in range(PROBLEMS):
        problem = random_problem(rng, constrained=0.5)
        engine = engine_if_safe(problem)
        if engine is None:
            continue
        events = random_events(rng, problem[0], modes)
        top = by_definition(problem, events)[0]
        risk = assessed(engine, events)
        if len(risk.parts) > 1:
            continue
        hazards = Hazards(risk.space, risk.units)
        search, harmless = hazards.search(), hazards.deviations()
        turns = 0
        while next(search if rng.random() < 0.5 else harmless, hazards) is not hazards:
            bounds = risk._bounds(hazards.known, False)
            assert bounds.lower - 1e-12 <= top <= bounds.upper + 1e-12
            looser += bounds.gap > 1e-9
            turns += 1
        bounds = risk._bounds(replace(hazards.known, harmless=()), False)
        assert bounds.lower - 1e-12 <= top <= bounds.upper + 1e-12
    assert looser > 5


def test_a_set_that_breaks_two_properties_is_told_with_both():
    """Some random problem has one; its tables and its text name both."""
    rng = Random(61)
    while True:
        environment, controller, properties, _ = random_problem(rng, constrained=0)
        problem = (environment, controller, [*properties, properties[0]], ())
        engine = engine_if_safe(problem)
        if engine is None:
            continue
        events = random_events(rng, environment, modes=False)
        risk = assessed(engine, events)
        if risk.together.family:
            break
    first, last = risk.parts[0].name, risk.parts[-1].name
    assert first != last
    for one, (_, _, _, _, told, _) in zip(
        (row[0] for row in risk.contributions), RiskTables(risk, "").sets(), strict=True
    ):
        assert (first in risk.broken(one)) == (last in risk.broken(one))
        assert set(told.split("; ")) == set(risk.broken(one))
    text = "\n".join(risk_lines(risk, ""))
    assert ("also violates: " in text) == any(
        len(risk.broken(s)) > 1 for s in risk.together.family
    )
    assert "also violates: " in text
