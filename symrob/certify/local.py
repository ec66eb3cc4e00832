"""The closed loop rule by rule, each with as few components of C as it takes.

In:  a checked `Problem`, a set of environment transitions.
Out: whether E_d‖C‖P reaches ERROR.

A component that is left out leaves its actions free, so that the rest can do all that
it does in C, and more: what is safe so is safe. A run into ERROR that is found so is
one of C exactly if each component that was left out can follow it, since components
meet in actions only. Else one that cannot joins (localisation). Ends: with all of them
every run is one of C. Components that can fail, or have hidden actions, are never left
out.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from symrob.certify.closed_loop import ExplicitLoop
from symrob.errors import Trace
from symrob.limits import Clock
from symrob.lts import ERROR, TAU, Lts, Network, Transition
from symrob.lts.reachability import closures
from symrob.problem import Monitor, Problem


def is_safe(problem: Problem, deviation: Iterable[Transition], clock: Clock) -> bool:
    """Whether no run of the deviated closed loop reaches ERROR.

    Args:
        problem: E, C and P; nothing is assumed of E.
        deviation: What E gets, or all that it has then.
        clock: Checked at intervals.

    Cost: for each property as many searches as components join, each linear in the
        states of E with these components.
    """
    added = frozenset(deviation)
    beginning = (problem.environment, *problem.controller.components)
    if problem.requirements or any(lts.initial != (0,) for lts in beginning):
        # Components that they name cannot be left out.
        return ExplicitLoop.both(problem)[1].is_safe(added, clock)
    rules: Sequence[tuple[Monitor, ...]] = [(m,) for m in problem.properties] or [()]
    return all(_keeps(problem, rule, added, clock) for rule in rules)


def _keeps(
    problem: Problem,
    rule: tuple[Monitor, ...],
    added: frozenset[Transition],
    clock: Clock,
) -> bool:
    controller = problem.controller
    left_out = [
        lts
        for lts in controller.components
        if controller.hidden.isdisjoint(lts.alphabet)
        and all(t.target != ERROR for t in lts.transitions)
    ]
    watched = {action for monitor in rule for action in monitor.lts.alphabet}
    while True:
        loop = ExplicitLoop(problem.environment, _without(problem, left_out), rule)
        run = loop.violation(added, clock)
        if run is None:
            return True
        blocking = [lts for lts in left_out if not _follows(lts, run)]
        if not blocking:
            return False
        # The rule speaks most of this one.
        joining = max(blocking, key=lambda lts: len(watched.intersection(lts.alphabet)))
        left_out = [lts for lts in left_out if lts is not joining]


def _without(problem: Problem, left_out: Sequence[Lts]) -> Network | None:
    """C without some components, whose own actions can be taken at any time."""
    controller = problem.controller
    kept = [lts for lts in controller.components if not any(lts is o for o in left_out)]
    known = {*problem.environment.alphabet, *(a for lts in kept for a in lts.alphabet)}
    free = sorted({a for lts in left_out for a in lts.alphabet} - known)
    if free:
        kept.append(Lts(free, 1, [(0, action, 0) for action in free]))
    return Network(kept, hidden=controller.hidden) if kept else None


def _follows(lts: Lts, run: Trace) -> bool:
    """Whether a component can take its part in a run."""
    closure = closures(lts)
    states = closure(0)
    own = {*lts.alphabet} - {TAU}
    for action in run.actions:
        if action in own:
            after = (lts.successors[s].get(action, ()) for s in states)
            states = frozenset().union(*(closure(t) for ts in after for t in ts))
            if not states:
                return False
    return True
