"""`symrob verify`: is a result right, does a certificate hold?"""

from __future__ import annotations

from typing import Annotated

import typer

from symrob.api import verify_result
from symrob.cli.common import command, warn
from symrob.cli.groups import Bounds, Models
from symrob.errors import EXIT_FAILED
from symrob.options import Options


@command
def verify(
    result: Annotated[
        str,
        typer.Argument(
            metavar="RESULT|CERTIFICATE",
            help="What `compute` printed as json, or wrote for --certificate.",
        ),
    ],
    models: Models,
    bounds: Bounds,
    extra_states: Annotated[
        int | None, typer.Option("--extra-states", help="As for the result.")
    ] = None,
    complete: Annotated[
        bool,
        typer.Option(
            "--complete",
            help="Check a result by trying all sets, that none is missing.",
        ),
    ] = False,
    traces: Annotated[
        bool,
        typer.Option("--traces", help="Print a run for each missing transition."),
    ] = False,
) -> None:
    """Check a result or a certificate by other means; exit 4 if it is wrong.

    A certificate is checked alone, against a case, or with a second certificate in
    place of the case: then it is told which of the two designs tolerates more.
    """
    from symrob.api.confirmation import is_certificate
    from symrob.report.verification import verification_lines

    given = bounds.given(extra_states=extra_states)
    if is_certificate(result):
        verify_certificate(result, models, given)
        return
    case = models.case
    options = case.options(given)
    problem, verification = verify_result(result, case, options, complete)
    warn(problem.warnings)
    lines = verification_lines(
        problem.environment, verification, traces=traces, words=case.words
    )
    for line in lines:
        print(line)
    if not verification.correct:
        raise typer.Exit(EXIT_FAILED)


def verify_certificate(path: str, models: Models, given: dict[str, object]) -> None:
    """Check a certificate; against a case, or with another, where one is given."""
    from symrob.api.confirmation import confirm, confirm_both, is_certificate
    from symrob.certify.reading import WrongError
    from symrob.errors import printable

    if models.case_file is not None and is_certificate(models.case_file):
        lines = confirm_both(path, models.case_file, Options.of(given))
    else:
        case = models.case if models.named else None
        lines = confirm(path, case, case.options(given) if case else Options.of(given))
    try:
        for line in lines:
            print(printable(line), flush=True)
    except WrongError as error:
        reason, message = error.args
        print(printable(f"wrong ({reason}): {message}"))
        raise typer.Exit(EXIT_FAILED) from None
