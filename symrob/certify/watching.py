"""What can happen in the models of a certificate, by explicit search.

In:  an environment with more or fewer transitions, and what watches it: the controller
     with one property, or one constraint alone.
Out: whether some run of the environment reaches ERROR, and whether a given one does.

Networks are walked state by state, and a property is followed as the set of all states
that it may be in. Standard library only. Source: docs/certificates.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import product

TAU = "tau"
ERROR = -1
# One state of each part of a network.
Joint = tuple[int, ...]
View = frozenset[Joint]
# For each state, by action, the targets.
Rows = list[dict[str, list[int]]]
# In place of states of a watcher, `None` says that ERROR is among them.
Numbers = list[int] | None


class BoundHitError(Exception):
    """There are more states than may be looked at."""


@dataclass
class Budget:
    """How many states may be kept in mind, and how many are."""

    most: int
    used: int = 0

    def spend(self, states: int = 1) -> None:
        """Count some more; raises `BoundHitError`."""
        self.used += states
        if self.used > self.most:
            raise BoundHitError(f"more than {self.most:,} states to look at")


@dataclass(frozen=True)
class Lts:
    """A transition system; state 0 is the first one."""

    alphabet: frozenset[str]
    rows: Rows


class Network:
    """Systems side by side, perhaps none, that take together the actions they share."""

    def __init__(self, parts: list[Lts], hidden: frozenset[str]) -> None:
        self.parts, self.hidden = parts, hidden
        self.visible = {a for part in parts for a in part.alphabet} - hidden
        self.start: Joint = (0,) * len(parts)

    def together(self, state: Joint, action: str) -> Iterator[Joint]:
        """Where an action leads that all parts that have it take."""
        parts = zip(self.parts, state, strict=True)
        return product(
            *(
                part.rows[here].get(action, ()) if action in part.alphabet else (here,)
                for part, here in parts
            )
        )

    def offered(self, state: Joint) -> set[str]:
        """The actions that some part offers."""
        return {
            a for p, here in zip(self.parts, state, strict=True) for a in p.rows[here]
        }

    def inner(self, state: Joint) -> Iterator[Joint]:
        """Where moves lead that nobody outside sees."""
        for index, part in enumerate(self.parts):
            for target in part.rows[state[index]].get(TAU, ()):
                yield (*state[:index], target, *state[index + 1 :])
        for action in self.hidden & self.offered(state):
            yield from self.together(state, action)


class Watcher:
    """The controller with one property, or a constraint alone, as seen by E.

    Its states, one of C and a view, are numbered from 0. A view is all that
    the property may be in after what was seen.

    Args:
        name: For messages.
        controller: C; without parts where E is watched alone.
        watched: The property or constraint.
        actions: Act_E.
        budget: Counts the states.
    """

    def __init__(
        self,
        name: str,
        controller: Network,
        watched: Network,
        actions: frozenset[str],
        budget: Budget,
    ) -> None:
        self.name, self._controller, self._watched = name, controller, watched
        self._actions, self._budget = actions, budget
        self._states: list[tuple[Joint, View]] = []
        self._numbers: dict[tuple[Joint, View], int] = {}
        self._views: dict[tuple[View, str], View | None] = {}
        self._moves: dict[int, tuple[Numbers, dict[str, Numbers]]] = {}
        self._after: dict[tuple[frozenset[int], str], frozenset[int] | None] = {}
        view = self._closed({watched.start})
        self.start = self._listed([(controller.start, view)])

    def _closed(self, states: set[Joint]) -> View | None:
        """A view with what inner moves lead to; `None` where it is bad."""
        todo = list(states)
        for state in todo:
            if ERROR in state:
                return None
            new = set(self._watched.inner(state)) - states
            states |= new
            todo += new
        self._budget.spend(len(states))
        # Bad, too, is what no run can follow.
        return frozenset(states) or None

    def _seen(self, view: View, action: str) -> View | None:
        """The view after a visible action; `None` where that is bad."""
        if action not in self._watched.visible:
            return view
        if (view, action) not in self._views:
            together = self._watched.together
            after = {state for before in view for state in together(before, action)}
            self._views[view, action] = self._closed(after)
        return self._views[view, action]

    def _listed(self, found: Iterable[tuple[Joint, View | None]]) -> Numbers:
        """The numbers of states; `None` if ERROR is among them."""
        numbers: dict[int, None] = {}
        for state, view in found:
            if view is None or ERROR in state:
                return None
            number = self._numbers.setdefault((state, view), len(self._states))
            if number == len(self._states):
                self._budget.spend()
                self._states.append((state, view))
            numbers[number] = None
        return list(numbers)

    def moves(self, number: int) -> tuple[Numbers, dict[str, Numbers]]:
        """Where moves lead that need no E, and by action those that E takes part in."""
        if number not in self._moves:
            state, view = self._states[number]
            network = self._controller
            inner = [(after, view) for after in network.inner(state)]
            shared: dict[str, Numbers] = {}
            for action in network.visible & network.offered(state):
                seen = self._seen(view, action)
                found = [(after, seen) for after in network.together(state, action)]
                if action in self._actions:
                    shared[action] = self._listed(found)
                else:
                    inner += found
            for action in self._actions - network.visible:
                shared[action] = self._listed([(state, self._seen(view, action))])
            self._moves[number] = self._listed(inner), shared
        return self._moves[number]

    def fails(self, rows: Rows) -> bool:
        """Whether an E with these transitions can reach ERROR: all runs are tried."""
        if self.start is None:
            return True
        seen = {(0, number) for number in self.start}
        todo = list(seen)
        while todo:
            here, number = todo.pop()
            inner, shared = self.moves(number)
            if inner is None:
                return True
            found = {(here, after) for after in inner}
            for action, targets in rows[here].items():
                numbers = [number] if action == TAU else shared.get(action, [])
                if numbers is None:
                    return True
                found.update((there, n) for there in targets for n in numbers)
            found -= seen
            seen |= found
            todo += found
        return False

    def follows(self, actions: Iterable[str]) -> bool:
        """Whether ERROR can be met while E takes these actions and no others.

        The watcher may move by itself before, between and after them.
        """
        here = self._settled(self.start)
        for action in actions:
            if not here:
                # ERROR was met; or nobody takes the action together with E.
                break
            key = (here, action)
            if key not in self._after:
                found = [self.moves(number)[1].get(action, []) for number in here]
                after = None if None in found else sum(found, [])  # type: ignore[arg-type]
                self._after[key] = self._settled(after)
            here = self._after[key]
        return here is None

    def _settled(self, numbers: Numbers) -> frozenset[int] | None:
        """Add what moves lead to that need no E."""
        if numbers is None:
            return None
        todo = list(dict.fromkeys(numbers))
        found = set(todo)
        for number in todo:
            inner, _ = self.moves(number)
            if inner is None:
                return None
            todo += [n for n in inner if n not in found]
            found.update(inner)
        self._budget.spend(len(found))
        return frozenset(found)
