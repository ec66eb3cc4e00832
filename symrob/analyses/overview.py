"""The complete summary: verdicts, hazards, and the cost of safety.

In:  a `Space`.
Out: `Overview`: a `Summary`, part by part: the verdicts, the story, the classification
     of each unit, the counts by class and action, the side report.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from decimal import Decimal
from functools import cached_property
from types import MappingProxyType

from symrob.analyses.assumptions import Mattering
from symrob.analyses.classes import ClassMatrix, Worth
from symrob.analyses.deadlocks import LOOKED_AT, SideReport
from symrob.analyses.hazards import Alone
from symrob.analyses.mattering import mattering_soon
from symrob.analyses.space import Space
from symrob.analyses.story import Story, Teller
from symrob.analyses.summary import Summary
from symrob.doing import Doing
from symrob.limits import Outcome, Stages, Status, ending
from symrob.problem import Many, Unit
from symrob.words import PLAIN, Words


class Overview:
    """A summary that is computed as it is read: the verdicts first.

    Args:
        space: The problem.
        words: The names of the classes.
        summary: The classification of each unit, if known.
        side: Checks this many maximal sets for deadlocks; by default the first.
        chances: The probabilities of units, as far as known.
        traces: Also compute the traces to where goals are lost.

    Cost: that of `Space.summarised`, of `tell` and of `Space.side_report`.
    """

    def __init__(
        self,
        space: Space,
        words: Words = PLAIN,
        summary: Summary | None = None,
        side: Callable[[int], SideReport] | None = None,
        chances: Mapping[Unit, Decimal] = MappingProxyType({}),
        *,
        traces: bool = False,
    ) -> None:
        self.about = space.about
        self.space, self._words = space, words
        self._summary, self._side = summary, side
        self._chances, self._traces = chances, traces
        self._counting = Stages(space.clock)

    @cached_property
    def _teller(self) -> Teller:
        return Teller(self.space, self._chances)

    @cached_property
    def alone(self) -> Alone[Many]:
        """All units by their individual verdict."""
        return self._teller.judge().alone

    @cached_property
    def story(self) -> Story:
        """The main hazards, with traces."""
        return self._teller.tell()

    @cached_property
    def mattering(self) -> Mattering | None:
        """Which assumptions matter; `None` without any, or after an interrupt."""
        if self.space.clock.interrupted:
            return None
        with Doing("comparing the assumptions"):
            return mattering_soon(self.space)

    @cached_property
    def worth(self) -> Summary:
        """The classification of each unit, with the story."""
        story = self.story
        found = self._summary or self.space.summarised()
        return replace(found, alone=story.alone, story=story)

    @cached_property
    def first(self) -> Summary:
        """The same with the counts by class and action."""
        matrix, worth = None, self.worth
        with self._counting, Doing("counting by class and action"):
            matrix = class_matrix(self.space, worth, worth.alone, self._words)
        return replace(worth, matrix=matrix)

    @cached_property
    def final(self) -> Summary:
        """The same with the side report."""
        summary, space = self.first, self.space
        most = LOOKED_AT if not space.clock.interrupted else 0
        found = self._side(most) if self._side else None
        report = found or space.side_report(space.maximal(), most)
        if self._traces:
            with self._counting, space.clock.step("progress"):
                for one in report.lost:
                    # Kept in it.
                    _ = one.traces
        parts: list[Outcome] = [self.worth, self.story, self._counting, report]
        end = ending([*parts, self.mattering] if self.mattering else parts)
        return replace(
            summary,
            mattering=self.mattering,
            side_report=report,
            status=end.status,
            reason=end.reason,
        )

    @property
    def status(self) -> Status:
        """`complete`, or what stopped the first part that is not."""
        return self.final.status

    @property
    def reason(self) -> str:
        """Why it was stopped, as text."""
        return self.final.reason


def class_matrix(
    space: Space, summary: Summary, judged: Alone[Many], words: Words = PLAIN
) -> ClassMatrix | None:
    """Count the transitions of units by class, action and kind.

    Args:
        space: The problem.
        summary: The classification of each unit.
        judged: Their verdicts.
        words: The names of the classes.

    Returns:
        The counts; `None` if the product of E is not computed.

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
        "excluded-safe": judged.excluded_safe,
        "excluded-unsafe": judged.excluded_unsafe,
        "hazardous": judged.hazardous,
    }
    return ClassMatrix(environment.alphabet, space.by_class(worth), words)
