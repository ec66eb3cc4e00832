"""Goals: what must stay possible, so that a safe system is not merely stuck.

In:  the goals named in a case, a model or Python.
Out: `Goal`, in actions of E and C.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from symrob.errors import Diagnostic, SymrobError, did_you_mean
from symrob.lts import Action
from symrob.words import fits

COMPLETION = "completion"
"""The name of the goal that the plan can end."""


class Goal(NamedTuple):
    """What must stay possible: one of some actions, or the end of the plan.

    Attributes:
        name: Name of the goal.
        actions: The actions, sorted; none for the end of the plan.
    """

    name: str
    actions: tuple[Action, ...]


# By its name: actions, with `*` for any text; None for the end of the plan.
NamedGoals = Mapping[str, tuple[str, ...] | None]


def goals_of(
    named: NamedGoals,
    known: Iterable[Action],
    at: Callable[[str, Diagnostic], Diagnostic] = lambda _name, problem: problem,
) -> tuple[Goal, ...]:
    """Return the goals that the user names.

    Args:
        named: The names.
        known: The actions of E and C.
        at: Adds the location of a goal, given by name, to a diagnostic.

    Raises:
        SymrobError: Actions are unknown; all of them are reported.
    """
    actions = sorted({*known})
    problems: list[Diagnostic] = []
    found = []
    for name, wanted in named.items():
        meant: set[Action] = set()
        for text in wanted or ():
            some = [a for a in actions if fits(text, a)]
            meant.update(some)
            if not some:
                message = f"goal '{name:.60}': unknown action '{text:.60}' of E and C"
                hint = did_you_mean(text, actions)
                problem = Diagnostic("progress-action", message, hint=hint)
                problems.append(at(name, problem))
        found.append(Goal(name, tuple(sorted(meant))))
    if problems:
        raise SymrobError(problems)
    return tuple(found)
