"""The problem: environment, controller, properties, constraints, checked.

In:  models (`Lts` or `Network`) in each role, with names for messages.
Out: a `Problem`: the environment as one system, the controller unchanged, the
     properties and constraints as deterministic monitors; every error that can be found
     without running anything is reported at once.

Source: docs/sources.md [S1], Sect. 3 and 4, Def. 5.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

from symrob.errors import Diagnostic, LimitExceeded, SymrobError
from symrob.limits import DEFAULT_LIMITS, Limits
from symrob.lts import ERROR, Action, Lts, Transition
from symrob.lts.determinise import determinise
from symrob.lts.product import product
from symrob.lts.reachability import closures
from symrob.lts.views import with_views
from symrob.problem.classes import Classes
from symrob.problem.counted import budget_of, counting
from symrob.problem.goals import Goal
from symrob.problem.meaning import components_of, resolved
from symrob.problem.requirements import Requirement, views_of
from symrob.problem.roles import NO_PROPERTY, Model, Monitor, Role
from symrob.problem.units import Units
from symrob.problem.warnings import (
    alphabet_doubts,
    listed,
    monitor_doubts,
    possible_actions,
    vacuous,
)
from symrob.problem.watching import Watching


@dataclass(frozen=True)
class Problem:
    """A checked problem.

    Attributes:
        environment: E as one system; no transition leads to ERROR.
        controller: C, as a network.
        properties: Deterministic monitors; all must hold of E_d‖C.
        constraints: Deterministic monitors over Act_E; all must hold of E_d.
        warnings: Warnings about valid input that may be a mistake.
        one_sided: Patterns of actions that intentionally belong to E or C alone.
        extra_states: Number of states added to E; they are its last ones.
        among: The selected candidates; `None` for all transitions that E lacks.
        units: The fault modes; `None` if each candidate is a unit.
        at_most: How many steps of a run may use transitions that E lacks; `None` for
            any number. A fault mode can have a bound of its own.
        guards: Requirements on states that disable steps of C.
        max_states: Bound on the products for requirements on states and for counters of
            constraints; `None` for no bound.
        goals: Goals that must stay possible, if the user names any.
        excluded_by: Options that may exclude candidates, such as `only` or `table`.
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
    guards: tuple[Requirement, ...] = ()
    max_states: int | None = None
    goals: tuple[Goal, ...] = ()
    excluded_by: tuple[str, ...] = ()

    @property
    def requirements(self) -> tuple[Requirement, ...]:
        """All requirements on states: of properties and constraints, and guards."""
        monitors = (*self.properties, *self.constraints)
        asked = (m.requirement for m in monitors)
        return (*(r for r in asked if r is not None), *self.guards)

    @property
    def judges_states(self) -> bool:
        """Whether a property is a requirement on states, or C has a guard."""
        properties = (m.requirement for m in self.properties)
        return bool(self.guards) or any(r is not None for r in properties)

    def seen(self, monitors: Sequence[Monitor], *, alone: bool = False) -> Seen:
        """Return C and some monitors, over E's labels, for the engine.

        Args:
            monitors: Some of the properties, or of the constraints.
            alone: Whether E runs without C.

        Raises:
            LimitExceeded: The product of the components that requirements on states
                name is too large.

        Cost: see `watching`; nothing without requirements on states.
        """
        controller = None if alone else self.controller
        e, guards = self.environment, () if alone else self.guards
        asked = any(m.requirement is not None for m in monitors)
        if e.views is None and not guards and not asked:
            own = tuple(monitors)
            if alone:
                own = tuple(counting(e, m, self.max_states) for m in own)
            return Seen(controller, own, e.alphabet)
        watching = Watching(
            *(e, controller, guards, monitors),
            extra_states=self.extra_states,
            max_states=self.max_states,
        )
        own = watching.monitors
        if alone:
            own = tuple(counting(e, m, self.max_states) for m in own)
        return Seen(watching.controller, own, watching.alphabet, watching)

    @cached_property
    def classes(self) -> Classes:
        """The class of change of each candidate."""
        return Classes(self.environment, self.extra_states)

    @cached_property
    def candidates(self) -> tuple[Transition, ...]:
        """The selected candidates, sorted: A without R_E, or K.

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
        """The properties that cannot be violated, whatever E does.

        The monitor does not reach ERROR by any sequence of the actions of E and of
        those that C ever takes.

        Cost: linear in the monitors.
        """
        happening = {*self.environment.alphabet, *self.controller.alphabet}
        possible = possible_actions(happening, self.controller)
        found = (m for m in self.properties if m.requirement is None)
        return tuple(m.name for m in vacuous([*found], possible))

    @property
    def alone(self) -> Problem:
        """The problem of E with its constraints, without C."""
        nothing = Lts((), 1, ())
        monitor = Monitor(NO_PROPERTY, nothing)
        return replace(self, controller=nothing, properties=(monitor,), guards=())

    def require_singles(self, what: str) -> None:
        """Reject fault modes if only single candidates are supported.

        Args:
            what: What does not support them, for the message.

        Raises:
            SymrobError: The units are fault modes.
        """
        if self.units is not None:
            message = f"{what}: not supported for fault modes, which this case uses"
            hint = "remove [faults] and --by; --among restricts single candidates"
            raise SymrobError(Diagnostic("modes-question", message, hint=hint))

    def require_no_budget(self, what: str) -> None:
        """Reject a budget of deviated steps if it is not supported.

        Args:
            what: What does not support it, for the message.

        Raises:
            SymrobError: There is a budget.
        """
        if budget_of(self.at_most, self.units) is not None:
            message = f"{what}: not supported with a budget of deviated steps"
            hint = "omit --at-most, and at_most in the case file"
            raise SymrobError(Diagnostic("usage-at-most", message, hint=hint))

    def require_one_start(self, what: str) -> None:
        """Reject several initial states if only state 0 can be initial.

        Raises:
            SymrobError: E or C has other initial states.
        """
        if self.environment.starts:
            message = f"{what}: not supported for several initial states"
            raise SymrobError(Diagnostic("initial-question", message))

    def require_actions(self, what: str, named: Sequence[str] = ("E", "C")) -> None:
        """Reject requirements on states if only actions are supported.

        Args:
            what: What does not support them, for the message.
            named: Whose states the requirements name.

        Raises:
            SymrobError: The problem has such requirements.
        """
        self.require_one_start(what)
        for r in self.requirements:
            if any(atom.side in named for atom in r.met.atoms()):
                whose = " of E" if named == ("E",) else ""
                message = f"{what}: not supported for requirements on states{whose}, "
                message += f"such as '{r.text:.200}'"
                raise SymrobError(Diagnostic("condition-question", message))

    @property
    def happening(self) -> frozenset[Action]:
        """The actions of E and C: no others can occur."""
        return frozenset((*self.environment.alphabet, *self.controller.alphabet))

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


class Seen(NamedTuple):
    """C and monitors over E's labels.

    Attributes:
        controller: C; `None` if E runs alone.
        monitors: The monitors.
        alphabet: E's labels.
        watching: Translates traces into states of C; `None` if no translation is
            needed.
    """

    controller: Model | None
    monitors: tuple[Monitor, ...]
    alphabet: tuple[Action, ...]
    watching: Watching | None = None


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
    """Check the models and convert them for the engine.

    Args:
        environment: E; if it is a network, its product is computed.
        controller: C; stays a network.
        properties: What must hold of E_d‖C; each may be a network of monitors.
        constraints: What must hold of E_d alone.
        extra_states: Number of extra states added to E before A is formed.
        limits: Bounds on products and subset constructions.
        warnings: Warnings from reading the models, to be kept with the problem.
        one_sided: See `doubts.alphabet_doubts`.

    Raises:
        SymrobError: E can reach ERROR, a constraint refers to actions that E lacks,
            there is no property, or `extra_states` is negative; all problems at once.
        LimitExceeded: A product or subset construction is too large.

    Cost: linear in E's product and in the monitors; exponential in the states of a
        nondeterministic monitor in the worst case.
    """
    guards = [role for role in properties if is_guard(role)]
    properties = [role for role in properties if not is_guard(role)]
    unclear: list[Diagnostic] = []
    asked = Requirements(environment, controller, unclear)
    asked.read((*properties, *guards), constraints)
    named = any(requirement.named("E") for requirement in asked.all)
    most = limits.max_states
    plain = product(environment.model, max_states=most, ends_apart=named)
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
            f"assumption {role.name} refers to actions that the environment "
            f"{environment.name} does not have: {listed(foreign)}",
            hint="an assumption restricts the environment alone, so it can only "
            "refer to the environment's actions",
        )
        for role in constraints
        if (foreign := set(role.model.alphabet) - known)
    ]
    problems += unclear
    if problems:
        raise SymrobError(problems)
    if extra_states > limits.max_states - plain.size:
        raise LimitExceeded(
            f"with {extra_states:,} extra states, E has more than "
            f"{limits.max_states:,} states; raise --bound max-states to continue"
        )
    if extra_states:
        plain = with_extra_states(plain, extra_states)
    happening = known | set(controller.model.alphabet)
    watching = tuple(m for role in properties for m in asked.monitors(role, limits))
    keeping = tuple(m for role in constraints for m in asked.monitors(role, limits))
    views = views_of(plain, asked.all, extra_states)
    parts = (plain, *controller.model.components)
    starts = any(part.initial != (0,) for part in parts)
    if views is not None or starts:
        views = views or [0] * plain.size
        plain = with_views(plain, views, starts=starts)
    doubts = (
        *alphabet_doubts(
            environment,
            controller,
            [*map(asked.watching, (*properties, *guards))],
            [*map(asked.watching, constraints)],
            one_sided,
        ),
        *monitor_doubts(
            "property", _plain(watching), possible_actions(happening, controller.model)
        ),
        *monitor_doubts("constraint", _plain(keeping), known),
    )
    return Problem(
        plain,
        controller.model,
        watching,
        keeping,
        (*warnings, *doubts),
        tuple(one_sided),
        extra_states,
        guards=tuple(asked.found[role.name] for role in guards),
        max_states=limits.max_states,
    )


class Requirements:
    """The requirements on states among the roles of a problem.

    Args:
        environment: E.
        controller: C.
        problems: Receives what is wrong with the sentences.

    Attributes:
        found: Each by the name of its role.
    """

    def __init__(
        self, environment: Role, controller: Role, problems: list[Diagnostic]
    ) -> None:
        self._environment, self._controller = environment, controller
        self._problems = problems
        self.found: dict[str, Requirement] = {}
        self._alone: dict[str, Requirement] = {}

    @property
    def all(self) -> list[Requirement]:
        """All of them."""
        return [*self.found.values(), *self._alone.values()]

    def read(self, properties: Sequence[Role], rules: Sequence[Role]) -> None:
        """Find what the names mean; note what is wrong."""
        e, c = self._environment.model, self._controller.model
        happening = {*e.alphabet, *c.alphabet}
        for role in properties:
            self._read(self.found, role, self._controller, happening)
        for role in rules:
            self._read(self._alone, role, None, {*e.alphabet})

    def _read(
        self,
        found: dict[str, Requirement],
        role: Role,
        controller: Role | None,
        known: set[Action],
    ) -> None:
        if role.sentence is None:
            return
        own = () if controller is None else controller.model.alphabet
        try:
            found[role.name] = resolved(role, self._environment, controller, known, own)
        except SymrobError as error:
            self._problems += error.diagnostics

    def meant(self, role: Role) -> Requirement:
        """Return what a sentence means that was read."""
        return self.found.get(role.name) or self._alone[role.name]

    def watching(self, role: Role) -> Role:
        """Return a role, a requirement as one that watches what it is about.

        That are the actions that it names, and those by which the components that it
        names change their states.
        """
        if role.sentence is None:
            return role
        requirement = self.meant(role)
        seen = {*requirement.actions}
        e, c = self._environment, self._controller
        for side, each in (("E", e), ("C", c)):
            parts = components_of(each)
            for atom in requirement.met.atoms():
                if atom.side == side:
                    seen |= {*parts[atom.component].alphabet}
        visible = {*e.model.alphabet, *c.model.alphabet}
        return Role(Lts(seen & visible, 1, ()), role.name)

    def monitors(self, role: Role, limits: Limits) -> tuple[Monitor, ...]:
        """Return the monitors of a role, those of a requirement with it."""
        if role.sentence is None:
            return monitors(role, limits)
        requirement = self.meant(role)
        lts = Lts((), 1, (), names=["kept"])
        return (Monitor(role.name, lts, requirement=requirement),)


def is_guard(role: Role) -> bool:
    """Whether a sentence restricts C instead of stating a property."""
    return role.sentence is not None and role.sentence.kind == "guard"


def _plain(watching: Iterable[Monitor]) -> list[Monitor]:
    return [m for m in watching if m.requirement is None]


def _environment_problems(environment: Lts, name: str) -> Iterable[Diagnostic]:
    broken = [t for t in environment.transitions if t.target == ERROR]
    if broken:
        source, action, _ = broken[0]
        yield Diagnostic(
            "problem-environment-error",
            f"environment {name} has transitions to ERROR, the first from state "
            f"{environment.state_name(source)} on {action}",
            hint="an environment must not have transitions to ERROR; express what it "
            "must not do as an assumption (--env-prop)",
        )


def with_extra_states(environment: Lts, count: int) -> Lts:
    """Return the environment with `count` extra states and no new transition.

    The extra states are named `new1`, `new2`, … (prefixed with `_` if a state has that
    name already).
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
        initial=environment.initial,
    )


def monitors(role: Role, limits: Limits = DEFAULT_LIMITS) -> tuple[Monitor, ...]:
    """Return the deterministic monitors whose conjunction the model is.

    The components of a network become separate monitors: the product fails exactly when
    one of them does. If they share hidden actions, this does not hold, and the product
    is built first.

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
        closure = closures(component)
        at_start = any(ERROR in closure(state) for state in component.initial)
        about = frozenset(lts.alphabet)
        result.append(Monitor(title, lts, at_start, about=about))
    return tuple(result)
