"""The meta-system F = E_A‖C‖P, its error states and its winning set W.

In:  the environment and its machine with properties as one symbolic monitor.
Out: vectors of BDDs indexed by the states of E, and their sizes.

The default algorithm does not need any of this; the paper's own algorithms and the
statistics of its Table 1 do.

E_A can take every action of Act_E in every state and go anywhere with it. So the
reachable states of the machine are the same for all states of E, except that the
initial state of E is also visited before the first action: F is found by one fixpoint
over C‖P, however large E is.

Source: docs/sources.md [S1], Sect. 5.2, Alg. 1 and Appendix (Inv).
"""

from __future__ import annotations

from symrob.envelope import tuning
from symrob.envelope.exploration import Vector, bad_states, reach
from symrob.envelope.monitors import SymbolicMonitor
from symrob.envelope.transitions import Candidates, Graph
from symrob.limits import Clock
from symrob.lts import TAU, Lts, Network
from symrob.lts.reachability import breadth_first
from symrob.lts.views import moves_of, starts_of
from symrob.problem import Monitor
from symrob.symbolic.context import Bdd, Context
from symrob.symbolic.encoding import SymbolicSystem


class MetaSystem:
    """F with its error states and winning set.

    Args:
        environment: E, undisturbed.
        monitor: C‖P, in bits.
        clock: Checked each round.

    Attributes:
        reached: For each state of E, the states of C‖P in reachable states of
            F that are not in Err.
        winning: The same for W: `reached` without the states from which moves that
            cannot be prevented (R_E, internal ones) lead to ERROR, Inv(Q_F minus Err).
    """

    def __init__(
        self, environment: Lts, monitor: SymbolicMonitor, clock: Clock
    ) -> None:
        self._system = monitor.system
        self.reached = _reached(environment, monitor, clock)
        planned = moves_of(environment, environment.transitions)
        nominal = Graph.of(environment.size, planned)
        bad = bad_states(monitor, nominal, clock, self.reached)
        self.winning: Vector[Bdd] = [
            x & ~b for x, b in zip(self.reached, bad, strict=True)
        ]

    def size(self, vector: Vector[Bdd]) -> int:
        """Return the number of states of F in a vector."""
        return sum(self._system.count(states) for states in vector)


def _reached(environment: Lts, monitor: SymbolicMonitor, clock: Clock) -> Vector[Bdd]:
    """The reachable states of F, by states of E."""
    if environment.views is not None:
        everything = Candidates.all_new(environment).with_nominal(environment)
        met = reach(monitor, everything, clock, past_error=True)
        assert met is not None, "it goes past ERROR"
        if not environment.starts:
            return met
        # What comes before the start is no state of F.
        begun = monitor.empty
        for step in starts_of(environment):
            begun |= monitor.post(monitor.initial, step.action)
        system = monitor.system
        begun = system.reached(begun, (*system.moves.values(), *system.internal))
        return [states & begun for states in met]
    start = monitor.initial
    later = monitor.empty
    for action in environment.alphabet:
        later |= monitor.post(start, action)
    # What any positive number of actions leads to.
    system = monitor.system
    clock.check()
    later = system.reached(later, (*system.moves.values(), *system.internal))
    found = [later] * environment.size
    todo = [0]
    before_any_action = set(todo)
    while todo:
        state = todo.pop()
        found[state] |= start
        for target in environment.successors[state].get(TAU, ()):
            if target not in before_any_action:
                before_any_action.add(target)
                todo.append(target)
    return found


def reachable_states(
    components: Network | Lts | tuple[Monitor, ...], backend: str, clock: Clock
) -> int:
    """Return the number of reachable states of a composition, without ERROR.

    Args:
        components: A network, or monitors, which are then composed as the
            processes that they are.
        backend: The BDD library.
        clock: Checked at every image.

    Cost: one fixpoint over the bits of the components; an explicit exploration of a
        flat one.
    """
    if isinstance(components, tuple):
        components = Network([m.lts for m in components])
    if len(components.components) == 1:
        (flat,) = components.components
        if flat.size >= tuning.FLAT_STATES:
            return len(breadth_first(flat))
    system = SymbolicSystem(Context(backend, clock), components, (), ())
    return system.count(system.close(system.initial))
