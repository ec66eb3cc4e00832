"""The cheapest single guard against all guards, tried one by one."""

from random import Random

from hypothesis import given, settings

from symrob.repair.suggest import suggest
from tests.oracles.single_guards import Machine
from tests.repair.test_restriction import engine_of, random_question
from tests.strategies import rngs

EXAMPLES = max(60, settings.default.max_examples // 2)
# States of C in which an action may be taken: 2 to the power of these are tried.
MOST_CELLS = 6


def check_cheapest(rng, kinds, *, most=3):
    """Compare the cheapest guard of each hazard; count what kinds there were."""
    problem, _, controllable = random_question(rng, machine=rng.choice((2, 3, 4)))
    engine = engine_of(problem)
    if engine is None or not controllable:
        return
    machine = Machine(problem)
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
        assert simple[0] >= least
        if simple[0] == least:
            assert cost == simple
            kind = "lossy" if least else "free"
            kind += " two" if simple[2] > 1 else ""
            kind += " some" if simple[3] > 1 else ""
        else:
            assert cost.lost == least
            assert cost.memory > 1
            kind = "memory lossy" if least else "memory"
        kinds[kind] = kinds.get(kind, 0) + 1


@settings(max_examples=EXAMPLES)
@given(rngs())
def test_no_single_guard_is_cheaper(rng):
    check_cheapest(rng, {})


def test_cheapest_guards_of_every_kind_are_met():
    kinds = {}
    for seed in range(150):
        check_cheapest(Random(seed), kinds)
    assert kinds.keys() > {"none", "free", "lossy", "memory"}, kinds
