"""Which candidates a table lists, and what each is worth alone.

In:  an `Engine` whose nominal system is safe.
Out: the candidates that are asked about, their verdicts.
"""

from __future__ import annotations

from symrob.analyses.hazards import Alone, alone
from symrob.envelope.engine import Engine
from symrob.envelope.transitions import Candidates
from symrob.errors import LimitExceeded


def asked_about(engine: Engine, limit: int) -> tuple[Candidates, Alone[Candidates]]:
    """Return the candidates of a table with their verdicts.

    Args:
        engine: The problem, its preconditions checked.
        limit: So many candidates at most.

    Raises:
        LimitExceeded: There are more, or a bound was hit while screening.

    Cost: that of `alone`; what breaks an assumption stays undecided after the budget
        `table`.
    """
    problem = engine.problem
    asked = Candidates.all_new(problem.environment)
    if problem.among is not None:
        asked = Candidates.of(problem.environment, problem.among)
    require_few(len(asked), limit)
    return asked, alone(engine, engine.clock.budget("table"))


def require_few(count: int, limit: int) -> None:
    """Refuse a table of too many rows.

    Raises:
        LimitExceeded: There are more.
    """
    if count > limit:
        raise LimitExceeded(
            f"a table of {count:,} rows is more than {limit:,}; --among EXPR "
            "picks some of them, --limit raises the limit"
        )
