"""`symrob summary`: what each transition that could be added is worth."""

from __future__ import annotations

from typing import Annotated

import typer

from symrob.cli.common import (
    command,
    end_incomplete,
    opened,
    print_json,
    require_format,
)
from symrob.cli.groups import Backend, Bounds, Everything, ExtraStates, Format, Models


@command
def summary(
    models: Models,
    bounds: Bounds,
    details: Annotated[
        bool,
        typer.Option("--details", help="Show the deviations that get stuck."),
    ] = False,
    look_at: Annotated[
        int | None,
        typer.Option(
            "--look-at",
            min=0,
            help="Look for deadlocks in so many maximal deviations.",
        ),
    ] = None,
    every_reason: Annotated[
        bool | None,
        typer.Option(
            "--every-reason/--first-reason",
            help="Give every reason of what is never tolerated, or only the first; "
            "by default every one, unless there are very many transitions.",
            show_default=False,
        ),
    ] = None,
    everything: Everything = False,
    extra_states: ExtraStates = None,
    backend: Backend = None,
    output: Format = "text",
) -> None:
    """Say of each transition whether it is tolerated always, never, or at a price."""
    require_format(output, ("text", "json"))
    case = models.case
    given = bounds.given(backend=backend, extra_states=extra_states)
    options = case.options(given)
    engine = opened(case, options)
    from symrob.analyses.deadlocks import LOOKED_AT, side_report
    from symrob.analyses.summary import summarise
    from symrob.report.summary import side_lines, summary_dict, summary_lines
    from symrob.report.text import printable

    found = summarise(engine, every_reason=every_reason)
    if output == "text":
        if case.title:
            print(printable(case.title))
        for line in summary_lines(found, everything=everything):
            print(line)
    most = LOOKED_AT if look_at is None else look_at
    if found.status == "interrupted":
        most = 0
    side = side_report(engine, engine.safe_sets.deviations(), most=most)
    if output == "json":
        print_json(summary_dict(found, side, case.title))
    else:
        lines = list(side_lines(side, details=details))
        print("\n".join(["", *lines]) if lines else "", end="\n" if lines else "")
    for part in (found, side):
        if part.status != "complete":
            end_incomplete(part.status, part.reason)
