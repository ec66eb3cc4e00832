"""What must be forbidden, by its definition: every set of E's own transitions.

In:  E, C and the properties; groups of transitions of E.
Out: the minimal sets of groups without which the plan is safe; what the plan can do.
"""

from itertools import combinations

from symrob.lts import ERROR, TAU, Lts
from tests.oracles import definition
from tests.oracles.states import Asked


def planned(environment):
    """The transitions of E, without tau."""
    return {tuple(t) for t in environment.transitions if t[1] != TAU}


def without(environment, forbidden):
    kept = [t for t in environment.transitions if tuple(t) not in forbidden]
    return Lts(environment.alphabet, environment.size, kept)


def length(environment, controller, properties, forbidden=frozenset()):
    """The length of a shortest violation without some transitions; None if safe."""
    left = without(environment, forbidden)
    return definition.violation(left, (), controller, properties)


def by_action(environment):
    """The transitions of E by their actions."""
    groups = {}
    for t in planned(environment):
        groups.setdefault(t[1], set()).add(t)
    return groups


def minimal(groups, is_safe):
    """The minimal sets of names of groups that make the plan safe, by trying all.

    Args:
        groups: Names.
        is_safe: Whether the plan is safe without the groups of some names.
    """
    found = []
    for size in range(len(groups) + 1):
        for some in map(frozenset, combinations(sorted(groups), size)):
            if not any(known <= some for known in found) and is_safe(some):
                found.append(some)
    return set(found)


class Losses:
    """What the plan can do, as far as it violates nothing."""

    def __init__(self, environment, controller, properties):
        self.moves = {}
        for q, a, r in map(tuple, environment.transitions):
            self.moves.setdefault(q, []).append((a, r))
        watchers = [definition._Watcher(p) for p in properties]
        asked = Asked(properties)
        start = (0, (0,) * len(controller.components), tuple(w.start for w in watchers))
        parts, hidden = controller.components, controller.hidden
        self.depth, todo = {start: 0}, [start]
        self.steps, self.actions, self.can_move = {}, set(), {}
        for state in todo:
            q, locals_, views = state
            moves = [
                *definition._steps(
                    self.moves, environment.alphabet, parts, hidden, q, locals_, asked
                )
            ]
            self.can_move[state] = bool(moves)
            self.steps[state] = []
            for q2, locals2, action in moves:
                views2 = tuple(
                    w.after(v, action) for w, v in zip(watchers, views, strict=True)
                )
                if (
                    ERROR in locals2
                    or None in views2
                    or asked.break_at(action, (q, locals_), (q2, locals2))
                ):
                    continue
                self.steps[state].append((action, q2))
                self.actions |= {action} - {TAU}
                after = (q2, locals2, views2)
                if after not in self.depth:
                    self.depth[after] = self.depth[state] + 1
                    todo.append(after)

    def shortest_with(self, forbidden):
        """The length of a shortest run that ends with a forbidden step, or None."""
        lengths = [
            self.depth[state] + 1
            for state, steps in self.steps.items()
            for action, target in steps
            if (state[0], action, target) in forbidden
        ]
        return min(lengths, default=None)

    def shortest_end(self, plan):
        """The length of a shortest run to where only the plan goes on, or None."""
        lengths = [
            depth
            for state, depth in self.depth.items()
            if not self.can_move[state] and plan.can_move[state]
        ]
        return min(lengths, default=None)
