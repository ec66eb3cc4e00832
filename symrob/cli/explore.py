"""`symrob explore`: one page that answers every what-if."""

from __future__ import annotations

from typing import Annotated

import typer

from symrob.api.chances import events_in, table_of
from symrob.case import Case
from symrob.cli.common import command, end_incomplete, session_of
from symrob.cli.ending import note_line
from symrob.cli.groups import Bounds, ExtraStates, Models
from symrob.explorer.page import Design, page
from symrob.report.forms import saved


@command
def explore(
    models: Models,
    bounds: Bounds,
    compare: Annotated[
        str | None,
        typer.Option(
            "--compare",
            metavar="OTHER.toml",
            help="Answer for a second design too.",
        ),
    ] = None,
    out: Annotated[
        str | None,
        typer.Option(
            "--out",
            metavar="FILE.html",
            help="Write to a file instead of standard output.",
        ),
    ] = None,
    probability: Annotated[
        str | None,
        typer.Option(
            "--probability",
            metavar="FILE.toml",
            help="Read a probability table, as for `symrob risk`.",
        ),
    ] = None,
    extra_states: ExtraStates = None,
) -> None:
    """Write an interactive HTML page for what-if questions."""
    case = models.case
    options = case.options(bounds.given(extra_states=extra_states))
    cases = {_name(case, "the first"): case}
    if compare is not None:
        other = Models(
            compare,
            const=models.const,
            allow_outside=models.allow_outside,
            without_constraints=models.without_constraints,
            by=models.by,
            among=models.among,
            not_among=models.not_among,
            table=models.table,
            at_most=models.at_most,
        ).case
        name = _name(other, "the second")
        cases[name if name not in cases else f"{name} (2)"] = other
    session = session_of(cases, options)
    one = compare is None
    engines = [session.engine] if one else [*session.engines.values()]
    designs = [
        Design(engine, name, each.words)
        for engine, (name, each) in zip(engines, cases.items(), strict=True)
    ]
    events = None
    if probability is not None or case.probabilities is not None:
        roles = next(iter(session.all_roles.values())) if not one else session.roles
        table, first = table_of([case], probability), engines[0]
        events = events_in(table, roles, lambda: first, options.limits)
    made = page(designs, " and ".join(cases), events)
    if out is None:
        print(made.html, end="")
    else:
        note_line(saved(made.html, out, "page"))
    if made.status != "complete":
        end_incomplete(made.status, made.reason)


def _name(case: Case, otherwise: str) -> str:
    return case.title or case.row or otherwise
