"""`[[risk]]` and `[[assumptions]]` by the definition, and end to end."""

import json
import re
from itertools import combinations
from random import Random
from xml.etree import ElementTree

import pytest

from symrob.analyses.candidate_space import CandidateSpace
from symrob.api import stages
from symrob.errors import SymrobError
from symrob.gate.assumptions import WithoutAssumptions
from symrob.gate.judge import ask, judge
from symrob.gate.policy import load_policy
from symrob.gate.risk import RiskRule
from symrob.gate.rule import GateGround, Policy
from symrob.lts import Transition
from tests.cli.tools import ROOT, run
from tests.engines import engine_if_safe, engine_of
from tests.generate import random_monitor, random_problem
from tests.oracles import definition
from tests.risk.test_assessment import assessed, by_definition, random_events
from tests.schemas import validate


def rulings(space, *rules, assess=None):
    policy = Policy("p.toml", "gate", None, rules)
    events = None if assess is None else lambda _path: assess
    return [*judge(ask(policy, GateGround(space, None, events)), space)]


def sets_of(environment):
    new = [Transition(*t) for t in definition.candidates(environment)]
    for size in range(len(new) + 1):
        yield from map(frozenset, combinations(new, size))


@pytest.mark.parametrize("seed", range(2))
def test_safety_without_some_assumptions(seed):
    """All sets of candidates are tried, with each choice of what is assumed."""
    rng, met, count = Random(seed), set(), 0
    while count < 60:
        environment, controller, properties, _ = random_problem(rng)
        if not 2 <= len(definition.candidates(environment)) <= 6:
            continue
        rules = [
            random_monitor(rng, environment.alphabet, 2, 0.25)
            for _ in range(rng.randint(1, 3))
        ]
        problem = (environment, controller, properties, rules)
        if definition.delta(*problem) is None:
            continue
        count += 1
        gone = frozenset(n for n in range(len(rules)) if rng.random() < 0.5)
        names = tuple(f"constraint {n + 1}" for n in sorted(gone))
        left = [rule for n, rule in enumerate(rules) if n not in gone]

        def unsafe(added, assumed, problem=problem):
            return definition.verdict((*problem[:3], assumed), added) == "hazardous"

        hazards = [s for s in sets_of(environment) if unsafe(s, left)]
        bare = any(unsafe(s, []) for s in sets_of(environment))
        (found,) = rulings(
            CandidateSpace(engine_of(problem)),
            WithoutAssumptions("r", names, vacuous=True),
        )
        assert (found.answer == "holds") == (not hazards)
        assert found.by_assumptions == (not hazards and bare)
        met.add((found.answer, found.by_assumptions, bool(gone)))
        if hazards:
            assert frozenset(found.units) in hazards
            assert len(found.units) == min(map(len, hazards))
            length = definition.violation(
                environment, found.units, controller, properties
            )
            assert len(found.trace.steps) == length
    assert {m[:2] for m in met if m[2]} == {
        *(("fails", False), ("holds", False), ("holds", True))
    }


@pytest.mark.parametrize("modes", [False, True])
def test_probabilities_beside_their_targets(modes):
    rng, met = Random(40 + modes), set()
    for number in range(200):
        problem = random_problem(rng, constrained=0.9)
        engine = engine_if_safe(problem)
        if engine is None or not (problem[3] or number % 5):
            continue
        events = random_events(rng, problem[0], modes)
        everything = frozenset().union(*(e.transitions for e in events))
        hurts = definition.violation(problem[0], everything, *problem[1:3])
        if hurts is None and number % 5:
            continue  # Most problems have no hazard at all.
        top, kept, given, _ = by_definition(problem, events)
        bare = float(by_definition((*problem[:3], ()), events)[0])

        def assess(constrained, engine=engine, events=events):
            return assessed(engine if constrained else engine.unconstrained, events)

        for reading, computed in (("ignored", float(top)), ("kept", float(given))):
            if reading == "kept" and not kept:
                continue
            most = rng.choice((0.0, computed / 2, (computed + bare) / 2, 0.5))
            if 0 < abs(most - computed) < 1e-9:
                continue
            rule = RiskRule("r", most, reading, partial=True, vacuous=True)
            (found,) = rulings(CandidateSpace(engine), rule, assess=assess)
            assert found.target.lower == pytest.approx(computed)
            assert found.target.upper == found.target.lower
            assert (found.answer == "holds") == (computed <= most)
            assert found.by_assumptions == (computed <= most < bare)
            met.add((reading, found.answer, found.by_assumptions))
            if found.answer == "fails" and not modes:
                assert definition.verdict(problem, found.units) == "hazardous"
                assert len(found.trace.steps) == definition.violation(
                    problem[0], found.units, *problem[1:3]
                )
    for reading in ("kept", "ignored"):
        assert {m[1:] for m in met if m[0] == reading} == {
            *(("fails", False), ("holds", False), ("holds", True))
        }


