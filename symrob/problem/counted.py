"""Budgets of deviated steps: bounds on how often a trace can deviate.

In:  a `Problem` with a budget for the run, or for some of its fault modes.
Out: `counted`: an equivalent problem over the same states, without budgets.

In the new problem, each step of E itself gets a separate action, in which all models
take part as in the old one. So the old action is left to the steps that E lacks, and
counters beside C can count it: one component for each budget, which refuses the action
once the budget is spent. E and its candidates do not change, and no product is
computed. A constraint is about E and the counters alone: its monitor counts for itself,
and stops watching once a budget is spent.

A step that several chosen modes bring uses the budget of one of them; there is an
action for each way to pay, so that a trace is possible if some way to pay keeps within
all budgets.

Source: docs/mathematics.md, 6.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import product
from typing import Any, NamedTuple, Protocol, TypeVar

from symrob.errors import Diagnostic, SymrobError
from symrob.limits import check_size, watched
from symrob.lts import TAU, Action, Lts, Network, StateId, Transition
from symrob.lts.masks import bits
from symrob.lts.views import fixed_labels, labels_of, view_of
from symrob.lts.views import plain as without_view
from symrob.problem.requirements import Requirement
from symrob.problem.roles import Model, Monitor
from symrob.problem.units import Chosen, ModeStep, Units

# Behind it stands what tells an action from the one that it was. Unicode keeps this
# character for what is inside a program, so no model has it.
_MARK = "\ufdd0"
# Of a budget of the run there is one, of modes one each: a counter by its number.
_RUN = 0


class CountedLts(Lts):
    """E with separate actions for its own steps.

    Attributes:
        plan: The original E.
        labels: The actions or labels that are counted.
    """

    plan: Lts
    labels: _MarkedLabels


def plan_of(environment: Lts) -> Lts:
    """Return the original E."""
    return environment.plan if isinstance(environment, CountedLts) else environment


def plain(action: Action) -> Action:
    """Return the original action, or label, of an action of a counted problem."""
    return action.partition(_MARK)[0] + view_of(action) if _MARK in action else action


def action_of(label: Action) -> Action:
    """Return the action that a label of the closed loop stands for, counted or not."""
    return plain(without_view(label))


def is_counter(component: str) -> bool:
    """Whether a component of C, given by name, is a counter."""
    return component.startswith(_MARK)


def planned_as(environment: Lts, transition: Transition) -> Transition:
    """Return a transition with E's action for it, counted or not; others unchanged."""
    if plan_of(environment) is environment:
        return transition
    own = transition._replace(action=_planned(transition.action))
    row = environment.successors[own.source]
    return own if own.target in row.get(own.action, ()) else transition


class Budget(NamedTuple):
    """How often a trace can deviate.

    Attributes:
        run: Maximum number of steps that use transitions that E lacks; `None` for any
            number.
        modes: For fault modes with a bound of their own, by name, the maximum number of
            steps that use them.
    """

    run: int | None
    modes: Mapping[str, int]


def budget_of(at_most: int | None, units: Units | None) -> Budget | None:
    """Return the budget of a problem; `None` if there is none."""
    modes = {
        mode.name: mode.at_most
        for mode in (units.modes if units is not None else ())
        if mode.at_most is not None
    }
    return Budget(at_most, modes) if modes or at_most is not None else None


class Bounded(Protocol):
    """The fields that this module reads of `Problem`, which is in a higher layer."""

    @property
    def environment(self) -> Lts: ...  # noqa: D102
    @property
    def controller(self) -> Model: ...  # noqa: D102
    @property
    def properties(self) -> tuple[Monitor, ...]: ...  # noqa: D102
    @property
    def constraints(self) -> tuple[Monitor, ...]: ...  # noqa: D102
    @property
    def guards(self) -> tuple[Requirement, ...]: ...  # noqa: D102
    @property
    def units(self) -> Units | None: ...  # noqa: D102
    @property
    def at_most(self) -> int | None: ...  # noqa: D102


Problem = TypeVar("Problem", bound=Bounded)


def counted(problem: Problem) -> Problem:
    """Return the equivalent problem without budgets.

    Args:
        problem: A problem with budgets; without any, it is returned unchanged.

    Returns:
        A problem with the same states, candidates and modes. Its environment is a
        `CountedLts`; its units bring the counted actions. Its constraints count as soon
        as E runs alone with them; see `counting`.

    Raises:
        SymrobError: An action has a reserved name.

    Cost: linear in the models.
    """
    if budget_of(problem.at_most, problem.units) is None:
        return problem
    labels = _MarkedLabels(problem)
    environment = problem.environment
    e = CountedLts(
        [label for labels_ in labels.of.values() for label in labels_],
        environment.size,
        (
            t if t.action == TAU else t._replace(action=_planned(t.action))
            for t in environment.transitions
        ),
        names=environment.names,
        end=environment.end,
        parts=environment.parts,
        initial=environment.initial,
    )
    e.views, e.starts = environment.views, environment.starts
    e.plan, e.labels = environment, labels
    machine = labels.beside(problem.controller)
    fields: Any = problem
    found: Problem = replace(
        fields,
        environment=e,
        controller=machine,
        properties=tuple(map(labels.watching, problem.properties)),
        constraints=tuple(map(labels.watching, problem.constraints)),
        guards=tuple(map(labels.asking, problem.guards)),
        units=labels.units,
        at_most=None,
    )
    return found


