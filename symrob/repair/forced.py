"""Why no restriction helps: the forced trace, and further actions that would help.

In:  the engine, the deviations, and the actions that may be disabled.
Out: a `Forced`: a shortest trace to ERROR that no restriction can prevent, and the
     smallest sets of further actions with which one could.

A restriction that helps exists exactly if P holds with C when it never takes an action
that may be disabled: C' cannot prevent the other actions, and the strictest restriction
disables all others. So the sets of actions that suffice are again monotone: they hit
every remaining trace.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass, replace
from itertools import islice

from symrob.envelope.engine import Engine
from symrob.envelope.solvers import HittingSets
from symrob.errors import Trace, TraceStep
from symrob.lts import Action, Lts, Network
from symrob.lts.deviation import Deviation
from symrob.problem.roles import Model

# Sets of further actions that are told.
MOST_FURTHER = 5


@dataclass(frozen=True)
class Forced:
    """Why no repair is possible.

    Attributes:
        deviation: The first deviation for which there is none.
        trace: A shortest trace to ERROR without an action that may be disabled.
        further: Sets of actions of C, the smallest first: if all actions of one of them
            may be disabled as well, a repair is possible. Empty if none helps.
        more: Whether there may be more such sets.
    """

    deviation: Deviation
    trace: Trace
    further: tuple[tuple[Action, ...], ...]
    more: bool


def with_component(controller: Model, lts: Lts, name: str) -> Network:
    """Return C with one more component beside the others."""
    return Network(
        (*controller.components, lts),
        component_names=(*controller.component_names, name),
        hidden=controller.hidden,
    )


def restrained(engine: Engine, restraint: Lts) -> Engine:
    """Return the engine of the same problem with a restraint beside C."""
    controller = with_component(engine.problem.controller, restraint, "RESTRAINT")
    problem = replace(engine.problem, controller=controller)
    return Engine(problem, engine.backend, engine.clock)


def never(actions: Set[Action]) -> Lts:
    """Return the restraint that takes none of some actions."""
    return Lts(actions, 1, ())


def forced(
    engine: Engine,
    deviations: Sequence[Deviation],
    controllable: Set[Action],
) -> Forced:
    """Explain why no restriction tolerates all of the deviations.

    Args:
        engine: The problem.
        deviations: What must be tolerated, each alone.
        controllable: What may be disabled.

    Raises:
        LimitExceeded: A bound was hit.

    Cost: an encoding and a search for each run, and for each set that is returned.
    """
    first = _first_run(engine, deviations, controllable)
    assert first is not None, "something can be done"
    deviation, trace = first
    found = list(
        islice(_further(engine, deviations, controllable, trace), MOST_FURTHER + 1)
    )
    further = tuple(found[:MOST_FURTHER])
    return Forced(deviation, _shown(trace), further, len(found) > MOST_FURTHER)


def _first_run(
    engine: Engine,
    deviations: Sequence[Deviation],
    controllable: Set[Action],
) -> tuple[Deviation, Trace] | None:
    strict = restrained(engine, never(controllable))
    for deviation in deviations:
        added = strict.brought_by(deviation)
        graph = strict.extended(added)
        if not strict.keeps_properties(graph):
            return deviation, strict.property_trace(graph, added)
    return None


def _further(
    engine: Engine,
    deviations: Sequence[Deviation],
    controllable: Set[Action],
    trace: Trace,
) -> Iterator[tuple[Action, ...]]:
    """Yield minimal sets of further actions, the smallest first.

    Each run that is left must lose one of its actions. A smallest set that meets all
    runs known so far is tried; either it suffices, or there is another run. Ends: each
    round excludes a set of actions, and these are finite.
    """
    own = set(engine.problem.controller.alphabet)
    with HittingSets[Action]() as hitting:
        while True:
            stoppable = sorted(own.intersection(trace.actions) - controllable)
            if not stoppable:
                return
            hitting.hit(stoppable)
            while True:
                engine.clock.check()
                chosen = hitting.smallest()
                if chosen is None:
                    return
                left = _first_run(engine, deviations, {*controllable, *chosen})
                if left is not None:
                    trace = left[1]
                    break
                yield tuple(sorted(chosen))
                hitting.exclude(chosen)


def _shown(trace: Trace) -> Trace:
    """The trace without the restraint, which is no part of C."""
    return replace(
        trace,
        start=_without_last(trace.start),
        steps=tuple(map(_without_last, trace.steps)),
        components=trace.components[:-1],
    )


def _without_last(step: TraceStep) -> TraceStep:
    return replace(step, components=step.components[:-1])
