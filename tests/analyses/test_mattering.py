"""Which assumptions matter: against the definition, all sets of candidates tried."""

import json
import os
from itertools import combinations
from random import Random

import pytest

from symrob.analyses.candidate_space import CandidateSpace
from symrob.analyses.fault_mode_space import FaultModeSpace
from symrob.analyses.mattering import Assumptions, mattering, mattering_soon
from symrob.api.stages import analyse
from symrob.case import load_case
from symrob.case.faults import Faults
from symrob.errors import NominalViolation
from symrob.limits import BUDGETS
from symrob.options import Options
from symrob.questions.session import Session
from tests.cli.tools import ROOT, run
from tests.engines import engine_if_safe, roles_of
from tests.generate import random_monitor, random_problem
from tests.oracles import definition, forbidden


def constrained_problem(rng):
    """A problem with one to three constraints that E keeps, or None."""
    environment, controller, properties, _ = random_problem(rng)
    one = [rng.choice(environment.alphabet)]
    rules = [
        random_monitor(rng, rng.choice((one, environment.alphabet)), 2, 0.25)
        for _ in range(rng.randint(1, 4))
    ]
    return environment, controller, properties, rules


def judged(problem, units):
    """For each set of units the constraints that it breaks; whether it is unsafe."""
    environment, controller, properties, rules = problem
    found = {}
    for size in range(len(units) + 1):
        for some in map(frozenset, combinations(sorted(units), size)):
            added = frozenset().union(*(units[name] for name in some))
            broken = frozenset(
                number
                for number, rule in enumerate(rules)
                if definition.violation(environment, added, None, [rule]) is not None
            )
            hurt = definition.violation(environment, added, controller, properties)
            found[some] = broken, hurt is not None
    return found


def check(problem, found, units, name_of=lambda unit: unit):
    """All that is said of the assumptions."""
    verdicts = judged(problem, units)
    count = len(problem[3])
    names = [f"constraint {number}" for number in range(1, count + 1)]
    assert [one.name for one in found.assumptions] == names
    assert found.status == "complete"

    def suffices(some):
        return not any(hurt and not broken & some for broken, hurt in verdicts.values())

    everything = range(count)
    minimal = forbidden.minimal(everything, suffices)
    assert found.suffices == bool(minimal)
    assert {frozenset(map(names.index, some)) for some in found.sufficient} == minimal
    for number, one in enumerate(found.assumptions):
        only = {s: v[1] for s, v in verdicts.items() if v[0] == {number}}
        alone = [hurt for some, hurt in only.items() if len(some) == 1]
        assert (one.effect, one.alone, one.unsafe) == (
            *(bool(only), len(alone)),
            sum(alone),
        )
        bad = {s for s, (_, hurt) in verdicts.items() if hurt}
        least = {s for s in bad if not any(o < s for o in bad)} & only.keys()
        shown = {frozenset(map(name_of, some)) for some in one.sets}
        if found.suffices:
            assert not shown
        elif len(least) <= 10:
            assert shown == least
        else:
            assert len(shown) == 10
            assert shown < least
    return minimal


def check_witnesses(problem, space):
    """What shows that no assumptions suffice is unsafe, and no part of it is."""
    known = Assumptions(space)
    environment, controller, properties, _ = problem
    found = known.unsafe_within(frozenset())
    if found is not None:
        parts = [found.units - {unit} for unit in found.units]
        unsafe = [
            definition.violation(environment, some, controller, properties) is not None
            for some in (found.units, *parts)
        ]
        assert unsafe == [True] + [False] * len(parts)


def test_of_candidates():
    seen = set()
    for seed in (*range(150), 758, 1001):
        problem = constrained_problem(Random(seed))
        engine = engine_if_safe(problem)
        candidates = definition.candidates(problem[0])
        if engine is None or len(candidates) > 8:
            continue
        units = {t: {t} for t in candidates}
        minimal = check(
            problem, mattering(CandidateSpace(engine), sets=True), units, tuple
        )
        check_witnesses(problem, CandidateSpace(engine))
        seen.add(tuple(sorted(map(len, minimal))))
    # None suffices; none is required; one, several, and sets of two do.
    assert {(), (0,), (1,), (1, 1), (2,), (2, 2)} <= seen


