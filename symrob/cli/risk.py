"""`symrob risk`: how likely is it that what is possible can hurt?"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

import typer

from symrob import files
from symrob.analyses.wide import in_singles
from symrob.api.chances import events_in, table_of
from symrob.cli.common import Progress, command, end_incomplete, require_format, warn
from symrob.cli.ending import note_line
from symrob.cli.groups import Bounds, Everything, ExtraStates, Models
from symrob.errors import Diagnostic, SymrobError
from symrob.limits import running

if TYPE_CHECKING:
    from symrob.case import Case
    from symrob.risk.assessment import Assessment

OF_TREES = ("openpsa", "galileo", "dot", "svg")
OF_TABLES = ("csv", "csv-sets", "markdown")
FORMATS = ("text", "json", *OF_TREES, *OF_TABLES)
OF_CHANGES = ("text", "json", "csv", "markdown")


@command
def risk(
    models: Models,
    bounds: Bounds,
    other: Annotated[
        str | None,
        typer.Argument(metavar="[OTHER.toml]", help="A design to compare with."),
    ] = None,
    probability: Annotated[
        str | None,
        typer.Option(
            "--probability",
            metavar="FILE.toml",
            help="A table [probability], in place of that of the case.",
        ),
    ] = None,
    gap: Annotated[
        float | None,
        typer.Option("--gap", help="Stop when the probability is known up to this."),
    ] = None,
    everything: Everything = False,
    traces: Annotated[
        bool, typer.Option("--traces", help="JSON: with a run of each set.")
    ] = False,
    out: Annotated[
        str | None,
        typer.Option("--out", metavar="FILE", help="Write to a file."),
    ] = None,
    extra_states: ExtraStates = None,
    output: Annotated[
        str, typer.Option("--format", help=", ".join(FORMATS) + ".")
    ] = "text",
) -> None:
    """Tell how likely it is that what is possible can hurt, and what adds to it."""
    require_format(output, FORMATS if other is None else OF_CHANGES)
    if gap is not None and not 0 <= gap <= 1:
        raise SymrobError(Diagnostic("usage-gap", "--gap must be from 0 to 1"))
    case = models.case
    cases = [case]
    if other is not None:
        cases.append(replace(models, case_file=other).case)
    options = case.options(bounds.given(extra_states=extra_states))
    from symrob.api import load_sides, open_sides
    from symrob.risk.assessment import Assessment

    table = table_of(cases, probability)
    names = _names(cases)
    sides = load_sides(dict(zip(names, cases, strict=True)), options.limits)
    engines = open_sides(sides, options)
    # Both are about the events of the first case.
    with running(engines[0].clock):
        events = events_in(table, sides[names[0]], engines[0])
    engines = [in_singles(engine) for engine in engines]
    warned = [w for engine in engines for w in engine.problem.warnings]
    warn(tuple(dict.fromkeys(warned)))
    progress = Progress("sets")
    assessed = []
    for engine in engines:
        assessed.append(Assessment(engine, events, gap=gap, on_progress=progress))
    progress.clear()
    if other is None:
        content = _told(assessed[0], case, output, everything, traces)
    else:
        content = _change(assessed, names, output)
    if out is None:
        print(content.decode(), end="")
    else:
        files.write_file(out, content, "usage-output")
        note_line(f"risk written to {out}")
    for each in assessed:
        if each.status != "complete":
            end_incomplete(each.status, each.reason)


def _names(cases: list[Case]) -> list[str]:
    """What messages call the cases."""
    names = [case.title or "the case" for case in cases]
    if len(set(names)) < len(names):
        names = [f"{name} ({number})" for number, name in enumerate(names, 1)]
    return names


def _told(
    risk: Assessment, case: Case, output: str, everything: bool, traces: bool
) -> bytes:
    """The assessment in a format."""
    title, words = case.title, case.words
    if output in OF_TREES:
        from symrob.report import faulttree

        if output == "openpsa":
            text = faulttree.open_psa(risk, title, words)
        elif output == "galileo":
            text = faulttree.galileo(risk, title, words)
        else:
            text = faulttree.tree_dot(risk, title, words)
            if output == "svg":
                text = faulttree.drawn(text, risk)
    elif output in OF_TABLES:
        from symrob.report import risktables

        text = risktables.written(risk, output, title, words)
    else:
        from symrob.report.json import document, dumps
        from symrob.report.risk import risk_lines
        from symrob.risk.answer import Risk

        if output == "json":
            text = dumps(document(Risk.of(risk, traces=traces), title)) + "\n"
        else:
            lines = risk_lines(risk, title, words, everything=everything)
            text = "\n".join(lines) + "\n"
    return text.encode("utf-8", "backslashreplace")


def _change(assessed: list[Assessment], names: list[str], output: str) -> bytes:
    from symrob.report.json import document, dumps
    from symrob.report.risk import change_lines
    from symrob.report.risktables import change_table
    from symrob.risk.answer import RiskChange
    from symrob.risk.comparison import compared

    change = compared(*assessed)
    if output == "text":
        text = "\n".join(change_lines(change, names)) + "\n"
    elif output == "json":
        text = dumps(document(RiskChange.of(change, assessed, names))) + "\n"
    else:
        text = change_table(change, names, output)
    return text.encode("utf-8", "backslashreplace")
