"""Automorphisms of small structures against trying every permutation."""

from itertools import permutations
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from symrob.limits import Clock
from symrob.robustness.automorphism import Structure, automorphisms

CLOCK = Clock()
ENOUGH = 10**7


def closure(generators, start):
    """Everything that the generators make of `start`, itself among it."""
    seen, todo = {start}, [start]
    while todo:
        thing = todo.pop()
        for generator in generators:
            image = generator(thing)
            if image not in seen:
                seen.add(image)
                todo.append(image)
    return seen


def random_structure(rng):
    """Few vertices and triples, often with vertices that look alike."""
    size = rng.randint(1, 6)
    kinds = tuple(rng.choice("xxy") for _ in range(size))
    triples = {
        tuple(rng.randrange(size) for _ in range(3)) for _ in range(rng.randint(0, 8))
    }
    if rng.random() < 0.7:
        turn = [*range(1, size), 0]
        if rng.random() < 0.5:
            turn = rng.sample(range(size), size)
        kinds = ("x",) * size
        for _ in range(size):
            triples |= {tuple(turn[v] for v in triple) for triple in triples}
    return Structure(kinds, frozenset(triples))


def all_automorphisms(structure):
    """By trying every permutation."""
    return {
        images
        for images in permutations(range(len(structure.kinds)))
        if all(structure.kinds[v] == structure.kinds[images[v]] for v in images)
        and {tuple(images[v] for v in triple) for triple in structure.triples}
        == structure.triples
    }


@settings(max_examples=300)
@given(st.integers(0, 2**48))
def test_the_generators_generate_every_automorphism_of_a_small_structure(seed):
    structure = random_structure(Random(seed))
    generators = automorphisms(structure, CLOCK, ENOUGH)
    identity = tuple(range(len(structure.kinds)))
    assert identity not in generators
    group = closure(
        [lambda p, g=g: tuple(g[v] for v in p) for g in generators], identity
    )
    assert group == all_automorphisms(structure)


def cycle(size):
    return {(v, (v + 1) % size, v) for v in range(size)}


@pytest.mark.parametrize("size", [2, 3, 6])
def test_a_check_is_a_check(size):
    structure = Structure(("x",) * size, frozenset(cycle(size)))
    turn = tuple((v + 1) % size for v in range(size))
    assert structure.has_automorphism(turn)
    assert not structure.has_automorphism((0,) * size)
    assert not Structure(("y", *"x" * (size - 1)), structure.triples).has_automorphism(
        turn
    )
    broken = Structure(structure.kinds, structure.triples | {(0, 0, 0)})
    assert not broken.has_automorphism(turn)


def test_what_refinement_takes_for_equal_is_checked():
    # Every vertex looks the same in two triangles and a hexagon.
    triangles = {(v, 3 * (v // 3) + (v + 1) % 3, v) for v in range(6)}
    hexagon = {(x + 6, y + 6, z + 6) for x, y, z in cycle(6)}
    structure = Structure(("x",) * 12, frozenset(triangles | hexagon))
    generators = automorphisms(structure, CLOCK, ENOUGH)
    assert generators
    assert all(structure.has_automorphism(g) for g in generators)
    assert all(g[v] < 6 for g in generators for v in range(6))


def test_a_search_that_is_out_of_work_gives_less():
    structure = Structure(("x",) * 9, frozenset((v, v, v) for v in range(9)))
    counts = [
        len(automorphisms(structure, CLOCK, most_work))
        for most_work in (0, 300, ENOUGH)
    ]
    assert counts[0] == 0 < counts[1] < counts[2] == 8
