"""Options that say what is asked about: groups of candidates, K, a filled-in table.

Every command that takes a case takes them. They are told once, by `symrob --help`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated

import typer

from symrob.case import Case
from symrob.case.faults import Faults

By = Annotated[
    str | None,
    typer.Option("--by", metavar="UNIT[,UNIT]", hidden=True),
]
Among = Annotated[
    list[str] | None,
    typer.Option("--among", metavar="EXPR", hidden=True),
]
NotAmong = Annotated[
    list[str] | None,
    typer.Option("--not-among", metavar="EXPR", hidden=True),
]
FilledIn = Annotated[
    str | None,
    typer.Option("--table", metavar="FILE", hidden=True),
]
# What is asked about: options of every command that takes a case, told once.
ASKED = {
    "--by UNIT[,UNIT]": "ask about groups of what can be added: by action, class or "
    "component",
    "--among EXPR": "ask only about what fits 'source,action,target'; repeatable",
    "--not-among EXPR": "leave out what fits; repeatable",
    "--table FILE": "leave out and join what a table from symrob candidates says",
}


def asking(
    case: Case,
    by: str | None,
    among: Sequence[str] | None,
    not_among: Sequence[str] | None,
    table: str | None = None,
) -> Case:
    """Return a case with what the user asks about; what is not given stays.

    Where the case says that its fault modes are all there is, candidates are asked
    about in place of them; else beside them.

    Raises:
        SymrobError: `by` names a unit that there is not.
    """
    if not (by or among or not_among or table):
        return case
    faults = case.faults or Faults()
    if faults.only and (by or among or not_among):
        faults = Faults(table=faults.table)
    units = tuple(unit.strip() for unit in by.split(",")) if by else faults.by
    faults = replace(
        faults,
        by=units,
        among=tuple(among or faults.among),
        not_among=tuple(not_among or faults.not_among),
        table=table or faults.table,
    )
    return replace(case, faults=faults)
