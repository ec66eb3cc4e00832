"""What guards cost, by walking through E_d‖C with it, state by state.

A state is (state of E, states of C, states of the guards); these are None once one of
them was asked to take what it does not offer, and stay so.
"""

from collections import deque

from symrob.lts import ERROR, TAU
from tests.oracles import definition


class Walk:
    """E_d‖C, watched by guards that never block."""

    def __init__(self, problem, added, guards):
        environment, self.controller = problem[:2]
        self.alphabet, self.guards = environment.alphabet, guards
        self.moves = {}
        for q, a, r in {*map(tuple, environment.transitions), *map(tuple, added)}:
            self.moves.setdefault(q, []).append((a, r))
        start = (0, tuple(0 for _ in self.controller.components), (0,) * len(guards))
        self.depth, todo = {start: 0}, deque([start])
        while todo:
            state = todo.popleft()
            for _, after, _ in self.steps(state):
                if after not in self.depth:
                    self.depth[after] = self.depth[state] + 1
                    todo.append(after)
        self.kept = {s for s in self.depth if s[2] is not None}

    def steps(self, state):
        """(action, state after it, whether C takes it alone), without ERROR."""
        for step in self.all_steps(state):
            if ERROR not in step[1][1]:
                yield step

    def all_steps(self, state):
        """The same, with steps into an ERROR of C."""
        q, locals_, view = state
        parts, hidden = self.controller.components, self.controller.hidden
        for moves, alone in ((self.moves, False), ({}, True)):
            for q2, locals2, action in definition._steps(
                moves, self.alphabet, parts, hidden, q, locals_
            ):
                # With E there are all moves of C again.
                if alone or action in self.alphabet:
                    yield action, (q2, locals2, self.watched(view, action)), alone
        for action, q2 in self.moves.get(q, ()):
            if action == TAU:
                yield TAU, (q2, locals_, view), False

    def watched(self, views, action):
        after = []
        for guard, view in zip(self.guards, views or (), strict=views is not None):
            targets = (view,)
            if action in guard.alphabet:
                targets = guard.successors[view].get(action)
            if targets is None:
                return None
            after.append(targets[0])
        return None if views is None else tuple(after)

    def shortest(self, states):
        """The length of a shortest run of C' to one of them; None for none."""
        return min((self.depth[s] for s in states), default=None)

    def lost(self):
        """The length of a shortest run that ends with what is refused."""
        refusing = (
            s for s in self.kept if any(t[2] is None for _, t, _ in self.all_steps(s))
        )
        shortest = self.shortest(refusing)
        return None if shortest is None else shortest + 1

    def actions(self):
        """What C takes somewhere, and C' nowhere."""
        own = set(self.controller.alphabet)
        every = {a for s in self.depth for a, _, _ in self.steps(s)}
        kept = {a for s in self.kept for a, t, _ in self.steps(s) if t[2] is not None}
        return (every - kept) & own

    def deadlocks(self):
        """Where C' has no move, and C has one."""
        return {
            s
            for s in self.kept
            if (steps := [*self.steps(s)]) and all(t[2] is None for _, t, _ in steps)
        }

    def livelocks(self):
        """Where C' goes on alone for ever after, and C need not."""
        return {
            s
            for s in self.kept
            if any(alone and t[2] is not None for _, t, alone in self.steps(s))
            and self.comes_to_e(s, tripped=True)
            and not self.comes_to_e(s, tripped=False)
        }

    def comes_to_e(self, start, *, tripped):
        seen, todo = {start}, [start]
        while todo:
            for _, after, alone in self.steps(todo.pop()):
                if after[2] is None and not tripped:
                    continue
                if not alone:
                    return True
                if after not in seen:
                    seen.add(after)
                    todo.append(after)
        return False
