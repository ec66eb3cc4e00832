"""The verdicts of a gate against Δ by the definition, on random problems."""

import json
from collections import Counter
from itertools import combinations
from random import Random

import pytest

from symrob.analyses.candidate_space import CandidateSpace
from symrob.gate.judge import ask, judge
from symrob.gate.resilience import ResilienceRule
from symrob.gate.robust import AsRobustAs
from symrob.gate.rule import Policy
from symrob.gate.units import Forbids, Tolerates
from symrob.lts import Lts, Network, Transition
from symrob.report.json import encoded
from symrob.verdicts import VERDICTS
from tests.engines import engine_of
from tests.generate import random_lts, random_monitor, random_problem
from tests.oracles import definition


def problems(seed, count):
    """Random problems whose nominal system is safe, with Δ by the definition."""
    rng = Random(seed)
    while count:
        problem = random_problem(rng, constrained=0.7)
        delta = definition.delta(*problem)
        if delta is not None:
            count -= 1
            yield rng, problem, delta


def verdicts(problem, *rules, others=()):
    space = CandidateSpace(engine_of(problem))
    policy = Policy("p.toml", "gate", None, tuple(rules))
    asked = ask(policy, space, dict(others))
    return [*judge(asked, space)]


def text(transition):
    return ",".join(map(str, transition))


def lengths(problem, added):
    """Of a shortest run that breaks a property, and of one that breaks a constraint."""
    environment, controller, properties, constraints = problem
    return (
        definition.violation(environment, added, controller, properties),
        definition.violation(environment, added, None, constraints),
    )


def verdict_of(problem, added):
    """What a set amounts to, by the definition."""
    broken, outside = (length is not None for length in lengths(problem, added))
    return {
        (False, False): "tolerated",
        (True, False): "hazardous",
        (True, True): "excluded-unsafe",
        (False, True): "excluded-safe",
    }[broken, outside]


def check_run(problem, added, trace):
    """A shortest run that breaks a property, or a constraint if none is broken."""
    broken, outside = lengths(problem, added)
    assert len(trace.steps) == (outside if broken is None else broken)
    assert {s.added for s in trace.steps} >= {True}


def check_part(problem, verdict, within):
    """What is shown of a set is minimal, and hazardous if a part of the set is."""
    added = frozenset(verdict.units)
    assert added <= within
    check_run(problem, added, verdict.trace)
    shown = verdict_of(problem, added)
    if shown == "excluded-unsafe":
        broken = {frozenset(p) for p in subsets(added) if lengths(problem, p)[0]}
        assert broken == {added}
    else:
        for part in combinations(sorted(added), len(added) - 1):
            assert verdict_of(problem, part) == "tolerated"
    if shown != "hazardous":
        assert all(verdict_of(problem, p) != "hazardous" for p in subsets(within))


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
    return frozenset(
        rng.sample(everything, min(rng.choice((1, 1, 2, 3, 4)), len(everything)))
    )


@pytest.mark.parametrize("seed", range(2))
def test_transitions(seed):
    met = set()
    for rng, problem, delta in problems(seed, 60):
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
        of_each = Counter(verdict_of(problem, {t}) for t in chosen)
        of_all = verdict_of(problem, chosen)
        assert +Counter(each.counts) == +Counter(never.counts) == of_each
        assert together.counts == never_all.counts == {of_all: 1}
        assert not together.by_assumptions
        assert not each.by_assumptions
        # Without the assumptions the rule would fail.
        outside = {t for t in chosen if lengths(problem, {t})[0] is None}
        assert never.by_assumptions == (not alone and bool(outside))
        assert never_all.by_assumptions == (of_all == "excluded-safe")
        if never.by_assumptions:
            assert frozenset(never.units) == outside
        if not inside:
            check_part(problem, together, new)
        if alone != chosen:
            assert frozenset(each.units) == chosen - alone
            check_run(problem, each.units[:1], each.trace)
            worst = next(v for v in VERDICTS[1:] if of_each[v])
            assert verdict_of(problem, each.units[:1]) == worst
        if alone:
            assert frozenset(never.units) == alone
            assert never.units[0] in nominal | never.together
            assert nominal | never.together in delta
        if inside:
            assert chosen <= nominal | never_all.together
            assert nominal | never_all.together in delta
        found = (together, each, never, never_all)
        met |= {(v.rule.name, v.answer, v.by_assumptions) for v in found}
    assert len(met) == 10, "each rule has held and failed, two by the assumptions"


def resilience_of(problem):
    """Of the smallest hazardous set, and of the smallest that breaks a property."""
    new = [Transition(*t) for t in definition.candidates(problem[0])]
    sets = [frozenset(s) for size in range(3) for s in combinations(new, size)]
    hazardous = [len(s) for s in sets if verdict_of(problem, s) == "hazardous"]
    harmful = [len(s) for s in sets if lengths(problem, s)[0] is not None]
    return min(hazardous, default=3), min(harmful, default=3)


