"""Why a set of units is tolerated, or why not.

In:  a `Space`, and a set of its units.
Out: an `Explanation`: the verdict; if not tolerated, the smallest violating part and
     shortest traces for all violations; if tolerated, what is compatible with it, what
     it rules out, and where it is safe only because E refuses an action.

Source: docs/sources.md [S1], Def. 2 (robust), Def. 5 (maximal).
"""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import ClassVar, cast

from symrob.analyses.cut import Cut, smallest_part
from symrob.analyses.hazards import Blocked
from symrob.analyses.holding import Held
from symrob.analyses.progress import LostGoal
from symrob.analyses.space import About, Maximal, Space
from symrob.errors import Trace
from symrob.limits import Stages, Status
from symrob.lts import Transition
from symrob.problem import Many, UnitSet
from symrob.problem.classes import Kind
from symrob.shown import Shown
from symrob.verdicts import Verdict

# This many of the maximal sets that hold the set are shown.
DEVIATIONS = 3


@dataclass(frozen=True)
class Explanation(Shown):
    """The results about a set of units. `None` stands for unknown.

    Attributes:
        about: What the units belong to, for output.
        nominal: Given transitions that E already has.
        new: The given units.
        verdict: The verdict on E with them.
        cut: If not tolerated: a smallest violating part of the set; a hazardous one if
            there is one, else one that violates a property, if any part does.
        trace: If not tolerated: a shortest violating trace, with only the cut added;
            with the whole set if the cut is unknown.
        lost_goals: The goals of the plan that can become impossible with the set.
        lost_by_plan: The goals that the plan already loses.
        violations: If not tolerated: for each property and constraint that the whole
            set violates a shortest trace, properties first.
        blocked: If tolerated: actions that E refuses with the set, and must refuse for
            safety, but that it does not already refuse without it.
        refused: If tolerated: actions that E refuses, and must refuse, with and without
            the set.
        idle: If tolerated: units that can never fire in E_d‖C with this set.
        inert: If tolerated: units of `idle` that fire in no robust deviation.
        addable: If tolerated: units that can individually be added so that the set
            stays tolerated.
        excluded: If tolerated: units that are individually tolerated, but not with this
            set.
        deviations: If tolerated: the first maximal sets that contain the set.
        more: If tolerated: whether there are others.
        held: If transitions were given: the fault modes that bring them.
        status: `complete`, or what stopped the search for the rest.
        reason: Why it stopped, as text.
    """

    schema: ClassVar = "explain/4"
    also: ClassVar = {"classes": "classes", "lost": "lost"}

    about: About = field(repr=False, compare=False)
    nominal: frozenset[Transition]
    new: UnitSet
    verdict: Verdict
    cut: Cut | None = None
    trace: Trace | None = None
    lost_goals: tuple[LostGoal, ...] | None = None
    lost_by_plan: tuple[LostGoal, ...] | None = None
    violations: tuple[Trace, ...] | None = None
    blocked: tuple[Blocked, ...] | None = None
    refused: tuple[Blocked, ...] | None = None
    idle: UnitSet | None = None
    inert: UnitSet | None = None
    addable: Many | None = None
    excluded: Many | None = None
    deviations: tuple[Maximal, ...] = ()
    more: bool | None = None
    held: Held | None = None
    status: Status = "complete"
    reason: str = ""

    def __repr__(self) -> str:
        environment = self.about.environment
        told = [unit for unit in sorted(self.new) if isinstance(unit, str)]
        if environment is not None:
            new = sorted(unit for unit in self.new if not isinstance(unit, str))
            told += [f"{s} –{a}→ {t}" for s, a, t in environment.named(new)]
        return f"Explanation({self.verdict}: {', '.join(told) or 'nothing new'})"

    @property
    def classes(self) -> tuple[Kind, ...]:
        """The class of each new transition, sorted; none for fault modes."""
        if self.about.units is not None or self.about.classes is None:
            return ()
        new = cast("frozenset[Transition]", self.new)
        return tuple(map(self.about.classes.of, sorted(new)))

    @property
    def hazardous_part(self) -> Cut | None:
        """A hazardous part of a set that is not hazardous, if one is known."""
        cut = self.cut if self.verdict == "excluded-unsafe" else None
        return cut if cut is not None and cut.verdict == "hazardous" else None

    @property
    def lost(self) -> tuple[str, ...] | None:
        """The names of `lost_goals`."""
        goals = self.lost_goals
        return None if goals is None else tuple(one.goal.name for one in goals)

    @property
    def tolerated(self) -> bool:
        """Whether E with the set is robust."""
        return self.verdict == "tolerated"


