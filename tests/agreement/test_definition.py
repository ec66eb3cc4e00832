"""The engine against the definition of robustness, on random problems."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import symrob
from symrob.envelope import tuning
from symrob.errors import NominalViolation
from tests.generate import random_problem
from tests.oracles import definition
from tests.strategies import problems, rngs
from tests.strength import examples

BACKENDS = ("cudd", "autoref")


def as_sets(envelope):
    return {frozenset(map(tuple, d)) for d in envelope}


def nominal_violation(environment, controller, properties, constraints):
    """Length of the trace to report: of the first constraint that E breaks,
    else of all properties together."""
    for constraint in constraints:
        length = definition.violation(environment, (), None, [constraint])
        if length is not None:
            return length
    return definition.violation(environment, (), controller, properties)


def agrees(problem):
    """Whether both backends give what the definition says."""
    expected = definition.delta(*problem)
    for backend in BACKENDS:
        if expected is None:
            with pytest.raises(NominalViolation) as caught:
                symrob.compute(*problem, backend=backend)
            trace = caught.value.trace
            assert len(trace.steps) == nominal_violation(*problem)
        else:
            found = symrob.compute(*problem, backend=backend)
            assert as_sets(found) == expected
            assert found.status == "complete"


@settings(max_examples=examples(500, 20_000))
@given(rngs())
def test_delta_is_what_the_definition_says(rng):
    """Equal Δ, or a shortest trace where Δ is undefined: rich random problems."""
    agrees(random_problem(rng))


@settings(max_examples=examples(150, 4_000))
@given(problems())
def test_delta_of_odd_shapes(problem):
    """The same for the shapes that Hypothesis comes up with."""
    agrees(problem)


# By BDDs, in bits, and in bits where C‖P has at most three monitor states.
@pytest.mark.parametrize(("first", "states"), [(10**6, 0), (0, 1000), (0, 3)])
@given(problem=st.one_of(problems(), rngs().map(random_problem)))
def test_marks_exactly_what_can_never_fire(first, states, problem):
    """A transition is marked if no run of E_d‖C takes it."""
    environment, controller, properties, constraints = problem
    try:
        found = symrob.compute(environment, controller, properties, constraints)
    except NominalViolation:
        return
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tuning, "FIRST_SILENCES", first)
        patch.setattr(tuning, "SILENCE_STATES", states)
        for deviation in found:
            fired = definition.firing(environment, deviation, controller)
            expected = {tuple(t) for t in deviation} - fired
            assert set(map(tuple, found.never_firing(deviation))) == expected


@pytest.mark.parametrize("extra", [1, 2])
@settings(max_examples=examples(20, 300))
@given(problem=problems())
def test_extra_states_are_states_of_the_environment(extra, problem):
    """`extra_states` gives Δ of the environment with that many more states."""
    environment, controller, properties, constraints = problem
    if environment.size + extra > 2 or len(environment.alphabet) > 1:
        return
    larger = symrob.Lts(
        environment.alphabet, environment.size + extra, environment.transitions
    )
    expected = definition.delta(larger, controller, properties, constraints)
    try:
        found = symrob.compute(
            environment, controller, properties, constraints, extra_states=extra
        )
    except NominalViolation:
        assert expected is None
        return
    assert as_sets(found) == expected
    assert found.environment.size == larger.size
