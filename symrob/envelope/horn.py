"""Safety of deviations as a Horn formula inside a SAT solver, grown on demand.

In:  a `MaximalExtension`: the monitor states, the rows and their candidates. For fault
     modes, the monitor states and the steps out of each state of E.
Out: sets of candidates, or of modes, that may be safe.

Over the reached pairs (state of E, monitor state), safety is Horn (docs/mathematics.md,
2): the initial pairs are reached; if a pair is reached and a transition present, the
pair that it leads to is reached; ERROR is not. The solver has a variable for each
candidate, or mode, and each pair, and proposes sets; `MaximalExtension` (`mode_sets`)
decides whether they are safe, and makes them maximal.

The clauses of a pair are added when an examined set of candidates reaches it. So the
formula is always implied by the complete one, and grows only near wrong proposals and
sets that were found.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from symrob.envelope.cache import Cache
from symrob.envelope.determinised import (
    FAILED,
    BitRows,
    DeterminisedMonitor,
    MonitorStates,
)
from symrob.envelope.effort import Effort
from symrob.envelope.extension import MaximalExtension
from symrob.envelope.solvers import Solver, Variable
from symrob.limits import Clock
from symrob.lts import Action, StateId
from symrob.lts.masks import bits
from symrob.problem.units import Chosen


class PairFormula:
    """What formulas over pairs have in common.

    Args:
        determinised: The monitor states of the monitors.
        solver: Receives the clauses and proposes models.
        effort: Counts the pairs.
        clock: Checked before the clauses of a pair are added.
    """

    def __init__(
        self,
        determinised: DeterminisedMonitor,
        solver: Solver,
        effort: Effort,
        clock: Clock,
    ) -> None:
        self._determinised = determinised
        self._solver = solver
        self._effort = effort
        self._clock = clock
        self._count = 0
        self._pairs: dict[tuple[StateId, int], Variable] = {}

    def close(self) -> None:
        """Free the solver."""
        self._solver.close()

    def exclude(self, outside: Sequence[Variable]) -> bool:
        """Exclude the complement of these, as `forbid` does."""
        if outside:
            self._solver.add(outside)
        return bool(outside)

    def _pair(self, state: StateId, monitor_state: int) -> Variable:
        key = (state, monitor_state)
        variable = self._pairs.get(key)
        if variable is None:
            variable = self._pairs[key] = self._new()
            self._effort.pairs += 1
        return variable

    def _new(self) -> Variable:
        self._count += 1
        return self._count


class HornFormula(PairFormula):
    """The Horn formula of a problem, as far as its clauses were added.

    Args:
        determinised: The monitor states of the monitors.
        extension: The rows and their candidates; candidate i in the order of
            `extension.transitions` is variable i + 1.
        solver: Receives the clauses and proposes models.
        effort: Counts the pairs.
        clock: Checked before the clauses of a pair are added.
    """

    def __init__(
        self,
        determinised: DeterminisedMonitor,
        extension: MaximalExtension,
        solver: Solver,
        effort: Effort,
        clock: Clock,
    ) -> None:
        super().__init__(determinised, solver, effort, clock)
        self._extension = extension
        # For each row, the variables of its candidates, by target.
        self._candidates: list[dict[StateId, Variable]] = [
            {t: self._new() for t in extension.targets(mask)}
            for mask in extension.options
        ]
        # Of each candidate, by variable, its row and its bit in the row.
        self._bits = [(0, 0)] + [
            (row, 1 << target)
            for row, candidates in enumerate(self._candidates)
            for target in candidates
        ]
        # What is left out of a row comes again and again.
        self._outside = Cache(self._variables_of)
        self._expanded: list[MonitorStates] = [0] * extension.states
        for monitor_state in extension.targets(determinised.initial):
            solver.add([self._pair(0, monitor_state)])

    def propose(
        self, including: Sequence[int] = (), excluding: Sequence[int] = ()
    ) -> list[Variable] | None:
        """Return the candidates of a set that no forbidden one contains, or `None`.

        It need not be safe: the formula may still lack clauses.

        Args:
            including: What it must contain, in this call; for each row as bits.
            excluding: What it must not contain, in this call; for each row as bits.
        """
        wanted = [
            *self._variables(including),
            *(-v for v in self._variables(excluding)),
        ]
        model = self._solver.propose(wanted)
        return None if model is None else self.candidates_in(model)

    def candidates_in(self, model: Sequence[int]) -> list[Variable]:
        """Return the candidates that are true in a model."""
        # They have the first variables.
        return [v for v in model[: len(self._bits) - 1] if v > 0]

    def rows_of(self, candidates: Iterable[Variable]) -> BitRows:
        """Return candidates, for each row as bits."""
        rows = [0] * len(self._candidates)
        known = self._bits
        for variable in candidates:
            row, bit = known[variable]
            rows[row] |= bit
        return rows

    def rows_without(self, candidates: Iterable[Variable]) -> BitRows:
        """Return all other candidates, for each row as bits."""
        rows = [*self._extension.options]
        known = self._bits
        for variable in candidates:
            row, bit = known[variable]
            rows[row] ^= bit
        return rows

    def variable(self, row: int, target: StateId) -> Variable:
        """Return the variable of a candidate, for clauses of other modules."""
        return self._candidates[row][target]

    def new_variable(self) -> Variable:
        """Return a fresh variable, for clauses of other modules."""
        return self._new()

    def learn(self, found: list[MonitorStates]) -> None:
        """Add the clauses of pairs that were reached.

        Args:
            found: For each state of E the monitor states reached with it.

        Raises:
            LimitExceeded: A bound was hit; the clauses of the other pairs follow when
                they are reached again.
        """
        for state, monitor_states in enumerate(found):
            new = monitor_states & ~self._expanded[state]
            for monitor_state in self._extension.targets(new) if new else ():
                self._clock.check()
                self._expand(state, monitor_state)
                self._expanded[state] |= 1 << monitor_state

    def require(self, chosen: BitRows) -> None:
        """From now on propose only sets that contain these."""
        for variable in self._variables(chosen):
            self._solver.add([variable])

    def _variables(self, rows: Sequence[int]) -> Iterator[Variable]:
        for row, mask in enumerate(rows):
            if mask:
                yield from self._variables_of((row, mask))

    def _variables_of(self, key: tuple[int, int]) -> tuple[Variable, ...]:
        """The variables of some candidates in one row."""
        row, mask = key
        candidates = self._candidates[row]
        return tuple(candidates[target] for target in bits(mask))

    def forbid(self, chosen: BitRows) -> bool:
        """Exclude `chosen` and all its subsets from further proposals.

        Returns:
            Whether further proposals are possible.
        """
        outside: list[Variable] = []
        for row, (mask, every) in enumerate(
            zip(chosen, self._extension.options, strict=True)
        ):
            if mask != every:
                outside += self._outside[row, every & ~mask]
        return self.exclude(outside)

    def _expand(self, state: StateId, monitor_state: int) -> None:
        met = self._pair(state, monitor_state)
        add = self._solver.add
        for action, row in self._extension.of_state(state):
            after = self._determinised.step(monitor_state, action)
            fixed, candidates = self._extension.fixed[row], self._candidates[row]
            if after == FAILED:
                if fixed:
                    add([-met])
                for variable in candidates.values():
                    add([-met, -variable])
            elif after:
                for following in self._extension.targets(after):
                    for target in self._extension.targets(fixed):
                        add([-met, self._pair(target, following)])
                    for target, variable in candidates.items():
                        add([-met, -variable, self._pair(target, following)])


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

    def needs_of(
        self, chosen: Chosen, target: StateId | None = None
    ) -> tuple[Chosen, ...]:
        """Return what a step to a target needs, or to any; some modes meet it."""
        if self.planned if target is None else target in self.planned:
            return ()
        return next(
            needs
            for other, needs in self.others
            if target in (None, other) and all(n & chosen for n in needs)
        )

    def targets(self, chosen: Chosen) -> list[StateId]:
        """Return the targets with some modes."""
        return [
            *self.planned,
            *(t for t, needs in self.others if all(n & chosen for n in needs)),
        ]


class ModeFormula(PairFormula):
    """The Horn formula over modes, as far as its clauses were added.

    Mode m is variable m + 1. A need that several modes meet has a separate variable,
    which each of them makes true.

    Args:
        determinised: The monitor states.
        rows: The steps out of each state of E.
        modes: Number of modes.
        solver: Receives the clauses and proposes models.
        effort: Counts the pairs.
        clock: Checked before the clauses of a pair are added.
    """

    def __init__(
        self,
        determinised: DeterminisedMonitor,
        rows: list[list[StepRow]],
        modes: int,
        solver: Solver,
        effort: Effort,
        clock: Clock,
    ) -> None:
        super().__init__(determinised, solver, effort, clock)
        self._rows = rows
        self._modes = self._count = modes
        self._needs: dict[Chosen, Variable] = {}
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
        return self.exclude(outside)

    def exclude_run(self, needs: Iterable[Chosen]) -> None:
        """Exclude the sets that meet all needs of a violating run."""
        self._solver.add([*{self._missing(need) for need in needs}])

    def learn(self, found: Found) -> None:
        """Add the clauses of pairs that were reached, as `HornFormula.learn`."""
        for source, states in found.items():
            expanded = self._expanded.get(source, 0)
            for state in bits(states & ~expanded):
                self._clock.check()
                self._expand(source, state)
                expanded |= 1 << state
                self._expanded[source] = expanded

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
