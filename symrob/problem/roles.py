"""Models in their roles, and monitors.

In:  models from any reader, or from Python.
Out: `Role` and `Monitor`, plain data for the higher layers.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from symrob.logic.patterns import Pattern
from symrob.lts import Action, Lts, Network
from symrob.problem.requirements import Requirement

Model = Lts | Network


@dataclass(frozen=True)
class Role:
    """A model in one of its roles.

    Attributes:
        model: The model.
        name: Its name in messages, such as its file or process.
        sentence: The text of a requirement on states; the model then has no actions.
    """

    model: Model
    name: str
    sentence: Pattern | None = None


GUARD = "GUARD"
"""What a guard beside C is called; with `_` and a number if there are several."""

NO_PROPERTY = "nothing"
"""The property of a part of a problem that has no property."""


class Monitor(NamedTuple):
    """A deterministic safety monitor.

    An action of its alphabet that it does not offer in a state leads to ERROR.

    Attributes:
        name: Its name in messages and traces.
        lts: Deterministic, without `tau`.
        fails_at_start: Whether the empty trace already violates it.
        starts: How many of its first states may be initial.
        requirement: The requirement on states, if it is one; `lts` then has no
            information about it; see `problem.watching`.
        about: The actions of the model that it comes from; `lts` can have more.
    """

    name: str
    lts: Lts
    fails_at_start: bool = False
    starts: int = 1
    requirement: Requirement | None = None
    about: frozenset[Action] = frozenset()
