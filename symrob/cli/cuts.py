"""`symrob cuts`: the smallest sets of added transitions that can hurt."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from symrob.api import load_roles, open_space
from symrob.cli.certificates import Certificate, certify_cuts
from symrob.cli.common import (
    Progress,
    command,
    end_incomplete,
    print_found,
    print_json,
    require_format,
    warn,
)
from symrob.cli.groups import Bounds, Everything, ExtraStates, Models

if TYPE_CHECKING:
    from symrob.analyses.cut import Cut
    from symrob.analyses.cuts import Cuts
    from symrob.report.cuts import Runs
    from symrob.words import Words


@command
def cuts(
    models: Models,
    bounds: Bounds,
    order: Annotated[
        int | None,
        typer.Option(
            "--order", min=1, help="Only sets of at most so many transitions."
        ),
    ] = None,
    limit: Annotated[
        int | None, typer.Option("--limit", help="Stop after this many sets.")
    ] = None,
    resilience: Annotated[
        bool,
        typer.Option(
            "--resilience",
            help="Only the size of the smallest, and one.",
        ),
    ] = False,
    outside: Annotated[
        bool,
        typer.Option("--outside", help="Also sets that only break an assumption."),
    ] = False,
    by_probability: Annotated[
        bool,
        typer.Option("--by-probability", help="The likeliest sets first."),
    ] = False,
    probability: Annotated[
        str | None,
        typer.Option("--probability", metavar="FILE.toml", help="As of `risk`."),
    ] = None,
    traces: Annotated[
        bool,
        typer.Option(
            "--traces",
            help="Print the run of each set step by step.",
        ),
    ] = False,
    everything: Everything = False,
    certificate: Certificate = None,
    extra_states: ExtraStates = None,
    output: Annotated[
        str, typer.Option("--format", help="text, json, or jsonl while they come.")
    ] = "text",
) -> None:
    """List the minimal hazardous sets, then those that are only assumed away."""
    require_format(output, ("text", "json", "jsonl"))
    case = models.case
    given = bounds.given(extra_states=extra_states, limit=limit)
    options = case.options(given)
    if by_probability or probability is not None:
        from symrob.cli.likely import print_likely

        print_likely(case, options, probability, output)
        return
    roles = load_roles(case, options.limits)
    space = open_space(roles, options)
    warn(space.warnings)
    from symrob.analyses.cuts import Cuts

    kept: list[Cut] | None = None
    if certificate is not None:
        space.required_whole("a certificate")
        kept = []
    runs: Runs = "full" if traces else "short" if output == "text" else "none"
    progress = Progress("sets")
    found = Cuts(
        space,
        order=case.order if order is None else order,
        limit=options.limit,
        smallest=resilience,
        outside=outside,
        traces_from={"none": None, "short": 2, "full": 1}[runs],
        on_progress=progress,
        kept=kept,
    )
    if output == "text":
        print_cuts(found, case.title, case.words, progress, runs, everything=everything)
    else:
        print_data(found, case.title, progress, output)
    lacking = ""
    if certificate is not None:
        lacking = certify_cuts(certificate, roles, found, kept or ())
    if found.status != "complete":
        end_incomplete(found.status, found.reason)
    if lacking:
        end_incomplete("limit", lacking)


def print_cuts(
    found: Cuts,
    title: str,
    words: Words,
    progress: Progress,
    runs: Runs,
    *,
    everything: bool,
) -> None:
    """Print the sets as they are found, then what they amount to."""
    from symrob.report.cuts import cut_lines, verdict_lines
    from symrob.report.legend import about_legend

    lines = cut_lines(found, title, words, runs=runs, everything=everything)
    print_found(lines, progress)
    legend = about_legend(found.space.about, words)
    print("\n".join([*legend, "", *verdict_lines(found)]))


def print_data(found: Cuts, title: str, progress: Progress, output: str) -> None:
    """Print the sets for programs, at once or as they are found."""
    from symrob.report.cuts import by_size
    from symrob.report.json import json_lines, streamed

    if output == "jsonl":
        for line in json_lines(found, title):
            print(line, flush=True)
        return
    result = streamed(found, title, by_size)
    progress.clear()
    print_json(result)
