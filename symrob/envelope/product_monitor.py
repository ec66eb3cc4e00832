"""C‖P state by state, for controllers whose determinised form is large.

In:  a `SymbolicSystem`, for its components and monitors.
Out: a `ProductMonitor`: the same safety monitor as a table over its reachable states;
     sets of states are the bits of an integer.

A determinised monitor has a state for each *set* of states in which C‖P may be after
some actions. If C is nondeterministic or has internal moves, there can be exponentially
many of them, although C‖P itself is small. Safety is a property of single traces, so
single states suffice to decide it: a trace fails if one of its possible states does.
The disadvantage is that sets are equal less often; the advantage is that there are
never more monitor states than states of C‖P.

Source: docs/mathematics.md, 2: the Horn formula stands over any pairs (state of E,
state of the monitor), whatever those are.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from itertools import product
from math import prod
from typing import Any

from symrob.envelope.weak_quotient import ClassTable, ProductTable
from symrob.limits import Clock
from symrob.lts import ERROR, TAU, Action, Lts, StateId
from symrob.lts.masks import bits
from symrob.problem import plain
from symrob.symbolic.encoding import SymbolicSystem

# The states of C's components, or of the monitors.
Local = tuple[StateId, ...]


class ProductMonitor:
    """C‖P as a table, with the interface of `SafetyMonitor`.

    Args:
        table: Its states, without internal moves between them, and its moves.

    Attributes:
        single: Whether each state is a monitor state; by default sets of states are, as
            in any `DeterminisedMonitor`.
    """

    empty = failing = 0
    # The first class.
    initial = 1
    closed_only = False
    name = "property"

    def __init__(self, table: ClassTable) -> None:
        self.single = False
        self.recent: dict[Any, Any] = {}
        self.screened: tuple[Any, Any, Any] | None = None
        self._table = table
        self.everything = (1 << table.size) - 1

    def told_apart(self) -> ProductMonitor:
        """Return the same with single states as monitor states."""
        other = copy(self)
        other.single = True
        return other

    def __len__(self) -> int:
        """Return the number of states."""
        return self._table.size

    def post(self, states: int, action: Action) -> int:
        """See `SafetyMonitor`."""
        if action == TAU:
            return states
        images = self._table.post[action]
        found = 0
        for state in bits(states):
            found |= images[state]
        return found

    def rejects(self, action: Action) -> int:
        """See `SafetyMonitor`."""
        return self._table.rejects.get(action, 0)

    def pre(self, states: int, action: Action) -> int:
        """See `SafetyMonitor`; not used with single states."""
        raise NotImplementedError

    def close_back(
        self, states: int, within: int | None, after: Action | None = None
    ) -> int:
        """See `pre`."""
        raise NotImplementedError


def product_table(
    system: SymbolicSystem, most: int, clock: Clock
) -> ProductTable | None:
    """Build the table of a system, `None` if it has more than `most` states.

    Args:
        system: C‖P. Counters are left out, and actions are the original ones.
        most: Bound on its states.
        clock: Checked at every state.

    Cost: linear in the reachable states and moves of C‖P. The moves of C and of the
        monitors are computed once for each state of C and of all monitors.
    """
    moves = _MonitorMoves(system)
    visible = [action for action in moves.actions if action is not None]
    post: dict[Action, list[tuple[int, ...]]] = {action: [] for action in visible}
    rejects: dict[Action, int] = dict.fromkeys(visible, 0)
    internal: list[tuple[int, ...]] = []
    failing = 0
    # A state is that of C and that of the monitors, as one number.
    numbers, order = {0: 0}, [0]
    for here, state in enumerate(order):
        clock.check()
        machine, watching = divmod(state, moves.judging)
        own: list[int] = []
        steps = zip(moves.of_machine(machine), moves.of_monitors(watching), strict=True)
        for action, (step, after) in zip(moves.actions, steps, strict=True):
            targets, fails = step
            if after == ERROR:
                targets, fails = (), fails or bool(targets)
            image = []
            for target in targets:
                key = target * moves.judging + after
                number = numbers.setdefault(key, len(order))
                if number == len(order):
                    if number >= most:
                        return None
                    order.append(key)
                image.append(number)
            if action is None:
                own += image
                failing |= fails << here
            else:
                post[action].append(tuple(image))
                rejects[action] |= fails << here
        internal.append(tuple(own))
    return ProductTable(post, rejects, internal, failing)


def with_counters(table: ClassTable, system: SymbolicSystem) -> ClassTable:
    """Return a table of C‖P with its counters, over the counted actions.

    Cost: linear in the moves of the table, for each action and all values of the
        counters.
    """
    counters = [part.lts for part in system.counters]
    if not counters:
        return table
    alphabets = [{*lts.alphabet} for lts in counters]
    counted = [*product(*(range(lts.size) for lts in counters))]
    place = {counts: number * table.size for number, counts in enumerate(counted)}
    post: dict[Action, list[int]] = {}
    rejects: dict[Action, int] = {}
    for action in system.moves:
        rows, base = post.setdefault(action, []), plain(action)
        rejects[action] = 0
        for counts, here in place.items():
            after = tuple(
                lts.successors[n].get(action, (ERROR,))[0] if action in own else n
                for n, lts, own in zip(counts, counters, alphabets, strict=True)
            )
            if ERROR in after:
                rows += [0] * table.size
                continue
            rows += [mask << place[after] for mask in table.post[base]]
            rejects[action] |= table.rejects[base] << here
    return ClassTable(len(counted) * table.size, post, rejects)


class _MonitorMoves:
    """The moves of C and of the monitors, each apart, from states that are numbered.

    Attributes:
        actions: For each move the action of E; `None` if it is internal.
        judging: How many states the monitors have together.
    """

    def __init__(self, system: SymbolicSystem) -> None:
        controller = system.controller
        self._parts = () if controller is None else controller.components
        self._parts = self._parts[: len(system.component_names)]
        self._monitors: list[Lts] = [m.lts for m in system.monitors]
        # The same that the symbolic system moves by, so the two cannot differ in who
        # takes part in what.
        visible = {plain(action): move for action, move in system.moves.items()}
        self.actions = [*visible, *[None for _ in system.internal]]
        self._moves = [*visible.values(), *system.internal]
        self.judging = prod(lts.size for lts in self._monitors)
        self._machines = _Numbered((0,) * len(self._parts))
        self._watching = _Numbered((0,) * len(self._monitors))
        self._of_machine: dict[int, list[tuple[tuple[int, ...], bool]]] = {}
        self._of_monitors: dict[int, list[int]] = {}

    def of_machine(self, number: int) -> list[tuple[tuple[int, ...], bool]]:
        """Return for each move where it leads C, and whether it can lead to ERROR."""
        known = self._of_machine.get(number)
        if known is None:
            local = self._machines.locals[number]
            known = [self._moved(local, m.name, m.components) for m in self._moves]
            self._of_machine[number] = known
        return known

    def _moved(
        self, local: Local, name: Action, components: Sequence[int]
    ) -> tuple[tuple[int, ...], bool]:
        """Synchronise the components that take part."""
        components = [i for i in components if i < len(self._parts)]
        rows = [self._parts[i].successors[local[i]].get(name, ()) for i in components]
        if not all(rows):
            return (), False
        found = {
            self._machines.number(_replaced(local, components, chosen)): None
            for chosen in product(*rows)
            if ERROR not in chosen
        }
        return tuple(found), any(ERROR in targets for targets in rows)

    def of_monitors(self, number: int) -> list[int]:
        """Return for each move what follows, or `ERROR`; monitors prevent nothing."""
        known = self._of_monitors.get(number)
        if known is None:
            local = self._watching.locals[number]
            known = [self._judged(local, m.name, m.monitors) for m in self._moves]
            self._of_monitors[number] = known
        return known

    def _judged(self, local: Local, name: Action, monitors: Sequence[int]) -> int:
        after: list[StateId] = []
        for index in monitors:
            row = self._monitors[index].successors[local[index]]
            (target,) = row.get(name, (ERROR,))
            if target == ERROR:
                return ERROR
            after.append(target)
        return self._watching.number(_replaced(local, monitors, after))


class _Numbered:
    """Local states, numbered as they are met."""

    def __init__(self, start: Local) -> None:
        self._numbers: dict[Local, int] = {start: 0}
        self.locals = [start]

    def number(self, local: Local) -> int:
        """Return the number of one."""
        number = self._numbers.setdefault(local, len(self.locals))
        if number == len(self.locals):
            self.locals.append(local)
        return number


def _replaced(local: Local, places: Sequence[int], by: Sequence[StateId]) -> Local:
    after = list(local)
    for place, target in zip(places, by, strict=True):
        after[place] = target
    return tuple(after)
