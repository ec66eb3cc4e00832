"""`symrob verify`: is a result right?"""

from __future__ import annotations

from typing import Annotated

import typer

from symrob.api import verify_result
from symrob.cli.common import command, warn
from symrob.cli.groups import Bounds, Models
from symrob.errors import EXIT_FAILED


@command
def verify(
    result: Annotated[
        str, typer.Argument(metavar="RESULT.json", help="What `compute` printed.")
    ],
    models: Models,
    bounds: Bounds,
    extra_states: Annotated[
        int | None, typer.Option("--extra-states", help="As for the result.")
    ] = None,
    complete: Annotated[
        bool,
        typer.Option(
            "--complete", help="Also check that none is missing, by trying all sets."
        ),
    ] = False,
    traces: Annotated[
        bool,
        typer.Option("--traces", help="Print a run for each missing transition."),
    ] = False,
) -> None:
    """Check a result without BDDs and without a solver; exit 4 if it is wrong."""
    from symrob.report.verification import verification_lines

    case = models.case
    options = case.options(bounds.given(extra_states=extra_states))
    problem, verification = verify_result(result, case, options, complete)
    warn(problem.warnings)
    lines = verification_lines(
        problem.environment, verification, traces=traces, words=case.words
    )
    for line in lines:
        print(line)
    if not verification.correct:
        raise typer.Exit(EXIT_FAILED)
