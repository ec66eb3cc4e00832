"""Requirements on states by their definition: every run of the closed loop is walked.

A condition is a nested tuple: ("is", side, component, states), ("not", c), ("and", c,
d), ("or", c, d); a requirement is (kind, actions, condition), its kind `never`,
`only-while`, `never-while` or `enabled-only-while`. A state of E is a tuple of the
states of its components, or None where it was added to E.
"""

from itertools import combinations, product

from symrob.lts import Lts

ERROR, TAU = -1, "tau"


def holds(condition, e, c):
    """Whether a condition is met in states of E and C."""
    operator, *parts = condition
    if operator == "is":
        side, component, states = parts
        local = e if side == "E" else c
        return local is not None and local[component] in states
    if operator == "not":
        return not holds(parts[0], e, c)
    both = [holds(part, e, c) for part in parts]
    return all(both) if operator == "and" else any(both)


def written(condition, names):
    """A condition as people write it; `names` has the name of each component."""
    operator, *parts = condition
    if operator == "is":
        side, component, states = parts
        said = " or ".join(map(str, sorted(states))) if states else "'nowhere*'"
        if not states:
            return f"(not {names[side][component]} is *)"
        return f"{names[side][component]} is {said}"
    if operator == "not":
        return f"not ({written(parts[0], names)})"
    return "(" + f" {operator} ".join(written(part, names) for part in parts) + ")"


def sentence(requirement, names):
    """A requirement as people write it."""
    kind, actions, condition = requirement
    said = written(condition, names)
    what = "{" + ", ".join(sorted(actions)) + "}" if actions else ""
    return {
        "never": f"never {said}",
        "only-while": f"{what} only while {said}",
        "never-while": f"never {what} while {said}",
        "enabled-only-while": f"{what} enabled only while {said}",
    }[kind]


def forbids_step(requirement, action, e, c):
    """Whether a step by an action must not be taken in some states."""
    kind, actions, condition = requirement
    if action not in actions or kind in ("never", "enabled-only-while"):
        return False
    return holds(condition, e, c) == (kind == "never-while")


class Stated(Lts):
    """A requirement on states in the place of a property; E is flat.

    As a system it is one that watches nothing.
    """

    def __init__(self, requirement):
        super().__init__((), 1, ())
        self.requirement = requirement

    def __eq__(self, other):
        return isinstance(other, Stated) and self.requirement == other.requirement

    def __hash__(self):
        return hash(self.requirement)

    def text(self, controller):
        """The sentence, for a controller with these components."""
        names = controller.component_names
        of_c = [f"C:{n}" for n in names] if len(names) > 1 else ["C"]
        return sentence(self.requirement, {"E": ["E"], "C": of_c})

    @property
    def is_guard(self):
        """Whether it takes steps from C."""
        return self.requirement[0] == "enabled-only-while"

    def refuses(self, action, q, locals_):
        """Whether it takes a step from C."""
        _, actions, condition = self.requirement
        met = self.is_guard and action in actions
        return met and not holds(condition, (q,), locals_)

    def bad_step(self, action, q, locals_):
        """Whether the action must not be taken there."""
        return forbids_step(self.requirement, action, (q,), locals_)

    def bad(self, q, locals_):
        """Whether no reachable state may be like that."""
        kind, _, condition = self.requirement
        return kind == "never" and holds(condition, (q,), locals_)


class Asked(tuple):
    """The requirements among some properties."""

    def __new__(cls, properties):
        return super().__new__(cls, [p for p in properties if isinstance(p, Stated)])

    def refuse(self, action, q, locals_):
        """Whether a guard takes a step from C."""
        return any(p.refuses(action, q, locals_) for p in self)

    def bad(self, q, locals_):
        """Whether no reachable state may be like that."""
        return any(p.bad(q, locals_) for p in self)

    def break_at(self, action, before, after):
        """Whether a step, between pairs of states of E and C, breaks one."""
        return any(p.bad_step(action, *before) for p in self) or self.bad(*after)


def steps(parts, hidden, alphabets, locals_):
    """The moves of components side by side: (visible action, locals after)."""
    for i, part in enumerate(parts):
        for s, a, t in part:
            if s == locals_[i] and a == TAU:
                yield TAU, (*locals_[:i], t, *locals_[i + 1 :])
    for action in sorted(set().union(*alphabets)) if alphabets else ():
        choices = [
            [t for s, a, t in part if (s, a) == (locals_[i], action)]
            if action in alphabets[i]
            else [locals_[i]]
            for i, part in enumerate(parts)
        ]
        for after in product(*choices):
            yield (TAU if action in hidden else action), after


