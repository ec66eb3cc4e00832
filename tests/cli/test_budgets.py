"""`--at-most` on the command line, in case files, policies and batches."""

import json
import shutil

import pytest

import symrob
from tests.agreement.test_budgets import MARK, known
from tests.cli.tools import ROOT, run

TWO = ROOT / "models/two_sensors/two_sensors.toml"
ONCE = ROOT / "models/two_sensors/two_sensors_once.toml"
PRESS = ROOT / "models/press/press.toml"
ABP = ROOT / "models/abp/abp.toml"
LOADED = "LOADED,pedal,LOADED"


@pytest.fixture
def folder(tmp_path):
    copy = tmp_path / "two"
    shutil.copytree(TWO.parent, copy)
    return copy


def result(*arguments):
    return json.loads(run(*arguments, "--format", "json").out)


def test_known_answers_on_the_command_line(tmp_path):
    problem = known()[7]
    roles = {"env": "environment", "ctrl": "controller"}
    given = []
    for option, role in roles.items():
        path = tmp_path / f"{role}.json"
        path.write_text(json.dumps(problem[role]))
        given += [f"--{option}", path]
    for option, role in (("prop", "properties"), ("env-prop", "env_constraints")):
        for number, lts in enumerate(problem[role]):
            path = tmp_path / f"{role}{number}.json"
            path.write_text(json.dumps(lts))
            given += [f"--{option}", path]
    for budget in ("1", "2", "3"):
        data = result("compute", *given, "--at-most", budget)
        assert data["at_most"] == {"run": int(budget), "modes": {}}
        planned = {tuple(t) for t in problem["environment"]["transitions"]}
        found = {frozenset(map(tuple, d)) - planned for d in data["delta"]}
        want = {frozenset(map(tuple, d)) for d in problem["delta_new"][budget]}
        assert found == want


def test_option_case_and_policy(folder):
    case, once = folder / TWO.name, folder / ONCE.name
    assert len(result("compute", once)["delta_modes"]) == 1
    # What is given wins over the case.
    assert len(result("compute", once, "--at-most", 2)["delta_modes"]) == 2
    policy = folder / "gate.toml"
    rule = (
        '[[tolerates]]\nmodes = ["a_wrong", "b_wrong", "rises_late"]\nvacuous = true\n'
    )
    for head, code in (("", 4), ("at_most = 1\n", 0), ("at_most = 2\n", 4)):
        policy.write_text(f'case = "{case.name}"\n{head}{rule}')
        assert run("gate", policy).code == code, head
    policy.write_text(f'case = "{case.name}"\nat_most = 2\n{rule}')
    assert run("gate", policy, case, "--at-most", 1).code in (0, 2)
    base = run("compute", once, "--format", "json").out
    (folder / "base.json").write_text(base)
    policy.write_text(
        f'case = "{case.name}"\n[[as_robust_as]]\nbaseline = "base.json"\n'
    )
    done = run("gate", policy)
    assert (done.code, "a different budget" in done.err) == (2, True)


def test_a_mode_and_a_template(folder):
    case = folder / TWO.name
    text = case.read_text()
    left = text[text.index("a_wrong = ") : text.index("b_wrong = ")]
    table = left.replace("a_wrong = ", "[faults.a_wrong]\nat_most = 0\ntransitions = ")
    case.write_text(text.replace(left, "") + table)
    data = result("compute", case)
    assert data["at_most"] == {"run": None, "modes": {"a_wrong": 0}}
    assert sorted(data["delta_modes"]) == [
        ["a_wrong", "b_wrong"],
        ["a_wrong", "rises_late"],
    ]
    wrong = table.replace("= 0", "= -1").replace("FINE_0", "NOWHERE")
    case.write_text(text.replace(left, "") + wrong)
    assert (
        "'faults.a_wrong.at_most' must be a whole number from 0"
        in run("check", case).err
    )
    case.write_text(text.replace(left, "") + wrong.replace("= -1", "= 1"))
    err = run("compute", case).err
    assert "two_sensors.toml:16:16" in err
    text = ABP.read_text().replace("component =", "at_most = 0\ncomponent =")
    shutil.copytree(ABP.parent, folder / "abp")
    (folder / "abp/abp.toml").write_text(text)
    data = result("compute", folder / "abp/abp.toml")
    assert {*data["at_most"]["modes"].values()} == {0}
    assert len(data["delta_modes"][0]) == 10


