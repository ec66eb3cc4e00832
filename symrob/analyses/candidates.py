"""The rows of a table of candidates, with the verdict on each.

In:  a `Space`.
Out: `Candidacy`: the selected candidates, their verdicts.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from symrob.analyses.hazards import Alone
from symrob.analyses.space import Space
from symrob.envelope.transitions import Candidates
from symrob.errors import LimitExceeded
from symrob.shown import Shown


@dataclass(frozen=True)
class Candidacy(Shown):
    """The rows of a table.

    Attributes:
        space: The problem.
        rows: The candidates; `None` for candidates of components.
        judged: The verdict on each individually.
    """

    space: Space
    rows: Candidates | None
    judged: Alone[Any]

    @property
    def count(self) -> int:
        """Number of rows."""
        return len(self.space if self.rows is None else self.rows)

    @property
    def lacking(self) -> bool:
        """Whether some verdicts are unknown."""
        return self.rows is not None and bool(len(self.judged.undecided))


def candidacy(space: Space, limit: int) -> Candidacy:
    """Return the candidates of a table with their verdicts.

    Args:
        space: The problem; its units are candidates, of E or of components.
        limit: At most this many candidates.

    Raises:
        LimitExceeded: There are more, or a bound was hit while screening.

    Cost: that of `Space.alone`; candidates that break an assumption stay undecided
        after the budget `table`.
    """
    rows, seconds = None, None
    if space.about.units is None:
        rows = space.required_whole("a table of transitions").candidates
        seconds = space.clock.budget("table")
    count = len(space if rows is None else rows)
    if count > limit:
        raise LimitExceeded(
            f"the table would have {count:,} rows, more than {limit:,}; select "
            "candidates with --among EXPR, or raise --limit"
        )
    judged = space.alone() if seconds is None else space.alone(seconds)
    return Candidacy(space, rows, judged)
