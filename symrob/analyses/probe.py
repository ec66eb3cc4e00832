"""Finding some individually unsafe candidates when screening takes too long.

In:  an `Engine` whose nominal system is safe, candidates.
Out: some candidates that violate P, quickly; never a claim that there are no more.

Only self-loops (q, a, q) are tried for which C offers `a` and E has no transition by
it: whatever comes after them can come after R_E too. The nearest q come first. If an
action is harmless where it is offered first, it is tried elsewhere only after all
others.
"""

from __future__ import annotations

from collections.abc import Iterator

from symrob.analyses.hazards import is_offered
from symrob.envelope.engine import Engine
from symrob.envelope.exploration import reach
from symrob.envelope.transitions import Candidates
from symrob.lts import Action, StateId, Transition
from symrob.lts.views import plain


def hurting_alone(engine: Engine, among: Candidates) -> Iterator[Transition]:
    """Yield self-loops that individually violate P, each as soon as it is found.

    Args:
        engine: The problem.
        among: Only these candidates.

    Raises:
        LimitExceeded: A bound was hit.

    Cost: a search of the closed loop for each self-loop: 30 ms for the pump with 8
        lines.
    """
    hurts: dict[Action, bool] = {}
    later = []
    for one in _offered(engine, among):
        if hurts.get(one.action, True):
            breaks = _breaks(engine, one)
            hurts.setdefault(one.action, breaks)
            if breaks:
                yield one
        else:
            later.append(one)
    yield from (one for one in later if _breaks(engine, one))


def _breaks(engine: Engine, loop: Transition) -> bool:
    return not engine.keeps_properties(engine.extended((loop,)))


def _offered(engine: Engine, among: Candidates) -> Iterator[Transition]:
    """The loops where E has nothing by an action that C offers there."""
    loop = engine.closed_loop
    met = reach(loop, engine.nominal, engine.clock)
    assert met is not None, "the nominal system is not safe"
    taken = {(t.source, t.action) for t in engine.problem.environment.transitions}
    for state in _in_order(engine):
        for label, mask in zip(among.actions, among.masks[state], strict=True):
            engine.clock.check()
            action = plain(label)
            if (
                mask >> state & 1
                and (state, action) not in taken
                and is_offered(engine, met[state], label)
            ):
                yield Transition(state, action, state)


def _in_order(engine: Engine) -> list[StateId]:
    """The states that R_E leads to, the nearest first."""
    order, rows = [0], engine.nominal.rows
    seen = {0}
    for state in order:
        for _, targets in rows[state]:
            fresh = [t for t in targets if t not in seen]
            seen.update(fresh)
            order += fresh
    return order
