"""What the rules of a policy ask of a case, and what becomes of them.

In:  a `Policy`, and what it refers to.
Out: `Asked`: its rules in the terms of one environment, for `judge`; and the form of
     its answers, `Verdict`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from symrob.analyses import hazards
from symrob.analyses.in_modes import InModes
from symrob.case.places import naming
from symrob.case.policy import AsRobustAs, Forbids, Policy, Rule, Tolerates
from symrob.case.results import load_result, read_deviations
from symrob.case.transitions import placed_transitions
from symrob.envelope.engine import Engine
from symrob.errors import Diagnostic, SymrobError, Trace
from symrob.lts import Lts, Transition
from symrob.lts.deviation import Deviation
from symrob.problem import Units

Answer = Literal["holds", "fails", "unknown"]
# Of a baseline in fault modes: its sets, and whether they are all that it has.
Baseline = tuple[Sequence[tuple[str, ...]], bool]


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
        counts: Of a rule about transitions, how many have each verdict; where all
            are added together they count as one.
        by_assumptions: Whether the rule holds by the assumptions alone; `None` if that
            was not decided.
        seconds: What it took.
    """

    rule: Rule
    answer: Answer
    message: str
    transitions: tuple[Transition, ...] = ()
    trace: Trace | None = None
    deviation: Deviation | None = None
    counts: Mapping[hazards.Verdict, int] = field(default_factory=dict)
    by_assumptions: bool | None = False
    seconds: float = 0.0


@dataclass(frozen=True)
class Asked:
    """The rules of a policy in the terms of one environment.

    Attributes:
        rules: The rules.
        transitions: For each rule by its index the transitions that it is about.
        baselines: For each rule by its index the deviations to be tolerated, and
            whether they are all that the baseline has.
        others: For each rule by its index the problem with the other controller.
        mode_sets: For each rule by its index the baseline in fault modes: its sets, and
            whether they are all that it has.
    """

    rules: tuple[Rule, ...]
    transitions: Mapping[int, frozenset[Transition]]
    baselines: Mapping[int, tuple[Sequence[frozenset[Transition]], bool]]
    others: Mapping[int, Engine | InModes]
    mode_sets: Mapping[int, Baseline]


def ask(
    policy: Policy,
    problem: Engine | InModes,
    others: Mapping[int, Engine | InModes],
) -> Asked:
    """Read what the rules of a policy refer to.

    Args:
        policy: The policy.
        problem: The case; in fault modes, if it asks about some.
        others: For each rule about another controller, by its index, the problem with
            it.

    Raises:
        SymrobError: Rules speak of transitions that there are not, or baselines
            cannot be read or are of another environment; all problems at once.
    """
    units = None if isinstance(problem, Engine) else problem.units
    whole = problem if isinstance(problem, Engine) else problem.whole
    problems: list[Diagnostic] = []
    transitions: dict[int, frozenset[Transition]] = {}
    baselines: dict[int, tuple[Sequence[frozenset[Transition]], bool]] = {}
    mode_sets: dict[int, Baseline] = {}
    for index, rule in enumerate(policy.rules):
        try:
            if isinstance(rule, Tolerates | Forbids) and rule.modes:
                problems += _unknown_modes(policy, rule, units)
            elif isinstance(rule, Tolerates | Forbids):
                transitions[index] = _meant(policy, rule, whole)
            elif isinstance(rule, AsRobustAs) and rule.baseline is not None:
                with naming(policy.source, rule.baseline):
                    data = load_result(rule.baseline)
                complete = data.get("status") == "complete"
                if isinstance(problem, Engine):
                    environment = problem.environment
                    found = read_deviations(data, environment, rule.baseline)
                    problems += _foreign(found, environment, rule.baseline)
                    baselines[index] = found, complete
                else:
                    sets = problem.sets_of(data, rule.baseline)
                    mode_sets[index] = sets, complete
        except SymrobError as error:
            problems += error.diagnostics
    if problems:
        raise SymrobError(list(dict.fromkeys(problems)))
    return Asked(policy.rules, transitions, baselines, others, mode_sets)


def _unknown_modes(
    policy: Policy, rule: Tolerates | Forbids, units: Units | None
) -> Iterator[Diagnostic]:
    """What is wrong with the fault modes that a rule names."""
    if units is None:
        message = f"{rule.name}: the case has no fault modes"
        yield _at(policy, Diagnostic("policy-modes", message), rule, "modes")
        return
    for number, name in enumerate(rule.modes):
        try:
            units.chosen([name])
        except SymrobError as error:
            for problem in error.diagnostics:
                yield _at(policy, problem, rule, "modes", number)


def _meant(
    policy: Policy, rule: Tolerates | Forbids, whole: Engine | None
) -> frozenset[Transition]:
    """The transitions that a rule names."""
    if whole is None:
        message = f"{rule.name}: E is not multiplied out; name fault modes"
        problem = Diagnostic("policy-modes", message)
        raise SymrobError(_at(policy, problem, rule, "transitions"))
    meant = placed_transitions(
        rule.transitions,
        whole.environment,
        lambda number, problem: _at(policy, problem, rule, "transitions", number),
        classes=whole.problem.classes,
    )
    return frozenset().union(*meant)


def _at(
    policy: Policy, problem: Diagnostic, rule: Tolerates | Forbids, *key: str | int
) -> Diagnostic:
    """Add the place of a part of a rule to what is wrong with it."""
    if policy.source is None:
        return replace(problem, file=policy.path)
    return policy.source.at(problem, (*rule.key, *key))


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
