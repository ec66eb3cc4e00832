"""`symrob gate` end to end."""

import json
import shutil
import sys
from importlib.resources import files
from xml.etree import ElementTree

import jsonschema
import pytest

from symrob.analyses import hazards
from symrob.envelope import tuning
from symrob.errors import LimitExceeded
from symrob.limits import BUDGETS
from tests.cli.tools import ROOT, run

SCHEMA = json.loads(files("symrob").joinpath("schemas/gate.json").read_text())
UP = "MODE_CHOSEN,up,NO_MODE"


@pytest.fixture
def folder(tmp_path):
    """The Therac-25 in a folder of its own, where policies may stand beside it."""
    shutil.copytree(ROOT / "models/therac25", tmp_path / "therac")
    return tmp_path / "therac"


def gate(folder, rules, *args, case='case = "therac25.toml"'):
    path = folder / "policy.toml"
    path.write_text(f"{case}\n{rules}", encoding="utf-8")
    return run("gate", path, *args)


def test_rules_that_hold(folder):
    done = gate(folder, f'[[forbids]]\ntransitions = ["{UP}"]\n')
    assert done.code == 0
    told = "1 transition not individually tolerated (hazardous)\n"
    assert f"ok       forbids MODE_CHOSEN,up,NO_MODE: {told}" in done.out
    assert done.out.endswith("1 rule: 1 held\n")
    assert done.err == ""


def test_the_race_of_the_therac_25_fails_a_gate_that_the_others_pass(folder):
    rule = f'[[tolerates]]\nname = "the nurse corrects"\ntransitions = ["{UP}"]\n'
    done = gate(folder, rule)
    assert done.code == 4
    assert "FAILS    the nurse corrects: 1 transition not tolerated" in done.out
    # The run of the accident: X-rays while the turntable is on its way.
    assert "goes back with 'up' (added)" in done.out
    assert done.out.rindex("fires an X-ray") > done.out.index("(added)")
    for other in ("therac25_fix.toml", "therac20.toml"):
        assert gate(folder, rule, folder / other).code == 0
        assert gate(folder, rule, case=f'case = "{other}"').code == 0


def test_another_controller_as_the_paper_says(folder):
    """[S1] Sect. 6: the repaired machine and the Therac-20 against the Therac-25."""
    rule = '[[as_robust_as]]\ncontroller = "machines.lts#THERAC25"\n'
    assert gate(folder, rule, case='case = "therac25_fix.toml"').code == 0
    assert gate(folder, rule, case='case = "therac20.toml"').code == 0
    rule = '[[as_robust_as]]\ncontroller = "machines.lts#THERAC20"\n'
    done = gate(folder, rule)
    assert done.code == 4
    assert "tolerates a set that violates a property with this one: 1" in done.out


def test_a_baseline_and_what_it_lacks(folder):
    for name in ("therac20", "therac25"):
        result = run("compute", folder / f"{name}.toml", "--format", "json")
        (folder / f"{name}.json").write_text(result.out, encoding="utf-8")
    old = '[[as_robust_as]]\nbaseline = "{}.json"\n'
    assert gate(folder, old.format("therac25")).code == 0
    done = gate(folder, old.format("therac20"))
    assert done.code == 4
    assert "3 of 4 deviations of the baseline not tolerated" in done.out
    data = json.loads((folder / "therac25.json").read_text())
    data["status"] = "limit"
    (folder / "part.json").write_text(json.dumps(data))
    done = gate(folder, old.format("part"))
    assert done.code == 3
    assert "the baseline is incomplete" in done.err
    report = gate(folder, old.format("part"), "--format", "junit").out
    assert ElementTree.fromstring(report).find("testsuite").get("errors") == "1"
    assert gate(folder, old.format("part") + "partial = true\n").code == 0
    data["delta"][0].append([0, "e", 99])
    (folder / "odd.json").write_text(json.dumps(data))
    done = gate(folder, old.format("odd"))
    assert done.code == 2
    assert "[0, 'e', 99] is not a transition" in done.err


