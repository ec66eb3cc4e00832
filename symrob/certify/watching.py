"""What can happen in the models of a certificate, by explicit search.

In:  an environment with more or fewer transitions, and what watches it: the controller
     with one property, or one constraint alone.
Out: whether some run of the environment reaches ERROR, and whether a given one does.

Networks are walked state by state, and a property is followed as the set of all states
that it may be in. Standard library only. Source: docs/certificates.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import product
from typing import NamedTuple

MAX_STATES = 1_000_000
TAU = "tau"
ERROR = -1
Joint = tuple[int, ...]  # One state of each part of a network.
View = frozenset[Joint]
Rows = list[dict[str, list[int]]]  # For each state, by action, the targets.
Numbers = list[int] | None  # Of states; `None`: ERROR is among them.


class BoundHitError(Exception):
    """There are more states than may be looked at."""


class Budget:
    """How many states and moves may be kept in mind."""

    def __init__(self, most: int) -> None:
        self.most, self.used = most, 0

    def spend(self, things: int = 1) -> None:
        """Count some more; raises `BoundHitError`."""
        self.used += things
        self.require(self.used)

    def require(self, things: int) -> None:
        """Refuse too many at once; raises `BoundHitError`."""
        if things > self.most:
            raise BoundHitError(f"more than {self.most:,} states and moves to look at")


class Lts(NamedTuple):
    """A transition system; state 0 is the first one."""

    alphabet: frozenset[str]
    rows: Rows


class Network:
    """Systems side by side, perhaps none, that take together the actions they share."""

    def __init__(
        self, parts: list[Lts], hidden: frozenset[str], budget: Budget
    ) -> None:
        self.parts, self.hidden, self.budget = parts, hidden, budget
        self.visible = {a for part in parts for a in part.alphabet} - hidden
        self.start: Joint = (0,) * len(parts)

    def together(self, state: Joint, action: str) -> Iterator[Joint]:
        """Where an action leads that all parts that have it take."""
        for after in product(
            *(
                part.rows[local].get(action, ())
                if action in part.alphabet
                else (local,)
                for part, local in zip(self.parts, state, strict=True)
            )
        ):
            self.budget.spend()
            yield after

    def offered(self, state: Joint) -> set[str]:
        """The actions that some part offers."""
        return {a for p, s in zip(self.parts, state, strict=True) for a in p.rows[s]}

    def inner(self, state: Joint) -> Iterator[Joint]:
        """Where moves lead that nobody outside sees."""
        for index, part in enumerate(self.parts):
            for target in part.rows[state[index]].get(TAU, ()):
                self.budget.spend()
                yield (*state[:index], target, *state[index + 1 :])
        for action in sorted(self.hidden & self.offered(state)):
            yield from self.together(state, action)


class Watcher:
    """The controller with one property, or one constraint alone, as E meets it.

    Its states, of C and of the view, are numbered from 0. The view is all that the
    property may be in after what was seen. A constraint is watched with an empty C.
    """

    def __init__(
        self, controller: Network, watched: Network, actions: frozenset[str]
    ) -> None:
        self._controller, self._watched, self._actions = controller, watched, actions
        self._numbers: dict[tuple[Joint, View], int] = {}
        self._states: list[tuple[Joint, View]] = []
        self._views: dict[tuple[View, str], View | None] = {}
        self._moves: dict[int, tuple[Numbers, dict[str, Numbers]]] = {}
        self._after: dict[tuple[frozenset[int], str], frozenset[int] | None] = {}
        self.start = self._listed([(controller.start, self._closed({watched.start}))])

    def _closed(self, states: set[Joint]) -> View | None:
        """A view with what inner moves lead to; `None` where it is bad."""
        todo = list(states)
        for state in todo:
            if ERROR in state:
                return None
            new = set(self._watched.inner(state)) - states
            states |= new
            todo += new
        return frozenset(states) or None  # What no run can follow is bad.

    def _seen(self, view: View, action: str) -> View | None:
        """The view after a visible action; `None` where that is bad."""
        if action not in self._watched.visible:
            return view
        if (view, action) not in self._views:
            step = self._watched.together
            after = {state for before in view for state in step(before, action)}
            self._views[view, action] = self._closed(after)
        return self._views[view, action]

    def _listed(self, found: Iterable[tuple[Joint, View | None]]) -> Numbers:
        """The numbers of states; `None` if ERROR is among them."""
        numbers = []
        for state, view in found:
            if view is None or ERROR in state:
                return None
            number = self._numbers.setdefault((state, view), len(self._states))
            if number == len(self._states):
                self._states.append((state, view))
            numbers.append(number)
        return numbers

    def moves(self, number: int) -> tuple[Numbers, dict[str, Numbers]]:
        """Where moves lead that need no E, and by action those that E takes part in."""
        if number not in self._moves:
            (state, view), network = self._states[number], self._controller
            inner: list[tuple[Joint, View | None]]
            inner = [(s, view) for s in network.inner(state)]
            shared: dict[str, Numbers] = {}
            for action in sorted(network.visible & network.offered(state)):
                after = self._seen(view, action)
                found = [(s, after) for s in network.together(state, action)]
                if action in self._actions:
                    shared[action] = self._listed(found)
                else:
                    inner += found
            for action in sorted(self._actions - network.visible):
                shared[action] = self._listed([(state, self._seen(view, action))])
            self._moves[number] = self._listed(inner), shared
        return self._moves[number]

    def fails(self, rows: Rows) -> bool:
        """Whether an E with these transitions can reach ERROR: all runs are tried."""
        if self.start is None:
            return True
        masks = [{a: sum(1 << r for r in {*rs}) for a, rs in q.items()} for q in rows]
        # For each state of the watcher, those of E that it was met with, as bits.
        met: dict[int, int] = {}
        todo = [(number, 1) for number in self.start]
        while todo:
            number, states = todo.pop()
            new = states & ~met.get(number, 0)
            met[number] = met.get(number, 0) | new
            inner, shared = self.moves(number)
            if inner is None:
                return True
            todo += [(after, new) for after in inner if new & ~met.get(after, 0)]
            led: dict[str, int] = {}
            while new:
                here = new.bit_length() - 1
                new ^= 1 << here
                for action, targets in masks[here].items():
                    led[action] = led.get(action, 0) | targets
            for action, targets in led.items():
                numbers = [number] if action == TAU else shared.get(action, [])
                if numbers is None:
                    return True
                todo += [(n, targets) for n in numbers if targets & ~met.get(n, 0)]
        return False

    def follows(self, actions: Iterable[str]) -> bool:
        """Whether ERROR can be met while E takes these actions and no others.

        C may move by itself before, between and after them.
        """
        here = self._settled(self.start)
        for action in actions:
            if here is None:
                return True
            if (here, action) not in self._after:
                found = [self.moves(number)[1].get(action, []) for number in here]
                after = [n for numbers in found for n in numbers or ()]
                self._after[here, action] = self._settled(
                    None if None in found else after
                )
            here = self._after[here, action]
        return here is None

    def _settled(self, numbers: Numbers) -> frozenset[int] | None:
        """Add what moves lead to that need no E."""
        todo = list(numbers or ())
        found = set(todo)
        for number in todo:
            inner, _ = self.moves(number)
            if inner is None:
                return None
            todo += set(inner) - found
            found.update(inner)
        self._watched.budget.spend(len(found))
        return None if numbers is None else frozenset(found)
