"""What C would have to observe, where the only guard disables an action always.

In:  a `Repair` with such a guard.
Out: actions of E, outside Act_C: with any one of them seen by C there is a guard that
     disables no action always, and keeps the goals of the plan.

A restriction acts on what C sees. So C with an idle component that has one more action
is asked again.
"""

from __future__ import annotations

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
        tried: How many actions of E were tried, all that C does not take part in.
        complete: Whether all of them were, in the budget `observe`.
    """

    always: tuple[Action, ...]
    actions: tuple[Action, ...]
    tried: int
    complete: bool


def always_disabled(found: Repair) -> tuple[Action, ...]:
    """Return the actions that a repair disables in all states."""
    guards = () if found.guards is None else found.guards.guards
    return tuple(g.action for g in guards if not all(g.terms))


def observable(found: Repair) -> Observable | None:
    """Return what C would have to observe; `None` where no action is always disabled.

    Cost: a repair for each action of E outside Act_C; at most the budget `observe`.
    """
    always = always_disabled(found)
    if not always:
        return None
    engine = found.engine
    unseen = sorted(
        {*engine.environment.alphabet} - {*engine.problem.controller.alphabet}
    )
    helping: list[Action] = []
    tried = 0
    with suppress(LimitExceeded), engine.clock.step("observe"):
        with Doing("trying what C could observe", "actions"):
            for action in unseen:
                again = repair(
                    _seeing(engine, action), found.deviations, found.controllable
                )
                tried += 1
                counted(tried, "actions")
                if again.guards is not None and not {*always} & {
                    *always_disabled(again)
                }:
                    helping.append(action)
    return Observable(always, tuple(helping), tried, tried == len(unseen))


def _seeing(engine: Engine, action: Action) -> Engine:
    """The same problem with C that sees one more action, and never refuses it."""
    idle = Lts([action], 1, [(0, action, 0)])
    controller = with_component(engine.problem.controller, idle, _OBSERVER)
    problem = replace(engine.problem, controller=controller)
    return Engine(problem, engine.backend, engine.clock)
