"""`show`, `convert` and `lint`."""

import json
import re
from xml.etree import ElementTree

import pytest

from symrob import Lts, load
from symrob.lts.product import product
from tests.cli.tools import run
from tests.oracles.equivalence import isomorphism

THERAC25 = "models/therac25/machines.lts#THERAC25"
NURSE = "models/therac25/nurse.lts"

# --- show -----------------------------------------------------------------


def test_show_of_a_network():
    done = run("show", THERAC25)
    assert (done.code, done.err) == (0, "")
    assert "3 components in parallel" in done.out
    assert "TERMINAL: 4 states, 12 transitions, 6 actions, deterministic" in done.out
    assert re.search(r"^ +e +TERMINAL, BEAM, TURNTABLE$", done.out, re.MULTILINE)
    assert re.search(r"^  CONFIRMED +up → EDITING$", done.out, re.MULTILINE)


def test_show_of_a_product():
    done = run("show", THERAC25, "--product")
    assert done.out.startswith("THERAC25: 20 states, 62 transitions, 9 actions")
    assert done.out.rstrip().endswith("deadlock: none")


def test_show_names_what_strikes_the_eye(write):
    path = write(
        "p.lts",
        "P = (a -> STOP | a -> Q | go -> ERROR), Q = (hush -> P) + {never} \\ {hush}.\n"
        "progress ALWAYS = if a then {go}\nprogress GOAL = {a}\n",
    )
    out = run("show", path).out
    assert "never offered: never" in out
    assert "P on a" in out
    assert "Q has an internal move" in out
    assert "shortest trace to a deadlock: a\n" in out
    assert "shortest trace to ERROR: go\n" in out
    assert "\n  kept, not used by any analysis: progress ALWAYS\n" in out


def test_show_as_json_holds_the_system():
    done = run("show", NURSE, "--format", "json")
    data = json.loads(done.out)
    assert data["schema"] == "symrob/show/2"
    (part,) = data["components"]
    assert Lts.from_dict(part["system"]) == load(NURSE)
    assert part["deadlocks"] == [3]
    assert part["deadlock_run"][0] in ("e", "x")
    assert part["deadlock_run"][1:] == ["enter", "b"]
    assert part["unused"] == ["up"]
    assert part["error_run"] is None
    assert part["error_transitions"] == 0


def test_show_finds_unreachable_states(write):
    path = write(
        "u.json",
        '{"alphabet": ["a"], "states": 3, "transitions": [[0,"a",1],[2,"a",0]]}',
    )
    (part,) = json.loads(run("show", path, "--format", "json").out)["components"]
    assert part["unreachable"] == [2]
    assert part["deadlocks"] == [1]


def test_show_cuts_long_lists_unless_all_is_wanted(write):
    path = write("c.lts", "P = P[0], P[i:0..300] = (when (i<300) a -> P[i+1]).")
    short, full = run("show", path).out, run("show", path, "--all").out
    assert "--all lists them" in short
    assert "--all" not in full
    assert len(full.splitlines()) > 300 > len(short.splitlines())


@pytest.mark.parametrize(("product", "pictures"), [([], 3), (["--product"], 1)])
def test_each_component_of_a_model_is_drawn(tmp_path, product, pictures):
    path = tmp_path / "p.svg"
    assert run("draw", THERAC25, "--out", path, *product).code == 0
    root = ElementTree.parse(path).getroot()
    namespace = "{http://www.w3.org/2000/svg}"
    inner = root.findall(f"{namespace}svg") or [root]
    assert len(inner) == pictures
    places = [float(e.get("y", "0")) for e in inner]
    heights = [float(e.get("height").removesuffix("pt")) for e in inner]
    for place, height, after in zip(places, heights, places[1:], strict=False):
        assert place + height <= after + 0.01
    assert (
        float(root.get("height").removesuffix("pt")) >= places[-1] + heights[-1] - 0.01
    )


def test_picture_that_is_too_large(write, tmp_path):
    path = write("c.lts", "P = P[0], P[i:0..130] = (when (i<130) a -> P[i+1]).")
    picture = tmp_path / "p.svg"
    done = run("draw", path, "--out", picture, "--bound", "max-edges=5")
    assert done.code == 3
    assert not picture.exists()


def test_constant_of_a_model():
    def size(*args):
        done = run("show", "models/pca_pump/nurse.lts", "--format", "json", *args)
        return json.loads(done.out)["components"][0]["system"]["states"]

    assert (size(), size("--const", "LINES=2")) == (10, 16)


def test_constant_that_no_model_has():
    done = run("show", NURSE, "--const", "LINES=2")
    assert done.code == 2
    assert "has no constant 'LINES'" in done.err


# --- convert --------------------------------------------------------------


