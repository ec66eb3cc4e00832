"""The steps of E in a shortest run into ERROR, where E has very many transitions.

In:  a `SafetyMonitor` and a `MaskGraph` with which the closed loop reaches ERROR.
Out: which transitions a shortest such run takes.

Forwards sets of monitor states are led on as in `exploration`, all states of E that are
met with the same at once; backwards one step of E after the other is chosen. States of
C are never told one by one.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from symrob.envelope.cache import Cache
from symrob.envelope.exploration import IMAGES, Vector, together
from symrob.envelope.monitors import AnyMonitor
from symrob.envelope.transitions import Graph, MaskGraph
from symrob.limits import Clock
from symrob.lts import Action, StateId
from symrob.lts.masks import bits

# For each state of E the monitor states that runs of one length lead to.
Layer = dict[StateId, Any]


class Step(NamedTuple):
    """A step of E: the state before, the label, the state after."""

    source: StateId
    action: Action
    target: StateId


def run_to_error(
    monitor: AnyMonitor, graph: MaskGraph, planned: Graph, clock: Clock
) -> list[Step]:
    """Return the steps of E in a shortest run of the closed loop into ERROR.

    Args:
        monitor: The monitor that runs with the environment.
        graph: The transitions of the deviated environment; with them the closed loop
            reaches ERROR, but not before the first step.
        planned: Those of the environment; where a step can be one of them, it is.
        clock: Asked once a layer whether the run may go on.

    Cost: as of `reach`, and a pre-image for each move into a state of the run.
    """
    layers, (end, bad) = _layers(monitor, graph, clock)
    steps = [end]
    for layer in reversed(layers[:-1]):
        here = steps[-1].source
        for step in _into(here, planned, graph):
            states = layer.get(step.source, monitor.empty)
            before = states & _leading(monitor, bad, step.action)
            if before != monitor.empty:
                break
        else:
            raise AssertionError("a state of a layer has no predecessor")
        steps.append(step)
        bad = before
    return steps[::-1]


def _layers(
    monitor: AnyMonitor, graph: MaskGraph, clock: Clock
) -> tuple[list[Layer], tuple[Step, Any]]:
    """What runs of each length lead to, and the first step into ERROR, from where."""
    empty, whole = monitor.empty, monitor.closed_only
    found: Vector[Any] = [empty] * graph.size
    found[0] = monitor.initial
    join = together(found, empty)
    images: Cache[tuple[Any, Action], Any] = Cache(
        lambda key: monitor.post(*key), most=IMAGES
    )
    layers: list[Layer] = [{0: found[0]}]
    while layers[-1]:
        clock.check()
        following: Layer = {}
        for source, states in layers[-1].items():
            for action, targets in graph.rows[source]:
                image = images[states, action]
                bad = states & monitor.rejects(action)
                if (failing := image & monitor.failing) != empty:
                    bad = bad | states & _leading(monitor, failing, action)
                if bad != empty:
                    return layers, (Step(source, action, next(bits(targets))), bad)
                for growing, new in join(found, empty, image, targets):
                    more = image if whole else new
                    for target in growing:
                        following[target] = following.get(target, empty) | more
        layers.append(following)
    raise AssertionError("the closed loop is safe")


def _leading(monitor: AnyMonitor, states: Any, action: Action) -> Any:
    """The monitor states that an action, and then internal moves, leads there."""
    return monitor.pre(monitor.close_back(states, None), action)


def _into(target: StateId, planned: Graph, graph: MaskGraph) -> Iterator[Step]:
    """The steps into a state of E, those of the plan first."""
    for source, row in enumerate(planned.rows):
        yield from (Step(source, a, target) for a, nexts in row if target in nexts)
    for source, moves in enumerate(graph.rows):
        yield from (Step(source, a, target) for a, to in moves if to >> target & 1)
