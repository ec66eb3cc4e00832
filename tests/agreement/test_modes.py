"""Δ over fault modes against trying all sets of them, composed anew for each."""

import json
from collections import Counter
from itertools import combinations
from pathlib import Path

import pytest
from hypothesis import assume, given, settings

import symrob
from symrob.analyses.explain import explain
from symrob.analyses.fault_mode_space import FaultModeSpace
from symrob.analyses.holding import held
from symrob.lts import Lts, Network
from symrob.problem import FaultMode
from tests.composed import fault_modes, lacking, network, random_composed, random_modes
from tests.generate import TINY, random_problem
from tests.oracles import modes as oracle
from tests.strategies import rngs

REFERENCE = Path(__file__).parents[1] / "data" / "modes.jsonl"
VERDICTS = {
    (True, True): "tolerated",
    (True, False): "hazardous",
    (False, False): "excluded-unsafe",
    (False, True): "excluded-safe",
}
GRAVITY = ("tolerated", "excluded-safe", "excluded-unsafe", "hazardous")


def solve(problem, **asked):
    read = Lts.from_dict
    return symrob.compute(
        network({"hidden": [], **problem}),
        read(problem["controller"]),
        list(map(read, problem["properties"])),
        list(map(read, problem["env_constraints"])),
        **asked,
    )


def sets(envelope):
    found = [frozenset(d.modes) for d in envelope]
    assert envelope.status == "complete"
    assert len(found) == len(set(found))
    return set(found)


def minimal_hazardous(verdicts):
    """The minimal hazardous sets, by the verdict of every set."""
    bad = [s for s, judged in verdicts.items() if judged == (True, False)]
    return {s for s in bad if not any(other < s for other in bad)}


@given(rngs())
def test_declared_modes_of_components(rng):
    problem = random_composed(rng)
    assume(problem is not None)
    modes = random_modes(rng, problem)
    want, verdicts = oracle.every_maximal(problem, modes)
    declared = {"faults": fault_modes(modes), "only": True}
    envelope = solve(problem, **declared)
    assert sets(envelope) == want
    assert sets(solve(problem, algorithm="brute-force", **declared)) == want
    asked = FaultModeSpace([envelope.engine])
    judged = asked.alone().by_verdict()
    units = envelope.engine.problem.units
    for name in modes:
        (said,) = [v for v, chosen in judged.items() if name in chosen]
        assert said == VERDICTS[verdicts[frozenset({name})]]
    gravest = {}
    for mode in units.modes:
        verdict = VERDICTS[verdicts[frozenset({mode.name})]]
        for t in asked.added(frozenset({mode.name})):
            gravest[t] = max(gravest.get(t, "tolerated"), verdict, key=GRAVITY.index)
    drawn = {}
    for verdict in GRAVITY:
        drawn |= dict.fromkeys(asked.brought(judged[verdict]), verdict)
    assert drawn == gravest
    cuts = [c for c in envelope.cuts() if c.verdict == "hazardous"]
    assert [len(c) for c in cuts] == sorted(len(c) for c in cuts)
    found = [frozenset(c.modes) for c in cuts]
    assert Counter(found) == Counter(minimal_hazardous(verdicts))
    for cut in cuts:
        assert cut.trace.steps or cut.trace.violated


@settings(max_examples=60)
@given(rngs())
def test_explanations_of_modes(rng):
    problem = random_composed(rng)
    assume(problem is not None)
    modes = random_modes(rng, problem, most=4)
    want, verdicts = oracle.every_maximal(problem, modes)
    engine = solve(problem, faults=fault_modes(modes), only=True).engine
    for size in range(len(modes) + 1):
        for asked in map(frozenset, combinations(modes, size)):
            explained = explain(FaultModeSpace([engine]), asked, deviations=99)
            assert explained.verdict == VERDICTS[verdicts[asked]]
            if explained.tolerated:
                assert {frozenset(s.modes) for s in explained.deviations} == {
                    s for s in want if asked <= s
                }
                assert set(explained.addable) == {
                    m
                    for m in set(modes) - asked
                    if verdicts[asked | {m}] == (True, True)
                }
            else:
                part = frozenset(explained.cut.modes)
                assert part <= asked
                assert verdicts[part] != (True, True)
                assert explained.violations
    summary = FaultModeSpace([engine]).summarised()
    assert set(summary.always) == frozenset(modes).intersection(*want)
    assert summary.sets == len(want)


@settings(max_examples=60)
@given(rngs())
def test_by_component_is_each_transition_that_one_lacks(rng):
    problem = random_composed(rng, states=2)
    assume(problem is not None)
    free = lacking(problem)
    assume(1 <= len(free) <= 8)
    want, _ = oracle.every_maximal(problem, {str(t): [t] for t in free})
    envelope = solve(problem, by="component")
    units = envelope.engine.problem.units
    of = {mode.name: str(tuple(min(mode.local))) for mode in units.modes}
    found = {frozenset(of[n] for n in s) for s in sets(envelope)}
    assert found == want


