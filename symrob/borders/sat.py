"""python-sat: solvers that leave signals to Python, log proofs, and report bounds.

In:  the arguments of the solvers of python-sat.
Out: the solvers of python-sat, with the additional features that symrob needs.

In the main thread, python-sat catches SIGINT itself, by a jump that corrupts the
solver. The calls in `pysolvers` can disable this; Python's handler then runs when the
call ends.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import lru_cache
from tempfile import TemporaryFile
from typing import Any

from symrob.errors import LimitExceeded


@lru_cache
def cadical() -> Any:
    """Return python-sat's class for CaDiCaL, with signals handled by Python."""
    import pysolvers
    from pysat.solvers import Cadical195

    class Cadical(Cadical195):  # type: ignore[misc]
        def solve_limited(
            self, assumptions: Sequence[int] = (), expect_interrupt: bool = False
        ) -> bool | None:
            assert not expect_interrupt, "it comes back when its conflicts are used up"
            status = pysolvers.cadical195_solve_lim(self.cadical, assumptions, 0)
            self.prev_assumps = assumptions
            self.status = None if status == 0 else status > 0
            return self.status

    with suppress(Exception):
        solver = Cadical()
        solver.add_clause([1, 2])
        if solver.solve_limited([-1]) and solver.get_model() == [-1, 2]:
            return Cadical
    return Cadical195


def log_proof(solver: Any) -> None:
    """Make a new CaDiCaL log a proof in LRAT, for which python-sat has no option.

    Raises:
        LimitExceeded: This version of python-sat does not support it.
    """
    import pysolvers

    file = TemporaryFile()  # noqa: SIM115 (`delete` closes it)
    try:
        pysolvers.cadical195_set(solver.cadical, "lrat", 1)
        traced = pysolvers.cadical195_tracepr(solver.cadical, file)
    except (AttributeError, TypeError) as error:
        file.close()
        raise LimitExceeded("this version of python-sat cannot log proofs") from error
    # Both or none: `delete` would crash with the file alone.
    solver.prfile, solver.prfp = file, traced


def logged_proof(solver: Any) -> bytes:
    """Return the log of a solver since `log_proof`."""
    import pysolvers

    pysolvers.flushpr(solver.prfp)
    solver.prfile.seek(0)
    log: bytes = solver.prfile.read()
    return log


def propagated(solver: Any, literals: Sequence[int]) -> tuple[bool, list[int] | None]:
    """Return whether MiniSat can assume literals, and the literals it then derives."""
    import pysolvers

    try:
        minisat = solver.solver.minisat
        answer: tuple[bool, list[int] | None]
        answer = pysolvers.minisat22_propagate(minisat, literals, 0, 0)
    except (AttributeError, TypeError):
        answer = solver.propagate(literals)
    return answer


def max_sat(formula: Any, tell: Callable[[int], None]) -> Any:
    """Return RC2 for a formula; every call in it can be interrupted.

    Args:
        formula: Hard and soft clauses.
        tell: Called after each core with the weight lost so far.
    """
    # Not the stratified variant: with clauses added between its calls it has
    # given up models that there were.
    kind = _rc2()
    solver = kind(formula, solver="g3", exhaust=hasattr(kind, "_call_oracle"))
    solver.tell = tell
    return solver


@lru_cache
def _rc2() -> Any:
    """RC2 that reports its cost, and lets no call go on when it is interrupted.

    There is one class: a class is in a cycle, and would keep what `tell` refers to.
    """
    from pysat.examples.rc2 import RC2

    class Telling(RC2):  # type: ignore[misc]
        def process_core(self) -> None:
            super().process_core()
            self.tell(self.cost)

    if hasattr(RC2, "_call_oracle"):
        # RC2 makes the calls that exhaust a core such that no interrupt ends them. One
        # that was interrupted spoils its bounds, but then it is not called again.
        Telling._call_oracle = _interruptible
    return Telling


def _interruptible(
    self: Any,
    assumptions: Sequence[int] = (),
    expect_interrupt: bool = True,  # noqa: ARG001
) -> bool | None:
    answer: bool | None = self.oracle.solve_limited(
        assumptions=assumptions, expect_interrupt=True
    )
    return answer
