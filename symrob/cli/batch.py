"""`symrob batch`: many cases, one row each, in a durable file."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Annotated, Any

import typer

from symrob.batch.cluster import run_on_cluster
from symrob.batch.rows import BatchRow
from symrob.batch.run import open_rows, pack, run_batch
from symrob.cli.common import command, warn
from symrob.cli.ending import note_line
from symrob.cli.option_groups import AllowOutside, Bounds, WithoutConstraints
from symrob.doing import Doing
from symrob.errors import EXIT_DONE, EXIT_INPUT, EXIT_LIMIT, EXIT_NOMINAL, plural
from symrob.files import is_stdout
from symrob.interrupts import Endable
from symrob.limits import MAX_CASES
from symrob.memory import lift_bound
from symrob.report.rows import progress_line, summary_lines

# The gravest status of a row decides.
_EXIT = {"error": EXIT_INPUT, "complete": EXIT_DONE, "nominal": EXIT_NOMINAL}
_GRAVEST = (EXIT_INPUT, EXIT_LIMIT, EXIT_NOMINAL)


@command
def batch(
    files: Annotated[
        list[str],
        typer.Argument(
            metavar="CASE.toml...", help="Analyse these case files.", show_default=False
        ),
    ],
    bounds: Bounds,
    out: Annotated[
        str,
        typer.Option(
            "--out", metavar="FILE.jsonl", help="Write the rows to this file."
        ),
    ],
    jobs: Annotated[
        int,
        typer.Option("-j", "--jobs", min=1, help="Set the number of worker processes."),
    ] = 1,
    label: Annotated[
        list[str] | None,
        typer.Option(
            "--label", help="Select cases with this label; repeat to require several."
        ),
    ] = None,
    resume: Annotated[
        bool,
        typer.Option("--resume", help="Skip cases with an answer in the file."),
    ] = False,
    dask: Annotated[
        str | None,
        typer.Option(
            "--dask", metavar="ADDRESS", help="Use the Dask cluster of this scheduler."
        ),
    ] = None,
    without_constraints: WithoutConstraints = False,
    allow_outside: AllowOutside = False,
) -> None:
    """Analyse many cases in separate processes.

    Each case produces one JSON row, even after a crash or at a bound. Exit code: 2 for
    an invalid case, else 3 for a stopped one, else 1 for an unsafe plan, else 0.
    """
    bounds.options()  # Wrong values are told before anything runs.
    lift_bound()  # Each worker has its own.
    packed = pack(
        files,
        bounds.given(),
        labels=label or (),
        allow_outside=allow_outside,
        without_constraints=without_constraints,
        max_cases=bounds.rare.get("max_cases", MAX_CASES),
        note=lambda skipped: warn((skipped,)),
    )
    rows = open_rows(out, packed, resume=resume)
    found: dict[str, BatchRow] = {
        job.key: rows.kept[job.key] for job in packed if job.key in rows.kept
    }
    todo = [job for job in packed if job.key not in found]
    if found:
        have = "has" if len(found) == 1 else "have"
        cases = plural(len(packed), "case")
        note_line(f"{len(found):,} of {cases} already {have} a row")
    run: Callable[..., None] = partial(run_batch, workers=jobs)
    if dask is not None:
        run = partial(run_on_cluster, address=dask)
    try:
        with progress(len(found), len(packed)) as show:

            def on_row(row: BatchRow) -> None:
                found[row["case"]] = row
                show(row)

            if todo:
                with Endable():  # It waits for workers, and a signal ends that.
                    run(todo, rows, on_row)
    finally:
        rows.close()
        tell = note_line if is_stdout(out) else print
        for line in summary_lines(
            [found[job.key] for job in packed if job.key in found], len(packed)
        ):
            tell(line)
    codes = {_EXIT.get(row["status"], EXIT_LIMIT) for row in found.values()}
    for code in _GRAVEST:
        if code in codes:
            raise typer.Exit(code)


@contextmanager
def progress(done: int, total: int) -> Iterator[Callable[[BatchRow], None]]:
    """Show how far a batch is: a bar on a terminal, else a line for each row.

    Args:
        done: Number of existing rows.
        total: Final number of rows.
    """
    count = done

    def tell(row: BatchRow) -> None:
        nonlocal count
        count += 1
        note_line(f"[{count:>{len(str(total))}}/{total}] {progress_line(row)}")

    if not sys.stderr.isatty():
        yield tell
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )
    from rich.table import Column

    columns: Sequence[Any] = (
        BarColumn(bar_width=20),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
        TextColumn(
            "{task.fields[last]}",
            markup=False,
            table_column=Column(no_wrap=True, overflow="ellipsis", ratio=1),
        ),
    )
    console = Console(stderr=True)
    with Doing(""), Progress(*columns, console=console, expand=True) as bar:
        task = bar.add_task("", total=total, completed=done, last="")
        yield lambda row: bar.update(task, advance=1, last=progress_line(row))
