"""Whether the rules of a policy hold, and what shows that one does not.

In:  rules, an `Engine` whose nominal system is safe, and what they compare with.
Out: a `Verdict` for each rule, as soon as it is known.

A transition or a set of them is *tolerated* if R_E with it is robust, which is the
case exactly if some maximal deviation holds it ([S1] Def. 5: a subset of a
robust deviation is robust). So no rule needs Δ.

Source: docs/sources.md [S1], Def. 2 (robust), Def. 5, Def. 6 (more robust).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from time import perf_counter
from typing import Literal

from symrob.analyses.compare import Direction
from symrob.analyses.explain import explain
from symrob.analyses.unsafe import UnsafeSets
from symrob.case.policy import AsRobustAs, Forbids, Policy, Resilience, Rule, Tolerates
from symrob.case.results import load_result, read_deviations
from symrob.case.transitions import parse_transitions
from symrob.envelope.engine import Engine
from symrob.envelope.transitions import Candidates
from symrob.errors import Diagnostic, LimitExceeded, SymrobError, Trace
from symrob.limits import Stages
from symrob.lts import Lts, Transition
from symrob.lts.deviation import Deviation
from symrob.problem.doubts import EMPTY

Answer = Literal["holds", "fails", "unknown"]


@dataclass(frozen=True)
class Verdict:
    """What became of one rule.

    Attributes:
        rule: The rule.
        answer: `unknown` where a bound was hit or the user interrupted.
        message: One sentence about it.
        transitions: The transitions that the message speaks of; of a set that
            must be tolerated and is not, a smallest part that breaks the system.
        trace: A shortest run into ERROR with just these added, where that is why.
        deviation: A robust deviation that holds them, where that is why.
        seconds: What it took.
    """

    rule: Rule
    answer: Answer
    message: str
    transitions: tuple[Transition, ...] = ()
    trace: Trace | None = None
    deviation: Deviation | None = None
    seconds: float = 0.0


@dataclass(frozen=True)
class Asked:
    """The rules of a policy in the terms of one environment.

    Attributes:
        rules: The rules.
        transitions: For each rule by its index the transitions that it is about.
        baselines: For each rule by its index the deviations to be tolerated, and
            whether they are all that the baseline has.
        others: For each rule by its index the engine of the other controller.
    """

    rules: tuple[Rule, ...]
    transitions: Mapping[int, frozenset[Transition]]
    baselines: Mapping[int, tuple[Sequence[frozenset[Transition]], bool]]
    others: Mapping[int, Engine]


def ask(policy: Policy, environment: Lts, others: Mapping[int, Engine]) -> Asked:
    """Read what the rules of a policy refer to.

    Args:
        policy: The policy.
        environment: The environment of the case.
        others: For each rule about another controller, by its index, its engine.

    Raises:
        SymrobError: Rules speak of transitions that there are not, or baselines
            cannot be read or are of another environment; all problems at once.
    """
    problems: list[Diagnostic] = []
    transitions: dict[int, frozenset[Transition]] = {}
    baselines: dict[int, tuple[Sequence[frozenset[Transition]], bool]] = {}
    for index, rule in enumerate(policy.rules):
        try:
            if isinstance(rule, Tolerates | Forbids):
                meant = parse_transitions(
                    rule.transitions, environment, file=policy.path
                )
                transitions[index] = frozenset().union(*meant)
            elif isinstance(rule, AsRobustAs) and rule.baseline is not None:
                data = load_result(rule.baseline)
                found = read_deviations(data, environment, rule.baseline)
                problems += _foreign(found, environment, rule.baseline)
                baselines[index] = found, data.get("status") == "complete"
        except SymrobError as error:
            problems += error.diagnostics
    if problems:
        raise SymrobError(list(dict.fromkeys(problems)))
    return Asked(policy.rules, transitions, baselines, others)


def _foreign(
    deviations: Iterable[frozenset[Transition]], environment: Lts, file: str
) -> Iterator[Diagnostic]:
    """What stands in a baseline and is no transition of A."""
    everything = {
        Transition(source, action, target)
        for source in range(environment.size)
        for action in environment.alphabet
        for target in range(environment.size)
    }
    for transition in sorted(frozenset().union(*deviations) - everything, key=repr):
        message = f"{list(transition)} is no transition over the environment"
        yield Diagnostic("policy-baseline", message, file=file)


def judge(asked: Asked, engine: Engine) -> Iterator[Verdict]:
    """Yield a verdict for each rule, in order.

    Args:
        asked: The rules.
        engine: The problem, its preconditions checked.

    A bound that is hit makes the rule `unknown`, and an interrupt that rule and
    all after it; nothing is raised for them. The caller sees an interrupt in
    `engine.clock.interrupted`.

    Cost: one screening for all rules, and a search of the closed loop for each;
        see `UnsafeSets` for the resilience and `Direction` for another controller.
    """
    for index, rule in enumerate(asked.rules):
        start = perf_counter()
        stages = Stages(engine.clock)
        with stages, engine.effort.stage("gate"):
            verdict = _RuleCheck(asked, engine, index).checked(rule)
        if stages.status != "complete":
            verdict = Verdict(rule, "unknown", stages.reason)
        yield replace(verdict, seconds=perf_counter() - start)


class _RuleCheck:
    """Judges one rule."""

    def __init__(self, asked: Asked, engine: Engine, index: int) -> None:
        self._asked = asked
        self._engine = engine
        self._index = index

    def checked(self, rule: Rule) -> Verdict:
        """Judge the rule; one that holds emptily fails, unless that is allowed."""
        verdict = self.verdict(rule)
        if verdict.answer != "holds" or isinstance(rule, Forbids) or rule.vacuous:
            return verdict
        reason = self._vacuous(rule)
        if reason is None:
            return verdict
        message = f"it says nothing: {reason}; vacuous = true allows that"
        return replace(verdict, answer="fails", message=message)

    def _vacuous(self, rule: Rule) -> str | None:
        """Why a rule that holds would hold whatever C did; `None` if it would not."""
        nominal = self._engine.environment.visible_transitions
        for warning in self._engine.problem.warnings:
            if warning.code in EMPTY:
                return warning.message
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
        if isinstance(rule, AsRobustAs) and rule.controller is not None:
            other = self._asked.others[self._index].problem
            if other.controller == self._engine.problem.controller:
                return "the other controller is this one"
        if isinstance(rule, AsRobustAs) and rule.baseline is not None:
            deviations, _complete = self._asked.baselines[self._index]
            if all(deviation <= nominal for deviation in deviations):
                return "the baseline tolerates nothing that E lacks"
        return None

    def verdict(self, rule: Rule) -> Verdict:
        """Judge the rule."""
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
        broken = self._broken(wanted)
        if broken is None:
            return Verdict(rule, "holds", f"{_count(wanted)} tolerated together")
        message = f"{_count(wanted)} not tolerated together; this part breaks it"
        return Verdict(rule, "fails", message, *broken)

    def _tolerates_each(self, rule: Rule, wanted: frozenset[Transition]) -> Verdict:
        new = self._new(wanted)
        failing = sorted(new.without(self._engine.safe_sets.alone))
        if not failing:
            return Verdict(rule, "holds", f"{_count(wanted)} tolerated, each alone")
        message = f"{len(failing)} of {_count(wanted)} not tolerated alone"
        trace = self._engine.violation(failing[:1])
        return Verdict(rule, "fails", message, tuple(failing), trace)

    def _forbids_each(self, rule: Rule, unwanted: frozenset[Transition]) -> Verdict:
        unsafe = self._new(unwanted).without(self._engine.safe_sets.alone)
        tolerated = tuple(sorted(unwanted - frozenset(unsafe)))
        if not tolerated:
            return Verdict(rule, "holds", f"{_count(unwanted)} unsafe, each alone")
        message = f"{len(tolerated)} of {_count(unwanted)} tolerated"
        deviation = self._deviation(tolerated[:1])
        return Verdict(rule, "fails", message, tolerated, None, deviation)

    def _forbids_together(self, rule: Rule, unwanted: frozenset[Transition]) -> Verdict:
        if self._engine.violation(unwanted) is not None:
            return Verdict(rule, "holds", f"{_count(unwanted)} unsafe together")
        message = f"{_count(unwanted)} tolerated together"
        shown = tuple(sorted(unwanted))
        return Verdict(rule, "fails", message, shown, None, self._deviation(shown))

    def _as_baseline(self, rule: AsRobustAs) -> Verdict:
        deviations, complete = self._asked.baselines[self._index]
        failing = [d for d in deviations if self._engine.violation(d) is not None]
        if failing:
            message = (
                f"{len(failing)} of {len(deviations)} deviations of the baseline not "
                "tolerated; this part of the first breaks the system"
            )
            broken = self._broken(failing[0])
            assert broken is not None
            return Verdict(rule, "fails", message, *broken)
        if not complete and not rule.partial:
            message = (
                f"all {len(deviations)} deviations of the baseline are tolerated, but "
                "it is not complete; partial = true makes do with them"
            )
            return Verdict(rule, "unknown", message)
        message = f"all {len(deviations)} deviations of the baseline tolerated"
        return Verdict(rule, "holds", message)

    def _as_controller(self, rule: Rule) -> Verdict:
        direction = Direction(self._asked.others[self._index], self._engine)
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
        sets = UnsafeSets(
            engine.safe_sets, engine.candidates, engine.clock, engine.effort
        )
        try:
            found = next(sets.by_size(rule.least - 1), None)
        except LimitExceeded as error:
            reason = error.diagnostics[0].message
            message = f"{reason}; any {sets.complete_to} new transitions are harmless"
            return Verdict(rule, "unknown", message)
        if found is None:
            message = f"any {rule.least - 1} new transitions are harmless"
            return Verdict(rule, "holds", message)
        shown = tuple(sorted(found))
        message = f"it is {len(found)}: adding {_count(shown)} breaks the system"
        return Verdict(rule, "fails", message, shown, engine.violation(found))

    def _broken(
        self, wanted: frozenset[Transition]
    ) -> tuple[tuple[Transition, ...], Trace] | None:
        """A smallest part of a set that breaks the system, with a shortest run."""
        engine = self._engine
        if engine.violation(wanted) is None:
            return None
        found = explain(engine, wanted, deviations=0)
        if found.status == "interrupted":
            raise KeyboardInterrupt
        part = found.new if found.cut is None else found.cut.transitions
        assert found.trace is not None
        return tuple(sorted(part)), found.trace

    def _new(self, transitions: Iterable[Transition]) -> Candidates:
        """Those that E lacks."""
        environment = self._engine.environment
        new = frozenset(transitions) - environment.visible_transitions
        return Candidates.of(environment, new)

    def _deviation(self, held: Iterable[Transition]) -> Deviation:
        """A maximal robust deviation that holds a tolerated set."""
        return self._engine.safe_sets.grown(held)


def _count(transitions: Iterable[Transition]) -> str:
    count = len(frozenset(transitions))
    return "1 transition" if count == 1 else f"{count:,} transitions"