def walked_steps(
    problem: Bounded, deviation: Iterable[Transition]
) -> Iterator[Transition]:
    """Yield the steps of E with a deviation, with the actions of the closed loop.

    Args:
        problem: See `counted`.
        deviation: Its transitions, including R_E.
    """
    environment, units = problem.environment, problem.units
    yield from environment.transitions
    modes = getattr(deviation, "modes", None)
    if units is not None and units.plan is not units and modes is not None:
        yield from units.added(units.chosen(modes))
    else:
        planned = plan_of(environment).visible_transitions
        yield from (t for t in deviation if t not in planned)


def counting(environment: Lts, monitor: Monitor, most_states: int | None) -> Monitor:
    """Return a monitor of E alone that counts, and watches until a budget is spent.

    Args:
        environment: E; if it is not counted, the monitor is returned unchanged.
        monitor: A monitor over E's labels.
        most_states: Bound on the states of the monitor with its counters.

    Raises:
        LimitExceeded: It has more states than that.

    Cost: linear in the monitor's states times the values of the counters.
    """
    if not isinstance(environment, CountedLts):
        return monitor
    return environment.labels.counting(environment, monitor, most_states)


def watching(environment: Lts, monitor: Monitor) -> Monitor:
    """Return a monitor over actions of E as one over those of E as it is counted."""
    if not isinstance(environment, CountedLts):
        return monitor
    return environment.labels.watching(monitor)


def counting_machine(environment: Lts, controller: Model) -> Model:
    """Return C, its components first, as one that counts; see `CountedLts`."""
    if not isinstance(environment, CountedLts):
        return controller
    return environment.labels.beside(controller)


class Purse(NamedTuple):
    """What a run can spend on deviated steps.

    Attributes:
        full: For each budget how many steps it allows.
        pays: By counted action what it takes from each of them.
    """

    full: tuple[int, ...]
    pays: Mapping[Action, tuple[int, ...]]


def purse_of(environment: Lts) -> Purse:
    """Return what a run of E can spend; nothing where E is not counted."""
    if not isinstance(environment, CountedLts):
        return Purse((), {})
    labels = environment.labels
    pays = {
        action: tuple(int(counter in counters) for counter in labels.bounds)
        for action, counters in labels.pays.items()
    }
    return Purse(tuple(labels.bounds.values()), pays)


