"""Fewer monitor states, the same Δ: with merging and without.

The order of monitor states is compared with trying sequences of actions one by one.
"""

from collections import Counter
from itertools import product
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from symrob.analyses.candidate_space import CandidateSpace
from symrob.api import load_roles, open_engine
from symrob.api.result import SafetyEnvelope
from symrob.case import load_case
from symrob.envelope import tuning
from symrob.envelope.determinised import FAILED, DeterminisedMonitor
from symrob.envelope.engine import Engine
from symrob.envelope.maximal import UnitPropagation
from symrob.envelope.simulation import (
    condense,
    explore,
    harmful_states,
    simulating_states,
)
from symrob.errors import NominalViolation
from symrob.limits import Clock
from symrob.options import Options
from tests.engines import engine_of
from tests.generate import random_problem
from tests.golden.test_reference import TABLE1, as_sets, solve
from tests.oracles import definition
from tests.strategies import rngs

CLOCK = Clock()
MODELS = Path(__file__).parent.parent.parent / "models"
# Of the sequences of actions that are tried.
LENGTH = 5
# Always merged, never, and a bound that some problems pass and others do not.
BOUNDS = [tuning.MERGED_STATES, 0, 3]


def listed(engine):
    """Δ by the default algorithm; each deviation once."""
    found = list(map(frozenset, engine.deviations()))
    assert len(found) == len(set(found))
    return {frozenset(map(tuple, d)) for d in found}


@settings(max_examples=250)
@given(rngs())
def test_delta_is_the_same_with_every_bound(rng):
    problem = random_problem(rng)
    expected = definition.delta(*problem)
    if expected is None:
        with pytest.raises(NominalViolation):
            engine_of(problem)
        return
    for bound in BOUNDS:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(tuning, "MERGED_STATES", bound)
            assert listed(engine_of(problem)) == expected, bound


@pytest.mark.parametrize("bound", BOUNDS)
def test_398_deviations_with_every_bound(monkeypatch, bound):
    monkeypatch.setattr(tuning, "MERGED_STATES", bound)
    engine = solve(TABLE1["therac25"], constrained=False).engine
    other = Engine(engine.problem, "auto", CLOCK)
    expected = as_sets(
        SafetyEnvelope(CandidateSpace(engine), "maximal", engine.deviations())
    )
    assert len(expected) == 398
    assert listed(other) == expected


@settings(max_examples=40)
@given(rngs())
def test_units_make_the_same_sets_maximal(rng):
    problem = random_problem(rng)
    expected = definition.delta(*problem)
    if expected is None:
        return
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tuning, "GROWN_SETS", 0)
        assert listed(engine_of(problem)) == expected


@pytest.mark.parametrize("name", ["therac25", "token_ring"])
def test_units_tell_of_most_sets_and_those_are_grown_of_which_they_do_not(
    monkeypatch, name
):
    told = Counter()
    outside = UnitPropagation.outside

    def counted(self, proposed):
        found = outside(self, proposed)
        told[found is not None] += 1
        return found

    monkeypatch.setattr(UnitPropagation, "outside", counted)
    found = []
    for grown in (0, 10**9):
        monkeypatch.setattr(tuning, "GROWN_SETS", grown)
        case = load_case(str(MODELS / name / f"{name}_unconstrained.toml"))
        found.append(listed(open_engine(load_roles(case), Options())))
        if grown == 0:
            assert told[True] > 200
            assert told[False] > (0 if name == "therac25" else 10)
    assert found[0] == found[1]


def monitor_of(seed):
    """The monitor states of a random problem, its actions, and the problem."""
    problem = random_problem(Random(seed), machine=4)
    try:
        engine = engine_of(problem)
    except NominalViolation:
        return None
    actions = engine.environment.alphabet
    monitors = [*engine.constraints, engine.closed_loop]
    determinised = DeterminisedMonitor(monitors, actions)
    if not explore(determinised, actions, 12, CLOCK):
        return None
    return determinised, actions


def failing_words(determinised, actions, length):
    """For each monitor state the sequences, of at most `length`, on which it fails."""
    words = {}
    for start in range(len(determinised)):
        found = words[start] = set()
        todo = [(1 << start, ())]
        for monitor_states, word in todo:
            for action in actions:
                after = determinised.step(monitor_states.bit_length() - 1, action)
                if after == FAILED:
                    found.add((*word, action))
                elif after and len(word) + 1 < length:
                    todo.append((after, (*word, action)))
    return words


@settings(max_examples=100)
@given(st.integers(0, 2**48))
def test_worse_points_fail_whenever_the_others_do(seed):
    if (made := monitor_of(seed)) is None:
        return
    determinised, actions = made
    # What fails on a sequence fails on what goes on from there: where one fails,
    # the other may have failed before.
    words = failing_words(determinised, actions, LENGTH)
    worse = simulating_states(determinised, actions, CLOCK)
    for one, other in product(words, repeat=2):
        dominated = all(
            any(word[: i + 1] in words[other] for i in range(len(word)))
            for word in words[one]
        )
        if worse[one] >> other & 1:
            assert dominated
        elif dominated:
            # Only a longer sequence can tell them apart; a shortest one goes
            # through no pair of monitor states twice.
            assert len(determinised) ** 2 > LENGTH
    harmful = harmful_states(determinised, actions)
    for monitor_state, bad in words.items():
        # The shortest sequence on which a monitor state fails meets no monitor state
        # twice.
        if bad or len(determinised) <= LENGTH:
            assert bool(harmful >> monitor_state & 1) == bool(bad)


@settings(max_examples=100)
@given(st.integers(0, 2**48))
def test_a_condensed_space_fails_on_the_same_sequences(seed):
    """From the initial monitor states, whatever stands for what."""
    if (made := monitor_of(seed)) is None:
        return
    determinised, actions = made
    lean, _ = monitor_of(seed)
    condense(lean, actions, tuning.MERGED_STATES, CLOCK)
    assert lean.monitor_states.bit_count() <= determinised.monitor_states.bit_count()
    pairs = [(determinised.initial, lean.initial)]
    seen = set(pairs)
    for full, few in pairs:
        for action in actions:
            after, less = determinised.image(full, action), lean.image(few, action)
            assert (after == FAILED) == (less == FAILED)
            if after != FAILED and (after, less) not in seen:
                seen.add((after, less))
                pairs.append((after, less))
