"""The search in the page against the engine: verdicts, what breaks, shortest runs.

The JavaScript walks states one by one, the engine sets of them as BDDs: they share no
code and no idea. `make test-page` asks for 2,000 sets, in the browser itself.
"""

import random
from dataclasses import replace
from itertools import islice

import pytest

from symrob.analyses.progress import PlanProgress
from symrob.envelope.engine import Engine
from symrob.errors import NominalViolation
from symrob.explorer.answers import progress_data
from symrob.explorer.data import action_numbers, universe
from symrob.lts import TAU, Transition
from symrob.lts.masks import bits
from symrob.problem import FaultMode
from symrob.problem.goals import Goal
from symrob.problem.units import ModeStep, Units
from tests.explorer.javascript import NODE, ask
from tests.explorer.problems import (
    CASES,
    addable,
    case_engine,
    identities,
    likely_sets,
    problem_data,
    question,
    random_engines,
    random_sets,
    said,
    started_engines,
)
from tests.strength import examples

pytestmark = pytest.mark.skipif(NODE is None, reason="make test-page asks a browser")


def test_random_problems():
    """Verdict, broken properties and lengths of runs; each run is walked again."""
    rng, asked, expected = random.Random(1), [], []
    for engine in islice(random_engines(2), examples(40, 800)):
        sets = list(random_sets(rng, engine, 10))
        asked.append(question(engine, sets))
        expected.append([said(engine, s) for s in sets])
    assert ask(asked) == expected
    verdicts = {answer["verdict"] for answers in expected for answer in answers}
    assert len(verdicts) == 4


def test_several_initial_states():
    """Each run begins in one of them; with budgets as well."""
    rng, asked, expected = random.Random(23), [], []
    engines = [*islice(started_engines(24), examples(25, 600))]
    engines += [
        _other(engine, at_most=rng.randint(0, 2))
        for engine in islice(started_engines(25), examples(12, 250))
    ]
    for engine in engines:
        sets = list(random_sets(rng, engine, 8))
        asked.append(question(engine, sets))
        expected.append([said(engine, s) for s in sets])
    assert ask(asked) == expected
    assert len({a["verdict"] for answers in expected for a in answers}) == 4
    begins = {tuple(start) for each in ask(asked, "begins") for start in each}
    assert len({start[:2] for start in begins}) > 3


@pytest.mark.parametrize("path", CASES)
def test_shipped_cases(path):
    """In the units of each: candidates or fault modes."""
    try:
        engine = case_engine(path)
    except NominalViolation:
        pytest.skip("its plan is unsafe, so it has no page")
    _agrees(engine)


@pytest.mark.parametrize("most", [0, 1, 2])
@pytest.mark.parametrize(
    "name", ["therac25", "press", "abp", "two_sensors", "token_ring", "infusion"]
)
def test_shipped_cases_with_a_budget(name, most):
    (path,) = (path for path in CASES if path.stem == name)
    engine = _other(case_engine(path), at_most=most)
    engine.check_nominal()
    _agrees(engine)


def _agrees(engine):
    rng = random.Random(3)
    if engine.problem.units is not None:
        asked, expected = _of_modes(rng, engine, 6)
    else:
        sets = [*random_sets(rng, engine, 3), *likely_sets(rng, engine, 5)]
        asked, expected = question(engine, sets), [said(engine, s) for s in sets]
    assert ask([asked]) == [expected]


def _of_modes(rng, engine, count):
    """Random sets of fault modes, as the JavaScript is asked, and what is right."""
    units, first = engine.problem.units, universe(engine.problem.environment)
    chosen = [rng.getrandbits(len(units)) for _ in range(count)]
    sets = [[first + m for m in bits(each)] for each in chosen]
    asked = {"problem": problem_data(engine.problem), "sets": sets}
    walked = engine.walked.units
    return asked, [said(engine, walked.added(each)) for each in chosen]


def test_parts_and_what_could_be_added():
    rng = random.Random(4)
    engines = list(islice(random_engines(5), examples(20, 400)))
    engines += [
        _other(engine, at_most=rng.randint(1, 2))
        for engine in islice(random_engines(18), examples(12, 300))
    ]
    sets = [list(random_sets(rng, engine, 5)) for engine in engines]
    asked = [
        question(engine, some, list(engine.candidates))
        for engine, some in zip(engines, sets, strict=True)
    ]
    parts = 0
    for engine, some, answers in zip(engines, sets, ask(asked), strict=True):
        problem = engine.problem
        known = dict(
            zip(identities(problem, engine.candidates), engine.candidates, strict=True)
        )
        for transitions, answer in zip(some, answers, strict=True):
            if answer["verdict"] == "tolerated":
                found = addable(engine, transitions, list(engine.candidates))
                assert answer["addable"] == {
                    kind: identities(problem, list_) for kind, list_ in found.items()
                }
                continue
            parts += 1
            part = [known[item] for item in answer["part"]]
            assert set(part) <= set(transitions)
            _is_minimal(engine, part, answer)
            assert answer["part_verdict"] == said(engine, part)["verdict"]
    assert parts > 20


