"""`symrob compute`: the safety envelope."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from symrob.api import analyse, load_roles
from symrob.cli.common import (
    Progress,
    command,
    finish,
    print_found,
    print_json,
    require_format,
    save,
    warn,
)
from symrob.cli.ending import note_line
from symrob.cli.groups import Backend, Bounds, ExtraStates, MaxEdges, Models
from symrob.options import ALGORITHMS

if TYPE_CHECKING:
    from symrob.api.result import SafetyEnvelope


@command
def compute(
    models: Models,
    bounds: Bounds,
    algorithm: Annotated[
        str | None,
        typer.Option(
            "--algorithm", help=f"One of {', '.join(ALGORITHMS)}; by default the first."
        ),
    ] = None,
    backend: Backend = None,
    extra_states: ExtraStates = None,
    limit: Annotated[
        int | None, typer.Option("--limit", help="Stop after this many deviations.")
    ] = None,
    largest: Annotated[
        bool, typer.Option("--largest", help="Only one that adds the most.")
    ] = False,
    top: Annotated[
        int | None,
        typer.Option("--top", help="Only this many, those that add the most first."),
    ] = None,
    weights: Annotated[
        str | None,
        typer.Option(
            "--weights",
            metavar="FILE.toml",
            help="How much each transition counts for --largest and --top.",
        ),
    ] = None,
    output: Annotated[
        str,
        typer.Option(
            "--format",
            help="text; json, or jsonl while they come; svg or dot for a picture of "
            "the largest deviation.",
        ),
    ] = "text",
    stats: Annotated[
        bool,
        typer.Option(
            "--stats", help="Also print the figures of Table 1 and what it took."
        ),
    ] = False,
    summary: Annotated[
        bool,
        typer.Option(
            "--summary/--no-summary",
            help="Say first what each transition is worth, and at last where the "
            "deviations get stuck (text).",
        ),
    ] = True,
    svg: Annotated[
        str | None,
        typer.Option("--svg", metavar="FILE", help="Also draw the largest deviation."),
    ] = None,
    max_edges: MaxEdges = None,
) -> None:
    """Compute the safety envelope: all maximal robust deviations."""
    require_format(output, ("text", "json", "jsonl", "svg", "dot"))
    case = models.case
    given = bounds.given(
        algorithm=algorithm,
        backend=backend,
        extra_states=extra_states,
        limit=limit,
        largest=1 if largest and top is None else top,
        weights=weights,
    )
    options = case.options(given)
    progress = Progress()
    envelope = analyse(load_roles(case, options.limits), options, progress)
    warn(envelope.warnings)
    if output == "json":
        from symrob.report.json import result_dict

        result = result_dict(envelope, case.title)
        progress.clear()
        print_json(result)
    elif output == "jsonl":
        from symrob.report.json import result_lines

        for line in result_lines(envelope, case.title):
            print(line, flush=True)
    elif output == "text":
        # The other algorithms are there to be compared with: they run alone.
        summary = summary and options.algorithm == "maximal"
        print_deviations(envelope, case.title, progress, stats, summary)
    else:
        document = picture_of(envelope, case.title, output, max_edges)
        progress.clear()
        print(document, end="")
    if svg is not None:
        document = picture_of(envelope, case.title, "svg", max_edges)
        if document:
            save(document, svg, "picture")
    finish(envelope)


def print_deviations(
    envelope: SafetyEnvelope,
    title: str,
    progress: Progress,
    stats: bool,
    summary: bool,
) -> None:
    """Print Δ as it is found, then what it amounts to."""
    from symrob.report.summary import preface_lines, side_lines
    from symrob.report.text import (
        effort_lines,
        envelope_lines,
        statistics_lines,
        verdict_lines,
    )

    preface = preface_lines(envelope) if summary else ()
    print_found(envelope_lines(envelope, title, preface), progress)
    side = list(side_lines(envelope.side_report())) if summary else []
    if side:
        print("\n".join(["", *side]))
    if stats:
        effort = list(effort_lines(envelope))
        print("\n".join(["", *statistics_lines(envelope.statistics), "", *effort]))
    print("\n".join(["", *verdict_lines(envelope)]))


def picture_of(
    envelope: SafetyEnvelope, title: str, form: str, max_edges: int | None
) -> str:
    """Return a picture of the largest deviation, nothing if none was found.

    Where Δ is incomplete, there may be a larger one, and the title says so.
    """
    from symrob.report.picture import portrait
    from symrob.report.svg import drawn

    largest = max(envelope, key=len, default=None)
    if largest is None:
        note_line("no deviation was found, so there is no picture")
        return ""
    known = envelope.status == "complete" or envelope.as_asked
    which = "largest deviation" if known else "largest deviation so far"
    name = f"{title or 'Environment'}: {which}"
    picture = portrait(envelope.engine, largest, name)
    return drawn([picture], form, title=name, max_edges=max_edges)