def explain(
    space: Space,
    units: UnitSet,
    nominal: frozenset[Transition] = frozenset(),
    *,
    deviations: int = DEVIATIONS,
) -> Explanation:
    """Explain whether E stays safe with some units.

    Args:
        space: The problem.
        units: The units, as in `Space.read`.
        nominal: The given transitions that E already has.
        deviations: Return this many of the maximal sets that contain them.

    Returns:
        The explanation. If a bound is hit or the user interrupts after the verdict,
        parts that were not found are missing.

    Raises:
        LimitExceeded: A bound was hit before the verdict.

    Cost: for the verdict one search of the closed loop; for the smallest part see
        `Space.unsafe_sets`; for the addable units `Space.addable`.
    """
    explainer = _Explainer(space, units, nominal, deviations)
    stages = Stages(space.clock)
    with space.effort.stage("verdict"):
        explainer.find_verdict()
    with stages:
        explainer.find_progress()
        explainer.find_reasons()
    return replace(explainer.known, status=stages.status, reason=stages.reason)


class _Explainer:
    """Asks one question after the other, and keeps each answer at once.

    Attributes:
        known: What is known so far, from the verdict on.
    """

    known: Explanation

    def __init__(
        self,
        space: Space,
        units: UnitSet,
        nominal: frozenset[Transition],
        deviations: int,
    ) -> None:
        self._space = space
        self._wanted = deviations
        self._nominal = nominal
        self._units = units

    def find_verdict(self) -> None:
        """Find out whether the set is tolerated."""
        space, units = self._space, self._units
        judged = space.verdict(units)
        trace = None
        if judged in ("hazardous", "excluded-unsafe"):
            trace = space.property_trace(units)
        elif judged != "tolerated":
            trace = space.violation(units)
        self.known = Explanation(space.about, self._nominal, units, judged, trace=trace)

    def find_progress(self) -> None:
        """Find out what can become impossible, in the time that it may take."""
        space = self._space
        with space.clock.step("progress"):
            lost = space.outlook(self._units).lost
            for one in lost:
                # Kept in it.
                _ = one.traces
            self._learn(lost_goals=lost, lost_by_plan=space.progress.lost_by_plan)

    def find_reasons(self) -> None:
        """Find what explains the verdict."""
        if self.known.tolerated:
            self._why_tolerated()
        else:
            self._why_not()

    def _learn(self, **answers: object) -> None:
        self.known = replace(self.known, **answers)  # type: ignore[arg-type]

    def _why_not(self) -> None:
        space, units = self._space, self._units
        self._learn(violations=space.violations(units))
        cut = smallest_part(space, units, self.known.verdict)
        self._learn(cut=cut, trace=cut.trace)

    def _why_tolerated(self) -> None:
        """Find what goes with the set, and then, as it may take long, a part of Δ."""
        space, units = self._space, self._units
        idle = space.idle(units)
        refused, newly = self._blocked()
        self._learn(idle=idle, blocked=newly, refused=refused)
        self._learn(inert=space.inert(idle))
        addable = space.addable(units)
        others = space.alone(None).tolerated.without(space.many(units))
        self._learn(addable=addable, excluded=others.without(addable))
        with closing(space.maximal(units)) as found:
            for one in islice(found, self._wanted):
                self._learn(deviations=(*self.known.deviations, one))
            self._learn(more=next(found, None) is not None)

    def _blocked(self) -> tuple[tuple[Blocked, ...], tuple[Blocked, ...]]:
        """What E must refuse with the set as without it; what only with it."""
        before = {(b.state, b.action) for b in self._space.blocked()}
        sides: tuple[list[Blocked], list[Blocked]] = ([], [])
        for one in self._space.blocked(self._units):
            sides[(one.state, one.action) not in before].append(one)
        return tuple(sides[0]), tuple(sides[1])
