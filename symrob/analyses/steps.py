"""How many deviated steps a violation needs, at least.

In:  a `Space`, and some of its hazardous sets.
Out: `DeviatedSteps`: the least number for which some set is hazardous where a run may
     deviate only so often.

What is hazardous within few deviated steps may break an assumption within more, so the
numbers are tried from below: from what it takes where nothing is assumed, up to what a
known hazardous set takes.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from symrob.analyses.cut import Cut
from symrob.analyses.space import Space
from symrob.problem import UnitSet


@dataclass(frozen=True)
class DeviatedSteps:
    """The least number of deviated steps with which a run breaks a property.

    Attributes:
        at_least: No set is hazardous within fewer.
        enough: Some set is within this many; the same number, unless there was no time.
    """

    at_least: int
    enough: int


def deviated_steps(space: Space, hazards: Iterable[Cut]) -> DeviatedSteps | None:
    """Return how many deviated steps a violation needs within the assumptions.

    Args:
        space: The problem.
        hazards: Some of its hazardous sets.

    Returns:
        The number; `None` if there is no hazardous set, where E's components stay in
        bits, or where not even a search for each of them ends within the budget
        `steps`.

    Raises:
        LimitExceeded: A bound of the run was hit.

    Cost: a search for each set, one with all units; with assumptions, a search for
        hazardous sets for each number between the two.
    """
    found: DeviatedSteps | None = None
    if space.slow:
        return None
    with space.clock.step("steps"):
        numbers = [cut.deviated_steps for cut in hazards]
        enough = min((n for n in numbers if n is not None), default=None)
        if enough is None:
            return None
        found = DeviatedSteps(1, enough)
        least = space.unconstrained.least_steps(space.all)
        assert least is not None, "a set is hazardous"
        if not space.constrained:
            enough = least
        found = DeviatedSteps(least, enough)
        while found.at_least < enough:
            if hazardous_within(space, found.at_least):
                enough = found.at_least
            else:
                least = found.at_least + 1
            found = DeviatedSteps(least, enough)
    return found


def hazardous_within(space: Space, steps: int) -> tuple[Space, UnitSet] | None:
    """Return a set that is hazardous where at most this many steps of a run deviate.

    Args:
        space: The problem.
        steps: So many.

    Returns:
        The problem with that budget, and a smallest such set; `None` if there is none.

    Cost: a search for minimal unsafe sets.
    """
    other = space.budgeted(steps)
    # A run takes a transition each time.
    order = steps if space.about.units is None else None
    for found in other.unsafe_sets(singles=True).by_size(order):
        if other.harm(found) == "hazardous":
            return other, found
    return None