def test_two_rules_about_one_controller(folder):
    rule = '[[as_robust_as]]\ncontroller = "machines.lts#THERAC25"\n'
    done = gate(folder, 2 * rule, case='case = "therac20.toml"')
    assert (done.code, done.err) == (0, "")
    assert done.out.endswith("2 rules: 2 held\n")


def test_json_and_junit_say_the_same(folder):
    rules = (
        f'vacuous = true\nresilience = 1\n[[tolerates]]\nname = "<&up\\u001b[1m]]>"\n'
        f'transitions = ["{UP}"]\n[[forbids]]\ntransitions = ["CONFIRMED,enter,*"]\n'
    )
    done = gate(folder, rules, "--format", "json")
    assert done.code == 4
    result = json.loads(done.out)
    jsonschema.validate(result, SCHEMA)
    answers = [rule["answer"] for rule in result["rules"]]
    assert answers == ["holds", "fails", "fails"]
    assert result["rules"][1]["units"] == [[1, "up", 0]]
    assert result["rules"][2]["together"] is not None
    done = gate(folder, rules, "--format", "junit")
    assert done.code == 4
    suite = ElementTree.fromstring(done.out).find("testsuite")
    assert [suite.get(k) for k in ("tests", "failures", "errors")] == ["3", "2", "0"]
    assert suite[1].get("name") == "<&up\\x1b[1m]]>"
    assert "fires an X-ray" in suite[1][0].text
    del result["rules"][0]["answer"]
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(result, SCHEMA)


AGAIN = '[[forbids]]\ntransitions = ["TREATED,b,*"]\n'


def test_a_rule_that_holds_by_the_assumptions_alone_says_so(folder):
    """Nobody is hurt by a second treatment: only a constraint forbids it."""
    done = gate(folder, AGAIN)
    assert done.code == 0
    told = "holds only because of the assumptions: without them all are tolerated"
    assert f"(4 safe, excluded by an assumption); {told}\n" in done.out
    (rule,) = json.loads(gate(folder, AGAIN, "--format", "json").out)["rules"]
    assert (rule["answer"], rule["by_assumptions"]) == ("holds", True)
    assert rule["counts"]["excluded-safe"] == len(rule["units"]) == 4
    report = ElementTree.fromstring(gate(folder, AGAIN, "--format", "junit").out)
    assert told in report.find("testsuite/testcase/system-out").text


AGAIN_ALONE = "[[forbids]]\ntransitions = ['TREATED,b,TREATED'"


@pytest.mark.parametrize(
    ("rules", "said"),
    [
        (
            "[[tolerates]]\ntransitions = ['NO_MODE,b,TREATED', 'NO_MODE,e,TREATED']",
            "2 transitions not tolerated together (safe, excluded by an assumption); "
            "the listed part violates an assumption",
        ),
        (
            f"[[tolerates]]\ntransitions = ['{UP}', 'NO_MODE,b,TREATED']",
            "the listed part violates a property",
        ),
        (
            f"[[forbids]]\ntransitions = ['{UP}', 'NO_MODE,b,TREATED']",
            "2 transitions not individually tolerated (1 hazardous; 1 safe, excluded "
            "by an assumption); holds only because of the assumptions: without them 1 "
            "is tolerated",
        ),
        (f"{AGAIN_ALONE}]", "assumptions: without them it is tolerated"),
        (f"{AGAIN_ALONE}]\nadded = 'together'", "without them it is tolerated"),
        (
            f"{AGAIN_ALONE}, 'NO_MODE,b,TREATED']\nadded = 'together'",
            "without them they are tolerated",
        ),
        (
            "[[budget]]\nat_most = 3",
            "adding 1 transition violates a property in at most 3 deviated steps "
            "within the assumptions",
        ),
        ("[[tolerates]]", "tolerates.transitions' is missing"),
    ],
)
def test_messages_say_who_violates_what(folder, rules, said):
    done = gate(folder, f"{rules}\n")
    assert said in done.out + done.err, done.out + done.err


