"""The cheapest guard on one action that needs no memory.

In:  `GuardFacts`, the transitions of E with a hazard, an action, and the states in
     which the guard must not refuse it.
Out: a guard that removes the hazard; none costs less (`cost`).

A guard that looks at some components is a set of *cells*: combinations of their states
in which the action is refused. It works exactly if every trace to ERROR takes the
action in one of the cells. So the cheapest is a smallest set, by the states of C in its
cells, that hits all these traces. A shortest trace that remains under the best set for
the known traces is added, until none remains (implicit hitting sets). A set that hits
all traces hits the known ones, so no working set costs less than the last one; the
search ends because each trace rules a set out.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from itertools import combinations
from math import comb

from symrob.envelope.effort import Effort
from symrob.envelope.monitors import SymbolicMonitor
from symrob.envelope.solvers import MaxSatSolver
from symrob.envelope.transitions import Graph
from symrob.limits import Clock
from symrob.lts import Action
from symrob.repair.components import Guard, InStates
from symrob.repair.cover import Point, cover
from symrob.repair.known import GuardFacts, View
from symrob.symbolic.context import Bdd

# Choices of this many components at a time that are tried.
MOST_VIEWS = 1_000

# How many components, and in how many states of C.
Bound = tuple[int, int]


class TooManyViews(Exception):
    """A guard may exist, but it reads more components than are tried."""


@dataclass(frozen=True)
class GuardQuestion:
    """The hazard to be removed by refusing one action.

    Attributes:
        known: C.
        graph: E with the hazard.
        action: The action.
        clock: Checked at intervals.
    """

    known: GuardFacts
    graph: Graph
    action: Action
    clock: Clock

    def cheapest(self, kept: Bdd, below: Bound | None = None) -> Guard | None:
        """Return the cheapest guard that does not refuse the action in some states.

        Args:
            kept: These states, of `known`.
            below: Only a guard that reads no more components than this one, and, if
                equally many, one that refuses in fewer states of C.

        Returns:
            A guard that reads as few components as possible, and then refuses in as few
            states of C as possible; `None` if there is none.

        Raises:
            TooManyViews: It reads so many components that not all choices are tried.
            LimitExceeded: A bound was hit.

        Cost: for each choice of components a search of E‖C, and one for each trace.
        """
        count = len(self.known.parts)
        for looked in range(1, count + 1):
            if below is not None and looked > below[0]:
                return None
            if looked == 2 and not self._stopped(self.known.refusable(kept)):
                return None
            if comb(count, looked) > MOST_VIEWS:
                raise TooManyViews
            most = below[1] if below is not None and looked == below[0] else None
            best: tuple[View, Collection[Point]] | None = None
            for view in combinations(range(count), looked):
                found = self._fewest(kept, view, most)
                if found is not None:
                    best, most = (view, found), self._weight(view, found)
            if best is not None:
                return self._guard(*best)
        return None

    def _weight(self, view: View, points: Collection[Point]) -> int:
        taken = self.known.where_taken(self.action, view)
        return sum(taken[point] for point in points)

    def _loop(self, refused: Bdd) -> SymbolicMonitor:
        return self.known.closed_loop({self.action: refused})

    def _stopped(self, refused: Bdd) -> bool:
        return self.known.keeps(self._loop(refused), self.graph)

    def _fewest(
        self, kept: Bdd, view: View, below: int | None
    ) -> Collection[Point] | None:
        """The cells of the cheapest guard that looks at some components."""
        taken, closed = (
            self.known.where_taken(self.action, view),
            self.known.points(kept, view),
        )
        free = {
            point: states
            for point, states in taken.items()
            if point not in closed and (below is None or states < below)
        }
        if not free or not self._stopped(self.known.cells(view, free)):
            return None
        return self._hitting(view, free, below)

    def _hitting(
        self, view: View, free: Mapping[Point, int], below: int | None
    ) -> Collection[Point] | None:
        """The implicit hitting set; all the cells together work."""
        points = list(free)
        solver = MaxSatSolver([*free.values()], self.clock, Effort())
        chosen: list[Point] = []
        try:
            while below is None or sum(free[p] for p in chosen) < below:
                loop = self._loop(self.known.cells(view, chosen))
                run = self.known.taken_in_violation(loop, self.graph, self.action, view)
                if run is None:
                    return chosen
                solver.add([-i for i, p in enumerate(points, 1) if p in run])
                model = solver.propose()
                assert model is not None, "all cells together work"
                left = set(model)
                chosen = [p for i, p in enumerate(points, 1) if i not in left]
        finally:
            solver.close()
        return None

    def _guard(self, view: View, chosen: Collection[Point]) -> Guard:
        """Say it shortly; where C does not take the action a guard is free."""
        others = self.known.where_taken(self.action, view).keys() - {*chosen}
        terms = tuple(
            tuple(
                InStates(name, states, lts)
                for (name, lts), states in zip(
                    [self.known.parts[i] for i in view], cube, strict=True
                )
                if states is not None
            )
            for cube in cover(chosen, others)
        )
        return Guard(self.action, terms)