def test_of_fault_modes():
    tried = 0
    for seed in range(150):
        rng = Random(seed)
        problem = constrained_problem(rng)
        environment = problem[0]
        candidates = definition.candidates(environment)
        if not candidates:
            continue
        texts, units = {}, {}
        for number in range(rng.randint(1, 5)):
            held = rng.sample(candidates, min(len(candidates), rng.randint(1, 2)))
            texts[f"m{number}"] = tuple(f"{q},{a},{r}" for q, a, r in held)
            units[f"m{number}"] = set(held)
        roles = roles_of(problem)
        roles = type(roles)(
            *(roles.environment, roles.controller, roles.properties, roles.constraints),
            faults=Faults(texts, only=True),
        )
        try:
            space = analyse(roles, Options()).space
        except NominalViolation:
            continue
        assert isinstance(space, FaultModeSpace)
        tried += bool(check(problem, mattering(space, sets=True), units))
    assert tried >= 20


def test_in_the_time_that_there_is():
    """What is not known is said to be so, and ends nothing else."""
    for seed in range(60):
        engine = engine_if_safe(
            constrained_problem(Random(seed)), budgets={"assumptions": 1e-9}
        )
        if engine is None:
            continue
        found = mattering_soon(CandidateSpace(engine))
        assert found.status == "complete"
        assert "used" in found.reason
        assert found.suffices is None
        return
    pytest.fail("no safe problem")


def test_of_the_pump(monkeypatch):
    """The key lines of the summary, and all of it in `assume`."""
    monkeypatch.setitem(BUDGETS, "assumptions", 60.0)
    pump = ROOT / "models/pca_pump/pca_pump.toml"
    summary = run("summary", pump).out
    assert (
        "Sufficient assumptions: interface.lts#POWER and interface.lts#line.1"
        in summary
    )
    assert "; or 7 more" in " ".join(summary.split())
    told = " ".join(run("assume", pump).out.split())
    assert "The plan is safe: no transition has to be forbidden." in told
    assert "order.lts#SESSION and order.lts#LOCK_THE_UNIT" in told


@pytest.mark.skipif(
    os.environ.get("HYPOTHESIS_PROFILE") != "thorough", reason="takes ten seconds"
)
def test_of_eight_lines():
    """As with two: what line 2 does there, each line that is not watched does."""
    found = {}
    for lines in (2, 8):
        case = ROOT / f"models/pca_pump/pca_pump_{lines}.toml"
        space = Session({"": load_case(str(case))}, Options()).space
        known = mattering(space)
        assert known.status == "complete"
        found[lines] = {*known.sufficient}
    assert len(found[2]) == 12
    lines = [f"line.{number}:" for number in range(3, 9)]
    others = {
        tuple(name.replace("line.2:", other) for name in some)
        for some in found[2]
        for other in lines
    }
    assert {*map(frozenset, found[8])} == {*map(frozenset, found[2] | others)}


def test_a_sentence_that_ends_with_brackets_is_called_as_it_is_written():
    """Its brackets name no component of a file."""
    sentence = "b only while (E is CONFIRMED) or (E is TREATED)"
    folder = ROOT / "models/therac25"
    models = (
        "--env",
        folder / "nurse.lts",
        "--ctrl",
        f"{folder}/machines.lts#THERAC25",
    )
    rules = ("--prop", folder / "xflat.lts", "--env-prop", sentence)
    told = run("summary", *models, *rules, "--format", "json")
    assert told.code == 0, told.err
    (assumption,) = json.loads(told.out)["mattering"]["assumptions"]
    assert assumption["name"] == sentence
