"""`symrob results`: the results of a batch, and the changes between two."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any

import typer

from symrob.analyses.changes import Change, Changes, changes
from symrob.batch.rows import read_rows
from symrob.batch.text import compact
from symrob.cli.common import command, require_format
from symrob.cli.ending import note_line
from symrob.cli.help import of_output
from symrob.cli.option_groups import Memory, Rare, Timeout
from symrob.errors import Diagnostic, SymrobError
from symrob.limits import Clock, running
from symrob.options import Options
from symrob.report import changes as of_changes
from symrob.report import rows as of_rows
from symrob.report.json import document, dumps, head
from symrob.report.junit import junit_lines
from symrob.report.markdown import markdown_table
from symrob.report.rows import STATUSES, chosen, csv_lines, summary_lines, table_lines
from symrob.report.text import plural

FORMATS = ("text", "json", "jsonl", "csv", "markdown", "junit")
CHANGE_FORMATS = ("text", "json", "markdown", "junit")


@command
def results(
    file: Annotated[
        str,
        typer.Argument(
            metavar="ROWS.jsonl",
            help="Read the rows of this batch.",
            show_default=False,
        ),
    ],
    newer: Annotated[
        str | None,
        typer.Argument(metavar="[NEWER.jsonl]", help="Compare with these later rows."),
    ] = None,
    status: Annotated[
        list[str] | None,
        typer.Option(
            "--status", help="Select rows with this status; repeat to add others."
        ),
    ] = None,
    label: Annotated[
        list[str] | None,
        typer.Option(
            "--label", help="Select rows with this label; repeat to require several."
        ),
    ] = None,
    case: Annotated[
        str, typer.Option("--case", help="Select cases by name, with `*` and `?`.")
    ] = "*",
    output: Annotated[
        str,
        of_output(
            "--format",
            help=f"Choose {', '.join(FORMATS[:-1])} or {FORMATS[-1]}.",
        ),
    ] = "text",
    timeout: Timeout = None,
    max_memory: Memory = None,
    bound: Rare = None,  # noqa: ARG001 - for the door to files, see `guarded`
) -> None:
    """Print, filter, export or compare the rows of a batch."""
    require_format(output, FORMATS if newer is None else CHANGE_FORMATS)
    require_known("--status", status or [], STATUSES)
    clock = Clock(Options(timeout=timeout, max_memory=max_memory).limits)

    def rows_of(path: str) -> list[Mapping[str, Any]]:
        everything = read_rows(path)
        found = chosen(everything, statuses=status or (), labels=label or (), case=case)
        if not found:
            note_line(f"{path}: none of the {plural(len(everything), 'row')} matches")
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
    """Reject unknown values of an option."""
    problems = [
        Diagnostic(
            "usage-option",
            f"{option} must be one of {', '.join(known)}, not '{word:.60}'",
        )
        for word in words
        if word not in known
    ]
    if problems:
        raise SymrobError(problems[0])


def row_lines(
    rows: Sequence[Mapping[str, Any]], path: str, output: str
) -> Iterator[str]:
    """Yield rows in an output format other than text."""
    if output == "jsonl":
        yield from map(compact, rows)
    elif output == "json":
        yield compact({**head("rows/2"), "rows": rows})
    elif output == "csv":
        yield from csv_lines(rows)
    elif output == "markdown":
        cells = map(of_rows.cells, rows)
        yield from markdown_table(of_rows.HEADS, [tuple(c.values()) for c in cells])
    elif output == "junit":
        yield from junit_lines(path, list(map(of_rows.row_outcome, rows)))


def print_rows(rows: Sequence[Mapping[str, Any]]) -> None:
    """Print a table of all rows."""
    for line in (*table_lines(rows), "", *summary_lines(rows, len(rows))):
        print(line)


def changed_lines(found: Sequence[Change], path: str, output: str) -> Iterator[str]:
    """Yield changes in an output format."""
    if output == "json":
        yield dumps(document(Changes(tuple(found))))
    elif output == "markdown":
        yield from markdown_table(of_changes.HEADS, map(of_changes.change_cells, found))
    elif output == "junit":
        yield from junit_lines(path, list(map(of_changes.change_outcome, found)))
    else:
        yield from of_changes.change_lines(found)
