"""`symrob explain`: is a set of transitions tolerated, and why?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

import typer

from symrob.cli.common import (
    asked,
    command,
    end_incomplete,
    print_json,
    require_format,
)
from symrob.cli.ending import note_line
from symrob.cli.groups import Bounds, Everything, ExtraStates, Format, Models
from symrob.errors import EXIT_FAILED, Diagnostic, SymrobError
from symrob.limits import running
from symrob.lts import Transition
from symrob.options import Options
from symrob.verdicts import VERDICTS

if TYPE_CHECKING:
    from symrob.analyses.holding import Held
    from symrob.analyses.space import About


@command
def explain(
    models: Models,
    bounds: Bounds,
    transition: Annotated[
        list[str] | None,
        typer.Option(
            "--transition",
            metavar="'SOURCE,ACTION,TARGET'",
            help="What E may get: states by name or number, `*` for any text; "
            "repeatable.",
        ),
    ] = None,
    deviation: Annotated[
        str | None,
        typer.Option(
            "--deviation",
            metavar="FILE[#N]",
            help="All of a deviation: number N (or the largest) of a JSON result, or "
            "a list of triples.",
        ),
    ] = None,
    mode: Annotated[
        list[str] | None,
        typer.Option(
            "--mode", metavar="NAME", help="A fault mode of the case; repeatable."
        ),
    ] = None,
    limit: Annotated[
        int,
        typer.Option(
            "--limit", min=0, help="Show so many maximal deviations that hold it."
        ),
    ] = 3,
    expect: Annotated[
        str | None,
        typer.Option(
            "--expect",
            metavar="VERDICT",
            help="tolerated, hazardous, assumed-away or outside-assumptions: end with "
            "4 where it is another.",
        ),
    ] = None,
    everything: Everything = False,
    extra_states: ExtraStates = None,
    output: Format = "text",
) -> None:
    """Say what a set of added transitions amounts to, and why."""
    require_format(output, ("text", "json"))
    if not (transition or mode) and deviation is None:
        message = "nothing to explain: give --transition, --deviation or --mode"
        raise SymrobError(Diagnostic("usage-explain", message))
    if expect not in (None, *VERDICTS):
        message = f"--expect must be one of {', '.join(VERDICTS)}, not '{expect:.60}'"
        raise SymrobError(Diagnostic("usage-explain", message))
    if mode and (transition or deviation is not None):
        message = "give --mode, or --transition and --deviation"
        raise SymrobError(Diagnostic("usage-explain", message))
    case = models.case
    options = case.options(bounds.given(extra_states=extra_states))
    space = asked(case, options)
    if mode and space.about.units is None:
        message = "--mode: this case has no fault modes; [faults] declares them"
        raise SymrobError(Diagnostic("usage-explain", message))
    from symrob.analyses.explain import explain as explain_set
    from symrob.report.explain import explanation_lines
    from symrob.report.json import document

    held = None
    with running(space.clock):
        if space.about.units is None:
            given: object = _meant(space.about, transition or (), deviation, options)
        else:
            held = _held(space.about, mode, transition or (), deviation, options)
            given = held.units
        nominal, units = space.read(given)
    explanation = explain_set(space, units, nominal, deviations=limit)
    explanation = replace(explanation, held=held)
    if output == "json":
        for one in explanation.blocked or ():
            _ = one.trace  # Kept in it.
        print_json(document(explanation, case.title))
    else:
        for line in explanation_lines(
            explanation, case.title, case.words, everything=everything
        ):
            print(line)
    if expect not in (None, explanation.verdict):
        note_line(f"the set is {explanation.verdict}, not {expect}")
        raise typer.Exit(EXIT_FAILED)
    if explanation.status != "complete":
        end_incomplete(explanation.status, explanation.reason)


def _held(
    about: About,
    names: Sequence[str] | None,
    texts: Sequence[str],
    deviation: str | None,
    options: Options,
) -> Held:
    """The fault modes that are asked about, by name or by what they bring."""
    from symrob.analyses.holding import Held, held, held_by_file

    if names:
        return Held(frozenset(names), {})
    if deviation is None:
        return held(about, texts, limit=options.max_expansion)
    if texts:
        message = "in fault modes give --transition or --deviation, not both"
        raise SymrobError(Diagnostic("usage-explain", message))
    return held_by_file(about, deviation)


def _meant(
    about: About, texts: Sequence[str], deviation: str | None, options: Options
) -> set[Transition]:
    """What is asked about; the problems of all parts of it at once."""
    from symrob.case.deviations import read_deviation
    from symrob.case.transitions import parse_transitions

    environment = about.environment
    assert environment is not None, "candidates are of E as one"
    meant: set[Transition] = set()
    problems: list[Diagnostic] = []
    try:
        parsed = parse_transitions(
            texts,
            environment,
            limit=options.max_expansion,
            classes=about.classes,
        )
        meant = meant.union(*parsed)
    except SymrobError as error:
        problems += error.diagnostics
    if deviation is not None:
        try:
            meant |= read_deviation(deviation, environment).new
        except SymrobError as error:
            problems += error.diagnostics
    if problems:
        raise SymrobError(problems)
    return meant
