"""`symrob summary`: what each transition that could be added is worth."""

from __future__ import annotations

from typing import Annotated

import typer

from symrob.cli.common import (
    asked,
    command,
    end_incomplete,
    print_json,
    require_format,
)
from symrob.cli.groups import Bounds, Everything, ExtraStates, Models


@command
def summary(
    models: Models,
    bounds: Bounds,
    everything: Everything = False,
    extra_states: ExtraStates = None,
    output: Annotated[
        str,
        typer.Option(
            "--format", help="text, json, or csv: the counts by class and action."
        ),
    ] = "text",
) -> None:
    """Tell what can hurt and how; then what each transition is worth."""
    require_format(output, ("text", "json", "csv"))
    case = models.case
    given = bounds.given(extra_states=extra_states)
    options = case.options(given)
    space = asked(case, options)
    from symrob.analyses.overview import overview
    from symrob.report.classes import class_csv
    from symrob.report.json import document
    from symrob.report.modes import summary_csv
    from symrob.report.summary import side_lines, summary_lines
    from symrob.report.text import printable

    parts = overview(space, case.words)
    found = next(parts)
    if output == "text":
        if case.title:
            print(printable(case.title))
        print("\n".join(summary_lines(found, case.words, everything=everything)))
    found = next(parts)
    if output == "json":
        print_json(document(found, case.title))
    elif output == "csv":
        by_class = found.matrix if space.about.units is None else None
        print(
            "\n".join(summary_csv(found) if by_class is None else class_csv(by_class))
        )
    elif found.side_report is not None:
        lines = list(side_lines(found.side_report, details=everything))
        print("\n".join(["", *lines]) if lines else "", end="\n" if lines else "")
    if found.status != "complete":
        end_incomplete(found.status, found.reason)
