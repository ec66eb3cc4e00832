"""Monitors made deterministic, as far as they are looked at, in bit masks.

In:  safety monitors, the environment and its candidate transitions.
Out: `PointSpace`: where an action leads a set of points, and `Growth`: which
     points a set of transitions leads to, and how far the set can grow.

A point is a set of states of one monitor: those that it may be in after some
actions of the environment. An action leads from a point to one point, so that
a nondeterministic machine is determinised, but only where it is looked at (it
could blow up). The points of all monitors are numbered together, and a set of
points is a mask: the monitors run side by side and each must be content, so
nothing is lost when their points are thrown together.

A deviation is a list of masks of targets, one for each row, and a row is a pair
(state of E, action).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any

from symrob.limits import Clock
from symrob.lts import TAU, Action, Lts, StateId, Transition
from symrob.robustness.graph import Candidates, bits
from symrob.robustness.loop import step
from symrob.robustness.monitor import AnyMonitor

# A set of points as a mask; `FAILED` where a monitor goes to ERROR.
Points = int
FAILED = -1
# A deviation: for each row the targets as bits.
Rows = list[int]


class PointSpace:
    """The points of several monitors, numbered as they are met.

    Args:
        monitors: The monitors that judge; all must be content.

    Attributes:
        initial: The points before the first action.
        images: What `image` gave so far, by action.
        preimages: What `before` gave so far, by action.
    """

    def __init__(self, monitors: Sequence[AnyMonitor]) -> None:
        self._monitors = monitors
        self._numbers: list[dict[Any, int]] = [{} for _ in monitors]
        self._points: list[tuple[int, Any]] = []
        self._steps: dict[tuple[int, Action], Points] = {}
        # What was asked for, by action; the inner loops look here first.
        self.images: defaultdict[Action, dict[Points, Points]] = defaultdict(dict)
        self.preimages: defaultdict[Action, dict[Points, Points]] = defaultdict(dict)
        # What is known of the steps, backwards; see `before`.
        self._failing: dict[Action, Points] = {}
        self._before: dict[Action, dict[int, Points]] = {}
        self.initial: Points = 0
        for index, monitor in enumerate(monitors):
            self.initial |= 1 << self._number(index, monitor.initial)

    def __len__(self) -> int:
        return len(self._points)

    def image(self, points: Points, action: Action) -> Points:
        """Return where `action` leads a set of points, or `FAILED`.

        A point is left out where its machine cannot take the action.

        Cost: looked up if it was asked before; else a step for each point.
        """
        known = self.images[action].get(points)
        if known is None:
            known = 0
            for point in bits(points):
                after = self.step(point, action)
                if after == FAILED:
                    known = FAILED
                    break
                known |= after
            self.images[action][points] = known
        return known

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
            self._steps[key] = known
            self._remember(point, action, known)
        return known

    def failing(self, action: Action) -> Points:
        """Return the points that are known to fail on `action`."""
        return self._failing.get(action, 0)

    def before(self, points: Points, action: Action) -> Points:
        """Return the points from which `action` is known to lead to one of these.

        Known are the steps that were asked for, so this is a part of the
        pre-image, and all of it once everything has been looked at.
        """
        if action == TAU:
            return points
        known = self.preimages[action].get(points)
        if known is None:
            known = 0
            before = self._before.get(action, {})
            for point in bits(points):
                known |= before.get(point, 0)
            self.preimages[action][points] = known
        return known

    def _remember(self, point: int, action: Action, after: Points) -> None:
        self.preimages[action].clear()
        if after == FAILED:
            self._failing[action] = self._failing.get(action, 0) | 1 << point
        elif after:
            before = self._before.setdefault(action, {})
            target = after.bit_length() - 1
            before[target] = before.get(target, 0) | 1 << point

    def _number(self, index: int, states: Any) -> int:
        numbers = self._numbers[index]
        number = numbers.get(states)
        if number is None:
            number = numbers[states] = len(self._points)
            self._points.append((index, states))
        return number


class Growth:
    """Which points a deviation leads to, and how far it can grow.

    Args:
        space: The points.
        environment: E; its transitions are always there.
        candidates: What may be added.
        clock: Asked now and then whether the run may go on.

    Attributes:
        states: Number of states of E.
        rows: For each row its state and action; those of E's `tau` come last.
        row_of: The row of a state and action, where there is one.
        options: For each row its candidates as bits.
        fixed: For each row its transitions in R_E as bits.
    """

    def __init__(
        self,
        space: PointSpace,
        environment: Lts,
        candidates: Candidates,
        clock: Clock,
    ) -> None:
        self._space = space
        self._clock = clock
        self.states = environment.size
        self.rows: list[tuple[StateId, Action]] = []
        self.row_of: dict[tuple[StateId, Action], int] = {}
        self.options: list[int] = []
        self.fixed: list[int] = []
        self._of_state: list[list[tuple[Action, int, dict[Points, Points]]]] = [
            [] for _ in range(environment.size)
        ]
        actions = candidates.actions
        for state, masks in enumerate(candidates.masks):
            for action, mask in zip(actions, masks, strict=True):
                self._add_row(environment, state, action, mask)
        for state in range(environment.size):
            self._add_row(environment, state, TAU, 0)
        self._targets: dict[int, tuple[StateId, ...]] = {}
        # For each state, by action, the rows that can lead to it, with their
        # states.
        self._into = [self._leading_to(target) for target in range(self.states)]
        self._transitions: dict[tuple[int, int], tuple[Transition, ...]] = {}

    def _leading_to(
        self, target: StateId
    ) -> list[tuple[Action, dict[Points, Points], list[tuple[int, StateId]]]]:
        groups: dict[Action, list[tuple[int, StateId]]] = {}
        for row, (state, action) in enumerate(self.rows):
            if (self.options[row] | self.fixed[row]) >> target & 1:
                groups.setdefault(action, []).append((row, state))
        return [(a, self._space.preimages[a], rows) for a, rows in groups.items()]

    def _add_row(
        self, environment: Lts, state: StateId, action: Action, mask: int
    ) -> None:
        fixed = 0
        for target in environment.successors[state].get(action, ()):
            fixed |= 1 << target
        if fixed or mask:
            images = self._space.images[action]
            self._of_state[state].append((action, len(self.rows), images))
            self.row_of[state, action] = len(self.rows)
            self.rows.append((state, action))
            self.options.append(mask)
            self.fixed.append(fixed)

    def of_state(self, state: StateId) -> list[tuple[Action, int]]:
        """Return the rows of a state: action and number."""
        return [(action, row) for action, row, _ in self._of_state[state]]

    def transitions(self, chosen: Rows) -> Iterator[Transition]:
        """Yield the chosen candidates as transitions, by row."""
        for row, mask in enumerate(chosen):
            known = self._transitions.get((row, mask))
            if known is None:
                state, action = self.rows[row]
                known = tuple(Transition(state, action, t) for t in bits(mask))
                self._transitions[row, mask] = known
            yield from known

    def targets(self, mask: int) -> tuple[StateId, ...]:
        """Return the positions of the set bits, remembered."""
        known = self._targets.get(mask)
        if known is None:
            known = self._targets[mask] = tuple(bits(mask))
        return known

    def met(self, chosen: Rows) -> tuple[list[Points], bool]:
        """Return the points met with each state of E, and whether all is safe.

        Args:
            chosen: For each row the candidates that are added.

        Returns:
            The points; where ERROR is met, those found until then, the last
            one that led to it among them.
        """
        present = [f | c for f, c in zip(self.fixed, chosen, strict=True)]
        found = [0] * len(self._of_state)
        found[0] = self._space.initial
        return found, self._walk(found, {0: self._space.initial}, present)

    def _walk(
        self, found: list[Points], fresh: dict[StateId, Points], present: Rows
    ) -> bool:
        """Add to `found` all that `fresh` leads to; False at the first ERROR."""
        space, rows, targets = self._space, self._of_state, self._targets
        while fresh:
            # The oldest first: what comes later to the same state joins it.
            state = next(iter(fresh))
            points = fresh.pop(state)
            for action, row, images in rows[state]:
                mask = present[row]
                if not mask:
                    continue
                image = images.get(points)
                if image is None:
                    image = space.image(points, action)
                if image == FAILED:
                    return False
                if not image:
                    continue
                for target in targets.get(mask) or self.targets(mask):
                    new = image & ~found[target]
                    if new:
                        found[target] |= new
                        fresh[target] = fresh.get(target, 0) | new
        return True

    def _bad(self, present: Rows) -> list[Points]:
        """Points that are known to lead to ERROR, for each state of E."""
        bad = [0] * self.states
        for row, mask in enumerate(present):
            if mask:
                state, action = self.rows[row]
                bad[state] |= self._space.failing(action)
        fresh = {q: points for q, points in enumerate(bad) if points}
        self._spread(fresh, bad, present)
        return bad

    def _spread(
        self, fresh: dict[StateId, Points], bad: list[Points], present: Rows
    ) -> None:
        """Add to `bad` all that leads to its new members, `fresh`."""
        space = self._space
        while fresh:
            target = next(iter(fresh))
            points = fresh.pop(target)
            for action, preimages, rows in self._into[target]:
                before = preimages.get(points)
                if before is None:
                    before = space.before(points, action)
                if not before:
                    continue
                for row, state in rows:
                    if present[row] >> target & 1:
                        new = before & ~bad[state]
                        if new:
                            bad[state] |= new
                            fresh[state] = fresh.get(state, 0) | new

    def grow(self, chosen: Rows, found: list[Points]) -> tuple[Rows, list[Points]]:
        """Add candidates to a safe set until no other can join it.

        Safety is monotone, so one pass is enough: a candidate that is rejected
        once stays rejected when the set grows. Most are rejected because they
        lead to a point that is known to be bad; what is left is tried.

        Args:
            chosen: For each row the candidates that are added; safe.
            found: The points that they lead to.

        Returns:
            The grown set and its points.

        Cost: for each candidate a few operations on masks, or a walk through
            what it adds.
        """
        self._clock.check()
        space = self._space
        chosen, found = list(chosen), list(found)
        present = [f | c for f, c in zip(self.fixed, chosen, strict=True)]
        bad = self._bad(present)
        for row, (state, action) in enumerate(self.rows):
            undecided = self.options[row] & ~chosen[row]
            if not undecided:
                continue
            image = space.image(found[state], action)
            if image == FAILED:
                continue
            for target in self.targets(undecided):
                if image & bad[target]:
                    continue
                new = image & ~found[target]
                if new:
                    larger = list(found)
                    larger[target] |= new
                    present[row] |= 1 << target
                    if not self._walk(larger, {target: new}, present):
                        present[row] &= ~(1 << target)
                        continue
                    found = larger
                    image = space.image(found[state], action)
                chosen[row] |= 1 << target
                present[row] |= 1 << target
                worse = space.failing(action) | space.before(bad[target], action)
                worse &= ~bad[state]
                if worse:
                    bad[state] |= worse
                    self._spread({state: worse}, bad, present)
        return chosen, found
