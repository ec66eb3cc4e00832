"""Δ and the minimal unsafe sets by growing and shrinking what a SAT solver proposes.

In:  a checked `Problem` without constraints.
Out: both antichains, once all of both is known; sets of candidates are masks.

What one would write first: the pairs (state of E, state of C‖P) with each step's
candidate are listed once, those that cannot reach ERROR are left out, and each
question is a walk. A solver proposes a set that no known maximal set contains and that
contains no known minimal one; it is grown or shrunk candidate by candidate, and a
clause excludes the result (Liffiton and others' MARCO).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from time import process_time

from pysat.solvers import Glucose4

from bench.baselines.explicit_connected import OutOfBudget
from bench.baselines.machine import Machine
from symrob.lts import ERROR, TAU, Transition
from symrob.problem import Problem

Sets = list[int]
# For each pair where it leads, each time with the candidate that it takes as a bit; 0
# where it takes none. -1 is ERROR.
Steps = list[list[tuple[int, int]]]


@dataclass(frozen=True)
class Antichains:
    """What there is to know.

    Attributes:
        candidates: A without R_E; bit i of a set is the i-th.
        maximal: The maximal safe sets.
        cuts: The minimal unsafe sets.
    """

    candidates: list[Transition]
    maximal: Sets
    cuts: Sets


def grow_and_shrink(problem: Problem, seconds: float = float("inf")) -> Antichains:
    """Return Δ and the minimal unsafe sets.

    Args:
        problem: The checked problem; the nominal system is safe.
        seconds: Bound on the processor time.

    Raises:
        OutOfBudget: It was passed.

    Cost: a walk through all pairs for each candidate and set.
    """
    end = process_time() + seconds
    candidates, steps = closed_loop(problem)
    count = len(candidates)

    def is_safe(chosen: int) -> bool:
        if process_time() > end:
            raise OutOfBudget
        seen, todo = {0}, [0]
        while todo:
            for bit, target in steps[todo.pop()]:
                if bit & chosen == bit and target not in seen:
                    if target == ERROR:
                        return False
                    seen.add(target)
                    todo.append(target)
        return True

    maximal, cuts = Sets(), Sets()
    with Glucose4() as solver:
        # Every variable is mentioned, and tried true first.
        solver.append_formula([[v, -v] for v in range(1, count + 1)])
        solver.set_phases(range(1, count + 1))
        while solver.solve():
            chosen = sum(1 << v - 1 for v in solver.get_model() if v > 0)
            if is_safe(chosen):
                for bit in (1 << c for c in range(count)):
                    if not chosen & bit and is_safe(chosen | bit):
                        chosen |= bit
                maximal.append(chosen)
                solver.add_clause([c + 1 for c in range(count) if not chosen >> c & 1])
            else:
                for bit in (1 << c for c in range(count)):
                    if chosen & bit and not is_safe(chosen ^ bit):
                        chosen ^= bit
                cuts.append(chosen)
                solver.add_clause([-c - 1 for c in range(count) if chosen >> c & 1])
    return Antichains(candidates, maximal, cuts)


def closed_loop(problem: Problem) -> tuple[list[Transition], Steps]:
    """Return the candidates, and the pairs that can reach ERROR, the first one first.

    Cost: linear in the steps of E with all candidates beside C‖P.
    """
    environment = problem.environment
    machine = Machine(environment, problem.controller, problem.properties)
    states, nominal = range(environment.size), frozenset(environment.transitions)
    triples = [
        Transition(q, a, r)
        for q in states
        for a in environment.alphabet
        for r in states
    ]
    candidates = [t for t in triples if t not in nominal]
    bit = {t: 1 << c for c, t in enumerate(candidates)}
    keys = [(0, 0)]
    number = {keys[0]: 0}
    steps: Steps = []

    def moves(state: int, local: int) -> Iterator[tuple[int, int, int]]:
        yield from ((0, state, after) for after in machine.internal(local))
        for target in environment.successors[state].get(TAU, ()):
            yield 0, target, local
        for action in environment.alphabet:
            for after in machine.moves(local, action):
                for target in states:
                    yield bit.get(Transition(state, action, target), 0), target, after

    for state, local in keys:
        row = {}
        for needed, target, after in moves(state, local):
            key = (target, after)
            if after != ERROR and key not in number:
                number[key] = len(keys)
                keys.append(key)
            row[needed, ERROR if after == ERROR else number[key]] = None
        steps.append(list(row))
    return candidates, _harmful(steps)


def _harmful(steps: Steps) -> Steps:
    """The same without the steps to pairs that cannot reach ERROR."""
    into: list[list[int]] = [[] for _ in steps]
    found = set()
    for source, row in enumerate(steps):
        for _, target in row:
            if target == ERROR:
                found.add(source)
            else:
                into[target].append(source)
    todo = list(found)
    while todo:
        for source in into[todo.pop()]:
            if source not in found:
                found.add(source)
                todo.append(source)
    return [[s for s in row if s[1] in found or s[1] == ERROR] for row in steps]
