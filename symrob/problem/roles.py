"""What plays a part in a problem: models in their roles, and monitors.

In:  models from any reader, or from Python.
Out: `Role`, `Monitor`: plain data that the rooms above speak of.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from symrob.logic.patterns import Pattern
from symrob.lts import Lts, Network
from symrob.problem.requirements import Requirement

Model = Lts | Network


@dataclass(frozen=True)
class Role:
    """A model in one of its roles.

    Attributes:
        model: The model.
        name: What messages call it, such as its file or process.
        sentence: Where it is a requirement on states, what was written; the model then
            has no actions.
    """

    model: Model
    name: str
    sentence: Pattern | None = None


NO_PROPERTY = "nothing"
"""The property of a part of a problem that no property watches."""


class Monitor(NamedTuple):
    """A deterministic safety monitor.

    An action of its alphabet that it does not offer in a state leads to ERROR.

    Attributes:
        name: For messages and traces.
        lts: Deterministic, without `tau`.
        fails_at_start: Whether the empty trace violates it already.
        starts: How many of its first states may be the initial one.
        requirement: Where it is one on states, which the system then knows nothing of;
            see `problem.watching`.
    """

    name: str
    lts: Lts
    fails_at_start: bool = False
    starts: int = 1
    requirement: Requirement | None = None
