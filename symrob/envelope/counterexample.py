"""Shortest traces to ERROR, step by step, with the states of every part.

In:  a `SymbolicSystem`, the environment and a graph of its transitions.
Out: a `Trace`, or `None` if the closed loop is safe.

Source: docs/sources.md [S1], Def. 2 (robust deviation).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set
from dataclasses import replace
from typing import NamedTuple

from symrob.envelope.transitions import Graph
from symrob.errors import Trace, TraceStep
from symrob.limits import Clock
from symrob.lts import ERROR, TAU, Action, Lts, StateId, Transition
from symrob.lts.views import START
from symrob.lts.views import plain as without_view
from symrob.problem import plain
from symrob.problem.counted import action_of
from symrob.problem.watching import OWN_ERROR, ToldNetwork
from symrob.symbolic.context import Bdd
from symrob.symbolic.encoding import ActionRelation, SymbolicSystem

Layer = dict[StateId, Bdd]
Bits = Mapping[str, bool]


class _Point(NamedTuple):
    """A state of the closed loop, and the move that entered it.

    Attributes:
        internal: Whether it is a move of the machine alone.
    """

    state: StateId
    bits: Bits
    action: Action
    source: StateId
    internal: bool


def shortest_violation(
    system: SymbolicSystem,
    environment: Lts,
    graph: Graph,
    clock: Clock,
    *,
    added: Set[Transition] = frozenset(),
) -> Trace | None:
    """Return a shortest trace of the closed loop to ERROR.

    Args:
        system: The machine and the monitors, in bits.
        environment: For the names of its states.
        graph: The transitions of the deviated environment.
        clock: Checked at each layer.
        added: The transitions that R_E lacks, to be marked in the trace.

    Returns:
        The trace; the choice among several of equal length is deterministic.

    Cost: an image for each move and each step of the trace.
    """
    for monitor in system.monitors:
        if monitor.fails_at_start:
            start = _named(system, environment, "", 0, _initial_bits(system))
            trace = _trace(system, environment, start, (), monitor.name)
            return _told(system, trace)
    layers: list[Layer] = []
    for layer in _layers(system, graph, clock):
        layers.append(layer)
        failing = _first_error(system, graph, layer)
        if failing is not None:
            state, move, target, bits = failing
            run = _run(system, environment, graph, layers, state, bits, added)
            taken = move.name if system.moves.get(move.name) is move else TAU
            internal = any(m is move for m in system.internal)
            point = _Point(target, bits, taken, state, internal)
            planned = _planned(system, environment, graph, added, point, bits)
            last, violated, allowed = _last_step(
                system, environment, move, point, planned
            )
            steps = (*run.steps, last)
            run = replace(run, steps=steps, violated=violated, allowed=allowed)
            return _told(system, run)
    return None


def shortest_run(
    system: SymbolicSystem,
    environment: Lts,
    graph: Graph,
    targets: Mapping[StateId, Bdd],
    clock: Clock,
    *,
    added: Set[Transition] = frozenset(),
) -> Trace | None:
    """Return a shortest trace of the closed loop to some states, without ERROR.

    Args:
        system: As for `shortest_violation`.
        environment: For the names of its states.
        graph: The transitions of the deviated environment.
        targets: By the state of E, the states in which the trace must end.
        clock: Checked at each layer.
        added: The transitions that R_E lacks, to be marked in the trace.

    Returns:
        The trace, which violates nothing; `None` if there is none.

    Cost: as for `shortest_violation`.
    """
    layers: list[Layer] = []
    for layer in _layers(system, graph, clock):
        layers.append(layer)
        for state in sorted(layer.keys() & targets.keys()):
            bits = system.pick(layer[state] & targets[state])
            if bits is not None:
                run = _run(system, environment, graph, layers, state, bits, added)
                return _told(system, run)
    return None


def component_states(system: SymbolicSystem, bits: Bits) -> tuple[str, ...]:
    """Return the states of C's components by name."""
    names = system.component_states(bits)
    if isinstance(system.controller, ToldNetwork):
        return system.controller.watching.states(names)
    return names


def _told(system: SymbolicSystem, trace: Trace) -> Trace:
    """A run in the terms of C, where the system is over labels."""
    if isinstance(system.controller, ToldNetwork):
        return system.controller.watching.told(trace)
    return trace


