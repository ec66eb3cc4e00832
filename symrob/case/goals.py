"""Goals in a case file: what must stay possible.

In:  the table `[progress]`.
Out: `NamedGoals`; the description of its keys.

    [progress]
    treatment = ["fireXray", "fireElectron"]
    completion = true
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from symrob.case.tables import FreeNames, Key, Keys, printable_name, some_texts
from symrob.problem.goals import COMPLETION, NamedGoals

_MOST = 1_000


def goals_named(table: Mapping[str, Any]) -> NamedGoals:
    """Return the goals of a valid table."""
    named: dict[str, tuple[str, ...] | None] = {}
    for (name,), value in GOALS.leaves(table):
        named[str(name)] = (value,) if isinstance(value, str) else tuple(value)
    return {**named, COMPLETION: None} if table.get(COMPLETION) is True else named


def table_of_goals(named: NamedGoals) -> dict[str, Any]:
    """Return the table of some goals; the inverse of `goals_named`."""
    return {n: True if some is None else list(some) for n, some in named.items()}


GOALS = Keys(
    {
        COMPLETION: Key(
            lambda v: v is True, "true (a goal with actions requires another name)"
        )
    },
    free=Key(some_texts(1), "an action or a list of actions; `*` matches anything"),
    names=FreeNames(
        (printable_name(200),), _MOST, "goals", is_whole=lambda _value: True
    ),
)
