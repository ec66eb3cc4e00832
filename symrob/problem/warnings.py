"""Warnings about a problem: valid input that may be a mistake.

In:  models in their roles.
Out: warnings: actions that only one model has, and monitors that cannot be violated.

A misspelled action becomes two actions that no models share, and the answer changes
silently; so every action that only one model has gives a warning, unless it is declared
as intended.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet

from symrob.errors import Diagnostic, known_or_near
from symrob.lts import ERROR, Action
from symrob.problem.roles import NO_PROPERTY, Model, Monitor, Role
from symrob.words import fits

# How alike two names are, from 0 to 1, of which one may be a slip of the other.
_ALIKE = 0.75
# This many names are compared with all others, and this many are listed.
_MOST = 8

EMPTY = ("problem-property-alphabet", "problem-vacuous-property")
"""Codes of warnings that mean that a property holds easily, or trivially."""


Roles = Sequence[Role]


def alphabet_doubts(
    environment: Role,
    controller: Role,
    properties: Roles,
    constraints: Roles,
    one_sided: Sequence[str] = (),
) -> Iterator[Diagnostic]:
    """Yield a warning for the actions that only one model has.

    Models are the components of E and of C, the properties and the constraints. An
    action that two components of C share is internal to C and gives no warning, nor
    does one that a property watches. An action that only a property has always gives a
    warning.

    Args:
        environment: E.
        controller: C.
        properties: What must hold of E_d‖C.
        constraints: What must hold of E_d alone.
        one_sided: Patterns of actions of E or C that intentionally belong to one model;
            `*` stands for any text.

    Cost: linear in the alphabets; a few names are compared with all others.
    """
    owners: dict[Action, list[Role]] = {}
    for role in (environment, controller, *properties, *constraints):
        for component in role.model.components:
            for action in component.alphabet:
                if action not in role.model.hidden:
                    owners.setdefault(action, []).append(role)
    for pattern in one_sided:
        if all(not is_meant(action, [pattern]) for action in owners):
            yield _warning(
                "case-one-sided",
                f"one_sided: no model has an action '{pattern}'",
                known_or_near(pattern, sorted(owners), "the actions"),
            )
    own = set(environment.model.alphabet) | set(controller.model.alphabet)
    for role in properties:
        yield from _never_happening(role, set(role.model.alphabet) - own, own)
    for role, what in (
        (environment, "no other model reacts to them"),
        (controller, "C performs them alone and no monitor observes them"),
    ):
        alone = [a for a in role.model.alphabet if owners[a] == [role]]
        alone = [a for a in alone if not is_meant(a, one_sided)]
        others = {
            a: other.name
            for a, having in owners.items()
            for other in reversed(having)
            if other is not role
        }
        slips = dict(_slips(alone[:_MOST], others))
        for action, other in slips.items():
            yield _warning(
                "problem-one-sided",
                f"only {role.name} has the action '{action}'",
                f"did you mean '{other}', as in {others[other]}?",
            )
        rest = [a for a in alone if a not in slips]
        if rest:
            hint = "list the intended ones in 'one_sided' of the case file"
            if role is environment and own == set(role.model.alphabet):
                hint += "; are E and C swapped? C has no action that E lacks"
            yield _warning(
                "problem-one-sided",
                f"only {role.name} has these actions, so {what}: {listed(rest)}",
                hint,
            )


def is_meant(action: Action, one_sided: Iterable[str]) -> bool:
    """Whether an action is declared to belong to E or C alone."""
    return any(fits(pattern, action) for pattern in one_sided)


def _never_happening(
    role: Role, foreign: AbstractSet[Action], happening: AbstractSet[Action]
) -> Iterator[Diagnostic]:
    """Tell the actions of a property that neither E nor C has."""
    if not foreign:
        return
    slips = _slips(sorted(foreign)[:_MOST], happening)
    meant = ", ".join(f"'{other}' for '{action}'" for action, other in slips)
    yield _warning(
        "problem-property-alphabet",
        f"property {role.name} refers to actions that neither E nor C has; they "
        f"never happen: {listed(foreign)}",
        f"did you mean {meant}?" if meant else None,
    )


def _slips(
    actions: Iterable[Action], others: Iterable[Action]
) -> Iterator[tuple[Action, Action]]:
    """Yield each action with the other that it may be a slip of.

    Names that differ in numbers only, such as `line.1.stop` and `line.2.stop`, are
    no slips of each other.
    """
    from difflib import get_close_matches  # Only mistakes need it.

    plain = {other.lower(): other for other in sorted(others)}
    for action in actions:
        word = action.lower()
        for close in get_close_matches(word, list(plain), cutoff=_ALIKE):
            if re.sub(r"\d+", "", close) != re.sub(r"\d+", "", word):
                yield action, plain[close]
                break
            if close == word:
                yield action, plain[close]
                break


def monitor_doubts(
    kind: str, monitors: Sequence[Monitor], possible: AbstractSet[Action]
) -> Iterator[Diagnostic]:
    """Yield a warning for each monitor that cannot be violated.

    Args:
        kind: Kind of the monitors, for messages.
        monitors: Deterministic monitors.
        possible: The actions that can occur, as far as is known.

    Cost: linear in the monitors.
    """
    word = "assumption" if kind == "constraint" else kind
    for monitor in vacuous(monitors, possible):
        never = sorted(set(monitor.lts.alphabet) - possible)
        why = f"these actions cannot happen: {listed(never)}" if never else ""
        yield _warning(
            f"problem-vacuous-{kind}",
            f"{word} {monitor.name} cannot be violated: "
            f"{why or 'it allows every possible trace'}",
        )


def vacuous(
    monitors: Iterable[Monitor], possible: AbstractSet[Action]
) -> list[Monitor]:
    """Return the monitors that no sequence of possible actions violates."""
    return [
        monitor
        for monitor in monitors
        if monitor.name != NO_PROPERTY and not _can_fail(monitor, possible)
    ]


def possible_actions(alphabet: Iterable[Action], controller: Model) -> set[Action]:
    """Return the actions without those that a component of C has but never takes.

    E may take any of its actions in any state; C is unchanged.
    """
    never = {a for c in controller.components for a in c.unused_actions}
    return set(alphabet) - (never - controller.hidden)


def _can_fail(monitor: Monitor, possible: AbstractSet[Action]) -> bool:
    """Whether some sequence of possible actions leads the monitor to ERROR."""
    if monitor.fails_at_start:
        return True
    actions = [a for a in monitor.lts.alphabet if a in possible]
    seen, todo = {0}, [0]
    while todo:
        moves = monitor.lts.successors[todo.pop()]
        for action in actions:
            (target,) = moves.get(action, (ERROR,))
            if target == ERROR:
                return True
            if target not in seen:
                seen.add(target)
                todo.append(target)
    return False


def listed(actions: Iterable[Action], most: int = _MOST) -> str:
    """Return names on one line; of many names, only the first."""
    names = sorted(actions)
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more


def _warning(code: str, message: str, hint: str | None = None) -> Diagnostic:
    return Diagnostic(code, message, severity="warning", hint=hint)
