"""Explanations: every part of them against the definition, and known cases."""

import json
from itertools import combinations, pairwise
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings

import symrob
from symrob import Lts
from symrob.envelope import safe_sets
from symrob.errors import LimitExceeded, NominalViolation, SymrobError
from tests.analyses.test_cuts import shortest_run, table1
from tests.generate import random_problem
from tests.oracles import definition
from tests.strategies import problems, rngs
from tests.strength import examples

DATA = Path(__file__).parent.parent / "data"
EXAMPLES = examples(80)
ALL = 10_000


def triples(transitions):
    return {tuple(t) for t in transitions}


def all_of_a(environment):
    return [
        (q, a, r)
        for q in range(environment.size)
        for a in environment.alphabet
        for r in range(environment.size)
    ]


def agrees(problem, rng):
    """Explain a random set of transitions; every field is what it must be."""
    environment = problem[0]
    try:
        found = symrob.compute(*problem)
    except NominalViolation:
        return
    everything = all_of_a(environment)
    asked = set(rng.sample(everything, rng.randint(0, min(len(everything), 6))))
    wanted = rng.choice((1, 2, ALL))
    answer = found.explain(asked, deviations=wanted)
    nominal = {t for t in asked if t in set(map(tuple, environment.transitions))}
    new = asked - nominal
    assert (triples(answer.nominal), triples(answer.new)) == (nominal, new)
    assert answer.status == "complete"
    assert answer.verdict == definition.verdict(problem, new)
    assert answer.tolerated == (answer.verdict == "tolerated")
    if answer.tolerated:
        inside(problem, new, answer, wanted)
    else:
        outside(problem, new, answer)


def verdict_of_part(problem, new, verdict):
    """What the part that is shown must amount to, and the size of the smallest."""
    sizes = {}
    for size in range(len(new), 0, -1):
        for part in combinations(sorted(new), size):
            sizes[definition.verdict(problem, set(part))] = size
    if verdict == "excluded-unsafe" and "hazardous" in sizes:
        verdict = "hazardous"
    return verdict, sizes[verdict]


def outside(problem, new, answer):
    """The cut is as small as any part that does as much, the run as short as any."""
    environment, controller, properties, constraints = problem
    cut = triples(answer.cut.transitions)
    assert cut <= new
    told = (answer.cut.verdict, len(cut))
    assert told == verdict_of_part(problem, new, answer.verdict)
    assert definition.verdict(problem, cut) == answer.cut.verdict
    assert len(answer.trace.steps) == shortest_run(problem, answer.cut)
    assert any(step.added for step in answer.trace.steps)
    lengths = sorted(
        n
        for n in (
            *(definition.violation(environment, new, None, [c]) for c in constraints),
            *(
                definition.violation(environment, new, controller, [p])
                for p in properties
            ),
        )
        if n is not None
    )
    found = sorted(len(t.steps) for t in answer.violations)
    # C's own ERROR is a violation of each property, and is listed once.
    own = definition.violation(environment, new, controller, ())
    assert [n for n in found if n != own] == [n for n in lengths if n != own]
    assert (own in found) == (own in lengths)
    assert answer.blocked is None
    assert answer.addable is None
    assert answer.deviations == ()


def inside(problem, new, answer, wanted):
    """What goes with the set, what does not, and the deviations that hold it."""
    environment, controller, *_ = problem
    others = set(definition.candidates(environment)) - new
    alone = {t for t in others if definition.robust(environment, {t}, *problem[1:])}
    addable = {
        t for t in others if definition.robust(environment, new | {t}, *problem[1:])
    }
    assert triples(answer.addable) == addable
    assert triples(answer.excluded) == alone - addable
    delta = definition.delta(*problem)
    holding = {d for d in delta if d >= new}
    given_ = {frozenset(map(tuple, d)) for d in answer.deviations}
    assert len(given_) == len(answer.deviations) == min(wanted, len(holding))
    assert given_ <= holding
    assert answer.more == (len(holding) > wanted)
    nominal = {tuple(t) for t in environment.transitions if t[1] != "tau"}
    fired = definition.firing(environment, nominal | new, controller)
    assert triples(answer.idle) == new - fired
    ever = set().union(
        *(definition.firing(environment, deviation, controller) for deviation in delta)
    )
    assert triples(answer.inert) == new - ever
    before = definition.refused(problem, set())
    assert {(b.state, b.action) for b in answer.blocked} == (
        definition.refused(problem, new) - before
    )
    assert {(b.state, b.action) for b in answer.refused} == (
        definition.refused(problem, new) & before
    )
    for one in answer.blocked:
        steps = (one.run.start, *one.run.steps)
        assert steps[-1].environment == environment.state_name(one.state)
        names = [environment.state_name(q) for q in range(environment.size)]
        lacking = {(names[q], a, names[r]) for q, a, r in new}
        for before_step, step in pairwise(steps):
            taken = (before_step.environment, step.action, step.environment)
            assert step.added == (taken in lacking and step.who != "C")
        loop = {*new, (one.state, one.action, one.state)}
        shortest = definition.violation(environment, loop, controller, problem[2])
        assert len(one.trace.steps) == shortest


