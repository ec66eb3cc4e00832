"""A trace of one design on another one: how far it goes, against sets of states.

The page follows it in JavaScript with moves that it has prepared; here all global
states after each step are worked out from the components themselves.
"""

import random
from itertools import islice, product

import pytest

from symrob.explorer.data import action_numbers, design_data
from symrob.lts import TAU, Lts
from tests.explorer.javascript import NODE, ask
from tests.explorer.problems import (
    identities,
    problem_data,
    random_engines,
    random_sets,
)

pytestmark = pytest.mark.skipif(NODE is None, reason="make test-page asks a browser")


def test_a_trace_stops_where_no_state_can_follow_it():
    rng, asked, designs = random.Random(21), [], []
    for engine in islice(random_engines(22), 200):
        problem = engine.problem
        other = _changed(rng, problem.controller.components)
        sets = list(random_sets(rng, engine, 6))
        numbers = action_numbers([problem])
        data = problem_data(problem)
        second = design_data(problem, numbers, "other")
        for part, lts in zip(second["components"], other, strict=True):
            part["alphabet"] = [numbers[a] for a in lts.alphabet]
            steps = lts.transitions
            part["transitions"] = [n for q, a, r in steps for n in (q, numbers[a], r)]
        second["hidden"] = [
            numbers[a]
            for a in problem.controller.hidden
            if any(a in lts.alphabet for lts in other)
        ]
        data["designs"].append(second)
        asked.append({"problem": data, "sets": [identities(problem, s) for s in sets]})
        designs.append((problem, other, sets, {n: a for a, n in numbers.items()}))
    stopped = followed = 0
    for (problem, other, sets, names), found in zip(
        designs, ask(asked, "onTheOther"), strict=True
    ):
        by_items = {tuple(identities(problem, s)): s for s in sets}
        for trace in found:
            deviation = by_items[tuple(trace["items"])]
            system = _System(problem, other, deviation)
            own = {a for lts in problem.controller.components for a in lts.alphabet}
            steps = [
                (names[action], who, state) for action, who, state in trace["told"]
            ]
            assert trace["refused"] == system.refused(steps, own)
            assert trace["own"] == -1
            assert trace["again"]
            assert (trace["refused"] < 0) or trace["blockers"]
            stopped += trace["refused"] >= 0
            followed += trace["refused"] < 0
    assert stopped > 20
    assert followed > 15


def _changed(rng, components):
    """The components without a transition or two, some without a whole action."""
    found = []
    for lts in components:
        steps = set(lts.transitions)
        for _ in range(rng.randint(0, 4)):
            if steps:
                steps.discard(rng.choice(sorted(steps)))
        alphabet = list(lts.alphabet)
        if len(alphabet) > 1 and rng.random() < 0.3:
            gone = rng.choice(alphabet)
            alphabet.remove(gone)
            steps = {t for t in steps if t.action != gone}
        found.append(Lts(alphabet, lts.size, sorted(steps)))
    return found


class _System:
    """E with a deviation and components, as sets of steps."""

    def __init__(self, problem, components, deviation):
        self.env = {*problem.environment.transitions, *deviation}
        self.acts = set(problem.environment.alphabet)
        self.components = components
        self.known = {a for lts in components for a in lts.alphabet}
        self.hidden = set(problem.controller.hidden) & self.known

    def moves(self, state):
        """Each step: its action, whether it is C's alone, and the state after it."""
        e, *parts = state
        for action in self.known | self.acts | {TAU}:
            ours = [
                [r for q, a, r in lts.transitions if (q, a) == (here, action)]
                if action in lts.alphabet
                else [here]
                for here, lts in zip(parts, self.components, strict=True)
            ]
            takes = any(action in lts.alphabet for lts in self.components)
            theirs = [r for q, a, r in self.env if (q, a) == (e, action)]
            if action == TAU:
                for r in theirs:
                    yield TAU, False, (r, *parts)
                for i, lts in enumerate(self.components):
                    for q, a, r in lts.transitions:
                        if (q, a) == (parts[i], TAU):
                            yield TAU, True, (e, *parts[:i], r, *parts[i + 1 :])
            elif action in self.hidden:
                for after in product(*ours):
                    yield TAU, True, (e, *after)
                for r in theirs if action in self.acts else ():
                    yield action, False, (r, *parts)
            else:
                for r in theirs if action in self.acts else [e]:
                    for after in product(*ours) if takes else [tuple(parts)]:
                        yield action, action not in self.acts, (r, *after)

    def closed(self, states, own):
        """What is reached by moves that the trace says nothing of."""
        found, waiting = set(states), list(states)
        while waiting:
            for action, alone, after in self.moves(waiting.pop()):
                free = alone if action == TAU else action not in own | self.acts
                if free and after not in found:
                    found.add(after)
                    waiting.append(after)
        return found

    def refused(self, steps, own):
        states = self.closed({(0, *(0 for _ in self.components))}, own)
        for number, (action, who, target) in enumerate(steps):
            if action == TAU and who == "C":
                continue
            if action != TAU and action not in self.known | self.acts:
                continue
            states = self.closed(
                {
                    after
                    for state in states
                    for a, alone, after in self.moves(state)
                    if a == action and after[0] == target and not (a == TAU and alone)
                },
                own,
            )
            if not states:
                return number
        return -1