class Loop:
    """E, C and what is required of them.

    Args:
        environment: Its components, as dictionaries; a single one may have more states
            than `known`, which were added.
        controller: Likewise, with no added states; `None` where E runs alone.
        monitors: Deterministic, as dictionaries.
        requirements: As of the module.
        known: How many states a flat E had.
        hidden: Hidden actions of C.
    """

    def __init__(
        self, environment, controller, monitors, requirements, known=None, hidden=()
    ):
        self.e, self.c = environment, controller or []
        self.monitors, self.requirements = monitors, requirements
        self.known, self.hidden = known, set(hidden)
        self.alone = controller is None
        self.own = set().union(*(c["alphabet"] for c in environment))

    def local(self, e):
        """A state of E as conditions see it."""
        return None if self.known is not None and e[0] >= self.known else e

    def moves(self, e, c, added):
        """Every step: (action, E afterwards, C afterwards); hidden ones are tau."""
        tables = [[*map(tuple, part["transitions"])] for part in self.e]
        for i, *t in added:
            tables[i].append(tuple(t))
        mine = [*steps(tables, (), [set(p["alphabet"]) for p in self.e], e)]
        theirs = [
            *steps(
                [[*map(tuple, p["transitions"])] for p in self.c],
                self.hidden,
                [set(p["alphabet"]) for p in self.c],
                c,
            )
        ]
        shared = set().union(*(p["alphabet"] for p in self.c)) - self.hidden
        shared = shared if self.c else set()
        for action, after in {*mine}:
            if action == TAU or action not in shared:
                yield action, after, c
        for action, after in {*theirs}:
            if action != TAU and self.blocked(action, e, c):
                continue
            if action == TAU or action not in self.own:
                yield action, e, after
            else:
                for other, there in {*mine}:
                    if other == action:
                        yield action, there, after

    def blocked(self, action, e, c):
        """Whether a guard takes the step from C."""
        return any(
            kind == "enabled-only-while"
            and action in actions
            and not holds(condition, self.local(e), c)
            for kind, actions, condition in self.requirements
        )

    def bad(self, e, c):
        """Whether no reachable state may be like that."""
        return any(
            kind == "never" and holds(condition, self.local(e), c)
            for kind, _, condition in self.requirements
        )

    def starts(self):
        """All initial states."""
        return [
            (e, c)
            for e in product(*(p.get("initial", [0]) for p in self.e))
            for c in product(*(p.get("initial", [0]) for p in self.c))
        ]

    def distance(self, added=()):
        """Length of a shortest run that breaks something, or None."""
        layer = [(e, c, (0,) * len(self.monitors)) for e, c in self.starts()]
        if any(self.bad(e, c) for e, c, _ in layer):
            return 0
        seen, depth = {*layer}, 0
        while layer:
            depth += 1
            following = []
            for e, c, views in layer:
                for action, e2, c2 in self.moves(e, c, added):
                    if ERROR in c2 or self.bad(e2, c2):
                        return depth
                    if any(
                        forbids_step(r, action, self.local(e), c)
                        for r in self.requirements
                    ):
                        return depth
                    after = tuple(
                        self.watched(m, v, action)
                        for m, v in zip(self.monitors, views, strict=True)
                    )
                    if ERROR in after:
                        return depth
                    if (e2, c2, after) not in seen:
                        seen.add((e2, c2, after))
                        following.append((e2, c2, after))
            layer = following
        return None

    @staticmethod
    def watched(monitor, view, action):
        """A monitor after an action."""
        if action not in monitor["alphabet"]:
            return view
        after = [t for s, a, t in monitor["transitions"] if (s, a) == (view, action)]
        return after[0] if after else ERROR


def every_set(units):
    """All sets of units, the largest first."""
    units = sorted(units)
    for size in range(len(units), -1, -1):
        yield from map(frozenset, combinations(units, size))


class BudgetedLoop(Loop):
    """The same where a run may deviate only so often: E's states know what is left.

    Args:
        loop: As of `Loop`, E and C and what is required of them.
        run: How many steps may use transitions that E lacks; None for any number.
        bounds: For transitions (component, source, action, target) of a flat E how many
            steps may use them.
    """

    def __init__(self, loop, run, bounds=()):
        controller = None if loop.alone else loop.c
        super().__init__(
            *(loop.e, controller, loop.monitors, loop.requirements),
            *(loop.known, loop.hidden),
        )
        self.run, self.bounds = run, dict(bounds)

    def local(self, e):
        return super().local(e[: len(self.e)])

    def starts(self):
        left = self.run, *self.bounds.values()
        return [((*e, *left), c) for e, c in super().starts()]

    def moves(self, e, c, added):
        e, left = e[: len(self.e)], e[len(self.e) :]
        free = {*super().moves(e, c, ())}
        for action, e2, c2 in {*super().moves(e, c, added)}:
            rest = left
            if (action, e2, c2) not in free:
                used = [True, *(t == (0, *e, action, *e2) for t in self.bounds)]
                pairs = zip(left, used, strict=True)
                rest = tuple(None if n is None else n - paid for n, paid in pairs)
            if all(n is None or n >= 0 for n in rest):
                yield action, (*e2, *rest), c2


def judged(assumed, loop, units, brought):
    """(keeps P_env, keeps P) of every set of units.

    Args:
        assumed: E alone, with what is assumed of it.
        loop: E with C.
        units: Names or numbers.
        brought: For each unit its transitions (component, source, action, target).
    """
    found = {}
    for chosen in every_set(units):
        added = {t for unit in chosen for t in brought[unit]}
        found[chosen] = assumed.distance(added) is None, loop.distance(added) is None
    return found


def maximal(sets):
    """Those that are in no other."""
    sets = {*sets}
    return {s for s in sets if not any(s < other for other in sets)}


def minimal(sets):
    """Those that hold no other."""
    sets = {*sets}
    return {s for s in sets if not any(other < s for other in sets)}
