"""Which points are worse than others.

In:  a `PointSpace`.
Out: for each of its points those that are worse, and those that can do harm;
     `condense` has the space do without the others.

A point is worse than another if it fails on every sequence of actions on which
the other fails. Among deterministic points that is the greatest simulation.
Points that are worse than each other are one state of the minimal deterministic
monitor; those that never fail are no danger at all.

Source: design.md, Sect. 3.6 and 3.7.
"""

from __future__ import annotations

from collections.abc import Sequence

from symrob.envelope.determinised import FAILED, Points, PointSpace
from symrob.envelope.transitions import bits
from symrob.limits import Clock
from symrob.lts import TAU, Action


def condense(
    space: PointSpace, actions: Sequence[Action], most: int, clock: Clock
) -> None:
    """Let one point stand for all that are the same, and drop those that never fail.

    Whether a deviation is safe stays the same; the points that are met become
    fewer. To be called before anything else is asked of the points.

    Args:
        space: The points.
        actions: The actions that they can take.
        most: Leave the points as they are if there are more.
        clock: Asked now and then whether the run may go on.

    Cost: all steps of all points, up to the bound, and see `worse_points`.
    """
    visible = [a for a in actions if a != TAU]
    if not explore(space, visible, most, clock):
        return
    worse = worse_points(space, visible, clock)
    same = [
        next(q for q in bits(those) if worse[q] >> point & 1)
        for point, those in enumerate(worse)
    ]
    space.merge(same, harmful_points(space, visible))


def explore(
    space: PointSpace, actions: Sequence[Action], most: int, clock: Clock
) -> bool:
    """Take all steps of all points; False if there are more than `most` points.

    Cost: a step for each point and action.
    """
    point = 0
    while point < len(space):
        clock.check()
        if len(space) > most:
            return False
        for action in actions:
            space.step(point, action)
        point += 1
    return True


def worse_points(
    space: PointSpace, actions: Sequence[Action], clock: Clock
) -> list[Points]:
    """Return for each point those that are worse, itself among them.

    A greatest fixpoint. It starts with all points being worse than all, and
    takes out what an action tells apart, until nothing does: then what is left
    is a simulation, and the points being deterministic, it is all of the order.
    Ends, since sets only shrink.

    Args:
        space: The points, explored.
        actions: The actions that they can take.
        clock: Asked once a round whether the run may go on.

    Cost: a pre-image for each point and action in each round; there are at most
        as many rounds as pairs of points, and few in practice.
    """
    # Steps to points that never fail tell nothing apart.
    harmful = harmful_points(space, actions)
    everything = (1 << len(space)) - 1
    worse = [everything] * len(space)
    changed = True
    while changed:
        changed = False
        clock.check()
        for point, known in enumerate(worse):
            left = known
            for action in actions:
                after = space.step(point, action)
                if after == FAILED:
                    left &= space.failing(action)
                elif after & harmful:
                    following = worse[after.bit_length() - 1]
                    left &= space.failing(action) | space.before(following, action)
            if left != known:
                worse[point] = left
                changed = True
    return worse


def harmful_points(space: PointSpace, actions: Sequence[Action]) -> Points:
    """Return the points from which some sequence of actions fails.

    Cost: a pre-image for each action in each round; as many rounds as the
        longest of the shortest such sequences.
    """
    found = 0
    for action in actions:
        found |= space.failing(action)
    fresh = found
    while fresh:
        reached = 0
        for action in actions:
            reached |= space.before(fresh, action)
        fresh = reached & ~found
        found |= fresh
    return found
