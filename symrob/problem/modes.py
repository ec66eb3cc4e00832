"""Fault modes: named changes of the environment, used as units of an analysis.

In:  transitions of E, or of the components that E is composed of.
Out: `FaultMode`, plain data for the higher layers.

A mode that changes a component holds the transitions that the component gets. If
several components share an action, a step by it requires that each of them can take it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from symrob.lts import Action, StateId, Transition
from symrob.words import Identity


class LocalTransition(NamedTuple):
    """A transition of a component of E: `component: source --action--> target`.

    Attributes:
        component: Index of the component in the network.
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
    """A named change of E: the transitions that E gets in addition to R_E.

    Attributes:
        name: Its name.
        transitions: Transitions of E; those of R_E among them change nothing.
        local: Transitions of components of E; planned ones among them change nothing.
        at_most: Maximum number of steps of a run that may use them; `None` for no
            bound.
        identity: Its identifier in other documents, such as a row of an FMEA.
    """

    name: str
    transitions: frozenset[Transition] = frozenset()
    local: frozenset[LocalTransition] = frozenset()
    at_most: int | None = None
    identity: Identity | None = field(default=None, compare=False)

    @property
    def called(self) -> str:
        """Its name, followed by its identifier."""
        return identified(self.name, self.identity)


def identified(name: str, identity: Identity | None) -> str:
    """Return a name, followed by its identifier."""
    return name if identity is None else f"{name} [{identity.id}]"