@pytest.mark.parametrize("suffix", [".lts", ".fsp", ".json", ".aut", ".fsm"])
def test_converted_model_is_the_same(tmp_path, suffix):
    path = tmp_path / f"out{suffix}"
    done = run("convert", THERAC25, path, "--product")
    assert (done.code, done.out) == (0, "")
    assert isomorphism(load(str(path)), product(load(THERAC25)))


def test_converted_network_stays_a_network(tmp_path):
    path = tmp_path / "out.json"
    assert run("convert", THERAC25, path).code == 0
    assert load(str(path)).components == load(THERAC25).components


def test_what_a_format_cannot_hold_is_said(tmp_path):
    path = tmp_path / "out.aut"
    done = run("convert", NURSE, path)
    assert done.code == 0
    assert f"{path}: warning: " in done.err
    assert "'up'" in done.err


def test_network_does_not_fit_into_aldebaran(tmp_path):
    path = tmp_path / "out.aut"
    done = run("convert", THERAC25, path)
    assert done.code == 2
    assert "--product" in done.err
    assert not path.exists()


def test_unknown_target_is_refused_before_the_work():
    done = run("convert", "nowhere.lts", "out.svg")
    assert done.code == 2
    assert "[format-suffix]" in done.err


def test_model_is_not_replaced_by_itself(write):
    path = write("p.lts", "P = (a -> P).  // mine")
    done = run("convert", path, path)
    assert done.code == 2
    with open(path, encoding="utf-8") as file:
        assert "mine" in file.read()


def test_dot_is_written(tmp_path):
    path = tmp_path / "out.dot"
    assert run("convert", THERAC25, path).code == 0
    assert path.read_text("utf-8").count("subgraph") == 3


# --- lint -----------------------------------------------------------------


def test_clean_models():
    done = run("lint", "--strict", NURSE, "models/therac25/therac25.toml")
    assert (done.code, done.err) == (0, "")
    assert done.out == "no problems in 2 files\n"


def test_warnings_fail_only_when_strict(write):
    path = write("p.lts", "const N = 1\nP = (a -> P).")
    done = run("lint", path)
    assert done.code == 0
    assert f"{path}:1:7: warning: 'N' is not used [fsp-unused]" in done.out
    assert "  const N = 1\n        ^\n" in done.out
    assert done.out.endswith("0 errors, 1 warning in 1 file\n")
    assert run("lint", "--strict", path).code == 2


def test_all_problems_of_all_files(write):
    first = write("a.lts", "P = (a -> ).\nQ = (b -> LOST).")
    second = write("b.aut", "des (0, 1, 1)\n(0, a, 7)\n")
    done = run("lint", first, second, "missing.lts", "--format", "json")
    assert done.code == 2
    data = json.loads(done.out)
    places = [(d["file"], d.get("line")) for d in data["diagnostics"]]
    assert {(first, 1), (first, 2), (second, 2), ("missing.lts", None)} <= set(places)
    assert data["errors"] == len(places)


def test_problems_in_definitions_that_the_case_does_not_use(write):
    ctrl = write("c.lts", "||GOOD = P.\n||BAD = LOST.\nP = (a -> P).")
    case = write(
        "case.toml",
        f'environment = "{ctrl}#P"\ncontroller = "{ctrl}#GOOD"\n'
        f'properties = ["{ctrl}#P"]\n',
    )
    done = run("lint", case)
    assert done.code == 2
    assert f"{ctrl}:2:" in done.out
    assert done.out.count("LOST") == 2


@pytest.mark.parametrize(
    ("environment", "constants", "code"),
    [
        ("E = (a -> ERROR).", "", "problem-environment-error"),
        ("E = (other -> E).", "", "problem-constraint-alphabet"),
        ("E = (a -> E).", "[constants]\nN = 3\n", "case-constant"),
        ("E = (a -> E). F = E.", "", "fsp-"),
    ],
)
def test_how_the_models_of_a_case_fit_together(write, environment, constants, code):
    env = write("e.lts", environment)
    monitor = write("m.lts", "property M = (a -> M).")
    case = write(
        "case.toml",
        f'environment = "{env}"\ncontroller = "{monitor}"\n'
        f'properties = ["{monitor}"]\nconstraints = ["{monitor}"]\n{constants}',
    )
    done = run("lint", "--strict", case)
    assert done.code == 2
    assert f"[{code}" in done.out


def test_process_that_is_named_must_exist():
    assert run("lint", NURSE + "#NURSE").code == 0
    assert run("lint", NURSE + "#DOCTOR").code == 2


def test_end_is_no_deadlock(write):
    path = write("p.lts", "P = (a -> END | b -> STOP).")
    out = run("show", path).out
    assert "  END: END" in out
    assert "  deadlock: STOP\n" in out
    assert "shortest trace to a deadlock: b\n" in out
