"""A name that is empty or holds half a character: said, at its place, in any format."""

import json

import pytest

import symrob
from tests.cli.tools import run

HALF = "lone surrogate"
ROWS = [["S", "a", "T"], ["T", "b", "S"]]


def told(tmp_path, data):
    path = tmp_path / "m.json"
    path.write_text(json.dumps(data, indent=0))
    result = run("show", path)
    assert result.code == 2
    return result.err.replace(f"{path}:", "")


@pytest.mark.parametrize(("name", "why"), [("", "empty string"), ("x\ud83d", HALF)])
@pytest.mark.parametrize("part", [0, 1, 2])
def test_in_a_transition_by_names(tmp_path, name, why, part):
    row = [*ROWS[1][:part], name, *ROWS[1][part + 1 :]]
    system = {"name": "M", "initial": "S", "transitions": [ROWS[0], row]}
    said = told(tmp_path, {"schema": "symrob/model/1", "systems": [system]})
    what = ("source state", "action", "target state")[part]
    # Each element of the list is on a line of its own.
    assert said.startswith(f"{14 + part}:1: error: expected the name of the {what}")
    assert why in said.splitlines()[0]
    assert said.count("error:") == 1


@pytest.mark.parametrize(("name", "why"), [("", "empty string"), ("x\ud83d", HALF)])
@pytest.mark.parametrize("key", ["name", "initial", "states", "alphabet"])
def test_in_what_else_has_names(tmp_path, name, why, key):
    system = {"name": "M", "initial": "S", "transitions": ROWS}
    system[key] = [name] if key in ("states", "alphabet") else name
    said = told(tmp_path, {"schema": "symrob/model/1", "systems": [system]})
    assert "expected the name of " in said
    assert why in said


def test_in_a_model_by_numbers(tmp_path):
    data = {"alphabet": ["a"], "states": 2, "transitions": [[0, "a", 1]]}
    data["names"] = ["", "\udc00"]
    assert HALF in told(tmp_path, data)
    # The empty name of a state is one like any other here.
    data["names"][1] = "x"
    (tmp_path / "m.json").write_text(json.dumps(data))
    assert symrob.load(tmp_path / "m.json").names == ("", "x")
    for suffix in ("lts", "aut", "fsm", "wmod", "cif", "json"):
        out = tmp_path / f"out.{suffix}"
        assert run("convert", tmp_path / "m.json", out).code == 0
        assert symrob.load(out).size == 2


@pytest.mark.parametrize(
    "make",
    [
        lambda: symrob.Lts(["\ud800"], 1, []),
        lambda: symrob.Lts(["a"], 1, [], names=["\ud800"]),
        lambda: symrob.network([symrob.Lts([], 1, [])], component_names=["\ud800"]),
    ],
)
def test_in_python(make):
    with pytest.raises(symrob.SymrobError, match=HALF):
        make()
