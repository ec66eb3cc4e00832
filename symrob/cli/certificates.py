"""What commands share that write certificates."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated

import typer

from symrob.cli.ending import note_line
from symrob.errors import LimitExceeded

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
        help="Write the proof that `symrob verify` checks.",
    ),
]


def certify_envelope(path: str, roles: Roles, envelope: SafetyEnvelope) -> str:
    """Write a certificate of deviations, and say what it holds.

    Returns:
        Why it does not confirm all that is known; empty where it does.
    """
    from symrob.api.certificate import write_certificate

    why = _written(path, lambda: write_certificate(path, roles, envelope))
    return why if envelope.status == "complete" else ""


def certify_cuts(path: str, case: Case, options: Options, found: KeptCuts) -> str:
    """Do so for minimal hazardous sets."""
    from symrob.api import load_roles
    from symrob.api.certificate import write_cuts_certificate

    roles = load_roles(case, options.limits)
    why = found.reason
    if found.status == "complete" and found.smallest:
        why = "only one of the smallest sets was asked for"
    elif found.status == "complete" and found.order is not None:
        why = f"sets above --order {found.order} were not asked for"
    reason = _written(
        path,
        lambda: write_cuts_certificate(path, roles, found.engine, found.kept, why),
    )
    return "" if why and reason == why else reason


def _written(path: str, write: Callable[[], Written]) -> str:
    from symrob.report.certificate import written_line

    try:
        written = write()
    except LimitExceeded as error:
        return f"no certificate: {error.diagnostics[0].message}"
    note_line(written_line(path, written))
    return written.reason
