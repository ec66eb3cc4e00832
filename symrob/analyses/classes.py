"""The whole envelope at one glance: what candidates of each class and action are worth.

In:  a summary of what each candidate is worth, and the verdict of each.
Out: a `ClassMatrix`: a count for each class, action and kind.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal, get_args

from symrob.analyses.hazards import Alone
from symrob.analyses.space import Space
from symrob.analyses.summary import Summary
from symrob.lts import Action
from symrob.problem import Many
from symrob.problem.classes import CLASSES, Class
from symrob.words import PLAIN, Words

Worth = Literal[
    "always",
    "contested",
    "unknown",
    "hazardous",
    "assumed-away",
    "outside-assumptions",
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


def class_matrix(
    space: Space, summary: Summary, judged: Alone[Many], words: Words = PLAIN
) -> ClassMatrix | None:
    """Count what units bring by class, action and what they are worth.

    Args:
        space: The problem.
        summary: What each unit is worth.
        judged: Their verdicts.
        words: What the classes are called.

    Returns:
        The counts; `None` where E is not multiplied out.

    Cost: see `Space.by_class`.
    """
    environment = space.about.environment
    if environment is None:
        return None
    # The gravest last, for what several units bring.
    worth: dict[Worth, Many] = {
        "always": summary.always,
        "contested": summary.contested,
        "unknown": summary.unknown,
        "undecided": judged.undecided,
        "outside-assumptions": judged.outside,
        "assumed-away": judged.assumed_away,
        "hazardous": judged.hazardous,
    }
    return ClassMatrix(environment.alphabet, space.by_class(worth), words)
