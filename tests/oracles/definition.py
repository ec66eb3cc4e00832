"""Robustness by its definition, on plain tuples and sets.

It shares only the LTS types with symrob: no BDDs, no solver, no fixpoint over
environment states, no screening, no growing. Every set of new transitions is
tried, and each is judged by walking through the closed loop run by run.

A run of the closed loop is watched by each property as a set of states: those
in which some run of the property may be after the actions so far. The run is
bad as soon as one of them is ERROR or none is left.
"""

from collections import deque
from itertools import combinations, product

from symrob.lts import ERROR, TAU, Lts, Network
from tests.oracles.states import Asked

NOTHING = Asked(())


def candidates(environment):
    """A without R_E."""
    present = set(environment.transitions)
    return [
        (q, a, r)
        for q, a, r in product(
            range(environment.size), environment.alphabet, range(environment.size)
        )
        if (q, a, r) not in present
    ]


def delta(environment, controller, properties, constraints=()):
    """Δ as a set of frozensets of transitions, R_E (without tau) included.

    None if the nominal system violates a property or constraint.
    """
    if violation(environment, (), controller, properties) is not None:
        return None
    if violation(environment, (), None, constraints) is not None:
        return None
    new = candidates(environment)
    found = []
    for size in range(len(new), -1, -1):
        for chosen in combinations(new, size):
            chosen = frozenset(chosen)
            if any(chosen <= other for other in found):
                continue
            if robust(environment, chosen, controller, properties, constraints):
                found.append(chosen)
    nominal = {tuple(t) for t in environment.transitions if t[1] != TAU}
    return {frozenset(nominal | d) for d in found}


def robust(environment, added, controller, properties, constraints):
    """Whether E_d‖C satisfies P and E_d satisfies P_env."""
    return (
        violation(environment, added, None, constraints) is None
        and violation(environment, added, controller, properties) is None
    )


def verdict(problem, added):
    """What a set of added transitions amounts to, as in design.md's table."""
    environment, controller, properties, constraints = problem
    kept = violation(environment, added, None, constraints) is None
    if violation(environment, added, controller, properties) is None:
        return "tolerated" if kept else "excluded-safe"
    return "hazardous" if kept else "excluded-unsafe"


def refused(problem, added):
    """What E_d refuses of C, though P would break if it took part: (state, action)."""
    environment, controller, properties, _ = problem
    present = {*map(tuple, environment.transitions), *added}
    return {
        (q, a)
        for q in range(environment.size)
        for a in set(environment.alphabet) & set(controller.alphabet)
        if not any((q, a) == t[:2] for t in present)
        and violation(environment, {*added, (q, a, q)}, controller, properties)
        is not None
    }


def violation(environment, added, controller, properties):
    """Length of a shortest trace to ERROR, or None if there is none.

    The controller is None where the environment runs alone.
    """
    moves = {}
    for q, a, r in {*map(tuple, environment.transitions), *added}:
        moves.setdefault(q, []).append((a, r))
    parts = () if controller is None else controller.components
    hidden = frozenset() if controller is None else controller.hidden
    watchers = [_Watcher(p) for p in properties]
    views = tuple(w.start for w in watchers)
    asked, first = Asked(properties), beginnings(environment, parts)
    if any(view is None for view in views) or any(asked.bad(*s) for s in first):
        return 0
    todo = deque(((q, locals_, views), 0) for q, locals_ in first)
    seen = {state for state, _ in todo}
    while todo:
        (q, locals_, views), depth = todo.popleft()
        for q2, locals2, action in _steps(
            moves, environment.alphabet, parts, hidden, q, locals_, asked
        ):
            if ERROR in locals2 or asked.break_at(action, (q, locals_), (q2, locals2)):
                return depth + 1
            views2 = tuple(
                w.after(v, action) for w, v in zip(watchers, views, strict=True)
            )
            if any(view is None for view in views2):
                return depth + 1
            state = (q2, locals2, views2)
            if state not in seen:
                seen.add(state)
                todo.append((state, depth + 1))
    return None


def beginnings(environment, parts):
    """Each pair of an initial state of E and initial states of some parts."""
    firsts = (one.initial for one in (environment, *parts))
    return [(q, tuple(locals_)) for q, *locals_ in product(*firsts)]


