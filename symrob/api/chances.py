"""Event probabilities: from a file, a case, a completed table, or a Python dict.

In:  the probability table, and the problem.
Out: `Events`; with a space, an `Assessment`. `events` opens the spaces of a case.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from decimal import Decimal
from os import PathLike, fspath
from typing import Any

from symrob.analyses.space import Space
from symrob.api.arguments import require
from symrob.api.loading import Roles
from symrob.case import Case
from symrob.case.faults import Faults, is_local, modes_of
from symrob.case.probability import (
    Probabilities,
    load_probabilities,
    probabilities_of,
    probability_problems,
)
from symrob.case.table import is_of_components, read_table
from symrob.case.units import called, local_candidates
from symrob.envelope.engine import Engine
from symrob.errors import Diagnostic, SymrobError
from symrob.limits import Limits
from symrob.problem import FaultMode, Model, Unit, Units
from symrob.risk.assessment import Assessment
from symrob.risk.events import Events, Ground, events_of
from symrob.risk.search import space_about


def table_of(
    cases: Sequence[Case], given: str | PathLike[str] | Mapping[str, Any] | None
) -> Probabilities:
    """Return the probability table from a file, a dict, or a case.

    Raises:
        SymrobError: The file or the dict is wrong, or there are no probabilities.
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
    hint = 'give --probability FILE or a table [probability]: "ON,off,*" = 1e-3'
    message = "no probabilities are given"
    problem = Diagnostic("risk-nothing", message, file=cases[0].path, hint=hint)
    raise SymrobError(problem)


def events_in(
    table: Probabilities, roles: Roles, engine: Callable[[], Engine], limits: Limits
) -> Events:
    """Return the events of a case with their probabilities.

    Args:
        table: The probability table.
        roles: The models of the case.
        engine: Opens an engine for E as a whole; not called if events change
            components.
        limits: Bounds on the expansion of expressions.

    Raises:
        SymrobError: As for `symrob.risk.events.events_of`.
    """
    limit, model = limits.max_expansion, roles.environment.model
    faults = roles.faults or Faults()
    if _changes_components(table, faults, model, limit):
        if roles.priorities:
            raise SymrobError(roles.priorities)
        plain = classes = None
        asked = [] if faults.only else local_candidates(faults, model, limit)
        whole = [
            name
            for name, texts in faults.texts.items()
            if not all(is_local(text, model) for text in texts)
        ]
        ground = Ground(model, None, among=asked, limit=limit, whole=whole)
    else:
        problem = engine().problem
        plain, classes = problem.environment, problem.classes
        ground = Ground(plain, plain, problem.classes, problem.among, limit)
    modes: Sequence[FaultMode] = modes_of(
        faults, model, plain, limit=limit, classes=classes
    )
    filled = None
    if faults.table is not None:
        of_components = plain is None
        filled = read_table(faults.table, plain or model, components=of_components)
        modes = filled.joined(modes)
        if of_components:
            ground.among = [t for t in asked if t not in filled.implausible]
    return events_of(table, ground, modes, only=faults.only, filled=filled)


def _changes_components(
    table: Probabilities, faults: Faults, model: Model, limit: int
) -> bool:
    """Whether events are of components: by a mode, a row of a table, an expression."""
    if faults.table is not None:
        return is_of_components(faults.table)
    if "component" in faults.by:
        return True
    modes = modes_of(faults, model, None, limit=limit)
    texts = table.chances.keys() - faults.texts.keys()
    return any(m.local for m in modes) or any(is_local(text, model) for text in texts)


def chances_of(case: Case, roles: Roles, space: Space) -> dict[Unit, Decimal]:
    """Return the probabilities of units, as far as the case gives them.

    Raises:
        SymrobError: As for `events_in`, for single candidates.
    """
    if case.probabilities is None:
        return {}
    units, whole = space.about.units, space.whole
    if units is None and whole is not None:
        limits = space.clock.limits
        events = events_in(case.probabilities, roles, lambda: whole, limits).events
        return {t: event.chance for event in events for t in event.transitions}
    said = case.probabilities.chances
    return {name: said[name] for name in space.all if name in said}


def _keys(table: Mapping[Any, Any]) -> Iterator[object]:
    """All keys of a dict, and of those in it."""
    for key, value in table.items():
        yield key
        if isinstance(value, Mapping):
            yield from _keys(value)


def table_given(probability: Mapping[str, Any]) -> Probabilities:
    """Return the probability table given as a dict.

    Raises:
        SymrobError: It is not a dict, or has errors; all of them are reported.
    """
    require(("probability", probability, Mapping, "a dict, such as {'S,a,T': 0.5}"))
    keys = [key for key in _keys(probability) if not isinstance(key, str)]
    if keys:
        message = f"probability: expected strings as keys, not {keys[0]!r:.60}"
        raise SymrobError(Diagnostic("api-argument", message))
    wrong = [
        Diagnostic("api-argument", p.message) for p in probability_problems(probability)
    ]
    if wrong:
        raise SymrobError(wrong)
    return probabilities_of(probability)


def assess(
    space: Space, probability: Mapping[str, Any], gap: float | None = None
) -> Assessment:
    """Return the risk of a problem for probabilities given as a dict.

    Raises:
        SymrobError: As for `SafetyEnvelope.risk`.
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
    if wrong:
        raise SymrobError(wrong)
    limit, units = space.clock.limits.max_expansion, space.about.units
    if units is not None and units.network is not None:
        return Assessment(space, _events_among(table, units, limit), gap=gap)
    modes = () if units is None else units.modes
    engine = space.required_whole("this probability")
    problem = engine.problem
    plain = problem.environment
    ground = Ground(plain, plain, problem.classes, problem.among, limit)
    events = events_of(table, ground, modes)
    return Assessment(space_about(engine, events), events, gap=gap)


def _events_among(table: Probabilities, units: Units, limit: int) -> Events:
    """The events that are modes of components already, single transitions or not.

    Others would need a composition of their own.
    """
    model = units.network
    assert model is not None, "components are changed"
    singles = {
        min(mode.local): mode
        for mode in units.modes
        if len(mode.local) == 1 and mode.name == called(min(mode.local), model)
    }
    alone = {mode.name for mode in singles.values()}
    several = [mode for mode in units.modes if mode.name not in alone]
    # What components get tells what E as one gets, unless some modes are of that.
    whole = [mode.name for mode in several if units.mixed and mode.transitions]
    ground = Ground(model, None, among=tuple(singles), limit=limit, whole=whole)
    return events_of(table, ground, several, only=not singles)
