"""What large environments and flat controllers switch on, against the definition."""

import json
from collections import Counter
from contextlib import suppress
from dataclasses import replace
from itertools import islice
from random import Random

import pytest

import symrob
from bench.large_models import grid_case, random_case
from bench.random_models import Shape, random_problem
from symrob.api import large_deviations, load_roles, open_engine
from symrob.case import load_case
from symrob.case.results import read_deviations
from symrob.certify.closed_loop import ExplicitLoop
from symrob.cli import run
from symrob.envelope import tuning
from symrob.envelope.engine import Engine
from symrob.envelope.large_environments import WideSets, size_of
from symrob.envelope.transitions import Candidates
from symrob.errors import LimitExceeded
from symrob.limits import Clock
from symrob.lts import Lts, Network
from symrob.lts.masks import bits, mask_of
from symrob.lts.product import product
from symrob.problem import Role, build_problem
from symrob.report import listing
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
# With kinds of several states that fall apart in a way that a fault was made in.
SEEDS = [*range(12), 43, 79, 95]
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


def open_case(path):
    case = load_case(str(path))
    options = case.options({})
    return open_engine(load_roles(case, options.limits), options)


def listed(blocks):
    """The transitions in blocks, each once."""
    found = set()
    for action, (loops, pairs) in blocks.items():
        found |= {(q, action, q) for q in bits(loops)}
        for sources, targets in pairs:
            both = ((q, r) for q in bits(sources) for r in bits(targets))
            found |= {(q, action, r) for q, r in both if q != r}
    assert len(found) == size_of(blocks)
    return found


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
        monkeypatch.setattr(tuning, "SMALL_PRODUCT", 0)
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


def with_states_alike(seed):
    """A random problem with some states that R_E does not lead to."""
    rng = Random(seed)
    shape = Shape(
        states=rng.choice([2, 3, 4, 5, 6]),
        actions=rng.choice([1, 2, 3]),
        components=1,
        component_states=rng.choice([2, 3, 5]),
        constraints=rng.choice([0, 1]),
        properties=rng.choice([1, 2]),
        internal=rng.choice([0, 0, 1]),
        property_states=rng.choice([2, 3, 5]),
        environment_density=rng.choice([0.1, 0.3, 0.8]),
        strictness=rng.choice([0.05, 0.1, 0.3]),
    )
    drawn = random_problem(seed, shape)
    few = drawn.environment
    larger = Lts(few.alphabet, few.size + rng.choice([0, 2, 3, 4]), few.transitions)
    return posed(replace(drawn, environment=larger))


@pytest.mark.parametrize("seed", SEEDS)
def test_what_grows_by_kinds_is_maximal(seed):
    problem = with_states_alike(seed)
    sets = engine_of(problem).safe_sets
    delta = {frozenset(map(tuple, d)) for d in islice(sets.deviations(), 200)}
    wide = WideSets(sets, Clock())
    planned = set(problem.environment.transitions)
    assert listed(wide.tolerated) == planned.union(sets.alone)
    found = []
    with suppress(LimitExceeded):
        for left_out in islice(wide.deviations(), 20):
            assert planned.isdisjoint(listed(left_out))
            found.append(frozenset(listed(wide.tolerated) - listed(left_out)))
    assert len(set(found)) == len(found) > 0
    if len(delta) < 200:
        assert delta.issuperset(found)
        # Each transition that some deviation has is in one that was found.
        assert len(found) == 20 or set().union(*found) == set().union(*delta)


def test_states_of_one_kind_can_change_places(tmp_path):
    engine = open_case(random_case(tmp_path, 60))
    wide = WideSets(engine.safe_sets, Clock())
    kinds = wide._kinds()
    assert len(kinds) < 20
    tolerated = listed(wide.tolerated)
    for mask in kinds.masks:
        first, *others = bits(mask)
        for other in others[:3]:
            swap = {first: other, other: first}
            moved = {(swap.get(q, q), a, swap.get(r, r)) for q, a, r in tolerated}
            assert moved == tolerated


@pytest.mark.parametrize("write", [grid_case, random_case])
def test_a_large_environment_has_maximal_deviations(write, tmp_path):
    engine = open_case(write(tmp_path, 50))
    sets, rng = engine.safe_sets, Random(1)
    wide = WideSets(sets, Clock())
    for left_out in islice(wide.deviations(), 3):
        lacking = listed(left_out)
        kept = listed(wide.tolerated) - lacking
        assert sets.is_safe(kept)
        for one in rng.sample(sorted(lacking), min(25, len(lacking))):
            assert not sets.is_safe({*kept, one})


@pytest.mark.parametrize("name", ["therac20_unconstrained", "therac25_unconstrained"])
def test_what_is_too_much_to_list_is_counted(name, monkeypatch, capsys, tmp_path):
    case = f"models/therac25/{name}.toml"
    args = ["compute", case, "--limit", "9"]
    monkeypatch.setattr(large_deviations, "LISTED", 0)
    monkeypatch.setattr(listing, "MOST_LISTED", 0)
    code = 3 if "25_" in name else 0
    assert run(args) == code
    text = capsys.readouterr().out
    assert run([*args, "--format", "json", "--compact"]) == code
    printed = capsys.readouterr().out
    compact = json.loads(printed)
    schemas.validate(compact, "result-2")
    monkeypatch.undo()
    run(["compute", case, "--format", "json"])
    whole = json.loads(capsys.readouterr().out)
    assert compact["verdicts"] == whole["verdicts"]
    environment = symrob.Lts.from_dict(whole["environment"])
    delta = read_deviations(whole, environment, "whole")
    found = read_deviations(compact, environment, "compact")
    assert len(set(found)) == len(found) == min(9, len(delta))
    assert set(found) <= set(delta)
    # The text has those that are found in blocks.
    wide = WideSets(open_case(case).safe_sets, Clock())
    kept = listed(wide.tolerated) | set(environment.visible_transitions)
    counted = [frozenset(kept - listed(out)) for out in islice(wide.deviations(), 9)]
    assert len(set(counted)) == len(found)
    assert set(counted) <= set(delta)
    tolerated = frozenset().union(*delta)
    told = text.split("Deviation 1:")[1].replace("*", "").split("Deviation")
    for deviation, part in zip(counted, told, strict=True):
        lines = [line.split()[:2] for line in part.splitlines()]
        lacking = Counter(t.action for t in tolerated - deviation)
        assert all([action, f"{many:,}"] in lines for action, many in lacking.items())
        assert f" {len(deviation):,} transitions," in part
    result = tmp_path / "result.json"
    result.write_text(printed)
    if code == 0:
        assert run(["verify", str(result), case]) == 0
    compact["delta"][0].append(len(compact["tolerated"]))
    result.write_text(json.dumps(compact))
    assert run(["verify", str(result), case]) == 2
    assert "list of numbers below" in capsys.readouterr().err
