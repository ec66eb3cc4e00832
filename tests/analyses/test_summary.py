"""The summary against listing all of Δ by the definition."""

import json
from functools import cache
from itertools import islice
from random import Random

import pytest
from hypothesis import given, settings

import symrob
from symrob.analyses.candidate_space import CandidateSpace
from symrob.envelope import tuning
from symrob.lts import TAU
from tests.engines import engine_if_safe
from tests.generate import MEDIUM, TINY, random_problem
from tests.golden.test_reference import DATA, TABLE1, problems, solve
from tests.oracles import definition
from tests.strategies import problems as odd_problems
from tests.strategies import rngs


def classes(summary):
    """The sets of a summary that is complete."""
    assert summary.status == "complete"
    assert len(summary.unknown) == len(summary.inert_unknown) == 0
    return {
        name: set(map(tuple, getattr(summary, name)))
        for name in ("never", "always", "contested", "inert")
    }


def classes_of(environment, delta, fired):
    """What follows from a list of all maximal deviations.

    Args:
        environment: E.
        delta: Sets of transitions.
        fired: For each the transitions that some run takes.
    """
    new = set(definition.candidates(environment))
    some, all_ = set().union(*delta), set.intersection(*map(set, delta))
    return {
        "never": new - some,
        "always": new & all_,
        "contested": (new & some) - all_,
        "inert": (new & some) - set().union(*fired),
    }


def by_definition(problem):
    """Try all sets of candidates; let each robust one run."""
    environment, controller, _properties, _constraints = problem
    delta = definition.delta(*problem)
    fired = [definition.firing(environment, d, controller) for d in delta]
    return classes_of(environment, delta, fired)


def check(problem):
    """Whether the problem is safe, and how interesting it is."""
    engine = engine_if_safe(problem)
    if engine is None:
        return None
    expected = by_definition(problem)
    assert classes(CandidateSpace(engine).summarised()) == expected
    return expected


@settings(max_examples=60)
@given(odd_problems())
def test_small_problems(problem):
    check(problem)


@settings(max_examples=60)
@given(rngs())
def test_random_problems(rng):
    check(random_problem(rng, shapes=TINY))


def test_random_problems_are_interesting():
    """Of the problems tried, some have each kind of candidate."""
    found = [check(random_problem(Random(seed), shapes=TINY)) for seed in range(120)]
    safe = [kinds for kinds in found if kinds is not None]
    assert len(safe) > 80
    for kind in ("never", "always", "contested", "inert"):
        assert sum(bool(kinds[kind]) for kinds in safe) > 5, kind


MOST_LISTED = 100


def solver_alone(problem):
    """The same when no deviation is listed and no short run is looked for."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tuning, "FIRST_DEVIATIONS", 0)
        patch.setattr(tuning, "TURN_CONFLICTS", 10**9)
        patch.setattr(tuning, "SHORT_RUNS", 0)
        return check(problem)


@settings(max_examples=60)
@given(rngs())
def test_the_solver_alone(rng):
    solver_alone(random_problem(rng, shapes=TINY))


@settings(max_examples=60)
@given(odd_problems())
def test_the_solver_alone_on_small_problems(problem):
    solver_alone(problem)


def test_a_candidate_that_a_run_takes_twice():
    """`a` may happen once. Neither `a` from 0 to 1 nor `b` back breaks that alone."""
    environment = symrob.Lts(["a", "b"], 2, [])
    machine = symrob.Lts(["a", "b"], 1, [(0, "a", 0), (0, "b", 0)])
    once = symrob.Lts(["a"], 2, [(0, "a", 1)])
    kinds = solver_alone((environment, machine, [once], []))
    assert {(0, "a", 1), (1, "b", 0)} <= kinds["contested"]
    assert (0, "a", 0) in kinds["never"]


def by_listing(engine):
    """List Δ by the engine, None if it is long; it knows what can never fire."""
    delta = list(islice(engine.deviations(), MOST_LISTED + 1))
    if len(delta) > MOST_LISTED:
        return None
    fired = [d - engine.never_firing(d) for d in delta]
    return classes_of(engine.environment, delta, fired)


def test_larger_problems_by_listing():
    """At least 60 problems with several deviations, contested ones that never fire."""
    several = odd = seed = 0
    while several < 60:
        problem = random_problem(Random(seed), shapes=MEDIUM, machine=8)
        seed += 1
        engine = engine_if_safe(problem)
        if engine is None or engine.safe_sets.unbroken:
            continue
        expected = by_listing(engine)
        if expected is None:
            continue
        assert classes(CandidateSpace(engine).summarised()) == expected, (
            f"seed {seed - 1}"
        )
        several += 1
        odd += bool(expected["contested"] & expected["inert"])
    assert odd > 2


def by_reference(problem, delta):
    """What follows from a reference's Δ; its controllers are one system."""
    environment = symrob.Lts.from_dict(problem["environment"])
    controller = symrob.Lts.from_dict(problem["controller"])
    delta = [frozenset(map(tuple, d)) for d in delta]
    fired = [fired_in(environment, d, controller) for d in delta]
    return classes_of(environment, delta, fired)


