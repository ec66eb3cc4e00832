"""`symrob explain`: is a set of transitions tolerated, and why?"""

from __future__ import annotations

from collections.abc import Sequence
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

if TYPE_CHECKING:
    from symrob.analyses.explain import Explanation
    from symrob.analyses.holding import Held
    from symrob.analyses.in_modes import InModes
    from symrob.analyses.modes import ModeExplanation
    from symrob.case import Case
    from symrob.envelope.engine import Engine
    from symrob.problem import Problem


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
    from symrob.analyses.hazards import VERDICTS

    if expect not in (None, *VERDICTS):
        message = f"--expect must be one of {', '.join(VERDICTS)}, not '{expect:.60}'"
        raise SymrobError(Diagnostic("usage-explain", message))
    if mode and (transition or deviation is not None):
        message = "give --mode, or --transition and --deviation"
        raise SymrobError(Diagnostic("usage-explain", message))
    case = models.case
    options = case.options(bounds.given(extra_states=extra_states))
    engine = asked(case, options)
    from symrob.envelope.engine import Engine

    explanation: Explanation | ModeExplanation
    if not isinstance(engine, Engine):
        with running(engine.clock):
            held = _held(engine, mode, transition or (), deviation, options)
        explanation = _explain_modes(
            engine, case, held, limit, output, everything=everything
        )
    elif mode:
        message = "--mode: this case has no fault modes; [faults] declares them"
        raise SymrobError(Diagnostic("usage-explain", message))
    else:
        with running(engine.clock):
            meant = _meant(engine.problem, transition or (), deviation, options)
        explanation = _explain_set(
            engine, case, meant, limit, output, everything=everything
        )
    if expect not in (None, explanation.verdict):
        note_line(f"the set is {explanation.verdict}, not {expect}")
        raise typer.Exit(EXIT_FAILED)
    if explanation.status != "complete":
        end_incomplete(explanation.status, explanation.reason)


def _explain_set(
    engine: Engine,
    case: Case,
    meant: set[Transition],
    limit: int,
    output: str,
    *,
    everything: bool,
) -> Explanation:
    from symrob.analyses.explain import explain as explain_set
    from symrob.report.explain import explanation_dict, explanation_lines
    from symrob.report.json import asked_dict

    explanation = explain_set(engine, meant, deviations=limit)
    if output == "json":
        asked = asked_dict(engine.problem)
        print_json({**explanation_dict(explanation, case.title), **asked})
        return explanation
    for line in explanation_lines(
        explanation, case.title, case.words, everything=everything
    ):
        print(line)
    return explanation


def _explain_modes(
    modes: InModes,
    case: Case,
    held: Held,
    limit: int,
    output: str,
    *,
    everything: bool,
) -> ModeExplanation:
    from symrob.analyses.modes import explain_modes
    from symrob.report.mode_explain import explanation_dict, explanation_lines

    explanation = explain_modes(modes, held.names, deviations=limit)
    if output == "json":
        print_json(explanation_dict(modes, explanation, case.title, held))
        return explanation
    for line in explanation_lines(
        explanation, case.title, case.words, held, everything=everything
    ):
        print(line)
    return explanation


def _held(
    modes: InModes,
    names: Sequence[str] | None,
    texts: Sequence[str],
    deviation: str | None,
    options: Options,
) -> Held:
    """The fault modes that are asked about, by name or by what they bring."""
    from symrob.analyses.holding import Held, held, held_by_file

    if names:
        return Held(tuple(names), {})
    if deviation is None:
        return held(modes, texts, limit=options.max_expansion)
    if texts:
        message = "in fault modes give --transition or --deviation, not both"
        raise SymrobError(Diagnostic("usage-explain", message))
    return held_by_file(modes, deviation)


def _meant(
    problem: Problem, texts: Sequence[str], deviation: str | None, options: Options
) -> set[Transition]:
    """What is asked about; the problems of all parts of it at once."""
    from symrob.case.deviations import read_deviation
    from symrob.case.transitions import parse_transitions

    meant: set[Transition] = set()
    problems: list[Diagnostic] = []
    try:
        parsed = parse_transitions(
            texts,
            problem.environment,
            limit=options.max_expansion,
            classes=problem.classes,
        )
        meant = meant.union(*parsed)
    except SymrobError as error:
        problems += error.diagnostics
    if deviation is not None:
        try:
            meant |= read_deviation(deviation, problem.environment).new
        except SymrobError as error:
            problems += error.diagnostics
    if problems:
        raise SymrobError(problems)
    return meant
