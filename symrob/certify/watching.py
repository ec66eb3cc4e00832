"""Explicit search of the models of a certificate.

In:  an environment, changes to it, and a watcher: the controller with one property, or
     one constraint alone.
Out: the changed environment; whether some trace reaches ERROR, and whether one with
     given actions does.

Networks are explored state by state, and a property is tracked as the set of its
possible states; a requirement on states is judged in each state and at each step.
Standard library only. Source: docs/certificates.md.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
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
Moves = tuple[Met, dict[str, Met]]
Truth = tuple[bool, ...]  # What is true of a state of E.


class BoundHitError(Exception):
    """A bound was hit; the message says how to raise it."""


class CheckBudget:
    """Bounds on stored states and moves, and on memory.

    Args:
        most: States and moves.
        size: MiB of an unpacked file.
        memory: MiB of stored data, estimated in advance.
    """

    def __init__(self, most: int, size: int = MAX_SIZE, memory: int = MEMORY) -> None:
        self.most, self.used = most, 0
        self.size, self.memory, self.held = size << 20, memory << 20, 0

    def spend(self, things: int = 1, each: int = 0) -> None:
        """Count stored items of this many bytes each; raises as `exceeded` does."""
        self.used += things
        if self.used > self.most:
            self.exceeded(f"more than {self.most:,} states and moves", "max-states")
        self.hold(things * each)

    def hold(self, size: int) -> None:
        """Count stored bytes."""
        self.held += size
        self.require_memory(0)

    def require_memory(self, size: int) -> None:
        """Require room for this many bytes temporarily, beside stored data."""
        if self.held + size > self.memory:
            self.exceeded(f"more than {self.memory >> 20:,} MiB of memory", "memory")

    def require_size(self, size: int) -> None:
        """Reject a file that has too many bytes."""
        if size > self.size:
            self.exceeded(f"a file of more than {self.size >> 20:,} MiB", "max-size")

    def exceeded(self, what: str, bound: str) -> NoReturn:
        """Raise `BoundHitError` with the exceeded bound and its option."""
        raise BoundHitError(f"{what}; raise --{bound} to continue")


class Lts(NamedTuple):
    """A transition system, with its initial states."""

    alphabet: Names
    rows: Rows
    initial: Sequence[int] = (0,)

    def after(self, state: int, action: str) -> Iterable[int]:
        """Return the successors by an action; other models' actions do nothing."""
        return self.rows[state].get(action, ()) if action in self.alphabet else (state,)


class Walked(NamedTuple):
    """An explored network: its moves, its states, and the initial ones."""

    rows: Rows
    states: Sequence[Joint]
    initial: Sequence[int]

    def along(self, actions: Sequence[str], budget: CheckBudget) -> "Walked":
        """Return the same restricted to these actions in their order."""
        order = [(q, 0) for q in self.initial]
        numbers, rows = {point: n for n, point in enumerate(order)}, Rows()
        for q, i in order:
            row = dict[str, list[int]]()
            for action in {TAU, *actions[i : i + 1]}:
                for r in self.rows[q].get(action, ()):
                    point = (r, i + (action != TAU))
                    if numbers.setdefault(point, len(order)) == len(order):
                        order.append(point)
                        budget.spend(1, 200)
                    row.setdefault(action, []).append(numbers[point])
            rows.append(row)
        begin = [*range(len(self.initial))]
        return Walked(rows, [self.states[q] for q, _ in order], begin)


