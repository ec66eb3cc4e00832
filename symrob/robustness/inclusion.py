"""A proof that whatever breaks one side breaks the other, without determinising.

In:  two problems over one environment, and transitions of it.
Out: whether each run that breaks the breaker is known to break the keeper too.

Sufficient, not necessary; all on BDDs, so it answers for machines whose points
(see `points`) could not be counted. It helps where designs differ in one of
many components. The breaker's machine runs in the environment with all the
transitions, together with

- as monitors: the components of the keeper's machine that the breaker's has
  not, which must be able to follow; then the keeper's machine has a run with
  the same actions. And the breaker's own properties.
- as components: the properties and constraints of the keeper. A component
  stops a run where the monitor would fail: there the keeper is broken.

If no monitor fails, no run breaks the breaker alone. Properties and constraints
that both sides have are left out: what fails one fails the other.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from symrob.errors import LimitExceeded
from symrob.limits import Clock, Limits
from symrob.lts import ERROR, Action, Lts, Network
from symrob.robustness.graph import Graph
from symrob.robustness.loop import reach
from symrob.robustness.monitor import SymbolicMonitor
from symrob.robustness.problem import Model, Problem, Role, monitors
from symrob.symbolic.context import Context
from symrob.symbolic.encode import Monitor, SymbolicSystem

# Components that have to follow are determinised; larger ones are not tried.
MOST_STATES = 10_000


def breaks_too(
    keeper: Problem, breaker: Problem, graph: Graph, backend: str, clock: Clock
) -> bool:
    """Whether each run that breaks `breaker` is known to break `keeper`.

    If so, what is safe for the keeper is safe for the breaker, as far as it is
    made of these transitions. Both must be safe nominally.

    Args:
        keeper: The side that is asked to fail as well.
        breaker: The side that is supposed to fail.
        graph: The transitions of the environment, R_E and all additions.
        backend: For the BDDs.
        clock: Asked now and then whether the run may go on.

    Raises:
        LimitExceeded: A bound was hit.

    Cost: a search of the breaker's closed loop, twice with the constraints.
    """
    constraints = _without(breaker.constraints, keeper.constraints)
    alphabet = keeper.environment.alphabet
    walls = _without(keeper.constraints, breaker.constraints)
    if constraints:
        alone = Network(_walls(walls, alphabet)) if walls else None
        if not _holds(alone, constraints, alphabet, graph, backend, clock):
            return False
    properties = _without(breaker.properties, keeper.properties)
    followers = _followers(keeper.controller, breaker.controller, alphabet)
    if followers is None:
        return False
    strays = _unmatched(breaker.controller, keeper.controller)
    fails_itself = any(t.target == ERROR for _, s in strays for t in s.transitions)
    if not properties and not followers and not fails_itself:
        return True
    visible = {*alphabet, *breaker.controller.alphabet}
    walls += _without(keeper.properties, breaker.properties)
    parts = (*breaker.controller.components, *_walls(walls, visible))
    hidden = breaker.controller.hidden
    if hidden & {a for m in (*walls, *followers) for a in m.lts.alphabet}:
        return False
    machine = Network(parts, hidden=hidden)
    judges = (*properties, *followers)
    return _holds(machine, judges, alphabet, graph, backend, clock)


def _holds(
    machine: Network | None,
    judges: Sequence[Monitor],
    alphabet: Sequence[Action],
    graph: Graph,
    backend: str,
    clock: Clock,
) -> bool:
    """Whether no monitor fails."""
    system = SymbolicSystem(Context(backend, clock), machine, judges, alphabet)
    return reach(SymbolicMonitor(system), graph, clock) is not None


def _without(some: Iterable[Monitor], others: Iterable[Monitor]) -> list[Monitor]:
    """Those of some monitors that are not among others, whatever their names."""
    known = [(m.lts, m.fails_at_start) for m in others]
    return [m for m in some if (m.lts, m.fails_at_start) not in known]


def _walls(judges: Iterable[Monitor], visible: Iterable[Action]) -> list[Lts]:
    """Monitors as components, which stop a run that would fail them.

    Actions that never happen are left out: a component would take them alone.
    """
    happening = set(visible)
    return [
        Lts(
            happening.intersection(m.lts.alphabet),
            m.lts.size,
            [t for t in m.lts.transitions if t.target != ERROR and t[1] in happening],
        )
        for m in judges
    ]


def _followers(
    keeper: Model, breaker: Model, alphabet: Iterable[Action]
) -> list[Monitor] | None:
    """The components of the keeper's machine that the breaker's lacks.

    `None` where following would not say enough: with different hidden actions,
    or if the breaker's machine has actions of its own that the keeper's lacks;
    or if a component is too large to be determinised.
    """
    own = set(breaker.alphabet) - set(alphabet)
    if keeper.hidden != breaker.hidden or own - set(keeper.alphabet):
        return None
    found: list[Monitor] = []
    for name, part in _unmatched(keeper, breaker):
        try:
            found += monitors(Role(part, name), Limits(states=MOST_STATES))
        except LimitExceeded:
            return None
    return found


def _unmatched(one: Model, other: Model) -> list[tuple[str, Lts]]:
    """The components of one machine, with their names, that the other lacks."""
    left = list(other.components)
    found = []
    for name, part in zip(one.component_names, one.components, strict=True):
        if part in left:
            left.remove(part)
        else:
            found.append((name, part))
    return found
