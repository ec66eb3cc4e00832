"""`symrob risk` end to end: what it says, and what it refuses."""

import json
from math import expm1, isclose

import pytest

from tests.cli.tools import ROOT, run
from tests.schemas import fits, validate

THERAC = ROOT / "models/therac25/therac25.toml"
CHANCES = """[probability]
"class:omission" = 1e-3
"MODE_CHOSEN,x,MODE_CHOSEN" = { rate = 1e-4, time = 24 }
"*,*,*" = 1e-4
"""


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "chances.toml"
    path.write_text(CHANCES)
    return path


def told(*args):
    result = run("risk", *args, "--format", "json")
    assert result.code == 0, result.err
    data = json.loads(result.out)
    validate(data, "risk")
    return data


def test_therac(table):
    """Its five hazardous sets are single transitions: one by a rate, four by `*`."""
    data = told(THERAC, "--probability", table)
    rate = -expm1(-24e-4)
    expected = 1 - (1 - rate) * (1 - 1e-4) ** 4
    assert isclose(data["probability"]["lower"], expected, rel_tol=1e-12)
    assert data["probability"]["exact"]
    found = [one["probability"] for one in data["sets"]]
    assert found == pytest.approx([rate, *[1e-4] * 4], rel=1e-12)
    (events,) = {tuple(one["events"]) for one in data["sets"][:1]}
    assert data["events"][events[0]]["name"] == "MODE_CHOSEN,x,MODE_CHOSEN"
    assert data["missing"]["hazardous_alone"] == []
    assert any("class:omission" in line for line in data["overlaps"])
    broken = {**data, "probability": {**data["probability"], "lower": -1}}
    assert not fits(broken, "risk")


def test_text_says_what_the_number_means(table):
    text = run("risk", THERAC, "--probability", table).out
    for words in ("independent", "not the same as happens", "Sequence matters"):
        assert words in text


def test_what_has_no_chance_is_named(tmp_path):
    path = tmp_path / "chances.toml"
    path.write_text('[probability]\n"NO_MODE,e,NO_MODE" = 0.25\n')
    result = run("risk", THERAC, "--probability", path)
    assert "MODE_CHOSEN,x,MODE_CHOSEN" in result.out
    assert "hazardous alone among them" in result.out
    data = told(THERAC, "--probability", path)
    assert data["probability"]["lower"] == 0.25
    assert len(data["missing"]["hazardous_alone"]) == 4


def test_all_that_is_wrong_is_said_with_its_place(tmp_path):
    path = tmp_path / "chances.toml"
    path.write_text(
        "[probability]\n"
        '"NO_MODE,e,NO_MODE" = 1.5\n'
        '"NO_MODE,x,NO_MODE" = nan\n'
        '"a,b,c" = { rate = -1, tim = 3 }\n'
        "loss = true\n"
    )
    result = run("risk", THERAC, "--probability", path)
    assert result.code == 2
    for line in (2, 3, 4, 5):
        assert f"chances.toml:{line}:" in result.err
    path.write_text(
        "[probability]\n"
        '"NO_MODE,e,NOMODE" = 0.5\n'
        '"NO_MODE,x,MODE_CHOSEN" = 0.5\n'
        "los = 0.5\n"
        '"NO_MODE,e,NO_MODE" = 0.5\n'
        '"0,e,0" = 0.25\n'
    )
    result = run("risk", THERAC, "--probability", path)
    assert result.code == 2
    for line in (2, 3, 4, 6):
        assert f"chances.toml:{line}:" in result.err, result.err


def test_nothing_said_is_an_error():
    result = run("risk", THERAC)
    assert result.code == 2
    assert "[probability]" in result.err
    assert run("risk", THERAC, "--probability", "absent.toml").code == 2
    assert run("risk", THERAC, "--gap", "2").code == 2


def test_case_files_may_say_it(tmp_path):
    for name in ("nurse", "machines", "xflat", "one_treatment"):
        source = ROOT / f"models/therac25/{name}.lts"
        (tmp_path / source.name).write_text(source.read_text())
    case = tmp_path / "case.toml"
    head = 'environment = "nurse.lts"\ncontroller = "machines.lts#THERAC25"\n'
    case.write_text(head + 'properties = ["xflat.lts"]\n' + CHANCES)
    assert told(case)["probability"]["exact"]
    case.write_text(head + 'properties = ["xflat.lts"]\n[probability]\nx = 2\n')
    result = run("risk", case)
    assert (result.code, "case.toml:5:1" in result.err) == (2, True)


def test_fault_modes_are_events(tmp_path):
    for name in ("nurse", "machines", "xflat"):
        source = ROOT / f"models/therac25/{name}.lts"
        (tmp_path / source.name).write_text(source.read_text())
    case = tmp_path / "case.toml"
    case.write_text(
        'environment = "nurse.lts"\ncontroller = "machines.lts#THERAC25"\n'
        'properties = ["xflat.lts"]\n'
        '[faults]\nagain = ["MODE_CHOSEN,x,MODE_CHOSEN", "NO_MODE,e,NO_MODE"]\n'
        'other = "NO_MODE,e,NO_MODE"\nunsaid = "NO_MODE,up,*"\nonly = true\n'
        "[probability]\nagain = 0.5\nother = 0.25\n"
    )
    data = told(case)
    assert data["probability"]["lower"] == 1 - 0.5 * 0.75
    assert data["missing"]["modes"] == ["unsaid"]
    assert [event["mode"] for event in data["events"]] == [True, True]


def test_a_gap_ends_the_search(table):
    case = ROOT / "models/voting/voting_all_unconstrained.toml"
    table.write_text('[probability]\n"*,*,*" = 1e-4\n')
    data = told(case, "--probability", table, "--gap", "1e-3")
    assert not data["probability"]["complete"]
    between = data["probability"]["upper"] - data["probability"]["lower"]
    assert 0 < between <= 1e-3
