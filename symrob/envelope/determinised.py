"""Monitors determinised on demand, as bit masks.

In:  safety monitors.
Out: `DeterminisedMonitor`: where an action leads a set of monitor states.

A monitor state is a set of states of one monitor: those in which it may be after some
actions of the environment. An action leads from a monitor state to one monitor state,
so that a nondeterministic controller is determinised, but only as far as it is explored
(it could blow up). If it does, monitor states are single states instead, and an action
leads to several (`product_monitor`). The monitor states of all monitors are numbered
together, and a set of them is a mask: the monitors run in parallel and none may be
violated, so nothing is lost by combining their monitor states.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from operator import or_
from typing import Any

from symrob.envelope.cache import Cache
from symrob.envelope.exploration import Course, step
from symrob.envelope.monitors import AnyMonitor
from symrob.lts import TAU, Action
from symrob.lts.masks import bits

# A set of monitor states as a mask; `FAILED` where a monitor goes to ERROR.
MonitorStates = int
FAILED = -1
# A set of transitions: for each row, a (state of E, action), the targets as bits.
BitRows = list[int]
# The actions on which a set of monitor states fails, and where others lead it.
StateMoves = tuple[frozenset[Action], dict[Action, MonitorStates]]


class DeterminisedMonitor:
    """The monitor states of several monitors, numbered as they are reached.

    Args:
        monitors: The monitors; none may be violated.
        actions: The actions in `moves` and `sources`.

    Attributes:
        initial: The monitor states before the first action.
        moves: For a set of monitor states: the actions on which one of them fails, and
            where the others lead. A monitor state is omitted if its machine cannot take
            the action, and an action that no monitor state can take has no entry.
        sources: For a set of monitor states, by action, the monitor states that are
            known to lead to one of them. Only explored steps are known, so this is a
            part of the pre-image, and all of it once everything has been explored.
    """

    def __init__(
        self, monitors: Sequence[AnyMonitor], actions: Sequence[Action] = ()
    ) -> None:
        self._monitors = monitors
        self._actions = actions
        self._numbers: list[dict[Any, int]] = [{} for _ in monitors]
        self._points: list[tuple[int, Any]] = []
        self._steps: dict[tuple[int, Action], MonitorStates] = {}
        # What is known of the steps, backwards.
        self._failing: dict[Action, MonitorStates] = {}
        self._before: dict[int, dict[Action, MonitorStates]] = {}
        self.moves: Cache[MonitorStates, StateMoves] = Cache(self._moves_of)
        self.sources: Cache[MonitorStates, dict[Action, MonitorStates]] = Cache(
            self._sources_of
        )
        self.initial: MonitorStates = 0
        for index, monitor in enumerate(monitors):
            self.initial |= self._numbered(index, monitor.initial)

    def __len__(self) -> int:
        """Return the number of monitor states so far, including merged ones."""
        return len(self._points)

    @property
    def monitor_states(self) -> MonitorStates:
        """The monitor states that steps were taken from, and the initial ones."""
        return reduce(
            or_, (1 << monitor_state for monitor_state, _ in self._steps), self.initial
        )

    def image(self, monitor_states: MonitorStates, action: Action) -> MonitorStates:
        """Return where one of the `actions` leads a set of states, or `FAILED`."""
        failing, images = self.moves[monitor_states]
        return FAILED if action in failing else images.get(action, 0)

    @property
    def course(self) -> Course:
        """How they go on, all together."""

        def image(states: MonitorStates, action: Action) -> MonitorStates | None:
            if action == TAU:
                return states
            after = self.image(states, action)
            return None if after == FAILED else after

        return Course(self.initial, 0, False, image)

    def step(self, monitor_state: int, action: Action) -> MonitorStates:
        """Return where `action` leads a state, or `FAILED`.

        A state that is a set leads to at most one state, a single state to several.
        """
        if action == TAU:
            return 1 << monitor_state
        key = (monitor_state, action)
        known = self._steps.get(key)
        if known is None:
            index, states = self._points[monitor_state]
            monitor = self._monitors[index]
            after = step(monitor, states, action)
            if after is None:
                known = FAILED
            elif after == monitor.empty:
                known = 0
            else:
                known = self._numbered(index, after)
            self._remember(monitor_state, action, known)
        return known

    def failing(self, action: Action) -> MonitorStates:
        """Return the monitor states that are known to fail on `action`."""
        return self._failing.get(action, 0)

    def before(self, monitor_states: MonitorStates, action: Action) -> MonitorStates:
        """Return the states from which `action` is known to lead to one of these."""
        return (
            monitor_states
            if action == TAU
            else self.sources[monitor_states].get(action, 0)
        )

    def merge(self, same: Sequence[int], harmful: MonitorStates) -> None:
        """Replace each monitor state by another, or by none.

        Call it when all steps have been explored, before any other query.

        Args:
            same: For each monitor state its representative.
            harmful: The monitor states to keep.
        """

        def merged(monitor_states: MonitorStates) -> MonitorStates:
            if monitor_states == FAILED:
                return FAILED
            return reduce(
                or_, (1 << same[p] for p in bits(monitor_states & harmful)), 0
            )

        steps, self._steps = self._steps, {}
        self._failing.clear()
        self._before.clear()
        self.sources.clear()
        self.initial = merged(self.initial)
        for (monitor_state, action), after in steps.items():
            if same[monitor_state] == monitor_state and harmful >> monitor_state & 1:
                self._remember(monitor_state, action, merged(after))

    def _moves_of(self, monitor_states: MonitorStates) -> StateMoves:
        failing: set[Action] = set()
        images: dict[Action, MonitorStates] = {}
        for monitor_state in bits(monitor_states):
            for action in self._actions:
                after = self.step(monitor_state, action)
                if after == FAILED:
                    failing.add(action)
                elif after:
                    images[action] = images.get(action, 0) | after
        for action in failing:
            images.pop(action, None)
        return frozenset(failing), images

    def _sources_of(self, monitor_states: MonitorStates) -> dict[Action, MonitorStates]:
        found = {TAU: monitor_states} if TAU in self._actions else {}
        for monitor_state in bits(monitor_states):
            for action, sources in self._before.get(monitor_state, {}).items():
                found[action] = found.get(action, 0) | sources
        return found

    def _remember(
        self, monitor_state: int, action: Action, after: MonitorStates
    ) -> None:
        self._steps[monitor_state, action] = after
        if after == FAILED:
            self._failing[action] = self._failing.get(action, 0) | 1 << monitor_state
        elif after:
            for target in bits(after):
                before = self._before.setdefault(target, {})
                before[action] = before.get(action, 0) | 1 << monitor_state
            self.sources.clear()

    def _numbered(self, index: int, states: Any) -> MonitorStates:
        """The monitor states that a set of states of a monitor is."""
        if not self._monitors[index].single:
            return 1 << self._number(index, states)
        return reduce(or_, (1 << self._number(index, 1 << s) for s in bits(states)), 0)

    def _number(self, index: int, states: Any) -> int:
        numbers = self._numbers[index]
        number = numbers.get(states)
        if number is None:
            number = numbers[states] = len(self._points)
            self._points.append((index, states))
        return number
