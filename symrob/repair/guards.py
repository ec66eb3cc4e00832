"""A restriction as guards: "disable a while TURNTABLE is TO_FLATTENER".

In:  a `Restriction`.
Out: `Guards`: for each action that C' disables, short conditions on few components of
     C, and a small memory if the states of C do not suffice; and the guard as a
     component that runs beside C.

States that C' does not reach and states without the action are don't-cares. A guard
reads as few components as suffice. Only if all of them together do not, it reads a
memory: what E may have done, and the state of the properties.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from symrob.limits import Clock, check_size
from symrob.lts import Action, Lts
from symrob.repair.components import MEMORY, Guard, InStates, components
from symrob.repair.cover import Cube, Point, cover
from symrob.repair.memory import NOTHING, Memory, remembered
from symrob.repair.plant import Plant, PlantPart
from symrob.repair.restriction import Restriction
from symrob.symbolic.context import Bdd

# Components of which all choices of this many are tried; beyond, one after the other is
# left out that is not needed.
ALL_CHOICES = 3
# Points of a projection up to which a guard is minimised.
MOST_POINTS = 20_000


@dataclass(frozen=True)
class Guards:
    """A restriction, expressed as guards.

    Attributes:
        guards: One for each action that is ever disabled, by its name.
        memory: The memory; a single state if C's own states suffice.
        components: The guards as components: C with them is C'.
    """

    guards: tuple[Guard, ...]
    memory: Lts
    components: tuple[Lts, ...]

    @classmethod
    def one(cls, guard: Guard, clock: Clock) -> Guards:
        """Return one guard that needs no memory."""
        return cls((guard,), NOTHING.lts, components([guard], clock))


def guards_of(restriction: Restriction, clock: Clock) -> Guards:
    """Express a restriction as guards.

    Args:
        restriction: Which actions to disable in which states.
        clock: Checked at intervals.

    Raises:
        LimitExceeded: A guard reads too much, or a bound was hit.

    Cost: a projection for each choice of up to `ALL_CHOICES` components.
    """
    plant = restriction.plant
    chosen = {a: _parts_that_tell(restriction, a) for a in sorted(restriction.off)}
    machine = {a: [p for p in ps if p in plant.machine] for a, ps in chosen.items()}
    kept = [p for p in plant.memory if any(p in ps for ps in chosen.values())]
    memory = remembered(restriction, kept, machine)
    rows = _Rows(plant, machine, kept, memory)
    cubes = {a: rows.cubes(restriction, a) for a in chosen}
    guards = tuple(
        Guard(a, tuple(map(tuple, rows.terms(a, cubes[a])))) for a in sorted(cubes)
    )
    return Guards(guards, memory.lts, components(guards, clock))


def _parts_that_tell(restriction: Restriction, action: Action) -> list[PlantPart]:
    """The fewest parts that tell where an action is on and where it is off.

    Those of the machine if they suffice, with as few of the memory as possible else.
    """
    plant = restriction.plant
    off, on = restriction.off[action], restriction.on[action]

    def tell(parts: Sequence[PlantPart]) -> bool:
        both = plant.shadow(off, parts) & plant.shadow(on, parts)
        return bool(both == plant.system.ctx.false)

    machine = list(plant.machine)
    if tell(machine):
        few = _choices(plant, action, off, on)
        best = min(few, default=None, key=lambda found: found[0])
        return best[1] if best is not None else _needed(machine, [], tell)
    for count in range(1, len(plant.memory) + 1):
        for kept in combinations(plant.memory, count):
            if tell([*machine, *kept]):
                return _needed(machine, list(kept), tell)
    raise AssertionError("all parts together distinguish all states")


def _choices(
    plant: Plant, action: Action, off: Bdd, on: Bdd
) -> Iterator[tuple[tuple[int, int, int], list[PlantPart]]]:
    """The choices of as few components as tell.

    With how long the guard gets, and how many of them have no part in the action: one
    that has is the better place for a guard.
    """
    nothing = plant.system.ctx.false
    for count in range(ALL_CHOICES + 1):
        found = False
        for number, parts in enumerate(combinations(plant.machine, count)):
            here, there = plant.shadow(off, parts), plant.shadow(on, parts)
            if here & there == nothing:
                found = True
                points = (_points(plant, s, parts) for s in (here, there))
                length = sum(
                    1 + sum(len(v) for v in cube if v is not None)
                    for cube in cover(*points)
                )
                strangers = sum(action not in part.lts.alphabet for part in parts)
                yield (length, strangers, number), list(parts)
        if found:
            return


def _needed(
    machine: list[PlantPart],
    kept: list[PlantPart],
    tell: Callable[[Sequence[PlantPart]], bool],
) -> list[PlantPart]:
    """Leave out one component after the other that is not needed."""
    for part in list(machine):
        fewer = [p for p in machine if p is not part]
        if tell([*fewer, *kept]):
            machine = fewer
    return [*machine, *kept]


def _points(plant: Plant, shadow: Bdd, parts: Sequence[PlantPart]) -> list[Point]:
    """The states of some parts, one by one; not too many."""
    bits = [bit for part in parts for bit in part.bits]
    check_size(plant.system.ctx.count(shadow, bits), MOST_POINTS, "guard")
    return sorted(plant.decoded(shadow, parts))


class _Rows:
    """The guards over the states of their components and of the memory."""

    def __init__(
        self,
        plant: Plant,
        machine: Mapping[Action, Sequence[PlantPart]],
        kept: Sequence[PlantPart],
        memory: Memory,
    ) -> None:
        self._plant = plant
        self._machine = machine
        self._kept = kept
        self._memory = memory

    def cubes(self, restriction: Restriction, action: Action) -> list[Cube]:
        """Minimise one guard; its last coordinate is the state of the memory."""
        parts = [*self._machine[action], *self._kept]
        split = len(self._machine[action])
        both = [
            {
                (*point[:split], self._memory.state_of[point[split:]])
                for point in _points(
                    self._plant, self._plant.shadow(states, parts), parts
                )
            }
            for states in (restriction.off[action], restriction.on[action])
        ]
        return cover(*both)

    def terms(self, action: Action, cubes: Sequence[Cube]) -> Iterator[list[InStates]]:
        """Yield each cube as conditions on components."""
        looked_at = [(p.name, p.lts) for p in self._machine[action]]
        for cube in cubes:
            yield [
                InStates(name, states, lts)
                for (name, lts), states in zip(
                    [*looked_at, (MEMORY, self._memory.lts)], cube, strict=True
                )
                if states is not None
            ]
