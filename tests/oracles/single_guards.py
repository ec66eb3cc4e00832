"""What single guards cost, and the cheapest, by trying all of them, on plain sets.

What is known of C after some actions is the set of its states that these may have led
to. A guard without memory refuses an action in some of these sets, told apart by what
they say of some components; one that remembers may refuse it after any run.
"""

from itertools import combinations, product

from symrob.lts import ERROR
from tests.oracles import definition, restriction


class Machine:
    """C by what its actions tell, with E and the properties.

    Args:
        problem: (environment, controller, properties, constraints).
        run: How many steps of a run may use what E gets; None for any number.
    """

    def __init__(self, problem, run=None):
        self.run = run
        self.environment, self.controller, properties, _ = problem
        self.problem = problem
        self.seen = set(self.controller.alphabet)
        self.watchers = [definition._Watcher(p) for p in properties]
        self.first = self.closed({tuple(0 for _ in self.controller.components)})
        self.after, self.able, todo = {}, {}, [self.first]
        while todo:
            known = todo.pop()
            if known in self.after:
                continue
            found = {}
            for locals_ in known:
                for locals2, action in self.alone(locals_):
                    if action in self.seen:
                        found.setdefault(action, set()).add(locals2)
            found = {a: self.closed(new) for a, new in found.items()}
            self.able[known] = set(found)
            self.after[known] = {
                a: new for a, new in found.items() if not any(ERROR in p for p in new)
            }
            todo += self.after[known].values()
        self.groups = self.sharing_secrets()

    def alone(self, locals_):
        controller = self.controller
        for _, locals2, action in definition._steps(
            {}, (), controller.components, controller.hidden, 0, locals_
        ):
            yield locals2, action

    def closed(self, points):
        points, todo = set(points), list(points)
        while todo:
            locals_ = todo.pop()
            if ERROR in locals_:
                continue
            for locals2, action in self.alone(locals_):
                if action not in self.seen and locals2 not in points:
                    points.add(locals2)
                    todo.append(locals2)
        return frozenset(points)

    def sharing_secrets(self):
        """Components that share a hidden action are known together only."""
        parts, hidden = self.controller.components, self.controller.hidden
        groups = [{i} for i in range(len(parts))]
        for action in hidden:
            having = {i for i, p in enumerate(parts) if action in p.alphabet}
            touched = [g for g in groups if g & having]
            groups = [g for g in groups if not g & having] + [set().union(*touched)]
        return sorted(sorted(g) for g in groups)

    def cell(self, known, view):
        """What some groups of components are known to be in."""
        return tuple(
            frozenset(tuple(locals_[i] for i in group) for locals_ in known)
            for group in view
        )

    def walk(self, added, start, follow):
        """Each (state of E, of C, what is known, states of P, memory) and its steps.

        Args:
            added: What E gets.
            start: The first memory.
            follow: From (known, memory, action) to the next memory; None refuses it.

        Yields:
            The state, the action that is taken, and what is known then; None where
            ERROR is reached.
        """
        moves = {}
        planned = {*map(tuple, self.environment.transitions)}
        for left in [None] if self.run is None else range(self.run + 1):
            for q, a, r in planned:
                moves.setdefault((q, left), []).append((a, (r, left)))
            for q, a, r in {*map(tuple, added)} - planned if left != 0 else ():
                rest = None if left is None else left - 1
                moves.setdefault((q, left), []).append((a, (r, rest)))
        views = tuple(w.start for w in self.watchers)
        locals_ = tuple(0 for _ in self.controller.components)
        first = ((0, self.run), locals_, self.first, views, start)
        seen, todo = {first}, [first]
        while todo:
            state = q, locals_, known, views, memory = todo.pop()
            for q2, locals2, action in definition._steps(
                moves,
                self.environment.alphabet,
                self.controller.components,
                self.controller.hidden,
                q,
                locals_,
            ):
                known2, memory2 = known, memory
                if action in self.seen:
                    memory2 = follow(known, memory, action)
                    if memory2 is None:
                        continue
                views2 = tuple(
                    w.after(v, action)
                    for w, v in zip(self.watchers, views, strict=True)
                )
                if action in self.seen:
                    # If these actions may have led to ERROR, some run of them has.
                    known2 = self.after[known].get(action)
                if ERROR in locals2 or None in views2 or known2 is None:
                    yield state, action, None
                    continue
                yield state, action, known2
                new = (q2, locals2, known2, views2, memory2)
                if new not in seen:
                    seen.add(new)
                    todo.append(new)

    def safe(self, added, start, follow):
        return all(known is not None for *_, known in self.walk(added, start, follow))

    def steps(self, start, follow):
        """The steps of the plan: state of E, what is known of C, action of C."""
        return {
            (state[0], state[2], action)
            for state, action, _ in self.walk((), start, follow)
            if action in self.seen
        }

    def planned(self):
        return self.steps((), lambda *_: ())

    def least_lost(self, added, action):
        """How much of the plan any guard on an action loses that removes a hazard."""
        knowledge = restriction.Knowledge(self.problem, [added], self.run)
        table, lost = restriction.supremal(knowledge, {action})
        if knowledge.start in lost:
            return None

        def follow(_, points, taken):
            new = table[points].get(taken)
            return None if new is None or new in lost else new

        return len(self.planned()) - len(self.steps(knowledge.start, follow))

    def lost(self, guards):
        """How much of the plan is lost with some guards, which may remember."""

        def follow(_, memory, action):
            return None if refused(guards, memory, action) else moved(memory, action)

        return len(self.planned()) - len(self.steps(beginning(guards), follow))

    def refused(self, guards):
        """In how many states of C they refuse an action, whatever E does."""
        start = (self.first, beginning(guards))
        seen, todo, found = {start}, [start], set()
        while todo:
            known, memory = todo.pop()
            found |= {
                (known, a) for a in self.able[known] if refused(guards, memory, a)
            }
            for action, after in self.after[known].items():
                new = (after, moved(memory, action))
                if new not in seen:
                    seen.add(new)
                    todo.append(new)
        return len(found)

    def guards(self, action):
        """Each guard on an action: its components, its states of C, and how it acts."""
        for count in range(1, len(self.groups) + 1):
            for view in combinations(self.groups, count):
                cells = {}
                for known, able in self.able.items():
                    if action in able:
                        cell = self.cell(known, view)
                        cells[cell] = cells.get(cell, 0) + 1
                for chosen in product((False, True), repeat=len(cells)):
                    refused = {c for c, yes in zip(cells, chosen, strict=True) if yes}

                    def follow(known, _, taken, view=view, refused=refused):
                        held = taken == action and self.cell(known, view) in refused
                        return None if held else ()

                    yield count, sum(cells[c] for c in refused), follow

    def choices(self, actions):
        """How many guards there are at most, on one action and some components."""
        return max(
            len(
                {
                    self.cell(k, self.groups)
                    for k, able in self.able.items()
                    if a in able
                }
            )
            for a in actions
        )

    def cheapest(self, added, action):
        """The least cost of a guard without memory; None if there is none."""
        plan = len(self.planned())
        costs = [
            (plan - len(self.steps((), follow)), 0, looked, refused)
            for looked, refused, follow in self.guards(action)
            if self.safe(added, (), follow)
        ]
        return min(costs, default=None)


def beginning(guards):
    """What some guards look at and remember, each in its first state."""
    looked = {lts for one in guards for g in one.guards for _, lts in g.looks_at}
    return frozenset((lts, 0) for lts in looked)


def moved(memory, action):
    """The same after an action; what does not offer it stays as it is."""
    return frozenset(
        (lts, lts.successors[state].get(action, (state,))[0]) for lts, state in memory
    )


def refused(guards, memory, action):
    states = dict(memory)
    return any(
        all(states[c.lts] in c.states for c in term)
        for one in guards
        for g in one.guards
        if g.action == action
        for term in g.terms
    )
