"""The observer: the possible states of E, given the observed actions of C.

In:  the environment with each of the deviations that must be tolerated, the monitors
     that watch actions which C does not have, and the actions of C.
Out: one deterministic `Lts` over actions of C. Its states are the sets of states in
     which E, and these monitors, may be after the observed actions.

It does not offer actions that no E can take; an action after which a monitor may have
failed leads to ERROR. Monitors that watch only actions of C are not included: the
observed actions determine their state.

Source: docs/sources.md [LW] (what is seen decides).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from operator import le
from typing import Any, NamedTuple, Protocol

from symrob.certify.closed_loop import ExplicitLoop
from symrob.envelope.transitions import Graph
from symrob.limits import Clock, check_size
from symrob.lts import ERROR, Action, Lts, StateId
from symrob.lts.naming import distinct
from symrob.lts.views import START, plain
from symrob.problem import Monitor, Problem, purse_of
from symrob.problem import plain as action_of

# One environment of several, its state, the states of the monitors, and what is left of
# each budget of deviated steps.
_Point = tuple[int, StateId, tuple[StateId, ...], tuple[int, ...]]
# By action where it leads; what of each budget it takes.
_Row = dict[Action, list[tuple[Sequence[StateId], tuple[int, ...]]]]


class _Walk(Protocol):
    """What C can see, and where that leads; the second of a point is the state of E.

    Attributes:
        alphabet: The actions that are seen.
        first: What is possible before anything was seen.
    """

    alphabet: tuple[Action, ...]
    first: frozenset[Any]

    def after(self, points: frozenset[Any], action: Action) -> frozenset[Any]:
        """Where an action that is seen leads, and what is not seen behind it."""

    def failed(self, points: frozenset[Any]) -> bool:
        """Whether a monitor may have failed."""


class Observer(NamedTuple):
    """The knowledge about E.

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
    """Determinise all environments together, as C observes them.

    Args:
        environment: For the actions, what they count, and the names of states.
        graphs: The transitions of each environment; at least one.
        monitors: Those that watch an action outside of `seen`.
        seen: The actions of C.
        clock: Checked for each state.

    Raises:
        LimitExceeded: A bound was hit.

    Cost: exponential in the states of E in the worst case; one or two states if E may
        do anything.
    """
    walk = _ObserverWalk(environment, graphs, monitors, seen)
    at_start = any(m.fails_at_start for m in monitors)
    return _observed(environment, walk, clock, at_start=at_start)


def loop_observer(
    problem: Problem, graphs: Sequence[Graph], seen: Set[Action], clock: Clock
) -> Observer:
    """Determinise the closed loops, for requirements on states of E and C together.

    Args:
        problem: For C, its guards and all its properties; without budgets.
        graphs: As of `observer`; so are the others.
        seen: Likewise.
        clock: Likewise.

    Raises:
        LimitExceeded: A bound was hit.

    Cost: exponential in the states of E‖C‖P in the worst case.
    """
    walk = _LoopWalk(problem, graphs, seen)
    at_start = any(m.fails_at_start for m in problem.properties)
    return _observed(problem.environment, walk, clock, at_start=at_start)


def _observed(
    environment: Lts, walk: _Walk, clock: Clock, *, at_start: bool
) -> Observer:
    first = walk.first
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
            if not walk.failed(after):
                target = numbers.setdefault(after, len(order))
                if target == len(order):
                    check_size(target + 1, clock.limits.max_states, "observer of E")
                    order.append(after)
            transitions.append((source, action, target))
    names = distinct([_name(environment, points) for points in order])
    lts = Lts(walk.alphabet, len(order), transitions, names=names)
    return Observer(lts, at_start or walk.failed(first))


