"""`symrob lint`: every problem of models and cases."""

from __future__ import annotations

from typing import Annotated

import typer

from symrob.api.lint import LintFindings
from symrob.api.lint import lint as lint_files
from symrob.cli.common import command, require_format
from symrob.cli.option_groups import (
    AllowOutside,
    Bounds,
    Format,
    From,
    require_one_stdin,
)
from symrob.errors import SymrobError
from symrob.report.json import document, dumps
from symrob.report.lint import findings_lines


@command
def lint(
    paths: Annotated[
        list[str],
        typer.Argument(
            metavar="FILE...",
            help="Check these models, or cases with all their models.",
            show_default=False,
        ),
    ],
    bounds: Bounds,
    allow_outside: AllowOutside = False,
    form: From = None,
    output: Format = "text",
) -> None:
    """List all problems of models and cases."""
    require_format(output, ("text", "json"))
    require_one_stdin(paths)
    found = lint_files(
        paths, bounds.given(strict=None), allow_outside=allow_outside, form=form
    )
    findings = LintFindings(len(paths), found)
    if output == "json":
        print(dumps(document(findings)))
    else:
        for line in findings_lines(findings):
            print(line)
    if any(bounds.strict or d.severity == "error" for d in found):
        raise typer.Exit(SymrobError(found).exit_code)
