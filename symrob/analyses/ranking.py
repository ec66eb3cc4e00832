"""A partial order of several designs by robustness.

In:  spaces of the same units over one environment.
Out: a `Ranking`: the relation of [S1] Def. 6 and 7 for each pair, classes of equally
     robust designs, and the steps between them.

Being at least as robust is inclusion of tolerated sets, so it is transitive, and many
pairs follow from others without a separate search.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar

from symrob.analyses.compare import ModeTable, undecided, verdicts_of_modes
from symrob.analyses.progress import LostGoal
from symrob.analyses.same import require_same_units
from symrob.analyses.space import About, Direction, Space
from symrob.limits import Clock, Stages, Status
from symrob.problem import UnitSet
from symrob.shown import Shown

Progress = Callable[[int, float], None]
# Whether the first of two designs tolerates something that the second does not.
Exceeds = Callable[[int, int], bool]


@dataclass(frozen=True)
class Cover:
    """A class directly below another one in the Hasse diagram.

    Attributes:
        upper: Number of the more robust class.
        lower: Number of the other class.
        added: A set that only the upper class tolerates.
        smallest: Whether it is known to be a smallest such set.
    """

    upper: int
    lower: int
    added: UnitSet
    smallest: bool


@dataclass(frozen=True)
class Ranking(Shown):
    """A partial order of designs by their robustness.

    Attributes:
        at_least: For each pair (i, j) of designs whether i is at least as robust as j;
            `None` if a bound was hit before that was known.
        classes: The designs in classes of equally robust ones, the most robust first:
            no class comes after a less robust one.
        steps: The Hasse diagram: no class lies between the two of a step.
        status: `complete`, or what stopped the analysis. Then only known classes and
            steps are listed.
        reason: Why it stopped.
        about: What the units belong to, for output.
        sides: The names of the designs.
        without_constraints: The order without any constraints; `None` if not requested,
            or if there are none.
        lost: For each design the goals, of any design's plan, that its plan loses;
            `None` if the budget `progress` did not suffice.
        modes: See `Comparison`.
    """

    schema: ClassVar = "ranking/1"

    at_least: tuple[tuple[bool | None, ...], ...]
    classes: tuple[tuple[int, ...], ...]
    steps: tuple[Cover, ...]
    status: Status = "complete"
    reason: str = ""
    about: About | None = field(default=None, compare=False)
    sides: tuple[str, ...] = ()
    without_constraints: Ranking | None = None
    lost: tuple[tuple[LostGoal, ...], ...] | None = None
    modes: ModeTable = field(default_factory=dict)


def rank(sides: Sequence[Space], on_progress: Progress | None = None) -> Ranking:
    """Order designs by their robustness.

    Args:
        sides: The designs; at least one.
        on_progress: Called with the number of pairs known and the seconds
            since the start.

    Raises:
        SymrobError: The environments or the units differ.

    Cost: at most two searches for each pair; see `compare`.
    Source: docs/sources.md [S1], Def. 6, Def. 7.
    """
    for side in sides[1:]:
        require_same_units(sides[0].about, side.about)

    def cover(upper: int, lower: int, keeper: int, breaker: int) -> Cover:
        direction = _decided(sides[keeper], sides[breaker])
        direction.shrink()
        return Cover(upper, lower, direction.added, direction.smallest)

    clock, exceeds = sides[0].clock, _exceeds(sides)
    found = ordered(clock, len(sides), exceeds, cover, on_progress)
    modes: ModeTable = {}
    stages = Stages(clock)
    with stages:
        modes = verdicts_of_modes(sides)
    return replace(found, about=sides[0].about, modes=modes)


def _exceeds(sides: Sequence[Space]) -> Exceeds:
    return lambda one, other: _decided(sides[one], sides[other]).exists is True


def _decided(keeper: Space, breaker: Space) -> Direction:
    direction = keeper.beyond(breaker)
    direction.settle()
    direction.search()
    return direction


def ordered(
    clock: Clock,
    size: int,
    exceeds: Exceeds,
    cover: Callable[[int, int, int, int], Cover],
    on_progress: Progress | None,
) -> Ranking:
    """Order designs by a comparison function.

    Args:
        clock: Clock of the run.
        size: Number of designs.
        exceeds: Compares two of them.
        cover: Creates a step between two classes, given a design of each.
        on_progress: See `rank`.
    """
    stages = Stages(clock)
    order = _Order(clock, size, exceeds, stages, on_progress)
    classes: list[tuple[int, ...]] = []
    steps: list[Cover] = []
    with stages:
        order.decide()
        classes = order.classes()
        for upper, lower in order.covers(classes):
            steps.append(cover(upper, lower, classes[upper][0], classes[lower][0]))
    return Ranking(
        tuple(map(tuple, order.at_least)),
        tuple(classes or order.classes()),
        tuple(steps),
        stages.status,
        stages.reason,
    )


def rank_unassumed(
    sides: Sequence[Space], seconds: float | None = None
) -> Ranking | None:
    """Order designs by their robustness without their constraints.

    Args:
        sides: The designs, as for `rank`.
        seconds: Time bound; by default the budget `unassumed`.

    Returns:
        The order, without sets that show its steps, as far as it was found; `None` if
        no design has a constraint.

    Cost: as for `rank`. Constraints rule out most candidates, so it can take far longer
        than with them.
    """
    if not any(side.constrained for side in sides):
        return None
    clock, stages = sides[0].clock, Stages(sides[0].clock)
    seconds = clock.budget("unassumed") if seconds is None else seconds
    free = [side.unconstrained for side in sides]
    order = _Order(clock, len(sides), _exceeds(free), stages, None)
    with clock.at_most(seconds), stages:
        order.decide()
    return Ranking(
        tuple(map(tuple, order.at_least)),
        tuple(order.classes()),
        (),
        stages.status,
        undecided(stages, clock, seconds),
    )


class _Order:
    """The relation while it is being found."""

    def __init__(
        self,
        clock: Clock,
        size: int,
        exceeds: Exceeds,
        stages: Stages,
        on_progress: Progress | None,
    ) -> None:
        self._clock = clock
        self._exceeds = exceeds
        self._stages = stages
        self._on_progress = on_progress
        self._size = size
        self.at_least: list[list[bool | None]] = [
            [True if i == j else None for j in range(self._size)]
            for i in range(self._size)
        ]

    def decide(self) -> None:
        """Find the relation of all pairs, as far as bounds allow."""
        pairs = [(i, j) for j in range(self._size) for i in range(j)]
        for done, (i, j) in enumerate(pairs):
            for upper, lower in ((i, j), (j, i)):
                if self._inferred(upper, lower) is not None:
                    continue
                with self._stages:
                    self.at_least[upper][lower] = not self._exceeds(lower, upper)
                if self._clock.interrupted:
                    return
            if self._on_progress is not None:
                self._on_progress(done + 1, self._clock.elapsed)
        self._close()

    def _close(self) -> None:
        """Draw all conclusions, for pairs that a bound left open."""
        open_pairs = [
            (i, j)
            for i in range(self._size)
            for j in range(self._size)
            if self.at_least[i][j] is None
        ]
        # A conclusion can allow another one. Ends: each round but the last draws one.
        while True:
            left = [pair for pair in open_pairs if self._inferred(*pair) is None]
            if len(left) == len(open_pairs):
                return
            open_pairs = left

    def _inferred(self, upper: int, lower: int) -> bool | None:
        """Whether one is at least as robust as another, from what is known.

        upper ≥ k ≥ lower gives upper ≥ lower. If k ≥ upper and not k ≥ lower,
        or if lower ≥ k and not upper ≥ k, then not upper ≥ lower.
        """
        known = self.at_least
        if known[upper][lower] is None:
            for k in range(self._size):
                if known[upper][k] and known[k][lower]:
                    known[upper][lower] = True
                elif (known[k][upper] and known[k][lower] is False) or (
                    known[lower][k] and known[upper][k] is False
                ):
                    known[upper][lower] = False
                if known[upper][lower] is not None:
                    break
        return known[upper][lower]

    def classes(self) -> list[tuple[int, ...]]:
        """Return the classes of equal designs, the most robust first."""
        found: list[list[int]] = []
        for i in range(self._size):
            for members in found:
                j = members[0]
                if self.at_least[i][j] and self.at_least[j][i]:
                    members.append(i)
                    break
            else:
                found.append([i])
        # A class has all the classes above it that those above it have, and
        # these besides: it stands behind them.
        above = [sum(self._above(a[0], b[0]) for a in found) for b in found]
        numbered = sorted(range(len(found)), key=lambda k: (above[k], found[k]))
        return [tuple(found[k]) for k in numbered]

    def _above(self, i: int, j: int) -> bool:
        return bool(self.at_least[i][j]) and self.at_least[j][i] is False

    def covers(self, classes: Sequence[Sequence[int]]) -> list[tuple[int, int]]:
        """Return the pairs of classes with none between them."""
        first = [members[0] for members in classes]
        numbers = range(len(first))
        return [
            (a, b)
            for a in numbers
            for b in numbers
            if self._above(first[a], first[b])
            and not any(
                self._above(first[a], first[k]) and self._above(first[k], first[b])
                for k in numbers
            )
        ]
