"""C‖P state by state, for controllers whose determinised form is large.

In:  a `SymbolicSystem`, for its components and monitors.
Out: a `ProductMonitor`: the same safety monitor as a table over its reachable states;
     sets of states are the bits of an integer.

A determinised monitor has a state for each *set* of states that C‖P may be in after
some actions. Where C is nondeterministic or acts on its own, there can be exponentially
many of them, though C‖P itself is small. Being safe is a property of single runs, so it
can be told by single states as well: a run fails if one of the states that it may be in
does. What is lost is that sets are equal less often; what is won is that there are
never more monitor states than states of C‖P.

Source: docs/mathematics.md, 2: the Horn formula stands over any pairs (state of E,
state of the monitor), whatever those are.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from copy import copy
from functools import reduce
from itertools import product
from operator import or_

from symrob.envelope.weak_quotient import ProductTable
from symrob.limits import Clock
from symrob.lts import ERROR, TAU, Action, Lts, StateId
from symrob.lts.masks import bits
from symrob.symbolic.encoding import SymbolicSystem

# The states of C's components and of the monitors.
Local = tuple[StateId, ...]


class ProductMonitor:
    """C‖P as a table, ready for those who ask a `SafetyMonitor`.

    Args:
        table: Its states and moves.

    Attributes:
        single: Whether each state is a monitor state of its own; by default sets of
            them are, as in any `DeterminisedMonitor`.
    """

    empty = 0
    closed_only = False
    name = "property"

    def __init__(self, table: ProductTable) -> None:
        self.single = False
        self._rejects = table.rejects
        self.failing = table.failing
        self._closed = _closures([_mask(targets) for targets in table.internal])
        self._post = {
            action: [self._close(_mask(targets)) for targets in images]
            for action, images in table.post.items()
        }
        self.initial = self._closed[0]

    def told_apart(self) -> ProductMonitor:
        """Return the same with states that are told one by one."""
        other = copy(self)
        other.single = True
        return other

    def __len__(self) -> int:
        """Return the number of states."""
        return len(self._closed)

    def post(self, states: int, action: Action) -> int:
        """See `SafetyMonitor`."""
        if action == TAU:
            return states
        images = self._post[action]
        found = 0
        for state in bits(states):
            found |= images[state]
        return found

    def rejects(self, action: Action) -> int:
        """See `SafetyMonitor`."""
        return self._rejects.get(action, 0)

    def pre(self, states: int, action: Action) -> int:
        """See `SafetyMonitor`; asked by nobody who tells states one by one."""
        raise NotImplementedError

    def close_back(
        self, states: int, within: int | None, after: Action | None = None
    ) -> int:
        """See `pre`."""
        raise NotImplementedError

    def _close(self, states: int) -> int:
        found = 0
        for state in bits(states):
            found |= self._closed[state]
        return found


def product_table(
    system: SymbolicSystem, most: int, clock: Clock
) -> ProductTable | None:
    """Build the table of a system, `None` if it has more than `most` states.

    Args:
        system: C‖P.
        most: Bound on its states.
        clock: Asked at every state whether the run may go on.

    Cost: linear in the reachable states and moves of C‖P.
    """
    moves = _Moves(system)
    numbers: dict[Local, int] = {moves.start: 0}
    order = [moves.start]
    post: dict[Action, list[tuple[int, ...]]] = {action: [] for action in system.moves}
    rejects: dict[Action, int] = dict.fromkeys(system.moves, 0)
    internal: list[tuple[int, ...]] = []
    failing = 0
    for here, local in enumerate(order):
        clock.check()
        own: list[int] = []
        for action, targets, fails in moves.of(local):
            image = []
            for target in targets:
                number = numbers.setdefault(target, len(order))
                if number == len(order):
                    if number >= most:
                        return None
                    order.append(target)
                image.append(number)
            if action is None:
                own += image
                failing |= fails << here
            else:
                post[action].append(tuple(image))
                rejects[action] |= fails << here
        internal.append(tuple(own))
    return ProductTable(post, rejects, internal, failing)


class _Moves:
    """The moves of C‖P from a state, by the components that take part."""

    def __init__(self, system: SymbolicSystem) -> None:
        controller = system.controller
        parts = controller.components if controller is not None else ()
        self._tables: list[Lts] = [*parts, *(m.lts for m in system.monitors)]
        self._first_monitor = len(parts)
        self.start: Local = (0,) * len(self._tables)
        # The same that the symbolic system moves by, so the two cannot differ in who
        # takes part in what.
        self._shared = [(a, m.name, (m,)) for a, m in system.moves.items()]
        self._internal = [(None, m.name, (m,)) for m in system.internal]

    def of(self, local: Local) -> Iterator[tuple[Action | None, list[Local], bool]]:
        """Yield each action of E, and `None` for each internal move.

        Each with the states that it leads to and whether it can lead to ERROR.
        """
        for action, name, (move,) in (*self._shared, *self._internal):
            monitors = [self._first_monitor + i for i in move.monitors]
            yield action, *self._move(local, name, move.components, monitors)

    def _move(
        self,
        local: Local,
        name: Action,
        components: Sequence[int],
        monitors: Sequence[int],
    ) -> tuple[list[Local], bool]:
        """Synchronise the participants; a monitor never prevents anything."""
        choices = []
        for index in components:
            targets = self._tables[index].successors[local[index]].get(name, ())
            if not targets:
                return [], False
            choices.append(targets)
        for index in monitors:
            successors = self._tables[index].successors[local[index]]
            choices.append(successors.get(name, (ERROR,)))
        fails = any(ERROR in targets for targets in choices)
        indices = (*components, *monitors)
        found = []
        for chosen in product(*choices):
            if ERROR not in chosen:
                after = list(local)
                for index, target in zip(indices, chosen, strict=True):
                    after[index] = target
                found.append(tuple(after))
        return found, fails


def _mask(states: Sequence[int]) -> int:
    return reduce(or_, (1 << state for state in states), 0)


def _closures(steps: Sequence[int]) -> list[int]:
    """For each state what it leads to in any number of steps, itself included.

    Cost: a walk from each state that ends where an earlier one passed. States are
        numbered as they are found, so the last ones first: what a step leads to is
        mostly known.
    """
    closed = [0] * len(steps)
    for state in reversed(range(len(steps))):
        found, todo = 1 << state, steps[state] & ~(1 << state)
        # Invariant: what the members of `found` lead to is in it, or in `todo`.
        while todo:
            last = todo.bit_length() - 1
            found |= closed[last] | 1 << last
            todo = (todo | (0 if closed[last] else steps[last])) & ~found
        closed[state] = found
    return closed