def fired_in(environment, deviation, controller):
    """As `definition.firing`, for one system and by tables."""
    taus = [t for t in environment.transitions if t[1] == TAU]
    mine, theirs = {}, {}
    for table, moves in ((mine, {*deviation, *taus}), (theirs, controller.transitions)):
        for source, action, target in moves:
            table.setdefault(source, []).append((action, target))
    shared = {*environment.alphabet} & {*controller.alphabet}
    seen, todo, fired = {(0, 0)}, [(0, 0)], set()
    while todo:
        q, s = todo.pop()
        after = [(q, s2) for a, s2 in theirs.get(s, ()) if a not in shared]
        for a, q2 in mine.get(q, ()):
            joint = [s2 for b, s2 in theirs.get(s, ()) if b == a]
            moved = joint if a in shared else [s]
            after += [(q2, s2) for s2 in moved]
            if moved:
                fired.add((q, a, q2))
        for state in after:
            if state[1] >= 0 and state not in seen:
                seen.add(state)
                todo.append(state)
    return fired


@cache
def unconstrained():
    """What follows from the 398 deviations."""
    answer = json.loads((DATA / "therac25-unconstrained.json").read_text("utf-8"))
    return by_reference(answer, answer["delta"])


@pytest.mark.parametrize("row", ["running", "oyster", "therac25"])
def test_tables_fire_what_the_definition_fires(row):
    problem = TABLE1[row]
    environment = symrob.Lts.from_dict(problem["environment"])
    controller = symrob.Lts.from_dict(problem["controller"])
    for deviation in problem["delta"]:
        deviation = frozenset(map(tuple, deviation))
        assert fired_in(environment, deviation, controller) == definition.firing(
            environment, deviation, controller
        )


@pytest.mark.parametrize("row", TABLE1)
def test_table_1(row):
    problem = TABLE1[row]
    expected = by_reference(problem, problem["delta"])
    assert classes(CandidateSpace(solve(problem).engine).summarised()) == expected


def test_therac_25_shares_twelve_and_trades_off_eight():
    found = classes(CandidateSpace(solve(TABLE1["therac25"]).engine).summarised())
    assert {k: len(v) for k, v in found.items()} == {
        "always": 12,
        "never": 56,
        "contested": 8,
        "inert": 0,
    }


@pytest.mark.parametrize("backend", ["cudd", "autoref"])
def test_the_398_deviations(backend):
    found = solve(TABLE1["therac25"], constrained=False, backend=backend)
    assert classes(CandidateSpace(found.engine).summarised()) == unconstrained()
    assert len(unconstrained()["contested"]) == 60


def test_reference_problems():
    for problem in [*problems("small.jsonl")[::3], *problems("medium.jsonl")[::3]]:
        if problem["delta"] is not None:
            expected = by_reference(problem, problem["delta"])
            found = classes(CandidateSpace(solve(problem).engine).summarised())
            assert found == expected, problem["id"]
