"""Every case file of `models/`: it loads, and its monitors watch what exists."""

import json

import pytest

from tests.models.tools import (
    CASES,
    DATA,
    MODELS,
    ROWS,
    alphabet_of,
    case_file,
    components,
    language,
    load,
    plain,
    state_map,
    walk,
)

every_case = pytest.mark.parametrize("case", CASES)
KEYS = {"title", "row", "environment", "controller", "properties", "constraints"}


def parts(case, part, **constants):
    return [plain(c) for c in components(load(case, part, **constants))]


def test_the_eight_rows_are_there_and_no_other():
    named = {case for case in CASES if "row" in case_file(case)}
    assert named == set(ROWS)
    assert len({case_file(case)["row"] for case in ROWS}) == 8


@every_case
def test_case_file_has_the_known_keys(case):
    data = case_file(case)
    others = {"classes", "constants", "faults", "labels", "one_sided", "paper", "words"}
    others |= {"at_most", "controllable", "uncontrollable", "probability"}
    assert set(data) <= KEYS | others
    assert set(data) >= {"title", "environment", "controller", "properties"}
    assert ("row" in data) == ("paper" in data)
    # What a machine may refuse is no matter of taste: it is said, with the reason.
    assert {"controllable", "uncontrollable"} & set(data)


@every_case
def test_models_load_without_warnings(case):
    for part in ("environment", "controller", "properties", "constraints"):
        for model in load(case, part):
            assert model.warnings == ()


@every_case
def test_monitors_speak_only_of_actions_that_exist(case):
    environment = set(alphabet_of(parts(case, "environment")))
    world = environment | set(alphabet_of(parts(case, "controller")))
    assert set(alphabet_of(parts(case, "properties"))) <= world
    assert set(alphabet_of(parts(case, "constraints"))) <= environment


@every_case
def test_every_environment_action_is_known_to_the_controller(case):
    environment = set(alphabet_of(parts(case, "environment")))
    environment -= set(case_file(case).get("one_sided", ()))
    assert environment <= set(alphabet_of(parts(case, "controller")))


@every_case
def test_environment_has_speaking_states_and_several_components_only_for_faults(case):
    environment = components(load(case, "environment"))
    assert len(environment) == 1 or "faults" in case_file(case)
    for component in environment:
        names = [component.state_name(s) for s in range(component.size)]
        assert len(set(names)) == len(names)
        assert not any(name.isdecimal() or "/" in name for name in names)


@pytest.mark.parametrize("folder", sorted({case.split("/")[0] for case in CASES}))
def test_folder_says_where_it_comes_from(folder):
    assert "[S1]" in (MODELS / folder / "source.md").read_text("utf-8")
    known = json.loads((MODELS / folder / "expected.json").read_text("utf-8"))
    assert {f"{folder}/{name}.toml" for name in known} <= set(CASES)


def test_unconstrained_therac25_is_the_reference_problem():
    case = "therac25/therac25_unconstrained.toml"
    theirs = json.loads((DATA / "therac25-unconstrained.json").read_text("utf-8"))
    state_map(*parts(case, "environment"), theirs["environment"])
    assert (
        walk(parts(case, "controller"), missing_is_error=False)[1]
        == walk([theirs["controller"]], missing_is_error=False)[1]
    )
    assert language(parts(case, "properties")) == language(theirs["properties"])
    assert parts(case, "constraints") == theirs["env_constraints"] == []


