"""`symrob candidates`: a table of all that could be added, to be filled in."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import Annotated

import typer

from symrob import files
from symrob.case.faults import Faults
from symrob.cli.common import asked, command
from symrob.cli.ending import note_line
from symrob.cli.groups import Bounds, ExtraStates, Models
from symrob.errors import Diagnostic, LimitExceeded, SymrobError

# What a table has at most, where nothing else is said.
MOST_ROWS = 1_000_000


@command
def candidates(
    models: Models,
    bounds: Bounds,
    out: Annotated[
        str | None,
        typer.Option(
            "--out", metavar="FILE", help="Write to a file, not to standard output."
        ),
    ] = None,
    force: Annotated[
        bool,
        typer.Option("--force", help="Replace an existing table."),
    ] = False,
    limit: Annotated[
        int | None,
        typer.Option(
            "--limit", min=1, help=f"Refuse to write more rows than {MOST_ROWS:,}."
        ),
    ] = None,
    extra_states: ExtraStates = None,
) -> None:
    """Write a row for each transition that could be added, to be filled in.

    The columns plausible, fault mode and probability are for those who know what can
    happen and what comes together. Every command reads the table back: --table FILE.
    """
    from symrob.analyses.candidates import asked_about, require_few
    from symrob.report.candidates import component_lines, table_lines

    if out is not None and not force:
        _require_free(out)
    case = models.case
    by: tuple[str, ...] = ()
    if case.faults is not None:
        # Rows are of single transitions, whatever modes there are.
        among, not_among = case.faults.among, case.faults.not_among
        by = ("component",) if "component" in case.faults.by else ()
        single = Faults(by=by, among=among, not_among=not_among)
        case = replace(case, faults=single)
    options = case.options(bounds.given(extra_states=extra_states))
    space = asked(case, options)
    most = MOST_ROWS if limit is None else limit
    lacking = False
    if space.about.units is None:
        engine = space.required_whole("a table of transitions")
        rows, judged = asked_about(engine, most)
        lines = table_lines(engine.problem.classes, rows, judged, case.words)
        count, lacking = len(rows), bool(len(judged.undecided))
    else:
        count = len(space)
        require_few(count, most)
        lines = component_lines(space.about, space.alone(), case.words)

    def write(number: int) -> None:
        for line in lines:
            space.clock.check()
            files.write_all(number, f"{line}\n".encode("utf-8", "backslashreplace"))

    if out is None:
        for line in lines:
            space.clock.check()
            print(line)
    else:
        files.write_with(out, write, "usage-output")
        note_line(f"table of {count:,} candidates written to {out}")
    if lacking:
        raise LimitExceeded("the verdicts of some candidates took too long to find out")


def _require_free(out: str) -> None:
    """Refuse to replace a table, which somebody may have filled in."""
    if os.path.exists(out) and not files.is_stream(out) and os.stat(out).st_size:
        raise SymrobError(
            Diagnostic(
                "usage-exists",
                "this file exists, and a table that is filled in would be lost",
                file=out,
                hint="name another file, or replace this one: --force",
            )
        )