@pytest.mark.parametrize("seed", range(2))
def test_resilience(seed):
    """Within the assumptions and without them, by trying all sets of at most 2."""
    met = set()
    for _rng, problem, _delta in problems(seed, 40):
        within, without = resilience_of(problem)
        bare = (*problem[:3], ())
        for least in (1, 2, 3):
            one, other = verdicts(
                problem,
                ResilienceRule("r", least, vacuous=True),
                ResilienceRule("r", least, vacuous=True, without_constraints=True),
            )
            assert (one.answer == "holds") == (within >= least)
            assert (other.answer == "holds") == (without >= least)
            assert one.by_assumptions == (within >= least > without)
            assert other.by_assumptions is False
            met.add((least, one.answer, one.by_assumptions))
            if one.answer == "fails":
                assert len(one.units) == within
                assert verdict_of(problem, one.units) == "hazardous"
                check_run(problem, one.units, one.trace)
            for shown in (other,) if not one.by_assumptions else (one, other):
                if other.answer == "fails":
                    assert shown is one or len(shown.units) == without
                    check_run(bare, shown.units, shown.trace)
    assert met >= {(n, "fails", False) for n in (2, 3)}
    assert met >= {(n, "holds", by) for n in (2, 3) for by in (True, False)}


@pytest.mark.parametrize("seed", range(2))
def test_another_controller_and_a_baseline(seed, tmp_path):
    met, by_assumptions = set(), 0
    rng = Random(seed)
    for _rng, (environment, controller, properties, _), _delta in problems(seed, 80):
        alphabet = environment.alphabet
        # Such as rule out much, or else they seldom decide.
        constraints = [random_monitor(rng, alphabet, rng.randint(1, 3), 0.5)]
        other = Network([random_lts(rng, alphabet, rng.randint(1, 4), 1.6)])
        problem = (environment, controller, properties, constraints)
        delta = definition.delta(*problem)
        theirs = definition.delta(environment, other, properties, constraints)
        if delta is None or theirs is None:
            continue
        path = tmp_path / "baseline.json"
        baseline = {
            "schema": "symrob/result/1",
            "status": "complete",
            "environment": encoded(environment),
            "delta": sorted(sorted(map(list, d)) for d in theirs),
        }
        path.write_text(json.dumps(baseline))
        other_side = CandidateSpace(
            engine_of((environment, other, properties, constraints))
        )
        bare = {"vacuous": True, "without_constraints": True}
        *found, without, old = verdicts(
            problem,
            AsRobustAs("o", controller="other.lts", vacuous=True),
            AsRobustAs("b", baseline=str(path), vacuous=True),
            AsRobustAs("o", controller="other.lts", **bare),
            AsRobustAs("b", baseline=str(path), **bare),
            others={0: other_side, 2: other_side},
        )
        free, our = (
            definition.delta(environment, c, properties) for c in (other, controller)
        )
        holds = all(any(d <= mine for mine in our) for d in free)
        assert (without.answer == "holds") == holds
        assert (old.answer == "holds") == all(
            any(d <= mine for mine in our) for d in theirs
        )
        decided = found[0].answer == "holds" and not holds
        assert [v.by_assumptions for v in (*found, without)] == [decided, False, False]
        by_assumptions += decided
        holds = all(any(d <= mine for mine in delta) for d in theirs)
        for verdict in found:
            assert (verdict.answer == "holds") == holds
            if not holds:
                added = frozenset(verdict.units)
                assert any(added <= d for d in theirs)
                if verdict.rule.baseline is None:
                    runs = [n for n in lengths(problem, added) if n is not None]
                    assert len(verdict.trace.steps) == min(runs)
                else:
                    check_run(problem, added, verdict.trace)
        if not holds:
            nominal = environment.visible_transitions
            size = min(
                len(part)
                for part in subsets(set().union(*theirs) - nominal)
                if any(part <= d for d in theirs)
                and not any(part <= mine for mine in delta)
            )
            assert len(found[0].units) == size
        met.add(holds)
    assert met == {True, False}
    assert by_assumptions


def test_assumptions_that_allow_nothing_make_a_rule_say_nothing():
    nobody, taken = Lts(("a",), 1, []), Lts(("a",), 1, [(0, "a", 0)])
    problem = (nobody, Network([taken]), [nobody], [nobody])
    (verdict,) = verdicts(problem, ResilienceRule("r", 2))
    assert verdict.answer == "fails"
    assert "the assumptions allow no new transition" in verdict.message
    (verdict,) = verdicts(problem, ResilienceRule("r", 2, vacuous=True))
    assert (verdict.answer, verdict.by_assumptions) == ("holds", True)
    assert verdict.units == ((0, "a", 0),)
