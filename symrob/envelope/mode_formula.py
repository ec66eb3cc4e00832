"""Safety of sets of fault modes as a Horn formula inside a SAT solver, grown on demand.

In:  the steps out of each state of E, and the monitor states.
Out: proposals of sets of modes; `mode_sets` decides whether they are safe.

As in `horn`, the clauses of a pair (state of E, monitor state) are added when an
examined set reaches it, so the formula is always implied by the complete one.
"""

from __future__ import annotations

from typing import NamedTuple

from symrob.envelope.determinised import FAILED, DeterminisedMonitor, MonitorStates
from symrob.envelope.effort import Effort
from symrob.envelope.solvers import Solver, Variable
from symrob.lts import Action, StateId
from symrob.lts.masks import bits
from symrob.problem.units import Chosen

# For each state of E the monitor states that are met with it.
Found = dict[StateId, MonitorStates]


class StepRow(NamedTuple):
    """The steps out of one state by one action.

    Attributes:
        action: The action.
        planned: The targets of R_E.
        others: The targets of modes, each with its needs.
    """

    action: Action
    planned: tuple[StateId, ...]
    others: tuple[tuple[StateId, tuple[Chosen, ...]], ...]

    def targets(self, chosen: Chosen) -> list[StateId]:
        """Return the targets with some modes."""
        return [
            *self.planned,
            *(t for t, needs in self.others if all(n & chosen for n in needs)),
        ]


class ModeFormula:
    """The Horn formula over modes, as far as its clauses were added.

    Mode m is variable m + 1. A need that several modes meet has a separate variable,
    which each of them makes true.

    Args:
        determinised: The monitor states.
        rows: The steps out of each state of E.
        modes: Number of modes.
        solver: Receives the clauses and proposes models.
        effort: Counts the pairs.
    """

    def __init__(
        self,
        determinised: DeterminisedMonitor,
        rows: list[list[StepRow]],
        modes: int,
        solver: Solver,
        effort: Effort,
    ) -> None:
        self._determinised = determinised
        self._rows = rows
        self._modes = modes
        self._solver = solver
        self._effort = effort
        self._count = modes
        self._needs: dict[Chosen, Variable] = {}
        self._pairs: dict[tuple[StateId, int], Variable] = {}
        self._expanded: Found = {}
        for state in bits(determinised.initial):
            solver.add([self._pair(0, state)])

    def propose(self, including: Chosen = 0, excluding: Chosen = 0) -> Chosen | None:
        """Return a set of modes that no forbidden one contains, or `None`.

        Args:
            including: What it must contain, in this call.
            excluding: What it must not contain, in this call.
        """
        wanted = [*(m + 1 for m in bits(including)), *(-m - 1 for m in bits(excluding))]
        model = self._solver.propose(wanted)
        if model is None:
            return None
        return sum(1 << v - 1 for v in model[: self._modes] if v > 0)

    def require(self, chosen: Chosen) -> None:
        """From now on propose only sets that contain these."""
        for m in bits(chosen):
            self._solver.add([m + 1])

    def forbid(self, chosen: Chosen) -> bool:
        """Exclude a set and its subsets; return whether proposals are left."""
        outside = [m + 1 for m in range(self._modes) if not chosen >> m & 1]
        if outside:
            self._solver.add(outside)
        return bool(outside)

    def learn(self, found: Found) -> None:
        """Add the clauses of pairs that were reached."""
        for source, states in found.items():
            new = states & ~self._expanded.get(source, 0)
            if new:
                self._expanded[source] = self._expanded.get(source, 0) | new
                for state in bits(new):
                    self._expand(source, state)

    def close(self) -> None:
        """Free the solver."""
        self._solver.close()

    def _expand(self, source: StateId, state: int) -> None:
        met = self._pair(source, state)
        for row in self._rows[source]:
            after = self._determinised.step(state, row.action)
            if not after:
                continue
            steps = [*((t, ()) for t in row.planned), *row.others]
            if after == FAILED:
                for needs in {needs for _target, needs in steps}:
                    self._solver.add([-met, *map(self._missing, needs)])
                continue
            for target, needs in steps:
                for following in bits(after):
                    pair = self._pair(target, following)
                    if pair != met:
                        self._solver.add([-met, *map(self._missing, needs), pair])

    def _missing(self, need: Chosen) -> int:
        """The literal that a need is not met."""
        if need & need - 1 == 0:
            return -need.bit_length()
        variable = self._needs.get(need)
        if variable is None:
            variable = self._needs[need] = self._new()
            for m in bits(need):
                self._solver.add([-(m + 1), variable])
        return -variable

    def _pair(self, source: StateId, state: int) -> Variable:
        key = (source, state)
        variable = self._pairs.get(key)
        if variable is None:
            variable = self._pairs[key] = self._new()
            self._effort.pairs += 1
        return variable

    def _new(self) -> Variable:
        self._count += 1
        return self._count
