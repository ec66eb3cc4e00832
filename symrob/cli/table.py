"""`symrob table`: Table 1 of the paper."""

from __future__ import annotations

from typing import Annotated

import typer

from symrob.cli.common import (
    command,
    end_incomplete,
    note,
    print_json,
    require_format,
    warn,
)
from symrob.cli.groups import AllowOutside, Backend, Bounds, Format


@command
def table(
    bounds: Bounds,
    paths: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[CASE.toml | FOLDER]...",
            help="Case files, or folders to search for those that name a row "
            "of Table 1; by default `models`.",
        ),
    ] = None,
    algorithm: Annotated[
        str,
        typer.Option(
            "--algorithm",
            help="One algorithm, or `all` for the times of connected and plain "
            "beside those of the paper.",
        ),
    ] = "maximal",
    backend: Backend = None,
    allow_outside: AllowOutside = False,
    output: Format = "text",
) -> None:
    """Reproduce the paper's Table 1; bounds are for each case and algorithm."""
    from symrob.report.table import print_table, run_table, table_cases, table_dict

    require_format(output, ("text", "json"))
    names = ("maximal", "connected", "plain") if algorithm == "all" else (algorithm,)
    runs = [bounds.given(algorithm=n, backend=backend) for n in names]
    cases = table_cases(paths or ["models"], allow_outside=allow_outside)
    rows = run_table(cases, runs, note)
    note("")
    warn(tuple(dict.fromkeys(w for row in rows for w in row.warnings)))
    if output == "json":
        print_json(table_dict(rows))
    else:
        print_table(rows)
    statuses = {row.status for row in rows}
    if "interrupted" in statuses:
        end_incomplete("interrupted", "interrupted")
    if statuses != {"complete"}:
        end_incomplete("limit", "a bound was hit; raise --timeout, --nodes or --memory")
