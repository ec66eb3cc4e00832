"""The cheapest single guard against all guards, tried one by one."""

from itertools import product
from random import Random

import pytest
from hypothesis import given, settings

from symrob.lts import Lts, Network, Transition
from symrob.repair.suggest import suggest
from symrob.report.guards import guard_text
from tests.generate import random_lts, thinned
from tests.oracles import definition
from tests.oracles.single_guards import Machine
from tests.repair.test_restriction import engine_of, random_question
from tests.strategies import rngs
from tests.strength import examples

EXAMPLES = examples(30, 10_000)
# States of C in which an action may be taken: 2 to the power of these are tried.
MOST_CELLS = 6


def random_wiring(rng):
    """A machine in some states of which `g` breaks the rule: components tell which."""
    sizes = rng.choice(((2, 2), (3, 2), (2, 3)))
    environment = random_lts(rng, ("a", "b"), rng.randint(1, 2), 0.7)
    tables = [
        {
            (s, a): rng.randrange(size)
            for s in range(size)
            for a in alphabet
            if rng.random() < 0.8
        }
        for size, alphabet in zip(sizes, ("au", "bv"), strict=True)
    ]
    parts = [
        Lts(alphabet, size, [(s, a, t) for (s, a), t in table.items()])
        for size, alphabet, table in zip(sizes, ("au", "bv"), tables, strict=True)
    ]
    rule = []
    for s, t in product(*map(range, sizes)):
        here = s * sizes[1] + t
        rule += [(here, a, tables[0].get((s, a), s) * sizes[1] + t) for a in ("a", "u")]
        rule += [(here, a, s * sizes[1] + tables[1].get((t, a), t)) for a in ("b", "v")]
        if rng.random() < 0.7:
            rule.append((here, "g", here))
    watcher = Lts("abguv", sizes[0] * sizes[1], rule)
    machine = Network(rng.sample([*parts, Lts("g", 1, [(0, "g", 0)])], 3))
    chosen = {rng.choice("gggu")}
    return thinned(rng, environment, machine, [watcher], []), (), chosen


def check_cheapest(rng, kinds, *, most=3, stated=0.0, several=0.0):
    """Compare the cheapest guard of each hazard; count what kinds there were."""
    if rng.random() < 0.5 and not stated:
        problem, _, controllable = random_wiring(rng)
    else:
        problem, _, controllable = random_question(
            rng, machine=rng.choice((2, 3, 4)), stated=stated, several=several
        )
    run = rng.choice((None, None, 1, 2))
    held = modes_of(rng, problem) if rng.random() < 0.3 else None
    engine = engine_of(problem, run, held)
    if engine is None or not controllable:
        return
    machine = Machine(problem, run)
    if machine.choices(controllable) > MOST_CELLS:
        return
    found = suggest(engine, controllable, rng.choice((1, 2)))
    assert found.status == "complete"
    for number, hazard in list(enumerate(found.hazards))[:most]:
        known = {}
        for action in sorted(controllable):
            lost = machine.least_lost(hazard.transitions, action)
            if lost is not None:
                known[action] = lost, machine.cheapest(hazard.transitions, action)
        place = found.cheapest[number]
        assert (place is None) == (not known)
        if place is None:
            kinds["none"] = kinds.get("none", 0) + 1
            continue
        cost = found.single[place].cost
        least = min(lost for lost, _ in known.values())
        simple = min(best for _, best in known.values())
        assert number in found.proved
        assert simple[:2] >= least
        # Without memory, a step that is refused once is refused for good.
        assert simple[1] == (simple[0] > 0)
        if simple[:2] == least:
            assert cost == simple
            kind = "lossy" if least[0] else "free"
            kind += " two" if simple[3] > 1 else ""
            kind += " some" if simple[4] > 1 else ""
        else:
            assert cost[:2] == least
            assert cost.memory > 1
            kind = "memory"
            kind += " steps" if least[0] else " traces" if least[1] else ""
        kinds[kind] = kinds.get(kind, 0) + 1
        for kind, met in (("budget", run is not None), ("modes", held is not None)):
            kinds[kind] = kinds.get(kind, 0) + met


def modes_of(rng, problem):
    """Two fault modes that bring some of the candidates."""
    new = [Transition(*t) for t in definition.candidates(problem[0])]
    some = ([t for t in new if rng.random() < 0.4] for _ in range(2))
    return {f"m{i}": (brought, None) for i, brought in enumerate(some)}


# Whose states requirements are on, and where E and C begin.
WORLDS = pytest.mark.parametrize("world", [{}, {"stated": 1.0}, {"several": 1.0}])


@WORLDS
@settings(max_examples=EXAMPLES)
@given(rng=rngs())
def test_no_single_guard_is_cheaper(world, rng):
    check_cheapest(rng, {}, **world)


@WORLDS
def test_cheapest_guards_of_every_kind_are_met(world):
    kinds = {}
    for seed in range(400):
        check_cheapest(Random(seed), kinds, **world)
    first = {kind.split()[0] for kind in kinds}
    assert first > {"none", "free", "lossy", "memory"}, kinds
    assert kinds["memory traces"], kinds
    assert min(kinds["budget"], kinds["modes"]) > 5


def test_a_guard_that_loses_steps_is_no_bound_for_one_that_loses_none():
    """`u` must not precede `a`, which loses the plan; `b` may not stand between two."""
    machine = Lts("abu", 2, [(0, "u", 0), (0, "a", 0), (0, "b", 1), (1, "u", 1)])
    start, used, between, free = range(4)
    check = Lts(
        "abu",
        4,
        [(start, "u", used), (start, "a", start), (start, "b", free)]
        + [(used, "u", used), (used, "b", between)]
        + [(between, "a", between), (between, "b", between)]
        + [(free, action, free) for action in "abu"],
    )
    machine = Network([machine], component_names=["M"])
    found = suggest(engine_of((Lts("ab", 1, []), machine, [check], ())), {"u"}, 1)
    brought = [action for one in found.hazards for _, action, _ in one.transitions]
    assert brought == ["a", "b"]
    lossy, best = (found.single[i] for i in found.cheapest)
    assert guard_text(*lossy.guards[0].guards) == "u while M is 0"
    assert lossy.cost == (1, True, 0, 1, 1)
    assert lossy.removes == {0, 1}
    assert guard_text(*best.guards[0].guards) == "u while M is 1"
    assert best.cost == (0, False, 0, 1, 1)


@pytest.mark.parametrize("early", [True, False])
def test_of_two_states_the_one_that_refuses_less_is_chosen(early):
    """`u` has to be refused in one of two states, and one stands for two of C."""
    waits = 1 if early else 0
    steps = Lts(
        ("a", "u", "v"),
        3,
        [(0, "u", 1), (1, "u", 2), (2, "a", 2), (waits, "v", waits)],
    )
    other = Lts(("u", "v"), 2, [(0, "u", 0), (1, "u", 0), (0, "v", 1)])
    engine = engine_of(
        (
            Lts(("a", "u"), 1, []),
            Network([steps, other], component_names=["STEPS", "OTHER"]),
            [Lts(("a",), 1, [])],
            (),
        )
    )
    found = suggest(engine, {"u"}, 2)
    ((guard,),) = (one.guards for one in found.single)
    assert guard_text(*guard.guards) == f"u while STEPS is {0 if early else 1}"
    assert found.single[0].cost == (0, False, 0, 1, 1)
