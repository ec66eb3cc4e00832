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
    from symrob.analyses.classes import class_matrix
    from symrob.analyses.deadlocks import LOOKED_AT
    from symrob.analyses.story import tell
    from symrob.limits import Stages
    from symrob.report.classes import class_csv
    from symrob.report.modes import summary_csv
    from symrob.report.summary import side_lines, summary_dict, summary_lines
    from symrob.report.text import printable

    found = space.summarised()
    stages = Stages(space.clock)
    story = None
    with stages:
        story = tell(space)
    judged = found.alone if story is None else story.alone
    matrix = class_matrix(space, found, judged)
    if output == "text":
        if case.title:
            print(printable(case.title))
        told = summary_lines(found, story, matrix, case.words, everything=everything)
        print("\n".join(told))
    most = LOOKED_AT if found.status != "interrupted" else 0
    side = space.side_report(space.maximal(), most)
    if output == "json":
        print_json(summary_dict(found, side, story, matrix, case.title, case.words))
    elif output == "csv":
        rows = class_csv(matrix, case.words) if matrix else summary_csv(found)
        print("\n".join(summary_csv(found) if space.about.units else rows))
    else:
        lines = list(side_lines(side, details=everything))
        print("\n".join(["", *lines]) if lines else "", end="\n" if lines else "")
    for part in (found, story or stages, side):
        if part.status != "complete":
            end_incomplete(part.status, part.reason)
