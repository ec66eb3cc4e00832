"""Lost goals by definition: E_d‖C walked state by state, on plain tuples.

A goal is lost if from some reachable state no state that performs it is reachable.
Every reachable state is walked from, one after the other.
"""

from collections import deque

from tests.oracles.modes import ERROR, TAU, moves, steps_of
from tests.oracles.states import Asked

NO_GUARDS = Asked(())


class Walk:
    """E_d beside C, both components side by side.

    Args:
        environment: The components of E, as dictionaries.
        controller: Those of C.
        hidden: Actions of E that nobody else sees.
        concealed: Those of C.
        guarded: Requirements on states, of which guards take steps from C; E is flat.
    """

    def __init__(
        self, environment, controller, hidden=(), concealed=(), guarded=NO_GUARDS
    ):
        self._guarded = guarded
        self._sides = [
            ([steps_of(p) for p in parts], [set(p["alphabet"]) for p in parts], unseen)
            for parts, unseen in ((environment, hidden), (controller, concealed))
        ]
        self.actions = [
            set().union(*alphabets) - set(unseen)
            for _, alphabets, unseen in self._sides
        ]
        start = (0,) * len(environment), (0,) * len(controller)
        self.distance, todo = {start: 0}, deque([start])
        self.steps = {}
        while todo:
            here = todo.popleft()
            self.steps[here] = list(self._from(here))
            for _, after in self.steps[here]:
                if after is not None and after not in self.distance:
                    self.distance[after] = self.distance[here] + 1
                    todo.append(after)

    def steps_of_e(self, state):
        """The steps that the components of E could take together, whatever C does."""
        tables, alphabets, _ = self._sides[0]
        return [*moves(tables, alphabets, state)]

    def _from(self, here):
        """Each step: its action and the state behind it; None for an ERROR of C."""
        both = self.actions[0] & self.actions[1]
        own = []
        for (tables, alphabets, unseen), state in zip(self._sides, here, strict=True):
            found = moves(tables, alphabets, state)
            own.append([(TAU if a in unseen else a, after) for a, after in found])
        own[1] = [
            (a, after)
            for a, after in own[1]
            if a == TAU or not self._guarded.refuse(a, here[0][0], here[1])
        ]
        for action, e in own[0]:
            if action not in both:
                yield action, (e, here[1])
        for action, c in own[1]:
            if action not in both:
                yield action, None if ERROR in c else (here[0], c)
        for action, e in own[0]:
            for other, c in own[1]:
                if action == other and action in both:
                    yield action, None if ERROR in c else (e, c)

    @property
    def dead(self):
        return {state for state, steps in self.steps.items() if not steps}

    def losing(self, performs):
        """The states from which none is reachable that performs a goal."""
        found = set()
        for state in self.steps:
            seen, todo = {state}, [state]
            while todo and not any(performs(here, self) for here in seen):
                for _, after in self.steps[todo.pop()]:
                    if after is not None and after not in seen:
                        seen.add(after)
                        todo.append(after)
            if not any(performs(here, self) for here in seen):
                found.add(state)
        return found

    def after(self, actions):
        """The states in which a run with these actions can be."""
        states = {next(iter(self.distance))}
        for action in actions:
            states = {t for s in states for a, t in self.steps[s] if a == action and t}
        return states


def performing(actions):
    """What performs a goal of some actions."""
    return lambda state, walk: any(a in actions for a, _ in walk.steps[state])


def ending(plan):
    """What performs the end of a plan: where it stops and E has nothing left to do.

    If E always has, where it stops at all.
    """
    stops = {state[0] for state in plan.dead}
    ends = {state for state in stops if not plan.steps_of_e(state)} or stops
    return lambda state, _walk: state[0] in ends


def default_goals(plan):
    """The goals of a plan by its own: what performs each, by name."""
    found = {a: performing({a}) for a in sorted(plan.actions[1])}
    found = {name: does for name, does in found.items() if not plan.losing(does)}
    return found | ({"completion": ending(plan)} if plan.dead else {})