class Network:
    """Systems in parallel, possibly none, that synchronise on shared actions."""

    def __init__(self, parts: list[Lts], hidden: Names, budget: CheckBudget) -> None:
        self.parts, self.hidden, self.budget = parts, hidden, budget
        self.visible = {a for part in parts for a in part.alphabet} - hidden
        self.starts: list[Joint] = [*product(*(part.initial for part in parts))]
        self.width = 64 + 8 * len(parts)  # Bytes of a state.

    def together(self, state: Joint, action: str) -> Iterator[Joint]:
        """Return the successors by an action that all parts with it take."""
        for after in product(*map(Lts.after, self.parts, state, repeat(action))):
            self.budget.spend(1, self.width)
            yield after

    def offered(self, state: Joint) -> set[str]:
        """The actions that some part offers."""
        return {a for p, s in zip(self.parts, state, strict=True) for a in p.rows[s]}

    def inner(self, state: Joint) -> Iterator[Joint]:
        """Return the successors by internal moves."""
        for index, part in enumerate(self.parts):
            for target in part.rows[state[index]].get(TAU, ()):
                self.budget.spend(1, self.width)
                yield (*state[:index], target, *state[index + 1 :])
        for action in sorted(self.hidden & self.offered(state)):
            yield from self.together(state, action)

    def changed(self, changes: Iterable[tuple[int, int, str, int]]) -> Walked:
        """Return its moves with some changes, its states numbered as they are reached.

        States of a single component keep their numbers. A change is the index of a
        component, and the source, action and target that it gets.
        """
        tables = [[*part.rows] for part in self.parts]
        for i, source, action, target in changes:
            row = tables[i][source]
            tables[i][source] = {**row, action: [*row.get(action, ()), target]}
        if len(tables) == 1 and not self.hidden:
            one = [(q,) for q in range(len(tables[0]))]
            return Walked(tables[0], one, [*self.parts[0].initial])
        old = zip(self.parts, tables, strict=True)
        parts = [part._replace(rows=table) for part, table in old]
        return Network(parts, self.hidden, self.budget).multiplied_out()

    def multiplied_out(self) -> Walked:
        """Its moves, as those of one system."""
        numbers = {state: number for number, state in enumerate(self.starts)}
        states, found = [*self.starts], Rows()
        for state in states:
            found.append({})
            moves = [(TAU, after) for after in self.inner(state)]
            for action in sorted(self.visible & self.offered(state)):
                moves += [(action, after) for after in self.together(state, action)]
            for action, after in moves:
                if numbers.setdefault(after, len(states)) == len(states):
                    states.append(after)
                found[-1].setdefault(action, []).append(numbers[after])
        return Walked(found, states, [*range(len(self.starts))])


def performs(walked: Walked, actions: Iterable[str]) -> bool:
    """Whether a system can take actions in order, with internal moves in between."""
    rows, here = walked.rows, {*walked.initial}
    for action in actions:
        todo = [*here]
        while todo:
            more = {*rows[todo.pop()].get(TAU, ())} - here
            here |= more
            todo += more
        here = {r for q in here for r in rows[q].get(action, ())}
    return bool(here)


class Required(NamedTuple):
    """A requirement on states: its kind, the actions that it names, and a condition.

    The condition is in postfix order: ("E", i, states) or ("C", i, states) tests the
    state of component i, "not" negates the last result, and ("and", n) or ("or", n)
    joins the last n results.
    """

    kind: str
    actions: Names
    when: Sequence[tuple[str, int, Collection[int]]]

    def of_e(self, e: Joint) -> Truth:
        """Evaluate the parts of the condition about a state of E."""
        return tuple(e[i] in states for side, i, states in self.when if side == "E")

    def holds(self, truth: Truth, c: Joint) -> bool:
        """Whether the condition holds, given its parts about E's state."""
        told, said = iter(truth), list[bool]()
        for word, n, states in self.when:
            if word in ("E", "C"):
                said.append(next(told) if word == "E" else c[n] in states)
            elif word == "not":
                said.append(not said.pop())
            else:
                some, said = said[len(said) - n :], said[: len(said) - n]
                said.append(all(some) if word == "and" else any(some))
        return said[-1]

    def hits(self, kinds: dict[str, bool], action: str, truth: Truth, c: Joint) -> bool:
        """Whether it is of one of the kinds, and violated or not as given."""
        meant = self.kind in kinds and (self.kind == "state" or action in self.actions)
        return meant and self.holds(truth, c) == kinds[self.kind]


