"""The closed loop multiplied out once, with all that could be added to E.

It shares only the LTS types with symrob. All of A is in the product, and each step
carries the transition of E that it needs, so that any set of transitions is judged
by a walk that takes no others. Sets of transitions are masks.
"""

from collections import deque
from itertools import product

from symrob.lts import ERROR, TAU
from tests.oracles.definition import _Watcher
from tests.oracles.states import Asked

BAD = -1
MOST_STATES = 3_000


class TooLargeError(Exception):
    """It would take too long to find out."""


class Loop:
    """A product: for each state its steps, as pairs (transition, state).

    Args:
        environment: E.
        number: For each transition of A its number.
        internal: What steps need that E has no part in.
        controller: C, or None where the environment runs alone.
        properties: What watches.
    """

    def __init__(self, environment, number, internal, controller, properties):
        machine = _Machine(controller)
        watchers, asked = [_Watcher(p) for p in properties], Asked(properties)
        alphabet = environment.alphabet
        start = tuple(w.start for w in watchers)
        self.fails_at_start = None in start or asked.bad(0, machine.start)
        self.states = []
        self.steps = []
        if self.fails_at_start:
            return
        taus = [[] for _ in range(environment.size)]
        for q, a, r in environment.transitions:
            if a not in alphabet:
                taus[q].append(r)
        everything = range(environment.size)
        watched = {}

        def watch(views, action):
            key = views, action
            if key not in watched:
                after = tuple(
                    w.after(v, action) for w, v in zip(watchers, views, strict=True)
                )
                watched[key] = None if None in after else after
            return watched[key]

        first = (0, machine.start, start)
        numbers, todo = {first: 0}, [first]
        self.states = todo

        def at(key):
            if key not in numbers:
                numbers[key] = len(todo)
                todo.append(key)
            return numbers[key]

        for q, m, views in todo:
            if len(todo) > MOST_STATES:
                raise TooLargeError
            moves, silent = machine.moves(m)

            def to(key, action=None, q=q, m=m):
                """A state, or BAD where a requirement forbids the step to it."""
                if None in key or asked.break_at(action, (q, m), key[:2]):
                    return BAD
                return at(key)

            steps = [(internal, to((r, m, views))) for r in taus[q]]
            steps += [(internal, to((q, n, views))) for n in silent]
            for action in machine.visible.difference(alphabet):
                if asked.refuse(action, q, m):
                    continue
                after = watch(views, action)
                steps += [(internal, to((q, n, after), action)) for n in moves[action]]
            for action in alphabet:
                following = moves[action] if action in machine.visible else (m,)
                if action in machine.visible and asked.refuse(action, q, m):
                    following = ()
                after = watch(views, action) if following else None
                for n in following:
                    steps += [
                        (number[q, action, r], to((r, n, after), action))
                        for r in everything
                    ]
            self.steps.append(list(dict.fromkeys(steps)))

    def length(self, present):
        """The length of a shortest trace to ERROR, or None."""
        if self.fails_at_start:
            return 0
        seen = bytearray(len(self.steps))
        seen[0] = 1
        todo = deque([(0, 1)])
        while todo:
            state, length = todo.popleft()
            for by, target in self.steps[state]:
                if present >> by & 1:
                    if target == BAD:
                        return length
                    if not seen[target]:
                        seen[target] = 1
                        todo.append((target, length + 1))
        return None

    def taken(self, present):
        """The transitions that some run takes, as a mask."""
        seen, todo, taken = {0}, [0], 0
        while todo:
            for by, target in self.steps[todo.pop()]:
                if present >> by & 1:
                    taken |= 1 << by
                    if target != BAD and target not in seen:
                        seen.add(target)
                        todo.append(target)
        return taken

    def stuck(self, present):
        """The states of E and of the machine, as pairs, from where nothing moves."""
        seen, todo, found = {0}, [0], set()
        while todo:
            state = todo.pop()
            ways = [target for by, target in self.steps[state] if present >> by & 1]
            if not ways:
                found.add(self.states[state][:2])
            todo += (new := {*ways} - seen)
            seen |= new
        return found

    def mattering(self, present):
        """The steps that are on some run into ERROR with these, by state."""
        steps = self.steps
        seen, into, failing = {0}, {}, set()
        todo = [0]
        while todo:
            state = todo.pop()
            for by, target in steps[state]:
                if not present >> by & 1:
                    continue
                if target == BAD:
                    failing.add(state)
                    continue
                into.setdefault(target, []).append(state)
                if target not in seen:
                    seen.add(target)
                    todo.append(target)
        todo = list(failing)
        while todo:
            for state in into.get(todo.pop(), ()):
                if state not in failing:
                    failing.add(state)
                    todo.append(state)
        return {
            state: [
                (by, target)
                for by, target in steps[state]
                if present >> by & 1 and (target == BAD or target in failing)
            ]
            for state in failing
        }


class _Machine:
    """The components' moves together, remembered."""

    def __init__(self, controller):
        self._parts = () if controller is None else controller.components
        self._hidden = frozenset() if controller is None else controller.hidden
        self.visible = {a for p in self._parts for a in p.alphabet} - self._hidden
        self.start = (0,) * len(self._parts)
        self._tables = []
        for part in self._parts:
            table = {}
            for s, a, t in part.transitions:
                table.setdefault((s, a), []).append(t)
            self._tables.append(table)
        self._known = {}

    def moves(self, state):
        """For each visible action what it leads to, and what nobody sees."""
        if state not in self._known:
            together = {}
            for action in self.visible | self._hidden:
                choices = [
                    table.get((s, action), ()) if action in part.alphabet else (s,)
                    for part, table, s in zip(
                        self._parts, self._tables, state, strict=True
                    )
                ]
                together[action] = [_lasting(n) for n in product(*choices)]
            silent = [n for a in self._hidden for n in together[a]]
            for index, table in enumerate(self._tables):
                silent += [
                    _lasting((*state[:index], t, *state[index + 1 :]))
                    for t in table.get((state[index], TAU), ())
                ]
            self._known[state] = together, silent
        return self._known[state]


def _lasting(state):
    return None if ERROR in state else state
