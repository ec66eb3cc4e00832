"""Fault modes: named changes of the environment, the units of an analysis.

In:  transitions of E, or of the components that E is composed of.
Out: `FaultMode`: plain data that the rooms above speak of.

A mode that changes a component holds what the component gets; where several components
share an action, a step by it needs that each of them can take it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from symrob.lts import Action, StateId, Transition
from symrob.words import Identity


class LocalTransition(NamedTuple):
    """A transition of a component of E: `component: source --action--> target`.

    Attributes:
        component: Its place in the network.
        source: A state of the component.
        action: An action as the network shares it, before hiding.
        target: A state of the component.
    """

    component: int
    source: StateId
    action: Action
    target: StateId


@dataclass(frozen=True)
class FaultMode:
    """A named change of E: what it may do besides R_E if the mode is possible.

    Attributes:
        name: What people call it.
        transitions: Of E; those of R_E among them change nothing.
        local: Of components of E, likewise.
        at_most: How many steps of a run may use them; `None` for any number.
        identity: What people call it elsewhere, such as a row of an FMEA.
    """

    name: str
    transitions: frozenset[Transition] = frozenset()
    local: frozenset[LocalTransition] = frozenset()
    at_most: int | None = None
    identity: Identity | None = field(default=None, compare=False)

    @property
    def called(self) -> str:
        """Its name, with its identifier behind it."""
        return identified(self.name, self.identity)


def identified(name: str, identity: Identity | None) -> str:
    """Return a name with the identifier of what it names behind it."""
    return name if identity is None else f"{name} [{identity.id}]"
