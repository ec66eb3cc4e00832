"""Budgets of deviated steps: known answers, and random problems by the definition."""

import json
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

import symrob
from symrob.api.certificates.answers import write_certificate
from symrob.api.functions import models_in_roles
from symrob.api.stages import analyse
from symrob.certify.check import ExplicitModes, ExplicitTransitions, verify
from symrob.limits import Clock
from symrob.lts import Lts, Network
from symrob.options import Options
from symrob.problem import FaultMode
from tests.agreement.test_mode_parts import parts_of_any_size
from tests.certificates.tools import verdict as checked
from tests.composed import fault_modes, network, random_composed, random_modes
from tests.generate import random_problem
from tests.oracles import budgets as oracle
from tests.strength import examples

DATA = Path(__file__).parents[1] / "data/budgets.jsonl"
VERDICTS = {
    (True, True): "tolerated",
    (True, False): "hazardous",
    (False, False): "excluded-unsafe",
    (False, True): "excluded-safe",
}
# The private character that counted actions have must never be seen.
MARK = "\ufdd0"


def known():
    return [json.loads(line) for line in DATA.read_text().splitlines()]


def parts(problem):
    """E, C, P and P_env as Python takes them."""
    systems = ([problem["environment"]], [problem["controller"]])
    roles = [Lts.from_dict(s[0]) for s in systems]
    rules = (problem["properties"], problem["env_constraints"])
    return (*roles, *([Lts.from_dict(m) for m in each] for each in rules))


@pytest.mark.parametrize("budget", ["1", "2", "3", "None"])
def test_known_answers(budget):
    most = None if budget == "None" else int(budget)
    for problem in known():
        want = problem["delta_new"][budget]
        envelope = symrob.compute(*parts(problem), at_most=most)
        found = {frozenset(map(tuple, d.new)) for d in envelope}
        assert found == {frozenset(map(tuple, d)) for d in want}, problem["id"]


def test_a_large_budget_is_none():
    for problem in known()[::6]:
        want = {*map(frozenset, symrob.compute(*parts(problem)))}
        found = symrob.compute(*parts(problem), at_most=25)
        assert {*map(frozenset, found)} == want, problem["id"]


def test_what_c_hides_is_no_step_of_the_environment():
    """Also where it has the name of one: C's own move pays nothing, and E's does."""
    environment = Lts(["b"], 1, [])
    hiding = Network([Lts(["b"], 2, [(0, "b", 1), (1, "b", 0)])], hidden={"b"})
    once = Lts(["b"], 2, [(0, "b", 1)])
    for most, count in ((1, 1), (2, 0)):
        envelope = symrob.compute(environment, hiding, [once], at_most=most)
        assert [len(d.new) for d in envelope] == [count]


def drawn(seed):
    """A composed problem with modes and budgets; None where its plan is unsafe."""
    rng = Random(seed)
    problem = random_composed(rng)
    if problem is None:
        return None
    held = random_modes(rng, problem, most=4)
    run = rng.choice((None, 0, 1, 1, 2, 3))
    at_most = {name: rng.choice((None, None, 0, 1, 1, 2)) for name in held}
    return problem, held, run, at_most


def asked(path, *problem, **options):
    """The envelope; its certificate is written, and checked, where E is one."""
    roles = models_in_roles(*problem, **options)
    envelope = analyse(roles, Options())
    path.write_text("")
    if envelope.space.whole is not None:
        write_certificate(str(path), roles, envelope)
        assert checked(path) == "right"
    return envelope


def verified(envelope, judged):
    """`verify` accepts what is right, and finds what is too small or too large."""
    if envelope.space.whole is None:
        return
    problem, right = envelope.space.whole.problem, oracle.maximal(judged)

    def faults(claimed):
        space = ExplicitModes([problem], problem.units)
        return verify(space, claimed, Clock(), complete=True).faults

    assert not faults([sorted(names) for names in right])
    broken, hurt = ExplicitModes([problem], problem.units).alone(Clock())
    for m, mode in enumerate(problem.units.modes):
        assert judged[frozenset([mode.name])] == (m not in broken, m not in hurt)
    for names in right:
        others = [sorted(other) for other in right - {names}]
        for name in names:
            assert faults([*others, sorted(names - {name})])
        for name in {*problem.units.numbers} - names:
            kinds = {f.kind for f in faults([*others, sorted(names | {name})])}
            assert "unsafe" in kinds


