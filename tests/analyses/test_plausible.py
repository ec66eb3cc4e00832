"""Which hazard comes first: by the definition on random problems, and in a case."""

import json
from itertools import product
from random import Random

from hypothesis import assume, given, settings

from symrob.analyses.candidate_space import CandidateSpace
from symrob.analyses.story import tell
from symrob.lts import Transition
from symrob.problem.build import with_extra_states
from symrob.problem.classes import CLASSES, LIKELIEST_FIRST, Classes
from tests.cli.tools import run
from tests.engines import engine_if_safe
from tests.generate import random_lts, random_problem
from tests.oracles import classes as oracle
from tests.oracles import definition
from tests.strategies import rngs
from tests.strength import examples

ORDER = (
    *("omission", "repetition", "no-effect", "jump-ahead", "jump-back"),
    *("wrong-outcome", "idle-action", "foreign-action", "intrusion", "foreign-state"),
)


def rank(environment, extra, candidate):
    """(place of the class, self-loops last and usual targets first), by quantifiers."""
    source, action, target = candidate
    kind, _ = oracle.kind(environment, extra, candidate)
    usual = any(t[1:] == (action, target) for t in environment.transitions)
    return ORDER.index(kind), 2 if source == target else 1 - usual


def environments(rng):
    """A random environment and how many states were added to it."""
    extra = rng.choice((0, 0, 1, 2))
    tau = rng.choice((0.0, 0.4))
    plain = random_lts(rng, "abc"[: rng.randint(1, 3)], rng.randint(1, 4), 0.7, tau=tau)
    return with_extra_states(plain, extra), extra


def test_the_order_has_each_class_once():
    assert LIKELIEST_FIRST == ORDER
    assert sorted(ORDER) == sorted(CLASSES)


def test_of_equal_candidates_the_first_by_number():
    """A class may have several parts: seed 173 has two with omissions by `b`."""
    rank_and_likeliest(Random(173))


@given(rngs())
def test_rank_and_likeliest_are_those_of_the_definition(rng):
    rank_and_likeliest(rng)


def rank_and_likeliest(rng):
    environment, extra = environments(rng)
    classes = Classes(environment, extra)
    states, planned = range(environment.size), set(environment.transitions)
    for source, action in product(states, environment.alphabet):
        row = [Transition(source, action, target) for target in states]
        new = [t for t in row if t not in planned]
        for candidate in new:
            assert classes.rank(candidate) == rank(environment, extra, candidate)
        asked = [t for t in row if rng.random() < 0.6]
        found = classes.likeliest(source, action, sum(1 << t.target for t in asked))
        among = [t for t in asked if t in new]
        first = min(among, key=lambda t: (rank(environment, extra, t), t), default=None)
        assert found == first


@settings(max_examples=examples(40))
@given(rngs())
def test_the_first_hazard_is_the_most_plausible(rng):
    """Where single candidates are hazardous: by class, by target, by its trace."""
    problem = random_problem(rng)
    engine = engine_if_safe(problem)
    assume(engine is not None)
    environment, controller, properties, constraints = problem

    def steps(candidate):
        return definition.violation(environment, (candidate,), controller, properties)

    hazardous = [
        candidate
        for candidate in definition.candidates(environment)
        if definition.violation(environment, (candidate,), None, constraints) is None
        and steps(candidate) is not None
    ]
    assume(hazardous)
    shown = tell(CandidateSpace(engine)).hazards
    keys = [(*rank(environment, 0, t), steps(t)) for t in hazardous]
    told = [tuple(*cut.transitions) for cut in shown]
    assert (*rank(environment, 0, told[0]), steps(told[0])) == min(keys)
    found = [(*rank(environment, 0, t), steps(t)) for t in told]
    assert found == sorted(found)
    assert sorted(map(tuple, hazardous)) == sorted(told)


CROSSING = "models/level_crossing/barriers.toml"


def test_nothing_that_changes_nothing_leads_where_something_else_is_as_plausible():
    data = json.loads(run("summary", CROSSING, "--format", "json").out)
    names = data["environment"]["names"]
    cuts = data["story"]["hazards"]
    told = [(names[q], a, names[r]) for cut in cuts for q, a, r in cut["transitions"]]
    assert told[0] == ("AT_CROSSING", "enter", "ON_TRACK")
    # Its trace is as short, and it changes nothing.
    assert ("AWAY", "enter", "AWAY") in told[1:]
    lead = (
        run("summary", CROSSING).out.partition("\nAdded to the plan: ")[2].splitlines()
    )
    assert lead[1].strip() == "(enter AT_CROSSING → ON_TRACK)"
