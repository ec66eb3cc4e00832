"""Groups of deviations that C and P cannot distinguish.

In:  an `Engine`, and deviations of its environment.
Out: for each deviation the number of its group.

C and P observe the actions of E that they have; all others are silent to them. Two
deviations d and d' are in one group if E_d and E_d' have the same traces over the
observed actions. Each E_d is determinised and minimised, and numbered from its initial
state in the order of the actions: two of these are equal exactly if their traces are.
Where that takes too many states, E_d joins another such one to which it is weakly
bisimilar, which is enough for equal traces; what is not decided stays apart.
"""

from __future__ import annotations

from collections.abc import Hashable

from symrob.envelope.engine import Engine
from symrob.errors import LimitExceeded
from symrob.lts import TAU, Lts
from symrob.lts.bisimulation import coarsest, weak_moves
from symrob.lts.determinise import determinise
from symrob.lts.deviation import Deviation
from symrob.lts.views import all_labels, labelled, moves_of, starts_of

# States of a determinised E_d; those that have more are compared with this many others.
MOST_STATES = 300
MOST_COMPARED = 50


class Groups:
    """The groups of the deviations seen so far.

    Args:
        engine: The problem.
        max_states: Bound on the states of each determinised environment.
    """

    def __init__(self, engine: Engine, max_states: int = MOST_STATES) -> None:
        problem = engine.problem
        self._environment = problem.environment
        self._seen = set(problem.controller.alphabet).union(
            *(monitor.lts.alphabet for monitor in problem.properties),
            *(requirement.actions for requirement in problem.requirements),
        )
        self._clock = engine.clock
        self._max_states = max_states
        self._numbers: dict[Hashable, int] = {}
        self._undecided: list[tuple[Lts, int]] = []
        self._count = 0

    def of(self, deviation: Deviation) -> int:
        """Return the number of a deviation's group, from 0 in the order of arrival."""
        self._clock.check()
        behaviour = self._behaviour(deviation)
        try:
            key = canonical(determinise(behaviour, max_states=self._max_states))
        except LimitExceeded:
            return self._compared(behaviour)
        number = self._numbers.setdefault(key, self._count)
        self._count += number == self._count
        return number

    def _behaviour(self, deviation: Deviation) -> Lts:
        """E_d as C and P see it; that it can end is nothing that they see."""
        e = self._environment
        moves = {*e.transitions, *deviation}
        if e.views is not None:
            # Conditions see more than actions.
            if not e.starts:
                return Lts(all_labels(e), e.size, moves_of(e, moves))
            # From a state of its own: the first one of E may be no initial one.
            begun = ((q + 1, a, r + 1) for q, a, r in labelled(e, moves))
            begin = ((0, a, r + 1) for _, a, r in starts_of(e))
            return Lts(all_labels(e), e.size + 1, (*begin, *begun))
        shown = self._seen.intersection(self._environment.alphabet)
        seen = ((q, a if a in shown else TAU, r) for q, a, r in moves)
        return Lts(shown, self._environment.size, seen)

    def _compared(self, behaviour: Lts) -> int:
        for other, number in self._undecided:
            if bisimilar(behaviour, other):
                return number
        number = self._count
        self._count += 1
        if len(self._undecided) < MOST_COMPARED:
            self._undecided.append((behaviour, number))
        return number


def canonical(deterministic: Lts) -> tuple[tuple[tuple[str, int], ...], ...]:
    """Return a canonical form of a deterministic system, determined by its traces.

    Args:
        deterministic: Without `tau` and ERROR; all states are reachable.

    Returns:
        For each state of the minimal system, numbered in search order from the initial
        state, its actions with their targets.

    Cost: a refinement of its states.
    """
    moves = [
        [(action, targets[0]) for action, targets in sorted(row.items())]
        for row in deterministic.successors
    ]
    place = coarsest([0] * deterministic.size, moves)
    member = {number: state for state, number in enumerate(place)}
    order = [place[0]]
    found = {place[0]: 0}
    rows = []
    for number in order:
        row = []
        for action, target in moves[member[number]]:
            after = place[target]
            if after not in found:
                found[after] = len(order)
                order.append(after)
            row.append((action, found[after]))
        rows.append(tuple(row))
    return tuple(rows)


def bisimilar(one: Lts, other: Lts) -> bool:
    """Whether two systems are weakly bisimilar.

    Cost: a refinement of the states of both together.
    """
    moves = [
        *weak_moves(one),
        *([(a, t + one.size) for a, t in row] for row in weak_moves(other)),
    ]
    place = coarsest([0] * len(moves), moves)
    return place[0] == place[one.size]