def check(problem, held, run, at_most, path):
    """All answers about the sets of modes, by trying each of them."""
    judged = oracle.every_verdict(problem, held, run, at_most)
    roles = [network(problem), Lts.from_dict(problem["controller"])]
    roles += [
        [Lts.from_dict(m) for m in problem[k]]
        for k in ("properties", "env_constraints")
    ]
    modes = [replace(m, at_most=at_most[m.name]) for m in fault_modes(held)]
    envelope = asked(path, *roles, faults=modes, only=True, at_most=run)
    assert {frozenset(d.modes) for d in envelope} == oracle.maximal(judged)
    verified(envelope, judged)
    cuts = [c for c in envelope.cuts() if c.verdict == "hazardous"]
    assert {frozenset(c.modes) for c in cuts} == oracle.minimal_hazardous(judged)
    for cut in cuts:
        needs = next(
            n
            for n in range(1, 20)
            if not oracle.verdict(problem, held, cut.modes, n, at_most)[1]
        )
        assert cut.deviated_steps == (None if envelope.space.slow else needs)
        added = sum(step.added for step in cut.trace.steps)
        assert needs <= added <= (added if run is None else run)
    for chosen, verdict in list(judged.items())[:6]:
        found = envelope.explain(sorted(chosen))
        assert found.verdict == VERDICTS[verdict], (chosen, verdict)
    assert MARK not in path.read_text() + str(envelope) + str(envelope.cuts())
    return envelope.space


@pytest.mark.parametrize("first", range(0, examples(120, 2_400), 60))
def test_modes_of_components(first, tmp_path):
    for seed in range(first, first + 60):
        if (case := drawn(seed)) is not None:
            check(*case, tmp_path / "certificate")


def test_no_component_that_counts_stays_in_bits(tmp_path):
    found = set()
    with parts_of_any_size(coupled=True):
        for seed in range(300, 360):
            if (case := drawn(seed)) is None:
                continue
            problem, held, run, at_most = case
            if seed % 2:
                run, at_most = None, dict.fromkeys(held)
            space = check(problem, held, run, at_most, tmp_path / "certificate")
            found.add((space.slow, {run, *at_most.values()} <= {None}))
    assert found - {(False, True)} == {(False, False), (True, True)}


def test_transitions_by_the_definition(tmp_path):
    """Each candidate is a mode of the oracle."""
    for seed in range(60):
        rng = Random(seed)
        problem = random_problem(rng, machine=3)
        environment, controller, properties, constraints = problem
        simple = len(controller.components) == 1 and not controller.hidden
        if not simple or not all(m.deterministic for m in (*properties, *constraints)):
            continue
        planned = {tuple(t) for t in environment.transitions}
        free = [
            (q, a, r)
            for q in range(environment.size)
            for a in environment.alphabet
            for r in range(environment.size)
            if (q, a, r) not in planned
        ]
        held = {json.dumps(t): [(0, *t)] for t in free[:7]}
        told = {
            "components": [environment.to_dict()],
            "controller": controller.components[0].to_dict(),
            "properties": [m.to_dict() for m in properties],
            "env_constraints": [m.to_dict() for m in constraints],
        }
        if oracle.verdict(told, {}, (), None, {}) != (True, True):
            continue
        run = rng.choice((0, 1, 1, 2, 3))
        judged = oracle.every_verdict(told, held, run, {})
        among = [f"{q},{a},{r}" for q, a, r in free[:7]]
        if not among:
            continue
        envelope = asked(tmp_path / "c", *problem, among=among, at_most=run)
        posed = envelope.engine.problem
        claimed = [frozenset(d) for d in envelope]
        done = verify(ExplicitTransitions(posed), claimed, Clock(), complete=True)
        assert done.correct
        broken, hurt = ExplicitTransitions(posed).alone(Clock())
        for t in posed.candidates:
            alone = judged[frozenset([json.dumps(t)])]
            assert alone == (t not in broken, t not in hurt)
        for d in claimed:
            for t in d - posed.environment.visible_transitions:
                space = ExplicitTransitions(posed)
                assert not verify(space, [d - {t}], Clock()).correct
            for t in {*posed.candidates} - d:
                space = ExplicitTransitions(posed)
                (fault,) = verify(space, [d | {t}], Clock()).faults
                steps = fault.trace.steps
                assert 0 < sum(step.added for step in steps) <= run
        names = {frozenset(json.dumps(t) for t in d.new) for d in envelope}
        assert names == oracle.maximal(judged), seed
        cuts = [c for c in envelope.cuts() if c.verdict == "hazardous"]
        found = {frozenset(json.dumps(t) for t in c.transitions) for c in cuts}
        assert found == oracle.minimal_hazardous(judged), seed
        assert all(c.deviated_steps <= run for c in cuts)
        assert MARK not in str(envelope.summary()) + str(envelope)


