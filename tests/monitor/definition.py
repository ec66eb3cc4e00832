"""What a monitor has to answer, by walking runs of explicit states.

It goes forwards with tuples and sets where symrob goes backwards with BDDs, keeps no
machine, and knows nothing of how monitors are made small.
"""

from itertools import product

from symrob.lts import ERROR, TAU


class Watched:
    """A problem and what is observed of it; properties and constraints deterministic.

    A state of C‖P is a tuple of local states; a part that has failed is in ERROR and
    stays there, whatever happens, while the others go on.
    """

    def __init__(self, environment, controller, properties, constraints, observed):
        self.environment = environment
        self.parts = controller.components
        self.hidden = controller.hidden
        self.properties = properties
        self.constraints = constraints
        self.observed = tuple(observed)
        self.ours = set(environment.alphabet)
        own = {a for part in self.parts for a in part.alphabet}
        everything = (own - self.hidden) | self.ours
        # What happens unseen: (name, whether properties hear of it).
        self.silent = [(a, True) for a in everything - set(self.observed)]
        self.silent += [(a, False) for a in self.hidden]
        # What needs nothing that E does and we see.
        self.free = [*self.silent, *((a, True) for a in everything - self.ours)]
        self._known = {}
        self._labels = {}

    # --- C‖P --------------------------------------------------------------

    def moves(self, state, action, heard):
        """Where one action leads a state of C‖P."""
        choices = []
        for part, local in zip(self.parts, state, strict=False):
            if action not in part.alphabet:
                choices.append([local])
            elif local == ERROR:
                choices.append([ERROR])
            else:
                choices.append(part.successors[local].get(action, ()))
        for monitor, local in zip(
            self.properties, state[len(self.parts) :], strict=True
        ):
            if not heard or action not in monitor.alphabet or local == ERROR:
                choices.append([local])
            else:
                choices.append(monitor.successors[local].get(action, [ERROR]))
        return [tuple(chosen) for chosen in product(*choices)]

    def reached(self, states, unseen):
        """Add all that unseen actions and internal moves lead to."""
        found, todo = set(states), list(states)
        while todo:
            state = todo.pop()
            after = [t for a, heard in unseen for t in self.moves(state, a, heard)]
            for i, part in enumerate(self.parts):
                if state[i] != ERROR:
                    for target in part.successors[state[i]].get(TAU, ()):
                        after.append((*state[:i], target, *state[i + 1 :]))
            for target in after:
                if target not in found:
                    found.add(target)
                    todo.append(target)
        return frozenset(found)

    def label(self, state):
        """(violated, doomed, the actions that it is at risk by) of one state."""
        if state not in self._labels:
            ahead = self.reached([state], self.free)
            doomed = any(ERROR in s for s in ahead)
            risks = {
                a
                for a in self.observed
                if a in self.ours
                for s in ahead
                for t in self.moves(s, a, True)
                if any(ERROR in u for u in self.reached([t], self.free))
            }
            self._labels[state] = (ERROR in state, doomed, risks)
        return self._labels[state]

    def danger(self, states):
        labels = [self.label(state) for state in states]
        if not labels:
            return 4, ()
        if all(violated for violated, _, _ in labels):
            return 3, ()
        if any(doomed for _, doomed, _ in labels):
            return 2, ()
        risks = set().union(*(risks for _, _, risks in labels))
        return int(bool(risks)), tuple(a for a in self.observed if a in risks)

    # --- E, and its rules -------------------------------------------------

    def planned(self, states, action):
        moves = self.environment.successors
        if action in self.ours:
            states = {t for s in states for t in moves[s].get(action, ())}
        todo = list(states)
        states = set(states)
        unseen = {TAU, *(self.ours - set(self.observed))}
        while todo:
            state = todo.pop()
            for a in unseen:
                for target in moves[state].get(a, ()):
                    if target not in states:
                        states.add(target)
                        todo.append(target)
        return frozenset(states)

    def keeping(self, states, action):
        """States of all constraints, none of them broken."""

        def step(state, a):
            after = []
            for rule, local in zip(self.constraints, state, strict=True):
                targets = (
                    rule.successors[local].get(a, (ERROR,))
                    if a in rule.alphabet
                    else (local,)
                )
                after.append(targets[0])
            return None if ERROR in after else tuple(after)

        if action in self.ours:
            states = {step(s, action) for s in states} - {None}
        states, todo = set(states), list(states)
        while todo:
            state = todo.pop()
            for a in self.ours - set(self.observed):
                target = step(state, a)
                if target is not None and target not in states:
                    states.add(target)
                    todo.append(target)
        return frozenset(states)

    # --- the answer -------------------------------------------------------

    def answers(self, trace):
        """Yield (deviated since or 0, kind, at risk by, kept) after each action."""
        start = (0,) * (len(self.parts) + len(self.properties))
        loop = self.reached([start], self.silent)
        plan = self.planned({0}, None)
        rules = self.keeping({(0,) * len(self.constraints)}, None)
        steps = since = kind = 0
        over = None
        for action in trace:
            if action in self.observed:
                steps += 1
                key = (loop, action)
                if key not in self._known:
                    after = [t for s in loop for t in self.moves(s, action, True)]
                    self._known[key] = self.reached(after, self.silent)
                loop = self._known[key]
                plan = self._step(self.planned, plan, action)
                rules = self._step(self.keeping, rules, action)
                if not plan and not since:
                    since = steps
            kind, risks = self.danger(loop)
            # A violation that is certain stays one.
            over = 3 if kind == 3 or over == 3 else None
            yield since, over or kind, risks, bool(rules)

    def _step(self, function, states, action):
        key = (function.__name__, states, action)
        if key not in self._known:
            self._known[key] = function(states, action)
        return self._known[key]
