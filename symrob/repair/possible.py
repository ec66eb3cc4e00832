"""What to tolerate by default, and how much of it is achievable.

In:  an `Engine` whose nominal system is safe, what may be disabled, whether the plan
     has to be kept.
Out: the maximal deviations that the assumptions allow; and the maximal sets of
     transitions that some restriction tolerates.

Some restriction tolerates d exactly if the strictest one does: it takes no action that
may be disabled, or, if the plan has to be kept, only on the plan. It is C with a
*restraint* beside it. So the achievable sets are the safety envelope of the restrained
C, which the engine lists like any other.
"""

from __future__ import annotations

from collections.abc import Iterator, Set

from symrob.envelope.effort import Effort
from symrob.envelope.engine import Engine
from symrob.envelope.mode_sets import ModeSets
from symrob.envelope.safe_sets import SafeSets
from symrob.errors import LimitExceeded
from symrob.lts import Action, Lts, StateId
from symrob.lts.deviation import Deviation
from symrob.repair.forced import never, restrained
from symrob.repair.observer import observer

# More maximal deviations of the assumptions are not tolerated all at once.
MOST_ALLOWED = 200


def allowed(engine: Engine) -> tuple[Deviation, ...]:
    """Return the maximal deviations that satisfy the assumptions, without R_E.

    Raises:
        LimitExceeded: There are more than `MOST_ALLOWED`, or a bound was hit.

    Cost: that of an envelope of E alone.
    """
    if not engine.constraints:
        return (all_that_is_asked(engine),)
    found = []
    for deviation in _of_constraints(engine):
        found.append(Deviation((), deviation.new, modes=deviation.modes))
        if len(found) > MOST_ALLOWED:
            raise LimitExceeded(
                f"the assumptions allow more than {MOST_ALLOWED} maximal deviations; "
                "specify the required deviations with --tolerate"
            )
    return tuple(found)


def all_that_is_asked(engine: Engine) -> Deviation:
    """Return all selected candidates, or the transitions of all fault modes."""
    units = engine.problem.units
    if units is None:
        return Deviation((), engine.candidates)
    return Deviation((), units.added(units.all), modes=units.names(units.all))


def _of_constraints(engine: Engine) -> Iterator[Deviation]:
    """The envelope of E alone."""
    environment, units, clock = engine.environment, engine.walked.units, engine.clock
    if units is not None:
        sets = ModeSets(environment, units, engine.constraints, clock, Effort())
        return sets.deviations()
    return SafeSets(
        environment, engine.constraints, None, clock, Effort(), engine.candidates
    ).deviations()


def strictest(engine: Engine, controllable: Set[Action], *, plan: bool) -> Engine:
    """Return the engine of C under the strictest restriction that is allowed.

    Args:
        engine: The problem.
        controllable: What may be disabled.
        plan: Whether every trace of E and C has to stay possible.

    Cost: an encoding; with `plan` that of an observer of E.
    """
    restraint = on_plan(engine, controllable) if plan else never(controllable)
    return restrained(engine, restraint)


def on_plan(engine: Engine, controllable: Set[Action]) -> Lts:
    """Return the restraint that takes such actions only while E follows its plan.

    It tracks the possible states of the nominal E after the observed actions. Once
    something happens that E cannot have done, it takes none of these actions any more.
    """
    seen = frozenset(engine.problem.controller.alphabet)
    watcher = observer(engine.environment, [engine.nominal], (), seen, engine.clock)
    plan = watcher.lts
    beyond = plan.size
    alphabet = sorted({*plan.alphabet, *controllable})
    transitions: list[tuple[StateId, Action, StateId]] = []
    for action in alphabet:
        if action not in controllable:
            transitions.append((beyond, action, beyond))
        for state in range(plan.size):
            if action not in plan.alphabet:
                transitions.append((state, action, state))
            elif action in plan.successors[state]:
                transitions.append((state, action, plan.successors[state][action][0]))
            elif action not in controllable:
                transitions.append((state, action, beyond))
    return Lts(alphabet, plan.size + 1, transitions)


def to_be_had(
    engine: Engine, controllable: Set[Action], *, plan: bool
) -> Iterator[Deviation]:
    """Yield the maximal sets of transitions that some restriction tolerates.

    Within the assumptions, each without R_E, as they are found.

    Args:
        engine: See `strictest`.
        controllable: See `strictest`.
        plan: See `strictest`.

    Raises:
        LimitExceeded: A bound was hit; the sets yielded before are valid.
    """
    for deviation in strictest(engine, controllable, plan=plan).deviations():
        yield Deviation((), deviation.new, modes=deviation.modes)
