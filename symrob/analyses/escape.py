"""Traces that break one side of a comparison before they break the other.

In:  the monitor states of two sides over one environment, and the candidates.
Out: `Escapes`: the traces as a graph, built on demand.

A node is a state of E with a judge: the set of monitor states of the keeper after the
actions so far, and one monitor state of the breaker. A trace that violates the keeper
ends: a set of transitions that allows it is not safe for the keeper. A trace that
violates the breaker escapes. So a deviation that is safe for the keeper is unsafe for
the breaker exactly if one of its traces escapes.

If no trace escapes even with all candidates, each bad trace of the breaker is a bad
trace of the keeper, and nothing is left to search for. Otherwise the nodes from which
no trace escapes are omitted, as far as everything was explored.
"""

from __future__ import annotations

from collections import deque
from typing import NamedTuple

from symrob.envelope import tuning
from symrob.envelope.determinised import (
    FAILED,
    BitRows,
    DeterminisedMonitor,
    MonitorStates,
)
from symrob.envelope.extension import MaximalExtension
from symrob.limits import Clock
from symrob.lts import TAU, Action, StateId
from symrob.lts.masks import bits

# What a judge says of an action: where it leads, or one of these.
ESCAPED = -1


class Escaping(NamedTuple):
    """A move from a node.

    Attributes:
        row: The row of the transition, as in `MaximalExtension.rows`.
        target: The state of E that it leads to.
        fixed: Whether the transition is one of R_E.
        node: The node that it leads to, or `ESCAPED`.
    """

    row: int
    target: StateId
    fixed: bool
    node: int


