"""The explicit baseline against the reference, the definition and itself."""

import json
from random import Random

import pytest

from bench.baselines.explicit_connected import Budget, OutOfBudget, explicit_connected
from symrob.lts import Lts, Network
from symrob.problem import Role, build_problem
from tests.bench.test_families import problem_of
from tests.generate import random_problem
from tests.models.tools import DATA
from tests.oracles import definition

TABLE1 = json.loads((DATA / "table1.json").read_text("utf-8"))


def checked(environment, controller, properties, constraints=()):
    return build_problem(
        Role(environment, "environment"),
        Role(controller, "controller"),
        [Role(p, f"property {i}") for i, p in enumerate(properties)],
        [Role(c, f"constraint {i}") for i, c in enumerate(constraints)],
    )


def as_sets(delta):
    return {frozenset(map(tuple, d)) for d in delta}


@pytest.mark.parametrize("row", TABLE1)
def test_rows_of_table_1(row):
    data = TABLE1[row]
    problem = checked(
        Lts.from_dict(data["environment"]),
        Lts.from_dict(data["controller"]),
        [Lts.from_dict(p) for p in data["properties"]],
        [Lts.from_dict(p) for p in data["env_constraints"]],
    )
    budget = Budget()
    assert as_sets(explicit_connected(problem, budget)) == as_sets(data["delta"])
    assert budget.sets > 0


@pytest.mark.parametrize("row", ["running", "oyster", "voting_cfm"])
def test_to_the_letter(row):
    data = TABLE1[row]
    problem = checked(
        Lts.from_dict(data["environment"]),
        Lts.from_dict(data["controller"]),
        [Lts.from_dict(p) for p in data["properties"]],
        [Lts.from_dict(p) for p in data["env_constraints"]],
    )
    letter, benevolent = Budget(), Budget()
    assert explicit_connected(problem, letter, literal=True) == explicit_connected(
        problem, benevolent
    )
    assert letter.sets > benevolent.sets


def with_more_hidden(rng, problem):
    """Half of the problems hide any actions, also such as the environment has."""
    environment, controller, properties, constraints = problem
    own = sorted({a for c in controller.components for a in c.alphabet})
    if rng.random() < 0.5:
        hidden = [a for a in own if rng.random() < 0.4]
        controller = Network(controller.components, hidden=hidden)
    return environment, controller, properties, constraints


def test_random_problems_by_the_definition():
    rng = Random(41)
    judged = several = 0
    for _ in range(250):
        parts = with_more_hidden(rng, random_problem(rng, machine=4))
        exact = definition.delta(*parts)
        if exact is None:
            continue
        for literal in (False, True):
            try:
                # Some sixty states can be too many to try their subsets.
                found = explicit_connected(
                    checked(*parts), Budget(most_sets=1500), literal=literal
                )
            except OutOfBudget:
                continue
            judged += 1
            several += len(exact) > 1
            assert as_sets(found) == exact
    assert judged > 250
    assert several > 20


def test_bounds_are_kept():
    problem = checked(*problem_of("token_ring", "token_ring", N=4))
    for budget in (Budget(seconds=0.2), Budget(most_sets=50)):
        with pytest.raises(OutOfBudget):
            explicit_connected(problem, budget)


def test_a_hidden_action_only_shares_its_name_with_the_environment():
    """The controller never takes its own `a`; that does not stop the other one."""
    silent = Network([Lts(("a",), 1, ())], hidden=("a",))
    problem = checked(Lts(("a",), 1, ()), silent, [Lts(("a",), 1, ())])
    assert explicit_connected(problem) == {frozenset()}
    visible = Network([Lts(("a",), 1, ())])
    problem = checked(Lts(("a",), 1, ()), visible, [Lts(("a",), 1, ())])
    assert explicit_connected(problem) == {frozenset({(0, "a", 0)})}
