"""`--top K`: the K deviations of greatest weight, in order, exactly."""

import json
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pysat.examples.rc2 import RC2
from pysat.solvers import Solver

import symrob
from symrob.case.weights import load_weights
from symrob.envelope import heavy
from symrob.errors import LimitExceeded, NominalViolation, SymrobError
from tests.generate import random_problem
from tests.golden.test_reference import DATA, TABLE1, solve
from tests.strategies import rngs
from tests.strength import examples

ROOT = Path(__file__).parent.parent.parent


def sizes(deviations):
    return [len(d.new) for d in deviations]


@pytest.mark.parametrize("top", [1, 5, 40])
def test_largest_of_398(top):
    answer = json.loads((DATA / "therac25-unconstrained.json").read_text())["delta"]
    expected = sorted((len(d) for d in answer), reverse=True)[:top]
    found = solve(TABLE1["therac25"], constrained=False, largest=top)
    assert [len(d) for d in found] == expected
    assert {frozenset(map(tuple, d)) for d in found} <= {
        frozenset(map(tuple, d)) for d in answer
    }
    assert found.as_asked


@settings(max_examples=examples(120, 4000))
@given(rngs(), st.integers(0, 3))
def test_order_by_weight(rng, spread):
    """All of Δ in the order of weights drawn at random."""
    problem = random_problem(rng)
    try:
        found = symrob.compute(*problem)
    except NominalViolation:
        return
    weights = {}

    def weight(transition):
        return weights.setdefault(transition, rng.randint(1, 1 + spread))

    def total(deviation):
        return sum(weight(t) for t in deviation.new)

    ordered = list(found.engine.deviations(weight))
    assert set(ordered) == set(found)
    totals = [total(d) for d in ordered]
    assert totals == sorted(totals, reverse=True)


def test_more_than_there_are_is_complete():
    found = solve(TABLE1["therac25"], largest=10)
    assert len(found) == 4
    assert found.status == "complete"


def test_every_call_of_the_solver_can_be_interrupted(monkeypatch):
    """Those that exhaust a core too: the library would make them deaf."""
    called = []
    usual = Solver.solve_limited

    def watched(self, assumptions=(), expect_interrupt=False):
        called.append(expect_interrupt)
        return usual(self, assumptions, expect_interrupt)

    monkeypatch.setattr(Solver, "solve_limited", watched)
    exhausted = []
    exhaust = RC2.exhaust_core
    monkeypatch.setattr(
        RC2, "exhaust_core", lambda *args: exhausted.append(1) or exhaust(*args)
    )
    assert sizes(solve(TABLE1["therac25"], constrained=False, largest=1)) == [51]
    assert exhausted
    assert called
    assert all(called)


def test_weights_file(tmp_path):
    environment = solve(TABLE1["therac25"]).environment
    path = tmp_path / "weights.toml"
    path.write_text(
        '[[weight]]\nvalue = 2\n[[weight]]\nsource = 1\naction = "up"\nvalue = 7\n'
    )
    weight = load_weights(str(path), environment)
    assert weight(symrob.Transition(1, "up", 3)) == 7
    assert weight(symrob.Transition(0, "up", 3)) == 2


def test_wrong_rules_are_all_reported(tmp_path):
    environment = solve(TABLE1["therac25"]).environment
    path = tmp_path / "weights.toml"
    path.write_text(
        '[[weight]]\nsource = "NOWHERE"\nvalue = 1\n'
        '[[weight]]\naction = "jump"\nvalue = 0\ncolour = "red"\n'
    )
    with pytest.raises(SymrobError) as caught:
        load_weights(str(path), environment)
    text = str(caught.value)
    assert len(caught.value.diagnostics) == 4
    for word in ("NOWHERE", "jump", "colour", "at least 1"):
        assert word in text


@pytest.mark.parametrize(
    "options", [{"largest": 0}, {"largest": 1, "algorithm": "connected"}]
)
def test_options_that_do_not_fit(options):
    with pytest.raises(SymrobError):
        solve(TABLE1["therac25"], **options)


@pytest.mark.parametrize("spread", [0, 9])
def test_bounds_hold_while_it_is_sought(spread, monkeypatch):
    """Bounds come closer and never pass what is found; here told from the start."""
    monkeypatch.setattr(heavy, "PATIENCE", 0.0)
    monkeypatch.setattr(heavy, "TURN", 0.003)
    found = solve(TABLE1["therac25"], constrained=False)
    rng, told = Random(spread), []
    weights = {t: 1 + rng.randint(0, spread) for t in found.engine.candidates}
    found.engine.effort.on_bounds = lambda *bounds: told.append(bounds)
    best = next(found.engine.deviations(weights.__getitem__))
    weight = sum(weights[t] for t in best.new)
    assert told
    assert all(0 < least <= weight <= most for least, most in told)
    for index in (0, 1):
        assert [b[index] for b in told] == sorted(
            (b[index] for b in told), reverse=index == 1
        )


def test_bounds_are_told_where_it_is_stopped(monkeypatch):
    monkeypatch.setattr(heavy, "PATIENCE", 0.0)
    pump = ROOT / "models" / "pca_pump" / "pca_pump_unconstrained.toml"
    found = symrob.load_case(str(pump)).compute(largest=1)

    def stop(_least, most):
        if most < 1200:
            raise LimitExceeded("enough")

    found.engine.effort.on_bounds = stop
    assert len(found) == 0
    assert found.status == "limit"
    least, most = found.engine.effort.bounds
    # Eight minutes told that the largest adds 1,019 to 1,022.
    assert 900 < least <= 1022
    assert 1019 <= most < 1200
    between = f"the next one adds a weight between {least:,} and {most:,}"
    assert found.reason == f"enough; {between}"
