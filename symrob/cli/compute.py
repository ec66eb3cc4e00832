"""`symrob compute`: the safety envelope."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Annotated

import typer

from symrob.api import analyse, load_roles
from symrob.cli.certificates import Certificate, certify_envelope
from symrob.cli.common import (
    Progress,
    command,
    end_as,
    end_incomplete,
    finish,
    print_found,
    require_format,
    warn,
)
from symrob.cli.groups import Bounds, ExtraStates, Models
from symrob.errors import Diagnostic, SymrobError
from symrob.options import ALGORITHMS

if TYPE_CHECKING:
    from symrob.api.result import SafetyEnvelope
    from symrob.words import Words


@command
def compute(
    models: Models,
    bounds: Bounds,
    algorithm: Annotated[
        str | None,
        typer.Option(
            "--algorithm", help=f"{', '.join(ALGORITHMS[:-1])} or {ALGORITHMS[-1]}."
        ),
    ] = None,
    extra_states: ExtraStates = None,
    limit: Annotated[
        int | None, typer.Option("--limit", help="Stop after this many deviations.")
    ] = None,
    top: Annotated[
        int | None,
        typer.Option("--top", help="Only so many, those that add the most first."),
    ] = None,
    weights: Annotated[
        str | None,
        typer.Option(
            "--weights",
            metavar="FILE.toml",
            help="How much each transition counts for --top.",
        ),
    ] = None,
    output: Annotated[
        str,
        typer.Option(
            "--format",
            help="text; json, or jsonl while they come.",
        ),
    ] = "text",
    compact: Annotated[
        bool,
        typer.Option("--compact", help="JSON: each deviation by what it leaves out."),
    ] = False,
    in_order: Annotated[
        bool,
        typer.Option("--sorted", help="json: deviations sorted, not as found."),
    ] = False,
    certificate: Certificate = None,
    jobs: Annotated[
        int | None, typer.Option("-j", "--jobs", help="Search by so many processes.")
    ] = None,
    dask: Annotated[
        str | None,
        typer.Option(
            "--dask", metavar="ADDRESS", help="Search by a cluster; its scheduler."
        ),
    ] = None,
    details: Annotated[
        bool,
        typer.Option("--details", help="Print deviations whole, also those alike."),
    ] = False,
    stats: Annotated[
        bool,
        typer.Option("--stats", help="Print the figures of Table 1, and the effort."),
    ] = False,
) -> None:
    """Compute the safety envelope: all maximal robust deviations."""
    require_format(output, ("text", "json", "jsonl"))
    require_fitting(output, compact=compact, in_order=in_order)
    case = models.case
    given = bounds.given(
        algorithm=algorithm,
        extra_states=extra_states,
        limit=limit,
        largest=top,
        weights=weights,
        processes=jobs,
        cluster=dask,
    )
    options = case.options(given)
    progress = Progress()
    roles = load_roles(case, options.limits)
    envelope = analyse(roles, options, progress)
    warn(envelope.warnings)
    from symrob.report.wide import is_wide

    space = envelope.space
    if certificate is not None:
        space.required_whole("a certificate")
    space.effort.on_bounds = progress.bounds
    if compact:
        envelope.engine.problem.require_singles("--compact")
    lacking = ""

    def certify() -> None:
        nonlocal lacking
        if certificate is not None:
            lacking = certify_envelope(certificate, roles, envelope)

    whole = certificate or details or in_order or stats or options.largest
    if output == "text" and not whole and is_wide(envelope):
        _print_wide(envelope, case.title, options.limit, progress)
        return
    if output == "json":
        from symrob.report.result import result_pieces

        pieces = result_pieces(envelope, case.title, compact=compact, in_order=in_order)
        for piece in pieces:
            print(piece, end="")
        progress.clear()
        print()
        certify()
    elif output == "jsonl":
        from symrob.report.result import result_lines

        for line in result_lines(envelope, case.title, compact=compact):
            print(line, flush=True)
        certify()
    else:
        # The other algorithms are there to be compared with: they run alone.
        summary = options.algorithm == "maximal"
        print_deviations(
            envelope,
            case.title,
            case.words,
            progress,
            stats,
            summary=summary,
            details=details,
            certify=certify,
        )
    finish(envelope)
    if lacking:
        end_incomplete("limit", lacking)


def _print_wide(
    envelope: SafetyEnvelope,
    title: str,
    limit: int | None,
    progress: Progress,
) -> None:
    """Print what is known where there is too much to list."""
    from symrob.report.wide import WideDelta, wide_lines

    delta = WideDelta(envelope, limit)
    print_found(wide_lines(envelope, delta, title), progress)
    end_as(delta.status, delta.reason)


def require_fitting(output: str, *, compact: bool, in_order: bool) -> None:
    """Refuse options of JSON for a format that is none.

    Raises:
        SymrobError: All that do not fit.
    """
    fits = {
        "--compact is for --format json and jsonl": not compact or output != "text",
        "--sorted is for --format json": not in_order or output == "json",
    }
    problems = [Diagnostic("usage-format", m) for m, right in fits.items() if not right]
    if problems:
        raise SymrobError(problems)


def print_deviations(
    envelope: SafetyEnvelope,
    title: str,
    words: Words,
    progress: Progress,
    stats: bool,
    *,
    summary: bool,
    details: bool,
    certify: Callable[[], None],
) -> None:
    """Print Δ as it is found, certify it, then print what it amounts to."""
    from symrob.report.legend import about_legend, legend_lines
    from symrob.report.text import effort_lines, statistics_lines

    about = envelope.space.about
    modal = about.units is not None
    envelope_lines: Callable[..., Iterator[str]]
    verdict_lines: Callable[..., Iterator[str]]
    if modal:
        from symrob.report.modes import envelope_lines, verdict_lines
    else:
        from symrob.report.deviations import envelope_lines
        from symrob.report.summary import side_lines
        from symrob.report.text import verdict_lines

    lines = envelope_lines(envelope, title, preface=summary, details=details)
    print_found(lines, progress)
    side = []
    if summary and not modal:
        side = list(side_lines(envelope.side_report()))
    if side:
        print("\n".join(["", *side]))
    legend = about_legend(about, words)
    if about.environment is not None and details:
        legend = legend_lines(about.environment, words)
    for line in legend:
        print(line)
    certify()
    if stats:
        effort = list(effort_lines(envelope))
        print("\n".join(["", *statistics_lines(envelope.statistics), "", *effort]))
    print("\n".join(["", *verdict_lines(envelope)]))
