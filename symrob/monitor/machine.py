"""Machines with an answer in each state, minimal and complete.

In:  rows of targets, and what each state says.
Out: a `Machine`, the smallest one that says the same after each sequence of actions.

These are Moore machines: the answer depends on the state alone, so one lookup a step
is all that a monitor does.
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
    """A deterministic machine that takes each of its actions in each state.

    Attributes:
        actions: What it sees, in the order of the columns.
        next: For each state and action the state behind it; state 0 is the first.
        answers: What each state says.
        names: What each state is called, for people.
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
    """Return the smallest machine that answers the same, in breadth-first order.

    Args:
        actions: What the machine sees.
        rows: For each state and action the state behind it; all can be reached from 0.
        answers: What each state says.
        names: What each state is called; a class gets the name of its first state.

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
