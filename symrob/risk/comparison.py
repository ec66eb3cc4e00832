"""By how much a design or a repair lowers the risk.

In:  the assessments of two cases with the same environment and the same events.
Out: `RiskDifference`: both probabilities, and the probability that only one of them can
     be violated.
"""

from __future__ import annotations

from dataclasses import dataclass

from symrob.files.decimals import exact
from symrob.limits import Stages
from symrob.risk.assessment import Assessment
from symrob.risk.bounds import ChanceBounds, TooLarge, bounded, joint
from symrob.risk.figures import nearest, wide


@dataclass(frozen=True)
class RiskDifference:
    """The difference between the risks of two cases.

    Attributes:
        before: The probability of the first case.
        after: The probability of the second case.
        gone: The probability that a violation is possible in the first case only;
            `None` if unknown.
        come: The same for the second case.
    """

    before: ChanceBounds
    after: ChanceBounds
    gone: float | None
    come: float | None

    @property
    def factor(self) -> tuple[float, float] | None:
        """The ratio of the first probability to the second: least and most.

        `None` if the second may be 0.
        """
        if self.after.lower <= 0:
            return None
        # Floats may be too far apart for what is between them.
        before, after = self.before, self.after
        with wide():
            return (
                nearest(exact(before.lower) / exact(after.upper)),
                nearest(exact(before.upper) / exact(after.lower)),
            )


def compared(first: Assessment, second: Assessment) -> RiskDifference:
    """Return the difference between two assessments of the same events.

    Cost: two diagrams of the sets of both.
    """
    assert first.events.events == second.events.events, "the events are the same"
    return RiskDifference(
        first.together.bounds,
        second.together.bounds,
        _alone(first, second),
        _alone(second, first),
    )


def _alone(one: Assessment, other: Assessment) -> float | None:
    """How likely a set of one happens and none of the other."""
    if not (one.together.is_complete and other.together.is_complete):
        return None
    with Stages(one.space.clock):
        try:
            _, both = joint(
                one.together.family,
                other.together.family,
                one.events.chances,
                one.manager,
                bounded(one.space.clock.check, one.most),
            )
        except TooLarge:
            return None
        return nearest(both)
    return None
