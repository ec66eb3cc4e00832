"""`symrob risk`: how likely is it that what is possible can hurt?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from symrob.cli.common import (
    Progress,
    command,
    end_incomplete,
    print_json,
    require_format,
    save,
    warn,
)
from symrob.cli.groups import Bounds, Everything, ExtraStates, Models
from symrob.errors import Diagnostic, SymrobError

if TYPE_CHECKING:
    from symrob.api.loading import Roles
    from symrob.case import Case
    from symrob.case.probability import Probabilities
    from symrob.envelope.engine import Engine
    from symrob.problem import FaultMode
    from symrob.risk.assessment import Assessment
    from symrob.risk.events import Events

FORMATS = ("text", "json")


@command
def risk(
    models: Models,
    bounds: Bounds,
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
    require_format(output, FORMATS)
    if gap is not None and not 0 <= gap <= 1:
        raise SymrobError(Diagnostic("usage-gap", "--gap must be from 0 to 1"))
    case = models.case
    options = case.options(bounds.given(extra_states=extra_states))
    from symrob.api import load_roles, open_engine
    from symrob.risk.assessment import Assessment

    table = _table(case, probability)
    roles = load_roles(case, options.limits)
    engine = open_engine(roles, options)
    warn(engine.problem.warnings)
    events = _events(table, roles, engine)
    progress = Progress("sets")
    assessed = Assessment(engine, events, gap=gap, on_progress=progress)
    progress.clear()
    _print(assessed, case, output, out, everything=everything, traces=traces)
    if assessed.status != "complete":
        end_incomplete(assessed.status, assessed.reason)


def _table(case: Case, path: str | None) -> Probabilities:
    """What is said of the chances: by a file, or by the case."""
    from symrob.case.probability import load_probabilities

    if path is not None:
        return load_probabilities(path)
    if case.probabilities is None:
        hint = 'give --probability FILE, or a table [probability]: "ON,off,*" = 1e-3'
        message = "nothing is said of how likely what can happen is"
        raise SymrobError(
            Diagnostic("risk-nothing", message, file=case.path, hint=hint)
        )
    return case.probabilities


def _events(table: Probabilities, roles: Roles, engine: Engine) -> Events:
    from symrob.case.faults import modes_of
    from symrob.risk.events import events_of

    plain = engine.environment
    limit = engine.clock.limits.max_expansion
    modes: tuple[FaultMode, ...] = ()
    only = False
    if roles.faults is not None:
        modes = modes_of(roles.faults, roles.environment.model, plain, limit=limit)
        only = roles.faults.only
    return events_of(table, engine.problem, modes, only=only, limit=limit)


def _print(
    assessed: Assessment,
    case: Case,
    output: str,
    out: str | None,
    *,
    everything: bool,
    traces: bool,
) -> None:
    from symrob.report.json import dumps
    from symrob.report.risk import risk_dict, risk_lines

    if output == "json" and out is None:
        print_json(risk_dict(assessed, case.title, traces=traces))
        return
    if output == "json":
        text = dumps(risk_dict(assessed, case.title, traces=traces)) + "\n"
    else:
        lines = risk_lines(assessed, case.title, case.words, everything=everything)
        text = "\n".join(lines) + "\n"
    if out is not None:
        save(text, out, "risk")
    else:
        print(text, end="")
