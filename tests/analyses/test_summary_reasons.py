"""Why a transition is never tolerated: each constraint and property by itself."""

from random import Random

from hypothesis import given, settings

from symrob.analyses.candidate_space import CandidateSpace
from symrob.analyses.reasons import OWN_ERROR, all_reasons, first_reasons
from symrob.envelope import tuning
from tests.engines import engine_if_safe
from tests.generate import random_problem
from tests.golden.test_reference import TABLE1, solve
from tests.oracles import definition
from tests.strategies import rngs

SHAPES = ((2, 2), (3, 1), (3, 2), (4, 2))


def forbidden(reasons):
    return {(r.kind, r.name): set(map(tuple, r.forbids)) for r in reasons}


def by_definition(problem, never):
    """Each constraint and property alone; C's own ERROR before all properties."""
    environment, controller, properties, constraints = problem

    def breaks(transition, controller, models):
        run = definition.violation(environment, (transition,), controller, models)
        return run is not None

    found = {}
    for number, constraint in enumerate(constraints, 1):
        broken = {t for t in never if breaks(t, None, [constraint])}
        found["constraint", f"constraint {number}"] = broken
    own = {t for t in never if breaks(t, controller, [])}
    found["controller", OWN_ERROR] = own
    for number, model in enumerate(properties, 1):
        broken = {t for t in never - own if breaks(t, controller, [model])}
        found["property", f"property {number}"] = broken
    return {key: broken for key, broken in found.items() if broken}


@settings(max_examples=150)
@given(rngs())
def test_every_reason(rng):
    check_every_reason(random_problem(rng, shapes=SHAPES, constrained=0.7))


def check_every_reason(problem):
    engine = engine_if_safe(problem)
    if engine is None:
        return {}
    never = engine.candidates.without(engine.safe_sets.alone)
    expected = by_definition(problem, set(map(tuple, never)))
    assert forbidden(all_reasons(engine, never)) == expected
    # Each is forbidden by something.
    assert set().union(*expected.values()) == set(map(tuple, never))
    return expected


def test_reasons_of_every_kind_and_more_than_one_occur():
    kinds, several = set(), 0
    for seed in range(150):
        problem = random_problem(Random(seed), shapes=SHAPES, constrained=0.7)
        found = check_every_reason(problem)
        kinds |= {kind for kind, _ in found}
        several += sum(map(len, found.values())) > len(set().union(*found.values()))
    assert kinds == {"constraint", "property", "controller"}
    assert several > 8


@settings(max_examples=80)
@given(rngs())
def test_first_reasons_are_constraints_in_their_order_then_the_closed_loop(rng):
    problem = random_problem(rng, shapes=SHAPES, constrained=0.7)
    engine = engine_if_safe(problem)
    if engine is None:
        return
    never = engine.candidates.without(engine.safe_sets.alone)
    left = set(map(tuple, never))
    every = by_definition(problem, left)
    expected = {}
    for (kind, name), broken in every.items():
        if kind == "constraint" and broken & left:
            expected[kind, name] = broken & left
            left -= broken
    found = forbidden(first_reasons(engine, never))
    loop = [broken for (kind, _), broken in found.items() if kind == "property"]
    assert {k: v for k, v in found.items() if k[0] == "constraint"} == expected
    assert loop == ([left] if left else [])


def test_many_transitions_have_their_first_reason_only():
    engine = solve(TABLE1["therac25"]).engine
    assert len(engine.candidates) <= tuning.ALL_REASONS
    assert CandidateSpace(engine).summarised().all_reasons
    first = CandidateSpace(engine).summarised(every_reason=False)
    assert not first.all_reasons
    assert sum(len(r.forbids) for r in first.reasons) == len(first.never) == 56