@pytest.mark.parametrize(
    ("modes", "said"),
    [
        (
            "['rises_late', 'b_wrong']\nadded = 'each'",
            "with this one of b_wrong and rises_late",
        ),
        ("['rises_late']\nadded = 'each'", "with rises_late added"),
        ("['rises_late', 'b_wrong']", "with b_wrong and rises_late added"),
    ],
)
def test_goals_are_lost_with_what_is_named(tmp_path, modes, said):
    rule = f"[[progress]]\ngoals = ['drain', 'fill']\nmodes = {modes}\n"
    case = ROOT / "models/two_sensors/two_sensors.toml"
    (tmp_path / "policy.toml").write_text(rule, encoding="utf-8")
    done = run("gate", tmp_path / "policy.toml", case)
    assert f": drain and fill can become impossible {said}\n" in done.out, done.out


def test_goals_stay_possible_with_each(folder):
    rule = f"vacuous = true\n[[progress]]\nadded = 'each'\ntransitions = ['{UP}'"
    done = gate(folder, f"{rule}, 'MODE_CHOSEN,up,MODE_CHOSEN']\n")
    assert "completion stays possible with each of 2 transitions\n" in done.out
    assert "possible with 1 transition added\n" in gate(folder, f"{rule}]\n").out


def test_a_rule_without_the_constraints(folder):
    """A key of the rule, a key of the policy, and the option ask the same."""
    bare = "without_constraints = true\n"
    for rules, args in (
        (AGAIN + bare, ()),
        (bare + AGAIN, ()),
        (AGAIN, ("--without-constraints",)),
    ):
        done = gate(folder, rules, *args, "--format", "json")
        assert done.code == 4
        result = json.loads(done.out)
        jsonschema.validate(result, SCHEMA)
        (rule,) = result["rules"]
        assert rule["message"] == "4 of 4 transitions tolerated"
        assert rule["without_constraints"] == (not args)
        assert result["title"].endswith("its assumptions") == bool(args)
    rules = f"resilience = 2\n{AGAIN}{bare}"
    assert "TREATED,b,*, without assumptions: 4 of 4" in gate(folder, rules).out


def test_resilience_counts_what_can_hurt(folder):
    """Nothing that is added to the Therac-20 can; broken assumptions do not count."""
    done = gate(folder, "resilience = 2", case='case = "therac20.toml"')
    assert done.code == 0
    assert (
        "no single new transition can violate a property within the assumptions"
        in done.out
    )
    done = gate(folder, "resilience = 2")
    assert done.code == 4
    assert "the resilience is 1 within the assumptions: adding 1 transition" in done.out
    # Voting is saved by what is assumed of the official and the voter.
    for name in ("models", "voting"):
        shutil.copytree(ROOT / "models/voting", folder.parent / name)
    voting = folder.parent / "voting"
    done = gate(voting, "resilience = 2", case='case = "voting_cfm.toml"')
    assert done.code == 0
    assert "assumptions: without them the resilience is 1: adding" in done.out
    done = gate(
        voting,
        "resilience = 2\nwithout_constraints = true",
        case='case = "voting_cfm.toml"',
    )
    assert done.code == 4


def test_what_the_budget_does_not_suffice_for_is_not_decided(folder, monkeypatch):
    monkeypatch.setitem(BUDGETS, "unassumed", -1.0)
    rules = f"resilience = 2\n{AGAIN}"
    done = gate(folder, rules, "--format", "json", case='case = "therac20.toml"')
    assert done.code == 0
    result = json.loads(done.out)
    jsonschema.validate(result, SCHEMA)
    for rule in result["rules"]:
        assert (rule["answer"], rule["by_assumptions"]) == ("holds", None)
        unknown = "; unknown: whether it holds without the assumptions (-1 s used)"
        assert rule["message"].endswith(unknown)


