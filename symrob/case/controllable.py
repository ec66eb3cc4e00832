"""The actions of C that may be disabled, by the case and the user's options.

In:  `controllable` and `uncontrollable` of a case file, `--disable`, `--not-disable`.
Out: the actions; whether they are only assumed; every problem of the names.

    controllable = ["fire*", "beamReady"]   # the machine decides when uncontrollable =
    ["rotate"]             # the turntable turns by itself

With `controllable`, only these may be disabled; with `uncontrollable` alone, all except
these. An action in both may not: so a pattern can have exceptions. Without either, the
actions of C in which E does not take part may be disabled, as an assumption.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from symrob.errors import Diagnostic, SymrobError, did_you_mean
from symrob.lts import Action
from symrob.problem import Problem
from symrob.problem.warnings import is_meant


class Controllable(NamedTuple):
    """The actions that may be disabled.

    Attributes:
        actions: Actions of C.
        assumed: Whether they are only assumed.
    """

    actions: frozenset[Action]
    assumed: bool


def controllable_actions(
    problem: Problem,
    controllable: Sequence[str] | None,
    uncontrollable: Sequence[str] | None,
    *,
    disable: Iterable[str] = (),
    not_disable: Iterable[str] = (),
    file: str | None = None,
) -> Controllable:
    """Return the actions of C that may be disabled.

    Args:
        problem: The models.
        controllable: Names of the case, with `*` for any text; `None` without any.
        uncontrollable: Names of the case, with `*` for any text; `None` without any.
        disable: What the user adds.
        not_disable: What the user excludes; takes precedence over all others.
        file: The case file, for messages.

    Raises:
        SymrobError: Names match no action of C; all of them are reported.
    """
    actions = problem.controller.alphabet
    problems = [
        *_unknown("controllable", controllable or (), problem, file),
        *_unknown("uncontrollable", uncontrollable or (), problem, file),
        *_unknown("--disable", disable, problem),
        *_unknown("--not-disable", not_disable, problem),
    ]
    if problems:
        raise SymrobError(problems)
    said = controllable is not None or uncontrollable is not None
    shared = {*problem.environment.alphabet}
    chosen = {a for a in actions if said or a not in shared}
    if controllable is not None:
        chosen = _fitting(chosen, controllable)
    chosen -= _fitting(chosen, uncontrollable or ())
    chosen |= _fitting(actions, disable)
    chosen -= _fitting(actions, not_disable)
    return Controllable(frozenset(chosen), not said)


def _fitting(actions: Iterable[Action], patterns: Iterable[str]) -> set[Action]:
    some = list(patterns)
    return {a for a in actions if is_meant(a, some)}


def _unknown(
    where: str, patterns: Iterable[str], problem: Problem, file: str | None = None
) -> Iterator[Diagnostic]:
    """A problem for each name that is none of an action of C."""
    actions = problem.controller.alphabet
    for pattern in patterns:
        if _fitting(actions, (pattern,)):
            continue
        message = f"{where}: C has no action '{pattern:.60}'"
        hint = did_you_mean(pattern, actions)
        if pattern in problem.environment.alphabet:
            hint = "E performs it alone, so C cannot disable it"
        yield Diagnostic("repair-action", message, file=file, hint=hint)
