"""Runs that break one side of a comparison before they break the other.

In:  the points of two sides over one environment, and the candidates.
Out: `Escapes`: the runs as a graph, built where it is looked at.

A node is a state of E, the points that the keeper's monitors are in after the
actions so far, and one point of the breaker. A run that fails the keeper ends:
a set of transitions that allows it is not safe for the keeper. A run that fails
the breaker escapes. So a deviation that is safe for the keeper is unsafe for
the breaker exactly if one of its runs escapes.

If no run escapes even with all candidates, each bad trace of the breaker is a
bad trace of the keeper: nothing is left to search for. Otherwise the nodes from
which no run escapes are left out, as far as all was explored.
"""

from __future__ import annotations

from collections import deque
from typing import NamedTuple

from symrob.limits import Clock
from symrob.lts import StateId
from symrob.robustness.points import FAILED, Growth, Points, PointSpace, Rows

ESCAPED = -1
# Beyond this many moves nodes are looked at only where the search wants them.
MOST_MOVES = 200_000


class Move(NamedTuple):
    """One way on from a node.

    Attributes:
        row: The row of the transition, as in `Growth.rows`.
        target: The state of E that it leads to.
        fixed: Whether the transition is one of R_E.
        node: The node that it leads to, or `ESCAPED`.
    """

    row: int
    target: StateId
    fixed: bool
    node: int


class Escapes:
    """The runs of E with all candidates that may escape.

    Args:
        growth: The rows and candidates; all of these are safe alone for the
            keeper.
        keeper: The points of the side that must stay safe.
        breaker: The points of the side that is to fail.
        clock: Asked now and then whether the run may go on.
        most_moves: How much is explored beforehand.

    Attributes:
        explored: Whether all nodes were.
    """

    def __init__(
        self,
        growth: Growth,
        keeper: PointSpace,
        breaker: PointSpace,
        clock: Clock,
        most_moves: int = MOST_MOVES,
    ) -> None:
        self._growth = growth
        self._keeper = keeper
        self._breaker = breaker
        self._clock = clock
        self._numbers: dict[tuple[StateId, Points, int], int] = {}
        self._nodes: list[tuple[StateId, Points, int]] = []
        self._moves: dict[int, tuple[Move, ...]] = {}
        self._hopeless: set[int] = set()
        self._starts = [
            self._number(0, keeper.initial, point)
            for point in growth.targets(breaker.initial)
        ]
        self.explored = self._explore(most_moves)

    def __len__(self) -> int:
        return len(self._nodes)

    @property
    def starts(self) -> list[int]:
        """The first nodes; empty if it is known that no run escapes."""
        return [n for n in self._starts if n not in self._hopeless]

    def moves(self, node: int) -> list[Move]:
        """Return the ways on from a node that may escape."""
        return [m for m in self._all_moves(node) if m.node not in self._hopeless]

    def escape(self, chosen: Rows) -> bool:
        """Whether some run with these candidates escapes."""
        seen = set(self.starts)
        todo = list(seen)
        while todo:
            self._clock.check()
            for move in self.moves(todo.pop()):
                if not (move.fixed or chosen[move.row] >> move.target & 1):
                    continue
                if move.node == ESCAPED:
                    return True
                if move.node not in seen:
                    seen.add(move.node)
                    todo.append(move.node)
        return False

    def _explore(self, most_moves: int) -> bool:
        """Walk from the start, then find backwards what is hopeless.

        Nodes that were not walked through count as if they escaped.
        """
        seen = set(self._starts)
        todo = deque(self._starts)
        into: dict[int, list[int]] = {}
        useful: set[int] = set()
        while todo and most_moves > 0:
            self._clock.check()
            node = todo.popleft()
            moves = self._all_moves(node)
            most_moves -= len(moves) + 1
            for move in moves:
                if move.node == ESCAPED:
                    useful.add(node)
                    continue
                into.setdefault(move.node, []).append(node)
                if move.node not in seen:
                    seen.add(move.node)
                    todo.append(move.node)
        useful.update(todo)
        fresh = list(useful)
        while fresh:
            before = set(into.get(fresh.pop(), ())) - useful
            useful |= before
            fresh += before
        self._hopeless = seen - useful
        return not todo

    def _all_moves(self, node: int) -> tuple[Move, ...]:
        known = self._moves.get(node)
        if known is None:
            known = self._moves[node] = tuple(self._ways_on(node))
        return known

    def _ways_on(self, node: int) -> list[Move]:
        growth = self._growth
        state, points, point = self._nodes[node]
        moves = []
        for action, row in growth.of_state(state):
            after = self._breaker.step(point, action)
            kept = self._keeper.image(points, action)
            if not after or kept == FAILED:
                continue
            fixed = growth.fixed[row]
            for target in growth.targets(fixed | growth.options[row]):
                to = ESCAPED
                if after != FAILED:
                    to = self._number(target, kept, after.bit_length() - 1)
                # A run that escapes does so without standing still.
                if to != node:
                    moves.append(Move(row, target, bool(fixed >> target & 1), to))
        return moves

    def _number(self, state: StateId, points: Points, point: int) -> int:
        key = (state, points, point)
        number = self._numbers.setdefault(key, len(self._nodes))
        if number == len(self._nodes):
            self._nodes.append(key)
        return number
