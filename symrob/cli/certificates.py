"""What commands share that write certificates."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from symrob.cli.ending import note_line

if TYPE_CHECKING:
    from symrob.analyses.cuts import KeptCuts
    from symrob.api.certificate import Written
    from symrob.api.loading import Roles
    from symrob.api.result import SafetyEnvelope
    from symrob.case import Case
    from symrob.options import Options

Certificate = Annotated[
    str | None,
    typer.Option(
        "--certificate",
        metavar="FILE[.gz]",
        help="Write what `symrob verify` needs to confirm the result.",
    ),
]


def certify_envelope(path: str, roles: Roles, envelope: SafetyEnvelope) -> None:
    """Write a certificate of deviations, and say what it holds."""
    from symrob.api.certificate import write_certificate

    say(path, write_certificate(path, roles, envelope))


def certify_cuts(path: str, case: Case, options: Options, found: KeptCuts) -> None:
    """Write a certificate of minimal unsafe sets, and say what it holds."""
    from symrob.api import load_roles
    from symrob.api.certificate import write_cuts_certificate

    roles = load_roles(case, options.limits)
    why = found.reason
    if found.status == "complete" and found.order is not None:
        why = f"sets above --order {found.order} were not asked for"
    say(path, write_cuts_certificate(path, roles, found.engine, found.kept, why))


def say(path: str, written: Written) -> None:
    """Say on standard error what a certificate holds."""
    from symrob.report.certificate import written_line

    note_line(written_line(path, written))
