"""The closed loop on plain tuples: no BDDs, no solver.

In:  a checked `Problem`, and sets of environment transitions.
Out: whether E_d‖C‖P or E_d‖P_env reaches ERROR, and a shortest trace that does.

The basis of `brute-force` and `verify`. It shares the `Lts` type with the rest, but no
code of the symbolic engine, so that the two can check each other. A state of the closed
loop is a tuple: the state of E, those of the controller's components, those of the
monitors.

Cost: one search is linear in the reachable states of the closed loop.
Source: docs/sources.md [S1], Sect. 3 (composition), Def. 2.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Self

from symrob.errors import Trace, TraceStep
from symrob.limits import Clock
from symrob.lts import ERROR, TAU, Action, Lts, Network, StateId, Transition
from symrob.problem import Monitor, Problem
from symrob.problem.requirements import Requirement, local_of

State = tuple[StateId, tuple[StateId, ...], tuple[StateId, ...]]
# What a trace says of a move: its action, whether E lacks it, who takes it.
_Move = tuple[Action, bool, str]
Rows = list[dict[Action, list[StateId]]]
# The states of the controller's components and of the monitors.
Local = tuple[tuple[StateId, ...], tuple[StateId, ...]]
# The same with those of E's components and an action.
_Asked = tuple[
    tuple[StateId, ...] | None, tuple[StateId, ...], tuple[StateId, ...], Action
]
# Answers that a loop keeps: tens of megabytes.
_REMEMBERED = 100_000


def with_some(rows: Rows, transitions: Iterable[Transition]) -> Rows:
    """Return the rows of a deviation with some more transitions, which it lacks."""
    larger = [*rows]
    for source, action, target in transitions:
        targets = [*larger[source].get(action, ()), target]
        larger[source] = {**larger[source], action: sorted(targets)}
    return larger


@dataclass(frozen=True)
class ExplicitLoop:
    """An environment with its controller and monitors.

    Attributes:
        environment: E, without its deviation.
        controller: C, or `None` if the environment runs alone.
        monitors: Deterministic; each missing action is an error. A requirement on
            states is judged in each state and at each step.
        guards: Requirements that disable steps of C.
        extra_states: How many of the last states of E were added to it.
        local: For each state of E those of its components, or `None`, where E does not
            tell by itself.
    """

    environment: Lts
    controller: Lts | Network | None
    monitors: tuple[Monitor, ...]
    guards: tuple[Requirement, ...] = ()
    extra_states: int = 0
    local: Sequence[tuple[StateId, ...] | None] | None = None

    @classmethod
    def both(
        cls,
        problem: Problem,
        environment: Lts | None = None,
        local: Sequence[tuple[StateId, ...] | None] | None = None,
    ) -> tuple[Self, Self]:
        """Return E alone with the constraints, and E‖C with the properties.

        Args:
            problem: Which ones.
            environment: E, where it is not that of the problem.
            local: As of the loops.
        """
        e = problem.environment if environment is None else environment
        c, extra = problem.controller, problem.extra_states
        return (
            cls(e, None, problem.constraints, (), extra, local),
            cls(e, c, problem.properties, problem.guards, extra, local),
        )

    def violation(self, deviation: Iterable[Transition], clock: Clock) -> Trace | None:
        """Return a shortest trace of the deviated closed loop to ERROR.

        Args:
            deviation: The transitions of E_d without `tau`, or only the new ones; R_E
                is always included.
            clock: Checked at intervals.
        """
        return self.violation_in(self.rows(deviation), clock)

    def violation_in(self, rows: Rows, clock: Clock) -> Trace | None:
        """Return the same where E_d is given by state and action, as by `rows`."""
        if not self.judges:
            return None
        for start in self.starts:
            for monitor, view in zip(self.monitors, start[2], strict=True):
                if monitor.fails_at_start or view == ERROR:
                    return Trace(self._named(start), (), monitor.name, *self._titles)
        came: dict[State, tuple[State, _Move] | None] = dict.fromkeys(self.starts)
        todo = deque(self.starts)
        while todo:
            clock.check()
            state = todo.popleft()
            for action, who, after in self.steps(rows, state):
                fails = ERROR in after[1] or ERROR in after[2]
                if not fails and after in came:
                    continue
                taken = Transition(state[0], action, after[0])
                move = action, who != "C" and taken not in self._planned, who
                if fails:
                    return self._trace(came, state, after, move)
                came[after] = (state, move)
                todo.append(after)
        return None

    def is_safe(self, deviation: Iterable[Transition], clock: Clock) -> bool:
        """Whether no trace of the deviated closed loop reaches ERROR."""
        return self.violation(deviation, clock) is None

    @property
    def judges(self) -> bool:
        """Whether anything can reach ERROR."""
        return bool(self.monitors) or self.controller is not None

    @cached_property
    def asks_about_states(self) -> bool:
        """Whether a property is a requirement on states."""
        return any(m.requirement is not None for m in self.monitors)

    @cached_property
    def _local(self) -> Callable[[StateId], tuple[StateId, ...] | None]:
        """The states of E's components by a state of E."""
        if self.local is not None:
            return self.local.__getitem__
        return local_of(self.environment, self.extra_states)

    def _judged(self, after: State) -> State:
        """A state, with ERROR for each requirement that it does not meet."""
        here, locals_, views = after
        if not self.asks_about_states or ERROR in locals_:
            return after
        own = self._local(here)
        found = tuple(
            ERROR if r is not None and r.forbids_state(own, locals_) else view
            for r, view in zip(self._requirements, views, strict=True)
        )
        return here, locals_, found

    @cached_property
    def _requirements(self) -> tuple[Requirement | None, ...]:
        return tuple(m.requirement for m in self.monitors)

    @cached_property
    def _parts(self) -> tuple[Lts, ...]:
        return tuple(self.controller.components) if self.controller is not None else ()

    @cached_property
    def _alphabets(self) -> tuple[frozenset[Action], ...]:
        return tuple(frozenset(m.lts.alphabet) for m in self.monitors)

    @cached_property
    def _hidden(self) -> frozenset[Action]:
        return self.controller.hidden if self.controller is not None else frozenset()

    @cached_property
    def _moved(self) -> dict[_Asked, list[Local]]:
        """What was asked of `_moves`; it does not depend on the deviation."""
        return {}

    @cached_property
    def _own(self) -> frozenset[Action]:
        return frozenset(self.environment.alphabet)

    @cached_property
    def _movers(self) -> dict[Action, list[int]]:
        """By action, the components that have it."""
        found: dict[Action, list[int]] = {}
        for index, part in enumerate(self._parts):
            for action in part.alphabet:
                found.setdefault(action, []).append(index)
        return found

    @property
    def _titles(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The names of the components of C, and of E."""
        own = self.controller.component_names if self.controller is not None else ()
        parts = self.environment.parts
        return own, parts.names if parts is not None else ()

    @cached_property
    def starts(self) -> tuple[State, ...]:
        """The first states, with ERROR for each requirement that one does not meet."""
        views = (0,) * len(self.monitors)
        initial = (part.initial for part in (self.environment, *self._parts))
        return tuple(
            self._judged((first, locals_, views))
            for first, *rest in product(*initial)
            for locals_ in (tuple(rest),)
        )

    @cached_property
    def _planned(self) -> frozenset[Transition]:
        return frozenset(self.environment.transitions)

    def rows(self, deviation: Iterable[Transition]) -> Rows:
        """Return the transitions of E_d by state and action, including `tau`.

        Targets are sorted, so that the choice among shortest traces is deterministic.

        Args:
            deviation: See `violation`.
        """
        rows: Rows = [{} for _ in range(self.environment.size)]
        for source, action, target in self._planned.union(deviation):
            rows[source].setdefault(action, []).append(target)
        for row in rows:
            for targets in row.values():
                targets.sort()
        return rows

    def steps(self, rows: Rows, state: State) -> Iterator[tuple[Action, str, State]]:
        """Each move: its name in traces, who takes it, the state after it."""
        moves = self._steps(rows, state)
        if not self.asks_about_states:
            return moves
        return ((action, who, self._judged(after)) for action, who, after in moves)

    def _steps(self, rows: Rows, state: State) -> Iterator[tuple[Action, str, State]]:
        """The same, where no state is judged by itself."""
        here, locals_, views = state
        parts = self._parts
        hidden, environment = self._hidden, self._own
        for target in rows[here].get(TAU, ()):
            yield TAU, "E", (target, locals_, views)
        own = self._local(here)
        offered = {a for a in rows[here] if a != TAU}
        for part, local in zip(parts, locals_, strict=True):
            offered |= part.successors[local].keys()
        offered.discard(TAU)
        for action in sorted(offered):
            secret = action in hidden
            if secret or action not in environment:
                # A hidden one only shares its name with the environment's.
                said = TAU if secret else action
                for moved in self._moves(own, locals_, views, action):
                    yield said, "C", (here, *moved)
            if targets := rows[here].get(action):
                who = "both" if action in self._movers and not secret else "E"
                led = self._taken(own, locals_, views, action)
                for target, moved in product(targets, led):
                    yield action, who, (target, *moved)
        for index, part in enumerate(parts):
            for target in part.successors[locals_[index]].get(TAU, ()):
                after = (*locals_[:index], target, *locals_[index + 1 :])
                yield TAU, "C", (here, after, views)

    def taken(self, state: State, action: Action) -> Sequence[Local]:
        """Return what C and the monitors come to when E takes an action in a state."""
        here, locals_, views = state
        return self._taken(self._local(here), locals_, views, action)

    def _taken(
        self,
        own: tuple[StateId, ...] | None,
        locals_: tuple[StateId, ...],
        views: tuple[StateId, ...],
        action: Action,
    ) -> Sequence[Local]:
        if action in self._hidden:
            return [(locals_, self._watch(views, action, own, locals_))]
        return self._moves(own, locals_, views, action)

    def _moves(
        self,
        own: tuple[StateId, ...] | None,
        locals_: tuple[StateId, ...],
        views: tuple[StateId, ...],
        action: Action,
    ) -> Sequence[Local]:
        """Move what has an action: the components in every combination, the monitors.

        A hidden one is not seen by the monitors. What was asked before is known.
        """
        # Only requirements on states look at E.
        asks = self.asks_about_states or self.guards
        key = own if asks else None, locals_, views, action
        known = self._moved.get(key)
        if known is None:
            secret, movers = action in self._hidden, self._movers.get(action, ())
            known = []
            blocked = (guard.blocks(action, own, locals_) for guard in self.guards)
            if secret or not movers or not any(blocked):
                seen = views if secret else self._watch(views, action, own, locals_)
                for chosen in product(
                    *(
                        self._parts[i].successors[locals_[i]].get(action, ())
                        for i in movers
                    )
                ):
                    after = list(locals_)
                    for index, target in zip(movers, chosen, strict=True):
                        after[index] = target
                    known.append((tuple(after), seen))
            if len(self._moved) >= _REMEMBERED:
                self._moved.clear()
            self._moved[key] = known
        return known

    def _watch(
        self,
        views: tuple[StateId, ...],
        action: Action,
        own: tuple[StateId, ...] | None,
        locals_: tuple[StateId, ...],
    ) -> tuple[StateId, ...]:
        """Move the monitors that have the action; ERROR where one lacks a move."""
        return tuple(
            m.lts.successors[view].get(action, (ERROR,))[0]
            if action in alphabet
            else ERROR
            if m.requirement is not None
            and m.requirement.forbids_step(action, own, locals_)
            else view
            for m, alphabet, view in zip(
                self.monitors, self._alphabets, views, strict=True
            )
        )

    def _trace(
        self,
        came: dict[State, tuple[State, _Move] | None],
        last: State,
        after: State,
        into: _Move,
    ) -> Trace:
        steps = [self._named(after, *into)]
        state = last
        while (entry := came[state]) is not None:
            before, move = entry
            steps.append(self._named(state, *move))
            state = before
        violated = "the controller's own ERROR"
        for monitor, view in zip(self.monitors, after[2], strict=True):
            if view == ERROR:
                violated = monitor.name
        steps.reverse()
        return Trace(self._named(state), tuple(steps), violated, *self._titles)

    def _named(
        self, state: State, action: Action = "", added: bool = False, who: str = ""
    ) -> TraceStep:
        monitors = [monitor.lts for monitor in self.monitors]
        local, views = (
            tuple(p.state_name(s) for p, s in zip(parts, states, strict=True))
            for parts, states in ((self._parts, state[1]), (monitors, state[2]))
        )
        environment = self.environment.state_name(state[0])
        parts_of_it = self.environment.part_names(state[0])
        return TraceStep(action, environment, local, views, added, who, parts_of_it)


def harmful(
    loop: ExplicitLoop, rows: Rows, lacking: Iterable[Transition], clock: Clock
) -> set[Transition]:
    """Return which of many transitions that a safe deviation lacks cannot be added.

    Most of them lead to ERROR when taken once after steps of the deviation: one search
    decides all of these. The others may have to be taken twice; a second use reaches
    new states only after the first, so that only these are searched.

    Args:
        loop: Safe with the deviation.
        rows: The deviation, by state and action.
        lacking: Visible transitions that it lacks.
        clock: Checked at intervals.

    Raises:
        LimitExceeded: A bound was hit.

    Cost: linear in the steps of the closed loop after the transitions; a search of the
        new states for each transition that is harmless when taken once.
    """
    if not loop.judges:
        return set()
    if loop.asks_about_states:
        # What C and P come to is not all that counts: where E is then does, too.
        asked = (Transition(*t) for t in lacking)
        return {t for t in asked if loop.violation_in(with_some(rows, [t]), clock)}
    met, _, _ = _explored(loop, rows, loop.starts, set(), clock)
    here: list[list[State]] = [[] for _ in rows]
    for state in met:
        here[state[0]].append(state)
    images: dict[tuple[StateId, Action], frozenset[Local]] = {}
    for source, action, _ in lacking:
        if (source, action) not in images:
            images[source, action] = frozenset(
                x for state in here[source] for x in loop.taken(state, action)
            )
    # Many lead to the same.
    alike = {(target, images[source, action]) for source, action, target in lacking}
    led = {(r, *x) for r, local in alike for x in local if not _failed(x)}
    _, into, bad = _explored(loop, rows, led - met, met, clock)
    # Backwards: what leads to where ERROR is next.
    todo = list(bad)
    while todo:
        for before in into.get(todo.pop(), ()):
            if before not in bad:
                bad.add(before)
                todo.append(before)
    once = {
        (r, local)
        for r, local in alike
        if any(_failed(x) or (r, *x) in bad for x in local)
    }
    found: set[Transition] = set()
    for source, action, target in lacking:
        transition, leads = Transition(source, action, target), images[source, action]
        if (target, leads) in once:
            found.add(transition)
            continue
        if new := {(target, *x) for x in leads} - met:
            more = with_some(rows, [transition])
            if _explored(loop, more, new, met, clock, first=True)[2]:
                found.add(transition)
    return found


def _failed(local: Local) -> bool:
    return ERROR in local[0] or ERROR in local[1]


def _explored(
    loop: ExplicitLoop,
    rows: Rows,
    start: Iterable[State],
    beyond: set[State],
    clock: Clock,
    *,
    first: bool = False,
) -> tuple[set[State], dict[State, list[State]], set[State]]:
    """Walk from some states, but not into those `beyond`; perhaps to the first ERROR.

    Returns:
        The states; for each what leads to it; those with a step to ERROR.
    """
    order = list(start)
    found, bad = set(order), set[State]()
    into: dict[State, list[State]] = {}
    for state in order:
        clock.check()
        for _, _, after in loop.steps(rows, state):
            if _failed(after[1:]):
                bad.add(state)
                if first:
                    return found, into, bad
            elif after not in beyond:
                into.setdefault(after, []).append(state)
                if after not in found:
                    found.add(after)
                    order.append(after)
    return found, into, bad
