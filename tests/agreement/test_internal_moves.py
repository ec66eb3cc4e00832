"""Closing a set under internal moves: only some are taken, and none is missed."""

from random import Random

from symrob.lts import Network
from symrob.symbolic.context import Context
from symrob.symbolic.encoding import SymbolicSystem
from tests.generate import random_lts

OWN = ["u", "v", "w"]
SHARED = ["a", "b", "c"]


def closed(states, step, moves):
    """Take all moves from all states, until that adds none."""
    while True:
        before = states
        for move in moves:
            states |= step(states, move)
        if states == before:
            return states


def test_only_moves_near_the_last_step_can_add_states():
    """Four parts: there are always moves that share none, and chains of moves."""
    skipped = 0
    for seed in range(60):
        rng = Random(seed)
        parts = [
            random_lts(rng, rng.sample(OWN + SHARED, 2), 3, 0.4, tau=0.1)
            for _ in range(4)
        ]
        system = SymbolicSystem(Context(), Network(parts), (), SHARED)
        internal = system.internal
        start = closed(system.initial, system.post, internal)
        everything = closed(start, system.post, (*internal, *system.moves.values()))
        for move in system.moves.values():
            after = system.post(start, move)
            assert system.close(after, move) == closed(after, system.post, internal)
            skipped += len(system._near(move)) < len(system.clusters)
            goal = closed(after & everything, system.pre, internal) & everything
            before = system.pre(goal, move) & everything
            expected = closed(before, system.pre, internal) & everything
            assert system.close_back(before, everything, move) == expected
    assert skipped > 50
