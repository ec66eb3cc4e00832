"""What E may have done, as far as the actions of C tell.

In:  the environment with each of the deviations that must be tolerated, the monitors
     that watch actions which C does not have, and the actions of C.
Out: one deterministic `Lts` over actions of C. Its states are the sets of states that
     E, and these monitors, may be in after what was seen.

An action that it does not offer is one that no E can take; one that leads to ERROR is
one after which a monitor may have failed. Monitors that watch actions of C only are not
in it: what was seen tells their state.

Source: docs/sources.md [LW] (what is seen decides).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from typing import NamedTuple

from symrob.envelope.transitions import Graph
from symrob.limits import Clock, check_size
from symrob.lts import ERROR, Action, Lts, StateId
from symrob.lts.naming import distinct
from symrob.problem import Monitor

# One environment of several, its state, and the states of the monitors.
_Point = tuple[int, StateId, tuple[StateId, ...]]


class Observer(NamedTuple):
    """What is known of E.

    Attributes:
        lts: Deterministic, over actions of C.
        fails_at_start: Whether a monitor may fail before C has done anything.
    """

    lts: Lts
    fails_at_start: bool


def observer(
    environment: Lts,
    graphs: Sequence[Graph],
    monitors: Sequence[Monitor],
    seen: Set[Action],
    clock: Clock,
) -> Observer:
    """Determinise the environments, all of them together, as C sees them.

    Args:
        environment: For the actions and the names of states.
        graphs: The transitions of each environment; at least one.
        monitors: Those that watch an action outside of `seen`.
        seen: The actions of C.
        clock: Asked once a state whether the run may go on.

    Raises:
        LimitExceeded: A bound was hit.

    Cost: exponential in the states of E in the worst case; one or two states where E
        may do anything.
    """
    walk = _ObserverWalk(environment, graphs, monitors, seen)
    first = walk.closed({(i, 0, (0,) * len(monitors)) for i in range(len(graphs))})
    numbers = {first: 0}
    order = [first]
    transitions: list[tuple[StateId, Action, StateId]] = []
    for source, points in enumerate(order):
        clock.check()
        for action in walk.alphabet:
            after = walk.after(points, action)
            if not after:
                continue
            target = ERROR
            if not _failed(after):
                target = numbers.setdefault(after, len(order))
                if target == len(order):
                    check_size(target + 1, clock.limits.max_states, "observer of E")
                    order.append(after)
            transitions.append((source, action, target))
    names = distinct([_name(environment, points) for points in order])
    lts = Lts(walk.alphabet, len(order), transitions, names=names)
    at_start = _failed(first) or any(m.fails_at_start for m in monitors)
    return Observer(lts, at_start)


class _ObserverWalk:
    """The moves of E with its monitors, those that C sees and the others."""

    def __init__(
        self,
        environment: Lts,
        graphs: Sequence[Graph],
        monitors: Sequence[Monitor],
        seen: Set[Action],
    ) -> None:
        self._rows = [[dict(row) for row in graph.rows] for graph in graphs]
        self._monitors = [(frozenset(m.lts.alphabet), m.lts) for m in monitors]
        self._actions = frozenset(environment.alphabet)
        self._seen = seen
        watched = {a for alphabet, _ in self._monitors for a in alphabet}
        self.alphabet = tuple(sorted(seen & (self._actions | watched)))

    def after(self, points: frozenset[_Point], action: Action) -> frozenset[_Point]:
        """Where an action that is seen leads, and what is not seen behind it."""
        return self.closed({p for point in points for p in self._taken(point, action)})

    def closed(self, points: set[_Point]) -> frozenset[_Point]:
        """Add what moves that C does not see lead to; a failed monitor stays so.

        A least fixpoint: only points that such moves lead to are added, and all of
        them, since each new one is looked at; it ends because points are finite.
        """
        todo = list(points)
        while todo:
            point = todo.pop()
            if ERROR in point[2]:
                continue
            for action in self._rows[point[0]][point[1]]:
                if action not in self._seen:
                    new = set(self._taken(point, action)) - points
                    points |= new
                    todo += new
        return frozenset(points)

    def _taken(self, point: _Point, action: Action) -> Iterator[_Point]:
        number, state, views = point
        targets: Sequence[StateId] = (state,)
        # `tau` is in no alphabet, and E alone takes it.
        if action in self._actions or action not in self._seen:
            targets = self._rows[number][state].get(action, ())
        if targets:
            watched = tuple(
                lts.successors[view].get(action, (ERROR,))[0]
                if action in alphabet
                else view
                for (alphabet, lts), view in zip(self._monitors, views, strict=True)
            )
            for target in targets:
                yield number, target, watched


def _failed(points: frozenset[_Point]) -> bool:
    return any(ERROR in views for _, _, views in points)


def _name(environment: Lts, points: frozenset[_Point]) -> str:
    """The states that E may be in."""
    states = sorted({state for _, state, _ in points})
    if len(states) == environment.size > 1:
        return "anywhere"
    return " or ".join(environment.state_name(state) for state in states)
