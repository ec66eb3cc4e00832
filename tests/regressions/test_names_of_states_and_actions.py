"""Names that no other format can hold, or that mean two things, were read as JSON."""

import json

import pytest

from symrob import Lts, Network, SymrobError
from symrob.lts.product import product
from tests.cli.tools import run

GOOD = {
    "alphabet": ["a", "b"],
    "states": 2,
    "names": ["x", "y"],
    "transitions": [[0, "a", 1]],
}


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"names": ["x", "x"]}, "state 0 already has the name 'x'"),
        (
            {"alphabet": ["a", ""]},
            "expected the name of an action, not an empty string",
        ),
        ({"alphabet": ["a", "\ud800"]}, "lone surrogate"),
        ({"names": ["x", "y\udfff"]}, "lone surrogate"),
    ],
)
def test_json_says_what_is_wrong_with_a_name(tmp_path, changed, said):
    path = tmp_path / "e.json"
    path.write_text(json.dumps(GOOD))
    assert run("show", path).code == 0
    path.write_text(json.dumps({**GOOD, **changed}))
    done = run("show", path)
    assert done.code == 2
    assert said in done.err
    assert "e.json:1:" in done.err


def test_python_too():
    with pytest.raises(SymrobError, match="an action must not be an empty string"):
        Lts(["a", ""], 1, [])
    with pytest.raises(SymrobError, match="two states have the same name"):
        Lts.from_dict({**GOOD, "names": ["x", "x"]})
    assert Lts.from_dict(GOOD).names == ("x", "y")


def test_states_of_products_have_different_names():
    """Of ('x', 'x, x') and ('x, x', 'x') the names would be the same."""
    left = Lts(["a"], 2, [(0, "a", 1)], names=["x", "x, x"])
    right = Lts(["b"], 2, [(0, "b", 1)], names=["x", "x, x"])
    names = product(Network([left, right])).names
    assert sorted(names) == ["(x, x)", "(x, x, x)", "(x, x, x)~2", "(x, x, x, x)"]