@settings(max_examples=EXAMPLES)
@given(rngs())
def test_explanations_are_what_the_definition_says(rng):
    agrees(random_problem(rng), rng)


@settings(max_examples=EXAMPLES // 4)
@given(problems(), rngs())
def test_explanations_of_odd_shapes(problem, rng):
    agrees(problem, rng)


@settings(max_examples=examples(20, 400))
@given(rngs())
def test_backends_agree(rng):
    problem = random_problem(rng)
    asked = rng.sample(all_of_a(problem[0]), 2)
    try:
        one, two = (
            symrob.compute(*problem, backend=backend).explain(asked)
            for backend in ("cudd", "autoref")
        )
    except NominalViolation:
        return
    assert one.verdict == two.verdict
    assert one.cut == two.cut
    assert one.trace == two.trace
    assert one.deviations == two.deviations


@pytest.mark.parametrize("row", ["running", "therac25", "therac25fix", "oyster"])
def test_each_candidate_and_each_pair_of_table_1(row):
    """Against Δ: a set is inside if some deviation holds it."""
    problem = table1(row)
    delta = [
        frozenset(map(tuple, d))
        for d in json.loads((DATA / "table1.json").read_text())[row]["delta"]
    ]
    found = symrob.compute(*problem)
    new = definition.candidates(problem[0])
    pairs = Random(7).sample(list(combinations(new, 2)), 40)
    for asked in [*combinations(new, 1), *pairs]:
        answer = found.explain(asked, deviations=ALL)
        holding = {d for d in delta if d >= set(asked)}
        assert answer.verdict == definition.verdict(problem, set(asked))
        assert answer.tolerated == bool(holding)
        assert {frozenset(map(tuple, d)) for d in answer.deviations} == holding
        if not answer.tolerated:
            outside(problem, set(asked), answer)


def test_therac_25_without_constraint():
    """Of each maximal deviation with one more transition a smallest bad part."""
    problem = table1("therac25", constrained=False)
    found = symrob.compute(*problem)
    cuts = [frozenset(map(tuple, c.transitions)) for c in found.cuts()]
    new = frozenset(definition.candidates(problem[0]))
    rng = Random(1)
    for deviation in list(found)[::40]:
        inside = triples(deviation.new)
        assert found.explain(inside).addable is not None
        assert list(found.explain(inside).addable) == []
        extra = rng.choice(sorted(new - inside))
        answer = found.explain(inside | {extra})
        smallest = min(len(c) for c in cuts if c <= inside | {extra})
        assert len(answer.cut) == smallest
        assert frozenset(map(tuple, answer.cut.transitions)) in cuts


def small():
    """E is safe; a second `a` in a row is not."""
    environment = Lts(("a", "b"), 2, [(0, "a", 1), (1, "b", 0)])
    machine = Lts(("a", "b"), 1, [(0, "a", 0), (0, "b", 0)])
    rule = Lts(("a", "b"), 2, [(0, "a", 1), (1, "b", 0), (0, "b", 0)])
    return environment, machine, [rule]


def test_what_is_not_in_a_is_refused_all_at_once():
    found = symrob.compute(*small())
    with pytest.raises(SymrobError) as caught:
        found.explain([(0, "a", 2), (0, "c", 0), (-1, "a", 0), (0, "a", 0)])
    assert len(caught.value.diagnostics) == 3


def test_nothing_asked_is_inside_and_rules_out_nothing():
    answer = symrob.compute(*small()).explain([])
    assert answer.tolerated
    assert len(answer.excluded) == 0


def test_a_bound_before_the_verdict_leaves_it_unknown():
    found = symrob.compute(*small())
    found.engine.clock.interrupt()
    with pytest.raises(LimitExceeded):
        found.explain([(0, "a", 0)])


@pytest.mark.parametrize("stop", [LimitExceeded("no more"), KeyboardInterrupt()])
def test_a_bound_after_the_verdict_keeps_it(monkeypatch, stop):
    """Screening is what is stopped here, which both explanations need."""

    def stopped(*_args, **_kwargs):
        raise stop

    monkeypatch.setattr(safe_sets, "screen", stopped)
    found = symrob.compute(*small())
    status = "interrupted" if isinstance(stop, KeyboardInterrupt) else "limit"
    bad = found.explain([(0, "a", 0)])
    assert (bad.verdict, bad.cut, bad.status) == ("hazardous", None, status)
    assert len(bad.trace.steps) == 2
    found = symrob.compute(*small())
    good = found.explain([(0, "b", 0)])
    assert (good.verdict, good.addable, good.more) == ("tolerated", None, None)
    assert good.idle == frozenset()
    assert good.status == status
