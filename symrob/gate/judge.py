"""Judging the rules of a policy.

In:  a `Policy`, and the case.
Out: `Asked`: its rules in the terms of the case; a `Ruling` for each, as soon as it is
     known.

A rule is judged within the assumptions, or without them. If one holds within them and
would not without them, its ruling reports that it holds by the assumptions alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from time import perf_counter
from typing import Any

from symrob.analyses.space import Space
from symrob.doing import counted as noted
from symrob.errors import Diagnostic, SymrobError
from symrob.gate.rule import (
    ALONE,
    Bench,
    GateGround,
    GateRule,
    Policy,
    Ruling,
    undecided,
)
from symrob.limits import Stages
from symrob.problem.warnings import EMPTY


@dataclass(frozen=True)
class Asked:
    """The rules of a policy in the terms of one case.

    Attributes:
        rules: The rules.
        refers: For each rule, what it refers to.
        others: For each rule about another controller, by its index, the problem with
            that one.
    """

    rules: tuple[GateRule, ...]
    refers: tuple[Any, ...]
    others: Mapping[int, Space]


def ask(
    policy: Policy,
    ground: GateGround | Space,
    others: Mapping[int, Space] | None = None,
) -> Asked:
    """Resolve what the rules of a policy refer to.

    Args:
        policy: The policy.
        ground: The case; or a space, if nothing else is known.
        others: See `Asked`.

    Raises:
        SymrobError: Rules name unknown units, or files cannot be read or are about
            another environment; all problems at once.
    """
    if isinstance(ground, Space):
        ground = GateGround(ground)
    problems: list[Diagnostic] = []
    refers = []
    for rule in policy.rules:
        try:
            refers.append(rule.refer(policy, ground))
        except SymrobError as error:
            problems += error.diagnostics
    if problems:
        raise SymrobError(list(dict.fromkeys(problems)))
    if ground.components:
        # What is wrong with it comes before the first verdict.
        _ = ground.components.space
    return Asked(policy.rules, tuple(refers), others or {})


def judge(asked: Asked, space: Space) -> Iterator[Ruling]:
    """Yield a ruling for each rule, in order.

    Args:
        asked: The rules in terms of the case.
        space: The case.

    A bound that is hit makes the rule `unknown`, and an interrupt that rule and
    all after it; nothing is raised for them. The caller sees an interrupt in
    the clock of the problem.

    Cost: a screening of its units for each rule about them; see `Space.unsafe_sets` for
        the resilience, `Direction` for another controller, `mattering` for assumptions
        and `Assessment` for a risk. For whether a rule holds by the assumptions alone
        as much again, but at most the budget `unassumed`.
    """
    for index, rule in enumerate(asked.rules):
        start = perf_counter()
        stages = Stages(space.clock)
        noted(index, f"of {len(asked.rules)} rules")
        with stages, space.effort.stage("gate"):
            other = asked.others.get(index)
            refers = asked.refers[index]
            bench = Bench(rule.space(space, refers), refers, other)
            if rule.without_constraints:
                bench = bench.unconstrained
            ruling = _checked(rule, bench)
        if stages.status != "complete":
            ruling = Ruling(rule, "unknown", stages.reason)
        yield replace(ruling, seconds=perf_counter() - start)


def _checked(rule: GateRule, bench: Bench) -> Ruling:
    """Judge a rule; one that holds emptily fails, unless that is allowed."""
    ruling = rule.ruling(bench)
    if ruling.answer != "holds":
        return ruling
    reason = None if rule.vacuous else _emptily(rule, bench)
    if reason is not None:
        message = f"vacuous: {reason}; set vacuous = true to allow this"
        return replace(ruling, answer="fails", message=message, vacuous=True)
    if not bench.space.constrained or not rule.without_too:
        return ruling
    return _also_without(ruling, bench)


def _emptily(rule: GateRule, bench: Bench) -> str | None:
    """Why a rule that holds would hold whatever C did; `None` if it would not."""
    for warning in bench.space.warnings if rule.can_be_empty else ():
        if warning.code in EMPTY:
            return warning.message
    return rule.says_nothing(bench)


def _also_without(ruling: Ruling, bench: Bench) -> Ruling:
    """Find out whether a rule that holds does so by the assumptions alone.

    What is tolerated within the assumptions is so without them.
    """
    found = None
    with bench.space.clock.step("unassumed") as step:
        found = ruling.rule.ruling(bench.unconstrained)
    if found is None or found.answer == "unknown":
        return undecided(ruling, step.seconds)
    if found.answer == "holds":
        return ruling
    message = f"{ruling.message}; {ALONE} {found.message}"
    return replace(
        found,
        answer="holds",
        message=message,
        target=ruling.target,
        by_assumptions=True,
    )
