"""The verdicts of a gate against Δ by the definition, on random problems."""

import json
from itertools import combinations
from random import Random

import pytest

from symrob.analyses.policy import ask, judge
from symrob.case.policy import AsRobustAs, Forbids, Policy, Resilience, Tolerates
from symrob.lts import Transition
from symrob.report.json import environment_dict
from tests.engines import engine_of
from tests.generate import random_problem
from tests.oracles import definition


def problems(seed, count):
    """Random problems whose nominal system is safe, with Δ by the definition."""
    rng = Random(seed)
    while count:
        problem = random_problem(rng)
        delta = definition.delta(*problem)
        if delta is not None:
            count -= 1
            yield rng, problem, delta


def verdicts(problem, *rules, others=()):
    engine = engine_of(problem)
    policy = Policy("p.toml", "gate", None, tuple(rules))
    asked = ask(policy, problem[0], dict(others))
    return [*judge(asked, engine)]


def text(transition):
    return ",".join(map(str, transition))


def is_broken_by(problem, added):
    """Length of a shortest run by which added transitions break the problem."""
    environment, controller, properties, constraints = problem
    runs = (
        definition.violation(environment, added, None, constraints),
        definition.violation(environment, added, controller, properties),
    )
    return min((r for r in runs if r is not None), default=None)


def check_broken(problem, verdict, within, smallest=True):
    """What a failed verdict shows really breaks the system, and nothing less."""
    added = frozenset(verdict.transitions)
    assert added <= within
    assert len(verdict.trace.steps) == is_broken_by(problem, added)
    assert {s.added for s in verdict.trace.steps} >= {True}
    if smallest:
        for part in combinations(sorted(within), len(added) - 1):
            assert is_broken_by(problem, part) is None


def subsets(transitions):
    """All sets of some transitions."""
    for size in range(len(transitions) + 1):
        yield from map(frozenset, combinations(sorted(transitions), size))


def some_of(rng, environment):
    everything = [
        Transition(q, a, r)
        for q in range(environment.size)
        for a in environment.alphabet
        for r in range(environment.size)
    ]
    return frozenset(rng.sample(everything, rng.randint(1, min(4, len(everything)))))


@pytest.mark.parametrize("seed", range(2))
def test_transitions(seed):
    met = set()
    for rng, problem, delta in problems(seed, 40):
        environment = problem[0]
        nominal = environment.visible_transitions
        chosen = some_of(rng, environment)
        new = chosen - nominal
        texts = tuple(text(t) for t in sorted(chosen))
        together, each, never, never_all = verdicts(
            problem,
            Tolerates("a", texts, vacuous=True),
            Tolerates("b", texts, "each", vacuous=True),
            Forbids("c", texts),
            Forbids("d", texts, "together"),
        )
        inside = any(chosen <= d for d in delta)
        alone = {t for t in chosen if any(t in d for d in delta)}
        assert (together.answer == "holds") == inside
        assert (each.answer == "holds") == (alone == chosen)
        assert (never.answer == "holds") == (not alone)
        assert (never_all.answer == "holds") == (not inside)
        if not inside:
            check_broken(problem, together, new)
        if alone != chosen:
            assert frozenset(each.transitions) == chosen - alone
            shown = is_broken_by(problem, each.transitions[:1])
            assert len(each.trace.steps) == shown
        if alone:
            assert frozenset(never.transitions) == alone
            assert never.transitions[0] in never.deviation
            assert frozenset(never.deviation) in delta
        if inside:
            assert chosen <= frozenset(never_all.deviation)
            assert frozenset(never_all.deviation) in delta
        met |= {(v.rule.name, v.answer) for v in (together, each, never, never_all)}
    assert len(met) == 8, "each rule has held and failed"


@pytest.mark.parametrize("seed", range(2))
def test_resilience(seed):
    met = set()
    for _rng, problem, delta in problems(seed, 40):
        environment = problem[0]
        new = definition.candidates(environment)
        unsafe = [
            size
            for size in range(len(new) + 1)
            if any(
                not any(frozenset(part) <= d for d in delta)
                for part in combinations(map(Transition._make, new), size)
            )
        ]
        resilience = min(unsafe, default=None)
        for least in (1, 2, 3):
            (verdict,) = verdicts(problem, Resilience("r", least, vacuous=True))
            holds = resilience is None or resilience >= least
            assert (verdict.answer == "holds") == holds
            met.add((least, verdict.answer))
            if not holds:
                assert len(verdict.transitions) == resilience
                check_broken(problem, verdict, frozenset(verdict.transitions))
    assert met >= {(1, "holds"), (2, "holds"), (2, "fails"), (3, "holds")}


@pytest.mark.parametrize("seed", range(2))
def test_another_controller_and_a_baseline(seed, tmp_path):

    met = set()
    rng = Random(seed)
    for _rng, problem, delta in problems(seed, 30):
        environment, _controller, properties, constraints = problem
        other = random_problem(rng)[1]
        theirs = definition.delta(environment, other, properties, constraints)
        if theirs is None:
            continue
        path = tmp_path / "baseline.json"
        baseline = {
            "schema": "symrob/result/1",
            "status": "complete",
            "environment": environment_dict(environment),
            "delta": sorted(sorted(map(list, d)) for d in theirs),
        }
        path.write_text(json.dumps(baseline))
        engine = engine_of((environment, other, properties, constraints))
        found = verdicts(
            problem,
            AsRobustAs("o", controller="other.lts", vacuous=True),
            AsRobustAs("b", baseline=str(path), vacuous=True),
            others={0: engine},
        )
        holds = all(any(d <= mine for mine in delta) for d in theirs)
        for verdict in found:
            assert (verdict.answer == "holds") == holds
            if not holds:
                added = frozenset(verdict.transitions)
                assert any(added <= d for d in theirs)
                check_broken(problem, verdict, added)
        if not holds:
            nominal = environment.visible_transitions
            size = min(
                len(part)
                for part in subsets(set().union(*theirs) - nominal)
                if any(part <= d for d in theirs)
                and not any(part <= mine for mine in delta)
            )
            assert len(found[0].transitions) == size
        met.add(holds)
    assert met == {True, False}