def _layers(system: SymbolicSystem, graph: Graph, clock: Clock) -> Iterator[Layer]:
    """Yield the states at distance 0, 1, 2, … from the initial one, breadth first.

    So what is first met in a layer is at the end of a shortest trace. Ends, as states
    are finite.
    """
    ctx = system.ctx
    layer: Layer = {0: system.initial}
    seen = dict(layer)
    while layer:
        clock.check()
        yield layer
        following: Layer = {}
        for state, states in layer.items():
            for target, image in _images(system, graph, state, states):
                new = image & ~seen.get(target, ctx.false)
                if new != ctx.false:
                    seen[target] = seen.get(target, ctx.false) | new
                    following[target] = following.get(target, ctx.false) | new
        layer = following


def _run(
    system: SymbolicSystem,
    environment: Lts,
    graph: Graph,
    layers: list[Layer],
    state: StateId,
    bits: Bits,
    added: Set[Transition],
) -> Trace:
    """The run to a concrete state of the last layer."""
    path = _path_to(system, graph, layers, state, bits)
    before = [_initial_bits(system), *(p.bits for p in path)]
    steps = [
        _named(
            system,
            environment,
            plain(p.action),
            p.state,
            p.bits,
            _who(system, p.action, p.internal),
            _planned(system, environment, graph, added, p, known),
        )
        for p, known in zip(path, before, strict=False)
    ]
    start = _named(system, environment, "", 0, _initial_bits(system))
    return _trace(system, environment, start, tuple(steps))


def _planned(
    system: SymbolicSystem,
    environment: Lts,
    graph: Graph,
    added: Set[Transition],
    point: _Point,
    before: Bits,
) -> tuple[TraceStep, ...] | None:
    """What comes instead of an added step; `None` if it is not added."""
    source, taken = point.source, without_view(point.action)
    if point.internal or Transition(source, taken, point.state) not in added:
        return None
    here = system.ctx.cube(before)
    planned = [
        (label, target)
        for label, targets in graph.rows[source]
        for target in targets
        if without_view(label) != START
        and Transition(source, without_view(label), target) not in added
    ]
    action = plain(taken)
    steps = [(action, r) for label, r in planned if action_of(label) == action] or [
        (action_of(label), r)
        for label, r in planned
        if label == TAU or system.can(here, system.moves[label])
    ]
    if not steps:
        steps = [(m.action, source) for m in system.internal if system.can(here, m)]
    return tuple(
        TraceStep(a, environment.state_name(r), parts=environment.part_names(r))
        for a, r in sorted({*steps})
    )


def _trace(
    system: SymbolicSystem,
    environment: Lts,
    start: TraceStep,
    steps: tuple[TraceStep, ...],
    violated: str = "",
) -> Trace:
    parts = environment.parts
    names = parts.names if parts is not None else ()
    alphabets = (p.alphabet for p in parts.components) if parts is not None else ()
    return Trace(
        start, steps, violated, system.component_names, names, tuple(alphabets)
    )


def _images(
    system: SymbolicSystem, graph: Graph, state: StateId, states: Bdd
) -> Iterator[tuple[StateId, Bdd]]:
    """Each (environment state, machine states) that one move leads to."""
    for move in system.clusters:
        yield state, system.post(states, move)
    for action, targets in graph.rows[state]:
        image = states if action == TAU else system.post(states, system.moves[action])
        for target in targets:
            yield target, image


def _first_error(
    system: SymbolicSystem, graph: Graph, layer: Layer
) -> tuple[StateId, ActionRelation, StateId, Bits] | None:
    """A state of the layer with a move into ERROR: state, move, target, bits."""
    for state in sorted(layer):
        options = [(m, state) for m in system.internal]
        options += [
            (system.moves[a], targets[0])
            for a, targets in graph.rows[state]
            if a != TAU
        ]
        for move, target in options:
            bits = system.pick(layer[state] & move.error)
            if bits is not None:
                return state, move, target, bits
    return None


