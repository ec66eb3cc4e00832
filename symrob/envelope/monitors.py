"""Safety monitors as seen by the environment: sets of states, moved by actions.

In:  a deterministic monitor (an environmental constraint), or the controller
     together with its properties as a `SymbolicSystem`.
Out: a `SafetyMonitor`: the successors of a set of states by an action, and where it
     violates the property.

For the environment, the two are alike: C‖P with the actions outside of Act_E hidden is
one safety monitor (docs/mathematics.md, 3), and a constraint is another one that runs
with the environment alone. So each algorithm is written once, over sets that are BDDs
or bits of an integer.

Sets support `&`, `|`, `~`, `==` and hashing in both cases. They are closed under
internal moves: a set contains all states that the machine may have reached on its own
since the last action of the environment.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from math import prod
from typing import Any, Generic, Protocol, TypeVar

from symrob.envelope import tuning
from symrob.limits import Clock
from symrob.lts import TAU, Action, Lts, Network
from symrob.lts.masks import bits
from symrob.problem import Monitor
from symrob.problem.counted import is_counter
from symrob.symbolic.context import Bdd, Context
from symrob.symbolic.encoding import SymbolicSystem
from symrob.symbolic.table import TableSystem

States = TypeVar("States")

# A set of states of a table is as many bits, 4 MiB.
MOST_TABLED = 1 << 25


class SafetyMonitor(Protocol, Generic[States]):
    """The interface of a monitor for the algorithms.

    Attributes:
        name: For messages.
        single: Whether monitor states are its single states, and not the sets that
            actions lead to; see `DeterminisedMonitor`.
        closed_only: Whether it moves only sets that internal moves do not leave; else
            a part of such a set may be moved, for instance what is new in it.
        recent: What `exploration.reach` has found of late: for a graph X, and whether
            the closed loop reaches ERROR.
        screened: What it was screened for last: R_E, the candidates, and those of them
            that are safe alone.
    """

    name: str
    single: bool
    closed_only: bool
    recent: dict[Any, tuple[list[Any], bool]]
    screened: tuple[Any, Any, Any] | None

    @property
    def empty(self) -> States:
        """The empty set."""

    @property
    def everything(self) -> States:
        """All states, reachable or not."""

    @property
    def initial(self) -> States:
        """The states before the first action, closed."""

    @property
    def failing(self) -> States:
        """The states with an internal move to ERROR.

        A closed set that intersects them has failed.
        """

    def post(self, states: States, action: Action) -> States:
        """Return the successors by `action` and then internal moves, without ERROR."""

    def pre(self, states: States, action: Action) -> States:
        """Return the predecessors by `action` alone."""

    def rejects(self, action: Action) -> States:
        """Return the states from which `action` itself can lead to ERROR."""

    def close_back(
        self, states: States, within: States | None, after: Action | None = None
    ) -> States:
        """Add the predecessors by internal moves, within `within`.

        Args:
            states: Any, or the pre-image in `within` of a set that is closed backwards.
            within: Closed; `None` for all states.
            after: The action of that pre-image.
        """


class TableMonitor:
    """A monitor with few states, which are the bits of an integer.

    Args:
        monitor: The deterministic monitor.

    Cost: `post` and `pre` are linear in the states of the set, and cached.
    """

    empty = 0
    single = closed_only = False

    def __init__(self, monitor: Monitor) -> None:
        self.name = monitor.name
        self.recent: dict[Any, Any] = {}
        self.screened: tuple[Any, Any, Any] | None = None
        self.initial = (1 << monitor.starts) - 1
        self.failing = self.initial if monitor.fails_at_start else 0
        lts = monitor.lts
        self.everything = everything = (1 << lts.size) - 1
        self._post: dict[Action, list[int]] = {a: [0] * lts.size for a in lts.alphabet}
        self._pre: dict[Action, list[int]] = {a: [0] * lts.size for a in lts.alphabet}
        self._rejects = dict.fromkeys(lts.alphabet, everything)
        for source, action, target in lts.transitions:
            if target < 0:
                continue
            self._post[action][source] |= 1 << target
            self._pre[action][target] |= 1 << source
            self._rejects[action] &= ~(1 << source)
        self._known: dict[tuple[int, Action, int], int] = {}

    def post(self, states: int, action: Action) -> int:
        """See `SafetyMonitor`."""
        return self._map(states, action, self._post, 0)

    def pre(self, states: int, action: Action) -> int:
        """See `SafetyMonitor`."""
        return self._map(states, action, self._pre, 1)

    def rejects(self, action: Action) -> int:
        """See `SafetyMonitor`."""
        return self._rejects.get(action, 0)

    def close_back(
        self,
        states: int,
        within: int | None,  # noqa: ARG002
        after: Action | None = None,  # noqa: ARG002
    ) -> int:
        """See `SafetyMonitor`; a table has no internal moves."""
        return states

    def _map(
        self, states: int, action: Action, table: dict[Action, list[int]], which: int
    ) -> int:
        row = table.get(action)
        if row is None:
            return states
        key = (states, action, which)
        result = self._known.get(key)
        if result is None:
            result = 0
            for state in bits(states):
                result |= row[state]
            self._known[key] = result
        return result


class SymbolicMonitor:
    """The controller and its properties as one monitor; sets are BDDs.

    Args:
        system: The machine and its monitors in bits.
        name: For messages.
    """

    single = False

    def __init__(self, system: SymbolicSystem, name: str = "property") -> None:
        self.system = system
        self.closed_only = not isinstance(system, TableSystem)
        self.name = name
        self.recent: dict[Any, Any] = {}
        self.screened: tuple[Any, Any, Any] | None = None
        self.empty, self.everything = system.ctx.false, system.ctx.true
        # C‖P as a table, by the bound on its states; see `simulation`.
        self.tables: dict[int, Any] = {}
        self._offers: dict[Action, Bdd] = {}
        # Parts of C with one property each; see `cones`.
        self.cones: Sequence[SymbolicMonitor] | None = None

    @property
    def branches(self) -> bool:
        """Whether actions of E can lead from one state to several."""
        controller = self.system.controller
        parts = controller.components if controller is not None else ()
        return bool(self.system.internal) or not all(p.deterministic for p in parts)

    @cached_property
    def initial(self) -> Bdd:
        """The states that internal moves alone reach, with any remaining budget.

        Less remaining budget allows nothing more: if a state is reached with some
        remaining budget, reaching it with less adds nothing.
        """
        return self.system.close(self.system.start)

    @property
    def exact(self) -> SymbolicMonitor:
        """The same with the exact budgets, for analyses that are not monotone."""
        if not self.system.counters:
            return self
        other = SymbolicMonitor(self.system, self.name)
        vars(other)["initial"] = self.system.close(self.system.initial)
        return other

    @property
    def drained(self) -> SymbolicMonitor:
        """As `exact`, where something of the budget of a run may be used before."""
        system, (run, *_) = self.system, self.system.counters
        free = system.ctx.exists(system.initial, run.current)
        other = SymbolicMonitor(system, self.name)
        anything = free & run.states(range(run.lts.size))
        vars(other)["initial"] = system.close(anything)
        return other

    @property
    def failing(self) -> Bdd:
        """See `SafetyMonitor`."""
        return self.system.failing

    def post(self, states: Bdd, action: Action) -> Bdd:
        """See `SafetyMonitor`."""
        if action == TAU:
            return states
        move = self.system.moves[action]
        return self.system.close(self.system.post(states, move), move)

    def pre(self, states: Bdd, action: Action) -> Bdd:
        """See `SafetyMonitor`."""
        if action == TAU:
            return states
        return self.system.pre(states, self.system.moves[action])

    def offers(self, action: Action) -> Bdd:
        """Return the states from which `action` leads to a state other than ERROR."""
        if action not in self._offers:
            self._offers[action] = self.pre(self.everything, action)
        return self._offers[action]

    def rejects(self, action: Action) -> Bdd:
        """See `SafetyMonitor`."""
        if action == TAU:
            return self.empty
        return self.system.moves[action].error

    def close_back(
        self, states: Bdd, within: Bdd | None, after: Action | None = None
    ) -> Bdd:
        """See `SafetyMonitor`."""
        if after == TAU:
            return states
        move = None if after is None else self.system.moves[after]
        return self.system.close_back(states, within, move)


def joined(
    controller: Network | Lts,
    monitors: Sequence[Monitor],
    environment_alphabet: Sequence[Action],
    backend: str,
    clock: Clock,
) -> SymbolicMonitor:
    """Return C with some properties as one monitor: in bits, or as a table.

    Args:
        controller: C. A flat C becomes a table; see `symbolic.table`.
        monitors: The properties.
        environment_alphabet: Act_E.
        backend: The BDD library.
        clock: Checked at every image.
    """
    parts = controller.components
    flat = sum(not is_counter(name) for name in controller.component_names) == 1
    size = prod(lts.size for lts in (*parts, *(m.lts for m in monitors)))
    large = parts[0].size >= tuning.FLAT_STATES and size <= MOST_TABLED
    system: SymbolicSystem
    if flat and (large or size <= tuning.SMALL_PRODUCT):
        system = TableSystem(controller, monitors, environment_alphabet, clock)
    else:
        context = Context(backend, clock)
        system = SymbolicSystem(context, controller, monitors, environment_alphabet)
    return SymbolicMonitor(system)


AnyMonitor = SafetyMonitor[Any]
