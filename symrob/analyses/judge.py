"""Whether the rules of a policy hold, and what shows that one does not.

In:  what the rules ask, and an `Engine` whose nominal system is safe.
Out: a `Verdict` for each rule, as soon as it is known.

A transition or a set of them is *tolerated* if R_E with it is robust, which is the
case exactly if some maximal deviation holds it ([S1] Def. 5: a subset of a
robust deviation is robust). So no rule needs Δ.

A rule is asked within the assumptions, or without them. One that holds within them and
would not without them holds by the assumptions alone, and says so.

Source: docs/sources.md [S1], Def. 2 (robust), Def. 5, Def. 6 (more robust).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from time import perf_counter

from symrob.analyses import hazards, mode_judge
from symrob.analyses.compare import Direction
from symrob.analyses.cut import Cut
from symrob.analyses.explain import explain
from symrob.analyses.in_modes import InModes
from symrob.analyses.policy import Asked, Baseline, Verdict
from symrob.analyses.unsafe import UnsafeSets
from symrob.case.policy import AsRobustAs, Forbids, Resilience, Rule, Tolerates
from symrob.envelope.engine import Engine
from symrob.envelope.transitions import Candidates
from symrob.errors import LimitExceeded, Trace
from symrob.limits import Stages
from symrob.lts import Transition
from symrob.lts.deviation import Deviation
from symrob.problem.doubts import EMPTY

_ALONE = "it holds by the assumptions alone, for without them"
# Seconds, for each rule, for whether it holds without the assumptions too.
UNASSUMED_SECONDS = 5.0


def judge(asked: Asked, problem: Engine | InModes) -> Iterator[Verdict]:
    """Yield a verdict for each rule, in order.

    Args:
        asked: The rules.
        problem: The case, its preconditions checked.

    A bound that is hit makes the rule `unknown`, and an interrupt that rule and
    all after it; nothing is raised for them. The caller sees an interrupt in
    the clock of the problem.

    Cost: a screening of its transitions for each rule about them; see `UnsafeSets` for
        the resilience and `Direction` for another controller. For whether a rule holds
        by the assumptions alone as much again, but at most `UNASSUMED_SECONDS`.
    """
    for index, rule in enumerate(asked.rules):
        start = perf_counter()
        stages = Stages(problem.clock)
        with stages, problem.effort.stage("gate"):
            reading = problem.unconstrained if rule.without_constraints else problem
            verdict = _RuleCheck(asked, reading, index).checked(rule)
        if stages.status != "complete":
            verdict = Verdict(rule, "unknown", stages.reason)
        yield replace(verdict, seconds=perf_counter() - start)


class _RuleCheck:
    """Judges one rule.

    Args:
        asked: All rules.
        problem: The case, without its constraints where the rule is asked so.
        index: Of the rule.
    """

    def __init__(self, asked: Asked, problem: Engine | InModes, index: int) -> None:
        self._asked = asked
        self._problem = problem
        self._index = index
        self._within = " within the assumptions" if problem.constrained else ""

    @property
    def _engine(self) -> Engine:
        """That of all of E; a rule that needs it was refused where there is none."""
        problem = self._problem
        engine = problem if isinstance(problem, Engine) else problem.whole
        assert engine is not None, "the rule names fault modes"
        return engine

    @property
    def _other(self) -> Engine | InModes | None:
        """The problem with the other controller, if the rule names one."""
        other = self._asked.others.get(self._index)
        free = other is not None and not self._problem.constrained
        return other.unconstrained if other is not None and free else other

    def checked(self, rule: Rule) -> Verdict:
        """Judge the rule; one that holds emptily fails, unless that is allowed."""
        verdict = self.verdict(rule)
        if verdict.answer != "holds" or isinstance(rule, Forbids):
            return verdict
        reason = None if rule.vacuous else self._vacuous(rule)
        if reason is None:
            return self._also_without(verdict)
        message = f"it says nothing: {reason}; vacuous = true allows that"
        return replace(verdict, answer="fails", message=message)

    def _also_without(self, verdict: Verdict) -> Verdict:
        """Find out whether a rule that holds does so by the assumptions alone.

        What is tolerated within the assumptions is so without them.
        """
        problem, rule = self._problem, verdict.rule
        if not problem.constrained or not (
            isinstance(rule, Resilience)
            or (isinstance(rule, AsRobustAs) and rule.controller is not None)
        ):
            return verdict
        found = None
        with suppress(LimitExceeded), problem.clock.at_most(UNASSUMED_SECONDS):
            without = _RuleCheck(self._asked, problem.unconstrained, self._index)
            found = without.verdict(rule)
        if found is None or found.answer == "unknown":
            return _undecided(verdict)
        if found.answer == "holds":
            return verdict
        message = f"{verdict.message}; {_ALONE} {found.message}"
        return replace(found, answer="holds", message=message, by_assumptions=True)

    def _vacuous(self, rule: Rule) -> str | None:
        """Why a rule that holds would hold whatever C did; `None` if it would not."""
        for warning in self._problem.warnings:
            if warning.code in EMPTY:
                return warning.message
        if (modes := self._in_modes(rule)) is not None:
            return mode_judge.why_vacuous(*self._in_terms_of_modes(modes), rule)
        nominal = self._engine.environment.visible_transitions
        if isinstance(rule, Tolerates):
            wanted = self._asked.transitions[self._index]
            new = wanted - nominal
            if not new:
                return "E has all these transitions already"
            # The first of them that fires in a run is reached without the others.
            for one in {t[:2]: t for t in sorted(new)}.values():
                alone = Deviation(nominal, frozenset({one}), self._engine.environment)
                if one not in self._engine.never_firing(alone):
                    return None
            return "none of these transitions can ever fire"
        if isinstance(rule, Resilience) and rule.least <= 1:
            return "the nominal system is safe, so its resilience is at least 1"
        if isinstance(rule, Resilience) and not self._engine.safe_sets.keeping:
            return "the assumptions allow no new transition"
        if isinstance(rule, AsRobustAs) and rule.controller is not None:
            other = self._other_engine.problem
            if other.controller == self._engine.problem.controller:
                return "the other controller is this one"
        if isinstance(rule, AsRobustAs) and rule.baseline is not None:
            deviations, _complete = self._asked.baselines[self._index]
            if all(deviation <= nominal for deviation in deviations):
                return "the baseline tolerates nothing that E lacks"
        return None

    @property
    def _other_engine(self) -> Engine:
        assert isinstance(self._other, Engine), "the sides ask in the same units"
        return self._other

    def _in_modes(self, rule: Rule) -> InModes | None:
        """The problem, if the rule counts in fault modes."""
        named = not isinstance(rule, Tolerates | Forbids) or bool(rule.modes)
        problem = self._problem
        return problem if named and isinstance(problem, InModes) else None

    def _in_terms_of_modes(
        self, modes: InModes
    ) -> tuple[InModes, InModes | None, Baseline | None]:
        """The problem, and what the rule compares it with."""
        other = self._other
        assert not isinstance(other, Engine), "the sides ask in the same units"
        return modes, other, self._asked.mode_sets.get(self._index)

    def verdict(self, rule: Rule) -> Verdict:
        """Judge the rule."""
        if (modes := self._in_modes(rule)) is not None:
            return mode_judge.judge_in_modes(*self._in_terms_of_modes(modes), rule)
        if isinstance(rule, Resilience):
            return self._resilience(rule)
        if isinstance(rule, AsRobustAs):
            if rule.baseline is not None:
                return self._as_baseline(rule)
            return self._as_controller(rule)
        transitions = self._asked.transitions[self._index]
        if isinstance(rule, Tolerates):
            if rule.added == "together":
                return self._tolerates_together(rule, transitions)
            return self._tolerates_each(rule, transitions)
        if rule.added == "together":
            return self._forbids_together(rule, transitions)
        return self._forbids_each(rule, transitions)

    def _tolerates_together(self, rule: Rule, wanted: frozenset[Transition]) -> Verdict:
        judged = hazards.verdict(self._engine, self._new(wanted))
        counts = {judged: 1}
        if judged == "tolerated":
            message = f"{_count(wanted)} tolerated together"
            return Verdict(rule, "holds", message, counts=counts)
        message = (
            f"{_count(wanted)} not tolerated together{self._told(counts)}; "
            "this part breaks it"
        )
        return Verdict(rule, "fails", message, *self._part(wanted), counts=counts)

    def _tolerates_each(self, rule: Rule, wanted: frozenset[Transition]) -> Verdict:
        judged = self._alone(wanted)
        counts = self._counts(wanted, judged)
        failing = (*judged.hazardous, *judged.assumed_away, *judged.outside)
        failing += (*judged.undecided,)
        if not failing:
            message = f"{_count(wanted)} tolerated, each alone"
            return Verdict(rule, "holds", message, counts=counts)
        message = (
            f"{len(failing)} of {_count(wanted)} not tolerated alone"
            f"{self._told(counts)}"
        )
        first = frozenset(failing[:1])
        cut = Cut(first, hazards.verdict(self._engine, first), self._engine)
        return Verdict(rule, "fails", message, failing, cut.trace, counts=counts)

    def _forbids_each(self, rule: Rule, unwanted: frozenset[Transition]) -> Verdict:
        judged = self._alone(unwanted)
        counts = self._counts(unwanted, judged)
        unsafe = {*judged.hazardous, *judged.assumed_away}
        unsafe |= {*judged.outside, *judged.undecided}
        tolerated = tuple(sorted(unwanted - unsafe))
        if tolerated:
            message = f"{len(tolerated)} of {_count(unwanted)} tolerated"
            deviation = self._engine.safe_sets.grown(tolerated[:1])
            return Verdict(rule, "fails", message, tolerated, None, deviation, counts)
        message = f"{_count(unwanted)} not tolerated, each alone{self._told(counts)}"
        verdict = Verdict(rule, "holds", message, counts=counts)
        if judged.outside:
            harmless = tuple(judged.outside)
            some = "all" if len(harmless) == len(unwanted) else f"{len(harmless):,}"
            message += f"; {_ALONE} {some} of them are tolerated"
            return replace(
                verdict, message=message, transitions=harmless, by_assumptions=True
            )
        return _undecided(verdict) if judged.undecided else verdict

    def _forbids_together(self, rule: Rule, unwanted: frozenset[Transition]) -> Verdict:
        judged = hazards.verdict(self._engine, self._new(unwanted))
        counts = {judged: 1}
        shown = tuple(sorted(unwanted))
        if judged == "tolerated":
            message = f"{_count(unwanted)} tolerated together"
            deviation = self._engine.safe_sets.grown(shown)
            return Verdict(rule, "fails", message, shown, None, deviation, counts)
        message = f"{_count(unwanted)} not tolerated together{self._told(counts)}"
        verdict = Verdict(rule, "holds", message, counts=counts)
        if judged == "outside-assumptions":
            message += f"; {_ALONE} they are tolerated"
            return replace(
                verdict, message=message, transitions=shown, by_assumptions=True
            )
        return verdict

    def _as_baseline(self, rule: AsRobustAs) -> Verdict:
        deviations, complete = self._asked.baselines[self._index]
        engine = self._engine
        failing = [d for d in deviations if not engine.is_safe(engine.extended(d))]
        if failing:
            message = (
                f"{len(failing)} of {len(deviations)} deviations of the baseline not "
                "tolerated; this part of the first breaks the system"
            )
            return Verdict(rule, "fails", message, *self._part(failing[0]))
        if not complete and not rule.partial:
            message = (
                f"all {len(deviations)} deviations of the baseline are tolerated, but "
                "it is not complete; partial = true makes do with them"
            )
            return Verdict(rule, "unknown", message)
        message = f"all {len(deviations)} deviations of the baseline tolerated"
        return Verdict(rule, "holds", message)

    def _as_controller(self, rule: Rule) -> Verdict:
        direction = Direction(self._other_engine, self._engine)
        direction.settle()
        direction.search()
        if not direction.exists:
            message = "whatever the other controller tolerates is tolerated"
            return Verdict(rule, "holds", message)
        with suppress(LimitExceeded):  # A larger deviation shows it as well.
            direction.shrink()
        witness = direction.surplus.witness
        assert witness is not None
        added = tuple(sorted(witness.deviation.new))
        message = (
            f"the other controller tolerates what breaks this one: {_count(added)}"
        )
        return Verdict(rule, "fails", message, added, witness.trace)

    def _resilience(self, rule: Resilience) -> Verdict:
        if rule.least == 1:
            return Verdict(rule, "holds", "the nominal system is safe")
        engine = self._engine
        safe = engine.safe_sets
        sets = UnsafeSets(safe, safe.keeping, engine.clock, engine.effort)
        try:
            found = next(filter(self._is_assumable, sets.by_size(rule.least - 1)), None)
        except LimitExceeded as error:
            reason = error.diagnostics[0].message
            message = f"{reason}; {self._harmless(sets.complete_to)}"
            return Verdict(rule, "unknown", message)
        if found is None:
            return Verdict(rule, "holds", self._harmless(rule.least - 1))
        shown = tuple(sorted(found))
        message = (
            f"it is {len(found)}{self._within}: "
            f"adding {_count(shown)} breaks the system"
        )
        return Verdict(rule, "fails", message, shown, engine.violation(found))

    def _harmless(self, count: int) -> str:
        """Say that so many new transitions are harmless."""
        what = (
            f"any {count:,} new transitions are"
            if count > 1
            else "any new transition is"
        )
        return f"{what} harmless{self._within}"

    def _is_assumable(self, added: Iterable[Transition]) -> bool:
        """Whether transitions break no assumption together.

        The minimal hazardous sets are the minimal unsafe ones that do not.
        """
        return self._engine.keeps_constraints(self._engine.extended(added))

    def _part(
        self, wanted: frozenset[Transition]
    ) -> tuple[tuple[Transition, ...], Trace]:
        """A smallest part that breaks the system, hazardous if any is, with a run."""
        found = explain(self._engine, wanted, deviations=0)
        if found.status == "interrupted":
            raise KeyboardInterrupt
        part = found.new if found.cut is None else found.cut.transitions
        assert found.trace is not None, "the set is tolerated"
        return tuple(sorted(part)), found.trace

    def _alone(self, transitions: frozenset[Transition]) -> hazards.Alone:
        new = self._new(transitions)
        return hazards.each_alone(self._engine, new, UNASSUMED_SECONDS)

    def _counts(
        self, asked: frozenset[Transition], judged: hazards.Alone
    ) -> dict[hazards.Verdict, int]:
        """How many have each verdict; those of E are tolerated."""
        counts: dict[hazards.Verdict, int] = {
            "hazardous": len(judged.hazardous),
            "assumed-away": len(judged.assumed_away),
            "outside-assumptions": len(judged.outside),
        }
        counts["tolerated"] = len(asked) - sum(counts.values()) - len(judged.undecided)
        return {verdict: counts[verdict] for verdict in hazards.VERDICTS}

    def _told(self, counts: Mapping[hazards.Verdict, int]) -> str:
        """What transitions that are not tolerated amount to."""
        if not self._engine.constraints:
            return ""
        told = [
            words if sum(counts.values()) == 1 else f"{counts[verdict]:,} {words}"
            for verdict, words in hazards.SAID.items()
            if verdict != "tolerated" and counts.get(verdict)
        ]
        return f" ({', '.join(told)})" if told else ""

    def _new(self, transitions: Iterable[Transition]) -> Candidates:
        """Those that E lacks."""
        environment = self._engine.environment
        new = frozenset(transitions) - environment.visible_transitions
        return Candidates.of(environment, new)


def _undecided(verdict: Verdict) -> Verdict:
    """Say of a rule that holds that nobody knows whether the assumptions are why."""
    message = (
        f"{verdict.message}; whether without the assumptions too was not decided in "
        f"{UNASSUMED_SECONDS:g} s"
    )
    return replace(verdict, message=message, by_assumptions=None)


def _count(transitions: Iterable[Transition]) -> str:
    count = len(frozenset(transitions))
    return "1 transition" if count == 1 else f"{count:,} transitions"
