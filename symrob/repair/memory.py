"""The memory of C' beside the state of C, minimised.

In:  a `Restriction`, the parts of the memory that guards need, and for each guard the
     parts of the machine that it looks at.
Out: a `Memory`: a small deterministic system that provides the information of these
     parts.

Compatible states of the memory are merged: no action may have to be both disabled and
taken in the same state of the machine, and the result must be deterministic. Whatever
C' never observes is a don't-care. The merge is greedy; up to `FEW` states, all ways to
merge are tried, and the smallest result is taken.

Source: docs/sources.md [SW] (supervisor reduction).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from symrob.limits import check_size
from symrob.lts import ERROR, Action, Lts
from symrob.repair.cover import Point
from symrob.repair.plant import Plant, PlantPart
from symrob.repair.restriction import Restriction, taken_from
from symrob.symbolic.context import Bdd
from symrob.symbolic.parts import code_of

FEW = 6

# For an action, the points of the machine where it must be off, and on.
Decision = tuple[frozenset[Point], frozenset[Point]]


class Memory(NamedTuple):
    """A memory for guards.

    Attributes:
        lts: Deterministic; an action that it does not offer keeps its state.
        state_of: The state for each combination of states of the parts.
    """

    lts: Lts
    state_of: Mapping[Point, int]


NOTHING = Memory(Lts((), 1, ()), {(): 0})


def remembered(
    restriction: Restriction,
    parts: Sequence[PlantPart],
    looked_at: Mapping[Action, Sequence[PlantPart]],
) -> Memory:
    """Return a small memory with the information of these parts for the guards.

    Args:
        restriction: What the guards must do.
        parts: Parts of the plant's memory.
        looked_at: For each guarded action the parts of the machine that its guard
            reads; together with `parts` they determine whether it is disabled.

    Raises:
        LimitExceeded: The parts have too many states together.

    Cost: polynomial in the states of the parts together; see `FEW`.
    """
    if not parts:
        return NOTHING
    plant = restriction.plant
    points = sorted(plant.decoded(plant.shadow(restriction.reached, parts), parts))
    most = restriction.plant.system.ctx.clock.limits.max_states
    check_size(len(points), most, "memory of the guards")
    number = {point: i for i, point in enumerate(points)}
    start = number[(0,) * len(parts)]
    moves = _moves(restriction, parts, number)
    decisions = [_decisions(restriction, parts, point, looked_at) for point in points]
    blocks = _smallest(len(points), moves, decisions)
    first = next(i for i, block in enumerate(blocks) if start in block)
    blocks = [blocks[first], *blocks[:first], *blocks[first + 1 :]]
    of = {member: i for i, block in enumerate(blocks) for member in block}
    transitions = {
        (of[source], action, of[target])
        for (source, action), target in moves.items()
        if of[source] != of[target]
    }
    lts = Lts({action for _, action, _ in transitions}, len(blocks), transitions)
    return Memory(lts, {point: of[i] for point, i in number.items()})


def _moves(
    restriction: Restriction, parts: Sequence[PlantPart], number: Mapping[Point, int]
) -> dict[tuple[int, Action], int]:
    """How the parts move together when C' takes an action."""
    plant = restriction.plant
    moves: dict[tuple[int, Action], int] = {}
    for action in sorted({a for part in parts for a in part.lts.alphabet}):
        taken = plant.shadow(taken_from(restriction, action), parts)
        for point in plant.decoded(taken, parts):
            after = tuple(
                part.lts.successors[state].get(action, (ERROR,))[0]
                if action in part.lts.alphabet
                else state
                for part, state in zip(parts, point, strict=True)
            )
            moves[number[point], action] = number[after]
    return moves


def _decisions(
    restriction: Restriction,
    parts: Sequence[PlantPart],
    point: Point,
    looked_at: Mapping[Action, Sequence[PlantPart]],
) -> dict[Action, Decision]:
    plant = restriction.plant
    here = _here(plant, parts, point)
    found: dict[Action, Decision] = {}
    for action, machine in looked_at.items():
        off, on = (
            frozenset(plant.decoded(plant.shadow(states & here, machine), machine))
            for states in (restriction.off[action], restriction.on[action])
        )
        found[action] = off, on
    return found


def _here(plant: Plant, parts: Sequence[PlantPart], point: Point) -> Bdd:
    """Where some parts are in given states."""
    values: dict[str, bool] = {}
    for part, state in zip(parts, point, strict=True):
        values |= code_of(state, part.bits)
    return plant.system.ctx.cube(values)


def _smallest(
    size: int,
    moves: Mapping[tuple[int, Action], int],
    decisions: Sequence[Mapping[Action, Decision]],
) -> list[list[int]]:
    """The classes of a merge that is allowed, as few as are found."""
    if size <= FEW:
        ways = (w for w in _partitions(size) if _allowed(w, moves, decisions))
        return min(ways, key=lambda way: (len(way), way))
    blocks = [[i] for i in range(size)]
    for one in range(size):
        for other in range(one):
            merged = _merged(blocks, one, other, moves, decisions)
            if merged is not None:
                blocks = merged
                break
    return blocks


def _partitions(size: int) -> Iterator[list[list[int]]]:
    """Every partition of 0..size-1, each with its blocks sorted."""
    if size == 0:
        yield []
        return
    for smaller in _partitions(size - 1):
        for i, block in enumerate(smaller):
            yield [*smaller[:i], [*block, size - 1], *smaller[i + 1 :]]
        yield [*smaller, [size - 1]]


def _allowed(
    blocks: Sequence[Sequence[int]],
    moves: Mapping[tuple[int, Action], int],
    decisions: Sequence[Mapping[Action, Decision]],
) -> bool:
    of = {member: i for i, block in enumerate(blocks) for member in block}
    after: dict[tuple[int, Action], int] = {}
    for (source, action), target in moves.items():
        if after.setdefault((of[source], action), of[target]) != of[target]:
            return False
    return all(_agree(block, decisions) for block in blocks)


def _agree(
    block: Sequence[int], decisions: Sequence[Mapping[Action, Decision]]
) -> bool:
    """Whether no action is on for one member where it is off for another."""
    for action in decisions[block[0]]:
        off = frozenset().union(*(decisions[m][action][0] for m in block))
        if any(off & decisions[m][action][1] for m in block):
            return False
    return True


def _merged(
    blocks: Sequence[list[int]],
    one: int,
    other: int,
    moves: Mapping[tuple[int, Action], int],
    decisions: Sequence[Mapping[Action, Decision]],
) -> list[list[int]] | None:
    """The classes after two members became one, and all that follows from it.

    Where a class could go to two classes by one action, these become one too. Ends:
    each round has a class less.
    """
    current = [list(block) for block in blocks]
    todo = [(one, other)]
    while todo:
        left, right = (next(b for b in current if member in b) for member in todo.pop())
        if left is right:
            continue
        joined = sorted(left + right)
        if not _agree(joined, decisions):
            return None
        current = [b for b in current if b is not left and b is not right] + [joined]
        first: dict[Action, int] = {}
        for member in joined:
            for (source, action), target in moves.items():
                if source == member and first.setdefault(action, target) != target:
                    todo.append((first[action], target))
    return sorted(current)
