"""What the rules of a policy ask of a case, and what becomes of them.

In:  a `Policy`, and what it refers to.
Out: `Asked`: its rules in the terms of one environment, for `judge`; and the form of
     its answers, `Ruling`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar, Literal, NamedTuple

from symrob.analyses.space import About, Space
from symrob.case.places import naming
from symrob.case.policy import (
    AsRobustAs,
    Forbids,
    KeepsGoals,
    OfUnits,
    Policy,
    ResilienceRule,
    Rule,
    Tolerates,
)
from symrob.case.results import load_result
from symrob.case.transitions import placed_transitions
from symrob.errors import Diagnostic, SymrobError, Trace, did_you_mean
from symrob.limits import Status
from symrob.lts import Transition
from symrob.problem import Unit, UnitSet
from symrob.problem.goals import Goal, goals_of
from symrob.shown import Shown
from symrob.verdicts import Verdict

Answer = Literal["holds", "fails", "unknown"]
# The sets of a baseline, and whether they are all that it has.
Baseline = tuple[Sequence[UnitSet], bool]
_KINDS: Mapping[type[Rule], str] = {
    Tolerates: "tolerates",
    Forbids: "forbids",
    AsRobustAs: "as_robust_as",
    ResilienceRule: "resilience",
    KeepsGoals: "progress",
}


@dataclass(frozen=True)
class Ruling:
    """What became of one rule.

    Attributes:
        rule: The rule.
        answer: `unknown` where a bound was hit or the user interrupted.
        message: One sentence about it.
        units: The units that the message speaks of; of a set that must be tolerated
            and is not, a smallest part that breaks the system.
        trace: A shortest run into ERROR with just these added, where that is why; or to
            where a goal is lost.
        together: A maximal tolerated set that holds them, where that is why.
        counts: Of a rule about units, how many have each verdict; where all are added
            together they count as one.
        by_assumptions: Whether the rule holds by the assumptions alone; `None` if that
            was not decided.
        vacuous: Whether it fails because it would hold whatever C did.
        lost: Of a rule about goals, those that can become impossible.
        seconds: What it took.
    """

    also: ClassVar = {
        "kind": "kind",
        "name": "rule.name",
        "without_constraints": "rule.without_constraints",
    }

    rule: Rule = field(metadata={"json": False})
    answer: Answer
    message: str
    units: tuple[Unit, ...] = ()
    trace: Trace | None = None
    together: UnitSet | None = None
    counts: Mapping[Verdict, int] = field(default_factory=dict)
    by_assumptions: bool | None = False
    vacuous: bool = False
    lost: tuple[str, ...] = ()
    seconds: float = 0.0

    @property
    def kind(self) -> str:
        """The key of a policy that the rule stands under."""
        return _KINDS[type(self.rule)]


@dataclass(frozen=True)
class Judged(Shown):
    """What became of a policy.

    Attributes:
        about: What the units are of.
        rules: What became of each rule, in the order of the policy.
        vacuous: The properties that nothing can violate, whatever E may do.
        status: `complete` where every answer is known; else why one is not.
        reason: What is said of that.
    """

    schema: ClassVar = "gate/3"

    about: About = field(compare=False)
    rules: tuple[Ruling, ...]
    vacuous: tuple[str, ...] = ()
    status: Status = "complete"
    reason: str = ""

    @classmethod
    def of(cls, space: Space, rules: Sequence[Ruling]) -> Judged:
        """Return what became of a policy; incomplete where a rule is unknown."""
        known = space.about, tuple(rules), space.vacuous
        if space.clock.interrupted:
            return cls(*known, "interrupted", "interrupted")
        for ruling in rules:
            if ruling.answer == "unknown":
                return cls(*known, "limit", ruling.message)
        return cls(*known)


class Wanted(NamedTuple):
    """What a rule names.

    Attributes:
        units: Units that E lacks.
        nominal: Transitions that E has already.
    """

    units: UnitSet
    nominal: frozenset[Transition]


@dataclass(frozen=True)
class Asked:
    """The rules of a policy in the terms of one environment.

    Attributes:
        rules: The rules.
        wanted: For each rule by its index what it is about.
        in_singles: The indices of rules that name transitions, whatever the units of
            the case are.
        baselines: For each rule by its index the sets to be tolerated.
        others: For each rule by its index the problem with the other controller.
        goals: For each rule by its index the goals that it is about.
    """

    rules: tuple[Rule, ...]
    wanted: Mapping[int, Wanted]
    in_singles: frozenset[int]
    baselines: Mapping[int, Baseline]
    others: Mapping[int, Space]
    goals: Mapping[int, tuple[Goal, ...]] = field(default_factory=dict)


def ask(policy: Policy, space: Space, others: Mapping[int, Space]) -> Asked:
    """Read what the rules of a policy refer to.

    Args:
        policy: The policy.
        space: The case.
        others: For each rule about another controller, by its index, the problem with
            it.

    Raises:
        SymrobError: Rules speak of transitions that there are not, or baselines
            cannot be read or are of another environment; all problems at once.
    """
    problems: list[Diagnostic] = []
    wanted: dict[int, Wanted] = {}
    in_singles = set()
    baselines: dict[int, Baseline] = {}
    goals: dict[int, tuple[Goal, ...]] = {}
    for index, rule in enumerate(policy.rules):
        try:
            if isinstance(rule, KeepsGoals):
                goals[index] = _goals(policy, rule, space)
            if isinstance(rule, OfUnits) and (rule.transitions or rule.modes):
                wanted[index] = _wanted(policy, rule, space)
                if not rule.modes:
                    in_singles.add(index)
            elif isinstance(rule, AsRobustAs) and rule.baseline is not None:
                with naming(policy.source, rule.baseline):
                    data = load_result(rule.baseline)
                sets = space.sets_of(data, rule.baseline)
                baselines[index] = sets, data.get("status") == "complete"
        except SymrobError as error:
            problems += error.diagnostics
    if problems:
        raise SymrobError(list(dict.fromkeys(problems)))
    singles = frozenset(in_singles)
    return Asked(policy.rules, wanted, singles, baselines, others, goals)


def _goals(policy: Policy, rule: KeepsGoals, space: Space) -> tuple[Goal, ...]:
    """Return the goals that a rule names: those of the case, or actions.

    Raises:
        SymrobError: There is no such goal or action.
    """
    known = {goal.name: goal for goal in space.progress.goals}
    if not rule.goals:
        return tuple(known.values())
    actions = {a for problem in space.problems for a in problem.happening}
    found, problems = [], []
    for number, name in enumerate(rule.goals):
        try:
            of_action = goals_of({name: (name,)}, actions) if name not in known else ()
            found.append(known[name] if name in known else of_action[0])
        except SymrobError:
            message = f"{rule.name}: there is no goal and no action '{name:.60}'"
            hint = did_you_mean(name, {*known, *actions})
            problem = Diagnostic("policy-goal", message, hint=hint)
            problems.append(_at(policy, problem, rule, "goals", number))
    if problems:
        raise SymrobError(problems)
    return tuple(found)


def _wanted(policy: Policy, rule: OfUnits, space: Space) -> Wanted:
    """Return what a rule names.

    Raises:
        SymrobError: There are no such modes or transitions.
    """
    about = space.about
    if rule.modes:
        return Wanted(_modes(policy, rule, space), frozenset())
    if about.environment is None:
        message = f"{rule.name}: E is not multiplied out; name fault modes"
        problem = Diagnostic("policy-modes", message)
        raise SymrobError(_at(policy, problem, rule, "transitions"))
    meant: frozenset[Transition] = frozenset().union(
        *placed_transitions(
            rule.transitions,
            about.environment,
            lambda number, problem: _at(policy, problem, rule, "transitions", number),
            classes=about.classes,
        )
    )
    nominal = meant & about.environment.visible_transitions
    return Wanted(meant - nominal, nominal)


def _modes(policy: Policy, rule: OfUnits, space: Space) -> UnitSet:
    """The fault modes that a rule names."""
    if space.about.units is None:
        message = f"{rule.name}: the case has no fault modes"
        problem = Diagnostic("policy-modes", message)
        raise SymrobError(_at(policy, problem, rule, "modes"))
    problems = []
    for number, name in enumerate(rule.modes):
        try:
            space.many([name])
        except SymrobError as error:
            wrong = error.diagnostics
            problems += [_at(policy, p, rule, "modes", number) for p in wrong]
    if problems:
        raise SymrobError(problems)
    return frozenset(rule.modes)


def _at(
    policy: Policy, problem: Diagnostic, rule: OfUnits, *key: str | int
) -> Diagnostic:
    """Add the place of a part of a rule to what is wrong with it."""
    if policy.source is None:
        return replace(problem, file=policy.path)
    return policy.source.at(problem, (*rule.key, *key))
