"""Known answers: Δ of the reference problems and the figures of Table 1.

The answers were computed by two programs that share no code with symrob
(tests/data/README.md).
"""

import json
from pathlib import Path

import pytest

import symrob
from symrob import Lts
from symrob.errors import NominalViolation

DATA = Path(__file__).parent.parent / "data"
TABLE1 = json.loads((DATA / "table1.json").read_text())
BACKENDS = ("cudd", "autoref")


def systems(problem, key):
    return [Lts.from_dict(d) for d in problem[key]]


def solve(problem, *, constrained=True, **options):
    return symrob.compute(
        Lts.from_dict(problem["environment"]),
        Lts.from_dict(problem["controller"]),
        systems(problem, "properties"),
        systems(problem, "env_constraints") if constrained else (),
        **options,
    )


def as_sets(delta):
    return {frozenset(map(tuple, d)) for d in delta}


def problems(name):
    lines = (DATA / name).read_text().splitlines()
    return [json.loads(line) for line in lines]


@pytest.mark.parametrize("name", ["small.jsonl", "medium.jsonl"])
@pytest.mark.parametrize("backend", BACKENDS)
def test_delta_of_reference_problems(name, backend):
    for problem in problems(name):
        if problem["delta"] is None:
            with pytest.raises(NominalViolation):
                solve(problem, backend=backend)
            continue
        found = solve(problem, backend=backend)
        assert as_sets(found) == as_sets(problem["delta"]), problem["id"]
        assert found.status == "complete"


@pytest.mark.parametrize("row", TABLE1)
@pytest.mark.parametrize("backend", BACKENDS)
def test_delta_and_figures_of_table_1(row, backend):
    problem = TABLE1[row]
    found = solve(problem, backend=backend)
    statistics, expected = found.statistics, problem["stats"]
    assert as_sets(found) == as_sets(problem["delta"])
    assert len(found) == expected["delta"]
    assert found.largest == expected["largest"]
    assert statistics.actions == expected["actions"]
    assert statistics.winning_set == expected["winning_set"]
    assert (
        list(statistics.winning_set_per_env_deviation)
        == expected["winning_set_per_env_deviation"]
    )
    assert statistics.environment_states == problem["environment"]["states"]
    assert statistics.controller_states == problem["controller"]["states"]
    assert statistics.property_states == problem["properties"][0]["states"]


@pytest.mark.parametrize("backend", BACKENDS)
def test_therac_25_without_constraint(backend):
    answer = json.loads((DATA / "therac25-unconstrained.json").read_text())
    found = solve(TABLE1["therac25"], constrained=False, backend=backend)
    assert as_sets(found) == as_sets(answer["delta"])
    assert len(found) == 398


@pytest.mark.parametrize("row", ["therac25fix", "therac20"])
def test_other_machines_tolerate_everything_without_constraint(row):
    (deviation,) = solve(TABLE1[row], constrained=False)
    assert len(deviation) == 80


def test_a_result_can_be_iterated_twice_and_stopped_early():
    found = solve(TABLE1["therac25"], constrained=False, limit=5)
    first = list(found)
    assert len(first) == 5
    assert list(found) == first
    assert found.status == "limit"
    assert as_sets(first) < as_sets(
        json.loads((DATA / "therac25-unconstrained.json").read_text())["delta"]
    )


def test_a_limit_that_is_just_enough_leaves_the_result_complete():
    found = solve(TABLE1["therac25"], limit=4)
    assert len(found) == 4
    assert found.status == "complete"
