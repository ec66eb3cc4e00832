"""Moore machines: minimal and complete automata with an output in each state.

In:  rows of targets, and the output of each state.
Out: a `Machine`, the smallest one with the same output after each sequence of actions.

The output depends on the state alone, so a monitor does one table lookup a step.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from symrob.lts import Action
from symrob.lts.bisimulation import coarsest

Answer = TypeVar("Answer", bound=Hashable)


@dataclass(frozen=True)
class Machine(Generic[Answer]):
    """A deterministic automaton that takes each of its actions in each state.

    Attributes:
        actions: Its actions, in the order of the columns.
        next: For each state and action the next state; state 0 is initial.
        answers: The output of each state.
        names: The display name of each state.
    """

    actions: tuple[Action, ...]
    next: tuple[tuple[int, ...], ...]
    answers: tuple[Answer, ...]
    names: tuple[str, ...]

    def __len__(self) -> int:
        """Return the number of states."""
        return len(self.next)


def minimal(
    actions: Sequence[Action],
    rows: Sequence[Sequence[int]],
    answers: Sequence[Answer],
    names: Sequence[str],
) -> Machine[Answer]:
    """Return the smallest automaton with the same outputs, in breadth-first order.

    Args:
        actions: Its actions.
        rows: For each state and action the next state; all are reachable from 0.
        answers: The output of each state.
        names: The name of each state; a class gets the name of its first state.

    Cost: as for `coarsest`: at most as many rounds as states, each linear in the table.
    """
    kinds: dict[Answer, int] = {}
    start = [kinds.setdefault(answer, len(kinds)) for answer in answers]
    labels = [str(column) for column in range(len(actions))]
    classes = coarsest(start, [list(zip(labels, row, strict=True)) for row in rows])
    first: dict[int, int] = {}
    for state, number in enumerate(classes):
        first.setdefault(number, state)
    order = [classes[0]]
    place = {classes[0]: 0}
    table = []
    for number in order:
        row = []
        for target in rows[first[number]]:
            if classes[target] not in place:
                place[classes[target]] = len(order)
                order.append(classes[target])
            row.append(place[classes[target]])
        table.append(tuple(row))
    members = [first[number] for number in order]
    return Machine(
        tuple(actions),
        tuple(table),
        tuple(answers[m] for m in members),
        tuple(names[m] for m in members),
    )
