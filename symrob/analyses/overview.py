"""The whole summary: what each unit is worth, what can hurt, what safety costs.

In:  a `Space`.
Out: a `Summary` with its story, its counts by class and action, and the side report.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from symrob.analyses.classes import ClassMatrix, Worth
from symrob.analyses.deadlocks import LOOKED_AT, SideReport
from symrob.analyses.hazards import Alone
from symrob.analyses.space import Space
from symrob.analyses.story import tell
from symrob.analyses.summary import Summary
from symrob.limits import Outcome, Stages
from symrob.problem import Many
from symrob.words import PLAIN, Words


def overview(
    space: Space,
    words: Words = PLAIN,
    found: Summary | None = None,
    side: Callable[[int], SideReport] | None = None,
) -> Iterator[Summary]:
    """Yield a summary twice: as soon as it says what can hurt, and whole.

    Args:
        space: The problem.
        words: What the classes are called.
        found: What each unit is worth, where that is known.
        side: Looks for deadlocks in so many maximal sets; by default in the first.

    Cost: that of `Space.summarised`, of `tell` and of `Space.side_report`.
    """
    summary = space.summarised() if found is None else found
    parts: list[Outcome] = [summary]
    stages = Stages(space.clock)
    with stages:
        story = tell(space)
        summary = replace(summary, story=story, alone=story.alone)
        parts.append(story)
    parts.append(stages)
    matrix = class_matrix(space, summary, summary.alone, words)
    summary = replace(summary, matrix=matrix)
    yield _ended(summary, parts)
    most = LOOKED_AT if summary.status != "interrupted" else 0
    report = side(most) if side else space.side_report(space.maximal(), most)
    yield _ended(replace(summary, side_report=report), [*parts, report])


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


def _ended(summary: Summary, parts: list[Outcome]) -> Summary:
    part = next((p for p in parts if p.status != "complete"), summary)
    return replace(summary, status=part.status, reason=part.reason)
