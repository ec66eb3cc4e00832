"""The whole summary: what each unit is worth, what can hurt, what safety costs.

In:  a `Space`.
Out: `Overview`: a `Summary` with its story and its counts by class and action; then
     with the side report, too.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from decimal import Decimal
from functools import cached_property
from types import MappingProxyType

from symrob.analyses.classes import ClassMatrix, Worth
from symrob.analyses.deadlocks import LOOKED_AT, SideReport
from symrob.analyses.hazards import Alone
from symrob.analyses.space import Space
from symrob.analyses.story import tell
from symrob.analyses.summary import Summary
from symrob.limits import Outcome, Stages, Status
from symrob.problem import Many, Unit
from symrob.words import PLAIN, Words


class Overview:
    """A summary, found in two parts: as soon as it says what can hurt, and whole.

    Args:
        space: The problem.
        words: What the classes are called.
        summary: What each unit is worth, where that is known.
        side: Looks for deadlocks in so many maximal sets; by default in the first.
        chances: How likely units are, as far as that is known.

    Cost: that of `Space.summarised`, of `tell` and of `Space.side_report`.
    """

    def __init__(
        self,
        space: Space,
        words: Words = PLAIN,
        summary: Summary | None = None,
        side: Callable[[int], SideReport] | None = None,
        chances: Mapping[Unit, Decimal] = MappingProxyType({}),
    ) -> None:
        self._space, self._words = space, words
        self._summary, self._side = summary, side
        self._chances = chances
        self._parts: list[Outcome] = []

    @cached_property
    def first(self) -> Summary:
        """What each unit is worth, and what can hurt."""
        summary = self._summary or self._space.summarised()
        self._parts.append(summary)
        stages = Stages(self._space.clock)
        with stages:
            story = tell(self._space, self._chances)
            summary = replace(summary, story=story, alone=story.alone)
            self._parts.append(story)
        self._parts.append(stages)
        matrix = class_matrix(self._space, summary, summary.alone, self._words)
        return replace(summary, matrix=matrix)

    @cached_property
    def final(self) -> Summary:
        """The same with the side report."""
        summary, space = self.first, self._space
        most = LOOKED_AT if self._parts[0].status != "interrupted" else 0
        found = self._side(most) if self._side else None
        report = found or space.side_report(space.maximal(), most)
        parts = [*self._parts, report]
        end = next((part for part in parts if part.status != "complete"), summary)
        return replace(
            summary, side_report=report, status=end.status, reason=end.reason
        )

    @property
    def status(self) -> Status:
        """`complete`, or what stopped the first part that is not."""
        return self.final.status

    @property
    def reason(self) -> str:
        """Why it was stopped, for a person."""
        return self.final.reason


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
