"""Figures of risks that floats cannot hold, or tell apart: against exact fractions."""

import json
from decimal import Decimal
from fractions import Fraction
from itertools import product
from math import inf, prod
from random import Random
from sys import float_info

import pytest

import symrob
from symrob.risk.bounds import ChanceBounds, Tree
from symrob.risk.decision import minimal
from symrob.symbolic.context import Context
from tests.cli.tools import run
from tests.strength import examples

CHANCES = (
    *("1e-200", "1e-300", "5e-324", "1e-400", "1e-17", "0.1", "0.5", "1", "1e-3"),
    *("0.99999999999999999", f"0.{'9' * 60}", f"0.{'9' * 330}"),
)


def manager():
    return Context("auto").manager


def nothing(*_):
    pass


def by_definition(family, chances):
    total = Fraction(0)
    for happens in product((False, True), repeat=len(chances)):
        world = {n for n, yes in enumerate(happens) if yes}
        if any(one <= world for one in family):
            pairs = zip(chances, happens, strict=True)
            total += prod(p if yes else 1 - p for p, yes in pairs)
    return total


def is_close(found, expected):
    """Whether a float is what an exact number is, as far as floats can hold that."""
    if expected == inf or not expected:
        return found == expected
    if expected < Fraction(float_info.min):
        return 0 < found < 2 * float_info.min
    if expected > Fraction(float_info.max):
        return found == float_info.max
    return abs(Fraction(found) / expected - 1) < Fraction(1, 10**14)


def test_all_figures_are_those_of_exact_fractions():
    rng = Random(1)
    seen = set()
    for _ in range(examples(60, 1_500)):
        texts = rng.choices(CHANCES, k=5)
        exact = [Fraction(text) for text in texts]
        sizes = [rng.randint(1, 4) for _ in range(rng.randint(1, 4))]
        family = minimal(frozenset(rng.sample(range(5), size)) for size in sizes)
        tree = Tree(family, [*map(Decimal, texts)], manager, nothing, 10_000)
        whole = by_definition(family, exact)
        assert Fraction(tree.bounds.lower) <= whole * (1 + Fraction(1, 10**15))
        assert Fraction(tree.bounds.upper) >= whole * (1 - Fraction(1, 10**15))
        assert tree.bounds.is_exact == (whole >= Fraction(float_info.min))
        inside = sorted(frozenset().union(*family))
        for some in ([inside[0]], inside[-1:], inside[:2], inside):
            one = [Fraction(1) if n in some else p for n, p in enumerate(exact)]
            none = [Fraction(0) if n in some else p for n, p in enumerate(exact)]
            surely, never = by_definition(family, one), by_definition(family, none)
            touched = [s for s in family if not s.isdisjoint(some)]
            found = tree.importance(some, fussell=True)
            expected = {
                "birnbaum": surely - never,
                "criticality": (whole - never) / whole,
                "fussell_vesely": by_definition(touched, exact) / whole,
                "raw": surely / whole,
                "rrw": whole / never if never else inf,
            }
            for name, value in expected.items():
                assert is_close(getattr(found, name), value), (name, texts, family)
                if value and value != inf:
                    seen.add((name, value < Fraction(1, 10**30)))
    # Small and usual ones were met.
    assert len(seen) >= 8


@pytest.fixture
def case(tmp_path):
    """Two events, `x` and `y` once more, that only together are hazardous."""
    (tmp_path / "e.lts").write_text("E = (go -> W), W = STOP+{x, y}.\n")
    (tmp_path / "c.lts").write_text("C = (go -> D), D = ({x, y} -> D).\n")
    (tmp_path / "p.lts").write_text("property P = (x -> P | y -> Q), Q = (y -> Q).\n")
    (tmp_path / "case.toml").write_text(
        'environment = "e.lts"\ncontroller = "c.lts"\nproperties = ["p.lts"]\n'
    )
    return tmp_path / "case.toml"


def risk(case, tmp_path, x, y, *more):
    table = tmp_path / "chances.toml"
    table.write_text(f'[probability]\n"W,x,W" = {x}\n"W,y,W" = {y}\n')
    return run("risk", case, "--probability", table, *more)


def test_two_events_of_1e_200(case, tmp_path):
    data = json.loads(risk(case, tmp_path, "1e-200", "1e-200", "--format", "json").out)
    assert data["status"] == "complete"
    assert (data["probability"]["lower"], data["probability"]["exact"]) == (0, False)
    assert 0 < data["probability"]["upper"] < float_info.min
    (one,) = data["sets"]
    assert one["share"] == 1
    assert one["probability"] > 0
    for event in data["events"]:
        worth = event["importance"]
        assert worth["birnbaum"] == pytest.approx(1e-200, rel=1e-12, abs=0)
        assert worth["raw"] == pytest.approx(1e200)
        assert (worth["criticality"], worth["rrw"]) == (1, None)
    text = risk(case, tmp_path, "1e-200", "1e-200").out
    assert "<2.225e-308" in text
    assert "1e+200" in text
    for form in ("csv", "csv-sets", "markdown", "openpsa", "galileo", "dot"):
        told = risk(case, tmp_path, "1e-200", "1e-200", "--format", form)
        assert told.code == 0
        assert told.out


def test_one_that_is_all_but_sure(case, tmp_path):
    (tmp_path / "case.toml").write_text(case.read_text() + 'constraints = ["k.lts"]\n')
    (tmp_path / "k.lts").write_text("property K = (go -> K2), K2 = (x -> K2)+{y}.\n")
    told = risk(case, tmp_path, "0.5", f"0.{'9' * 40}", "--format", "json")
    given = json.loads(told.out)["given_assumptions"]
    # It keeps them without `y`, which has one chance in 10^40.
    assert given["assumptions_kept"] == pytest.approx(1e-40, rel=1e-9, abs=0)
    told = risk(case, tmp_path, "0.5", "{ rate = 1, time = 100 }", "--format", "json")
    given = json.loads(told.out)["given_assumptions"]
    assert given["assumptions_kept"] == pytest.approx(3.720075976e-44, rel=1e-9, abs=0)


@pytest.mark.parametrize(
    "chance", ["1e-401", f"0.{'9' * 401}", "1e-99999999", f"1e-{'9' * 25}"]
)
def test_what_is_too_near_to_0_or_1_is_refused(case, tmp_path, chance):
    result = risk(case, tmp_path, "0.5", chance)
    assert result.code == 2
    assert "chances.toml:3:1: error" in result.err
    assert "0, 1, or a number at least 1E-400 away from both" in result.err


def test_a_float_of_python_is_the_number_that_is_shown(case):
    envelope = symrob.load_case(case).compute()
    found = envelope.risk({"W,x,W": 0.1, "W,y,W": 1})
    assert found.together.bounds == ChanceBounds(0.1, 0.1)
    assert found.contributions[0][1:] == (0.1, 1.0)
