"""`symrob results`: what a batch found, and what changed between two."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from symrob.cli.common import command, require_format
from symrob.cli.ending import note_line
from symrob.cli.groups import Memory, Rare, Timeout
from symrob.errors import Diagnostic, SymrobError
from symrob.limits import Clock, running
from symrob.options import Options

if TYPE_CHECKING:
    from symrob.analyses.changes import Change

FORMATS = ("text", "json", "jsonl", "csv", "markdown", "junit")
CHANGE_FORMATS = ("text", "json", "markdown", "junit")


@command
def results(
    file: Annotated[
        str,
        typer.Argument(
            metavar="ROWS.jsonl", help="What `batch` wrote.", show_default=False
        ),
    ],
    newer: Annotated[
        str | None,
        typer.Argument(
            metavar="[NEWER.jsonl]", help="A later one, to say what changed."
        ),
    ] = None,
    status: Annotated[
        list[str] | None,
        typer.Option("--status", help="Only rows with this status; repeatable."),
    ] = None,
    label: Annotated[
        list[str] | None,
        typer.Option("--label", help="Only rows with this label; repeatable."),
    ] = None,
    case: Annotated[
        str, typer.Option("--case", help="Only cases that fit, with `*` and `?`.")
    ] = "*",
    output: Annotated[
        str,
        typer.Option(
            "--format",
            help=f"{', '.join(FORMATS)}.",
        ),
    ] = "text",
    timeout: Timeout = None,
    max_memory: Memory = None,
    bound: Rare = None,  # noqa: ARG001 - for the door to files, see `guarded`
) -> None:
    """Print, filter and export the rows of a batch, or compare two."""
    from symrob.analyses.changes import changes
    from symrob.batch.rows import read_rows
    from symrob.report.rows import STATUSES, chosen
    from symrob.report.text import plural

    require_format(output, FORMATS if newer is None else CHANGE_FORMATS)
    require_known("--status", status or [], STATUSES)
    clock = Clock(Options(timeout=timeout, max_memory=max_memory).limits)

    def rows_of(path: str) -> list[Mapping[str, Any]]:
        everything = read_rows(path)
        found = chosen(everything, statuses=status or (), labels=label or (), case=case)
        if not found:
            note_line(f"{path}: none of the {plural(len(everything), 'row')} fits")
        return found

    with running(clock):
        rows = rows_of(file)
        changed = None if newer is None else changes(rows, rows_of(newer))
    if newer is not None and changed is not None:
        lines = changed_lines(changed, newer, output)
    elif output == "text":
        print_rows(rows)
        return
    else:
        lines = row_lines(rows, file, output)
    for line in lines:
        print(line)


def require_known(option: str, words: Sequence[str], known: Sequence[str]) -> None:
    """Refuse words that an option does not know."""
    problems = [
        Diagnostic("usage-option", f"{option} must be one of {', '.join(known)}")
        for word in words
        if word not in known
    ]
    if problems:
        raise SymrobError(problems[0])


def row_lines(
    rows: Sequence[Mapping[str, Any]], path: str, output: str
) -> Iterator[str]:
    """Yield rows in an output format other than text."""
    from symrob.batch.text import compact
    from symrob.report import rows as report

    if output == "jsonl":
        yield from map(compact, rows)
    elif output == "json":
        from symrob.report.json import head

        yield compact({**head("rows/2"), "rows": rows})
    elif output == "csv":
        from symrob.report.csv import csv_lines

        yield from csv_lines(rows)
    elif output == "markdown":
        from symrob.report.markdown import markdown_table

        cells = map(report.cells, rows)
        yield from markdown_table(report.HEADS, [tuple(c.values()) for c in cells])
    elif output == "junit":
        from symrob.report.junit import junit_lines

        yield from junit_lines(path, list(map(report.row_outcome, rows)))


def print_rows(rows: Sequence[Mapping[str, Any]]) -> None:
    """Print a table of all rows."""
    from symrob.report.rows import summary_lines, table_lines

    for line in (*table_lines(rows), "", *summary_lines(rows, len(rows))):
        print(line)


def changed_lines(found: Sequence[Change], path: str, output: str) -> Iterator[str]:
    """Yield changes in an output format."""
    from symrob.report import changes as report

    if output == "json":
        from symrob.analyses.changes import Changes
        from symrob.report.json import document, dumps

        yield dumps(document(Changes(tuple(found))))
    elif output == "markdown":
        from symrob.report.markdown import markdown_table

        yield from markdown_table(report.HEADS, map(report.change_cells, found))
    elif output == "junit":
        from symrob.report.junit import junit_lines

        yield from junit_lines(path, list(map(report.change_outcome, found)))
    else:
        yield from report.change_lines(found)
