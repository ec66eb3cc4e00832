"""E with some units where a run may deviate only so often, as a system of its own.

In:  a checked `Problem` with budgets, and what E gets.
Out: `Spending`: an ordinary environment, whose states know what is left, so that
     `closed_loop` can judge it.

It counts as the checker of certificates does (`counted`), and shares nothing with how
the engine does.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from typing import NamedTuple, NoReturn

from symrob import files
from symrob.certify.closed_loop import ExplicitLoop
from symrob.certify.counted import Change, CountedEnvironment
from symrob.certify.watching import MEMORY, CheckBudget, Network
from symrob.certify.watching import Lts as Part
from symrob.errors import LimitExceeded
from symrob.limits import Clock
from symrob.lts import Lts, StateId, Transition
from symrob.lts.masks import bits
from symrob.lts.naming import distinct
from symrob.memory import MEBIBYTE
from symrob.problem import Model, Problem
from symrob.problem.requirements import local_of

_OPTIONS = {"memory": "--memory", "max-size": "--bound max-file"}


class ClockedBudget(CheckBudget):
    """A budget of states that asks a clock whether the run may go on."""

    def __init__(self, clock: Clock) -> None:
        limits = clock.limits
        size = files.allowed() // MEBIBYTE
        super().__init__(limits.max_states, size, limits.memory or MEMORY)
        self._clock = clock

    def spend(self, things: int = 1, each: int = 0) -> None:
        """Count some more.

        Raises:
            LimitExceeded: There are too many, or the time is up; so does `exceeded`.
        """
        self._clock.check()
        super().spend(things, each)

    def exceeded(self, what: str, bound: str) -> NoReturn:
        """Say which option raises the bound."""
        option = _OPTIONS.get(bound, f"--bound {bound}")
        raise LimitExceeded(f"{what}; raise {option} to continue")


Loops = tuple[ExplicitLoop, ExplicitLoop]
"""E alone with the constraints, and E‖C with the properties."""


class Spending(NamedTuple):
    """E with transitions that use a budget.

    Attributes:
        loops: E has the steps that are planned.
        copies: What stands for each other transition: one for each number of steps
            that may be left before it. It can be taken exactly if they all are there.
    """

    loops: Loops
    copies: Mapping[Transition, Sequence[Transition]]


def spending(problem: Problem, added: Set[Transition], clock: Clock) -> Spending:
    """Return E with what it may get, within the budget of a run.

    Args:
        problem: Its fault modes do not count.
        added: New transitions.
        clock: Asked now and then whether the run may go on.

    Raises:
        LimitExceeded: A bound was hit.

    Cost: linear in the transitions of E times what can be left.
    """
    environment = problem.environment
    changes = ((n, (0, *t)) for n, t in enumerate(added))
    e, base = _counted(environment, changes, problem.at_most, {}, clock)
    places = [q for (q,) in base]
    copies: dict[Transition, list[Transition]] = {t: [] for t in added}
    own: list[Transition] = []
    for copy in e.transitions:
        source, action, target = copy
        t = Transition(places[source], action, places[target])
        copies.get(t, own).append(copy)
    plan = Lts(e.alphabet, e.size, own, names=e.names, initial=e.initial)
    known = local_of(environment, problem.extra_states)
    local = [known(q) for q in places]
    return Spending(ExplicitLoop.both(problem, plan, local), copies)


def spending_modes(problem: Problem, chosen: int, clock: Clock) -> Loops:
    """Return E with some fault modes, within all budgets; see `spending`.

    Args:
        problem: With fault modes.
        chosen: The modes.
        clock: As of `spending`.

    Raises:
        SymrobError: Some modes change components, and others E as a whole.
        LimitExceeded: A bound was hit.
    """
    units = problem.units
    assert units is not None, "it asks about modes"
    network, changes = units.network, list[tuple[int, Change]]()
    for m in bits(chosen):
        mode = units.modes[m]
        if network is None:
            changes += ((m, (0, *t)) for t in mode.transitions)
        else:
            units.require_unmixed()
            changes += ((m, (t[0], *t[1:])) for t in mode.local)
    most = {m: one.at_most for m, one in enumerate(units.modes)}
    bounds = {m: n for m, n in most.items() if n is not None}
    model = problem.environment if network is None else network
    e, base = _counted(model, changes, problem.at_most, bounds, clock)
    known = local_of(problem.environment, problem.extra_states)
    local = base if network is not None else [known(q) for (q,) in base]
    return ExplicitLoop.both(problem, e, local)


def _counted(
    model: Model,
    changes: Iterable[tuple[int, Change]],
    run: int | None,
    bounds: dict[int, int],
    clock: Clock,
) -> tuple[Lts, list[tuple[StateId, ...]]]:
    """E with what is left, and for each of its states those of E's components."""
    network = parts_of(model, ClockedBudget(clock))
    counted = CountedEnvironment(network, changes, run, bounds)
    walked = counted.walked()
    names = [
        "_".join(p.state_name(s) for p, s in zip(model.components, state, strict=True))
        + "".join(f", {n} left" for n in (left, *purse) if n is not None)
        for state, left, purse in counted.reached
    ]
    moves = (
        (q, action, r)
        for q, row in enumerate(walked.rows)
        for action, targets in row.items()
        for r in targets
    )
    e = Lts(
        network.visible,
        len(names),
        moves,
        names=distinct(names),
        initial=walked.initial,
    )
    return e, [*walked.states]


def parts_of(model: Model, budget: CheckBudget) -> Network:
    """Return a model as the checker of certificates walks it."""
    parts = [
        Part(
            frozenset(part.alphabet),
            [{a: [*targets] for a, targets in row.items()} for row in part.successors],
            part.initial,
        )
        for part in model.components
    ]
    return Network(parts, frozenset(model.hidden), budget)
