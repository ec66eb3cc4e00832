"""Deviations from files: each form that is read, and each that is refused."""

import json

import pytest

from symrob.case.deviations import read_deviation
from symrob.errors import SymrobError
from symrob.lts import Lts, Transition

ENVIRONMENT = Lts("ab", 2, [(0, "a", 1)], names=["ON", "OFF, 2"])
NEW = {Transition(1, "b", 0), Transition(1, "a", 1)}


def result(*delta):
    data = ENVIRONMENT.to_dict()
    return {"schema": "symrob/result/1", "environment": data, "delta": list(delta)}


@pytest.fixture
def reading(tmp_path):
    def read(data, number=""):
        path = tmp_path / "d.json"
        text = data if isinstance(data, str) else json.dumps(data)
        path.write_text(text, encoding="utf-8")
        return read_deviation(f"{path}{number}", ENVIRONMENT)

    return read


@pytest.mark.parametrize(
    "data",
    [
        [[1, "b", 0], [1, "a", 1]],
        [[0, "a", 1], [1, "b", 0], [1, "a", 1]],
        [["OFF, 2", "b", "ON"], [1, "a", 1]],
        ["OFF, 2,b,ON", "1,a,1"],
        {"deviation": [[1, "b", 0], [1, "a", 1]]},
        result([[0, "a", 1]], [[0, "a", 1], [1, "b", 0], [1, "a", 1]]),
    ],
    ids=["new", "with-nominal", "names", "texts", "line", "result"],
)
def test_forms(reading, data):
    found = reading(data)
    assert found == NEW | set(ENVIRONMENT.transitions)
    assert found.new == NEW
    assert found.environment is ENVIRONMENT


def test_a_number_chooses(reading):
    data = result([[0, "a", 1], [1, "b", 0]], [[0, "a", 1]])
    assert reading(data, "#1").new == {Transition(1, "b", 0)}
    assert reading(data, "#2").new == set()
    with pytest.raises(SymrobError, match="no deviation 3: the result has 2"):
        reading(data, "#3")
    with pytest.raises(SymrobError, match="no deviation 0"):
        reading(data, "#0")


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ("{", "not valid JSON"),
        ("7", "list of"),
        ({}, "schema"),
        (result(), "no deviation"),
        ([[0, "a"]], "a transition is"),
        ([[0, 1, 0]], "a transition is"),
        ([[True, "a", 0]], "a transition is"),
        ([[2, "a", 0]], r"\[2, 'a', 0\] is not a transition over"),
        ([[0, "tau", 0]], "not a transition over"),
        ([[0, "a", -1]], "not a transition over"),
        ([["ON", "c", "ON"]], "unknown action 'c'"),
        (result([[5, "a", 0]]), "not a transition over"),
        (result([["ON", "a", "ON"]]), "must be a list of"),
    ],
)
def test_what_is_refused(reading, data, message):
    with pytest.raises(SymrobError, match=message):
        reading(data)


def test_all_problems_at_once(reading):
    with pytest.raises(SymrobError) as caught:
        reading([[2, "a", 0], [0, "c", 0], [0, "a", 7]])
    assert len(caught.value.diagnostics) == 3


def test_a_missing_file():
    with pytest.raises(SymrobError, match="cannot read"):
        read_deviation("no/such/file.json#2", ENVIRONMENT)
