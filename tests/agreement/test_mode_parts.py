"""Δ part by part against Δ of the whole, and as the product by definition."""

from hypothesis import assume, given, settings

import symrob
from symrob.api.parts import PartsEnvelope, analyse_parts
from symrob.envelope import tuning
from symrob.options import Options
from tests.composed import fault_modes, network, random_composed, random_modes
from tests.oracles import modes as oracle
from tests.strategies import rngs


def renamed(problem, mark):
    """The problem with other actions."""

    def system(lts):
        names = {a: f"{mark}{a}" for a in lts["alphabet"]} | {"tau": "tau"}
        return {
            **lts,
            "alphabet": [names[a] for a in lts["alphabet"]],
            "transitions": [[q, names[a], r] for q, a, r in lts["transitions"]],
        }

    return {
        "components": [system(c) for c in problem["components"]],
        "controller": system(problem["controller"]),
        "properties": [system(p) for p in problem["properties"]],
        "env_constraints": [system(p) for p in problem["env_constraints"]],
        "hidden": [mark + a for a in problem["hidden"]],
    }


@settings(max_examples=25)
@given(rngs())
def test_two_problems_side_by_side(rng):
    problems = [random_composed(rng, states=2) for _ in range(2)]
    assume(None not in problems)
    problems = [renamed(p, mark) for p, mark in zip(problems, "xy", strict=True)]
    named, wants = {}, []
    shift = 0
    for problem, mark in zip(problems, "xy", strict=True):
        modes = {
            f"{mark}{name}": [
                (i, q, mark + a if a != "tau" else a, r) for i, q, a, r in held
            ]
            for name, held in random_modes(rng, unmarked(problem, mark), 4).items()
        }
        wants.append(oracle.every_maximal(problem, modes)[0])
        named |= {
            name: [(i + shift, *t) for i, *t in held] for name, held in modes.items()
        }
        shift += len(problem["components"])
    # Modes that hold nothing are of no part.
    assume(any(named.values()))
    read = symrob.Lts.from_dict
    whole = network(
        {
            "components": [c for p in problems for c in p["components"]],
            "hidden": [a for p in problems for a in p["hidden"]],
        }
    )
    controller = symrob.Network([read(p["controller"]) for p in problems])
    properties = [read(m) for p in problems for m in p["properties"]]
    constraints = [read(m) for p in problems for m in p["env_constraints"]]
    arguments = (whole, controller, properties, constraints)
    asked = {"faults": fault_modes(named), "only": True}
    at_once = symrob.compute(*arguments, **asked)
    assert not isinstance(at_once, PartsEnvelope)
    before, tuning.COMPOSED_STATES = tuning.COMPOSED_STATES, 0
    try:
        by_parts = symrob.compute(*arguments, **asked)
    finally:
        tuning.COMPOSED_STATES = before
    assert isinstance(by_parts, PartsEnvelope)
    want = {one | other for one in wants[0] for other in wants[1]}
    assert {frozenset(s.modes) for s in by_parts} == want
    assert by_parts.status == "complete"
    assert {frozenset(s.modes) for s in at_once} == want
    held = {name: sorted(map(tuple, rows)) for name, rows in by_parts.held().items()}
    assert held == {name: sorted(set(rows)) for name, rows in named.items()}


def unmarked(problem, mark):
    """The problem with the actions that `random_modes` is to choose from."""
    return {
        **problem,
        "components": [
            {
                **c,
                "alphabet": [a.removeprefix(mark) for a in c["alphabet"]],
                "transitions": [
                    [q, a.removeprefix(mark), r] for q, a, r in c["transitions"]
                ],
            }
            for c in problem["components"]
        ],
    }


def test_without_modes_of_components_nothing_is_split():
    from symrob.api.loading import load_roles
    from symrob.case import load_case

    case = load_case("models/therac25/therac25.toml")
    assert analyse_parts(load_roles(case), Options()) is None


def test_a_mode_of_two_parts_keeps_them_together():
    cell = {
        mark: symrob.Lts([f"{mark}.on"], 2, [(0, f"{mark}.on", 1)]) for mark in "xy"
    }
    network = symrob.Network([*cell.values()], component_names=["x", "y"])
    once = [symrob.Lts([f"{m}.on"], 2, [(0, f"{m}.on", 1)]) for m in "xy"]
    free = symrob.Network(
        [symrob.Lts([f"{m}.on"], 1, [(0, f"{m}.on", 0)]) for m in "xy"]
    )
    again = {m: f"{m}:1,{m}.on,1" for m in "xy"}
    asked = {"one": [again["x"]], "both": [*again.values()], "none": []}
    before, tuning.COMPOSED_STATES = tuning.COMPOSED_STATES, 0
    try:
        found = symrob.compute(network, free, once, faults=asked, only=True)
        del asked["both"]
        apart = symrob.compute(network, free, once, faults=asked, only=True)
    finally:
        tuning.COMPOSED_STATES = before
    assert not isinstance(found, PartsEnvelope)
    assert isinstance(apart, PartsEnvelope)
    assert [each.modes for each in (*found, *apart)] == [("none",), ("none",)]
