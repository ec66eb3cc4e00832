"""The three automata of a monitor, for the observable actions.

In:  an `Engine` whose nominal system is safe, and patterns of actions.
Out: a `RuntimeMonitor`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from symrob.doing import Doing
from symrob.envelope.engine import Engine
from symrob.errors import Diagnostic, LimitExceeded, SymrobError, did_you_mean
from symrob.limits import running
from symrob.lts import Action
from symrob.monitor.danger import Danger, danger_machine
from symrob.monitor.explained import assumptions_machine, plan_machine
from symrob.monitor.machine import Machine
from symrob.monitor.size import MOST_STATES
from symrob.problem import Problem
from symrob.problem.warnings import is_meant
from symrob.shown import Shown


@dataclass(frozen=True)
class RuntimeMonitor(Shown):
    """Three automata that observe the same actions.

    Attributes:
        title: Human-readable title; may be empty.
        actions: The observable actions, sorted. Actions have numbers from 1 on in this
            order; all others are ignored.
        plan: Whether some trace of E explains the observations.
        danger: How near a violation is.
        assumptions: Whether some trace that satisfies the constraints explains them.
    """

    title: str
    actions: tuple[Action, ...]
    plan: Machine[bool]
    danger: Machine[Danger]
    assumptions: Machine[bool]

    def __repr__(self) -> str:
        sizes = f"{len(self.plan)}, {len(self.danger)}, {len(self.assumptions)}"
        return f"RuntimeMonitor({len(self.actions)} actions; {sizes} states)"


def runtime_monitor(
    engine: Engine,
    title: str = "",
    observe: Sequence[str] = (),
    *,
    most: int = MOST_STATES,
) -> RuntimeMonitor:
    """Build the monitor of a problem.

    Args:
        engine: The problem; its nominal system is safe.
        title: Human-readable title.
        observe: Names of actions of E or C, with `*` for any text; by default Act_E.
        most: Bound on the states of each automaton before minimisation.

    Raises:
        SymrobError: Patterns match no action of E or C; all of them are reported.
        LimitExceeded: An automaton has too many states, or another bound was hit. An
            incomplete monitor could miss violations, so none is built; a warning of the
            error lists the automata that are complete.

    Cost: see `danger_machine`; the other two are small if E is deterministic.
    """
    problem = engine.problem
    problem.require_actions("runtime monitors", ("E",))
    observed = observed_actions(problem, observe)
    sizes = {}
    try:
        with running(engine.clock), Doing("building the monitor", "states"):
            plan = plan_machine(problem, observed, most=most)
            sizes["plan"] = len(plan)
            assumptions = assumptions_machine(problem, observed, most=most)
            sizes["assumptions"] = len(assumptions)
            danger = danger_machine(
                problem,
                observed,
                backend=engine.backend,
                clock=engine.clock,
                most=most,
            )
    except LimitExceeded as error:
        error.warnings = (*error.warnings, _complete(sizes))
        raise
    return RuntimeMonitor(title, observed, plan, danger, assumptions)


def _complete(sizes: Mapping[str, int]) -> Diagnostic:
    known = ", ".join(f"{name} {size:,}" for name, size in sizes.items()) or "none"
    message = (
        "no monitor written: an incomplete one could miss violations; "
        f"machines that were completed, with their numbers of states: {known}"
    )
    hint = "raise the bound, or choose other observed actions with --observe"
    return Diagnostic("monitor-incomplete", message, severity="warning", hint=hint)


def observed_actions(
    problem: Problem, patterns: Sequence[str] = ()
) -> tuple[Action, ...]:
    """Return the actions of E and C that match some pattern, by default those of E.

    Raises:
        SymrobError: Patterns match no action; all of them are reported.
    """
    if not patterns:
        return tuple(sorted(problem.environment.alphabet))
    known = {*problem.environment.alphabet, *problem.controller.alphabet}
    problems = [
        Diagnostic(
            "monitor-action",
            f"neither E nor C has an action '{pattern:.80}'",
            hint=did_you_mean(pattern, known),
        )
        for pattern in patterns
        if not any(is_meant(action, [pattern]) for action in known)
    ]
    if problems:
        raise SymrobError(problems)
    return tuple(sorted(a for a in known if is_meant(a, patterns)))
