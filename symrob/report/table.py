"""Table 1 of the paper, its figures beside ours.

In:  cases that name a row of the table, and their results.
Out: a table on standard output, or a dictionary for JSON.

Source: docs/sources.md [S1], Table 1.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from symrob.api import analyse, load_roles
from symrob.api.result import SafetyEnvelope
from symrob.case import Case, load_case, read_toml
from symrob.errors import Diagnostic, LimitExceeded, SymrobError
from symrob.report.text import plural, printable

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
TIME_OUT = "TO"
# The paper's columns of times, by the algorithm that they are of.
_WALL = {"connected": "wall_heuristic", "plain": "wall_plain"}

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
        name: The name of the row in the paper, or the title of the case.
        paper: The paper's figures; empty if it has none.
        ours: Our figures by key, counted as the paper counts.
        status: Whether Δ is complete, for the first algorithm; `interrupted` if
            any was.
        seconds: For each algorithm its time from the encoding to the last
            deviation, or `TO` where a bound was hit.
        disagreeing: The algorithms whose Δ is another; there are none.
        warnings: What may be a mistake in the models.
    """

    name: str
    paper: Mapping[str, Any]
    ours: dict[str, Any]
    status: str
    seconds: dict[str, float | str]
    disagreeing: tuple[str, ...] = ()
    warnings: tuple[Diagnostic, ...] = ()

    def differs(self, key: str) -> bool:
        """Whether the paper gives another figure than a known one of ours."""
        ours = self.ours[key]
        return ours is not None and self.paper.get(key, ours) != ours


def table_cases(paths: Sequence[str], *, allow_outside: bool = False) -> list[Case]:
    """Return the cases named, and those in folders that name a row.

    Raises:
        SymrobError: A path does not exist, a case is wrong, or there is none.
    """
    cases = []
    for path in paths:
        if os.path.isdir(path):
            # Policies and files of weights may lie there as well.
            cases += [
                load_case(file, allow_outside=allow_outside)
                for file in _case_files(path)
                if "row" in read_toml(file)[1]
            ]
        else:
            cases.append(load_case(path, allow_outside=allow_outside))
    if not cases:
        raise SymrobError(
            Diagnostic(
                "table-empty",
                f"no case that names a row of Table 1 in {', '.join(paths)}",
            )
        )
    return sorted(cases, key=lambda case: place(case.row))


def place(row: str | None) -> int:
    """Return where a row stands in the paper's table; others come behind."""
    return _ROWS.index(row) if row in _ROWS else len(_ROWS)


def _case_files(folder: str) -> Iterator[str]:
    for root, folders, files in os.walk(folder):
        folders.sort()
        for name in sorted(files):
            if name.endswith(".toml"):
                yield os.path.join(root, name)


def run_table(
    cases: Sequence[Case],
    runs: Sequence[Mapping[str, Any]],
    note: Callable[[str], None],
) -> list[Row]:
    """Compute every row.

    Args:
        cases: The rows; settings of theirs hold where a run has none.
        runs: Options by the fields of `Options`, each with an algorithm; the first
            one gives the figures, and the others are compared with it.
        note: Told what is going on.

    Returns:
        The rows. A bound that is hit ends its row, an interrupt the table.

    Raises:
        LimitExceeded: Bounds were hit before there was anything for any row.
        KeyboardInterrupt: It came before there was anything.
    """
    rows = []
    stops: list[LimitExceeded | KeyboardInterrupt] = []
    for case in cases:
        try:
            rows.append(_computed(case, runs, note))
        except (LimitExceeded, KeyboardInterrupt) as error:
            rows.append(_stopped(case, runs, error))
            stops.append(error)
        if rows[-1].status == "interrupted":
            break
    if len(stops) == len(rows):
        raise stops[-1]
    return rows


