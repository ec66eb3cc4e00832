"""The envelope at a glance: verdicts on candidates, counted by class and action.

Out: a `ClassMatrix`: a count for each class, action and kind; `overview` computes it.
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
    """The counts for the candidates of one class and action.

    Attributes:
        class_: The class.
        name: Its name in the case.
        action: The action.
        counts: The number of candidates of each kind.
    """

    class_: Class
    name: str
    action: Action
    counts: dict[Worth, int]


@dataclass(frozen=True)
class ClassMatrix:
    """Counts of candidates by class, action and kind.

    Attributes:
        actions: Act_E, sorted.
        counts: For each class and action with candidates, how many are of each kind:
            always tolerated, contested or unknown; the verdicts of those that are not
            tolerated individually; `undecided` for those that break an assumption and
            were not judged further. Missing kinds count 0.
        words: The names of the classes.
    """

    actions: tuple[Action, ...]
    counts: Mapping[tuple[Class, Action], Mapping[Worth, int]]
    words: Words = field(default=PLAIN, compare=False)

    @property
    def rows(self) -> tuple[ClassRow, ...]:
        """The nonempty cells."""
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
        """Yield the nonempty cells, by class and action."""
        for kind in CLASSES:
            for action in self.actions:
                if (kind, action) in self.counts:
                    yield kind, action, self.counts[kind, action]
