"""The closed loop property by property, each with as few components of C as possible.

In:  a checked `Problem`, a set of environment transitions.
Out: whether E_d‖C‖P reaches ERROR.

Without a component, the others can do everything that they do in C, and more: if that
is safe, C is safe. A trace to ERROR found in this way is one of C exactly if each
omitted component can follow it, since components interact only by actions. Otherwise a
component that cannot follow is added (localisation). Ends: with all components every
trace is one of C. Components that can fail, or have hidden actions, are never omitted.
"""

from __future__ import annotations

from collections.abc import Sequence

from symrob.certify.closed_loop import ExplicitLoop
from symrob.certify.spending import spending, spending_modes
from symrob.errors import Trace
from symrob.limits import Clock
from symrob.lts import ERROR, TAU, Lts, Network, Transition
from symrob.lts.deviation import Deviation
from symrob.lts.reachability import closures
from symrob.problem import Monitor, Problem, budget_of


def is_safe(problem: Problem, deviation: Deviation, clock: Clock) -> bool:
    """Whether no run of the deviated closed loop reaches ERROR.

    Args:
        problem: E, C and P; nothing is assumed of E.
        deviation: What E gets; its new transitions are what counts, and with a budget
            its modes, where it has some.
        clock: Asked now and then whether the run may go on.

    Cost: for each property as many searches as components are added, each linear in the
        states of E with these components.
    """
    units, names = problem.units, deviation.modes
    if budget_of(problem.at_most, units) is not None:
        if units is None or names is None:
            (_, both), copies = spending(problem, deviation.new, clock)
            return both.is_safe((x for some in copies.values() for x in some), clock)
        _, both = spending_modes(problem, units.chosen(names), clock)
        return both.is_safe((), clock)
    added = deviation.new
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
