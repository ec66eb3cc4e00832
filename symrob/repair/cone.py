"""The cone of influence: the parts of a plant that can influence a violation.

In:  the deterministic components that run together, and the monitors beside them.
Out: the relevant ones.

A part that can fail is relevant, and so is a component that can block an action by
which a relevant part moves. The others neither fail nor block: whatever the relevant
parts do by themselves they can do beside the others, and vice versa.
"""

from __future__ import annotations

from collections.abc import Sequence

from symrob.lts import ERROR, Action, Lts


def relevant(components: Sequence[Lts], monitors: Sequence[Lts]) -> frozenset[int]:
    """Return the relevant parts: the components by index, then the monitors.

    Args:
        components: Deterministic; they block the actions that they do not offer.
        monitors: Deterministic; they fail on actions that they do not offer.

    Cost: linear in the states, the alphabets and the square of the parts.
    """
    blocked = [_blocked(lts) for lts in components]
    failing = [_failing(lts) for lts in components]
    failing += [_failing(lts) | _blocked(lts) for lts in monitors]
    moving = [_moving(lts) for lts in (*components, *monitors)]
    todo = [part for part, actions in enumerate(failing) if actions]
    found = set(todo)
    # Ends: a part comes once.
    for part in todo:
        decisive = moving[part] | failing[part]
        new = {i for i, actions in enumerate(blocked) if actions & decisive} - found
        todo += sorted(new)
        found |= new
    return frozenset(found)


def _blocked(lts: Lts) -> set[Action]:
    """The actions that some state does not offer."""
    return {a for row in lts.successors for a in lts.alphabet if a not in row}


def _failing(lts: Lts) -> set[Action]:
    """The actions that can lead to ERROR."""
    return {action for _, action, target in lts.transitions if target == ERROR}


def _moving(lts: Lts) -> set[Action]:
    """The actions that can change the state."""
    return {action for source, action, target in lts.transitions if source != target}
