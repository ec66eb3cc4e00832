"""Table 1 of the paper, its figures beside ours.

In:  case files, or folders to search for those that name a row; a time-out.
Out: the table; exit code 1 where a figure or a Δ is another.

    python -m bench.table1 --timeout 60 --all

Source: docs/sources.md [S1], Table 1.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from bench.runner import ROOT
from symrob.api import analyse, load_roles
from symrob.api.result import SafetyEnvelope
from symrob.case import Case, load_case
from symrob.errors import LimitExceeded
from symrob.files.tomltext import read_toml
from symrob.report.text import plural

# Column heads and the keys of the figures, as in the paper's table.
COLUMNS = {
    "|Act|": "actions",
    "|Q_E|": "environment_states",
    "|Q_C|": "controller_states",
    "|Q_P|": "property_states",
    "|W|": "winning_set",
    "|W_Penv|": "winning_set_per_env_deviation",
    "|Δ|": "delta",
    "|d_max|": "largest",
}
# The paper counts one error state more in each.
PLUS_ERROR_STATE = ("environment_states", "controller_states", "property_states")
DIFFERENT = "≠"
TIME_OUT = "TO"
# The paper's columns of times, by the algorithm that they are of.
WALL = {"connected": "wall_heuristic", "plain": "wall_plain"}
# The order of the paper's table; other cases come after it.
ROWS = (
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
        ours: Our figures by key, counted as the paper counts; `None` is not known.
        seconds: For each algorithm its time from the encoding to the last
            deviation, or `TO` where a bound was hit.
        disagreeing: The algorithms whose Δ is another; there are none.
    """

    name: str
    paper: Mapping[str, Any]
    ours: Mapping[str, Any]
    seconds: Mapping[str, float | str]
    disagreeing: tuple[str, ...] = ()

    @property
    def complete(self) -> bool:
        """Whether the first algorithm found all."""
        return next(iter(self.seconds.values())) != TIME_OUT

    def differs(self, key: str) -> bool:
        """Whether the paper gives another figure than a known one of ours."""
        ours = self.ours.get(key)
        return ours is not None and self.paper.get(key, ours) != ours


def table_cases(paths: Iterable[str | Path]) -> list[Case]:
    """Return the cases named, and those in folders that name a row, in order."""
    cases = []
    for path in map(Path, paths):
        # Policies and files of weights may lie there as well.
        found = sorted(path.rglob("*.toml")) if path.is_dir() else [path]
        rows = [p for p in found if p is path or "row" in read_toml(str(p))[1]]
        cases += [load_case(str(p)) for p in rows]
    return sorted(
        cases, key=lambda c: ROWS.index(c.row) if c.row in ROWS else len(ROWS)
    )


def run_table(
    cases: Iterable[Case], algorithms: Sequence[str], timeout: float | None = None
) -> Iterator[Row]:
    """Compute every row.

    Args:
        cases: The rows.
        algorithms: The first gives the figures; the others are compared with it.
        timeout: Seconds for each algorithm.
    """
    for case in cases:
        seconds: dict[str, float | str] = {}
        found: dict[str, set[Any]] = {}
        ours: dict[str, Any] = {}
        for algorithm in algorithms:
            options = case.options({"algorithm": algorithm, "timeout": timeout})
            seconds[algorithm] = TIME_OUT
            try:
                envelope = analyse(load_roles(case, options.limits), options)
                delta = set(envelope)
                # At once, while the time of this run is not up.
                ours = ours or figures(envelope)
            except LimitExceeded:
                continue
            if envelope.status == "complete":
                seconds[algorithm], found[algorithm] = envelope.seconds, delta
        first = found.get(algorithms[0])
        others = (a for a in found if first is not None and found[a] != first)
        yield Row(case.row or case.title, case.paper, ours, seconds, tuple(others))


def figures(envelope: SafetyEnvelope) -> dict[str, Any]:
    """Return the figures of an envelope as the paper counts them."""
    found = asdict(envelope.statistics)
    for key in PLUS_ERROR_STATE:
        found[key] += 1
    per = found["winning_set_per_env_deviation"]
    found["winning_set_per_env_deviation"] = None if per is None else list(per)
    return {**found, "delta": len(envelope), "largest": envelope.largest}


def print_table(rows: Sequence[Row]) -> None:
    """Print the table: for each row our figures, below them the paper's."""
    table = Table(title="[S1] Table 1: symrob's figures above the paper's")
    table.add_column("Example")
    for head in (*COLUMNS, *(f"{algorithm} s" for algorithm in rows[0].seconds)):
        table.add_column(head, justify="right")
    for row in rows:
        ours = [
            _cell(row.ours.get(key)) + DIFFERENT * row.differs(key)
            for key in COLUMNS.values()
        ]
        paper = row.paper
        theirs = [_cell(paper.get(k, [])) if paper else "" for k in COLUMNS.values()]
        walls = [str(paper.get(WALL.get(a, ""), "")) for a in row.seconds]
        table.add_row(row.name, *ours, *map(_cell, row.seconds.values()))
        table.add_row("  paper", *theirs, *walls, style="dim", end_section=True)
    width = None if sys.stdout.isatty() else 140
    Console(width=width, markup=False).print(table)


def verdict(rows: Sequence[Row]) -> tuple[bool, list[str]]:
    """Return whether all is as in the paper, and lines that say so."""
    differing = sum(row.differs(key) for row in rows for key in COLUMNS.values())
    wrong = [f"{r.name}: {a} gives another Δ" for r in rows for a in r.disagreeing]
    stopped = sum(not row.complete for row in rows)
    lines = [f"{plural(stopped, 'row')} not complete"] if stopped else []
    known = "every known figure" if stopped else "every figure"
    lines.append(
        f"{plural(differing, 'figure')} differ{'s' * (differing == 1)} from the "
        f"paper's (marked {DIFFERENT})"
        if differing
        else f"{known} except the times equals the paper's"
    )
    return not differing and not wrong, wrong + lines


def _cell(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(map(str, value)) or "NA"
    if isinstance(value, float):
        return f"{value:.3f}"
    return "?" if value is None else str(value)


def main(arguments: Sequence[str] | None = None) -> int:
    """Compute the table and print it."""
    parser = argparse.ArgumentParser(prog="python -m bench.table1")
    parser.add_argument("paths", nargs="*", default=[ROOT / "models"])
    parser.add_argument("--timeout", type=float, help="for each algorithm of a case")
    parser.add_argument(
        "--all", action="store_true", help="also connected and plain, beside the paper"
    )
    given = parser.parse_args(arguments)
    algorithms = ["maximal", "connected", "plain"] if given.all else ["maximal"]
    rows = [*run_table(table_cases(given.paths), algorithms, given.timeout)]
    print_table(rows)
    good, lines = verdict(rows)
    print("\n".join(lines))
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