def test_whole_modes_that_overlap(tmp_path):
    """Modes of a flat E that share a transition: it pays for whichever leaves more."""
    environment = Lts(["a", "b"], 2, [(0, "a", 1), (1, "a", 0)])
    controller = Lts(["a", "b"], 1, [(0, "a", 0), (0, "b", 0)])
    # Two steps `b` are too many.
    rule = Lts(["b"], 2, [(0, "b", 1)])
    loop = (0, "b", 0)
    modes = [
        FaultMode("once", frozenset({loop}), at_most=1),
        FaultMode("none", frozenset({loop}), at_most=0),
        FaultMode("again", frozenset({loop}), at_most=1),
    ]
    problem = environment, controller, rule
    envelope = asked(tmp_path / "c", *problem, faults=modes, only=True)
    assert {d.modes for d in envelope} == {("none", "once"), ("again", "none")}
    (cut,) = envelope.cuts()
    assert (cut.modes, cut.deviated_steps) == (("again", "once"), 2)


def test_what_never_fires_depends_on_the_modes(tmp_path):
    """Two modes with the same transitions: with one step only the first can fire."""
    environment = Lts(["a", "b", "c"], 1, [(0, "a", 0)])
    steps = [(0, "b", 1), (1, "c", 2), (2, "b", 3)]
    controller = Lts(["a", "b", "c"], 4, [*steps, *((q, "a", q) for q in range(4))])
    rule = Lts(["b", "c"], 3, steps[:2])
    b, c = (symrob.Transition(0, action, 0) for action in "bc")
    modes = [
        FaultMode(n, frozenset({b, c}), at_most=m) for n, m in (("i", 1), ("j", 2))
    ]
    problem = environment, controller, rule
    envelope = asked(tmp_path / "c", *problem, faults=modes, only=True)
    found = {d.modes: envelope.never_firing(d) for d in envelope}
    assert found == {("i",): {c}, ("j",): frozenset()}


def test_risk_and_parts_heed_budgets(tmp_path):
    """A hazard that needs two steps of one mode has no probability with one."""
    environment = Lts(["a", "b"], 2, [(0, "a", 1), (1, "a", 0)])
    controller = Lts(["a", "b"], 1, [(0, "a", 0), (0, "b", 0)])
    rule = Lts(["b"], 2, [(0, "b", 1)])
    for at_most, run, high in ((None, None, 0.5), (1, None, 0), (2, 1, 0), (2, 2, 0.5)):
        loop = frozenset({symrob.Transition(0, "b", 0)})
        mode = FaultMode("m", loop, at_most=at_most)
        envelope = symrob.compute(
            environment, controller, rule, faults=[mode], only=True, at_most=run
        )
        low, top = envelope.risk({"m": 0.5}).bounds
        assert (float(low), float(top)) == (high, high)
