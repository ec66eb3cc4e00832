"""One deviation out of Δ, against all of Δ by the definition."""

from pathlib import Path

import pytest
from hypothesis import given, settings

import symrob
from symrob.analyses import choice
from symrob.analyses.choice import (
    closest,
    closest_pair,
    largest,
    numbered,
    require_same,
)
from symrob.api import load_roles, open_engine
from symrob.case import load_case
from symrob.envelope import heavy
from symrob.errors import NominalViolation, SymrobError
from symrob.limits import BUDGETS
from symrob.lts import Lts
from symrob.options import Options
from tests.engines import engine_of
from tests.generate import random_monitor, random_problem
from tests.oracles import definition
from tests.strategies import rngs
from tests.strength import examples

ROOT = Path(__file__).parent.parent.parent


@settings(max_examples=examples(30, 800))
@given(rngs())
def test_largest_and_closest(rng):
    problem = random_problem(rng)
    delta = definition.delta(*problem)
    if delta is None:
        return
    engine = engine_of(problem)
    assert len(largest(engine)) == max(map(len, delta))
    other = {t for t in definition.candidates(problem[0]) if rng.random() < 0.4}
    found = closest(engine, other)
    assert frozenset(map(tuple, found)) in delta
    best = max((len(d & other), len(d)) for d in delta)
    assert (len(found & other), len(found)) == best


@settings(max_examples=examples(20, 400))
@given(rngs())
def test_numbers_are_those_of_the_enumeration(rng):
    problem = random_problem(rng)
    try:
        known = list(symrob.compute(*problem))
    except NominalViolation:
        return
    engine = engine_of(problem)
    for number, deviation in enumerate(known, 1):
        assert numbered(engine.deviations(), number) == deviation
    for number in (0, len(known) + 1):
        with pytest.raises(SymrobError, match=f"no deviation {number}"):
            numbered(engine.deviations(), number)


@settings(max_examples=examples(30, 800))
@given(rngs())
def test_the_pair_has_as_much_in_common_as_its_larger_partner_allows(rng):
    environment, controller, properties, constraints = random_problem(rng)
    other = [random_monitor(rng, environment.alphabet, 3, 0.1)]
    problems = (
        (environment, controller, properties, constraints),
        (environment, controller, other, constraints),
    )
    deltas = [definition.delta(*p) for p in problems]
    if None in deltas:
        return
    engines = list(map(engine_of, problems))
    pair = closest_pair(*engines)
    for deviation, delta in zip(pair[:2], deltas, strict=True):
        assert frozenset(map(tuple, deviation)) in delta
    sizes = [max(map(len, delta)) for delta in deltas]
    assert len(pair[pair.largest]) == sizes[pair.largest]
    if all(any(d <= e for e in deltas[1]) for d in deltas[0]):
        # The second tolerates more: nothing that only the first does is shown.
        assert pair[0] <= pair[1]
    if all(any(d <= e for e in deltas[0]) for d in deltas[1]):
        assert pair[1] <= pair[0]


def test_where_no_proof_comes_soon_the_heaviest_that_was_seen_is_told(monkeypatch):
    monkeypatch.setattr(heavy, "PATIENCE", 0.0)
    monkeypatch.setitem(BUDGETS, "largest", 1.0)
    pump = ROOT / "models" / "pca_pump" / "pca_pump_unconstrained.toml"
    engine = open_engine(load_roles(load_case(str(pump))), Options())
    found = choice.soon(engine)
    assert found.status == "complete"
    least, most = engine.effort.bounds
    # Any that is found first adds about 740.
    assert 900 < least <= len(found.deviation.new) <= most
    assert f"adds {len(found.deviation.new):,} transitions" in found.reason
    assert engine.is_safe(engine.deviated(found.deviation))
    rest = [t for t in engine.candidates if t not in found.deviation]
    assert not any(engine.safe_sets.is_safe({*found.deviation.new, t}) for t in rest)


def test_every_difference_of_environments_is_reported():
    one = Lts("ab", 2, [(0, "a", 1)], names=["ON", "OFF"])
    require_same(one, Lts("ab", 2, [(0, "a", 1)], names=["ON", "OFF"]))
    for other, what in [
        (Lts("abc", 2, [(0, "a", 1)], names=["ON", "OFF"]), "second has c"),
        (Lts("ab", 2, [(0, "a", 1)], names=["ON", "OUT"]), r"first has OFF \(1\)"),
        (Lts("ab", 2, [(0, "a", 0)], names=["ON", "OFF"]), "first has ON --a--> OFF"),
    ]:
        with pytest.raises(SymrobError, match=what):
            require_same(one, other)
    with pytest.raises(SymrobError) as caught:
        require_same(one, Lts("c", 1, []))
    assert len(caught.value.diagnostics) == 3
