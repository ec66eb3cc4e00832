"""What C would have to observe so that no action needs to be disabled always.

In:  a `Repair` with such a guard.
Out: actions of E, outside Act_C: if C observes any one of them, there is a guard that
     disables no such action always; if there is none, a minimal set that C would have
     to observe together.

A restriction depends on the observed actions. So the repair is repeated for C with an
idle component that has more actions. C' may ignore what else it observes, so observing
more is never worse.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from symrob.doing import Doing, counted
from symrob.envelope.engine import Engine
from symrob.errors import LimitExceeded
from symrob.lts import Action, Lts
from symrob.repair.forced import with_component
from symrob.repair.repair import Repair, repair

# What the component is called that sees one more action.
_OBSERVER = "OBSERVER"


@dataclass(frozen=True)
class Observable:
    """What C would have to observe.

    Attributes:
        always: The actions that are always disabled, sorted.
        actions: Actions of E, sorted: if C observes any one of these, there is a guard
            that disables none of `always` always.
        together: If no single one suffices, actions that suffice together; none of them
            can be left out.
        tried: Number of actions of E tried: all in which C does not take part.
        complete: Whether the budget `observe` sufficed.
    """

    always: tuple[Action, ...]
    actions: tuple[Action, ...]
    together: tuple[Action, ...]
    tried: int
    complete: bool


def always_disabled(found: Repair) -> tuple[Action, ...]:
    """Return the actions that a repair disables in all states."""
    guards = () if found.guards is None else found.guards.guards
    return tuple(g.action for g in guards if not all(g.terms))


def observable(found: Repair) -> Observable | None:
    """Return what C would have to observe; `None` if no action is always disabled.

    Cost: a repair for each action of E outside Act_C; at most the budget `observe`.
    """
    always = always_disabled(found)
    if not always:
        return None
    engine = found.engine
    own = {*engine.problem.controller.alphabet}
    unseen = sorted({*engine.problem.environment.alphabet} - own)
    helping: list[Action] = []
    together: list[Action] = []
    tried, complete = 0, False

    def suffices(actions: Sequence[Action]) -> bool:
        seeing = _seeing(engine, actions)
        again = repair(seeing, found.deviations, found.controllable)
        return again.guards is not None and not {*always} & {*always_disabled(again)}

    with (
        suppress(LimitExceeded),
        engine.clock.step("observe"),
        Doing("searching for actions that C could observe", "actions"),
    ):
        for action in unseen:
            if suffices([action]):
                helping.append(action)
            tried += 1
            counted(tried, "actions")
        if not helping and len(unseen) > 1 and suffices(unseen):
            needed = [*unseen]
            for action in unseen:
                fewer = [a for a in needed if a != action]
                needed = fewer if suffices(fewer) else needed
            together = needed
        complete = True
    return Observable(always, tuple(helping), tuple(together), tried, complete)


def _seeing(engine: Engine, actions: Sequence[Action]) -> Engine:
    """The same problem with C that sees more actions, and never refuses them."""
    idle = Lts(actions, 1, [(0, action, 0) for action in actions])
    controller = with_component(engine.problem.controller, idle, _OBSERVER)
    problem = replace(engine.problem, controller=controller)
    return Engine(problem, engine.backend, engine.clock)
