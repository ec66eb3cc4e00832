"""The danger automaton: how near a violation is, given the observations.

In:  a checked problem, and the actions that can be observed.
Out: the danger machine.

C‖P is tracked by the set of all states in which it may be, a BDD, so the product of
C's components is never computed. A violation is an absorbing state, not the end of the
run: later observations may show whether it has happened. Unobserved steps may happen at
any moment, be it C's own move or an action of E.

For a single state: - violated: a property is violated; - doomed: a violation is
reachable without an observed action of E; - at risk by a: by such moves and then `a`,
an observed action of E, a doomed or violated state can be reached. For a set: violated
if all its states are; else doomed if one is doomed or violated; else at risk by every
action by which one of them is; else safe. The empty set means that C did something that
its model cannot do: unmodelled, permanently.

Source: docs/monitors.md; docs/mathematics.md, 2 (C‖P as one monitor of E).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from symrob.limits import Clock
from symrob.lts import ERROR, Action, Lts, Network, StateId
from symrob.monitor.machine import Machine, minimal
from symrob.monitor.size import check_states
from symrob.problem import Monitor, Problem
from symrob.symbolic.context import Bdd, Context
from symrob.symbolic.encoding import ActionRelation, SymbolicSystem

Kind = Literal["safe", "at risk", "doomed", "violated", "unmodelled"]
KINDS: tuple[Kind, ...] = ("safe", "at risk", "doomed", "violated", "unmodelled")


@dataclass(frozen=True)
class Danger:
    """The output of the danger automaton.

    Attributes:
        kind: One of `KINDS`.
        actions: If `at risk`, the observed actions of E that can lead to a doomed or
            violated state.
    """

    kind: Kind
    actions: tuple[Action, ...] = ()

    def __str__(self) -> str:
        by = f" by {', '.join(self.actions)}" if self.actions else ""
        return self.kind + by


def danger_machine(
    problem: Problem,
    observed: Sequence[Action],
    *,
    backend: str,
    clock: Clock,
    most: int,
) -> Machine[Danger]:
    """Build the danger automaton.

    Args:
        problem: The problem, for C and its properties.
        observed: The observable actions of E or C.
        backend: The BDD library.
        clock: Checked at intervals.
        most: Bound on the number of sets of states of C‖P.

    Raises:
        LimitExceeded: A bound was hit.

    Cost: an image for each set and action; there can be exponentially many sets.
    """
    followed = _Followed(problem, observed, backend, clock)
    start = followed.first
    numbers = {start: 0}
    order = [start]
    rows: list[list[int]] = []
    for states in order:
        clock.check()
        row = []
        for action in observed:
            after = followed.after(states, action)
            if after not in numbers:
                numbers[after] = len(order)
                order.append(after)
                check_states(len(order), most, "danger")
            row.append(numbers[after])
        rows.append(row)
    answers = [followed.danger(states) for states in order]
    return minimal(observed, rows, answers, [str(answer) for answer in answers])


class _Followed:
    """C‖P as it is followed: the sets that actions lead to, and what they say.

    Attributes:
        first: The states that C‖P may be in before anything was observed.
    """

    def __init__(
        self, problem: Problem, observed: Sequence[Action], backend: str, clock: Clock
    ) -> None:
        ours = set(problem.environment.alphabet)
        actions = sorted({*ours, *observed})
        # Nothing is said of the states of E, so its labels are its actions.
        machine, monitors, _, _ = problem.seen(problem.properties)
        assert machine is not None, "C is there"
        parts = machine.components
        ends = [_with_end(part) for part in parts]
        watching = [_watching(monitor) for monitor in monitors]
        controller = Network(
            ends,
            component_names=machine.component_names,
            hidden=sorted(machine.hidden),
        )
        system = SymbolicSystem(Context(backend, clock), controller, watching, actions)
        self._system = system
        seen = set(observed)
        self._silent = [*system.internal, *(system.moves[a] for a in ours - seen)]
        free = [*self._silent, *(system.moves[a] for a in seen - ours)]
        lasts = [(i, p.size) for i, p in enumerate(parts) if ends[i] is not p]
        lasts += [(len(parts) + i, m.lts.size) for i, m in enumerate(monitors)]
        self._violated = system.ctx.union(
            system.where(part, [last]) for part, last in lasts
        )
        self._doomed = self._closed(self._violated, free, system.pre)
        self._risks = {
            a: self._closed(system.pre(self._doomed, system.moves[a]), free, system.pre)
            for a in observed
            if a in ours
        }
        self.first = self._settled(system.initial)

    def after(self, states: Bdd, action: Action) -> Bdd:
        """Return where an observed action leads; a verdict that is final stays."""
        if states == self._violated:
            return states
        return self._settled(self._system.post(states, self._system.moves[action]))

    def danger(self, states: Bdd) -> Danger:
        """Return what a set says."""
        none = self._system.ctx.false
        if states == none:
            return Danger("unmodelled")
        if states == self._violated:
            return Danger("violated")
        if states & self._doomed != none:
            return Danger("doomed")
        risks = tuple(a for a, risk in self._risks.items() if states & risk != none)
        return Danger("at risk", risks) if risks else Danger("safe")

    def _settled(self, states: Bdd) -> Bdd:
        """Add what nobody observes; all sets without a safe state become one."""
        none = self._system.ctx.false
        closed = self._closed(states, self._silent, self._system.post)
        if closed != none and closed & ~self._violated == none:
            return self._violated
        return closed

    def _closed(
        self,
        states: Bdd,
        moves: Iterable[ActionRelation],
        step: Callable[[Bdd, ActionRelation], Bdd],
    ) -> Bdd:
        """Add all that some moves lead to, or from: a least fixpoint, states finite."""
        moves = list(moves)
        while True:
            before = states
            for move in moves:
                states |= step(states, move)
            if states == before:
                return states


def _with_end(lts: Lts) -> Lts:
    """Return a component whose ERROR is a last state that takes all its actions."""
    if all(t.target != ERROR for t in lts.transitions):
        return lts
    return _ended(lts, [])


def _watching(monitor: Monitor) -> Monitor:
    """Return a monitor that takes every action, violated or not."""
    lts = monitor.lts
    missing = [
        (state, action)
        for state, row in enumerate(lts.successors)
        for action in lts.alphabet
        if action not in row
    ]
    return Monitor(monitor.name, _ended(lts, missing))


def _ended(lts: Lts, missing: Iterable[tuple[StateId, Action]]) -> Lts:
    last = lts.size
    return Lts(
        lts.alphabet,
        last + 1,
        [
            *((s, a, last if t == ERROR else t) for s, a, t in lts.transitions),
            *((s, a, last) for s, a in missing),
            *((last, a, last) for a in lts.alphabet),
        ],
    )
