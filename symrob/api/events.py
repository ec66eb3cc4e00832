"""The spaces whose units are the events of a case.

In:  `Events`, the models of the case, or of several cases for the same events.
Out: a `Space` for each; the space of candidates without a probability.

Events that change components of E have a composition that contains only what these
events add; it may consist of independent parts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace

from symrob.analyses.space import Space
from symrob.api.loading import Roles
from symrob.api.stages import open_space, open_spaces
from symrob.case.faults import Faults
from symrob.case.units import called
from symrob.envelope.engine import Engine
from symrob.limits import Clock
from symrob.options import Options
from symrob.problem import FaultMode, LocalTransition
from symrob.risk.events import Events
from symrob.risk.search import space_about


def event_spaces(
    events: Events,
    sides: Mapping[str, Roles],
    engines: Callable[[], Iterable[Engine]],
    options: Options,
    clock: Clock,
) -> list[Space]:
    """Return a space of the first case's events for each case.

    Args:
        events: The events.
        sides: The models of the cases.
        engines: Opens each E as a whole; not called if events change components.
        options: How to run.
        clock: Clock of the run.

    Raises:
        SymrobError: As for `symrob.api.stages.open_spaces`.
        LimitExceeded: A bound was hit.
    """
    if not events.of_components:
        return [space_about(engine, events) for engine in engines()]
    modes = [event.mode for event in events.events]
    return open_spaces(
        {name: _in_modes(roles, modes) for name, roles in sides.items()}, options, clock
    )


def missing_space(
    events: Events, roles: Roles, options: Options, clock: Clock
) -> Space:
    """Return the space of component transitions without a probability.

    Raises:
        SymrobError: As for `symrob.api.stages.open_space`.
        LimitExceeded: A bound was hit.
    """
    model = roles.environment.model
    modes = [
        FaultMode(called(t, model), local=frozenset((t,)))
        for t in events.missing
        if isinstance(t, LocalTransition)
    ]
    return open_space(_in_modes(roles, modes), options, clock)


def _in_modes(roles: Roles, modes: Iterable[FaultMode]) -> Roles:
    """A case in which some modes of components are all that can happen."""
    return replace(roles, faults=Faults(modes=tuple(modes), only=True))