def _path_to(
    system: SymbolicSystem,
    graph: Graph,
    layers: list[Layer],
    state: StateId,
    bits: Bits,
) -> list[_Point]:
    """Walk back through the layers from a concrete state of the last one."""
    into = graph.backwards()
    points: list[_Point] = []
    for layer in reversed(layers[:-1]):
        found = _predecessor(system, into[state], layer, state, bits)
        points.append(_Point(state, bits, found.action, found.source, found.internal))
        state, bits = found.source, found.bits
    return list(reversed(points))


def _predecessor(
    system: SymbolicSystem,
    into: list[tuple[StateId, Action]],
    layer: Layer,
    state: StateId,
    bits: Bits,
) -> _Point:
    """A state of the layer before, and the move from it."""
    here = system.ctx.cube(bits)
    options: list[tuple[StateId, Action, Bdd, bool]] = [
        (state, m.action, system.pre(here, m), True)
        for m in system.internal
        if state in layer
    ]
    options += [
        (q, a, here if a == TAU else system.pre(here, system.moves[a]), False)
        for q, a in sorted(into)
        if q in layer
    ]
    for source, action, before, internal in options:
        earlier = system.pick(layer[source] & before)
        if earlier is not None:
            return _Point(state, earlier, action, source, internal)
    raise AssertionError("a state of a layer has no predecessor in the one before")


def _who(system: SymbolicSystem, action: Action, internal: bool) -> str:
    """Who takes a move: `E`, `C` or `both`."""
    if internal:
        return "C"
    if action == TAU:
        return "E"
    machine = len(system.component_names)
    return "both" if any(c < machine for c in system.moves[action].components) else "E"


def _initial_bits(system: SymbolicSystem) -> Bits:
    return dict.fromkeys(system.bits, False)


def _named(
    system: SymbolicSystem,
    environment: Lts,
    action: Action,
    state: StateId,
    bits: Bits,
    who: str = "",
    planned: tuple[TraceStep, ...] | None = None,
) -> TraceStep:
    return TraceStep(
        action,
        environment.state_name(state),
        system.component_states(bits),
        system.monitor_states(bits),
        planned is not None,
        who,
        environment.part_names(state),
        planned or (),
    )


def _allowed(monitor: Lts, state: StateId) -> set[Action]:
    """The actions that a monitor allows, whoever pays for them.

    A step that the budget does not allow violates nothing either.
    """
    fine: dict[Action, bool] = {}
    for label in monitor.alphabet:
        target, *_ = monitor.successors[state].get(label, (ERROR,))
        step = plain(label)
        fine[step] = fine.get(step, True) and target != ERROR
    return {action_of(step) for step, allowed in fine.items() if allowed}


def _last_step(
    system: SymbolicSystem,
    environment: Lts,
    move: ActionRelation,
    point: _Point,
    planned: tuple[TraceStep, ...] | None,
) -> tuple[TraceStep, str, tuple[Action, ...]]:
    """The step into ERROR, the name of what it violates, and what that allows.

    The bits of `point` are those before the step.
    """
    violated, allowed = "", set[Action]()
    components = []
    for index, (lts, state) in enumerate(system.local_components(point.bits)):
        name = lts.state_name(state)
        if index in move.components:
            after = lts.successors[state][move.name]
            # Where a component can go to ERROR itself, that is what is shown.
            name = lts.state_name(min(after))
            if min(after) == ERROR:
                violated = OWN_ERROR
        components.append(name)
    monitors = []
    for index, (lts, state) in enumerate(system.local_monitors(point.bits)):
        name = plain(lts.state_name(state))
        if index in move.monitors:
            after = lts.successors[state].get(move.name, (ERROR,))
            name = plain(lts.state_name(after[0]))
            if after[0] == ERROR:
                monitor = system.monitors[index]
                violated = monitor.name
                options = _allowed(lts, state)
                # Another outcome of the same action would be no violation.
                if action_of(move.name) not in options:
                    performed = {action_of(a) for a in environment.alphabet}
                    performed |= {m.action for m in system.internal}
                    allowed = options & monitor.about & performed
        monitors.append(name)
    step = TraceStep(
        move.action,
        environment.state_name(point.state),
        tuple(components),
        tuple(monitors),
        planned is not None,
        _who(system, move.name, point.internal),
        environment.part_names(point.state),
        planned or (),
    )
    return step, violated, tuple(sorted(allowed))
