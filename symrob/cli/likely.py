"""`symrob cuts --by-probability`: the most probable hazardous sets first."""

from __future__ import annotations

from typing import TYPE_CHECKING

from symrob.analyses.wide import in_singles
from symrob.api.chances import events_in, table_of
from symrob.cli.common import end_incomplete, print_json, warn

if TYPE_CHECKING:
    from symrob.case import Case
    from symrob.options import Options


def print_likely(
    case: Case, options: Options, probability: str | None, output: str
) -> None:
    """Print the sets while they come.

    Args:
        case: The case.
        options: How to run; `limit` ends it.
        probability: The path of a table of probabilities; `None` for that of the case.
        output: text, json, or jsonl.

    Raises:
        SymrobError: As of `symrob risk`.
    """
    from symrob.api import load_roles, open_engine
    from symrob.report.json import json_lines, streamed
    from symrob.report.likely import likely_lines
    from symrob.risk.likely import LikelySets

    table = table_of([case], probability)
    roles = load_roles(case, options.limits)
    engine = open_engine(roles, options)
    warn(engine.problem.warnings)
    events = events_in(table, roles, engine)
    found = LikelySets(in_singles(engine), events, options.limit)
    if output == "json":
        print_json(streamed(found, case.title))
    else:
        lines = json_lines(found, case.title)
        if output == "text":
            lines = likely_lines(found, case.title, case.words)
        for line in lines:
            print(line, flush=True)
    if found.status != "complete":
        end_incomplete(found.status, found.reason)
