"""`symrob verify`: is a result correct, does a certificate hold?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated

import typer

from symrob.api.certificates.confirmation import confirm, is_certificate
from symrob.api.verification import verify_result
from symrob.case import Case
from symrob.certify.reading import WrongError
from symrob.cli.common import command, print_found, warn
from symrob.cli.help import of_models
from symrob.cli.option_groups import Bounds, Models
from symrob.errors import EXIT_FAILED, Diagnostic, SymrobError, printable
from symrob.options import Options
from symrob.report.verification import verification_lines


@command
def verify(
    result: Annotated[
        str,
        typer.Argument(
            metavar="RESULT|CERTIFICATE",
            help="Check this JSON result or certificate.",
        ),
    ],
    models: Models,
    bounds: Bounds,
    more: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[CASE.toml]...",
            help="Add a case for each further side of a certificate.",
        ),
    ] = None,
    extra_states: Annotated[
        int | None,
        of_models(
            "--extra-states", help="Add this many extra states to E, as for the result."
        ),
    ] = None,
    complete: Annotated[
        bool,
        typer.Option(
            "--complete",
            help="Prove completeness by trying all sets.",
        ),
    ] = False,
    traces: Annotated[
        bool,
        typer.Option("--traces", help="Print a trace for each transition left out."),
    ] = False,
) -> None:
    """Check a result or a certificate independently.

    symrob checks a certificate alone, or against the cases of its sides. With a
    second certificate in place of a case, symrob decides which of two designs
    tolerates more. Exit code 4: the check fails.
    """
    given = bounds.given(extra_states=extra_states)
    if is_certificate(result):
        verify_certificate(result, models, more or [], given)
        return
    if more:
        message = "a result belongs to one case; give only that case"
        raise SymrobError(Diagnostic("usage-cases", message))
    case = models.case
    options = case.options(given)
    warnings, environment, done = verify_result(result, case, options, complete)
    warn(warnings)
    lines = verification_lines(environment, done, traces=traces, words=case.words)
    print_found(lines, verdicts=True)
    if not done.correct:
        raise typer.Exit(EXIT_FAILED)


def verify_certificate(
    path: str, models: Models, more: Sequence[str], given: dict[str, object]
) -> None:
    """Check a certificate, against cases or another one if given."""
    cases: list[Case] = []
    other = models.case_file
    if other is None or not is_certificate(other) or more:
        other = None
        sides = [models, *(replace(models, case_file=file) for file in more)]
        given_cases = [side.case for side in sides if side.named]
        cases = [c for case in given_cases for c in (case, case.other) if c is not None]
    options = [case.options(given) for case in cases] or [Options.of(given)]
    try:
        lines = confirm(path, other, cases, options)
        print_found(map(printable, lines), verdicts=True)
    except WrongError as error:
        reason, message = error.args
        wrong = printable(f"wrong ({reason}): {message}")
        print_found((wrong,), verdicts=True)
        raise typer.Exit(EXIT_FAILED) from None