def _computed(
    case: Case, runs: Sequence[Mapping[str, Any]], note: Callable[[str], None]
) -> Row:
    settings = [case.options(run) for run in runs]
    roles = load_roles(case, settings[0].limits)
    results = []
    figures: dict[str, Any] = {}
    interrupted = False
    for options in settings:
        note(f"{case.title}: {options.algorithm} …")
        result = analyse(roles, options)
        results.append((result, set(result)))
        # At once, while the time of this run is not up.
        figures = figures or _figures(result)
        if result.status == "interrupted" or result.engine.clock.interrupted:
            interrupted = True
            break
    first, expected = results[0]
    return Row(
        case.row or case.title,
        case.paper,
        figures,
        "interrupted" if interrupted else first.status,
        {
            **{options.algorithm: TIME_OUT for options in settings},
            **{r.algorithm: _time(r) for r, _ in results},
        },
        tuple(
            r.algorithm
            for r, delta in results
            if r.status == first.status == "complete" and delta != expected
        ),
        first.warnings,
    )


def _stopped(
    case: Case,
    runs: Sequence[Mapping[str, Any]],
    error: LimitExceeded | KeyboardInterrupt,
) -> Row:
    """The row of a case of which nothing is known but what stopped it."""
    status = "interrupted"
    if isinstance(error, LimitExceeded):
        status = error.status
    times: dict[str, float | str] = {run["algorithm"]: TIME_OUT for run in runs}
    return Row(case.row or case.title, case.paper, as_counted({}), status, times)


def _time(envelope: SafetyEnvelope) -> float | str:
    return envelope.seconds if envelope.status == "complete" else TIME_OUT


def _figures(envelope: SafetyEnvelope) -> dict[str, Any]:
    found = asdict(envelope.statistics)
    return as_counted({**found, "delta": len(envelope), "largest": envelope.largest})


def as_counted(statistics: Mapping[str, Any]) -> dict[str, Any]:
    """Return figures as the paper counts them, with an error state more in each.

    Args:
        statistics: Those of a result, schema `symrob/result/1`.
    """
    ours: dict[str, Any] = {key: statistics.get(key) for _, key in COLUMNS}
    for key in _PLUS_ERROR_STATE:
        ours[key] = None if ours[key] is None else ours[key] + 1
    per = ours["winning_set_per_env_deviation"]
    ours["winning_set_per_env_deviation"] = None if per is None else list(per)
    return ours


def table_dict(rows: Iterable[Row]) -> dict[str, Any]:
    """Return the table for JSON; figures counted as the paper counts."""
    return {
        "schema": "symrob/table/1",
        "rows": [
            {
                "row": row.name,
                "symrob": row.ours,
                "paper": {k: row.paper.get(k) for _, k in COLUMNS},
                "different": [k for _, k in COLUMNS if row.differs(k)],
                "disagreeing_algorithms": list(row.disagreeing),
                "status": row.status,
                "timing": row.seconds,
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
    algorithms = list(rows[0].seconds)
    for algorithm in algorithms:
        table.add_column(f"{algorithm} s", justify="right")
    for row in rows:
        mark = "" if row.status == "complete" else f" ({row.status})"
        ours = [
            _cell(row.ours[key]) + (DIFFERENT if row.differs(key) else "")
            for _, key in COLUMNS
        ]
        paper = row.paper
        theirs = [_cell(paper.get(k, [])) if paper else "" for _, k in COLUMNS]
        times = [_seconds(t) for t in row.seconds.values()]
        walls = [str(paper.get(_WALL.get(a, ""), "")) for a in algorithms]
        table.add_row(printable(row.name) + mark, *ours, *times)
        table.add_row("  paper", *theirs, *walls, style="dim", end_section=True)
    width = None if sys.stdout.isatty() else 140
    Console(width=width, markup=False).print(table)
    _print_verdict(rows)


def _print_verdict(rows: Sequence[Row]) -> None:
    differing = sum(row.differs(key) for row in rows for _, key in COLUMNS)
    for row in rows:
        for algorithm in row.disagreeing:
            print(f"{printable(row.name)}: {algorithm} gives another \u0394")
    stopped = sum(row.status != "complete" for row in rows)
    if stopped:
        print(f"{plural(stopped, 'row')} not complete")
    known = "every known figure" if stopped else "every figure"
    print(
        f"{differing} figures differ from the paper's (marked {DIFFERENT})"
        if differing
        else f"{known} equals the paper's"
    )


def _seconds(value: float | str) -> str:
    return value if isinstance(value, str) else f"{value:.3f}"


def _cell(value: Any) -> str:
    if value is None:
        return "?"
    if isinstance(value, list):
        return ", ".join(map(str, value)) or "NA"
    return str(value)