def test_minimal_sets_that_are_known_in_advance():
    """With them the verdict is the same; a trace is one, though it may be longer."""
    rng, asked, sought = random.Random(12), [], []
    for engine in islice(random_engines(13), examples(40, 600)):
        sets = list(random_sets(rng, engine, 8))
        unsafe = [s for s in sets if not engine.keeps_properties(engine.extended(s))]
        minimal = [_shrunk(engine, s) for s in unsafe]
        minimal = [s for s in minimal if s]
        if minimal:
            known = [
                {
                    "verdict": said(engine, s)["verdict"],
                    "items": identities(engine.problem, s),
                }
                for s in minimal
            ]
            known.sort(key=lambda one: one["verdict"] != "hazardous")
            more = {"known": known, "more": []}
            asked.append(question(engine, sets) | more)
            sought.append((engine, sets))
    longer = parts = 0
    for (engine, sets), answers in zip(sought, ask(asked), strict=True):
        for transitions, answer in zip(sets, answers, strict=True):
            right = said(engine, transitions)
            assert answer["verdict"] == right["verdict"]
            assert answer["properties"].keys() == right["properties"].keys()
            for index, length in answer["properties"].items():
                assert length >= right["properties"][index]
                longer += length > right["properties"][index]
            if "part" in answer and right["properties"]:
                parts += 1
                numbers = identities(engine.problem, transitions)
                named = dict(zip(numbers, transitions, strict=True))
                part = [named[item] for item in answer["part"]]
                _is_minimal(engine, part, {"verdict": "hazardous"})
    assert longer > 3
    assert parts > 30


def _shrunk(engine, transitions):
    """A minimal part that still violates a property."""
    part = list(transitions)
    for one in transitions:
        less = [t for t in part if t != one]
        if not engine.keeps_properties(engine.extended(less)):
            part = less
    return part


def test_the_search_for_a_part_ends_in_time():
    """What it has by then violates a property; it says that it may be too large."""
    rng, asked, engines = random.Random(14), [], []
    for engine in islice(random_engines(15), 30):
        sets = [s for s in random_sets(rng, engine, 8) if len(s) > 2]
        engines.append((engine, sets))
        asked.append(question(engine, sets, []) | {"milliseconds": -1})
    found = []
    for (engine, sets), answers in zip(engines, ask(asked), strict=True):
        for transitions, answer in zip(sets, answers, strict=True):
            if answer["verdict"] in ("hazardous", "excluded-unsafe"):
                numbers = identities(engine.problem, transitions)
                named = dict(zip(numbers, transitions, strict=True))
                part = [named[item] for item in answer["part"]]
                assert not engine.keeps_properties(engine.extended(part))
                found.append(answer["minimal"])
    assert len(found) > 10
    assert not any(found)


def test_a_bound_leaves_the_verdict_open_and_never_wrong():
    rng, asked, expected = random.Random(10), [], []
    for engine in islice(random_engines(11), 40):
        sets = list(random_sets(rng, engine, 5))
        asked.append(question(engine, sets) | {"most": rng.randint(1, 6)})
        expected += [said(engine, s)["verdict"] for s in sets]
    found = [a["verdict"] for answers in ask(asked) for a in answers]
    assert all(f in (None, e) for f, e in zip(found, expected, strict=True))
    assert 20 < found.count(None) < len(found) - 20


