"""Options that select units: groups of candidates, K, a completed table.

Every command that takes a case has them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated

from symrob.case import Case
from symrob.case.faults import Faults
from symrob.case.tables import MOST_STEPS
from symrob.cli.help import of_selection

By = Annotated[
    str | None,
    of_selection(
        "--by",
        metavar="UNIT[,UNIT]",
        help="Group candidates by action, class or component.",
    ),
]
Among = Annotated[
    list[str] | None,
    of_selection(
        "--among",
        metavar="EXPR",
        help="Include only 'SOURCE,ACTION,TARGET'; repeatable.",
    ),
]
NotAmong = Annotated[
    list[str] | None,
    of_selection(
        "--not-among",
        metavar="EXPR",
        help="Exclude 'SOURCE,ACTION,TARGET'; repeatable.",
    ),
]
FilledIn = Annotated[
    str | None,
    of_selection(
        "--table",
        metavar="FILE",
        help="Apply a completed table of `symrob candidates`.",
    ),
]

AtMost = Annotated[
    int | None,
    of_selection(
        "--at-most",
        metavar="K",
        min=0,
        max=MOST_STEPS,
        help="Allow at most K deviated steps in a trace.",
    ),
]


def with_selection(
    case: Case,
    by: str | None,
    among: Sequence[str] | None,
    not_among: Sequence[str] | None,
    table: str | None = None,
    at_most: int | None = None,
) -> Case:
    """Return a case with the user's selection; missing options keep its values.

    If only the fault modes of the case are possible, the candidates replace them; else
    they are added. Exclusions of the case stay in force.

    Raises:
        SymrobError: `by` names an unknown unit.
    """
    if at_most is not None:
        case = replace(case, at_most=at_most)
    if not (by or among or not_among or table):
        return case
    faults = case.faults or Faults()
    if faults.only and (by or among or not_among):
        faults = Faults(not_among=faults.not_among, table=faults.table)
    units = tuple(unit.strip() for unit in by.split(",")) if by else faults.by
    faults = replace(
        faults,
        by=units,
        among=tuple(among or faults.among),
        not_among=(*faults.not_among, *(not_among or ())),
        table=table or faults.table,
    )
    return replace(case, faults=faults)
