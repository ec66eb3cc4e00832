"""The least number of deviated steps that a violation needs.

In:  a `Space`, and some of its hazardous sets.
Out: `DeviatedSteps`: the least budget of deviated steps for which some set is
     hazardous.

A set that is hazardous with few deviated steps may violate an assumption with more, so
the numbers are tried from below: from the least number without assumptions, up to the
number that a known hazardous set needs.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from symrob.analyses.cut import Cut
from symrob.analyses.space import Space
from symrob.problem import UnitSet


@dataclass(frozen=True)
class DeviatedSteps:
    """The least number of deviated steps with which a trace violates a property.

    Attributes:
        at_least: No set is hazardous with fewer.
        enough: Some set is hazardous with this many; equals `at_least` unless time ran
            out.
    """

    at_least: int
    enough: int


def deviated_steps(space: Space, hazards: Iterable[Cut]) -> DeviatedSteps | None:
    """Return how many deviated steps a violation within the assumptions needs.

    Args:
        space: The problem.
        hazards: Some of its hazardous sets.

    Returns:
        The number; `None` if there is no hazardous set, if E's components stay encoded
        in bits, or if not even a search for each of them ends within the budget
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
    """Return a hazardous set under a budget of deviated steps.

    Args:
        space: The problem.
        steps: The budget.

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