def test_goals_that_are_lost():
    """Those of the plan and others; each with a shortest trace that can be walked."""
    rng, asked, expected = random.Random(19), [], []
    engines = [
        *islice(random_engines(20), examples(80, 2_000)),
        *islice(started_engines(26), examples(25, 600)),
    ]
    for engine in engines:
        problem = engine.problem
        if rng.random() < 0.4:
            engine = _other(engine, at_most=rng.randint(0, 2))
        known = sorted({*problem.environment.alphabet, *problem.controller.alphabet})
        named = [
            Goal(f"goal {i}", tuple(sorted(rng.sample(known, rng.randint(1, 2)))))
            for i in range(rng.randint(0, 3) if len(known) > 1 else 0)
        ]
        if named and rng.random() < 0.3:
            named.append(Goal("completion", ()))
        goals = PlanProgress([engine], named)
        sets = list(random_sets(rng, engine, 8))
        question_, first = _with_goals(engine, goals, sets), goals.kept
        for chosen in sets:
            lost = goals.of([frozenset(chosen)]).lost
            lengths = {one.goal: len(one.traces[0].steps) for one in lost}
            expected.append({str(first.index(g)): n for g, n in lengths.items()})
        asked.append(question_)
    found = [each for answers in ask(asked, "lost") for each in answers]
    assert found == expected
    assert sum(map(bool, expected)) > 20
    assert max(n for each in expected for n in each.values()) > 3
    # Where a bound is hit, nothing is said.
    small = [question_ | {"most": 2} for question_ in asked]
    told = [each for answers in ask(small, "lost") for each in answers]
    pairs = zip(told, expected, strict=True)
    assert all(one is None or one == right for one, right in pairs)
    assert told.count(None) > 40


def _with_goals(engine, goals, sets):
    asked = question(engine, sets)
    (design,) = asked["problem"]["designs"]
    design["progress"] = progress_data(goals, action_numbers([engine.problem]))
    return asked


def test_fault_modes():
    """Steps that need several modes are there when all of their needs are met."""
    rng = random.Random(8)
    engines = [_with_modes(rng, engine) for engine in islice(random_engines(9), 30)]
    both = [_of_modes(rng, engine, 12) for engine in engines]
    asked, expected = map(list, zip(*both, strict=True))
    assert ask(asked) == expected
    assert len({a["verdict"] for answers in expected for a in answers}) >= 3


def test_budgets_of_deviated_steps():
    """Of the trace, and of modes, which pay for a step in every way that there is."""
    rng, both = random.Random(16), []
    for engine in islice(random_engines(17), 40):
        run = rng.choice((0, 1, 1, 2, 3))
        if rng.random() < 0.5:
            budgeted = _other(engine, at_most=run)
            sets = list(random_sets(rng, engine, 10))
            right = [said(budgeted, s) for s in sets]
            free = [said(engine, s) for s in sets]
            both.append((question(budgeted, sets), right, free))
            continue
        free = _with_modes(rng, engine)
        units = free.problem.units
        bounds = [rng.choice((None, 0, 1, 1, 2)) for _ in units.modes]
        pairs = zip(units.modes, bounds, strict=True)
        modes = [replace(mode, at_most=most) for mode, most in pairs]
        run = rng.choice((None, run))
        budgeted = _other(free, units=Units(modes, units.steps), at_most=run)
        state = rng.getstate()
        asked, right = _of_modes(rng, budgeted, 12)
        rng.setstate(state)
        both.append((asked, right, _of_modes(rng, free, 12)[1]))
    asked, expected, without = map(list, zip(*both, strict=True))
    assert ask(asked) == expected
    pairs = [
        pair
        for both in zip(expected, without, strict=True)
        for pair in zip(*both, strict=True)
    ]
    assert sum(one["verdict"] != other["verdict"] for one, other in pairs) > 18
    assert sum(one != other for one, other in pairs) > 30
    assert len({one["verdict"] for one, _ in pairs}) == 4


def _other(engine, **changes):
    problem = replace(engine.problem, **changes)
    return Engine(problem, engine.backend, engine.clock)


def _with_modes(rng, engine):
    """The same problem with random steps that one or two modes must bring."""
    environment = engine.environment
    states = range(environment.size)
    triples = [
        Transition(q, a, r)
        for q in states
        for a in (*environment.alphabet, TAU)
        for r in states
    ]
    planned = set(environment.transitions)
    steps = [
        ModeStep(t, tuple(rng.randint(1, 31) for _ in range(rng.randint(1, 2))))
        for t in triples
        if t not in planned and rng.random() < 0.4
    ]
    units = Units([FaultMode(f"m{m}") for m in range(5)], steps)
    return _other(engine, units=units)


def _is_minimal(engine, part, answer):
    """It breaks a property, where one is broken, and no smaller part of it does."""
    harmful = answer["verdict"] in ("hazardous", "excluded-unsafe")
    kept = engine.keeps_properties if harmful else engine.keeps_constraints
    assert not kept(engine.extended(part))
    for left_out in part:
        assert kept(engine.extended(set(part) - {left_out}))
