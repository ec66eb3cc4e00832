"""The most permissive restriction by its definition, on plain sets.

What C' knows is a *knowledge set*: the states (E, C, P) that are possible given the
actions of C that were seen. It shares the LTS types with symrob and nothing else: no
BDDs, no observer, no determinised component; C stays as it is, its states in the set.
"""

from itertools import product

from symrob.lts import ERROR, Lts
from tests.oracles import definition
from tests.oracles.states import Asked

BAD = "bad"


class Knowledge:
    """What C' knows, and how it changes.

    Args:
        problem: (environment, controller, properties, constraints).
        deviations: The sets of new transitions; C' does not know which it is. With
            `held`, of modes.
        run: How many steps of a run may use them; None for any number.
        held: By mode its transitions, and how many steps may use it, or None.
    """

    def __init__(self, problem, deviations, run=None, held=None):
        environment, self.controller, properties, _ = problem
        self.place = None
        self.begin = environment.initial
        if run is not None or held is not None:
            self._spend(environment, deviations, run, held)
            deviations = [()] * len(deviations)
            environment = Lts(environment.alphabet, environment.size, ())
        self.alphabet = frozenset(environment.alphabet)
        self.seen = frozenset(self.controller.alphabet)
        self.watchers = [definition._Watcher(p) for p in properties]
        self.asked = Asked(properties)
        self.moves = [] if self.place is None else self.spent
        for added in deviations if self.place is None else ():
            moves = {}
            for q, a, r in {*map(tuple, environment.transitions), *map(tuple, added)}:
                moves.setdefault(q, []).append((a, r))
            self.moves.append(moves)
        every = [*product(*(p.initial for p in self.controller.components))]
        views = tuple(w.start for w in self.watchers)
        places = [self.begin] * len(deviations)
        if self.place is not None:
            places = self.starts
        points = {
            (i, q, parts, views)
            for i, qs in enumerate(places)
            for q, parts in product(qs, every)
        }
        first = product(self.begin, every)
        if any(view is None for view in views) or any(
            self.asked.bad(q, parts) for q, parts in first
        ):
            points = {BAD}
        self.first = points
        self.start = self.closed(points)

    def _spend(self, environment, deviations, run, held):
        """Number pairs of a state of E and what is left; `place` has E's states."""
        planned = {*map(tuple, environment.transitions)}
        self.place, self.starts, self.spent = [], [], []
        for added in deviations:
            bringing, bounds = {}, {}
            for name in added if held is not None else ():
                transitions, most = held[name]
                bounds |= {} if most is None else {name: most}
                for t in transitions:
                    bringing.setdefault(tuple(t), []).append(name)
            if held is None:
                bringing = {tuple(t): [None] for t in added}
            numbers, moves = {}, {}
            left = (run, tuple(sorted(bounds.items())))
            todo = [(q, *left) for q in self.begin]

            def number(state, numbers=numbers):
                if state not in numbers:
                    numbers[state] = len(self.place)
                    self.place.append(state[0])
                return numbers[state]

            self.starts.append([number(first) for first in todo])
            for state in todo:
                q, left, purse = state
                row = moves[number(state)] = []
                following = [(a, (r, left, purse)) for p, a, r in planned if p == q]
                for t, payers in bringing.items():
                    if t[0] != q or t in planned or left == 0:
                        continue
                    for name in payers:
                        rest, paid = None if left is None else left - 1, dict(purse)
                        if name in paid:
                            paid[name] -= 1
                        if min(paid.values(), default=0) >= 0:
                            paid = tuple(sorted(paid.items()))
                            following.append((t[1], (t[2], rest, paid)))
                for a, after in following:
                    if after not in numbers:
                        todo.append(after)
                    row.append((a, number(after)))
            self.spent.append(moves)

    def steps(self, point):
        """Each move of one state: the action that is seen, or None; the state then."""
        number, q, locals_, views = point
        for q2, locals2, action in definition._steps(
            self.moves[number],
            self.alphabet,
            self.controller.components,
            self.controller.hidden,
            q,
            locals_,
            self._asked_there,
        ):
            views2 = tuple(
                w.after(v, action) for w, v in zip(self.watchers, views, strict=True)
            )
            bad = ERROR in locals2 or any(view is None for view in views2)
            before, now = (self._e(q), locals_), (self._e(q2), locals2)
            bad = bad or self.asked.break_at(action, before, now)
            after = BAD if bad else (number, q2, locals2, views2)
            yield action if action in self.seen else None, after

    def _e(self, q):
        return q if self.place is None else self.place[q]

    @property
    def _asked_there(self):
        """The requirements, asked where E is."""
        return self if self.asked else self.asked

    def refuse(self, action, q, locals_):
        """Whether a guard takes a step from C."""
        return self.asked.refuse(action, self._e(q), locals_)

    def closed(self, points):
        points, todo = set(points), list(points)
        while todo:
            point = todo.pop()
            if point == BAD:
                continue
            for action, after in self.steps(point):
                if action is None and after not in points:
                    points.add(after)
                    todo.append(after)
        return frozenset(points)

    def after(self, points):
        """Each action that may be seen next, and what is known then."""
        found = {}
        for point in points - {BAD}:
            for action, after in self.steps(point):
                if action is not None:
                    found.setdefault(action, set()).add(after)
        return {action: self.closed(new) for action, new in found.items()}

    def everything(self, most=None):
        """All knowledge sets, with what follows each; None if there are too many."""
        table, todo = {}, [self.start]
        while todo:
            points = todo.pop()
            if points in table:
                continue
            table[points] = {} if BAD in points else self.after(points)
            todo += table[points].values()
            if most is not None and len(table) > most:
                return None
        return table


def supremal(knowledge, controllable):
    """The knowledge sets that are lost, by the definition; and the table of all."""
    table = knowledge.everything()
    lost = {points for points in table if BAD in points}
    while True:
        more = {
            points
            for points, row in table.items()
            if points not in lost
            and any(a not in controllable and new in lost for a, new in row.items())
        }
        if not more:
            return table, lost
        lost |= more


def behaviour(table, start, disabled):
    """What a restriction takes: (knowledge, action), and whether it is safe.

    Args:
        table: All knowledge sets.
        start: The first.
        disabled: The (knowledge, action) that it disables.
    """
    taken, seen, todo = set(), {start}, [start]
    while todo:
        points = todo.pop()
        if BAD in points:
            return taken, False
        for action, after in table[points].items():
            if (points, action) in disabled:
                continue
            taken.add((points, action))
            if after not in seen:
                seen.add(after)
                todo.append(after)
    return taken, True


def safe_restrictions(knowledge, controllable, most=10):
    """What each safe restriction takes, by trying all of them; None if too many.

    A restriction disables any of the actions that may be, in any knowledge set.
    """
    table = knowledge.everything(60)
    if table is None:
        return None
    choices = [
        (points, action)
        for points, row in table.items()
        for action in row
        if action in controllable
    ]
    if len(choices) > most:
        return None
    found = []
    for bits in product((False, True), repeat=len(choices)):
        disabled = {c for c, bit in zip(choices, bits, strict=True) if bit}
        taken, safe = behaviour(table, knowledge.start, disabled)
        if safe:
            found.append(taken)
    return found
