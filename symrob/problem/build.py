"""The problem: environment, controller, properties, constraints, checked.

In:  models (`Lts` or `Network`) in each role, with names for messages.
Out: a `Problem`: the environment multiplied out, the controller as it is, the
     properties and constraints as deterministic monitors; every mistake that
     can be seen without running anything is reported at once.

Source: docs/sources.md [S1], Sect. 3 and 4, Def. 5.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from symrob.errors import Diagnostic, LimitExceeded, SymrobError
from symrob.limits import DEFAULT_LIMITS, Limits
from symrob.lts import ERROR, Action, Lts, Transition
from symrob.lts.determinise import determinise
from symrob.lts.product import product
from symrob.lts.reachability import closures
from symrob.problem.classes import Classes
from symrob.problem.counted import budget_of
from symrob.problem.doubts import (
    alphabet_doubts,
    listed,
    monitor_doubts,
    possible_actions,
    vacuous,
)
from symrob.problem.roles import Model, Monitor, Role
from symrob.problem.units import Units


@dataclass(frozen=True)
class Problem:
    """A checked problem.

    Attributes:
        environment: E, multiplied out; no transition leads to ERROR.
        controller: C, as a network.
        properties: Deterministic monitors; all must hold of E_d‖C.
        constraints: Deterministic monitors over Act_E; all must hold of E_d.
        warnings: What may be a mistake, though it has a meaning.
        one_sided: Patterns of actions that E or C is meant to have alone.
        extra_states: How many states were added to E; they are its last ones.
        among: The candidates that are asked about; `None` for all that E lacks.
        units: The fault modes that are asked about; `None` where each candidate is one.
        at_most: How many steps of a run may use transitions that E lacks; `None` for
            any number. A fault mode can have a bound of its own.
    """

    environment: Lts
    controller: Model
    properties: tuple[Monitor, ...]
    constraints: tuple[Monitor, ...]
    warnings: tuple[Diagnostic, ...] = ()
    one_sided: tuple[str, ...] = ()
    extra_states: int = 0
    among: frozenset[Transition] | None = None
    units: Units | None = None
    at_most: int | None = None

    @cached_property
    def classes(self) -> Classes:
        """What kind of change each candidate is."""
        return Classes(self.environment, self.extra_states)

    @cached_property
    def candidates(self) -> tuple[Transition, ...]:
        """The single candidates that are asked about, sorted: A without R_E, or K.

        Cost: linear in A.
        """
        if self.among is not None:
            return tuple(sorted(self.among))
        environment, planned = self.environment, self.environment.visible_transitions
        states = range(environment.size)
        triples = (
            Transition(q, a, r)
            for q in states
            for a in environment.alphabet
            for r in states
        )
        return tuple(t for t in triples if t not in planned)

    @cached_property
    def vacuous(self) -> tuple[str, ...]:
        """The properties that nothing can violate, whatever E may do.

        In no order of the actions of E and of those that C ever takes does the monitor
        reach ERROR.

        Cost: linear in the monitors.
        """
        happening = {*self.environment.alphabet, *self.controller.alphabet}
        possible = possible_actions(happening, self.controller)
        return tuple(m.name for m in vacuous(self.properties, possible))

    def require_singles(self, what: str) -> None:
        """Refuse fault modes where only single candidates can be asked about.

        Args:
            what: What they cannot be asked of, or given.

        Raises:
            SymrobError: The problem is one of fault modes.
        """
        if self.units is not None:
            message = f"{what}: not supported for fault modes, which this case uses"
            hint = "remove [faults] and --by; --among restricts single candidates"
            raise SymrobError(Diagnostic("modes-question", message, hint=hint))

    def require_no_budget(self, what: str) -> None:
        """Refuse a budget of deviated steps where it cannot be heeded.

        Args:
            what: What does not support one.

        Raises:
            SymrobError: A run can deviate only so often.
        """
        if budget_of(self.at_most, self.units) is not None:
            message = f"{what}: not supported with a budget of deviated steps"
            hint = "omit --at-most, and at_most in the case file"
            raise SymrobError(Diagnostic("usage-at-most", message, hint=hint))

    @property
    def actions(self) -> tuple[Action, ...]:
        """The union of Act_E, Act_C, Act_P and Act_Penv ([S1] Sect. 6.6)."""
        monitors = (*self.properties, *self.constraints)
        return tuple(
            sorted(
                {
                    *self.environment.alphabet,
                    *self.controller.alphabet,
                    *(a for m in monitors for a in m.lts.alphabet),
                }
            )
        )


def build_problem(
    environment: Role,
    controller: Role,
    properties: Sequence[Role],
    constraints: Sequence[Role] = (),
    *,
    extra_states: int = 0,
    limits: Limits = DEFAULT_LIMITS,
    warnings: Sequence[Diagnostic] = (),
    one_sided: Sequence[str] = (),
) -> Problem:
    """Check the parts and bring them into the form that the engine takes.

    Args:
        environment: E; multiplied out if it is a network.
        controller: C; stays a network.
        properties: What must hold of E_d‖C; each may be a network of monitors.
        constraints: What must hold of E_d alone.
        extra_states: Fresh states added to E before A is formed.
        limits: Bounds on products and subset constructions.
        warnings: What reading the models gave, to be kept with the problem.
        one_sided: As of `doubts.alphabet_doubts`.

    Raises:
        SymrobError: E can reach ERROR, a constraint speaks of actions that E
            lacks, there is no property, or `extra_states` is negative; all
            problems at once.
        LimitExceeded: A product or subset construction is too large.

    Cost: linear in E's product and in the monitors; exponential in the states
        of a nondeterministic monitor in the worst case.
    """
    plain = product(environment.model, max_states=limits.max_states)
    problems = [*_environment_problems(plain, environment.name)]
    if extra_states < 0:
        problems.append(
            Diagnostic("problem-extra-states", "--extra-states is negative")
        )
    if not properties:
        problems.append(Diagnostic("problem-no-property", "no property is given"))
    known = set(plain.alphabet)
    problems += [
        Diagnostic(
            "problem-constraint-alphabet",
            f"constraint {role.name} refers to actions that the environment "
            f"{environment.name} does not have: {listed(foreign)}",
            hint="a constraint restricts the environment alone, so it can only "
            "refer to the environment's actions",
        )
        for role in constraints
        if (foreign := set(role.model.alphabet) - known)
    ]
    if problems:
        raise SymrobError(problems)
    if extra_states > limits.max_states - plain.size:
        raise LimitExceeded(
            f"{extra_states:,} extra states make more than {limits.max_states:,} "
            "states; raise --bound max-states to continue"
        )
    if extra_states:
        plain = with_extra_states(plain, extra_states)
    happening = known | set(controller.model.alphabet)
    watching = tuple(m for role in properties for m in monitors(role, limits))
    keeping = tuple(m for role in constraints for m in monitors(role, limits))
    doubts = (
        *alphabet_doubts(environment, controller, properties, constraints, one_sided),
        *monitor_doubts(
            "property", watching, possible_actions(happening, controller.model)
        ),
        *monitor_doubts("constraint", keeping, known),
    )
    return Problem(
        plain,
        controller.model,
        watching,
        keeping,
        (*warnings, *doubts),
        tuple(one_sided),
        extra_states,
    )


def _environment_problems(environment: Lts, name: str) -> Iterable[Diagnostic]:
    broken = [t for t in environment.transitions if t.target == ERROR]
    if broken:
        source, action, _ = broken[0]
        yield Diagnostic(
            "problem-environment-error",
            f"environment {name} has transitions to ERROR, the first from state "
            f"{environment.state_name(source)} on {action}",
            hint="an environment does not fail; express what it must not do as a "
            "constraint (--env-prop)",
        )


def with_extra_states(environment: Lts, count: int) -> Lts:
    """Return the environment with `count` fresh states and no new transition.

    The fresh states are named `new1`, `new2`, … (with `_` in front where a
    state has that name already).
    """
    names = [environment.state_name(q) for q in range(environment.size)]
    prefix = "new"
    while any(name.startswith(prefix) for name in names):
        prefix = "_" + prefix
    fresh = [f"{prefix}{i + 1}" for i in range(count)]
    return Lts(
        environment.alphabet,
        environment.size + count,
        environment.transitions,
        names=[*names, *fresh],
        end=environment.end,
        parts=environment.parts,
    )


def monitors(role: Role, limits: Limits = DEFAULT_LIMITS) -> tuple[Monitor, ...]:
    """Return the deterministic monitors whose conjunction the model is.

    The components of a network can be watched one by one: the product fails
    exactly when one of them does. Not so if they share hidden actions; then
    the product is built first.

    Raises:
        LimitExceeded: A product or subset construction is too large.
    """
    model = role.model
    if model.hidden:
        model = product(model, max_states=limits.max_states)
    result = []
    for name, component in zip(model.component_names, model.components, strict=True):
        title = f"{role.name} ({name})" if len(model.components) > 1 else role.name
        lts = component
        if not component.deterministic:
            lts = determinise(component, max_states=limits.max_states)
        # Whether internal moves alone lead from the initial state to ERROR.
        at_start = ERROR in closures(component)(0)
        result.append(Monitor(title, lts, at_start))
    return tuple(result)
