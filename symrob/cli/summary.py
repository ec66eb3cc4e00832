"""`symrob summary`: what each transition that could be added is worth."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from symrob.cli.common import (
    asked,
    command,
    end_incomplete,
    print_json,
    require_format,
)
from symrob.cli.groups import Bounds, Everything, ExtraStates, Models

if TYPE_CHECKING:
    from symrob.analyses.in_modes import InModes
    from symrob.case import Case


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
    engine = asked(case, options)
    from symrob.envelope.engine import Engine

    if not isinstance(engine, Engine):
        _summarise_modes(engine, case, output, everything)
        return
    from symrob.analyses.classes import class_matrix
    from symrob.analyses.deadlocks import LISTED, LOOKED_AT, side_report
    from symrob.analyses.story import tell
    from symrob.analyses.summary import summarise
    from symrob.limits import Stages
    from symrob.report.classes import class_csv
    from symrob.report.json import asked_dict
    from symrob.report.summary import side_lines, summary_dict, summary_lines
    from symrob.report.text import printable

    found = summarise(engine)
    stages = Stages(engine.clock)
    story = None
    with stages:
        story = tell(engine)
    if output == "text":
        if case.title:
            print(printable(case.title))
        told = summary_lines(found, story, case.words, everything=everything)
        print("\n".join(told))
    few = len(engine.safe_sets.alone) <= LISTED
    most = LOOKED_AT if few and found.status != "interrupted" else 0
    side = side_report(engine, engine.safe_sets.deviations(), most=most)
    if output == "json":
        document = summary_dict(found, side, story, case.title, case.words)
        print_json({**document, **asked_dict(engine.problem)})
    elif output == "csv":
        judged = found.alone if story is None else story.alone
        print("\n".join(class_csv(class_matrix(found, judged), case.words)))
    else:
        lines = list(side_lines(side, details=everything))
        print("\n".join(["", *lines]) if lines else "", end="\n" if lines else "")
    for part in (found, story or stages, side):
        if part.status != "complete":
            end_incomplete(part.status, part.reason)


def _summarise_modes(modes: InModes, case: Case, output: str, everything: bool) -> None:
    from symrob.analyses.modes import summarise_modes
    from symrob.report.modes import summary_csv, summary_dict, summary_lines

    found = summarise_modes(modes)
    if output == "json":
        print_json(summary_dict(modes, found, case.title))
    elif output == "csv":
        print("\n".join(summary_csv(found)))
    else:
        title, words = case.title, case.words
        for line in summary_lines(modes, found, title, words, everything=everything):
            print(line)
    if found.status != "complete":
        end_incomplete(found.status, found.reason)
