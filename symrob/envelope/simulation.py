"""Which monitor_states are worse than others.

In:  a `DeterminisedMonitor`.
Out: for each of its monitor_states those that are worse, and those that can do harm;
     `condense` has the space do without the others.

A monitor_state is worse than another if it fails on every sequence of actions on which
the other fails. Among deterministic monitor_states that is the greatest simulation.
MonitorStates that are worse than each other are one state of the minimal deterministic
monitor; those that never fail are no danger at all.

Source: design.md, Sect. 3.6 and 3.7.
"""

from __future__ import annotations

from collections.abc import Sequence

from symrob.envelope.determinised import FAILED, DeterminisedMonitor, MonitorStates
from symrob.envelope.transitions import bits
from symrob.limits import Clock
from symrob.lts import TAU, Action


def condense(
    space: DeterminisedMonitor, actions: Sequence[Action], most: int, clock: Clock
) -> None:
    """Let one monitor_state stand for all that are the same, and drop those that never fail.

    Whether a deviation is safe stays the same; the monitor_states that are met become
    fewer. To be called before anything else is asked of the monitor_states.

    Args:
        space: The monitor_states.
        actions: The actions that they can take.
        most: Leave the monitor_states as they are if there are more.
        clock: Asked now and then whether the run may go on.

    Cost: all steps of all monitor_states, up to the bound, and see `simulating_states`.
    """
    visible = [a for a in actions if a != TAU]
    if not explore(space, visible, most, clock):
        return
    worse = simulating_states(space, visible, clock)
    same = [
        next(q for q in bits(those) if worse[q] >> monitor_state & 1)
        for monitor_state, those in enumerate(worse)
    ]
    space.merge(same, harmful_states(space, visible))


def explore(
    space: DeterminisedMonitor, actions: Sequence[Action], most: int, clock: Clock
) -> bool:
    """Take all steps of all monitor_states; False if there are more than `most` monitor_states.

    Cost: a step for each monitor_state and action.
    """
    monitor_state = 0
    while monitor_state < len(space):
        clock.check()
        if len(space) > most:
            return False
        for action in actions:
            space.step(monitor_state, action)
        monitor_state += 1
    return True


def simulating_states(
    space: DeterminisedMonitor, actions: Sequence[Action], clock: Clock
) -> list[MonitorStates]:
    """Return for each monitor_state those that are worse, itself among them.

    A greatest fixpoint. It starts with all monitor_states being worse than all, and
    takes out what an action tells apart, until nothing does: then what is left
    is a simulation, and the monitor_states being deterministic, it is all of the order.
    Ends, since sets only shrink.

    Args:
        space: The monitor_states, explored.
        actions: The actions that they can take.
        clock: Asked once a round whether the run may go on.

    Cost: a pre-image for each monitor_state and action in each round; there are at most
        as many rounds as pairs of monitor_states, and few in practice.
    """
    # Steps to monitor_states that never fail tell nothing apart.
    harmful = harmful_states(space, actions)
    everything = (1 << len(space)) - 1
    worse = [everything] * len(space)
    changed = True
    while changed:
        changed = False
        clock.check()
        for monitor_state, known in enumerate(worse):
            left = known
            for action in actions:
                after = space.step(monitor_state, action)
                if after == FAILED:
                    left &= space.failing(action)
                elif after & harmful:
                    following = worse[after.bit_length() - 1]
                    left &= space.failing(action) | space.before(following, action)
            if left != known:
                worse[monitor_state] = left
                changed = True
    return worse


def harmful_states(
    space: DeterminisedMonitor, actions: Sequence[Action]
) -> MonitorStates:
    """Return the monitor_states from which some sequence of actions fails.

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