class Watcher:
    """The controller with one property, or one constraint alone, as seen by E.

    Its states consist of a state of C and a view: the set of possible states of the
    property after the observed actions. A constraint has an empty C. `asked` are the
    requirements on states that count: guards, which disable steps of C, and possibly a
    watched one.
    """

    def __init__(
        self,
        controller: Network,
        watched: Network,
        actions: Names,
        asked: Sequence[Required] = (),
    ) -> None:
        self._controller, self._watched, self._actions = controller, watched, actions
        self._asked = asked
        self._moves: dict[tuple[Seen, tuple[Truth, ...]], Moves] = {}
        view = self._closed({*watched.starts})
        self.start = _listed([(start, view) for start in controller.starts])

    def _closed(self, states: set[Joint]) -> View | None:
        """A view with what inner moves lead to; `None` if it is bad."""
        step = self._watched.inner
        while not any(ERROR in state for state in states):
            more = {after for state in states for after in step(state)} - states
            if not more:
                return frozenset(states) or None  # What no run can follow is bad.
            states |= more
        return None

    def _seen(self, view: View, action: str) -> View | None:
        """The view after a visible action; `None` if that is bad."""
        if action not in self._watched.visible:
            return view
        step = self._watched.together
        return self._closed({after for state in view for after in step(state, action)})

    def truths(self, e: Joint) -> tuple[Truth, ...]:
        """Evaluate the requirements for a state of E."""
        return tuple(required.of_e(e) for required in self._asked)

    def _hit(
        self, kinds: dict[str, bool], action: str, truths: tuple[Truth, ...], c: Joint
    ) -> bool:
        told = zip(self._asked, truths, strict=True)
        return any(required.hits(kinds, action, t, c) for required, t in told)

    def moves(self, met: tuple[Joint, View], truths: tuple[Truth, ...] = ()) -> Moves:
        """Return the successors by moves without E, and, by action, by moves with E.

        `TAU` is a move of E alone. `truths` are the evaluated requirements on its
        state; the first is `None` if such a state is forbidden.
        """
        if (met, truths) not in self._moves:
            (state, view), network = met, self._controller
            inner: list[Seen] = [(s, view) for s in network.inner(state)]
            if self._hit(_IN_STATE, "", truths, state):
                inner.append((state, None))
            shared: dict[str, Met] = {TAU: [met]}
            for action in sorted(network.visible & network.offered(state)):
                if self._hit(_BLOCKED, action, truths, state):
                    continue
                after = self._seen(view, action)
                if self._hit(_AT_STEP, action, truths, state):
                    after = None
                found = [(s, after) for s in network.together(state, action)]
                if action in self._actions:
                    shared[action] = _listed(found)
                else:
                    inner += found
            for action in sorted(self._actions - network.visible):
                bad = self._hit(_AT_STEP, action, truths, state)
                after = None if bad else self._seen(view, action)
                shared[action] = _listed([(state, after)])
            self._controller.budget.hold(100 * (len(inner) + len(shared)))
            self._moves[met, truths] = _listed(inner), shared
        return self._moves[met, truths]

    def fails(self, walked: Walked) -> bool:
        """Whether E with these transitions can reach ERROR: an exhaustive search."""
        if self.start is None:
            return True
        # A set of states of E has a bit for each; some look alike.
        rows, alike = walked.rows, dict[tuple[Truth, ...], int]()
        for number, e in enumerate(walked.states if self._asked else ()):
            truths = self.truths(e)
            alike[truths] = alike.get(truths, 0) | 1 << number
        alike = alike or {(): -1}
        first = sum(1 << number for number in walked.initial)
        budget, width = self._controller.budget, 64 + (len(rows) >> 3)
        size = width * sum(map(len, rows))
        budget.require_memory(size)
        masks = [{a: sum(1 << r for r in {*rs}) for a, rs in q.items()} for q in rows]
        # For each state, those of E that it was met with, as bits.
        known = dict.fromkeys(self.start, 0)
        todo = [(met, first) for met in self.start]
        while todo:
            met, states = todo.pop()
            budget.spend(0)
            budget.require_memory(size + width * len(known))
            new = states & ~known.get(met, 0)
            known[met] = known.get(met, 0) | new
            led = list[tuple[Met, int]]()
            for truths, mask in alike.items():
                part = new & mask
                if not part:
                    continue
                inner, shared = self.moves(met, truths)
                led.append((inner, part))
                while part:
                    row = masks[part.bit_length() - 1]
                    part ^= 1 << part.bit_length() - 1
                    led += [(shared.get(a, []), targets) for a, targets in row.items()]
            for several, targets in led:
                if several is None:
                    return True
                todo += [(m, targets) for m in several if targets & ~known.get(m, 0)]
        return False

    @property
    def sees_states(self) -> bool:
        """Whether the states of E matter, and not only what it does."""
        return any(side == "E" for r in self._asked for side, _, _ in r.when)

    def follows(self, actions: Sequence[str]) -> bool:
        """Whether ERROR can be reached while E takes exactly these actions."""
        # What `fails` keeps of this many states, before there are any.
        count = len(actions)
        self._controller.budget.require_memory(count * (400 + (count >> 3)))
        rows = [*({a: [i]} for i, a in enumerate(actions, 1)), {}]
        return self.fails(Walked(rows, [()] * len(rows), [0]))


# The kinds of requirements that count somewhere, and whether they then do if met.
_IN_STATE = {"state": True}
_AT_STEP = {"while": False, "never-while": True}
_BLOCKED = {"guard": False}


def _listed(found: list[Seen]) -> Met:
    """States as they are, but for ERROR."""
    good = [(s, view) for s, view in found if view is not None and ERROR not in s]
    return good if len(good) == len(found) else None
