"""What can happen in the models of a certificate, by explicit search.

In:  an environment, changes to it, and what watches it: the controller with one
     property, or one constraint alone.
Out: the changed environment; whether some run of it reaches ERROR, and whether one with
     given actions does.

Networks are walked state by state, and a property is followed as the set of all states
that it may be in. Standard library only. Source: docs/certificates.md.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import product, repeat
from typing import NamedTuple, NoReturn

# Of a search; MiB of a file when it is unpacked, and of what is kept.
MAX_STATES, MAX_SIZE, MEMORY = 1_000_000, 256, 2048
TAU, ERROR = "tau", -1
Names = frozenset[str]
Joint = tuple[int, ...]  # One state of each part of a network.
Rows = list[dict[str, list[int]]]  # For each state, by action, the targets.
View = frozenset[Joint]
Seen = tuple[Joint, View | None]  # A state of C, and a view; `None` where that is bad.
Met = list[tuple[Joint, View]] | None  # Likewise; `None` where ERROR is among them.


class BoundHitError(Exception):
    """There is more than a bound allows; the message says how to raise it."""


class Budget:
    """How many states and moves may be kept in mind, and how many MiB may be used.

    Args:
        most: States and moves.
        size: MiB of a file when it is unpacked.
        memory: MiB of what is kept, estimated before it is there.
    """

    def __init__(self, most: int, size: int = MAX_SIZE, memory: int = MEMORY) -> None:
        self.most, self.used = most, 0
        self.size, self.memory, self.held = size << 20, memory << 20, 0

    def spend(self, things: int = 1, each: int = 0) -> None:
        """Count some more, of so many bytes each; raises what `exceeded` does."""
        self.used += things
        if self.used > self.most:
            self.exceeded(f"more than {self.most:,} states and moves", "max-states")
        self.hold(things * each)

    def hold(self, size: int) -> None:
        """Count bytes that are kept."""
        self.held += size
        self.require_memory(0)

    def require_memory(self, size: int) -> None:
        """Refuse what takes so many bytes for a while, beside what is kept."""
        if self.held + size > self.memory:
            self.exceeded(f"more than {self.memory >> 20:,} MiB of memory", "memory")

    def require_size(self, size: int) -> None:
        """Refuse a file that has more bytes than it may."""
        if size > self.size:
            self.exceeded(f"a file of more than {self.size >> 20:,} MiB", "max-size")

    def exceeded(self, what: str, bound: str) -> NoReturn:
        """Raise `BoundHitError`: what is too much, and which option allows more."""
        raise BoundHitError(f"{what}; raise --{bound} to continue")


class Lts(NamedTuple):
    """A transition system; state 0 is the first one."""

    alphabet: Names
    rows: Rows

    def after(self, state: int, action: str) -> Iterable[int]:
        """Where an action leads; what is not its own it lets pass."""
        return self.rows[state].get(action, ()) if action in self.alphabet else (state,)


class Network:
    """Systems side by side, perhaps none, that take together the actions they share."""

    def __init__(self, parts: list[Lts], hidden: Names, budget: Budget) -> None:
        self.parts, self.hidden, self.budget = parts, hidden, budget
        self.visible = {a for part in parts for a in part.alphabet} - hidden
        self.start: Joint = (0,) * len(parts)
        self.width = 64 + 8 * len(parts)  # Bytes of a state.

    def together(self, state: Joint, action: str) -> Iterator[Joint]:
        """Where an action leads that all parts that have it take."""
        for after in product(*map(Lts.after, self.parts, state, repeat(action))):
            self.budget.spend(1, self.width)
            yield after

    def offered(self, state: Joint) -> set[str]:
        """The actions that some part offers."""
        return {a for p, s in zip(self.parts, state, strict=True) for a in p.rows[s]}

    def inner(self, state: Joint) -> Iterator[Joint]:
        """Where moves lead that nobody outside sees."""
        for index, part in enumerate(self.parts):
            for target in part.rows[state[index]].get(TAU, ()):
                self.budget.spend(1, self.width)
                yield (*state[:index], target, *state[index + 1 :])
        for action in sorted(self.hidden & self.offered(state)):
            yield from self.together(state, action)

    def changed(self, changes: Iterable[tuple[int, int, str, int]]) -> Rows:
        """What it does with some changes, its states numbered as they are reached.

        Those of a single component keep their numbers. A change is the place of a
        component, and the source, action and target that it gets.
        """
        tables = [[*part.rows] for part in self.parts]
        for i, source, action, target in changes:
            row = tables[i][source]
            tables[i][source] = {**row, action: [*row.get(action, ()), target]}
        if len(tables) == 1 and not self.hidden:
            return tables[0]
        parts = [Lts(p.alphabet, t) for p, t in zip(self.parts, tables, strict=True)]
        return Network(parts, self.hidden, self.budget).multiplied_out()

    def multiplied_out(self) -> Rows:
        """Its moves, as those of one system."""
        numbers, states, found = {self.start: 0}, [self.start], Rows()
        for state in states:
            found.append({})
            moves = [(TAU, after) for after in self.inner(state)]
            for action in sorted(self.visible & self.offered(state)):
                moves += [(action, after) for after in self.together(state, action)]
            for action, after in moves:
                if numbers.setdefault(after, len(states)) == len(states):
                    states.append(after)
                found[-1].setdefault(action, []).append(numbers[after])
        return found


def performs(rows: Rows, actions: Iterable[str]) -> bool:
    """Whether a system can take actions in their order, moving by itself between."""
    here = {0}
    for action in actions:
        todo = [*here]
        while todo:
            more = {*rows[todo.pop()].get(TAU, ())} - here
            here |= more
            todo += more
        here = {r for q in here for r in rows[q].get(action, ())}
    return bool(here)


class Watcher:
    """The controller with one property, or one constraint alone, as E meets it.

    Its states are of C and a view, which is all that the property may be in after what
    was seen. A constraint is watched with an empty C.
    """

    def __init__(self, controller: Network, watched: Network, actions: Names) -> None:
        self._controller, self._watched, self._actions = controller, watched, actions
        self._moves: dict[Seen, tuple[Met, dict[str, Met]]] = {}
        self.start = _listed([(controller.start, self._closed({watched.start}))])

    def _closed(self, states: set[Joint]) -> View | None:
        """A view with what inner moves lead to; `None` where it is bad."""
        step = self._watched.inner
        while not any(ERROR in state for state in states):
            more = {after for state in states for after in step(state)} - states
            if not more:
                return frozenset(states) or None  # What no run can follow is bad.
            states |= more
        return None

    def _seen(self, view: View, action: str) -> View | None:
        """The view after a visible action; `None` where that is bad."""
        if action not in self._watched.visible:
            return view
        step = self._watched.together
        return self._closed({after for state in view for after in step(state, action)})

    def moves(self, met: tuple[Joint, View]) -> tuple[Met, dict[str, Met]]:
        """Where moves lead that need no E, and by action those that E takes part in.

        E takes `TAU` alone.
        """
        if met not in self._moves:
            (state, view), network = met, self._controller
            inner: list[Seen] = [(s, view) for s in network.inner(state)]
            shared: dict[str, Met] = {TAU: [met]}
            for action in sorted(network.visible & network.offered(state)):
                after = self._seen(view, action)
                found = [(s, after) for s in network.together(state, action)]
                if action in self._actions:
                    shared[action] = _listed(found)
                else:
                    inner += found
            for action in sorted(self._actions - network.visible):
                shared[action] = _listed([(state, self._seen(view, action))])
            self._controller.budget.hold(100 * (len(inner) + len(shared)))
            self._moves[met] = _listed(inner), shared
        return self._moves[met]

    def fails(self, rows: Rows) -> bool:
        """Whether an E with these transitions can reach ERROR: all runs are tried."""
        if self.start is None:
            return True
        # A set of states of E has a bit for each.
        budget, width = self._controller.budget, 64 + (len(rows) >> 3)
        size = width * sum(map(len, rows))
        budget.require_memory(size)
        masks = [{a: sum(1 << r for r in {*rs}) for a, rs in q.items()} for q in rows]
        # For each state, those of E that it was met with, as bits.
        known = dict.fromkeys(self.start, 0)
        todo = [(met, 1) for met in self.start]
        while todo:
            met, states = todo.pop()
            budget.spend(0)
            budget.require_memory(size + width * len(known))
            new = states & ~known.get(met, 0)
            known[met] = known.get(met, 0) | new
            inner, shared = self.moves(met)
            led = [(inner, new)]
            while new:
                row = masks[new.bit_length() - 1]
                new ^= 1 << new.bit_length() - 1
                led += [(shared.get(a, []), targets) for a, targets in row.items()]
            for several, targets in led:
                if several is None:
                    return True
                todo += [(m, targets) for m in several if targets & ~known.get(m, 0)]
        return False

    def follows(self, actions: Sequence[str]) -> bool:
        """Whether ERROR can be met while E takes these actions and no others."""
        # What `fails` keeps of so many states, before there are any.
        count = len(actions)
        self._controller.budget.require_memory(count * (400 + (count >> 3)))
        return self.fails([*({a: [i]} for i, a in enumerate(actions, 1)), {}])


def _listed(found: list[Seen]) -> Met:
    """States as they are, but for ERROR."""
    good = [(s, view) for s, view in found if view is not None and ERROR not in s]
    return good if len(good) == len(found) else None
