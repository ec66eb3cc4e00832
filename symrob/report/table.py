"""Table 1 of the paper, its figures beside ours.

In:  cases that name a row of the table, and their results.
Out: a table on standard output, or a dictionary for JSON.

Source: docs/sources.md [S1], Table 1.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from symrob.case import Case, load_case
from symrob.errors import Diagnostic, SymrobError
from symrob.robustness.result import Robustness

# Column heads and the keys of the figures, as in the paper's table.
COLUMNS = (
    ("|Act|", "actions"),
    ("|Q_E|", "environment_states"),
    ("|Q_C|", "controller_states"),
    ("|Q_P|", "property_states"),
    ("|W|", "winning_set"),
    ("|W_Penv|", "winning_set_per_env_deviation"),
    ("|Δ|", "delta"),
    ("|d_max|", "largest"),
)
# The paper counts one error state more in each.
_PLUS_ERROR_STATE = ("environment_states", "controller_states", "property_states")
DIFFERENT = "≠"

# The order of the paper's table; other cases come after it.
_ROWS = (
    "Running Example",
    "Therac-25 w/bug",
    "Therac-25 w/fix",
    "Therac-20",
    "Voting wrt. P_cfm",
    "Voting wrt. P_all",
    "Oyster",
    "PCA Pump",
)


@dataclass(frozen=True)
class Row:
    """One row: what symrob found and what the paper says.

    Attributes:
        case: The case.
        ours: Our figures by key, counted as the paper counts.
        status: Whether Δ is complete.
        seconds: Time from the encoding to the last deviation.
    """

    case: Case
    ours: dict[str, Any]
    status: str
    seconds: float

    def differs(self, key: str) -> bool:
        """Whether the paper gives another figure."""
        return key in self.case.paper and self.case.paper[key] != self.ours[key]


def table_cases(paths: Sequence[str]) -> list[Case]:
    """Return the cases named, and those in folders that name a row.

    Raises:
        SymrobError: A path does not exist, a case is wrong, or there is none.
    """
    cases = []
    for path in paths:
        if os.path.isdir(path):
            found = [load_case(file) for file in _case_files(path)]
            cases += [case for case in found if case.row is not None]
        else:
            cases.append(load_case(path))
    if not cases:
        raise SymrobError(
            Diagnostic(
                "table-empty",
                f"no case that names a row of Table 1 in {', '.join(paths)}",
            )
        )

    def place(case: Case) -> int:
        return _ROWS.index(case.row) if case.row in _ROWS else len(_ROWS)

    return sorted(cases, key=place)


def _case_files(folder: str) -> Iterator[str]:
    for root, folders, files in os.walk(folder):
        folders.sort()
        for name in sorted(files):
            if name.endswith(".toml"):
                yield os.path.join(root, name)


def table_row(case: Case, robustness: Robustness) -> Row:
    """Compute Δ and its statistics for one row."""
    statistics = robustness.statistics
    ours: dict[str, Any] = {
        key: getattr(statistics, key)
        for _, key in COLUMNS
        if key not in ("delta", "largest")
    }
    for key in _PLUS_ERROR_STATE:
        ours[key] = None if ours[key] is None else ours[key] + 1
    per = ours["winning_set_per_env_deviation"]
    ours["winning_set_per_env_deviation"] = None if per is None else list(per)
    ours["delta"] = len(robustness)
    ours["largest"] = robustness.largest
    return Row(case, ours, robustness.status, robustness.seconds)


def table_dict(rows: Iterable[Row]) -> dict[str, Any]:
    """Return the table for JSON; figures counted as the paper counts."""
    return {
        "schema": "symrob/table/1",
        "rows": [
            {
                "row": row.case.row or row.case.title,
                "symrob": row.ours,
                "paper": {k: row.case.paper.get(k) for _, k in COLUMNS},
                "different": [k for _, k in COLUMNS if row.differs(k)],
                "status": row.status,
                "timing": {"seconds": round(row.seconds, 6)},
            }
            for row in rows
        ],
    }


def print_table(rows: Sequence[Row]) -> None:
    """Print the table: for each row our figures, below them the paper's."""
    from rich.console import Console
    from rich.table import Table

    table = Table(title="[S1] Table 1: symrob's figures above the paper's")
    table.add_column("Example")
    for head, _ in COLUMNS:
        table.add_column(head, justify="right")
    table.add_column("seconds", justify="right")
    for row in rows:
        name = row.case.row or row.case.title
        mark = "" if row.status == "complete" else f" ({row.status})"
        ours = [
            _cell(row.ours[key]) + (DIFFERENT if row.differs(key) else "")
            for _, key in COLUMNS
        ]
        paper = [
            _cell(row.case.paper[k]) if k in row.case.paper else "" for _, k in COLUMNS
        ]
        heuristic = row.case.paper.get("wall_heuristic", "")
        table.add_row(name + mark, *ours, f"{row.seconds:.3f}")
        table.add_row("  paper", *paper, str(heuristic), style="dim", end_section=True)
    Console(width=None if _is_terminal() else 120, markup=False).print(table)
    differing = sum(row.differs(key) for row in rows for _, key in COLUMNS)
    print(
        f"{differing} figures differ from the paper's (marked {DIFFERENT})"
        if differing
        else "every figure equals the paper's"
    )


def _is_terminal() -> bool:
    import sys

    return sys.stdout.isatty()


def _cell(value: Any) -> str:
    if value is None:
        return "?"
    if isinstance(value, list):
        return ", ".join(map(str, value)) or "NA"
    return str(value)
