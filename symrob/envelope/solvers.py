"""The SAT solvers: models of growing sets of clauses.

In:  clauses over variables from 1 on, of which the first ones are candidates.
Out: models, one after the other, until there is none.

`EnumerationSolver` and `ProofSolver` return any model, the first one for very many
clauses; `MaxSatSolver` returns one of the greatest weight. `HittingSets` returns
smallest hitting sets.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Hashable, Iterable, Sequence
from time import monotonic
from typing import Generic, Protocol, TypeVar

from symrob.borders.sat import cadical, log_proof, logged_proof, max_sat, propagated
from symrob.envelope import tuning
from symrob.envelope.effort import Effort
from symrob.envelope.logged_proof import ProofStep, needed_steps
from symrob.errors import LimitExceeded
from symrob.interrupts import breakable
from symrob.limits import Clock

Variable = int
Thing = TypeVar("Thing", bound=Hashable)
# Of the solvers in python-sat that were tried, the quickest on these formulas.
SOLVER = "minisat22"


class Undecided(Exception):
    """The solver exceeded the allowed number of conflicts."""


class Solver(Protocol):
    """Proposes models."""

    def add(self, clause: Sequence[int]) -> None:
        """Exclude the models that violate a clause."""

    def propose(self, wanted: Sequence[int] = ()) -> list[int] | None:
        """Return a model as literals, by variable, or `None` if there is none.

        Variables after the last one in any clause may be left out.

        Args:
            wanted: Literals that must hold, in this call.
        """

    @property
    def close(self) -> Callable[[], object]:
        """Call it to free the solver."""


class EnumerationSolver:
    """Any model, for very many clauses.

    Variables are tried true first: a model is then nearly maximal, and most clauses
    that forbid known sets hold at once, so that a call takes about as long after
    100,000 of them as at first. If that causes many conflicts, they are tried false
    first: models are then small, with hardly any conflicts.

    Args:
        clock: Checked before every call, and during long ones.
        effort: Counts the calls.
        proof: Whether to log a proof.

    Attributes:
        close: Call it to free the solver.
    """

    def __init__(self, clock: Clock, effort: Effort, *, proof: bool = False) -> None:
        self._clock = clock
        self._effort = effort
        self._solver = cadical()()
        if proof:
            log_proof(self._solver)
        # Simplifying the clauses was seen to take seconds in one call, in which
        # nothing can interrupt it, and no call was quicker afterwards.
        off = dict.fromkeys(("lucky", "inprocessing"), 0)
        # With small models a proof was half as long.
        phase = 0 if proof else 1
        self._solver.configure({"forcephase": 1, "phase": phase, **off})
        self._calls = self._conflicts = 0
        # Also at exit, before the solver's module is taken down.
        self.close = weakref.finalize(self, self._solver.delete)

    def add(self, clause: Sequence[int]) -> None:
        """See `Solver`."""
        self._solver.add_clause(clause)

    def propose(self, wanted: Sequence[int] = ()) -> list[int] | None:
        """See `Solver`."""
        self._effort.solver_calls += 1
        self._calls += 1
        if self._calls % tuning.CALLS_WATCHED == 0:
            self._judge()
        conflicts = tuning.FIRST_CONFLICTS
        answer = None
        while answer is None:
            # It cannot be interrupted, so it comes back now and then, and
            # signals are handled. It keeps what it has learned.
            self._clock.check()
            self._solver.conf_budget(conflicts)
            begun = monotonic()
            answer = self._solver.solve_limited(assumptions=wanted)
            if monotonic() - begun < tuning.LONG_CALL:
                conflicts *= 2
        model: list[int] | None = self._solver.get_model() if answer else None
        return model

    def proof(
        self, names: Sequence[int], numbers: Sequence[int], behind: int
    ) -> list[ProofStep]:
        """Return the proof that there is no model, after `propose` has found none.

        Args:
            names: The name of each variable, by its number.
            numbers: The numbers of the clauses, in the order in which they were added.
            behind: The number of the first step.
        """
        return needed_steps(logged_proof(self._solver), names, numbers, behind)

    def _judge(self) -> None:
        """Try variables false first if there were many conflicts of late."""
        conflicts: int = self._solver.accum_stats()["conflicts"]
        if conflicts - self._conflicts > tuning.MANY_CONFLICTS * tuning.CALLS_WATCHED:
            self._solver.configure({"phase": 0})
        self._conflicts = conflicts


class ProofSolver:
    """Any model; prefers models with few candidates.

    Args:
        clock: Checked at every call; interrupts the solver when the time is up.
        effort: Counts the calls.
        conflicts: Maximum number of conflicts of a call before it raises `Undecided`;
            `None` for no bound.

    Attributes:
        close: Call it to free the solver.
    """

    def __init__(
        self,
        clock: Clock,
        effort: Effort,
        conflicts: int | None = None,
    ) -> None:
        from pysat.solvers import Solver

        self._clock = clock
        self._conflicts = conflicts
        self._effort = effort
        self._solver = Solver(name=SOLVER)
        # Also at exit, before the solver's module is taken down.
        self.close = weakref.finalize(self, self._solver.delete)

    def add(self, clause: Sequence[int]) -> None:
        """See `Solver`."""
        self._solver.add_clause(clause)

    def propose(self, wanted: Sequence[int] = ()) -> list[int] | None:
        """See `Solver`."""
        self._clock.check()
        self._effort.solver_calls += 1
        solved = self._solve(wanted)
        model: list[int] | None = self._solver.get_model() if solved else None
        return model

    def derived(self, literals: Sequence[int]) -> list[int] | None:
        """Return the literals that unit propagation derives from some, including these.

        `None` if there is a contradiction.
        """
        agrees, found = propagated(self._solver, literals)
        return (found or []) if agrees else None

    def _solve(self, wanted: Sequence[int]) -> bool:
        if self._conflicts is not None:
            end = self._solver.accum_stats()["conflicts"] + self._conflicts
            self._solver.conf_budget(self._conflicts)
        while True:
            with breakable(self._solver.interrupt, self._clock.remaining):
                answer: bool | None = self._solver.solve_limited(
                    assumptions=wanted, expect_interrupt=True
                )
            if answer is not None:
                return answer
            # The time is up, or a signal came whose handler lets us go on.
            self._clock.check()
            if (
                self._conflicts is not None
                and self._solver.accum_stats()["conflicts"] >= end
            ):
                raise Undecided
            self._solver.clear_interrupt()


class MaxSatSolver:
    """A model whose candidates have the greatest weight together.

    Args:
        weights: For each candidate its weight, a positive integer.
        clock: Checked at every call; interrupts the solver when the time is up.
        effort: Counts the calls.
        at_most: Called during calls with an upper bound on the weight.

    Attributes:
        close: Call it to free the solver.

    Cost: each call solves a weighted MaxSAT problem, by cores (RC2).
    """

    def __init__(
        self,
        weights: Sequence[int],
        clock: Clock,
        effort: Effort,
        at_most: Callable[[int], None] = lambda _: None,
    ) -> None:
        from pysat.formula import WCNF

        total = sum(weights)
        formula = WCNF()
        for candidate, weight in enumerate(weights, 1):
            formula.append([candidate], weight=weight)
        self._clock = clock
        self._effort = effort
        self._solver = max_sat(formula, lambda cost: at_most(total - cost))
        self.close = weakref.finalize(self, self._solver.delete)

    def add(self, clause: Sequence[int]) -> None:
        """See `Solver`."""
        self._solver.add_clause(clause)

    def propose(self, wanted: Sequence[int] = ()) -> list[int] | None:
        """See `Solver`; temporary literals are not supported."""
        assert not wanted
        self._clock.check()
        self._effort.solver_calls += 1
        with breakable(self._solver.interrupt, self._clock.remaining):
            model: list[int] | None = self._solver.compute(expect_interrupt=True)
        if model is None and self._solver.interrupted:
            # Perhaps there is one: the time is up, or a signal came.
            self._clock.check()
            raise LimitExceeded("the solver was interrupted")
        return model


class HittingSets(Generic[Thing]):
    """Hitting sets of some sets, the smallest first.

    Use it in a `with` block; the solver is freed at its end.
    """

    def __init__(self) -> None:
        # RC2, which it brings along, takes longer to load than small problems take.
        from pysat.examples.hitman import Hitman

        self._hitman = Hitman(htype="sorted")

    def __enter__(self) -> HittingSets[Thing]:
        return self

    def __exit__(self, *_: object) -> None:
        self._hitman.delete()

    def hit(self, things: Iterable[Thing]) -> None:
        """From now on require a nonempty intersection with these elements."""
        self._hitman.hit(list(things))

    def smallest(self) -> list[Thing] | None:
        """Return a smallest hitting set, `None` if there is none left."""
        found: list[Thing] | None = self._hitman.get()
        return found

    def exclude(self, chosen: Iterable[Thing]) -> None:
        """From now on return no superset of these elements."""
        self._hitman.block(list(chosen))
