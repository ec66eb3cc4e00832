"""`symrob explain`: is a set of transitions tolerated, and why?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import typer

from symrob.cli.common import (
    command,
    end_incomplete,
    opened,
    print_json,
    require_format,
)
from symrob.cli.groups import Backend, Bounds, Everything, ExtraStates, Format, Models
from symrob.errors import Diagnostic, SymrobError
from symrob.lts import Lts, Transition
from symrob.options import Options


@command
def explain(
    models: Models,
    bounds: Bounds,
    transition: Annotated[
        list[str] | None,
        typer.Option(
            "--transition",
            metavar="'SOURCE,ACTION,TARGET'",
            help="A transition that E may get: states by name or number, `*` for any "
            "text; repeatable, for what is added together.",
        ),
    ] = None,
    deviation: Annotated[
        str | None,
        typer.Option(
            "--deviation",
            metavar="FILE[#N]",
            help="Also all of a deviation: number N (or the largest) of a result of "
            "compute --format json, or a list of [source, action, target].",
        ),
    ] = None,
    limit: Annotated[
        int,
        typer.Option(
            "--limit", min=0, help="Show so many maximal deviations that hold it."
        ),
    ] = 3,
    everything: Everything = False,
    extra_states: ExtraStates = None,
    backend: Backend = None,
    output: Format = "text",
) -> None:
    """Explain why a set of transitions is inside or outside the envelope."""
    require_format(output, ("text", "json"))
    if not transition and deviation is None:
        message = "nothing to explain: give --transition or --deviation"
        raise SymrobError(Diagnostic("usage-explain", message))
    case = models.case
    options = case.options(bounds.given(backend=backend, extra_states=extra_states))
    engine = opened(case, options)
    from symrob.analyses.explain import explain as explain_set
    from symrob.report.explain import explanation_dict, explanation_lines

    asked = _asked(engine.environment, transition or (), deviation, options)
    explanation = explain_set(engine, asked, deviations=limit)
    if output == "json":
        print_json(explanation_dict(explanation, case.title))
    else:
        for line in explanation_lines(explanation, case.title, everything=everything):
            print(line)
    if explanation.status != "complete":
        end_incomplete(explanation.status, explanation.reason)


def _asked(
    environment: Lts, texts: Sequence[str], deviation: str | None, options: Options
) -> set[Transition]:
    """What is asked about; the problems of all parts of it at once."""
    from symrob.case.deviations import read_deviation
    from symrob.case.transitions import parse_transitions

    asked: set[Transition] = set()
    problems: list[Diagnostic] = []
    try:
        limit = options.max_expansion
        asked = asked.union(*parse_transitions(texts, environment, limit=limit))
    except SymrobError as error:
        problems += error.diagnostics
    if deviation is not None:
        try:
            asked |= read_deviation(deviation, environment).new
        except SymrobError as error:
            problems += error.diagnostics
    if problems:
        raise SymrobError(problems)
    return asked
