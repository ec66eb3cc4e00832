"""Repairs that leave the machine stuck, and what it would have to observe."""

import json

import pytest

import symrob
from tests.cli.tools import run
from tests.schemas import validate

# The machine fires when it is told to go; it does not see whether somebody armed it.
MODELS = """
USER = (arm -> go -> fire -> USER).
CAREFUL = (arm -> check -> go -> fire -> CAREFUL).
MACHINE = (go -> READY), READY = (fire -> MACHINE).
property ARMED = (arm -> LIVE), LIVE = (arm -> LIVE | fire -> ARMED).
property BOTH = (arm -> A | check -> C), A = (arm -> A | check -> L),
  C = (check -> C | arm -> L), L = ({arm, check} -> L | fire -> BOTH).
"""


@pytest.fixture
def models(tmp_path):
    (tmp_path / "m.lts").write_text(MODELS)

    def of(user, rule):
        sides = (
            "--env",
            tmp_path / f"m.lts#{user}",
            "--prop",
            tmp_path / f"m.lts#{rule}",
        )
        return (*sides, "--ctrl", tmp_path / "m.lts#MACHINE", "--disable", "fire")

    return of


def test_a_guard_that_stops_the_plan_is_no_useful_repair(models):
    asked = (*models("USER", "ARMED"), "--tolerate", "0,go,1", "--tolerate", "0,go,2")
    done = run("repair", *asked)
    assert done.code == 4
    assert (
        "\nNo useful repair: with C', the plan loses fire and go; impossible"
        in done.out
    )
    assert "Disable fire always\n" in done.out
    assert "if C also observes this action of E: arm" in " ".join(done.out.split())
    done = run("repair", *asked, "--format", "json")
    assert done.code == 4
    data = json.loads(done.out)
    validate(data, "repair")
    assert data["possible"] is False
    assert data["observable"]["actions"] == ["arm"]
    assert [one["goal"]["name"] for one in data["worth"]["goals"]] == ["fire", "go"]


def test_what_must_be_observed_together(models):
    asked = models("CAREFUL", "BOTH")
    more = [x for q in range(2) for x in ("--tolerate", f"{q},go,3")]
    more += ["--tolerate", "0,check,2"]
    data = json.loads(run("repair", *asked, *more, "--format", "json").out)
    assert data["observable"]["actions"] == []
    assert data["observable"]["together"] == ["arm", "check"]
    assert "observes these actions of E together" in " ".join(
        run("repair", *asked, *more).out.split()
    )


def test_the_repair_that_observes_more_is_proper(models, tmp_path):
    """By hand: C with a component that has the action gets a proper guard."""
    text = MODELS + "||SEEING = (MACHINE || LOOKS). LOOKS = (arm -> LOOKS).\n"
    (tmp_path / "m.lts").write_text(text)
    asked = [*models("USER", "ARMED"), "--tolerate", "0,go,1", "--tolerate", "0,go,2"]
    asked[5] = tmp_path / "m.lts#SEEING"
    done = run("repair", *asked)
    assert done.code == 0
    assert "always" not in done.out
    assert "Lost: nothing; C' keeps every trace of the plan." in done.out


def test_a_useful_repair_may_get_stuck_with_what_is_required():
    case = symrob.load_case("models/running_example/running_example.toml")
    found = symrob.repair(case)
    assert found.possible
    assert found.worth.goals == ()
    assert [one.goal.name for one in found.worth.goals_with[0]] == ["completion"]
    assert "Lost goals: with C' and the required deviations, completion" in str(found)
