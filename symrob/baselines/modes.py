"""The baselines over fault modes.

In:  a checked `Problem` with `Units`.
Out: the same maximal sets of modes as the engine.

`brute_force` tries every set of modes and composes the changed components again for it.
The paper's algorithms work on single transitions: they run on the transitions of the
modes, and their results are converted to modes. E with some modes is safe exactly if a
maximal deviation contains their transitions, so the maximal sets of modes are the
maximal ones among those that the deviations contain.

Source: docs/sources.md [S1], Sect. 5.1, Alg. 1.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable
from itertools import combinations

from symrob.certify.closed_loop import ExplicitLoop
from symrob.envelope.effort import Effort
from symrob.errors import Diagnostic, LimitExceeded, SymrobError
from symrob.limits import Clock
from symrob.lts import TAU, Transition
from symrob.lts.deviation import Deviation
from symrob.lts.masks import bits
from symrob.problem import Problem
from symrob.problem.units import Chosen


def brute_force(
    problem: Problem, clock: Clock, effort: Effort
) -> Generator[Deviation, None, None]:
    """Yield every maximal tolerated set of modes, each once, by decreasing size.

    Args:
        problem: The checked problem; the nominal system is safe.
        clock: Checked at every set.
        effort: Counts the sets that were judged.

    Raises:
        SymrobError: Some modes change components, and others E as a whole.
        LimitExceeded: A bound was hit; the sets yielded before are valid.

    Cost: a composition and a search of the closed loop for each of up to 2^n sets.
    """
    units = problem.units
    assert units is not None
    environment = problem.environment
    found: list[Chosen] = []
    for size in range(len(units), -1, -1):
        for members in combinations(range(len(units)), size):
            clock.check()
            chosen = sum(1 << m for m in members)
            if any(chosen & ~other == 0 for other in found):
                continue
            effort.sets_visited += 1
            deviated = units.deviated(environment, chosen)
            alone, loop = ExplicitLoop.both(problem, deviated)
            if alone.is_safe((), clock) and loop.is_safe((), clock):
                found.append(chosen)
                yield Deviation(
                    environment.visible_transitions,
                    units.added(chosen),
                    environment,
                    units.names(chosen),
                )


def read_in_modes(
    problem: Problem, deviations: Iterable[Deviation], algorithm: str
) -> Generator[Deviation, None, None]:
    """Yield the maximal sets of modes whose transitions lie in some deviation.

    Args:
        problem: The problem, for its modes.
        deviations: The maximal deviations over the transitions of the modes.
        algorithm: The algorithm that computes them.

    Raises:
        SymrobError: A step needs several modes, or is internal; the paper's algorithms
            do not support this.
        LimitExceeded: A bound was hit in the search for deviations.
    """
    units = problem.units
    assert units is not None
    if any(len(s.needs) > 1 or s.transition.action == TAU for s in units.steps):
        message = f"--algorithm {algorithm}: not supported for this case, where some "
        message += "steps require several fault modes or are hidden"
        hint = "use --algorithm maximal or brute-force"
        raise SymrobError(Diagnostic("modes-algorithm", message, hint=hint))
    held: list[set[Transition]] = [set() for _ in units.modes]
    for step in units.steps:
        for m in bits(step.needs[0]):
            held[m].add(step.transition)
    sets: set[Chosen] = set()
    stopped: tuple[str, str] | None = None
    try:
        for deviation in deviations:
            sets.add(sum(1 << m for m, own in enumerate(held) if own <= deviation))
    except LimitExceeded as error:
        stopped = (error.diagnostics[0].message, error.reason)
    environment = problem.environment
    for chosen in sorted(sets):
        if any(chosen != other and chosen & ~other == 0 for other in sets):
            continue
        yield Deviation(
            environment.visible_transitions,
            units.added(chosen),
            environment,
            units.names(chosen),
        )
    if stopped is not None:
        message, reason = stopped
        raise LimitExceeded(message, reason=reason)