def gate(tmp_path, case, rules, *args):
    path = tmp_path / "policy.toml"
    path.write_text(f'case = "{ROOT}/models/{case}.toml"\n{rules}', encoding="utf-8")
    return run("gate", path, "--allow-outside", *args)


CHANNELS = f'probability = "{ROOT}/docs/risk/channels.toml"\n'
PUMP = f'probability = "{ROOT}/docs/risk/pump.toml"\n'
RISKS = f"[[risk]]\nat_most = 1e-2\n{CHANNELS}[[risk]]\nat_most = 1e-3\n{CHANNELS}"


def test_a_risk_that_holds_and_one_that_fails(tmp_path):
    done = gate(tmp_path, "abp/abp", RISKS)
    assert done.code == 4
    told = "0.004191 (target: at most {}): probability that the possible events"
    assert f"ok       risk of at most 0.01: {told.format('0.01')}" in done.out
    assert f"FAILS    risk of at most 0.001: {told.format('0.001')}" in done.out
    worst = "the most probable hazardous set has probability 0.001998, 47.7% of the"
    assert worst in done.out
    assert "a message with bit 1 arrives (added)" in done.out
    result = json.loads(gate(tmp_path, "abp/abp", RISKS, "--format", "json").out)
    validate(result, "gate")
    first, second = result["rules"]
    assert first["target"]["at_most"] == 0.01
    assert (
        first["target"]["lower"]
        == first["target"]["upper"]
        == (pytest.approx(0.004191, rel=1e-3))
    )
    assert second["units"] == ["messages.corruption"]
    report = gate(tmp_path, "abp/abp", RISKS, "--format", "markdown").out
    assert "**2 rules: 1 held, 1 failed**" in report
    assert re.search(r"\| ok \|.*\| at most 0.01 \| 0.004191 \|\n", report)
    assert "\n## FAILS: risk of at most 0.001\n" in report
    assert "    messages.corruption\n    A shortest trace to the violation:\n" in report
    report = gate(tmp_path, "abp/abp", RISKS, "--format", "junit").out
    (_, failed) = ElementTree.fromstring(report).find("testsuite")
    assert "target: at most 0.001" in failed[0].get("message")


def test_what_has_no_probability_is_not_passed_over(tmp_path):
    rule = f"[[risk]]\nat_most = 0.5\nwithout_constraints = true\n{PUMP}"
    done = gate(tmp_path, "pca_pump/pca_pump", rule)
    assert done.code == 3
    assert "of the individually hazardous units, 18 have no probability" in done.out
    assert gate(tmp_path, "pca_pump/pca_pump", f"{rule}partial = true\n").code == 0
    # Within the assumptions none of them is; nor is anything else.
    done = gate(tmp_path, "pca_pump/pca_pump", f"[[risk]]\nat_most = 0\n{PUMP}")
    assert done.code == 0
    assert "0 (target: at most 0)" in done.out
    assert "only because of the assumptions: without them 0.02297" in done.out
    # A declared mode that is hazardous alone.
    table = tmp_path / "some.toml"
    table.write_text("[probability]\nmessages.loss = 0.5\n")
    rule = f'[[risk]]\nat_most = 0.1\nprobability = "{table}"\n'
    done = gate(tmp_path, "abp/abp", rule)
    assert done.code == 3
    assert "(messages.corruption, messages.spurious, acks.corruption" in done.out
    table.write_text("[probability]\nmessages.loss = 0\n")
    done = gate(tmp_path, "abp/abp", f"{rule}partial = true\n")
    assert done.code == 4
    assert "vacuous: no event has a probability above 0" in done.out


def test_assumptions_that_matter_and_one_that_does_not(tmp_path):
    rules = '[[assumptions]]\nwithout = ["{}"]\n'
    done = gate(tmp_path, "pca_pump/pca_pump", rules.format("order.lts#SESSION"))
    assert done.code == 0
    assert "no deviation violates a property and keeps the other assumption" in done.out
    assert "holds only because of the assumptions" in done.out
    done = gate(
        tmp_path, "pca_pump/pca_pump", rules.format('order.lts", "interface.lts')
    )
    assert done.code == 4
    assert "safe without order.lts, interface.lts: adding 1 transition" in done.out
    assert "medicine flows in line 1" in done.out
    rule = rules.format("order.lts#SESSION")
    bare = gate(tmp_path, "pca_pump/pca_pump", rule, "--without-constraints")
    assert bare.code == 4


