"""Checks of Python arguments, and fault modes given in any form.

In:  the user's arguments.
Out: diagnostics, or `Faults`, the selected units.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, TypeGuard, cast

from symrob.case.faults import MODE, Faults, is_mode
from symrob.case.tables import AT_MOST, KeyProblem
from symrob.case.templates import TEMPLATE, Template
from symrob.errors import Diagnostic, SymrobError
from symrob.lts import Action
from symrob.problem.goals import COMPLETION, Goal, goals_of
from symrob.problem.modes import FaultMode

_NO_KIND = "a dict in faults requires the key 'template' or 'transitions'"


def faults_of(
    modes: object,
    only: object,
    by: object,
    among: object,
    not_among: object,
    problems: list[Diagnostic],
) -> Faults | None:
    """Return the selected fault modes; `None` if each candidate is a unit."""
    texts: dict[str, tuple[str, ...]] = {}
    for name, value in (("by", by), ("among", among), ("not_among", not_among)):
        some = value
        if isinstance(value, str):
            # As --by takes several units; an expression holds commas of its own.
            some = [u.strip() for u in value.split(",")] if name == "by" else [value]
        if _is_texts(some):
            texts[name] = tuple(some)
        else:
            problems.append(wrong(name, value, "a string or a list of strings"))
    problems += fits(("only", only, bool, "True or False"))
    given: tuple[FaultMode, ...] = ()
    declared: dict[str, tuple[str, ...]] = {}
    templates: dict[str, Template] = {}
    at_most: dict[str, int] = {}
    if isinstance(modes, Mapping):
        for mode, value in modes.items():
            meant = (value,) if isinstance(value, str) else value
            if isinstance(mode, str) and isinstance(value, Mapping):
                kind, single = TEMPLATE, is_mode(value)
                if single:
                    kind, value = MODE, {**value, "transitions": [*_texts_of(value)]}
                found = [*kind.problems(value, ("faults", mode))]
                if not single and "template" not in value:
                    found.append(KeyProblem(_NO_KIND))
                problems += (
                    Diagnostic("api-argument", each.message, hint=each.hint)
                    for each in found
                )
                if not found and single:
                    declared[mode] = tuple(value["transitions"])
                elif not found:
                    templates[mode] = Template.of(value)
                if not found and "at_most" in value:
                    at_most[mode] = value["at_most"]
                continue
            if not isinstance(mode, str) or not _is_texts(meant):
                problems.append(wrong(f"faults[{mode!r}]", value, "a list of strings"))
            else:
                declared[mode] = tuple(meant)
    elif isinstance(modes, list | tuple) and all(
        isinstance(mode, FaultMode) for mode in modes
    ):
        given = tuple(modes)
    elif modes is not None:
        problems.append(wrong("faults", modes, "a list of FaultMode, or a dict"))
    if problems or not (modes is not None or only or any(texts.values())):
        return None
    return Faults(
        declared,
        bool(only),
        texts["by"],
        texts["among"],
        texts["not_among"],
        given,
        templates=templates,
        at_most=at_most,
    )


def _texts_of(mode: Mapping[str, Any]) -> Sequence[Any]:
    texts = mode["transitions"]
    return texts if isinstance(texts, list | tuple) else (texts,)


def at_most_of(given: object, problems: list[Diagnostic]) -> int | None:
    """Return how many steps of a run may deviate; `None` for no bound."""
    if given is None or AT_MOST.fits(given):
        return cast("int | None", given)
    problems.append(wrong("at_most", given, AT_MOST.expected))
    return None


def named_goals(
    given: object, known: Collection[Action], problems: list[Diagnostic]
) -> tuple[Goal, ...]:
    """Return the goals that must stay possible, from names of actions of E and C.

    Args:
        given: Names of actions, or goals by name.
        known: The known actions; none if a model is wrong.
        problems: The list to which errors are added.
    """
    named: dict[str, tuple[str, ...] | None] = {}
    table = given if isinstance(given, Mapping) else {}
    if _is_texts(given):
        table = {name: name for name in given}
        if COMPLETION in table and COMPLETION not in known:
            table[COMPLETION] = True
    elif not isinstance(given, Mapping):
        problems.append(wrong("progress", given, "a list of actions, or a dict"))
    for name, value in table.items():
        meant = (value,) if isinstance(value, str) else value
        if isinstance(name, str) and name == COMPLETION and value is True:
            named[name] = None
        elif isinstance(name, str) and _is_texts(meant) and meant:
            named[name] = tuple(meant)
        else:
            what = f"progress[{name!r}]"
            problems.append(wrong(what, value, "an action or a list of actions"))
    try:
        return goals_of(named, known) if known else ()
    except SymrobError as error:
        problems += error.diagnostics
        return ()


def _is_texts(value: object) -> TypeGuard[Sequence[str]]:
    return isinstance(value, list | tuple) and all(isinstance(v, str) for v in value)


def fits(*given: tuple[str, object, Any, str]) -> list[Diagnostic]:
    """Return an error for each argument of a wrong type.

    Each argument is given as (name, value, type, description of the expected value).
    """
    return [
        wrong(name, value, expected)
        for name, value, kind, expected in given
        if not isinstance(value, kind)
    ]


def require(*given: tuple[str, object, Any, str]) -> None:
    """Require arguments of the right types; see `fits`.

    Raises:
        SymrobError: Arguments have wrong types; all of them are reported.
    """
    if problems := fits(*given):
        raise SymrobError(problems)


def require_texts(name: str, value: object) -> None:
    """Require a list of strings.

    Raises:
        SymrobError: The value is something else.
    """
    if not _is_texts(value):
        raise SymrobError(wrong(name, value, "a list of strings"))


def wrong(name: str, value: object, expected: str) -> Diagnostic:
    """Return the error for an argument that is not what was expected."""
    left_out = value is None and name == "constraint"
    hint = "omit the argument instead" if left_out else None
    return Diagnostic(
        "api-argument", f"{name}: expected {expected}, not {value!r:.60}", hint=hint
    )
