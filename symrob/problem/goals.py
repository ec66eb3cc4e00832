"""Goals: what must stay possible, so that safe does not mean stuck.

In:  what a case, a model or a user of Python names.
Out: `Goal`, in actions of E and C.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from symrob.errors import Diagnostic, SymrobError, did_you_mean
from symrob.lts import Action
from symrob.words import fits

COMPLETION = "completion"
"""The goal that the plan ends, by its name."""


class Goal(NamedTuple):
    """What must stay possible: one of some actions, or that the plan ends.

    Attributes:
        name: What it is called.
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
    """Return the goals that somebody names.

    Args:
        named: What is named.
        known: The actions of E and C.
        at: Adds to a problem the place of a goal, by its name.

    Raises:
        SymrobError: An action is not known; all of them.
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
