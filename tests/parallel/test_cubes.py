"""Cubes and the board, with searchers that take turns and get lost."""

from random import Random

import pytest
from hypothesis import assume, given, settings

import symrob
from symrob.envelope import tuning
from symrob.lts import Lts
from symrob.parallel.board import Board
from symrob.parallel.cubes import Cubes, Sets
from symrob.parallel.spread import by_cubes
from tests.composed import fault_modes, network, random_composed, random_modes
from tests.engines import engine_if_safe
from tests.fuzz.knobs import turned
from tests.fuzz.problems import many, small
from tests.generate import TINY, random_problem
from tests.oracles.modes import every_maximal
from tests.oracles.reference import Reference
from tests.searchers import in_turn
from tests.strategies import rngs
from tests.strength import examples


def spread_over(problem, rng, monkeypatch):
    """Δ by cubes and the engine; None where the nominal system is unsafe."""
    monkeypatch.setattr(tuning, "SAMPLED_SETS", rng.choice((0, 1, 2, 5)))
    monkeypatch.setattr(tuning, "CUBES_EACH", rng.choice((1, 2, 4)))
    monkeypatch.setattr(tuning, "FIRST_SETS", rng.choice((0, 1, 500)))
    monkeypatch.setattr(tuning, "GROWN_AT_FIRST", rng.choice((1, 50)))
    engine = engine_if_safe(problem)
    if engine is None:
        return None
    number = rng.randint(1, 3)
    return list(by_cubes(engine.safe_sets, number, in_turn(rng, number))), engine


def problems(rng):
    yield random_problem(rng, shapes=TINY)
    yield small(rng)
    yield many(rng)


@pytest.mark.parametrize("seed", range(60))
def test_cubes_give_what_the_definition_says(seed, monkeypatch):
    rng = Random(seed)
    for problem in problems(rng):
        answer = spread_over(problem, rng, monkeypatch)
        if answer is None:
            continue
        found, _engine = answer
        reference = Reference(problem)
        if not reference.solved:
            continue
        masks = [reference.mask(deviation) for deviation in found]
        assert len(masks) == len(set(masks))
        assert set(masks) == reference.maximal


@settings(max_examples=examples(30, 800))
@given(rngs())
def test_cubes_give_the_same_sets_of_modes(rng):
    problem = random_composed(rng)
    assume(problem is not None)
    modes = random_modes(rng, problem)
    read = Lts.from_dict
    engine = symrob.compute(
        network({"hidden": [], **problem}),
        read(problem["controller"]),
        list(map(read, problem["properties"])),
        list(map(read, problem["env_constraints"])),
        faults=fault_modes(modes),
        only=True,
    ).engine
    number, sampled = rng.randint(1, 3), rng.choice((0, 1, 2, 5))
    with turned({"SAMPLED_SETS": sampled, "CUBES_EACH": rng.choice((1, 2, 4))}):
        cubes = by_cubes(engine.sets, number, in_turn(rng, number))
        found = [frozenset(one.modes) for one in cubes]
    assert len(found) == len(set(found))
    assert set(found) == every_maximal(problem, modes)[0]


def test_each_set_lies_in_one_cube():
    rng = Random(1)
    for states in (3, 9, 70):
        sets = Sets(4, states)
        sample = [[rng.getrandbits(states) for _ in range(4)] for _ in range(30)]
        packed = [sets.packed(rows) for rows in sample]
        assert [sets.unpacked(p) for p in packed] == sample
        cubes = Cubes(sets, packed, 6)
        assert len(cubes) == 6
        for rows, one in zip(sample, packed, strict=True):
            inside = [
                number
                for number in range(len(cubes))
                if all(
                    i & ~row == 0 and e & row == 0
                    for row, i, e in zip(
                        rows,
                        cubes[number].including,
                        cubes[number].excluding,
                        strict=True,
                    )
                )
            ]
            assert inside == [cubes.place(one)]


def test_a_cube_that_was_not_searched_to_its_end_is_an_error():
    sets = Sets(1, 4)
    cubes = Cubes(sets, [b"\x01", b"\x02"], 2)
    board = Board(cubes, [b"\x01", b"\x02"])
    first = board.next_cube("a")
    second = board.next_cube("b")
    assert {first, second} == {0, 1}
    board.finish("a")
    missed = next(p for p in (b"\x05", b"\x0a") if cubes.place(p) == first)
    with pytest.raises(AssertionError, match="lacks a set"):
        board.note("b", [missed])
