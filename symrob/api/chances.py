"""The chances of events: by a file, a case, a filled-in table, or a dict of Python.

In:  what was said of them, and the problem.
Out: `Events`; with an engine, an `Assessment`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from os import PathLike, fspath
from typing import Any

from symrob.analyses.space import Space
from symrob.analyses.wide import in_singles
from symrob.api.arguments import require
from symrob.api.loading import Roles
from symrob.case import Case
from symrob.case.faults import modes_of
from symrob.case.probability import (
    Probabilities,
    load_probabilities,
    probabilities_of,
    probability_problems,
)
from symrob.case.table import read_table
from symrob.envelope.engine import Engine
from symrob.errors import Diagnostic, SymrobError
from symrob.problem import Unit
from symrob.risk.assessment import Assessment
from symrob.risk.events import Events, events_of


def table_of(
    cases: Sequence[Case], given: str | PathLike[str] | Mapping[str, Any] | None
) -> Probabilities:
    """Return what is said of the chances: by a file, a dict, or a case that does.

    Raises:
        SymrobError: The file or the dict is wrong, or nothing is said at all.
    """
    if isinstance(given, Mapping):
        return table_given(given)
    if given is not None:
        return load_probabilities(fspath(given))
    for case in cases:
        if case.probabilities is not None:
            return case.probabilities
    if any(case.faults is not None and case.faults.table for case in cases):
        return Probabilities()
    hint = 'give --probability FILE, or a table [probability]: "ON,off,*" = 1e-3'
    message = "no probabilities are given"
    problem = Diagnostic("risk-nothing", message, file=cases[0].path, hint=hint)
    raise SymrobError(problem)


def events_in(table: Probabilities, roles: Roles, engine: Engine) -> Events:
    """Return the events of a case with their chances.

    Raises:
        SymrobError: As `symrob.risk.events.events_of`.
    """
    faults, problem = roles.faults, engine.problem
    limit = engine.clock.limits.max_expansion
    if faults is None:
        return events_of(table, problem, among=problem.among, limit=limit)
    plain = engine.environment
    modes = modes_of(
        faults, roles.environment.model, plain, limit=limit, classes=problem.classes
    )
    filled = None
    if faults.table is not None:
        filled = read_table(faults.table, plain)
        modes = tuple(filled.joined(modes))
    return events_of(
        table,
        problem,
        modes,
        only=faults.only,
        among=problem.among,
        filled=filled,
        limit=limit,
    )


def chances_of(case: Case, roles: Roles, space: Space) -> dict[Unit, Decimal]:
    """Return how likely units are, as far as a case says so.

    Raises:
        SymrobError: As `events_in`, for single candidates.
    """
    if case.probabilities is None:
        return {}
    if space.about.units is not None or space.whole is None:
        said = case.probabilities.chances
        return {name: said[name] for name in space.all if name in said}
    events = events_in(case.probabilities, roles, space.whole).events
    return {t: event.chance for event in events for t in event.transitions}


def _keys(table: Mapping[Any, Any]) -> Iterator[object]:
    """All keys of a dict, and of those in it."""
    for key, value in table.items():
        yield key
        if isinstance(value, Mapping):
            yield from _keys(value)


def table_given(probability: Mapping[str, Any]) -> Probabilities:
    """Return what a dict says of the chances.

    Raises:
        SymrobError: It is no dict, or something in it is wrong; all problems.
    """
    require(("probability", probability, Mapping, "a dict, such as {'S,a,T': 0.5}"))
    keys = [key for key in _keys(probability) if not isinstance(key, str)]
    if keys:
        message = f"probability: expected texts as keys, not {keys[0]!r:.60}"
        raise SymrobError(Diagnostic("api-argument", message))
    wrong = [
        Diagnostic("api-argument", p.message) for p in probability_problems(probability)
    ]
    if wrong:
        raise SymrobError(wrong)
    return probabilities_of(probability)


def assess(
    engine: Engine, probability: Mapping[str, Any], gap: float | None = None
) -> Assessment:
    """Return the risk of a problem for what a dict says of the chances.

    Raises:
        SymrobError: As of `SafetyEnvelope.risk`.
    """
    wrong: list[Diagnostic] = []
    try:
        table = table_given(probability)
    except SymrobError as error:
        wrong += error.diagnostics
    number = isinstance(gap, int | float) and not isinstance(gap, bool)
    if gap is not None and not (number and 0 <= gap <= 1):
        message = f"gap: expected a number from 0 to 1, not {gap!r:.60}"
        wrong.append(Diagnostic("api-argument", message))
    units = engine.problem.units
    modes = () if units is None else units.modes
    if any(mode.local for mode in modes):
        message = "modes of components have no probabilities: name transitions"
        wrong.append(Diagnostic("risk-modes", message))
    if wrong:
        raise SymrobError(wrong)
    problem, limit = engine.problem, engine.clock.limits.max_expansion
    events = events_of(table, problem, modes, among=problem.among, limit=limit)
    return Assessment(in_singles(engine), events, gap=gap)