def test_expected_figures_of_the_other_cases():
    """Known from the reference data, where no row of Table 1 gives them."""
    known = {}
    for folder in ("therac25", "pca_pump"):
        text = (MODELS / folder / "expected.json").read_text("utf-8")
        known |= {
            name: tuple(entry["figures"].values())
            for name, entry in json.loads(text).items()
            if "figures" in entry
        }
    theirs = json.loads((DATA / "therac25-unconstrained.json").read_text("utf-8"))
    sizes = [len(deviation) for deviation in theirs["delta"]]
    assert known.pop("therac25_unconstrained") == (len(sizes), max(sizes))
    assert known.pop("therac20_unconstrained") == (1, 4 * 5 * 4)
    assert known.pop("therac25_fix_unconstrained") == (1, 4 * 5 * 4)
    for name, figures in known.items():
        lines = case_file(f"pca_pump/{name}.toml")["constants"]["LINES"]
        assert figures == (1, 15 + 11 * (lines - 1))
    assert len(known) == 4


@pytest.mark.parametrize(
    ("lines", "candidates"),
    [(1, 1289), (2, 5614), (3, 14979), (4, 31328), (6, 92754), (8, 205444)],
)
def test_pump_family_has_the_known_sizes(lines, candidates):
    case = "pca_pump/pca_pump.toml"
    (nurse,) = parts(case, "environment", LINES=lines)
    states, actions = nurse["states"], len(nurse["alphabet"])
    assert (states, actions) == (10 + 6 * (lines - 1), 13 + 9 * (lines - 1))
    assert states * actions * states - len(nurse["transitions"]) == candidates
    assert len(parts(case, "controller", LINES=lines)) == 2 + lines
    every = "pca_pump/pca_pump_every_line.toml"
    assert len(parts(every, "properties", LINES=lines)) == lines
    assert len(parts(case, "constraints", LINES=lines)) == 7 + lines


@pytest.mark.parametrize(
    ("take", "release"),
    [
        ("lock_line", "erase_and_unlock_line"),
        ("lock_unit", "unlock_unit"),
        ("lock_unit", "start_dispense"),
    ],
)
def test_order_monitors_keep_the_line_that_was_taken(take, release):
    """With two lines, the line taken first is the only one to be released."""
    alphabet = sorted(f"line.{i}.{a}" for i in (1, 2) for a in (take, release))
    (monitor,) = [
        lts
        for lts in parts("pca_pump/pca_pump_2.toml", "constraints")
        if lts["alphabet"] == alphabet
    ]
    _states, steps = walk([monitor], missing_is_error=True)
    for mine, other in ((1, 2), (2, 1)):
        assert steps[0, f"line.{mine}.{release}"] == -1
        held = steps[0, f"line.{mine}.{take}"]
        assert steps[held, f"line.{mine}.{release}"] == 0
        assert steps[held, f"line.{other}.{release}"] == -1
        assert steps[held, f"line.{other}.{take}"] == -1


def renamed(lts, swap):
    """The system with line 1 and line 2 changing places, or without line 2."""
    rename = {"line.1": "line.2", "line.2": "line.1"} if swap else {}
    names = {a: rename.get(a[:6], a[:6]) + a[6:] for a in lts["alphabet"]}
    if not swap:
        names = {a: a for a in names if not a.startswith("line.2.")}
    return {
        "alphabet": sorted(names.values()),
        "transitions": [
            [s, names[a], t] for s, a, t in lts["transitions"] if a in names
        ],
    }


def lines_of(lts):
    return {a[:6] for a in lts["alphabet"] if a.startswith("line.")}


@pytest.mark.parametrize(
    "part", ["environment", "controller", "properties", "constraints"]
)
def test_pump_treats_its_lines_alike(part):
    case = "pca_pump/pca_pump_every_line.toml"
    systems, alone = parts(case, part), parts(case, part, LINES=1)

    def shapes(group):
        return sorted(
            (lts["alphabet"], sorted(walk([lts], missing_is_error=False)[1].items()))
            for lts in group
        )

    assert shapes(systems) == shapes([renamed(lts, swap=True) for lts in systems])
    # All but what concerns line 2 alone.
    rest = [lts for lts in systems if lines_of(lts) != {"line.2"}]
    assert shapes([renamed(lts, swap=False) for lts in rest]) == shapes(alone)
