"""Parts that do not matter are left out, and nothing else changes by it."""

from random import Random

from hypothesis import given, settings

from symrob.api import load_roles, open_engine
from symrob.case import load_case
from symrob.lts import ERROR, Lts, Network
from symrob.options import Options
from symrob.repair.cone import relevant
from symrob.repair.plant import Plant
from tests.repair.test_restriction import (
    SEEDS,
    check_by_definition,
    engine_of,
    random_question,
)
from tests.strategies import rngs


def plant_of(engine, deviations, *, whole=False):
    graphs = [engine.extended(d) for d in deviations]
    return Plant(engine, graphs, whole=whole)


def bystander(rng, alphabet):
    """A component that never fails, and blocks nothing but an action of its own."""
    known = tuple(a for a in alphabet if rng.random() < 0.7)
    size = rng.randint(1, 3)
    moves = [(s, a, rng.randrange(size)) for s in range(size) for a in known]
    return Lts((*known, "own"), size, [*moves, (0, "own", size - 1)])


def with_bystander(rng):
    (environment, controller, properties, _), deviations, allowed = random_question(rng)
    alphabet = {*environment.alphabet, *controller.alphabet}
    machine = Network(
        [*controller.components, bystander(rng, sorted(alphabet - controller.hidden))],
        hidden=controller.hidden,
    )
    return (environment, machine, properties, ()), deviations, {*allowed, "own"}


@settings(max_examples=SEEDS // 4)
@given(rngs())
def test_a_bystander_changes_nothing(rng):
    question = with_bystander(rng)
    engine = engine_of(question[0])
    if engine is not None:
        named = [part.name for part in plant_of(engine, question[1]).machine]
        assert len(named) < len(plant_of(engine, question[1], whole=True).machine)
    check_by_definition(question)


def test_the_alarm_of_the_pump_does_not_matter():
    case = load_case("models/pca_pump/pca_pump.toml")
    engine = open_engine(load_roles(case, Options().limits), Options())
    with_all = plant_of(engine, [()], whole=True)
    assert [part.name for part in with_all.machine][:2] == ["POWER", "ALARM"]
    without = plant_of(engine, [()])
    assert "ALARM" not in [part.name for part in without.machine]


def failures(parts, monitors, length):
    """By trying: each run of up to a length that ends in ERROR."""
    alphabet = sorted({a for lts in parts for a in lts.alphabet})
    todo = [((), (0,) * (len(parts) + len(monitors)))]
    found = set()
    for run, states in todo:
        for action in alphabet if len(run) < length else ():
            after = []
            for index, lts in enumerate((*parts, *monitors)):
                target = states[index]
                if action in lts.alphabet:
                    blocks = None if index < len(parts) else ERROR
                    (target,) = lts.successors[target].get(action, (blocks,))
                after.append(target)
            if None in after:
                continue
            if ERROR in after:
                found.add((*run, action))
            else:
                todo.append(((*run, action), tuple(after)))
    return found


def random_part(rng):
    """A deterministic one; every second blocks nothing."""
    alphabet = [a for a in "abcd" if rng.random() < 0.6] or ["a"]
    blocks, fails = rng.choice((0, 0.4)), rng.choice((0, 0, 0.2))
    moves = []
    for state in range(2):
        for action in alphabet:
            target = ERROR if rng.random() < fails else rng.randrange(2)
            if rng.random() >= blocks:
                moves.append((state, action, target))
    return Lts(alphabet, 2, moves)


def test_what_fails_fails_beside_the_others():
    """But for actions that move none of the parts that matter, the same runs fail."""
    left_out = 0
    for seed in range(120):
        rng = Random(seed)
        parts = [random_part(rng) for _ in range(3)]
        monitors = [random_part(rng) for _ in range(rng.randint(0, 1))]
        matters = relevant(parts, monitors)
        left_out += 0 < len(matters) < len(parts) + len(monitors)
        offered = sorted({a for lts in parts for a in lts.alphabet})
        kept = [p for i, p in enumerate(parts) if i in matters]
        kept.append(Lts(offered, 1, [(0, a, 0) for a in offered]))
        judges = [m for i, m in enumerate(monitors, len(parts)) if i in matters]
        real = [*kept[:-1], *judges]
        moving = {a for lts in real for s, a, t in lts.transitions if s != t}
        moving |= {
            a for m in judges for row in m.successors for a in {*m.alphabet} - {*row}
        }
        before, after = (
            {tuple(a for a in run if a in moving) for run in failures(*some, 5)}
            for some in ((parts, monitors), (kept, judges))
        )
        assert before == after
    assert 20 < left_out < 100
