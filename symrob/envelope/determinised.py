"""Monitors made deterministic, as far as they are looked at, in bit masks.

In:  safety monitors.
Out: `PointSpace`: where an action leads a set of points.

A point is a set of states of one monitor: those that it may be in after some
actions of the environment. An action leads from a point to one point, so that
a nondeterministic machine is determinised, but only where it is looked at (it
could blow up). The points of all monitors are numbered together, and a set of
points is a mask: the monitors run side by side and each must be content, so
nothing is lost when their points are thrown together.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from operator import or_
from typing import Any

from symrob.envelope.cache import Memo
from symrob.envelope.exploration import step
from symrob.envelope.monitors import AnyMonitor
from symrob.envelope.transitions import bits
from symrob.lts import TAU, Action

# A set of points as a mask; `FAILED` where a monitor goes to ERROR.
Points = int
FAILED = -1
# A set of transitions: for each row, a (state of E, action), the targets as bits.
Rows = list[int]
# The actions on which a set of points fails, and where others lead it.
Moves = tuple[frozenset[Action], dict[Action, Points]]


class PointSpace:
    """The points of several monitors, numbered as they are met.

    Args:
        monitors: The monitors that judge; all must be content.
        actions: Those that `moves` and `sources` tell of.

    Attributes:
        initial: The points before the first action.
        moves: What the actions do to a set of points: those on which one of the
            points fails; and where the others lead. A point is left out where
            its machine cannot take the action, and an action that no point can
            take has no entry.
        sources: For a set of points, by action, the points that are known to
            lead to one of them. Known are the steps that were asked for, so
            this is a part of the pre-image, and all of it once everything has
            been looked at.
    """

    def __init__(
        self, monitors: Sequence[AnyMonitor], actions: Sequence[Action] = ()
    ) -> None:
        self._monitors = monitors
        self._actions = actions
        self._numbers: list[dict[Any, int]] = [{} for _ in monitors]
        self._points: list[tuple[int, Any]] = []
        self._steps: dict[tuple[int, Action], Points] = {}
        # What is known of the steps, backwards.
        self._failing: dict[Action, Points] = {}
        self._before: dict[int, dict[Action, Points]] = {}
        self.moves: Memo[Points, Moves] = Memo(self._moves_of)
        self.sources: Memo[Points, dict[Action, Points]] = Memo(self._sources_of)
        self.initial: Points = 0
        for index, monitor in enumerate(monitors):
            self.initial |= 1 << self._number(index, monitor.initial)

    def __len__(self) -> int:
        """Return the number of points met so far, merged ones included."""
        return len(self._points)

    @property
    def points(self) -> Points:
        """The points that steps were taken from, and the initial ones."""
        return reduce(or_, (1 << point for point, _ in self._steps), self.initial)

    def image(self, points: Points, action: Action) -> Points:
        """Return where one of the `actions` leads a set of points, or `FAILED`."""
        failing, images = self.moves[points]
        return FAILED if action in failing else images.get(action, 0)

    def step(self, point: int, action: Action) -> Points:
        """Return where `action` leads one point: one point, none, or `FAILED`."""
        if action == TAU:
            return 1 << point
        key = (point, action)
        known = self._steps.get(key)
        if known is None:
            index, states = self._points[point]
            monitor = self._monitors[index]
            after = step(monitor, states, action)
            if after is None:
                known = FAILED
            elif after == monitor.empty:
                known = 0
            else:
                known = 1 << self._number(index, after)
            self._remember(point, action, known)
        return known

    def failing(self, action: Action) -> Points:
        """Return the points that are known to fail on `action`."""
        return self._failing.get(action, 0)

    def before(self, points: Points, action: Action) -> Points:
        """Return the points from which `action` is known to lead to one of these."""
        return points if action == TAU else self.sources[points].get(action, 0)

    def merge(self, same: Sequence[int], harmful: Points) -> None:
        """Replace each point by another, or by none.

        To be called when all steps have been taken, and nothing else was asked.

        Args:
            same: For each point the one to take for it.
            harmful: The points that are not left out.
        """

        def merged(points: Points) -> Points:
            if points == FAILED:
                return FAILED
            return reduce(or_, (1 << same[p] for p in bits(points & harmful)), 0)

        steps, self._steps = self._steps, {}
        self._failing.clear()
        self._before.clear()
        self.sources.clear()
        self.initial = merged(self.initial)
        for (point, action), after in steps.items():
            if same[point] == point and harmful >> point & 1:
                self._remember(point, action, merged(after))

    def _moves_of(self, points: Points) -> Moves:
        failing: set[Action] = set()
        images: dict[Action, Points] = {}
        for point in bits(points):
            for action in self._actions:
                after = self.step(point, action)
                if after == FAILED:
                    failing.add(action)
                elif after:
                    images[action] = images.get(action, 0) | after
        for action in failing:
            images.pop(action, None)
        return frozenset(failing), images

    def _sources_of(self, points: Points) -> dict[Action, Points]:
        found = {TAU: points} if TAU in self._actions else {}
        for point in bits(points):
            for action, sources in self._before.get(point, {}).items():
                found[action] = found.get(action, 0) | sources
        return found

    def _remember(self, point: int, action: Action, after: Points) -> None:
        self._steps[point, action] = after
        if after == FAILED:
            self._failing[action] = self._failing.get(action, 0) | 1 << point
        elif after:
            before = self._before.setdefault(after.bit_length() - 1, {})
            before[action] = before.get(action, 0) | 1 << point
            self.sources.clear()

    def _number(self, index: int, states: Any) -> int:
        numbers = self._numbers[index]
        number = numbers.get(states)
        if number is None:
            number = numbers[states] = len(self._points)
            self._points.append((index, states))
        return number
