"""A slip in one model changed the answer, and nobody said so."""

import json

import pytest

from symrob import Lts, Network
from symrob.problem.warnings import Role, alphabet_doubts
from tests.cli.calls import case_text
from tests.cli.tools import run
from tests.models.tools import CASES, MODELS
from tests.schemas import validate

E = "E = (go -> stop -> E)."
C = "C = (go -> run -> stop -> C)."
P = "property P = (run -> stop -> P)."


@pytest.fixture
def case(tmp_path):
    """A case of three models, some of them changed, and more lines of the file."""

    def make(environment=E, controller=C, prop=P, more=""):
        for name, text in zip("ecp", (environment, controller, prop), strict=True):
            (tmp_path / f"{name}.lts").write_text(text, encoding="utf-8")
        path = tmp_path / "case.toml"
        path.write_text(case_text("e.lts", "c.lts", "p.lts") + more, encoding="utf-8")
        return path

    return make


def commands(case, tmp_path):
    """Every command that reads a case."""
    policy = tmp_path / "policy.toml"
    policy.write_text("resilience = 1\nvacuous = true\n", encoding="utf-8")
    result = tmp_path / "result.json"
    result.write_text(run("compute", case, "--format", "json").out, encoding="utf-8")
    yield from [(c, case) for c in ("compute", "check", "summary", "cuts", "draw")]
    yield "explain", case, "--transition", "0,go,0"
    yield "compare", case, case
    yield "draw", case, "--compare", case
    yield "gate", policy, case
    yield "verify", result, case
    yield "lint", case


def test_every_command_warns_and_with_strict_fails(case, tmp_path):
    path = case(prop="property P = (run -> stop -> P) + {rn}.")
    for args in commands(path, tmp_path):
        done = run(*args)
        assert done.code in (0, 4), args
        said = done.out if args[0] == "lint" else done.err
        assert "neither E nor C has; they never happen: rn" in said, args
        assert run(*args, "--strict").code == 2, args
    rows = tmp_path / "rows.jsonl"
    assert run("batch", path, "--out", rows, "--strict").code == 2
    path = case()
    for args in commands(path, tmp_path):
        done = run(*args, "--strict")
        assert (done.code, done.err) == (0, ""), args


@pytest.mark.parametrize(
    ("changed", "said", "hint"),
    [
        ({"controller": "C = (go -> run -> halt -> stop -> C)."}, "halt", "one_sided"),
        ({"environment": "E = (go -> wait -> stop -> E)."}, "wait", "one_sided"),
        # A slip beside the right name, in E and in C.
        (
            {"controller": "C = (go -> run -> stop -> stopp -> C)."},
            "stopp",
            "did you mean 'stop', as in e.lts?",
        ),
        (
            {"environment": "E = (go -> goo -> stop -> E)."},
            "goo",
            "did you mean 'go', as in c.lts?",
        ),
        (
            {"prop": "property P = (run -> stop -> P | stpo -> P)."},
            "stpo",
            "did you mean 'stop' for 'stpo'?",
        ),
    ],
)
def test_an_action_that_one_model_has_alone(case, changed, said, hint):
    done = run("check", case(**changed))
    assert done.code == 0
    first, second = done.err.splitlines()[:2]
    assert said in first
    assert hint in second
    # Two warnings at most: a slip is not told from both ends.
    assert done.err.count("warning:") == 1


def test_what_is_meant_is_declared(case):
    controller = "C = (go -> tick[1] -> run -> tick[2] -> stop -> C)."
    done = run("check", case(controller=controller, more='one_sided = ["tick.*"]\n'))
    assert (done.code, done.err) == (0, "")
    done = run("check", case(controller=controller, more='one_sided = ["tock*"]\n'))
    assert "no model has an action 'tock*'" in done.err
    assert "hint: the actions: go, run, stop, tick.1, tick.2\n" in done.err
    assert "tick.1, tick.2" in done.err


def test_shipped_cases_are_silent():
    for path in CASES:
        assert run("check", MODELS / path, "--strict").err == "", path


def test_what_components_share_is_their_own_affair():
    """Names that differ in numbers only are no slips; hidden actions are nobody's."""
    lts = lambda *actions: Lts(actions, 1, [(0, a, 0) for a in actions])  # noqa: E731

    machine = Network([lts("a", "in.1", "in.2"), lts("in.1", "in.2")])
    shared = alphabet_doubts(Role(lts("a"), "E"), Role(machine, "C"), [], [])
    assert list(shared) == []
    machine = Network([lts("a", "in.1"), lts("a", "secret")], hidden=["secret"])
    prop = Role(lts("in.2", "a"), "P")
    (one, two) = alphabet_doubts(Role(lts("a"), "E"), Role(machine, "C"), [prop], [])
    assert "never happen: in.2" in one.message
    assert one.hint is None
    assert two.message.endswith(": in.1")


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        # C has the action and never takes it.
        (
            {
                "controller": "C = (go -> stop -> C) + {run}.",
                "prop": "property P = STOP + {run}.",
            },
            "property p.lts cannot be violated: these actions cannot happen: run",
        ),
        (
            {"prop": "property P = (run -> P | stop -> P | go -> P)."},
            "property p.lts cannot be violated: it allows every possible trace",
        ),
    ],
)
def test_a_property_that_nothing_violates(case, changed, said):
    assert said in run("check", case(**changed)).err


