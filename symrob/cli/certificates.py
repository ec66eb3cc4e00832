"""What commands share that write certificates."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from symrob.cli.ending import note_line
from symrob.errors import LimitExceeded

if TYPE_CHECKING:
    from symrob.analyses.cut import Cut
    from symrob.analyses.cuts import Cuts
    from symrob.analyses.policy import Asked, Ruling
    from symrob.api.certificates.answers import Pair
    from symrob.api.certificates.records import Written
    from symrob.api.loading import Roles
    from symrob.api.result import SafetyEnvelope
    from symrob.envelope.engine import Engine
    from symrob.problem import UnitSet

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
    from symrob.api.certificates.answers import write_certificate

    why = _written(path, lambda: write_certificate(path, roles, envelope))
    return why if envelope.status == "complete" else ""


def certify_cuts(path: str, roles: Roles, found: Cuts, kept: Sequence[Cut]) -> str:
    """Do so for minimal hazardous sets, and those assumed away."""
    from symrob.api.certificates.answers import write_cuts_certificate

    why, resilience = found.reason, []
    if found.status == "complete" and found.smallest:
        why = "only one of the smallest sets was asked for"
        resilience = [found.resilience, found.resilience_without]
    elif found.status == "complete" and found.order is not None:
        why = f"sets above --order {found.order} were not asked for"
    reason = _written(
        path,
        lambda: write_cuts_certificate(
            path,
            roles,
            found.space.required_whole("a certificate"),
            kept,
            why,
            resilience,
        ),
    )
    return "" if why and f"({why})" in reason else reason


def certify_comparison(
    path: str,
    sides: Mapping[str, tuple[Roles, Engine]],
    at_least: Mapping[Pair, bool],
    witnesses: Mapping[Pair, UnitSet],
) -> str:
    """Do so for a comparison; see `write_comparison_certificate`."""
    from symrob.api.certificates.answers import write_comparison_certificate

    def write() -> Written:
        return write_comparison_certificate(path, sides, at_least, witnesses)

    return _written(path, write)


def certify_gate(
    path: str,
    asked: Asked,
    verdicts: Sequence[Ruling],
    roles: Roles,
    engine: Engine,
    others: Mapping[int, Roles],
) -> str:
    """Do so for the rules of a gate; see `write_gate_certificate`."""
    from symrob.api.certificates.answers import write_gate_certificate

    def write() -> Written:
        return write_gate_certificate(path, asked, verdicts, roles, engine, others)

    return _written(path, write)


def _written(path: str, write: Callable[[], Written]) -> str:
    from symrob.report.certificate import written_line

    try:
        written = write()
    except LimitExceeded as error:
        return f"no certificate: {error.diagnostics[0].message}"
    note_line(written_line(path, written))
    return written.reason
