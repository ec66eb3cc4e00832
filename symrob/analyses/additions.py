"""The steps that candidates or fault modes add to an environment.

In:  an environment, and the fault modes if they are the units.
Out: `Singles` or `ModeAdditions`: units by number, and the steps that sets of them
     bring.

A unit is a transition of A, by its number in certificates (docs/certificates.md), or
the index of a fault mode.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple, Protocol

from symrob.lts import TAU, Action, Lts, Transition
from symrob.lts.masks import bits
from symrob.problem.units import Chosen, Units

Unit = int


class AddedStep(NamedTuple):
    """A step of E.

    Attributes:
        action: Index of its action; -1 for an internal move.
        needs: Sets of units; the step exists if one of each set is chosen.
    """

    action: int
    needs: tuple[frozenset[Unit], ...] = ()


# For each state of E, by action, steps with their targets.
Rows = list[dict[str, list[tuple[AddedStep, int]]]]


class Additions(Protocol):
    """The steps that units add to E.

    Attributes:
        planned: The steps of E without them.
    """

    planned: Rows

    def rows(self, chosen: frozenset[Unit]) -> Rows:
        """Return the added steps; the needs of each are limited to the given units."""


def _planned(environment: Lts, place: Mapping[Action, int]) -> Rows:
    rows: Rows = [{} for _ in range(environment.size)]
    for q, a, r in environment.transitions:
        rows[q].setdefault(a, []).append((AddedStep(place[a]), r))
    return rows


def _places(actions: Iterable[Action]) -> dict[Action, int]:
    return {TAU: -1} | {action: place for place, action in enumerate(actions)}


class Singles:
    """Single candidates, each a unit.

    Args:
        environment: E.
    """

    def __init__(self, environment: Lts) -> None:
        self._alphabet, self._size = environment.alphabet, environment.size
        self._place = _places(self._alphabet)
        self.planned = _planned(environment, self._place)
        # By number: the source, the action, the step and its target.
        self._steps: dict[Unit, tuple[int, str, tuple[AddedStep, int]]] = {}

    def number(self, transition: Transition) -> Unit:
        """Return the number of a transition of A."""
        source, action, target = transition
        row = source * len(self._alphabet) + self._place[action]
        return row * self._size + target

    def transition(self, number: Unit) -> Transition:
        """Return the transition of A with a number."""
        rest, target = divmod(number, self._size)
        source, place = divmod(rest, len(self._alphabet))
        return Transition(source, self._alphabet[place], target)

    def rows(self, chosen: frozenset[Unit]) -> Rows:
        """See `Additions`."""
        rows: Rows = [{} for _ in range(self._size)]
        for number in sorted(chosen):
            if number not in self._steps:
                source, action, target = self.transition(number)
                step = AddedStep(self._place[action], (frozenset((number,)),))
                self._steps[number] = source, action, (step, target)
            source, action, last = self._steps[number]
            rows[source].setdefault(action, []).append(last)
        return rows


class ModeAdditions:
    """Fault modes, each a unit.

    Args:
        environment: E; composed with all modes, if these change components.
        units: The modes.
        names: The modes, in the order of their numbers here.

    Actions are numbered in the order of their names.
    """

    def __init__(self, environment: Lts, units: Units, names: Sequence[str]) -> None:
        model = units.network or environment
        named = {a for part in model.components for a in part.alphabet}
        self._place = _places(sorted(named - model.hidden))
        self._units = units
        self.planned = _planned(environment, self._place)
        self._number = [names.index(mode.name) for mode in units.modes]
        self._mode = {number: m for m, number in enumerate(self._number)}

    def mask(self, chosen: Iterable[Unit]) -> Chosen:
        """Return modes in the numbering of the problem."""
        return sum(1 << self._mode[unit] for unit in chosen)

    def numbers(self, chosen: Chosen) -> frozenset[Unit]:
        """Return the numbers of modes."""
        return frozenset(self._number[m] for m in bits(chosen))

    def rows(self, chosen: frozenset[Unit]) -> Rows:
        """See `Additions`."""
        rows: Rows = [{} for _ in self.planned]
        mask = self.mask(chosen)
        for (source, action, target), needs in self._units.steps:
            if all(need & mask for need in needs):
                brought = tuple(self.numbers(need & mask) for need in needs)
                step = AddedStep(self._place[action], brought)
                rows[source].setdefault(action, []).append((step, target))
        return rows
