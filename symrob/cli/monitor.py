"""`symrob monitor`: a program that watches a run and says how it stands."""

from __future__ import annotations

import os
from typing import Annotated

import typer

from symrob.cli.common import command, opened, save
from symrob.cli.ending import note_line
from symrob.cli.groups import Bounds, ExtraStates, Models


@command
def monitor(
    models: Models,
    bounds: Bounds,
    target: Annotated[
        str, typer.Option("--target", help="python, c, st, or mermaid.")
    ] = "python",
    out: Annotated[
        str | None,
        typer.Option("--out", help="The file to write; else it is printed."),
    ] = None,
    observe: Annotated[
        list[str] | None,
        typer.Option(
            "--observe",
            metavar="ACTION",
            help="What can be observed, `*` for any text; by default E's actions. "
            "Repeatable.",
        ),
    ] = None,
    name: Annotated[
        str | None,
        typer.Option("--name", help="Of what is defined; by default as the file."),
    ] = None,
    states: Annotated[
        int | None,
        typer.Option("--states", min=1, help="Bound on each machine; 10,000."),
    ] = None,
    extra_states: ExtraStates = None,
) -> None:
    """Write a monitor: on the plan? how near is harm? do the assumptions hold?"""
    from symrob.monitor.targets import require_target

    require_target(target)
    case = models.case
    engine = opened(case, case.options(bounds.given(extra_states=extra_states)))
    from symrob.monitor.build import runtime_monitor
    from symrob.monitor.size import MOST_STATES
    from symrob.monitor.targets import text_of
    from symrob.report.text import plural

    made = runtime_monitor(
        engine, case.title, observe or (), most=states or MOST_STATES
    )
    stem = "monitor" if out is None else os.path.splitext(os.path.basename(out))[0]
    text = text_of(made, target, name or stem)
    sizes = f"{len(made.plan)}, danger {len(made.danger)}"
    seen = plural(len(made.actions), "action")
    note_line(
        f"{seen} observed; states: plan {sizes}, assumptions {len(made.assumptions)}"
    )
    if out is None:
        print(text, end="")
    else:
        save(text, out, "monitor")