def firing(environment, deviation, controller):
    """Which transitions of a robust deviation some run takes."""
    return {
        (q, action, q2)
        for (q, _), steps in walk(environment, deviation, controller)
        for q2, _, action in steps
        if action in environment.alphabet
    }


def walk(environment, deviation, controller):
    """Each state of the closed loop, once, with all steps from it: as `_steps`."""
    taus = [t for t in environment.transitions if t[1] == TAU]
    moves = {}
    for q, a, r in {*map(tuple, deviation), *map(tuple, taus)}:
        moves.setdefault(q, []).append((a, r))
    parts, hidden = controller.components, controller.hidden
    start = (0, tuple(0 for _ in parts))
    seen, todo = {start}, [start]
    while todo:
        state = todo.pop()
        steps = [*_steps(moves, environment.alphabet, parts, hidden, *state)]
        yield state, steps
        for q2, locals2, _ in steps:
            if ERROR not in locals2 and (q2, locals2) not in seen:
                seen.add((q2, locals2))
                todo.append((q2, locals2))


def _steps(moves, alphabet, parts, hidden, q, locals_, asked=NOTHING):
    """Every move of the closed loop: (q', local states', visible action).

    Args:
        asked: Requirements on states, of which guards take steps from C.
    """
    of_c = {a for part in parts for a in part.alphabet} - hidden
    for a, r in moves.get(q, ()):
        if a == TAU:
            yield r, locals_, TAU
    visible = set(alphabet)
    for part in parts:
        visible |= set(part.alphabet) - hidden
    for action in sorted(visible):
        targets = [r for a, r in moves.get(q, ()) if a == action]
        if action not in alphabet:
            targets = [q]
        if action in of_c and asked.refuse(action, q, locals_):
            continue
        for locals2 in _together(parts, locals_, action, hidden=False, names=hidden):
            for r in targets:
                yield r, locals2, action
    for action in sorted(hidden):
        for locals2 in _together(parts, locals_, action, hidden=True, names=hidden):
            yield q, locals2, TAU
    for index, part in enumerate(parts):
        for s, a, t in part.transitions:
            if s == locals_[index] and a == TAU:
                yield q, (*locals_[:index], t, *locals_[index + 1 :]), TAU


def _together(parts, locals_, action, *, hidden, names):
    """The components synchronised on an action: each combination of targets."""
    if (action in names) != hidden:
        # A visible action with the name of a hidden one is another action,
        # which no component of this network has.
        yield locals_
        return
    choices = []
    for part, state in zip(parts, locals_, strict=True):
        if action not in part.alphabet:
            choices.append([state])
        else:
            choices.append(
                [t for s, a, t in part.transitions if (s, a) == (state, action)]
            )
    yield from product(*choices)


class _Watcher:
    """A property, as the sets of states that it may be in."""

    def __init__(self, model):
        lts = multiply(model)
        self._alphabet = set(lts.alphabet)
        self._moves = {}
        for s, a, t in lts.transitions:
            self._moves.setdefault((s, a), set()).add(t)
        self.start = self._settle({0})

    def _settle(self, states):
        """Add what tau leads to; None if ERROR is among it or nothing is."""
        states, todo = set(states), list(states)
        while todo:
            for t in self._moves.get((todo.pop(), TAU), ()):
                if t not in states:
                    states.add(t)
                    todo.append(t)
        return None if ERROR in states or not states else frozenset(states)

    def after(self, view, action):
        if action not in self._alphabet:
            return view
        return self._settle({t for s in view for t in self._moves.get((s, action), ())})


def multiply(model):
    """The product of a network's components, by the definition."""
    if isinstance(model, Lts):
        return model
    assert isinstance(model, Network)
    start = tuple(0 for _ in model.components)
    number, todo, transitions = {start: 0}, [start], []
    while todo:
        state = todo.pop()
        for _, after, action in _steps(
            {}, (), model.components, model.hidden, 0, state
        ):
            if ERROR in after:
                transitions.append((number[state], action, ERROR))
                continue
            if after not in number:
                number[after] = len(number)
                todo.append(after)
            transitions.append((number[state], action, number[after]))
    return Lts(model.alphabet, len(number), transitions)