@pytest.mark.parametrize(
    "arguments",
    [
        ("assume", PRESS),
        ("compute", PRESS, "--algorithm", "connected"),
    ],
    ids=lambda arguments: arguments[0],
)
def test_what_is_refused(arguments, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    done = run(*arguments, "--at-most", 1)
    assert done.code == 2
    assert "not supported with a budget of deviated steps" in done.err
    assert done.err.count("error:") == 1


def test_bad_numbers():
    assert run("compute", PRESS, "--at-most", -1).code == 2
    with pytest.raises(symrob.SymrobError, match="whole number"):
        symrob.load_case(str(PRESS)).compute(at_most=-1)


@pytest.mark.parametrize(
    "arguments",
    [
        ("summary", PRESS),
        ("summary", PRESS, "--format", "json"),
        ("cuts", PRESS, "--traces"),
        ("cuts", PRESS, "--format", "json"),
        ("explain", PRESS, "--transition", LOADED),
        ("explain", PRESS, "--transition", "EMPTY,up,*", "--format", "json"),
        ("compute", PRESS, "--stats", "--details"),
        ("compute", PRESS, "--format", "json", "--stats"),
        ("compute", PRESS, "-j", 2),
        ("compute", PRESS, "--top", 1),
        ("compare", PRESS, PRESS.with_name("press_door.toml")),
        ("summary", ABP),
        ("cuts", ABP, "--by", "component", "--format", "json"),
        ("compute", ABP, "--by", "component"),
        ("candidates", PRESS, "--out", "table.csv"),
        ("explore", PRESS, "--out", "out.html"),
        ("repair", TWO, "--out", "guarded.lts", "--out", "guarded.svg"),
        ("repair", TWO, "--format", "json"),
        ("repair", TWO, "--suggest", "--out", "front.svg"),
        ("repair", TWO, "--suggest", "--format", "json"),
    ],
    ids=lambda arguments: " ".join(str(a) for a in arguments if "/" not in str(a)),
)
def test_counted_names_are_not_seen(arguments, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    done = run(*arguments, "--at-most", 2)
    # With two steps the only guard of the tank loses a goal.
    lossy = arguments[0] == "repair" and "--suggest" not in arguments
    assert done.code == (4 if lossy else 0), done.err
    written = "".join(path.read_text() for path in tmp_path.iterdir())
    assert MARK not in done.out + done.err + written
    assert "\\ufdd0" not in done.out


def test_comparisons_need_one_budget():
    done = run("compare", TWO, ONCE)
    assert (done.code, "different budgets" in done.err) == (2, True)
    assert run("compare", TWO, ONCE, "--at-most", 2).code == 0


def test_a_batch_heeds_the_case(tmp_path):
    rows = tmp_path / "rows.jsonl"
    assert run("batch", TWO, ONCE, "--out", rows).code == 0
    found = [json.loads(line)["result"] for line in rows.read_text().splitlines()]
    runs = {len(r["delta_modes"]): r["at_most"] for r in found}
    assert runs == {2: None, 1: {"run": 1, "modes": {}}}


def test_repair_within_a_budget(tmp_path):
    """One deviated step is forgiven, so nothing need change; two are not."""
    done = run("repair", TWO, "--at-most", 1)
    assert done.code == 0
    assert "Budget: at most 1 deviated step in a trace." in done.out
    assert "No change is needed" in done.out
    done = run("repair", TWO, "--at-most", 2, "--out", tmp_path / "guarded.lts")
    assert "Disable fill (the machine fills the tank) always" in done.out
    assert "Checked state by state" in done.out
    given = ["--env", TWO.with_name("tank.lts"), "--ctrl", tmp_path / "guarded.lts"]
    given += ["--prop", TWO.with_name("no_spill.lts"), "--at-most", 2]
    expect = "--transition", "*,*,*", "--expect", "tolerated"
    assert run("explain", *given, *expect).code == 0
    data = result("repair", TWO, "--at-most", 2)
    assert data["at_most"] == {"run": 2, "modes": {}}
    assert [g["action"] for g in data["repair"]["guards"]["guards"]] == ["fill"]
    for most, count in ((1, 0), (2, 2)):
        asked = "repair", TWO, "--suggest", "--order", 2, "--at-most", most
        assert len(result(*asked)["hazards"]) == count


@pytest.mark.parametrize(
    ("case", "more"),
    [
        (TWO, ()),
        (TWO, ("--compact",)),
        (ABP, ("--by", "component")),
        (PRESS, ()),
        (PRESS, ("--compact",)),
    ],
)
def test_verify_checks_within_the_budget(case, more, tmp_path):
    path, asked = tmp_path / "result.json", [a for a in more if a != "--compact"]
    for most in (1, 2):
        given = *asked, "--at-most", most
        path.write_text(run("compute", case, "--format", "json", *more, *given).out)
        done = run("verify", path, case, *given)
        assert (done.code, "wrong" in done.out) == (0, False), done.out
        for other in (asked, [*asked, "--at-most", 3 - most]):
            done = run("verify", path, case, *other)
            assert done.code == 4
            assert "'at_most' of the result differs from the case" in done.out
        data = json.loads(path.read_text())
        if not more and data.get("delta_modes"):
            data["delta_modes"][0].pop()
            data["delta"] = None
            path.write_text(json.dumps(data))
            assert run("verify", path, case, *given).code != 0


def test_the_least_number_of_deviated_steps():
    story = result("summary", TWO)["story"]
    assert story["deviated_steps"] == {"at_least": 2, "enough": 2}
    cuts = result("cuts", TWO)["cuts"]
    assert [cut["deviated_steps"] for cut in cuts] == [2, 2]
    assert "A violation needs at least 2 deviated steps." in run("summary", TWO).out
    story = result("summary", PRESS)["story"]
    assert story["deviated_steps"] == {"at_least": 1, "enough": 1}
