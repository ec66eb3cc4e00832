"""The rows of Table 1: whole processes, the engine alone, the explicit baselines.

In:  the case files that name a row; a time-out for each run.
Out: a row of figures for each, in one run on one machine.

    python -m bench.bench_table1 --timeout 60

`process` is `symrob compute CASE` from start to end of the process, `engine` the
analysis alone in a process that has run before, `explicit` and `literal` the two
readings of the paper's heuristic on explicit sets, as `engine` without start and
reading. Medians.
"""

from __future__ import annotations

import argparse
import gc
import sys
from collections.abc import Callable
from functools import partial
from statistics import median
from time import perf_counter
from typing import Any

from bench.baselines.explicit_connected import Budget, OutOfBudget, explicit_connected
from bench.runner import ROOT, measure
from bench.table1 import table_cases
from symrob.api import Roles, analyse, load_roles
from symrob.options import Options
from symrob.problem import build_problem

ROUNDS = 5


def table1(timeout: float) -> list[dict[str, Any]]:
    """Measure every row.

    Args:
        timeout: Seconds for each run.
    """
    rows = []
    for case in table_cases([ROOT / "models"]):
        assert case.path is not None
        roles = load_roles(case)
        command = [sys.executable, "-m", "symrob", "compute", case.path]
        runs = [measure(command, timeout) for _ in range(ROUNDS)]
        assert all(run.code == 0 for run in runs), case.path
        found = analyse(roles, Options())
        figures = {"delta": len(found), "largest": found.largest}
        rows.append(
            {
                "row": case.row,
                **figures,
                "process": median(run.wall for run in runs),
                "peak_mib": max(run.peak for run in runs),
                "engine": _timed(partial(_engine, roles), timeout),
                "explicit": _explicit(roles, timeout, figures, literal=False),
                "literal": _explicit(roles, timeout, figures, literal=True),
            }
        )
    return rows


def _engine(roles: Roles) -> int:
    return len(analyse(roles, Options()))


def _timed(run: Callable[[], object], timeout: float) -> float:
    """The median of some rounds, fewer where a round takes long."""
    seconds: list[float] = []
    while len(seconds) < ROUNDS and sum(seconds) < min(timeout, 5.0):
        gc.collect()
        start = perf_counter()
        run()
        seconds.append(perf_counter() - start)
    return median(seconds)


def _explicit(
    roles: Roles, timeout: float, expected: dict[str, int], *, literal: bool
) -> float | None:
    """Seconds of a baseline, `None` for a time-out; its Δ must be ours."""

    def run() -> None:
        problem = build_problem(
            roles.environment, roles.controller, roles.properties, roles.constraints
        )
        delta = explicit_connected(problem, Budget(timeout), literal=literal)
        assert len(delta) == expected["delta"]
        assert max(map(len, delta)) == expected["largest"]

    try:
        return _timed(run, timeout)
    except OutOfBudget:
        return None


def lines(rows: list[dict[str, Any]]) -> list[str]:
    """Return the rows as a text table."""
    text = [
        f"{'row':18} {'|Δ|':>4} {'process':>9} {'peak':>8} {'engine':>10} "
        f"{'explicit':>10} {'literal':>10} {'explicit/engine':>16}"
    ]
    for row in rows:
        explicit = row["explicit"]
        ratio = "" if explicit is None else f"{explicit / row['engine']:.2g} x"
        text.append(
            f"{row['row']:18} {row['delta']:4} {row['process']:7.3f} s "
            f"{row['peak_mib']:4.0f} MiB {row['engine'] * 1000:7.1f} ms "
            f"{_shown(explicit):>10} {_shown(row['literal']):>10} {ratio:>16}"
        )
    return text


def _shown(seconds: float | None) -> str:
    return "TO" if seconds is None else f"{seconds * 1000:.1f} ms"


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m bench.bench_table1")
    parser.add_argument("--timeout", type=float, default=60.0)
    print("\n".join(lines(table1(parser.parse_args().timeout))))


if __name__ == "__main__":
    main()