def test_a_nominal_violation_tells_what_e_may_lack(case):
    """An action that was forgotten in E: C takes it alone."""
    path = case(environment="E = (go -> E).")
    done = run("check", path)
    assert done.code == 0
    path = case("E = (go -> E).", C, "property P = STOP + {stop}.")
    done = run("check", path)
    assert done.code == 1
    assert "only c.lts has these actions" in done.err  # Before the violation.
    assert "C performs these actions without E: run, stop" in done.err
    assert [line.split()[:3] for line in done.err.splitlines()[-5:-2]] == [
        ["1", "e+c", "go"],
        ["2", "c", "run"],
        ["3", "c", "stop"],
    ]
    meant = case(
        "E = (go -> E).", C, "property P = STOP + {stop}.", 'one_sided = ["*"]\n'
    )
    assert "C performs these actions without E" not in run("check", meant).err


@pytest.mark.parametrize("output", ["json", "jsonl"])
def test_an_unsafe_plan_is_told_as_json(case, tmp_path, output):
    path = case("E = (go -> E).", C, "property P = STOP + {stop}.")
    policy = tmp_path / "policy.toml"
    policy.write_text("resilience = 1\n", encoding="utf-8")
    calls = [("compute", path), ("cuts", path)]
    if output == "json":
        calls += [("check", path), ("summary", path), ("gate", policy, path)]
        calls += [("compare", path, path), ("explain", path, "--transition", "0,go,0")]
    for args in calls:
        done = run(*args, "--format", output)
        assert done.code == 1
        told = json.loads(done.out)
        validate(told, "check")
        assert not told["safe"]
        assert [s["who"] for s in told["trace"]["steps"]] == ["both", "C", "C"]
        assert told["warnings"][0]["code"] == "problem-one-sided"
        assert told["title"].startswith("case.toml")


def test_check_as_json(case):
    told = json.loads(run("check", case(), "--format", "json").out)
    validate(told, "check")
    assert (told["safe"], told["trace"], told["warnings"]) == (True, None, [])


@pytest.mark.parametrize(
    ("rule", "reason"),
    [
        (
            '[[tolerates]]\ntransitions = ["0,go,1"]',
            "E already has all these transitions",
        ),
        # No run of E and C comes to a state in which C offers it.
        ('[[tolerates]]\ntransitions = ["0,stop,1"]', "none of these transitions"),
        (
            '[[tolerates]]\ntransitions = ["0,stop,*"]\nadded = "each"',
            "none of these transitions",
        ),
    ],
)
def test_a_rule_that_says_nothing_fails(case, tmp_path, rule, reason):
    policy = tmp_path / "policy.toml"
    policy.write_text(rule, encoding="utf-8")
    done = run("gate", policy, case())
    assert done.code == 4
    assert f"vacuous: {reason}" in done.out
    policy.write_text(f"{rule}\nvacuous = true\n", encoding="utf-8")
    assert run("gate", policy, case()).code == 0
    policy.write_text(f"vacuous = true\n{rule}\n", encoding="utf-8")
    assert run("gate", policy, case()).code == 0


def test_a_gate_whose_property_has_a_slip(case, tmp_path):
    policy = tmp_path / "policy.toml"
    policy.write_text("resilience = 2\n", encoding="utf-8")
    done = run("gate", policy, case(prop="property P = (rn -> stop -> P | stop -> P)."))
    assert done.code == 4
    assert "never happen: rn" in done.out
    assert run("gate", policy, case()).code == 0


def test_a_baseline_that_tolerates_nothing(case, tmp_path):
    path = case()
    result = json.loads(run("compute", path, "--format", "json").out)
    result["delta"] = [result["environment"]["transitions"]]
    (tmp_path / "base.json").write_text(json.dumps(result), encoding="utf-8")
    policy = tmp_path / "policy.toml"
    policy.write_text('[[as_robust_as]]\nbaseline = "base.json"\n', encoding="utf-8")
    done = run("gate", policy, path)
    assert done.code == 4
    assert "the baseline tolerates no transition that E lacks" in done.out
