"""Names that no other format can hold, or that mean two things, were read as JSON."""

import json

import pytest

from symrob import Lts, SymrobError
from symrob.formats import read, write
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
        ({"names": ["x", "x"]}, "state 0 has the name 'x' already"),
        ({"alphabet": ["a", ""]}, "expected the name of an action, not an empty text"),
        ({"alphabet": ["a", "\ud800"]}, "half of a pair of surrogates"),
        ({"names": ["x", "y\udfff"]}, "half of a pair of surrogates"),
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
    with pytest.raises(SymrobError, match="an action has no name"):
        Lts(["a", ""], 1, [])
    with pytest.raises(SymrobError, match="two states have one name"):
        Lts.from_dict({**GOOD, "names": ["x", "x"]})
    assert Lts.from_dict(GOOD).names == ("x", "y")


def test_names_that_are_not_unique_are_not_written(tmp_path):
    """Products of Python's own systems may have such; the file can be read again."""
    twins = Lts(["a"], 2, [(0, "a", 1)], names=["x", "x"])
    (warning,) = write(twins, str(tmp_path / "e.json"))
    assert warning.code == "json-loss"
    assert read(str(tmp_path / "e.json")).network == Lts(["a"], 2, [(0, "a", 1)])
