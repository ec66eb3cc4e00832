"""What single guards cost, and the cheapest, by trying all of them, on plain sets.

What is known of C after some actions is the set of its states that these may have led
to. A guard without memory refuses an action in some of these sets, told apart by what
they say of some components; one that remembers may refuse it after any run.
Requirements on states are about the states of C themselves, not about what is known.
"""

from itertools import combinations, product

from symrob.lts import ERROR, Lts, Network
from tests.oracles import definition, restriction
from tests.oracles.states import Asked


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
        self.asked = Asked(properties)
        self.starts = definition.beginnings(
            self.environment, self.controller.components
        )
        # What C's actions tell does not include what a requirement takes from it.
        self.told = self.controller
        if self.asked:
            parts = map(going_on, self.controller.components)
            self.told = Network(parts, hidden=self.controller.hidden)
        self.first = self.closed({locals_ for _, locals_ in self.starts})
        self.after, todo = {}, [self.first]
        while todo:
            known = todo.pop()
            if known in self.after:
                continue
            found = {}
            for locals_ in known:
                for locals2, action in alone(self.told, locals_):
                    if action in self.seen:
                        found.setdefault(action, set()).add(locals2)
            found = {a: self.closed(new) for a, new in found.items()}
            self.after[known] = {
                a: new for a, new in found.items() if not any(ERROR in p for p in new)
            }
            todo += self.after[known].values()
        self.groups = self.sharing_secrets()
        self.taking = self.taken(frozenset())

    def closed(self, points):
        points, todo = set(points), list(points)
        while todo:
            locals_ = todo.pop()
            if ERROR in locals_:
                continue
            for locals2, action in alone(self.told, locals_):
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

    def first_states(self, memory):
        views = tuple(w.start for w in self.watchers)
        return [
            ((q, self.run), locals_, self.first, views, memory)
            for q, locals_ in self.starts
        ]

    def walk(self, added, start, follow):
        """Each (state of E, of C, what is known, states of P, memory) and its steps.

        Args:
            added: What E gets.
            start: The first memory.
            follow: From (known, memory, action) to the next memory; None refuses it.

        Yields:
            The state, the action that is taken, and the next state; None for ERROR.
        """
        moves = {}
        planned = {*map(tuple, self.environment.transitions)}
        for left in [None] if self.run is None else range(self.run + 1):
            for q, a, r in planned:
                moves.setdefault((q, left), []).append((a, (r, left)))
            for q, a, r in {*map(tuple, added)} - planned if left != 0 else ():
                rest = None if left is None else left - 1
                moves.setdefault((q, left), []).append((a, (r, rest)))
        todo = self.first_states(start)
        seen = {*todo}
        while todo:
            state = q, locals_, known, views, memory = todo.pop()
            for q2, locals2, action in definition._steps(
                moves,
                self.environment.alphabet,
                self.controller.components,
                self.controller.hidden,
                q,
                locals_,
                self,
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
                broken = self.asked.break_at(action, (q[0], locals_), (q2[0], locals2))
                if broken or ERROR in locals2 or None in views2 or known2 is None:
                    yield state, action, None
                    continue
                new = (q2, locals2, known2, views2, memory2)
                yield state, action, new
                if new not in seen:
                    seen.add(new)
                    todo.append(new)

    def refuse(self, action, q, locals_):
        """Whether a requirement takes a step from C."""
        return self.asked.refuse(action, q[0], locals_)

    def safe(self, added, start, follow):
        return all(new is not None for *_, new in self.walk(added, start, follow))

    def steps(self, start, follow):
        """The steps of the plan: state of E, what is known of C, action of C."""
        return {
            (state[0], state[2], action)
            for state, action, _ in self.walk((), start, follow)
            if action in self.seen
        }

    def planned(self):
        return self.steps((), lambda *_: ())

    def lost_of_plan(self, start, follow):
        """How many steps of the plan are lost, and whether a trace of it is."""
        blocked = []

        def watched(known, memory, action):
            new = follow(known, memory, action)
            blocked.extend([action] if new is None else [])
            return new

        steps = len(self.planned()) - len(self.steps(start, watched))
        return steps, bool(blocked)

    def least_lost(self, added, action):
        """What any guard on an action loses of the plan that removes a hazard."""
        knowledge = restriction.Knowledge(self.problem, [added], self.run)
        table, lost = restriction.supremal(knowledge, {action})
        if knowledge.start in lost:
            return None

        def follow(_, points, taken):
            new = table[points].get(taken)
            return None if new is None or new in lost else new

        return self.lost_of_plan(knowledge.start, follow)

    def lost(self, guards):
        """What is lost of the plan with some guards, which may remember."""

        def follow(_, memory, action):
            return None if refused(guards, memory, action) else moved(memory, action)

        return self.lost_of_plan(beginning(guards), follow)

    def shortest_lost(self, guards):
        """The length of a shortest trace of the plan that is lost; None if none is."""
        start, steps = beginning(guards), {}
        for state, action, new in self.walk((), start, lambda _, *was: moved(*was)):
            steps.setdefault(state, []).append((action, new))
        now, seen, length = {*self.first_states(start)}, set(), 0
        while now:
            length, seen = length + 1, seen | now
            taken = [(s[-1], *step) for s in now for step in steps.get(s, ())]
            if any(
                action in self.seen and refused(guards, memory, action)
                for memory, action, _ in taken
            ):
                return length
            now = {new for *_, new in taken} - seen
        return None

    def refused(self, guards):
        """In how many states of C they refuse an action, whatever E does."""
        return len(
            {
                (known, action)
                for known, memory, action in self.taken(beginning(guards))
                if refused(guards, memory, action)
            }
        )

    def taken(self, memory):
        """What C can take, whatever E does: (what is known, memory, action)."""
        locals_ = {locals_ for _, locals_ in self.starts}
        todo = [(here, self.first, memory) for here in locals_]
        seen, found = {*todo}, set()
        while todo:
            here, known, memory = todo.pop()
            for locals2, action in alone(self.controller, here):
                known2, memory2 = known, memory
                if action in self.seen:
                    if all(
                        self.asked.refuse(action, q, here)
                        for q in range(self.environment.size)
                    ):
                        continue
                    found.add((known, memory, action))
                    known2 = self.after[known].get(action)
                    memory2 = moved(memory, action)
                new = (locals2, known2, memory2)
                if ERROR not in locals2 and known2 is not None and new not in seen:
                    seen.add(new)
                    todo.append(new)
        return found

    def guards(self, action):
        """Each guard on an action: its components, its states of C, and how it acts."""
        for count in range(1, len(self.groups) + 1):
            for view in combinations(self.groups, count):
                cells = {}
                for known in {k for k, _, a in self.taking if a == action}:
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
            len({self.cell(k, self.groups) for k, _, a in self.taking if a == one})
            for one in actions
        )

    def cheapest(self, added, action):
        """The least cost of a guard without memory; None if there is none."""
        costs = [
            (*self.lost_of_plan((), follow), 0, looked, refused)
            for looked, refused, follow in self.guards(action)
            if self.safe(added, (), follow)
        ]
        return min(costs, default=None)


def alone(controller, locals_):
    """The moves of C by itself."""
    for _, locals2, action in definition._steps(
        {}, (), controller.components, controller.hidden, 0, locals_
    ):
        yield locals2, action


def going_on(part):
    """A component with a state in place of ERROR, from which everything is possible."""
    failed = part.size
    moves = [(s, a, failed if t == ERROR else t) for s, a, t in part.transitions]
    moves += [(failed, a, failed) for a in part.alphabet]
    return Lts(part.alphabet, failed + 1, moves, initial=part.initial)


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
