"""Screening with the parts of C that a property depends on, before all of C.

In:  C‖P in bits, the transitions of E, candidates.
Out: the individually safe ones.

C without some of its components has all traces of C, as long as each action that P
watches and C takes alone keeps a component. So a candidate that is safe with some
components is safe with C, for each property; only the others are screened with all of
C. If components are loosely coupled, those that a property needs have few states.

Counterexamples select them: while the nominal system violates the property with the
chosen components, some other component cannot follow the trace, and is added.

Source: docs/sources.md [S1], Sect. 5.2 (a single transition).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from functools import partial

from symrob.envelope import tuning
from symrob.envelope.counterexample import shortest_violation
from symrob.envelope.exploration import Screen, reach
from symrob.envelope.monitors import SymbolicMonitor, joined
from symrob.envelope.transitions import Candidates, Graph
from symrob.limits import Clock
from symrob.lts import ERROR, TAU, Action, Lts, Network, StateId
from symrob.problem import Monitor
from symrob.problem.watching import ToldNetwork


def screens(
    loop: SymbolicMonitor, environment: Lts, graph: Graph, clock: Clock
) -> Sequence[Screen]:
    """Return screens of parts of C that together tolerate no more than C‖P.

    Args:
        loop: C‖P.
        environment: E.
        graph: The transitions of E, or of a safe E_d in its place.
        clock: Checked at intervals.

    Returns:
        One for each property; none if a property needs most of C.

    Raises:
        LimitExceeded: A bound was hit.
    """
    if loop.cones is None:
        loop.cones = [*_cones(loop, environment, graph, clock)]
    if not all(reach(cone, graph, clock) is not None for cone in loop.cones):
        return ()
    return [Screen(cone, graph, clock) for cone in loop.cones]


def tolerated(
    loop: SymbolicMonitor,
    environment: Lts,
    graph: Graph,
    candidates: Candidates,
    clock: Clock,
) -> Candidates:
    """Return the candidates that C‖P individually tolerates.

    Args:
        loop: C‖P.
        environment: E.
        graph: The transitions of E, or of a safe E_d in its place.
        candidates: The candidates.
        clock: Checked at intervals.

    Raises:
        LimitExceeded: A bound was hit.

    Cost: see `Screen.tolerated`.
    """
    coarser = partial(screens, loop, environment, graph, clock)
    if len(candidates) > tuning.SCREENED_FIRST:
        return _screened(loop, graph, candidates, clock, coarser)
    known = coarser()
    asked = candidates
    for screen in known:
        asked = screen.tolerated(asked)
    left = candidates.without(asked) if known else candidates
    if not len(left):
        return asked
    return _screened(loop, graph, left, clock).union(candidates.without(left))


def _screened(
    loop: SymbolicMonitor,
    graph: Graph,
    candidates: Candidates,
    clock: Clock,
    coarser: Callable[[], Sequence[Screen]] = tuple,
) -> Candidates:
    # What candidates can lead to is a small part of what the machine could do in
    # another environment, and has the smaller BDDs; finding it takes longer
    # where they are very many. Sets of a table are as large whatever is in them.
    within = None
    if loop.closed_only and len(candidates) <= tuning.FOLLOWED:
        everything = candidates.added_to(graph.rows)
        within = reach(loop, everything, clock, past_error=True)
    return Screen(loop, graph, clock, within, coarser).tolerated(candidates)


def _cones(
    loop: SymbolicMonitor, environment: Lts, graph: Graph, clock: Clock
) -> Iterator[SymbolicMonitor]:
    """Yield for each property C with few of its components; nothing, if one needs many.

    Ends, as each round adds a component.
    """
    controller, monitors = loop.system.controller, loop.system.monitors
    parts = controller.components if controller is not None else ()
    if controller is None or len(parts) < tuning.CONE_COMPONENTS:
        return
    # Requirements on states look at components that take no part in an action; a
    # trace does not tell what counts.
    told = isinstance(controller, ToldNetwork) or loop.system.counters
    if told or environment.views is not None or environment.starts:
        return
    found = []
    for monitor in monitors:
        some = _first_of(controller, monitor, environment)
        while True:
            # What has about as much to do as all of them is of no use.
            if 2 * len(some) > len(parts):
                return
            cone = _without_others(loop, some, monitor, environment, clock)
            trace = shortest_violation(cone.system, environment, graph, clock)
            if trace is None:
                break
            run = [step.action for step in trace.steps]
            others = (n for n in range(len(parts)) if n not in some)
            hidden = controller.hidden
            blocking = next((n for n in others if _blocks(parts[n], run, hidden)), None)
            # Two that share hidden actions may block a run that each can follow.
            if blocking is None:
                return
            some.add(blocking)
        found.append(cone)
    yield from found


def _first_of(
    controller: Network | Lts, monitor: Monitor, environment: Lts
) -> set[int]:
    """The components that any cone needs, and the one that a property watches most.

    An action that many components share counts for each by its share. Those that can
    reach ERROR are needed, and one for each watched action that C takes alone.
    """
    parts = controller.components
    watched = {*monitor.lts.alphabet}
    owners = {
        action: [n for n, part in enumerate(parts) if action in part.alphabet]
        for action in watched & {*controller.alphabet}
    }
    ties = [0.0] * len(parts)
    for numbers in owners.values():
        for number in numbers:
            ties[number] += 1 / len(numbers)
    most = max(range(len(parts)), key=lambda n: ties[n])
    some = {n for n, p in enumerate(parts) if any(t[2] == ERROR for t in p.transitions)}
    some.add(most)
    for action in sorted(owners.keys() - {*environment.alphabet}):
        if some.isdisjoint(owners[action]):
            some.add(max(owners[action], key=lambda n: ties[n]))
    return some


def _without_others(
    loop: SymbolicMonitor,
    some: Set[int],
    monitor: Monitor,
    environment: Lts,
    clock: Clock,
) -> SymbolicMonitor:
    """Some components of C with one property."""
    controller = loop.system.controller
    assert controller is not None, "C has components"
    parts = [controller.components[number] for number in sorted(some)]
    hidden = controller.hidden & {a for part in parts for a in part.alphabet}
    network = Network(parts, hidden=hidden)
    backend = loop.system.ctx.backend
    return joined(network, (monitor,), environment.alphabet, backend, clock)


def _blocks(part: Lts, run: Iterable[Action], hidden: Set[Action]) -> bool:
    """Whether a component cannot take its part of a run, with its own moves between."""
    own = {TAU, *hidden}

    def led_to(states: Iterable[StateId]) -> set[StateId]:
        """Add what its own moves lead to."""
        todo, seen = [*states], {*states}
        while todo:
            row = part.successors[todo.pop()]
            fresh = {t for action in own & row.keys() for t in row[action]} - seen
            seen |= fresh
            todo += fresh
        return seen

    states = led_to({*part.initial})
    for action in run:
        if action != TAU and action in part.alphabet:
            states = led_to(
                {t for q in states for t in part.successors[q].get(action, ())}
            )
    return not states