def test_two_runs_are_equal_but_for_timing(folder, monkeypatch):
    rules = f'resilience = 2\n[[tolerates]]\ntransitions = ["{UP}"]\n'
    first = json.loads(gate(folder, rules, "--format", "json").out)
    monkeypatch.setitem(sys.modules, "dd.cudd", None)
    second = json.loads(gate(folder, rules, "--format", "json").out)
    for rule in (*first["rules"], *second["rules"]):
        assert rule.pop("seconds") >= 0
    assert first == second


@pytest.mark.parametrize(
    ("error", "code", "said"),
    [
        (lambda: LimitExceeded("time is up"), 3, "incomplete: time is up"),
        (KeyboardInterrupt, 130, "incomplete: interrupted"),
    ],
)
def test_a_rule_that_is_stopped_is_unknown(folder, monkeypatch, error, code, said):
    def stopped(engine, added):
        raise error()

    monkeypatch.setattr(hazards, "verdict", stopped)
    rules = f'vacuous = true\nresilience = 1\n[[tolerates]]\ntransitions = ["{UP}"]\n'
    done = gate(folder, rules, "--format", "json")
    assert done.code == code
    assert said in done.err
    result = json.loads(done.out)
    jsonschema.validate(result, SCHEMA)
    assert [rule["answer"] for rule in result["rules"]] == ["holds", "unknown"]
    status = {3: "limit", 130: "interrupted"}[code]
    assert (result["status"], result["reason"]) == (status, said.partition(": ")[2])
    # A rule that fails counts more than one that is not known.
    if code == 3:
        done = gate(folder, f'{rules}[[forbids]]\ntransitions = ["0,e,1"]\n')
        assert done.code == 4
        assert "1 held, 1 failed, 1 unknown" in done.out


@pytest.mark.parametrize(
    ("rules", "words"),
    [
        ('[[tolerates]]\ntransitions = ["MODE_CHOSN,up,NO_MODE"]', "MODE_CHOSEN"),
        ('[[forbids]]\ntransitions = ["0,up,1", "0,fly,1", "9,up,1"]', "fly"),
        ('[[as_robust_as]]\nbaseline = "nowhere.json"', "nowhere.json"),
        ('[[as_robust_as]]\nbaseline = "nurse.lts"', "this is a model, not a result"),
        ('[[as_robust_as]]\ncontroller = "nowhere.lts"', "nowhere.lts"),
    ],
)
def test_rules_that_mean_nothing(folder, rules, words):
    done = gate(folder, rules)
    assert done.code == 2
    assert words in done.err
    assert done.out == ""


def test_an_unsafe_plan_gives_1(folder):
    case = 'case = "therac25.toml"'
    done = gate(folder, "resilience = 1", folder / "unsafe.toml", case=case)
    assert done.code == 2
    text = (folder / "therac25.toml").read_text().replace("xflat", "xflat_espread")
    (folder / "unsafe.toml").write_text(text)
    done = gate(folder, "resilience = 1", folder / "unsafe.toml", case=case)
    assert done.code == 1
    assert done.out == ""


def test_no_case_at_all(folder):
    done = gate(folder, "resilience = 1", case="")
    assert done.code == 2
    assert "give a case file" in done.err


@pytest.mark.parametrize("goals", ['goals = ["input"]\n', ""])
def test_goals_of_an_environment_too_large_are_unknown(tmp_path, monkeypatch, goals):
    """The other rules are judged all the same: what fails fails."""
    monkeypatch.setattr(tuning, "COMPOSED_STATES", 0)
    monkeypatch.setattr(tuning, "COUPLED_STATES", 0)
    policy = tmp_path / "policy.toml"
    policy.write_text(
        f'[[progress]]\n{goals}modes = ["acks.loss"]\n'
        '[[tolerates]]\nmodes = ["messages.spurious"]\n'
    )
    case = ROOT / "models/abp/abp.toml"
    told = run("gate", policy, case, "--format", "json")
    rules = json.loads(told.out)["rules"]
    assert [rule["answer"] for rule in rules] == ["fails", "unknown"]
    assert "goals require the product of E's components" in rules[1]["message"]
    assert told.code == 4
