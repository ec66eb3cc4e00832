"""The families of the bench: what they compute to, and whether that is right."""

import json
from dataclasses import replace
from random import Random

import pytest

import symrob
from symrob.api import load_roles
from symrob.case import load_case
from symrob.errors import NominalViolation
from tests.bench.duality import minimal_hitting_sets, unproven
from tests.generate import random_problem
from tests.models.tools import MODELS
from tests.oracles import definition
from tests.strength import examples

FIGURES = {
    (folder, name): entry["figures"]
    for folder in ("link", "token_ring")
    for name, entry in json.loads(
        (MODELS / folder / "expected.json").read_text("utf-8")
    ).items()
    if "figures" in entry
}


def problem_of(folder, name, **constants):
    """(environment, controller, properties, constraints) of a case file."""
    case = load_case(str(MODELS / folder / f"{name}.toml"))
    roles = load_roles(replace(case, constants={**case.constants, **constants}))
    return (
        roles.environment.model,
        roles.controller.model,
        [p.model for p in roles.properties],
        [c.model for c in roles.constraints],
    )


@pytest.mark.parametrize(("folder", "name"), FIGURES)
def test_figures_are_those_that_are_written_down(folder, name):
    found = symrob.compute(*problem_of(folder, name))
    assert {"delta": len(found), "largest": found.largest} == FIGURES[folder, name]


# With definition.robust the largest of these takes seconds.
PROVEN = [
    ("token_ring", "token_ring"),
    ("token_ring", "token_ring_latched"),
    ("link", "link"),
]


@pytest.mark.parametrize(("folder", "name"), PROVEN)
def test_delta_is_complete_by_the_definition(folder, name):
    problem = problem_of(folder, name)
    found = [d.new for d in symrob.compute(*problem)]
    assert unproven(problem, found) == []


def test_the_proof_fails_where_something_is_wrong():
    problem = problem_of("token_ring", "token_ring")
    first, *rest = [frozenset(map(tuple, d.new)) for d in symrob.compute(*problem)]
    candidate = next(c for c in definition.candidates(problem[0]) if c not in first)

    def reasons(found):
        return {reason for reason, _ in unproven(problem, found)}

    assert reasons(rest) == {"robust, but in none"}
    assert "robust, but in none" in reasons([first - {min(first)}, *rest])
    assert "not robust" in reasons([first | {candidate}, *rest])
    assert "comparable" in reasons([first, first - {min(first)}, *rest])
    nominal = tuple(problem[0].transitions[0])
    assert "no candidates" in reasons([first | {nominal}, *rest])


def test_hitting_sets_against_trying_all_sets():
    rng = Random(5)
    for _ in range(examples(80, 2_000)):
        ground = range(rng.randint(1, 7))
        sets = [
            frozenset(x for x in ground if rng.random() < 0.5)
            for _ in range(rng.randint(0, 5))
        ]
        every = [
            frozenset(x for x in ground if bits >> x & 1)
            for bits in range(1 << len(ground))
        ]
        hitting = [h for h in every if all(h & s for s in sets)]
        minimal = {h for h in hitting if not any(g < h for g in hitting)}
        assert minimal_hitting_sets(sets) == minimal


def test_the_proof_agrees_with_brute_force_on_random_problems():
    rng = Random(23)
    several = 0
    for _ in range(examples(60, 1_500)):
        problem = random_problem(rng)
        exact = definition.delta(*problem)
        if exact is None:
            continue
        nominal = {tuple(t) for t in problem[0].transitions}
        found = [d - nominal for d in exact]
        assert unproven(problem, found) == []
        several += len(found) > 1
        for missing in found:
            assert unproven(problem, [d for d in found if d != missing])
    assert several > 4


def test_a_line_with_too_few_sequence_numbers_fails_as_planned():
    with pytest.raises(NominalViolation) as caught:
        list(symrob.compute(*problem_of("link", "link_2", SEQUENCE=2)))
    assert caught.value.trace.actions[-1] == "get.0"


def test_loss_and_repetition_are_forgiven_by_the_alternating_bit():
    environment, *rest = problem_of("link", "link")
    names = {environment.state_name(q): q for q in range(environment.size)}
    (deviation,) = symrob.compute(environment, *rest)
    idle, frame, reply = names["IDLE"], names["FRAMES[0][1]"], names["REPLY[1]"]
    assert (idle, "send.0", idle) in deviation.new  # lost at once
    assert (frame, "arrive.0", frame) in deviation.new  # kept, so it comes again
    assert (reply, "confirm.1", reply) in deviation.new
    assert (idle, "arrive.0", idle) not in deviation.new  # an invention


def test_only_the_latched_ring_forgives_a_reset_of_a_running_ring():
    environment, *rest = problem_of("token_ring", "token_ring")
    names = {environment.state_name(q): q for q in range(environment.size)}
    reset = (names["RUNNING"], "reset.1", names["RUNNING"])
    begin = (names["AT[1]"], "begin.2", names["AT[1]"])
    # Each alone is forgiven, both together are not.
    deviations = list(symrob.compute(environment, *rest))
    assert any(reset in d.new for d in deviations)
    assert any(begin in d.new for d in deviations)
    assert not any({reset, begin} <= d.new for d in deviations)
    (latched,) = symrob.compute(*problem_of("token_ring", "token_ring_latched"))
    assert {reset, begin} <= latched.new
