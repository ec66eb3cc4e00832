"""Policies: what is read from them, and every problem of a wrong one."""

import pytest

from symrob.case import Spec
from symrob.errors import SymrobError
from symrob.gate.policy import load_policy
from symrob.gate.resilience import ResilienceRule
from symrob.gate.robust import AsRobustAs
from symrob.gate.units import Forbids, Tolerates

WHOLE = """
title = "Gate"
case = "therac25.toml"
resilience = 2
[[tolerates]]
name = "up"
transitions = ["MODE_CHOSEN,up,NO_MODE", "1,up,2"]
[[tolerates]]
transitions = ["*,e,*"]
added = "each"
[[forbids]]
transitions = ["0,b,*"]
[[forbids]]
transitions = ["0,b,0", "1,b,1"]
added = "together"
[[as_robust_as]]
baseline = "results/old.json"
partial = true
[[as_robust_as]]
controller = "machines.lts#THERAC20"
"""


def policy(tmp_path, text):
    path = tmp_path / "policy.toml"
    path.write_text(text, encoding="utf-8")
    return str(path)


def test_a_policy_is_read_with_its_defaults(tmp_path):
    folder = str(tmp_path)
    read = load_policy(policy(tmp_path, WHOLE))
    assert read.title == "Gate"
    assert read.case == f"{folder}/therac25.toml"
    assert read.rules == (
        ResilienceRule("resilience of at least 2", 2),
        Tolerates("up", ("MODE_CHOSEN,up,NO_MODE", "1,up,2"), "together"),
        Tolerates("tolerates *,e,*", ("*,e,*",), "each"),
        Forbids("forbids 0,b,*", ("0,b,*",), "each"),
        Forbids("forbids 0,b,0; 1,b,1", ("0,b,0", "1,b,1"), "together"),
        AsRobustAs(
            "at least as robust as results/old.json",
            baseline=f"{folder}/results/old.json",
            partial=True,
        ),
        AsRobustAs(
            "at least as robust as machines.lts#THERAC20",
            controller=Spec(f"{folder}/machines.lts", "THERAC20", folder),
        ),
    )


WRONG = {
    "": "no rule",
    "tolerates = []": "no rule",
    "resilience = 0": "'resilience' must be a whole number of at least 1, below 2^63",
    "resilience = true": "'resilience' must be",
    "resilience = 1.5": "'resilience' must be",
    "resilience = 1\ntitle = ''": "'title' must be a string",
    "resilience = 1\ncase = 3": "'case' must be the path of a case file",
    "resilience = 1\nresiliance = 2": "did you mean 'resilience'?",
    "tolerates = 3": "'tolerates' must be an array of tables",
    "tolerates = [3]": "'tolerates' must be an array of tables",
    "[[tolerates]]": "'tolerates.transitions' is missing",
    "[[tolerates]]\ntransitions = []": "non-empty",
    "[[tolerates]]\ntransitions = '1,a,2'": "must be a non-empty list",
    "[[forbids]]\ntransitions = ['1,a,2']\nadded = 'alone'": "'each' or 'together'",
    "[[forbids]]\ntransition = ['1,a,2']": "did you mean 'transitions'?",
    "[[as_robust_as]]": "requires either a baseline or a controller",
    "[[as_robust_as]]\nbaseline = 'a'\ncontroller = 'b'": "requires either",
    "[[as_robust_as]]\nbaseline = 'a'\npartial = 1": "must be true or false",
}


@pytest.mark.parametrize("text", WRONG)
def test_each_mistake_is_named(tmp_path, text):
    with pytest.raises(SymrobError) as caught:
        load_policy(policy(tmp_path, text))
    assert WRONG[text] in str(caught.value)
    assert caught.value.exit_code == 2


def test_all_mistakes_at_once_with_their_places(tmp_path):
    path = policy(tmp_path, "resilience = 0\n\n[[forbids]]\nadded = 1\n")
    with pytest.raises(SymrobError) as caught:
        load_policy(path)
    assert len(caught.value.diagnostics) == 3
    assert f"{path}:1:1: error: 'resilience'" in str(caught.value)
    assert f"{path}:4:1: error: 'forbids.added'" in str(caught.value)


@pytest.mark.parametrize(
    "text",
    [
        'case = "../case.toml"\nresilience = 1',
        'case = "/etc/passwd"\nresilience = 1',
        '[[as_robust_as]]\nbaseline = "../old.json"',
        '[[as_robust_as]]\ncontroller = "../other.lts#P"',
        'case = "link/case.toml"\nresilience = 1',
    ],
)
def test_no_path_leaves_the_folder_unless_allowed(tmp_path, text):
    inner = tmp_path / "inner"
    inner.mkdir()
    (inner / "link").symlink_to(tmp_path)
    path = policy(inner, text)
    with pytest.raises(SymrobError) as caught:
        load_policy(path)
    assert [d.code for d in caught.value.diagnostics] == ["policy-outside"]
    assert caught.value.diagnostics[0].line is not None
    load_policy(path, allow_outside=True)


def test_what_is_no_toml_and_no_file(tmp_path):
    for path in (policy(tmp_path, "resilience ="), "nowhere.toml", str(tmp_path)):
        with pytest.raises(SymrobError) as caught:
            load_policy(path)
        assert caught.value.exit_code == 2
