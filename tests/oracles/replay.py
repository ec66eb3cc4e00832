"""Walks through the closed loop along a trace, step by step.

Like `definition`, whose moves it uses, it shares only the LTS types with symrob.
"""

from symrob.lts import ERROR, TAU
from tests.oracles.definition import _steps, _Watcher
from tests.oracles.states import Asked


def breaks(environment, added, controller, properties, trace):
    """Whether the trace is a run of E with these transitions into ERROR.

    Each step must be one that the environment and the components, by the names
    of their states, can take; the last one, and no other, violates something.
    The controller is None where the environment runs alone. Marks of added
    transitions and of who takes a step must be right.
    """
    moves = {}
    for q, a, r in {*map(tuple, environment.transitions), *added}:
        moves.setdefault(q, []).append((a, r))
    parts = () if controller is None else controller.components
    hidden = frozenset() if controller is None else controller.hidden

    def takers(action, environment_stays, parts_stay):
        """Who may have taken a step, from what it is and what it changes."""
        if action == TAU:
            return "C" * environment_stays + "E" * parts_stay
        having = action not in hidden and any(action in p.alphabet for p in parts)
        own = action in environment.alphabet
        return ("both",) if own and having else ("E",) if own else ("C",)

    watchers, asked = [_Watcher(p) for p in properties], Asked(properties)
    views = [w.start for w in watchers]
    states = {(0, tuple(0 for _ in parts))}
    if not trace.steps:
        return any(view is None for view in views) or any(
            asked.bad(*state) for state in states
        )
    for number, step in enumerate(trace.steps, 1):
        if any(view is None for view in views):
            return False
        following, broken = set(), False
        for q, locals_ in states:
            for q2, locals2, action in _steps(
                moves, environment.alphabet, parts, hidden, q, locals_, asked
            ):
                own = action in environment.alphabet
                if (
                    action == step.action
                    and environment.state_name(q2) == step.environment
                    and _names(parts, locals2) == step.components
                    and (not step.added or (own and (q, action, q2) in added))
                    and (step.added or not own or (q, action, q2) not in added)
                    and step.who in takers(action, q == q2, locals_ == locals2)
                ):
                    following.add((q2, locals2))
                    if asked.break_at(action, (q, locals_), (q2, locals2)):
                        broken = True
        views = [w.after(v, step.action) for w, v in zip(watchers, views, strict=True)]
        last = number == len(trace.steps)
        failed = (
            broken
            or any(view is None for view in views)
            or any(ERROR in locals2 for _, locals2 in following)
        )
        if not following or failed != last:
            return False
        states = following
    return True


def _names(parts, locals_):
    return tuple(
        part.state_name(state) for part, state in zip(parts, locals_, strict=True)
    )