@settings(max_examples=80)
@given(rngs())
def test_sets_of_transitions_by_every_algorithm(rng):
    """Modes of a plain E, against the deviations over single transitions."""
    problem = random_problem(rng, shapes=TINY)
    environment = problem[0]
    try:
        delta = [frozenset(d.new) for d in symrob.compute(*problem)]
    except symrob.NominalViolation:
        assume(False)
    planned = sorted(environment.visible_transitions)
    free = sorted({t for q in [environment] for t in candidates(q)} - set(planned))
    modes = []
    for number in range(rng.randint(1, 5)):
        held = set(rng.sample(free, min(len(free), rng.choice((0, 1, 2, 3)))))
        if planned and rng.random() < 0.2:
            held.add(rng.choice(planned))
        modes.append(FaultMode(f"m{number}", frozenset(held)))
    kept = {
        frozenset(m.name for m in modes if m.transitions - set(planned) <= d)
        for d in delta
    }
    want = {s for s in kept if not any(s < other for other in kept)}
    for algorithm in ("maximal", "connected", "brute-force"):
        declared = {"faults": modes, "only": True, "algorithm": algorithm}
        assert sets(symrob.compute(*problem, **declared)) == want
    # Beside them the others stay, each by itself.
    beside = sets(symrob.compute(*problem, faults=modes))
    held = set().union(*(m.transitions for m in modes))
    rest = [FaultMode(f"rest {t}", frozenset([t])) for t in free if t not in held]
    same = sets(symrob.compute(*problem, faults=[*modes, *rest], only=True))
    assert sorted(map(len, beside)) == sorted(map(len, same))


def candidates(environment):
    states = range(environment.size)
    return {
        symrob.Transition(q, a, r)
        for q in states
        for a in environment.alphabet
        for r in states
    }


@settings(max_examples=80)
@given(rngs())
def test_k_is_delta_restricted(rng):
    problem = random_problem(rng, shapes=TINY)
    environment = problem[0]
    try:
        delta = [frozenset(d.new) for d in symrob.compute(*problem)]
    except symrob.NominalViolation:
        assume(False)
    free = sorted(candidates(environment) - environment.visible_transitions)
    assume(free)
    among = rng.sample(free, rng.randint(1, len(free)))
    texts = [f"{q},{a},{r}" for q, a, r in among]
    kept = {d & set(among) for d in delta}
    want = {s for s in kept if not any(s < other for other in kept)}
    for algorithm in ("maximal", "connected", "brute-force"):
        found = symrob.compute(*problem, among=texts, algorithm=algorithm)
        assert {frozenset(d.new) for d in found} == want
    others = [t for t in free if t not in among]
    if others:
        texts = [f"{q},{a},{r}" for q, a, r in others]
        assert {
            frozenset(d.new) for d in symrob.compute(*problem, not_among=texts)
        } == want


def reference():
    return [json.loads(line) for line in REFERENCE.read_text("utf-8").splitlines()]


@pytest.mark.parametrize("start", range(0, 150, 50))
def test_reference_problems_by_component(start):
    read = Lts.from_dict
    for entry in reference()[start : start + 50]:
        problem = (
            Network([read(c) for c in entry["environment_components"]]),
            read(entry["controller"]),
            [read(p) for p in entry["properties"]],
            [read(p) for p in entry.get("env_constraints", ())],
        )
        if entry["delta_modes"] is None:
            with pytest.raises(symrob.NominalViolation):
                symrob.compute(*problem, by="component")
            continue
        envelope = symrob.compute(*problem, by="component")
        units = envelope.engine.problem.units
        assert len(units) == entry["modes"]
        of = {mode.name: tuple(min(mode.local)) for mode in units.modes}
        found = {frozenset(of[n] for n in s) for s in sets(envelope)}
        assert found == {frozenset(map(tuple, s)) for s in entry["delta_modes"]}


def test_a_step_that_needs_two_modes_is_held_by_both():
    parts = [Lts("ab", 1, [(0, "b", 0)]), Lts("ab", 1, [(0, "b", 0)])]
    network = Network(parts, component_names=["x", "y"])
    free = Lts("ab", 1, [(0, "a", 0), (0, "b", 0)])
    faults = {f"{name} takes it": f"{name}:0,a,0" for name in "xy"}
    found = symrob.compute(network, free, free, faults=faults, only=True)
    told = held(found.space.about, ["*,a,*"], limit=9)
    assert told.by == {"(0, 0),a,(0, 0)": ("x takes it", "y takes it")}
    told = held(found.space.about, ["y:0,a,0"], limit=9)
    assert told.units == {"y takes it"}
