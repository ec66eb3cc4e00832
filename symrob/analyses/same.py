"""Whether two sides are comparable: one environment, the same units.

In:  the descriptions of two spaces.
Out: nothing, or an error that names every difference.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from symrob.analyses.choice import require_same
from symrob.analyses.space import About
from symrob.errors import Diagnostic, SymrobError, enumerated
from symrob.lts import Lts

# How many modes a message names.
MOST_NAMES = 5
_HINT = "fault modes must have the same names and meanings on both sides"

# Of each mode, by its name, what it does: comparable from side to side.
Meanings = dict[str, set[tuple[object, ...]]]


def require_same_units(one: About, other: About) -> None:
    """Reject sides with different units or environments.

    Raises:
        SymrobError: The environments or the fault modes differ.
    """
    require_same_environment(one, other)
    if one.units is None:
        return
    by_steps = one.environment is not None and other.environment is not None
    first, second = (
        _by_steps(side) if by_steps else _by_components(side) for side in (one, other)
    )
    problems = [
        Diagnostic("compare-modes", f"the sides differ in their {what}", hint=_HINT)
        for what in _differences(first, second)
    ]
    if problems:
        raise SymrobError(problems)


def require_same_environment(one: About, other: About) -> None:
    """Require that two environments are equal, with units of one kind.

    Raises:
        SymrobError: They differ; all differences are reported.
    """
    if one.budget != other.budget:
        message = "the sides have different budgets of deviated steps"
        hint = "--at-most K sets one budget for all sides; for fault modes, set the "
        hint += "same at_most"
        raise SymrobError(Diagnostic("compare-budget", message, hint=hint))
    if (one.units is None) != (other.units is None):
        message = "only one of the sides uses fault modes"
        raise SymrobError(Diagnostic("compare-modes", message, hint=_HINT))
    if one.environment is not None and other.environment is not None:
        require_same(one.environment, other.environment)
        return
    ours, theirs = (_components(side) for side in (one, other))
    if ours.keys() != theirs.keys():
        message = "the environments have different components: the first has "
        message += f"{_some(sorted(ours))}; the second has {_some(sorted(theirs))}"
        raise SymrobError(Diagnostic("compare-environment", message))
    for name, component in ours.items():
        require_same(component, theirs[name])


def require_budget_of(about: About, data: Mapping[str, Any], file: str) -> None:
    """Reject a result with another budget of deviated steps.

    Raises:
        SymrobError: The budgets differ.
    """
    ours = None if about.budget is None else about.budget._asdict()
    if data.get("at_most") != ours:
        message = "the result has a different budget of deviated steps ('at_most')"
        raise SymrobError(Diagnostic("policy-baseline", message, file=file))


def _components(side: About) -> dict[str, Lts]:
    network = side.network
    assert network is not None, "E is composed"
    return dict(zip(network.component_names, network.components, strict=True))


def _by_steps(side: About) -> Meanings:
    """What each mode does to E, whatever it and the states are numbered."""
    units, environment = side.units, side.environment
    assert units is not None, "units are fault modes"
    assert environment is not None, "E is in parts"
    called = environment.state_name
    meanings: Meanings = {m.name: set() for m in units.modes}
    for (source, action, target), needs in units.steps:
        named = tuple(sorted(units.names(need) for need in needs))
        for name in {name for need in named for name in need}:
            meanings[name].add((called(source), action, called(target), named))
    return meanings


def _by_components(side: About) -> Meanings:
    """What each mode does to components, where E consists of parts."""
    assert side.units is not None, "units are fault modes"
    named = list(_components(side).items())
    return {
        mode.name: {
            (named[i][0], named[i][1].state_name(q), a, named[i][1].state_name(r))
            for i, q, a, r in mode.local
        }
        for mode in side.units.modes
    }


def _differences(first: Meanings, second: Meanings) -> Iterator[str]:
    for which, here, there in (("first", first, second), ("second", second, first)):
        if only := sorted(here.keys() - there.keys()):
            yield f"fault modes: only the {which} has {_some(only)}"
    both = first.keys() & second.keys()
    if other := sorted(name for name in both if first[name] != second[name]):
        verb = "changes" if len(other) == 1 else "change"
        yield f"fault modes: {_some(other)} {verb} E differently"


def _some(names: list[str]) -> str:
    return enumerated([f"'{name:.200}'" for name in names], MOST_NAMES)
