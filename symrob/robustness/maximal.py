"""The default algorithm: from the problem to all maximal robust deviations.

In:  a `Problem` whose nominal system is safe, in symbolic form (`Engine`).
Out: the maximal deviations, one after the other.

Where we leave the paper ([S1] Sect. 5.2, 5.3): no subsets of the winning set
are enumerated, and constraints need no phase of their own, because safety
under C and the constraints are both monotone (design: fact 1). Instead:

1. Screening. Each constraint, then C‖P, rules out the candidates that are
   unsafe on their own. These are in no deviation.
2. If R_E with all remaining candidates is safe, that is the one deviation.
3. Otherwise the monitors that object become Horn clauses in a SAT solver,
   which proposes safe sets that are then grown (see `horn`).
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence

from symrob.limits import Clock
from symrob.lts import Lts, Transition
from symrob.robustness.deviation import Deviation
from symrob.robustness.effort import Effort
from symrob.robustness.graph import Candidates, Graph
from symrob.robustness.horn import HornFormula, maximal_sets
from symrob.robustness.loop import Screen, reach
from symrob.robustness.monitor import AnyMonitor, SymbolicMonitor, TableMonitor
from symrob.robustness.points import Growth, PointSpace
from symrob.robustness.proposers import MaxSatProposer, SatProposer

Weight = Callable[[Transition], int]


def screen(
    environment: Lts,
    constraints: Sequence[TableMonitor],
    closed_loop: SymbolicMonitor | None,
    clock: Clock,
) -> tuple[Candidates, list[AnyMonitor]]:
    """Rule out what is unsafe alone, and the monitors that then never object.

    Args:
        environment: The undisturbed environment; safe for each monitor.
        constraints: What judges the environment alone; they come first, since
            they are cheap and leave few candidates.
        closed_loop: C‖P, or `None` where only the constraints count.
        clock: Asked now and then whether the run may go on.

    Returns:
        The candidates that each monitor tolerates alone, and those monitors
        that reach ERROR when all of them are added.
    """
    nominal = Graph.of(environment.size, environment.transitions)
    candidates = Candidates.all_new(environment)
    for constraint in constraints:
        candidates = Screen(constraint, nominal, clock).tolerated(candidates)
    everything = candidates.with_nominal(environment)
    doubtful: list[AnyMonitor] = [*constraints]
    if closed_loop is not None and reach(closed_loop, everything, clock) is None:
        # What the candidates can lead to is a small part of what the machine
        # could do in another environment, and has the smaller BDDs.
        within = reach(closed_loop, everything, clock, past_error=True)
        screening = Screen(closed_loop, nominal, clock, within)
        candidates = screening.tolerated(candidates)
        everything = candidates.with_nominal(environment)
        doubtful.append(closed_loop)
    return candidates, [m for m in doubtful if reach(m, everything, clock) is None]


def maximal_deviations(
    environment: Lts,
    constraints: Sequence[TableMonitor],
    closed_loop: SymbolicMonitor | None,
    clock: Clock,
    effort: Effort,
    weight: Weight | None = None,
) -> Generator[Deviation, None, None]:
    """Yield every maximal robust deviation, each once.

    Args:
        environment: The undisturbed environment; safe for each monitor.
        constraints: What judges the environment alone, P_env.
        closed_loop: C‖P; `None` gives the maximal environment deviations of
            [S1] Sect. 5.3, which only have to satisfy the constraints.
        clock: Asked now and then whether the run may go on.
        effort: Counts what the solver did.
        weight: The weight of a transition, a positive whole number. If given,
            deviations come in the order of the weight of what they add, the
            greatest first; a MaxSAT solver finds them, so that the first ones
            are there without all others.

    Yields:
        Deviations that contain R_E (without `tau`), none a subset of another.

    Raises:
        LimitExceeded: A bound was hit; what was yielded before is valid.

    Cost: |Δ| + 1 proposals of the solver and the growth of each; see
        docs/pipeline.md for what screening costs.
    Source: docs/sources.md [S1], Def. 5.
    """
    base = environment.visible_transitions
    with effort.stage("screen"):
        candidates, objecting = screen(environment, constraints, closed_loop, clock)
    if not objecting:
        yield Deviation(base, candidates)
        return
    space = PointSpace(objecting)
    growth = Growth(space, environment, candidates, clock)
    proposer: SatProposer | MaxSatProposer
    if weight is None:
        proposer = SatProposer(len(candidates), clock, effort)
    else:
        weights = [weight(t) for t in growth.transitions(growth.options)]
        proposer = MaxSatProposer(weights, clock, effort)
    formula = HornFormula(space, growth, proposer, effort)
    sets = maximal_sets(formula, growth, effort)
    try:
        while True:
            with effort.stage("enumerate"):
                chosen = next(sets, None)
            if chosen is None:
                return
            yield Deviation(base, growth.transitions(chosen))
    finally:
        proposer.close()
