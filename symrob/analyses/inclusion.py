"""A sufficient test whether whatever breaks one side breaks the other.

In:  two problems over one environment, and transitions of it.
Out: whether each trace that breaks the breaker provably breaks the keeper too.

Sufficient, not necessary; without determinising; computed with BDDs, so it works for
machines with too many monitor states (see `monitor_states`) to enumerate. It helps if
designs differ in one of many components. The breaker's machine runs in the environment
with all the transitions, and two conditions are checked:

1. The keeper follows, until it is violated: each component of its machine that the
breaker's lacks can take the actions of the trace, with any of its own actions in
between. Then its machine has a trace with the same other actions. 2. The breaker's
properties do not fail before the keeper's properties and constraints have failed.

So a trace that breaks the breaker has a first step at which the keeper's properties
fail, and the keeper has that step too. Monitors that both sides have are left out of 2:
if one fails, the keeper has followed and fails as well. Constraints are about E alone;
for them, 2 is checked without machines.

Components called walls end the trace when the keeper is violated. In 2 they refuse the
step that violates them. In 1 they take it, since the keeper must follow up to there,
and refuse every later step.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence, Set

from symrob.envelope import tuning
from symrob.envelope.exploration import reach
from symrob.envelope.monitors import SymbolicMonitor
from symrob.envelope.transitions import AnyGraph
from symrob.errors import LimitExceeded
from symrob.limits import Clock, Limits
from symrob.lts import ERROR, TAU, Action, Lts, Network
from symrob.problem import Model, Monitor, Problem, Role, monitors
from symrob.symbolic.context import Context
from symrob.symbolic.encoding import SymbolicSystem


def breaks_too(
    keeper: Problem, breaker: Problem, graph: AnyGraph, backend: str, clock: Clock
) -> bool:
    """Whether each trace that breaks `breaker` provably breaks `keeper`.

    If so, every set of these transitions that is safe for the keeper is safe for the
    breaker. Both must be nominally safe.

    Args:
        keeper: The side that must fail as well.
        breaker: The side assumed to fail.
        graph: The transitions of the environment, R_E and all additions.
        backend: The BDD library.
        clock: Checked at intervals.

    Raises:
        LimitExceeded: A bound was hit.

    Cost: at most two searches of the breaker's closed loop, and one of E alone.
    """
    sides = keeper, breaker
    if any(side.requirements or side.environment.starts for side in sides):
        # What they say of states, components alone do not know.
        return False
    alphabet = keeper.environment.alphabet
    other = breaker.controller
    sides_rules = [side.seen(side.constraints, alone=True).monitors for side in sides]
    rules = _without(*sides_rules)
    goals = _without(keeper.properties, breaker.properties)
    constraints = _without(*reversed(sides_rules))
    properties = _without(breaker.properties, keeper.properties)
    followers = _followers(keeper, breaker)
    if followers is None or other.hidden & {
        a for m in (*rules, *goals, *followers) for a in m.lts.alphabet
    }:
        return False

    def holds(machine: Network | None, judges: Sequence[Monitor]) -> bool:
        system = SymbolicSystem(Context(backend, clock), machine, judges, alphabet)
        return reach(SymbolicMonitor(system), graph, clock) is not None

    def beside(walls: Iterable[Lts]) -> Network:
        return Network((*other.components, *fences, *walls), hidden=other.hidden)

    visible = frozenset((*alphabet, *other.alphabet))
    fences = [_wall(m, visible) for m in rules]
    if constraints and not holds(Network(fences) if fences else None, constraints):
        return False
    if followers and not holds(
        beside(_late_wall(m, visible) for m in goals), followers
    ):
        return False
    strays = _unmatched(other, keeper.controller)
    fails_itself = any(stray.can_fail for _, stray in strays)
    if not properties and not fails_itself:
        return True
    return holds(beside(_wall(m, visible) for m in goals), properties)


def _without(some: Iterable[Monitor], others: Iterable[Monitor]) -> list[Monitor]:
    """Those of some monitors that are not among others, whatever their names."""
    known = [(m.lts, m.fails_at_start) for m in others]
    return [m for m in some if (m.lts, m.fails_at_start) not in known]


def _wall(judge: Monitor, visible: frozenset[Action]) -> Lts:
    """A monitor as a component that does not take a step which would fail it.

    Actions that never happen are left out: a component would take them alone.
    """
    lts = judge.lts
    return Lts(
        visible.intersection(lts.alphabet),
        lts.size,
        [t for t in lts.transitions if t.target != ERROR and t.action in visible],
    )


def _late_wall(judge: Monitor, visible: frozenset[Action]) -> Lts:
    """A monitor as a component that takes such a step, and then ends the run."""
    lts, end = judge.lts, judge.lts.size
    watched = visible.intersection(lts.alphabet)
    moves = [(s, a, s) for s in range(end) for a in visible - watched]
    for state, row in enumerate(lts.successors):
        for action in watched:
            (target,) = row.get(action, (ERROR,))
            moves.append((state, action, end if target == ERROR else target))
    return Lts(visible, end + 1, moves)


def _followers(keeper: Problem, breaker: Problem) -> list[Monitor] | None:
    """The components of the keeper's machine that the breaker's lacks.

    `None` if following would not say enough: with different hidden actions, or if a
    property of the keeper watches an action that only the breaker's machine has; or if
    a component is too large to be determinised.
    """
    machine, other = keeper.controller, breaker.controller
    watched = {a for m in keeper.properties for a in m.lts.alphabet}
    known = {*keeper.environment.alphabet, *machine.alphabet}
    if machine.hidden != other.hidden or watched & set(other.alphabet) - known:
        return None
    having = Counter(a for part in machine.components for a in part.alphabet)
    seen = {*keeper.environment.alphabet, *watched} - machine.hidden
    found: list[Monitor] = []
    for name, part in _unmatched(machine, other):
        own = {a for a in part.alphabet if having[a] == 1 and a not in seen}
        try:
            follower = Role(_hiding(part, own), name)
            most = tuning.FOLLOWING_TIMES * part.size
            found += monitors(follower, Limits(max_states=most))
        except LimitExceeded:
            return None
    return found


def _hiding(part: Lts, own: Set[Action]) -> Lts:
    """A component whose own actions are internal."""
    return Lts(
        set(part.alphabet) - own,
        part.size,
        [(s, TAU if a in own else a, t) for s, a, t in part.transitions],
        names=part.names,
    )


def _unmatched(one: Model, other: Model) -> list[tuple[str, Lts]]:
    """The components of one machine, with their names, that the other lacks.

    A second copy of a component can always do what the first one does, so
    copies are not counted.
    """
    known = set(other.components)
    parts = zip(one.component_names, one.components, strict=True)
    return [(name, part) for name, part in parts if part not in known]
