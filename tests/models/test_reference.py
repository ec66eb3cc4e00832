"""The models in `models/` against the reference data of Table 1.

Each part of a case is compared up to isomorphism or, for monitors, by the least
deterministic monitor of their conjunction.
"""

import json
from functools import cache

import pytest

from tests.models.tools import (
    DATA,
    MODELS,
    ROWS,
    alphabet_of,
    case_file,
    components,
    language,
    load,
    named_delta,
    plain,
    reference,
    state_map,
    walk,
)

row = pytest.mark.parametrize(("case", "key"), ROWS.items())


@cache
def component_tables():
    return json.loads((DATA / "components.json").read_text(encoding="utf-8"))


def parts(case, part):
    return [plain(c) for c in components(load(case, part))]


@row
def test_environment_is_isomorphic(case, key):
    (environment,) = parts(case, "environment")
    theirs = reference()[key]["environment"]
    assert environment["alphabet"] == theirs["alphabet"]
    state_map(environment, theirs)


@row
def test_controller_product_is_isomorphic(case, key):
    ours, theirs = parts(case, "controller"), reference()[key]["controller"]
    assert alphabet_of(ours) == theirs["alphabet"]
    states, steps = walk(ours, missing_is_error=False)
    assert len(states) == theirs["states"]
    assert steps == walk([theirs], missing_is_error=False)[1]


@row
@pytest.mark.parametrize(
    ("part", "name"),
    [("properties", "properties"), ("constraints", "env_constraints")],
)
def test_monitors_allow_the_same_traces(case, key, part, name):
    ours, theirs = parts(case, part), reference()[key][name]
    assert language(ours) == language(theirs)


@row
def test_paper_figures_are_those_of_the_reference(case, key):
    paper, stats = case_file(case)["paper"], reference()[key]["stats"]
    assert paper["actions"] == stats["actions"]
    assert paper["winning_set"] == stats["winning_set"]
    assert (
        paper.get("winning_set_per_env_deviation", [])
        == stats["winning_set_per_env_deviation"]
    )
    assert (paper["delta"], paper["largest"]) == (stats["delta"], stats["largest"])


@row
def test_paper_figures_count_the_states_and_one_error(case, key):
    paper = case_file(case)["paper"]
    everything = ("environment", "controller", "properties", "constraints")
    systems = {part: parts(case, part) for part in everything}
    actions = alphabet_of([lts for part in systems.values() for lts in part])
    assert paper["actions"] == len(actions)
    for part in ("environment", "controller"):
        states, _steps = walk(systems[part], missing_is_error=False)
        assert paper[f"{part}_states"] == len(states) + 1
    states, _steps = walk(systems["properties"], missing_is_error=True)
    assert paper["property_states"] == len(states) + 1


@row
def test_expected_delta_is_the_reference_in_our_names(case, key):
    folder, _, name = case.removesuffix(".toml").partition("/")
    expected = json.loads((MODELS / folder / "expected.json").read_text("utf-8"))[name]
    (environment,) = components(load(case, "environment"))
    theirs = reference()[key]
    assert expected["row"] == case_file(case)["row"]
    assert expected["delta"] == named_delta(
        environment, theirs["environment"], theirs["delta"]
    )
    figures = {k: v for k, v in case_file(case)["paper"].items() if "wall" not in k}
    assert expected["paper"] == figures


# Component of a case -> its name in the tables of components.
COMPONENTS = {
    ("therac25/therac25.toml", "controller"): ["terminal", "beam", "turntable"],
    ("therac25/therac25_fix.toml", "controller"): [
        "terminal, repaired",
        "beam",
        "turntable",
    ],
    ("therac25/therac20.toml", "controller"): [
        "terminal",
        "beam with interlock",
        "turntable",
    ],
    ("voting/voting_cfm.toml", "controller"): ["machine", "booth"],
    ("voting/voting_cfm.toml", "properties"): ["P_cfm"],
    ("voting/voting_all.toml", "properties"): [
        "P_all, select",
        "P_all, vote",
        "P_cfm",
    ],
    ("voting/voting_all.toml", "constraints"): [
        "P_env, in and out",
        "P_env, order of steps",
    ],
    ("oyster/oyster.toml", "controller"): ["gate, card 0", "gate, card 1"],
    ("pca_pump/pca_pump.toml", "controller"): ["power", "alarm", "line"],
    ("pca_pump/pca_pump.toml", "properties"): ["P"],
    ("pca_pump/pca_pump.toml", "constraints"): [
        *(f"P_env order {x}" for x in ("S0", "A", "B", "C", "D", "E")),
        "P_env power",
    ],
}


def per_line(lts):
    """A component of line 1: all actions but the three shared ones are its own."""
    shared = {"turn_on", "turn_off", "power_failure"}
    rename = {a: a if a in shared else f"line.1.{a}" for a in lts["alphabet"]}
    return {
        "alphabet": sorted(rename.values()),
        "transitions": [[s, rename[a], t] for s, a, t in lts["transitions"]],
    }


@pytest.mark.parametrize(("place", "names"), COMPONENTS.items())
def test_components_are_those_of_the_tables(place, names):
    case, part = place
    tables = component_tables()[case.split("/")[0].removeprefix("pca_")]
    monitors = part != "controller"
    ours = parts(case, part)
    for name in names:
        table = per_line(tables[name]) if name == "line" else tables[name]
        same = [lts for lts in ours if lts["alphabet"] == sorted(table["alphabet"])]
        want = walk([table], missing_is_error=monitors)
        assert any(
            walk([lts], missing_is_error=monitors)[1] == want[1] for lts in same
        ), name


def test_line_monitor_is_the_table_determinised():
    """The table's monitor of one line is nondeterministic; ours is not."""
    table = per_line(component_tables()["pump"]["P_env line"])
    (ours,) = [
        lts
        for lts in parts("pca_pump/pca_pump.toml", "constraints")
        if lts["alphabet"] == table["alphabet"]
    ]
    subsets, steps = {frozenset({0}): 0}, {}
    for subset in (todo := [frozenset({0})]):
        for action in table["alphabet"]:
            after = frozenset(
                t for s, a, t in table["transitions"] if s in subset and a == action
            )
            if after and after not in subsets:
                subsets[after] = len(subsets)
                todo.append(after)
            steps[subsets[subset], action] = subsets.get(after, -1)
    theirs = {
        "alphabet": table["alphabet"],
        "transitions": [[s, a, t] for (s, a), t in steps.items()],
    }
    assert language([ours]) == language([theirs])
