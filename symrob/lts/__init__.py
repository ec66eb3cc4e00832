"""Labelled transition systems, the types that every room speaks.

In:  states, actions and transitions.
Out: `Lts`, `Network`, `Deviation`; products, subset constructions, quotients, searches.

Imports only what stands below: errors, limits, traces. Every room may import it.
"""

from symrob.lts.model import (
    ERROR,
    TAU,
    Action,
    Lts,
    Network,
    Parts,
    StateId,
    Transition,
)
