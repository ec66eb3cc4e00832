"""The whole envelope at one glance: what candidates of each class and action are worth.

Out: a `ClassMatrix`: a count for each class, action and kind; `overview` makes it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal, get_args

from symrob.lts import Action
from symrob.problem.classes import CLASSES, Class
from symrob.words import PLAIN, Words

Worth = Literal[
    "always",
    "contested",
    "unknown",
    "hazardous",
    "excluded-unsafe",
    "excluded-safe",
    "undecided",
]
WORTHS: tuple[Worth, ...] = get_args(Worth)


@dataclass(frozen=True)
class ClassRow:
    """What the candidates of a class and an action are worth.

    Attributes:
        class_: The class.
        name: What the case calls it.
        action: The action.
        counts: How many there are of each worth.
    """

    class_: Class
    name: str
    action: Action
    counts: dict[Worth, int]


@dataclass(frozen=True)
class ClassMatrix:
    """Counts of candidates by class, action and what they are worth.

    Attributes:
        actions: Act_E, sorted.
        counts: For each class and action that has candidates, how many of each worth:
            tolerated always, contested or unknown which; the verdicts of those that are
            not tolerated alone; `undecided` for what breaks an assumption and was not
            looked at further. Nothing stands for 0.
        words: What the classes are called.
    """

    actions: tuple[Action, ...]
    counts: Mapping[tuple[Class, Action], Mapping[Worth, int]]
    words: Words = field(default=PLAIN, compare=False)

    @property
    def rows(self) -> tuple[ClassRow, ...]:
        """The cells that are not empty."""
        return tuple(
            ClassRow(
                kind,
                self.words.kind(kind),
                action,
                {worth: counts.get(worth, 0) for worth in WORTHS},
            )
            for kind, action, counts in self.cells()
        )

    def cells(self) -> Iterator[tuple[Class, Action, Mapping[Worth, int]]]:
        """Yield the cells that are not empty, by class and action."""
        for kind in CLASSES:
            for action in self.actions:
                if (kind, action) in self.counts:
                    yield kind, action, self.counts[kind, action]
