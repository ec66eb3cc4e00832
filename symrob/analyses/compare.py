"""Which of two designs is more robust, and a deviation that shows it.

In:  two spaces of the same units over one environment.
Out: a `Comparison`: the verdict of [S1] Def. 6 and 7; for each side a smallest set of
     units that only it tolerates, with a shortest trace that breaks the other; and the
     difference by unit.

One side is at least as robust as another if it tolerates every set that the other
tolerates: Δ holds the maximal tolerated sets, and their subsets are tolerated as well.
So a search for a witness in each direction decides (`Space.beyond`), and Δ is never
listed.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar, Literal

from symrob.analyses.progress import LostGoal
from symrob.analyses.same import require_same_units
from symrob.analyses.space import About, Direction, Maximal, Space, units_in
from symrob.errors import Trace
from symrob.limits import Clock, Stages, Status
from symrob.problem import Unit, UnitSet
from symrob.problem.goals import Goal
from symrob.shown import Shown
from symrob.verdicts import Verdict

# The verdicts of each fault mode alone, one for each side.
ModeTable = Mapping[str, tuple[Verdict, ...]]
Ordering = Literal["equal", "more", "less", "incomparable", "unknown"]


@dataclass(frozen=True)
class Witness:
    """A set that one side tolerates and the other does not.

    Attributes:
        units: The units of the set.
        trace: A shortest trace with the set that breaks the other side.
        smallest: Whether it is known to be a smallest witness.
        lost: The goals of its own plan that the tolerating side loses with it; `None`
            if the budget `progress` did not suffice.
    """

    units: UnitSet
    trace: Trace
    smallest: bool
    lost: tuple[LostGoal, ...] | None = None


@dataclass(frozen=True)
class Surplus:
    """What one side tolerates beyond the other.

    Attributes:
        exists: Whether there is such a set; `None` if a bound was hit before that was
            known.
        witness: Such a set, if there is one.
        alone: The units that only this side tolerates individually, sorted.
    """

    exists: bool | None
    witness: Witness | None
    alone: tuple[Unit, ...]


@dataclass(frozen=True)
class Comparison(Shown):
    """How the robustness of two sides compares.

    Attributes:
        about: The environment and units of both sides.
        first: What the first side tolerates beyond the second.
        second: What the second side tolerates beyond the first.
        tolerated_by_both: Number of units that both tolerate individually; `None` if a
            bound was hit before that was known.
        sides: The names of the sides.
        without_constraints: How they compare without the constraints of either; `None`
            if not requested, or if there are none.
        lost: For each side the goals of both that its plan loses; `None` if the budget
            `progress` did not suffice.
        delta: For each side its maximal sets that the other does not tolerate; `None`
            if not requested.
        modes: For each fault mode its individual verdict on each side; empty without
            modes, or if a bound was hit before.
        status: `complete`; or `limit`, `timeout` or `interrupted` if the verdict is
            unknown, or a witness is not known to be smallest.
        reason: Why it is not complete.

    Source: docs/sources.md [S1], Def. 6, Def. 7.
    """

    schema: ClassVar = "compare/3"
    also: ClassVar = {
        "verdict": "verdict",
        "candidates": "about.size",
        "surplus": "surplus",
    }

    about: About = field(compare=False)
    first: Surplus = field(metadata={"json": False})
    second: Surplus = field(metadata={"json": False})
    tolerated_by_both: int | None
    sides: tuple[str, ...] = ("A", "B")
    without_constraints: Unassumed | None = None
    lost: tuple[tuple[LostGoal, ...], ...] | None = None
    delta: tuple[tuple[Maximal, ...], ...] | None = None
    modes: ModeTable = field(default_factory=dict)
    status: Status = "complete"
    reason: str = ""

    def __repr__(self) -> str:
        return f"Comparison({self.verdict}, {self.status})"

    @property
    def surplus(self) -> tuple[Surplus, Surplus]:
        """What each side tolerates beyond the other."""
        return self.first, self.second

    @property
    def verdict(self) -> Ordering:
        """The robustness of the first side, compared with the second.

        `more` and `less` are strict. With `unknown`, one direction may still be known:
        see `first.exists` and `second.exists`.
        """
        return _verdict(self.first.exists, self.second.exists)


def _verdict(first: bool | None, second: bool | None) -> Ordering:
    """The verdict on two sides, by whether each tolerates more than the other."""
    if first and second:
        return "incomparable"
    if first is None or second is None:
        return "unknown"
    if first:
        return "more"
    return "less" if second else "equal"


@dataclass(frozen=True)
class Unassumed:
    """How two sides compare without their constraints.

    Attributes:
        verdict: See `Comparison`.
        status: `complete`, or what stopped the search.
        reason: Why it stopped, as text.
    """

    verdict: Ordering
    status: Status
    reason: str


def compare(one: Space, other: Space) -> Comparison:
    """Compare the robustness of two sides.

    Args:
        one: The first side.
        other: The second side, of the same units over the same environment.

    Returns:
        The comparison; after a bound or an interrupt, with the results so far.

    Raises:
        SymrobError: The environments or the units differ.

    Cost: screening of both sides, and the search for witnesses: little if single
        transitions or an inclusion decide, else see `DifferenceSearch`.
    Source: docs/sources.md [S1], Def. 6 (controllers), Def. 7 (properties).
    """
    require_same_units(one.about, other.about)
    forth, back = one.beyond(other), other.beyond(one)
    stages = Stages(one.clock)
    steps = (
        *(forth.settle, back.settle),
        *(forth.search, back.search),
        *(forth.shrink, back.shrink),
    )
    for step in steps:
        # What is too much for one direction need not be for the other.
        with stages:
            step()
        if one.clock.interrupted:
            break
    modes: ModeTable = {}
    with stages:
        modes = verdicts_of_modes((one, other))
    return Comparison(
        one.about,
        _with_losses(surplus_of(forth), one),
        _with_losses(surplus_of(back), other),
        forth.both,
        modes=modes,
        lost=lost_by_plans([one, other]),
        status=stages.status,
        reason=stages.reason,
    )


def verdicts_of_modes(sides: Sequence[Space]) -> ModeTable:
    """Return the individual verdict on each fault mode for each side, if any.

    Raises:
        LimitExceeded: A bound was hit.

    Cost: that of `Space.alone` for each side.
    """
    if sides[0].about.units is None:
        return {}
    rows = [
        {name: verdict for verdict, some in judged.items() for name in some}
        for judged in (side.alone().by_verdict() for side in sides)
    ]
    return {str(name): tuple(row[name] for row in rows) for name in sides[0].all}


def lost_by_plans(sides: Sequence[Space]) -> tuple[tuple[LostGoal, ...], ...] | None:
    """Return for each side which goals, of any side's plan, its plan loses.

    Returns:
        The goals, with their traces; `None` if the budget `progress` did not suffice,
        or the run was interrupted.

    Cost: see `PlanProgress`.
    """
    found: list[tuple[LostGoal, ...]] = []
    clock = sides[0].clock
    with Stages(clock), clock.step("progress"):
        for side in sides:
            lost: dict[Goal, LostGoal] = {}
            for other in sides:
                for one in side.progress.losing_of(other.progress):
                    lost.setdefault(one.goal, one)
            for one in lost.values():
                # Kept in it.
                _ = one.traces
            found.append(tuple(lost.values()))
    return tuple(found) if len(found) == len(sides) else None


def _with_losses(surplus: Surplus, keeper: Space) -> Surplus:
    """Add to what one side tolerates what its plan loses with it."""
    if (witness := surplus.witness) is None:
        return surplus
    with Stages(keeper.clock), keeper.clock.step("progress"):
        lost = keeper.outlook(witness.units).lost
        for one in lost:
            # Kept in it.
            _ = one.traces
        return replace(surplus, witness=replace(witness, lost=lost))
    return surplus


def surplus_of(direction: Direction) -> Surplus:
    """Return the results for one direction, with a trace that shows it."""
    witness, breaker = None, direction.breaker
    if direction.exists:
        with breaker.clock.suspended():
            trace = breaker.violation(direction.added)
        assert trace is not None, "the other side tolerates the witness"
        witness = Witness(direction.added, trace, direction.smallest)
    return Surplus(direction.exists, witness, tuple(sorted(direction.alone or ())))


def unassumed(
    one: Space, other: Space, seconds: float | None = None
) -> Unassumed | None:
    """Compare two sides without their constraints.

    Args:
        one: The first side, as for `compare`.
        other: The second side.
        seconds: Time bound; by default the budget `unassumed`.

    Returns:
        The verdict; `None` if neither side has a constraint.

    Cost: as for `compare`, without a search for the smallest witnesses. Constraints
        rule out most candidates, so it can take far longer than with them.
    """
    if not one.constrained and not other.constrained:
        return None
    clock = one.clock
    seconds = clock.budget("unassumed") if seconds is None else seconds
    free, other_free = one.unconstrained, other.unconstrained
    forth, back = free.beyond(other_free), other_free.beyond(free)
    stages = Stages(clock)
    with clock.at_most(seconds), stages:
        for direction in (forth, back):
            direction.settle(smallest=False)
        forth.search()
        back.search()
    reason = undecided(stages, clock, seconds)
    return Unassumed(_verdict(forth.exists, back.exists), stages.status, reason)


def undecided(stages: Stages, clock: Clock, seconds: float) -> str:
    """Return why a question with this many seconds was not decided.

    Args:
        stages: The stages of the question.
        clock: Clock of the run; its own time may have been up before.
        seconds: The time bound of the question.
    """
    if stages.status == "complete":
        return ""
    if stages.status == "timeout" and not clock.is_over:
        return f"unknown ({seconds:g} s used)"
    return f"unknown: {stages.reason}"


def surplus_sets(
    one: Space, other: Space, known: Surplus | None = None
) -> Generator[Maximal, None, None]:
    """Yield the sets of Δ of one side that the other does not tolerate.

    These are the maximal sets of the first side that are not contained in any of the
    second. All of the first side's Δ is enumerated.

    Args:
        one: The first side.
        other: The second side, of the same units.
        known: The result of `compare` for the first side; if it tolerates nothing that
            the other does not, nothing is enumerated.

    Raises:
        LimitExceeded: A bound was hit; the sets yielded before are valid.
    """
    if known is not None and known.exists is False:
        return
    for found in one.maximal():
        if not other.is_safe(units_in(found)):
            yield found
