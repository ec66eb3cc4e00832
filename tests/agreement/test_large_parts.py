"""What large environments and flat controllers switch on, against the definition."""

import json
from collections import Counter
from dataclasses import replace
from random import Random

import pytest

import symrob
from bench.random_models import Shape, random_problem
from symrob.certify.closed_loop import ExplicitLoop
from symrob.cli import run
from symrob.envelope import tuning
from symrob.envelope.engine import Engine
from symrob.envelope.transitions import Candidates
from symrob.limits import Clock
from symrob.lts import Network
from symrob.lts.masks import bits, mask_of
from symrob.lts.product import product
from symrob.problem import Role, build_problem
from symrob.report import listing, wide
from symrob.symbolic.table import TableSystem
from tests import schemas

CHAINS = Shape(states=9, actions=2, components=1, component_states=5, constraints=1)
# In the problem of seed 86 some candidates are unsafe in the second round only.
ROUNDS = replace(
    CHAINS,
    states=12,
    component_states=3,
    property_states=6,
    environment_density=0.8,
    strictness=0.04,
)
LOOPS = [*((seed, CHAINS) for seed in range(4)), (86, ROUNDS)]
FLAT = Shape(states=3, actions=3, components=2, component_states=4, properties=2)


def posed(drawn):
    return build_problem(
        Role(drawn.environment, "E"),
        Role(drawn.controller, "C"),
        [Role(p, f"P{i}") for i, p in enumerate(drawn.properties)],
        [Role(c, f"A{i}") for i, c in enumerate(drawn.constraints)],
    )


def tolerated(problem):
    """Each candidate that is safe alone, by an explicit search of its own."""
    alone = ExplicitLoop(problem.environment, None, problem.constraints)
    both = ExplicitLoop(problem.environment, problem.controller, problem.properties)
    clock = Clock()
    everything = Candidates.all_new(problem.environment)
    return {
        t
        for t in everything
        if alone.violation((t,), clock) is None and both.violation((t,), clock) is None
    }


def engine_of(problem):
    engine = Engine(problem, "auto", Clock())
    engine.check_nominal()
    return engine


@pytest.mark.parametrize(("seed", "shape"), LOOPS)
def test_loops_are_judged_together_as_one_by_one(seed, shape, monkeypatch):
    problem = posed(random_problem(seed, shape))
    expected = tolerated(problem)
    # Together; too many pairs after the first; one by one.
    for alone, pairs in ((0, 10**6), (0, 1), (10**6, 0)):
        monkeypatch.setattr(tuning, "LOOPS_ALONE", alone)
        monkeypatch.setattr(tuning, "LOOP_PAIRS", pairs)
        assert set(engine_of(problem).safe_sets.alone) == expected


@pytest.mark.parametrize("seed", range(4))
def test_a_table_is_what_bits_are(seed, monkeypatch):
    drawn = random_problem(seed, FLAT)
    hidden = drawn.controller.alphabet[-1:]
    flat = Network([product(drawn.controller)], hidden=hidden)
    found = []
    for least in (0, 10**6):
        monkeypatch.setattr(tuning, "FLAT_STATES", least)
        envelope = symrob.compute(drawn.environment, flat, drawn.properties)
        system = envelope.engine.closed_loop.system
        assert isinstance(system, TableSystem) == (least == 0)
        stuck = envelope.side_report().stuck
        found.append(
            (
                set(envelope),
                envelope.statistics,
                {(s.deviation, tuple(q for q, _ in s.deadlocks)) for s in stuck},
                {d: envelope.never_firing(d) for d in envelope},
            )
        )
    assert found[0] == found[1]


def test_masks_are_read_and_made_both_ways():
    rng = Random(1)
    for length in (1, 7, 64, 1_999, 2_001, 30_000):
        for many in (0, 1, 29, 40, length):
            places = sorted(rng.sample(range(length), min(many, length)))
            assert list(bits(mask_of(places))) == places
            assert mask_of(places[::-1]) == sum(1 << p for p in places)


@pytest.mark.parametrize("name", ["therac20_unconstrained", "therac25_unconstrained"])
def test_what_is_too_much_to_list_is_counted(name, monkeypatch, capsys):
    case = f"models/therac25/{name}.toml"
    monkeypatch.setattr(wide, "LISTED", 0)
    monkeypatch.setattr(listing, "MOST_LISTED", 0)
    assert run(["compute", case]) == (3 if "25_" in name else 0)
    text = capsys.readouterr().out
    assert run(["compute", case, "--format", "json", "--compact"]) == 3
    counted = json.loads(capsys.readouterr().out)
    schemas.validate(counted, "result-2")
    assert counted["delta"] == counted["tolerated"] == []
    monkeypatch.undo()
    run(["compute", case, "--format", "json"])
    whole = json.loads(capsys.readouterr().out)
    assert counted["verdicts"] == whole["verdicts"]
    assert ("|Δ| = 1:" in text) == (len(whole["delta"]) == 1)
    assert (f"|d_max| = {whole['statistics']['largest']}," in text) == (
        len(whole["delta"]) == 1
    )
    planned = {*map(tuple, whole["environment"]["transitions"])}
    tolerated = {t for d in whole["delta"] for t in map(tuple, d)} - planned
    told = text.replace("*", "").split("olerated", 1)[1].splitlines()
    for action, many in Counter(a for _, a, _ in tolerated).items():
        assert any(line.split()[:2] == [action, f"{many},"] for line in told) or any(
            line.split()[:2] == [action, str(many)] for line in told
        )
