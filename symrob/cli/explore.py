"""`symrob explore`: one page that answers every what-if."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Annotated

import typer

from symrob.api.chances import events_in, table_of
from symrob.case import Case
from symrob.cli.common import command, end_incomplete, session_of
from symrob.cli.ending import note_line
from symrob.cli.option_groups import Bounds, ExtraStates, Models
from symrob.explorer.page import Design, page
from symrob.options import Options
from symrob.report.output_formats import saved


@command
def explore(
    models: Models,
    bounds: Bounds,
    compare: Annotated[
        str | None,
        typer.Option(
            "--compare",
            metavar="OTHER.toml",
            help="Include a second design.",
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
    options = _soon(case.options(bounds.given(extra_states=extra_states)))
    cases = {_name(case, "the first"): case}
    asked = [_arguments(models, extra_states)]
    if compare is not None:
        beside = Models(
            compare,
            const=models.const,
            allow_outside=models.allow_outside,
            without_constraints=models.without_constraints,
            by=models.by,
            among=models.among,
            not_among=models.not_among,
            table=models.table,
            at_most=models.at_most,
        )
        other = beside.case
        asked.append(_arguments(beside, extra_states))
        name = _name(other, "the second")
        cases[name if name not in cases else f"{name} (2)"] = other
    session = session_of(cases, options)
    one = compare is None
    engines = [session.engine] if one else [*session.engines.values()]
    designs = [
        Design(engine, name, each.vocabulary, arguments)
        for engine, (name, each), arguments in zip(
            engines, cases.items(), asked, strict=True
        )
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


# A page is written while somebody waits; the summary in it may know less.
_BUDGETS = {"story": 1.0}


def _soon(options: Options) -> Options:
    """Give the summary less time, where the case does not say how much."""
    return replace(options, budgets=_BUDGETS | dict(options.budgets))


def _arguments(models: Models, extra_states: int | None) -> tuple[str, ...]:
    """The arguments that name these models to `symrob explain`, in their folder.

    A page is sent to others: it says nothing of the folders of this computer.
    """

    def inside(spec: str) -> str:
        return re.split(r"[/\\]", spec)[-1]

    files = {"--env", "--ctrl", "--prop", "--env-prop", "--table"}
    options = {
        "--env": models.env,
        "--ctrl": models.ctrl,
        "--prop": models.prop,
        "--env-prop": models.env_prop,
        "--without-constraints": models.without_constraints,
        "--const": models.const,
        "--allow-outside": models.allow_outside,
        "--extra-states": extra_states,
        "--by": models.by,
        "--among": models.among,
        "--not-among": models.not_among,
        "--table": models.table,
        "--at-most": models.at_most,
    }
    found = [] if models.case_file is None else [inside(models.case_file)]
    for name, value in options.items():
        if value is True:
            found.append(name)
        elif value is not None and value is not False:
            each = value if isinstance(value, list) else [value]
            texts = [inside(str(o)) if name in files else str(o) for o in each]
            found += [word for text in texts for word in (name, text)]
    return tuple(found)


def _name(case: Case, otherwise: str) -> str:
    return case.title or case.row or otherwise
