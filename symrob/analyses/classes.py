"""The whole envelope at one glance: what candidates of each class and action are worth.

In:  a summary of what each candidate is worth, and the verdict of each.
Out: a `ClassMatrix`: a count for each class, action and kind.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal, get_args

from symrob.analyses.hazards import Alone
from symrob.analyses.summary import Summary
from symrob.envelope.transitions import Candidates
from symrob.lts import Action
from symrob.problem.classes import CLASSES, Class

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
class ClassMatrix:
    """Counts of candidates by class, action and what they are worth.

    Attributes:
        actions: Act_E, sorted.
        counts: For each class and action that has candidates, how many of each worth:
            tolerated always, contested or unknown which; the verdicts of those that are
            not tolerated alone; `undecided` for what breaks an assumption and was not
            looked at further. Nothing stands for 0.
    """

    actions: tuple[Action, ...]
    counts: Mapping[tuple[Class, Action], Mapping[Worth, int]]

    def cells(self) -> Iterator[tuple[Class, Action, Mapping[Worth, int]]]:
        """Yield the cells that are not empty, by class and action."""
        for kind in CLASSES:
            for action in self.actions:
                if (kind, action) in self.counts:
                    yield kind, action, self.counts[kind, action]


def class_matrix(summary: Summary, judged: Alone) -> ClassMatrix:
    """Count the candidates of each class and action.

    Args:
        summary: What each candidate is worth.
        judged: Their verdicts.

    Cost: a few operations on masks for each state and action of E.
    """
    worth: dict[Worth, Candidates] = {
        "always": summary.always,
        "contested": summary.contested,
        "unknown": summary.unknown,
        "hazardous": judged.hazardous,
        "assumed-away": judged.assumed_away,
        "outside-assumptions": judged.outside,
        "undecided": judged.undecided,
    }
    actions = summary.environment.alphabet
    column = {action: number for number, action in enumerate(actions)}
    counts: dict[tuple[Class, Action], Counter[Worth]] = {}
    for source, action, parts in summary.classes.rows():
        for name, candidates in worth.items():
            mask = candidates.masks[source][column[action]]
            for part in parts if mask else ():
                if many := (part.targets & mask).bit_count():
                    counts.setdefault((part.kind, action), Counter())[name] += many
    return ClassMatrix(actions, counts)