class _ObserverWalk:
    """The moves of E with its monitors, those that C sees and the others."""

    def __init__(
        self,
        environment: Lts,
        graphs: Sequence[Graph],
        monitors: Sequence[Monitor],
        seen: Set[Action],
    ) -> None:
        full, pays = purse_of(environment)
        self._rows = [_by_action(graph, pays, (0,) * len(full)) for graph in graphs]
        self._monitors = [(frozenset(m.lts.alphabet), m.lts) for m in monitors]
        self._actions = frozenset(map(action_of, environment.alphabet))
        self._seen = seen
        watched = {a for alphabet, _ in self._monitors for a in alphabet}
        self.alphabet = tuple(sorted(seen & (self._actions | watched)))
        start, first = (0,) * len(monitors), environment.initial
        points = {(i, q, start, full) for i in range(len(graphs)) for q in first}
        self.first = self.closed(points)

    def failed(self, points: frozenset[_Point]) -> bool:
        """See `_Walk`."""
        return any(ERROR in views for _, _, views, _ in points)

    def after(self, points: frozenset[_Point], action: Action) -> frozenset[_Point]:
        """Where an action that is seen leads, and what is not seen behind it."""
        return self.closed({p for point in points for p in self._taken(point, action)})

    def closed(self, points: set[_Point]) -> frozenset[_Point]:
        """Add what moves that C does not see lead to; a failed monitor stays so.

        A least fixpoint: only points that such moves lead to are added, and all of
        them, since each new one is looked at; it ends because points are finite. With
        more left of a budget nothing less can happen, so only such points are kept.
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
        return frozenset(_richest(points))

    def _taken(self, point: _Point, action: Action) -> Iterator[_Point]:
        number, state, views, purse = point
        ways: _Row = {action: [((state,), (0,) * len(purse))]}
        # `tau` is in no alphabet, and E alone takes it.
        if action in self._actions or action not in self._seen:
            ways = self._rows[number][state]
        for targets, price in ways.get(action, ()):
            left = tuple(n - p for n, p in zip(purse, price, strict=True))
            if min(left, default=0) < 0:
                continue
            watched = tuple(
                lts.successors[view].get(action, (ERROR,))[0]
                if action in alphabet
                else view
                for (alphabet, lts), view in zip(self._monitors, views, strict=True)
            )
            for target in targets:
                yield number, target, watched, left


class _LoopWalk:
    """The moves of E‖C‖P, those that C's actions tell and the others."""

    def __init__(
        self, problem: Problem, graphs: Sequence[Graph], seen: Set[Action]
    ) -> None:
        self._loop = ExplicitLoop.both(problem)[1]
        self._rows = [
            self._loop.rows(t for t in graph.transitions() if plain(t.action) != START)
            for graph in graphs
        ]
        self._seen = seen
        self.alphabet = tuple(sorted(seen))
        starts = self._loop.starts
        points = {(i, *start) for i in range(len(graphs)) for start in starts}
        self.first = self._closed(points)

    def failed(self, points: frozenset[Any]) -> bool:
        """See `_Walk`."""
        return any(ERROR in p[2] or ERROR in p[3] for p in points)

    def after(self, points: frozenset[Any], action: Action) -> frozenset[Any]:
        """See `_Walk`."""
        moves = (move for point in points for move in self._moves(point))
        return self._closed({after for taken, after in moves if taken == action})

    def _moves(self, point: Any) -> Iterator[tuple[Action, Any]]:
        number, *state = point
        if ERROR in state[1] or ERROR in state[2]:
            return
        for action, _, after in self._loop.steps(self._rows[number], tuple(state)):
            yield action_of(action), (number, *after)

    def _closed(self, points: set[Any]) -> frozenset[Any]:
        """Add what moves that C does not see lead to; a least fixpoint."""
        todo = list(points)
        while todo:
            for action, after in self._moves(todo.pop()):
                if action not in self._seen and after not in points:
                    points.add(after)
                    todo.append(after)
        return frozenset(points)


def _by_action(
    graph: Graph, pays: Mapping[Action, tuple[int, ...]], nothing: tuple[int, ...]
) -> list[_Row]:
    """The transitions of E by state and action, whatever its labels."""
    rows: list[_Row] = []
    for row in graph.rows:
        rows.append({})
        for label, targets in row:
            counted = plain(label)
            if counted != START:
                way = targets, pays.get(counted, nothing)
                rows[-1].setdefault(action_of(counted), []).append(way)
    return rows


def _richest(points: set[_Point]) -> Iterator[_Point]:
    """Those that differ from no other in having less left of the budgets alone."""
    purses: dict[tuple[Any, ...], list[tuple[int, ...]]] = {}
    for *place, purse in points:
        purses.setdefault(tuple(place), []).append(purse)
    for point in points:
        *place, purse = point
        if not any(
            other != purse and all(map(le, purse, other))
            for other in purses[tuple(place)]
        ):
            yield point


def _name(environment: Lts, points: frozenset[Any]) -> str:
    """The states that E may be in."""
    states = sorted({point[1] for point in points})
    if len(states) == environment.size > 1:
        return "anywhere"
    return " or ".join(environment.state_name(state) for state in states)
