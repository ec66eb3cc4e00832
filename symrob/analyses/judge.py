"""Whether the rules of a policy hold, and what shows that one does not.

In:  what the rules ask, and a `Space`.
Out: a `Ruling` for each rule, as soon as it is known.

A unit or a set of them is *tolerated* if R_E with it is robust, which is the case
exactly if some maximal deviation holds it ([S1] Def. 5: a subset of a robust deviation
is robust). So no rule needs Δ.

A rule is asked within the assumptions, or without them. One that holds within them and
would not without them holds by the assumptions alone, and says so.

Source: docs/sources.md [S1], Def. 2 (robust), Def. 5, Def. 6 (more robust).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import replace
from itertools import islice
from time import perf_counter

from symrob.analyses.compare import surplus_of
from symrob.analyses.cut import Cut, smallest_part
from symrob.analyses.deadlocks import LOOKED_AT
from symrob.analyses.hazards import Alone
from symrob.analyses.policy import Asked, Ruling
from symrob.analyses.same import require_same_units
from symrob.analyses.space import About, Space, units_in
from symrob.case.policy import (
    AsRobustAs,
    Forbids,
    KeepsGoals,
    ResilienceRule,
    Rule,
    Tolerates,
)
from symrob.doing import counted as noted
from symrob.errors import LimitExceeded, Trace
from symrob.limits import Stages
from symrob.problem import Many, Unit, UnitSet
from symrob.problem.doubts import EMPTY
from symrob.verdicts import SAID, VERDICTS, Verdict

_ALONE = "holds only because of the assumptions: without them"
# Names of units in a message.
_MOST_NAMES = 8


def judge(asked: Asked, space: Space) -> Iterator[Ruling]:
    """Yield a ruling for each rule, in order.

    Args:
        asked: The rules.
        space: The case.

    A bound that is hit makes the rule `unknown`, and an interrupt that rule and
    all after it; nothing is raised for them. The caller sees an interrupt in
    the clock of the problem.

    Cost: a screening of its units for each rule about them; see `Space.unsafe_sets` for
        the resilience and `Direction` for another controller. For whether a rule holds
        by the assumptions alone as much again, but at most the budget `unassumed`.
    """
    for index, rule in enumerate(asked.rules):
        start = perf_counter()
        stages = Stages(space.clock)
        noted(index, f"of {len(asked.rules)} rules")
        with stages, space.effort.stage("gate"):
            reading = space.unconstrained if rule.without_constraints else space
            ruling = _RuleCheck(asked, reading, index).checked(rule)
        if stages.status != "complete":
            ruling = Ruling(rule, "unknown", stages.reason)
        yield replace(ruling, seconds=perf_counter() - start)


class _RuleCheck:
    """Judges one rule.

    Args:
        asked: All rules.
        space: The case, without its constraints where the rule is asked so.
        index: Of the rule.
    """

    def __init__(self, asked: Asked, space: Space, index: int) -> None:
        self._asked = asked
        self._index = index
        self._space = space.singles if index in asked.in_singles else space
        self._within = " within the assumptions" if space.constrained else ""

    @property
    def _other(self) -> Space:
        """The problem with the other controller that the rule names."""
        other = self._asked.others[self._index]
        return other if self._space.constrained else other.unconstrained

    def checked(self, rule: Rule) -> Ruling:
        """Judge the rule; one that holds emptily fails, unless that is allowed."""
        ruling = self.ruling(rule)
        if ruling.answer != "holds" or isinstance(rule, Forbids | KeepsGoals):
            return ruling
        reason = None if rule.vacuous else self._vacuous(rule)
        if reason is None:
            return self._also_without(ruling)
        message = f"vacuous: {reason}; vacuous = true allows that"
        return replace(ruling, answer="fails", message=message, vacuous=True)

    def _also_without(self, ruling: Ruling) -> Ruling:
        """Find out whether a rule that holds does so by the assumptions alone.

        What is tolerated within the assumptions is so without them.
        """
        space, rule = self._space, ruling.rule
        if not space.constrained or not (
            isinstance(rule, ResilienceRule)
            or (isinstance(rule, AsRobustAs) and rule.controller is not None)
        ):
            return ruling
        found = None
        with space.clock.step("unassumed") as step:
            without = _RuleCheck(self._asked, space.unconstrained, self._index)
            found = without.ruling(rule)
        if found is None or found.answer == "unknown":
            return _undecided(ruling, step.seconds)
        if found.answer == "holds":
            return ruling
        message = f"{ruling.message}; {_ALONE} {found.message}"
        return replace(found, answer="holds", message=message, by_assumptions=True)

    def _vacuous(self, rule: Rule) -> str | None:
        """Why a rule that holds would hold whatever C did; `None` if it would not."""
        for warning in self._space.warnings:
            if warning.code in EMPTY:
                return warning.message
        these = f"these {self._space.about.noun}s"
        if isinstance(rule, Tolerates):
            wanted = self._asked.wanted[self._index]
            if not wanted.units:
                return f"E already has all {these}"
            if self._can_fire(wanted.units, together=rule.added == "together"):
                return None
            return f"none of {these} can ever fire"
        if isinstance(rule, ResilienceRule):
            if rule.least <= 1:
                return "the nominal system is safe, so its resilience is at least 1"
            if not self._some_kept():
                return f"the assumptions allow no new {self._space.about.noun}"
        if isinstance(rule, AsRobustAs) and rule.controller is not None:
            ours, theirs = (
                [problem.controller for problem in side.problems]
                for side in (self._space, self._other)
            )
            return "the other controller is this one" if ours == theirs else None
        if isinstance(rule, AsRobustAs) and rule.baseline is not None:
            sets, _complete = self._asked.baselines[self._index]
            if not any(sets):
                return "the baseline tolerates no transition that E lacks"
        return None

    def _some_kept(self) -> bool:
        """Whether some unit breaks no assumption when it is added alone."""
        judged = self._space.alone(None)
        return bool(len(judged.tolerated) or len(judged.hazardous))

    def _can_fire(self, wanted: UnitSet, *, together: bool) -> bool:
        """Whether some of these units fires, alone or with the others."""
        space = self._space
        one_each: dict[object, Unit] = {}
        for unit in sorted(wanted):
            # Where one transition of a state and action fires, another does.
            one_each.setdefault(unit if isinstance(unit, str) else unit[:2], unit)
        if any(not space.idle(frozenset((unit,))) for unit in one_each.values()):
            return True
        return together and bool(wanted - space.idle(wanted))

    def ruling(self, rule: Rule) -> Ruling:
        """Judge the rule."""
        if isinstance(rule, ResilienceRule):
            return self._resilience(rule)
        if isinstance(rule, AsRobustAs):
            if rule.baseline is not None:
                return self._as_baseline(rule)
            return self._as_controller(rule)
        together = rule.added == "together"
        if isinstance(rule, KeepsGoals):
            return self._keeps_goals(rule)
        if isinstance(rule, Tolerates):
            return self._tolerates_together(rule) if together else self._tolerates(rule)
        return self._forbids_together(rule) if together else self._forbids(rule)

    @property
    def _wanted(self) -> UnitSet:
        """What the rule is about and E lacks."""
        return self._asked.wanted[self._index].units

    @property
    def _all_wanted(self) -> frozenset[Unit]:
        """With what E has already."""
        wanted = self._asked.wanted[self._index]
        return wanted.units | wanted.nominal

    def _count(self, units: Iterable[Unit] | int) -> str:
        """What a message says of units: names of modes, where they are few."""
        return counted(self._space.about, units)

    def _tolerates_together(self, rule: Rule) -> Ruling:
        wanted, judged = self._wanted, self._space.verdict(self._wanted)
        counts, what = {judged: 1}, self._count(self._all_wanted)
        if judged == "tolerated":
            message = f"{what} tolerated together"
            return Ruling(rule, "holds", message, counts=counts)
        units, trace, part = self._part(wanted, judged)
        told = self._told(counts)
        message = f"{what} not tolerated together{told}; {part} violates a property"
        return Ruling(rule, "fails", message, units, trace, counts=counts)

    def _tolerates(self, rule: Rule) -> Ruling:
        judged = self._alone()
        counts, wanted = self._counts(judged), self._count(len(self._all_wanted))
        failing = (*judged.hazardous, *judged.excluded_unsafe, *judged.excluded_safe)
        failing += (*judged.undecided,)
        if not failing:
            message = f"{wanted} individually tolerated"
            return Ruling(rule, "holds", message, counts=counts)
        message = (
            f"{len(failing)} of {wanted} not individually tolerated{self._told(counts)}"
        )
        first: UnitSet = frozenset(failing[:1])
        cut = Cut(first, self._space.harm(first), self._space)
        return Ruling(rule, "fails", message, failing, cut.trace, counts=counts)

    def _forbids(self, rule: Rule) -> Ruling:
        judged = self._alone()
        counts, unwanted = self._counts(judged), self._count(len(self._all_wanted))
        unsafe: set[Unit] = {*judged.hazardous, *judged.excluded_unsafe}
        unsafe |= {*judged.excluded_safe, *judged.undecided}
        tolerated = tuple(sorted(self._all_wanted - unsafe))
        if tolerated:
            message = f"{len(tolerated)} of {unwanted} tolerated"
            together = self._grown(frozenset(tolerated[:1]))
            return Ruling(rule, "fails", message, tolerated, None, together, counts)
        message = f"{unwanted} not individually tolerated{self._told(counts)}"
        ruling = Ruling(rule, "holds", message, counts=counts)
        if len(judged.excluded_safe):
            harmless = tuple(judged.excluded_safe)
            some = "all" if len(harmless) == len(unsafe) else f"{len(harmless):,}"
            message += f"; {_ALONE} {some} of them are tolerated"
            return replace(ruling, message=message, units=harmless, by_assumptions=True)
        seconds = self._space.clock.budget("unassumed")
        return _undecided(ruling, seconds) if len(judged.undecided) else ruling

    def _forbids_together(self, rule: Rule) -> Ruling:
        judged = self._space.verdict(self._wanted)
        counts, what = {judged: 1}, self._count(self._all_wanted)
        shown = tuple(sorted(self._all_wanted))
        if judged == "tolerated":
            message = f"{what} tolerated together"
            together = self._grown(self._wanted)
            return Ruling(rule, "fails", message, shown, None, together, counts)
        message = f"{what} not tolerated together{self._told(counts)}"
        ruling = Ruling(rule, "holds", message, counts=counts)
        if judged == "excluded-safe":
            message += f"; {_ALONE} they are tolerated"
            return replace(ruling, message=message, units=shown, by_assumptions=True)
        return ruling

    def _grown(self, units: UnitSet) -> UnitSet:
        """A maximal tolerated set that holds some units, or what E has of them."""
        return self._space.grown(units - self._asked.wanted[self._index].nominal)

    def _keeps_goals(self, rule: KeepsGoals) -> Ruling:
        """Whether goals stay possible, with some units or with maximal sets."""
        space, goals = self._space, self._asked.goals[self._index]
        if not goals:
            message = "vacuous: the plan has no goal"
            return Ruling(rule, "fails", message, vacuous=True)
        sets, what = self._with(rule)
        planned: UnitSet = frozenset()
        for number, units in enumerate((planned, *sets)):
            lost = space.progress.losing(space.each_added(units), goals)
            if not lost:
                continue
            names = tuple(one.goal.name for one in lost)
            by = "with this one of " + what if len(sets) > 1 else f"with {what}"
            by = "in the plan already" if number == 0 else by
            message = f"{_enumerated(names)} can become impossible {by}"
            shown = tuple(sorted(units))
            trace = lost[0].traces[0]
            return Ruling(rule, "fails", message, shown, trace, lost=names)
        names = tuple(goal.name for goal in goals)
        stay = f"stay{'s' * (len(goals) == 1)} possible with {what}"
        return Ruling(rule, "holds", f"{_enumerated(names)} {stay}")

    def _with(self, rule: KeepsGoals) -> tuple[Sequence[UnitSet], str]:
        """What is added to E by a rule about goals, set by set, and what that is."""
        if self._index in self._asked.wanted:
            wanted = self._wanted
            what = self._count(self._all_wanted)
            if rule.added == "each":
                return [frozenset((u,)) for u in sorted(wanted)], f"each of {what}"
            return [wanted], f"{what} added"
        kind = "deviation" if self._space.about.units is None else "set"
        found = self._space.maximal()
        with closing(found):
            sets = [units_in(one) for one in islice(found, LOOKED_AT)]
            more = next(found, None) is not None
        count = f"{'first ' * more}{len(sets):,} maximal {kind}{'s' * (len(sets) > 1)}"
        return sets, f"the {count}" if len(sets) > 1 or more else f"the maximal {kind}"

    def _as_baseline(self, rule: AsRobustAs) -> Ruling:
        sets, complete = self._asked.baselines[self._index]
        kind = "deviations" if self._space.about.units is None else "sets"
        failing = [found for found in sets if not self._space.is_safe(found)]
        if failing:
            judged = self._space.verdict(failing[0])
            units, trace, part = self._part(failing[0], judged)
            message = (
                f"{len(failing)} of {len(sets)} {kind} of the baseline not "
                f"tolerated; of the first, {part} violates a property"
            )
            return Ruling(rule, "fails", message, units, trace)
        if not complete and not rule.partial:
            message = (
                f"all {kind} of the baseline are tolerated ({len(sets)}), but it is "
                "not complete; set partial = true to accept an incomplete baseline"
            )
            return Ruling(rule, "unknown", message)
        message = f"all {kind} of the baseline tolerated ({len(sets)})"
        return Ruling(rule, "holds", message)

    def _as_controller(self, rule: Rule) -> Ruling:
        require_same_units(self._space.about, self._other.about)
        direction = self._other.beyond(self._space)
        direction.settle()
        direction.search()
        if not direction.exists:
            message = "tolerates every deviation that the other controller tolerates"
            return Ruling(rule, "holds", message)
        with suppress(LimitExceeded):  # A larger set shows it as well.
            direction.shrink()
        witness = surplus_of(direction).witness
        assert witness is not None
        added = tuple(sorted(witness.units))
        message = (
            "the other controller tolerates what violates a property here: "
            f"{self._count(added)}"
        )
        return Ruling(rule, "fails", message, added, witness.trace)

    def _resilience(self, rule: ResilienceRule) -> Ruling:
        if rule.least == 1:
            return Ruling(rule, "holds", "the nominal system is safe")
        space = self._space
        search = space.unsafe_sets(singles=True)
        try:
            # The minimal hazardous sets are the minimal unsafe ones that keep P_env.
            sets = filter(space.keeps_assumptions, search.by_size(rule.least - 1))
            found = next(sets, None)
        except LimitExceeded as error:
            reason = error.diagnostics[0].message
            message = f"{reason}; {self._harmless(search.complete_to)}"
            return Ruling(rule, "unknown", message)
        if found is None:
            return Ruling(rule, "holds", self._harmless(rule.least - 1))
        shown = tuple(sorted(found))
        message = (
            f"it is {len(found)}{self._within}: "
            f"adding {self._count(shown)} violates a property"
        )
        return Ruling(rule, "fails", message, shown, space.violation(found))

    def _harmless(self, count: int) -> str:
        """Say that so many new units are harmless."""
        noun = f"new {self._space.about.noun}"
        what = f"set of up to {count:,} {noun}s" if count > 1 else noun
        return f"no {what} violates a property{self._within}"

    def _part(
        self, wanted: UnitSet, judged: Verdict
    ) -> tuple[tuple[Unit, ...], Trace, str]:
        """A smallest part that breaks the system, with a run, and its name."""
        cut = Cut(wanted, judged, self._space)
        try:
            cut = smallest_part(self._space, wanted, judged)
        except LimitExceeded as error:
            # That the set is not tolerated is known all the same.
            if error.reason == "interrupted":
                raise
        units = tuple(sorted(cut.units))
        names = [unit for unit in units if isinstance(unit, str)]
        return units, cut.trace, ", ".join(names[:_MOST_NAMES]) or "this part"

    def _alone(self) -> Alone[Many]:
        seconds = self._space.clock.budget("unassumed")
        return self._space.each_alone(self._wanted, seconds)

    def _counts(self, judged: Alone[Many]) -> dict[Verdict, int]:
        """How many have each verdict; those of E are tolerated."""
        counts = {v: len(many) for v, many in judged.by_verdict().items()}
        counts["tolerated"] += len(self._asked.wanted[self._index].nominal)
        return {verdict: counts[verdict] for verdict in VERDICTS}

    def _told(self, counts: Mapping[Verdict, int]) -> str:
        """What units that are not tolerated amount to."""
        if not self._space.constrained:
            return ""
        told = [
            words if sum(counts.values()) == 1 else f"{counts[verdict]:,} {words}"
            for verdict, words in SAID.items()
            if verdict != "tolerated" and counts.get(verdict)
        ]
        return f" ({', '.join(told)})" if told else ""


def _undecided(ruling: Ruling, seconds: float) -> Ruling:
    """Say of a rule that holds that nobody knows whether the assumptions are why."""
    message = (
        f"{ruling.message}; unknown: whether it holds without the assumptions "
        f"({seconds:g} s used)"
    )
    return replace(ruling, message=message, by_assumptions=None)


def _enumerated(names: Sequence[str]) -> str:
    """Names of goals in a message, as far as they are few."""
    shown = ", ".join(names[:_MOST_NAMES])
    more = len(names) - _MOST_NAMES
    return f"{shown} and {more:,} more" if more > 0 else shown


def counted(about: About, units: Iterable[Unit] | int) -> str:
    """Say which units, where they have names and are few; else how many."""
    count = units if isinstance(units, int) else len(frozenset(units))
    names = [] if isinstance(units, int) else [u for u in units if isinstance(u, str)]
    if names and len(names) <= _MOST_NAMES:
        return ", ".join(sorted(names))
    return f"1 {about.noun}" if count == 1 else f"{count:,} {about.noun}s"