class _MarkedLabels:
    """The actions of a counted problem, and what each of them counts.

    Args:
        problem: With budgets.

    Attributes:
        bounds: For each counter how far it counts.
        of: For each action of E those that stand for it; `tau` has some only where
            modes bring steps by it.
        pays: For each action the counters that it moves.
        units: The modes, whose steps have these actions; `None` without modes.
    """

    def __init__(self, problem: Bounded) -> None:
        environment = problem.environment
        run = problem.at_most
        modes = problem.units.modes if problem.units is not None else ()
        self.bounds = {} if run is None else {_RUN: run}
        self._of_mode: dict[int, int] = {}
        for m, mode in enumerate(modes):
            if mode.at_most is not None:
                self._of_mode[m] = counter = m + 1
                self.bounds[counter] = mode.at_most
        whole = () if run is None else (_RUN,)
        self.of: dict[Action, list[Action]] = {a: [a] for a in environment.alphabet}
        self.pays: dict[Action, tuple[int, ...]] = dict.fromkeys(self.of, whole)
        if any(_MARK in action for action in (*self.of, *problem.controller.alphabet)):
            message = (
                "budgets: the name of an action contains U+FDD0, which symrob reserves"
            )
            raise SymrobError(Diagnostic("problem-budget", message))
        for action in {t.action for t in environment.transitions} - {TAU}:
            self.of[action].append(_planned(action))
            self.pays[_planned(action)] = ()
        self.units = None
        if problem.units is not None:
            self.units = self._counted(problem.units, whole)

    def _counted(self, units: Units, whole: tuple[int, ...]) -> Units:
        """The modes, whose steps pay; they are free of budgets themselves."""
        bounded = sum(1 << m for m in self._of_mode)
        steps: dict[ModeStep, None] = {}
        for step in watched(units.steps):
            for needs, payers in _payments(step, bounded):
                source, action, target = step.transition
                label = self._label(action, payers, units, whole)
                steps[ModeStep(Transition(source, label, target), needs)] = None
        modes = [replace(mode, at_most=None) for mode in units.modes]
        found = Units(modes, steps, units.network, mixed=units.mixed)
        found.plan = units
        return found

    def _label(
        self,
        action: Action,
        payers: Sequence[int],
        units: Units,
        whole: tuple[int, ...],
    ) -> Action:
        pays = (*whole, *(self._of_mode[m] for m in payers))
        if action == TAU and not pays:
            return TAU
        label = action if action != TAU else _planned(action)
        label += "".join(_MARK + units.modes[m].name for m in payers)
        if label not in self.pays:
            self.of.setdefault(action, []).append(label)
            self.pays[label] = pays
        return label

    def beside(self, controller: Model) -> Network:
        """C as it takes these actions, and behind its components what counts them."""
        # A hidden action only shares its name with one of E, which is counted.
        own = {a: a + _MARK * 2 if a in self.of else a for a in controller.hidden}
        copies = {**self.of, **{a: [name] for a, name in own.items()}}
        names = [_MARK + str(counter) for counter in self.bounds]
        return Network(
            [
                *(_copied(part, copies) for part in controller.components),
                *self.counters,
            ],
            component_names=[*controller.component_names, *names],
            hidden=own.values(),
        )

    @property
    def counters(self) -> Iterator[Lts]:
        """A component for each budget, which refuses what would be too much."""
        for counter, most in self.bounds.items():
            counting = [a for a, pays in self.pays.items() if counter in pays]
            moves = [(n, a, n + 1) for n in range(most) for a in counting]
            yield Lts(counting, most + 1, moves)

    def asking(self, requirement: Requirement) -> Requirement:
        """A requirement on states that is about all that stand for its actions."""
        actions = (x for a in requirement.actions for x in self.of.get(a, (a,)))
        return replace(requirement, actions=frozenset(actions))

    def watching(self, monitor: Monitor) -> Monitor:
        """A monitor that takes each action as all that stand for it."""
        required = monitor.requirement
        return monitor._replace(
            lts=_copied(monitor.lts, self.of),
            requirement=None if required is None else self.asking(required),
        )

    def counting(
        self, environment: Lts, monitor: Monitor, most_states: int | None
    ) -> Monitor:
        """See `counting`."""
        lts, counters = monitor.lts, [*self.bounds]
        watched_by = {*lts.alphabet}
        # With less left nothing more can happen, so any number may be counted before.
        order = [(0, c) for c in product(*(range(n + 1) for n in self.bounds.values()))]
        numbers = {key: number for number, key in enumerate(order)}
        starts, over = len(order), -1
        moves: list[tuple[StateId, Action, StateId | None]] = []
        fixed = fixed_labels(environment)
        actions = [
            (x, [counters.index(c) for c in pays])
            for a, pays in (*self.pays.items(), (TAU, ()))
            for x in (labels_of(environment, a) if a != TAU else fixed)
            if pays or x in watched_by
        ]
        for source, (state, counts) in enumerate(watched(order)):
            for action, paying in actions:
                if any(counts[c] == self.bounds[counters[c]] for c in paying):
                    moves.append((source, action, None))
                    continue
                after = tuple(n + (c in paying) for c, n in enumerate(counts))
                target = state
                if action in watched_by:
                    (target,) = lts.successors[state].get(action, (over,))
                if target == over:
                    continue
                key = (target, after)
                number = numbers.setdefault(key, len(order))
                if number == len(order):
                    what = f"monitor of {monitor.name} with its counters"
                    check_size(number + 1, most_states, what)
                    order.append(key)
                moves.append((source, action, number))
        end = len(order)
        told = [(s, a, end if t is None else t) for s, a, t in moves]
        told += [(end, a, end) for a, _ in actions]
        names = [lts.state_name(s) for s, _ in order]
        counting = Lts(
            [a for a, _ in actions],
            end + 1,
            told,
            names=[name + _MARK + str(i) for i, name in enumerate([*names, ""])],
        )
        return monitor._replace(lts=counting, starts=starts)


def _payments(
    step: ModeStep, bounded: Chosen
) -> Iterator[tuple[tuple[Chosen, ...], tuple[int, ...]]]:
    """Each way to pay for a step: what it needs then, and which modes pay."""
    ways: list[list[tuple[Chosen, int | None]]] = []
    for need in step.needs:
        free = need & ~bounded
        payers: list[tuple[Chosen, int | None]] = [
            (1 << m, m) for m in bits(need & bounded)
        ]
        ways.append([*([(free, None)] if free else []), *payers])
    for way in product(*ways):
        needs = tuple(sorted({need for need, _ in way}))
        yield needs, tuple(sorted({m for _, m in way if m is not None}))


def _planned(action: Action) -> Action:
    return action + _MARK


def _copied(lts: Lts, labels: Mapping[Action, Iterable[Action]]) -> Lts:
    """A system that takes each action as all that stand for it."""
    moves: list[tuple[StateId, Action, StateId]] = []
    for source, action, target in lts.transitions:
        own = (action,) if action == TAU else labels.get(action, (action,))
        moves += ((source, label, target) for label in own)
    alphabet = [label for a in lts.alphabet for label in labels.get(a, (a,))]
    return Lts(
        *(alphabet, lts.size, moves),
        names=lts.names,
        end=lts.end,
        parts=lts.parts,
        initial=lts.initial,
    )