@pytest.mark.parametrize(
    ("rules", "words"),
    [
        ("[[risk]]\nname = 'r'", "'risk.at_most' is missing"),
        ("[[risk]]\nat_most = 1", "at least 0, below 1"),
        ("[[risk]]\nat_most = true", "at least 0, below 1"),
        ("[[risk]]\nat_most = 0.1\nassumptions = 'kepd'", "'kept' or 'ignored'"),
        ("[[risk]]\nat_most = 0.1", "no probabilities are given"),
        ("[[risk]]\nat_most = 0.1\nprobability = 'none.toml'", "none.toml"),
        ("[[assumptions]]\nname = 'a'", "'assumptions.without' is missing"),
        ("[[assumptions]]\nwithout = 'a'", "a list of assumptions"),
        ("[[assumptions]]\nwithout = ['order.lts#SESION']", "order.lts#SESSION"),
        ("[[assumptions]]\nwithout = []\nwithout_constraints = true", "unknown key"),
    ],
)
def test_rules_that_mean_nothing(tmp_path, rules, words):
    done = gate(tmp_path, "pca_pump/pca_pump", rules)
    assert done.code == 2
    assert words in done.err
    assert "policy.toml:" in done.err or "pca_pump.toml" in done.err
    assert done.out == ""


def test_annotations_stand_at_the_lines_of_their_rules(tmp_path):
    policy = """case = "models/therac25/therac25.toml"

[[tolerates]]
name = "100 %, all: of them"
transitions = ["NO_MODE,e,NO_MODE"]

[[forbids]]
transitions = ["NO_MODE,e,NO_MODE"]
"""
    path = tmp_path / "p.toml"
    path.write_text(policy.replace("models", f"{ROOT}/models"), "utf-8")
    done = run("gate", str(path), "--format", "github", "--allow-outside")
    assert done.code == 4
    fails, holds, summary = done.out.splitlines()
    head = re.match(r"::error file=[^,]*p.toml,line=(\d+),title=([^:]*)::", fails)
    assert head.groups() == ("3", "100 %25%2C all%3A of them")
    assert "%0AA shortest trace to the violation%3A" not in fails
    assert "%0AA shortest trace to the violation:%0A" in fails
    assert re.match(r"::notice file=[^,]*p.toml,line=7,title=forbids", holds)
    assert summary.endswith("2 rules: 1 held, 1 failed")


def test_a_budget_of_deviated_steps(tmp_path):
    """Any single deviation of the two sensors is tolerated, and two are not."""
    policy = f'case = "{ROOT}/models/two_sensors/two_sensors.toml"\n'
    policy += "".join(f"[[budget]]\nat_most = {most}\n" for most in (1, 2))
    path = tmp_path / "p.toml"
    path.write_text(policy, "utf-8")
    done = run("gate", str(path), "--allow-outside", "--format", "json")
    assert done.code == 4
    holds, fails = json.loads(done.out)["rules"]
    assert (holds["answer"], fails["answer"]) == ("holds", "fails")
    assert fails["units"] == ["b_wrong", "rises_late"]
    assert sum(step["added"] for step in fails["trace"]["steps"]) == 2
    path.write_text("[[budget]]\nname = 'x'\n", "utf-8")
    with pytest.raises(SymrobError, match=r"'budget.at_most' is missing"):
        load_policy(str(path))


COMPONENTS = """
case = "{case}"
[[tolerates]]
transitions = ["messages:CHANNEL,messages.put.*,CHANNEL"]
[[forbids]]
transitions = ["acks:CHANNEL,acks.put.*,CHANNEL"]
added = "together"
[[tolerates]]
transitions = ["messages:FULL[0],messages.get.*,FULL[0]"]
added = "each"
"""


def test_rules_about_components_share_one_composition(tmp_path, monkeypatch):

    opened, open_space = [], stages.open_space

    def counted(*given):
        opened.append(given)
        return open_space(*given)

    monkeypatch.setattr(stages, "open_space", counted)
    case, policy = ROOT / "models/abp/abp.toml", tmp_path / "gate.toml"
    policy.write_text(COMPONENTS.format(case=case))
    asked = "gate", policy, "--allow-outside", "--format", "json"
    rules = json.loads(run(*asked).out)["rules"]
    # That of the case, and one for all rules.
    assert len(opened) == 2
    assert [rule["answer"] for rule in rules] == ["holds", "fails", "fails"]
    # A maximal set is of what the rule names, and not of what others do.
    together = {unit.partition(":")[0] for unit in rules[2]["together"]}
    assert together == {"acks"}