class Escapes:
    """The traces of E with all candidates that may escape.

    Args:
        extension: The rows and candidates; all of them are individually safe for the
            keeper.
        keeper: The monitor states of the side that must stay safe.
        breaker: The monitor states of the side that is to fail.
        clock: Checked at intervals.

    Attributes:
        explored: Whether all nodes were explored.
        starts: The initial nodes; none if it is known that no trace escapes.

    Cost: exploring is linear in the nodes times the actions.
    """

    def __init__(
        self,
        extension: MaximalExtension,
        keeper: DeterminisedMonitor,
        breaker: DeterminisedMonitor,
        clock: Clock,
    ) -> None:
        self._extension = extension
        self._keeper = keeper
        self._breaker = breaker
        self._clock = clock
        self._present = [
            f | o for f, o in zip(extension.fixed, extension.options, strict=True)
        ]
        self._numbers: dict[tuple[MonitorStates, int], int] = {}
        self._judges: list[tuple[MonitorStates, int]] = []
        self._steps: dict[tuple[int, Action], tuple[int, ...]] = {}
        self._moves: dict[int, tuple[Escaping, ...]] = {}
        first = [
            self._number(keeper.initial, monitor_state)
            for monitor_state in extension.targets(breaker.initial)
        ]
        # For each judge the states of E with which no run escapes.
        self._hopeless: dict[int, int] = {}
        self.explored = self._explore(first)
        self.starts = [
            self._node(0, judge)
            for judge in first
            if not self._hopeless.get(judge, 0) & 1
        ]

    def moves(self, node: int) -> tuple[Escaping, ...]:
        """Return the moves from a node that may escape."""
        known = self._moves.get(node)
        if known is None:
            known = self._moves[node] = tuple(self._ways_on(node))
        return known

    def escape(self, chosen: BitRows) -> list[Escaping] | None:
        """Return the moves of a shortest escaping trace, last move first.

        `None` if no trace with these candidates escapes.
        """
        came: dict[int, tuple[int, Escaping] | None] = dict.fromkeys(self.starts)
        todo = deque(came)
        while todo:
            self._clock.check()
            node = todo.popleft()
            for move in self.moves(node):
                if not (move.fixed or chosen[move.row] >> move.target & 1):
                    continue
                if move.node == ESCAPED:
                    return way_back(came, node, move)
                if move.node not in came:
                    came[move.node] = (node, move)
                    todo.append(move.node)
        return None

    def _explore(self, first: list[int]) -> bool:
        """Walk from the start, then find backwards what is hopeless.

        States of E are bits of a mask, for each judge. Nodes that were not
        walked through count as if they escaped.
        """
        seen = dict.fromkeys(first, 1)
        fresh = dict(seen)
        useful: dict[int, int] = {}
        # For each judge the (judge, row) that lead to it.
        into: dict[int, list[tuple[int, int]]] = {}
        left = tuning.EXPLORED_STEPS
        while fresh and left > 0:
            self._clock.check()
            judge = next(iter(fresh))
            for state in bits(fresh.pop(judge)):
                for action, row in self._extension.of_state(state):
                    left -= 1
                    for after in self._step(judge, action):
                        if after == ESCAPED:
                            useful[judge] = useful.get(judge, 0) | 1 << state
                            continue
                        into.setdefault(after, []).append((judge, row))
                        new = self._present[row] & ~seen.get(after, 0)
                        if new:
                            seen[after] = seen.get(after, 0) | new
                            fresh[after] = fresh.get(after, 0) | new
        for judge, states in fresh.items():
            useful[judge] = useful.get(judge, 0) | states
        self._spread(useful, into)
        for judge, states in seen.items():
            self._hopeless[judge] = states & ~useful.get(judge, 0)
        return not fresh

    def _spread(
        self, useful: dict[int, int], into: dict[int, list[tuple[int, int]]]
    ) -> None:
        """Add to `useful` all that leads to it."""
        fresh = dict(useful)
        while fresh:
            self._clock.check()
            judge = next(iter(fresh))
            states = fresh.pop(judge)
            for before, row in into.get(judge, ()):
                if self._present[row] & states:
                    new = 1 << self._extension.rows[row][0] & ~useful.get(before, 0)
                    if new:
                        useful[before] = useful.get(before, 0) | new
                        fresh[before] = fresh.get(before, 0) | new

    def _ways_on(self, node: int) -> list[Escaping]:
        extension = self._extension
        judge, state = divmod(node, extension.states)
        moves = []
        for action, row in extension.of_state(state):
            for after in self._step(judge, action):
                targets = self._present[row] & ~self._hopeless.get(after, 0)
                for target in extension.targets(targets):
                    to = ESCAPED if after == ESCAPED else self._node(target, after)
                    # A run that escapes does so without standing still.
                    if to != node:
                        fixed = bool(extension.fixed[row] >> target & 1)
                        moves.append(Escaping(row, target, fixed, to))
        return moves

    def _step(self, judge: int, action: Action) -> tuple[int, ...]:
        """Return where an action leads a judge: others, or `ESCAPED`."""
        key = (judge, action)
        known = self._steps.get(key)
        if known is None:
            monitor_states, monitor_state = self._judges[judge]
            after = self._breaker.step(monitor_state, action)
            kept = (
                monitor_states
                if action == TAU
                else self._keeper.image(monitor_states, action)
            )
            if kept == FAILED:
                known = ()
            elif after == FAILED:
                known = (ESCAPED,)
            else:
                known = tuple(self._number(kept, state) for state in bits(after))
            self._steps[key] = known
        return known

    def _number(self, monitor_states: MonitorStates, monitor_state: int) -> int:
        key = (monitor_states, monitor_state)
        number = self._numbers.setdefault(key, len(self._judges))
        if number == len(self._judges):
            self._judges.append(key)
        return number

    def _node(self, state: StateId, judge: int) -> int:
        return judge * self._extension.states + state


def way_back(
    came: dict[int, tuple[int, Escaping] | None], node: int, move: Escaping
) -> list[Escaping]:
    """Return a last move and the moves that led to its node, backwards."""
    moves = [move]
    while (step := came[node]) is not None:
        node, earlier = step
        moves.append(earlier)
    return moves
