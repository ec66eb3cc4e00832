"""An environment with coupled components whose product is too large.

In:  the components of E, the fault modes that change them, C and the monitors.
Out: a `CoupledProblem`, in which E's components join those of C and stay encoded in
     bits.

The steps that modes bring get separate actions: `move` by a component that needs a mode
is a different action from the planned `move`. Every component and monitor that has
`move` takes that action as it takes `move`; and E becomes a single state that refuses
all of these actions. So a set of modes is a set of self-loops of that state, just as a
deviation is a set of transitions, and all results about deviations apply: a step that
needs several modes is a self-loop that needs them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import product
from typing import NamedTuple

from symrob.errors import Trace, TraceStep
from symrob.limits import check_size
from symrob.lts import TAU, Action, Lts, Network, Transition
from symrob.problem.build import Problem
from symrob.problem.modes import FaultMode, LocalTransition
from symrob.problem.roles import NO_PROPERTY, Model, Monitor
from symrob.problem.units import Chosen, ModeStep, Units, is_planned, require_no_error

_NOTHING = Lts((), 1, ())
# Between the parts of an action that models do not have; no reader lets it into a name.
_MARK = "\0"
_HIDDEN = f"{_MARK}hidden"


class Taken(NamedTuple):
    """An action of the closed loop in which E takes part.

    Attributes:
        action: Its name; `tau` if E hides it.
        name: Its name within the components of E.
        needs: For each component of E that takes part, the modes of which it needs one;
            0 if it needs none.
    """

    action: Action
    name: Action
    needs: Mapping[int, Chosen]


@dataclass(frozen=True)
class CoupledProblem(Problem):
    """A problem with E's components encoded in bits.

    `environment` is a single state whose self-loops are the steps that modes bring;
    `controller` consists of the components of E and C.

    Attributes:
        plan: The components of E as they are in the closed loop.
        parts: The original components of E.
        taken: The actions of the closed loop in which E takes part.
    """

    plan: Network = field(default_factory=lambda: Network([_NOTHING]))
    parts: Model = _NOTHING
    taken: Mapping[Action, Taken] = field(default_factory=dict)

    @property
    def alone(self) -> Problem:
        """See `Problem.alone`."""
        nothing = Monitor(NO_PROPERTY, _NOTHING)
        return replace(self, controller=self.plan, properties=(nothing,))

    @cached_property
    def actions(self) -> tuple[Action, ...]:
        """See `Problem.actions`."""
        said = {self.called(action) for action in super().actions}
        return tuple(sorted(said - {TAU}))

    def called(self, action: Action) -> Action:
        """Return the display name of an action of the closed loop."""
        known = self.taken.get(action)
        return action.removesuffix(_HIDDEN) if known is None else known.action

    def told(self, trace: Trace) -> Trace:
        """Translate a trace of the closed loop into one of E and C."""
        count = len(self.parts.components)
        beside = len(trace.components) > count
        steps, before = [], self._step(trace.start, "", beside)
        start = before
        for step in trace.steps:
            after = self._step(step, step.action, beside, before)
            steps.append(after)
            before = after
        return replace(
            trace,
            start=start,
            steps=tuple(steps),
            components=trace.components[count:],
            parts=self.parts.component_names,
            alphabets=tuple(part.alphabet for part in self.parts.components),
            allowed=tuple(sorted({*map(self.called, trace.allowed)})),
        )

    def _step(
        self,
        step: TraceStep,
        taken: Action,
        beside: bool,
        before: TraceStep | None = None,
    ) -> TraceStep:
        count = len(self.parts.components)
        own, others = step.components[:count], step.components[count:]
        known = self.taken.get(taken)
        who, added = "", False
        if before is not None and known is not None:
            added = any(known.needs.values())
            both = beside and known.name in self._shared and known.action != TAU
            who = "both" if both else "E"
        elif before is not None:
            # Nobody but itself hears of an internal move.
            who = "E" if own != before.parts else "C"
        return replace(
            step,
            action=self.called(taken),
            environment=f"({', '.join(own)})",
            components=others,
            parts=own,
            who=who,
            added=added,
        )

    @cached_property
    def _shared(self) -> frozenset[Action]:
        controller = self.controller.components[len(self.plan.components) :]
        return frozenset(a for part in controller for a in part.alphabet)


def coupled_problem(
    environment: Model,
    modes: Sequence[FaultMode],
    controller: Model,
    properties: Sequence[Monitor],
    constraints: Sequence[Monitor],
    max_steps: int | None = None,
) -> CoupledProblem:
    """Return a problem without the product of E.

    Args:
        environment: The components of E.
        modes: The fault modes; only their changes of components are used.
        controller: C.
        properties: What must hold of E_S‖C.
        constraints: What must hold of E_S.
        max_steps: Bound on the number of actions that modes bring.

    Raises:
        SymrobError: A component of E has a transition to ERROR.
        LimitExceeded: There are more such actions.

    Cost: linear in the transitions of the models, for each action and each combination
        of modes that its components need.
    """
    require_no_error(environment)
    rows = _rows(environment, modes)
    # Numbered by what each component of E that has the action needs; all planned first.
    taken: dict[Action, list[tuple[Action, Taken]]] = {}
    components = environment.components
    for name in sorted({a for part in components for a in part.alphabet}):
        own = [i for i, part in enumerate(components) if name in part.alphabet]
        hidden = name in environment.hidden
        variants = [sorted({0, *rows[i].get(name, {})}) for i in own]
        some = taken[name] = []
        for number, needs in enumerate(product(*variants)):
            check_size(number, max_steps, f"action '{name}' with fault modes")
            called = f"{name}{_HIDDEN * hidden}{f'{_MARK}{number}' if number else ''}"
            several = dict(zip(own, needs, strict=True))
            # All planned comes first, and is there even if nobody takes it.
            if not number or all(
                n in rows[i].get(name, {}) for i, n in several.items()
            ):
                one = Taken(TAU if hidden else name, name, several)
                some.append((called, one))
    plan = Network(
        [_renamed(part, rows[i], taken, i) for i, part in enumerate(components)],
        component_names=environment.component_names,
    )
    visible = {n: some for n, some in taken.items() if n not in environment.hidden}
    theirs = [
        _beside(part, visible, controller.hidden) for part in controller.components
    ]
    joined = Network(
        [*plan.components, *theirs],
        component_names=[*plan.component_names, *controller.component_names],
        hidden={f"{action}{_HIDDEN}{_MARK}" for action in controller.hidden},
    )
    flat = {own: one for some in taken.values() for own, one in some}
    brought = sorted(own for own, one in flat.items() if any(one.needs.values()))
    steps = [
        ModeStep(
            Transition(0, own, 0), tuple(sorted({*flat[own].needs.values()} - {0}))
        )
        for own in brought
    ]
    return CoupledProblem(
        Lts(brought, 1, ()),
        joined,
        tuple(_watching(m, visible) for m in properties),
        tuple(_watching(m, visible) for m in constraints),
        units=Units(modes, steps, environment),
        plan=plan,
        parts=environment,
        taken=flat,
    )


# For each action and the modes of which one is needed (0: planned) some moves.
_Rows = dict[Action, dict[Chosen, list[Transition]]]
_Taken = Mapping[Action, Sequence[tuple[Action, Taken]]]


def _rows(environment: Model, modes: Sequence[FaultMode]) -> list[_Rows]:
    """What each component can do, by what it needs."""
    held: dict[LocalTransition, Chosen] = {}
    for m, mode in enumerate(modes):
        for t in mode.local:
            held[t] = held.get(t, 0) | 1 << m
    rows: list[_Rows] = []
    for part in environment.components:
        row: _Rows = {}
        for planned in part.transitions:
            row.setdefault(planned.action, {}).setdefault(0, []).append(planned)
        rows.append(row)
    for t, needed in sorted(held.items()):
        if not is_planned(environment, t):
            move = Transition(*t[1:])
            rows[t.component].setdefault(t.action, {}).setdefault(needed, []).append(
                move
            )
    return rows


def _renamed(part: Lts, row: _Rows, taken: _Taken, own: int) -> Lts:
    """A component of E with an action for each combination of modes."""
    called = [(name, *each) for name in part.alphabet for each in taken[name]]
    moves = [t for t in part.transitions if t.action == TAU]
    moves += [
        t._replace(action=action)
        for name, action, one in called
        for t in row.get(name, {}).get(one.needs[own], ())
    ]
    return Lts([action for _, action, _ in called], part.size, moves, names=part.names)


def _beside(part: Lts, visible: _Taken, hidden: Iterable[Action] = ()) -> Lts:
    """A component of C, or a monitor, that takes part whatever E needs for it."""
    secret = {action: (f"{action}{_HIDDEN}{_MARK}",) for action in hidden}
    shown = {name: [own for own, _ in some] for name, some in visible.items()}
    names = {a: secret.get(a) or shown.get(a) or (a,) for a in (*part.alphabet, TAU)}
    moves = [t._replace(action=a) for t in part.transitions for a in names[t.action]]
    alphabet = [a for name in part.alphabet for a in names[name]]
    return Lts(alphabet, part.size, moves, names=part.names)


def _watching(monitor: Monitor, visible: _Taken) -> Monitor:
    lts = _beside(monitor.lts, visible)
    return monitor._replace(lts=lts, about=frozenset(lts.alphabet))
