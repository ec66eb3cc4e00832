"""The simulation preorder on monitor states, and the quotient by it.

In:  a `DeterminisedMonitor`.
Out: for each of its states those that simulate it; `condense` replaces the monitor by
     its quotient, without states that never fail.

A state that simulates another fails on every sequence of actions on which the other
fails: it is the worse of the two. For deterministic states the greatest simulation is
exactly this relation, and states that simulate each other are one state of the minimal
deterministic monitor; otherwise it is a part of it, and merging is still correct.
States that never fail can be dropped.

Source: docs/mathematics.md, 3 and 4.
"""

from __future__ import annotations

from collections.abc import Sequence

from symrob.envelope import tuning
from symrob.envelope.determinised import FAILED, DeterminisedMonitor, MonitorStates
from symrob.envelope.monitors import AnyMonitor, SymbolicMonitor
from symrob.envelope.product_monitor import ProductMonitor, product_table, with_counters
from symrob.envelope.weak_quotient import weak_quotient
from symrob.limits import Clock
from symrob.lts import TAU, Action
from symrob.lts.masks import bits


def lean_monitor(
    monitors: Sequence[AnyMonitor], actions: Sequence[Action], clock: Clock
) -> DeterminisedMonitor:
    """Return some monitors in the smallest form that is found, condensed.

    Args and cost as for `smallest_form` and `condense`.
    """
    form = smallest_form(monitors, actions, clock)
    if condense(form, actions, tuning.MERGED_STATES, clock):
        return form
    # Worth a table of C‖P that would be too large to be tried at first.
    tables = [_tabled(m, tuning.PRODUCT_STATES, clock) for m in monitors]
    larger = [_tabled(m, tuning.LARGE_PRODUCT_STATES, clock) for m in tables]
    if larger != tables:
        form = _smallest(larger, actions, clock)
        condense(form, actions, tuning.MERGED_STATES, clock)
    return form


def smallest_form(
    monitors: Sequence[AnyMonitor], actions: Sequence[Action], clock: Clock
) -> DeterminisedMonitor:
    """Return some monitors determinised, or C‖P state by state if that is smaller.

    The latter can be smaller if C branches: determinised, there can be a state for each
    set of its states.

    Args:
        monitors: The monitors.
        actions: The actions of E, including `tau` if it has any.
        clock: Checked at intervals.

    Cost: nothing if C does not branch. Else `tuning.MERGED_STATES` determinised states;
        if there are more, a table of C‖P, up to `tuning.PRODUCT_STATES` states, its
        quotient, and as many determinised states as that has.
    """
    if any(isinstance(m, SymbolicMonitor) and m.branches for m in monitors):
        direct = DeterminisedMonitor(monitors, actions)
        visible = [a for a in actions if a != TAU]
        if explore(direct, visible, tuning.MERGED_STATES, clock):
            return direct
    tables = [_tabled(m, tuning.PRODUCT_STATES, clock) for m in monitors]
    return _smallest(tables, actions, clock)


def _smallest(
    tables: Sequence[AnyMonitor], actions: Sequence[Action], clock: Clock
) -> DeterminisedMonitor:
    """The monitors determinised, those that are tables by state if these are fewer."""
    determinised = DeterminisedMonitor(tables, actions)
    own = [table for table in tables if isinstance(table, ProductMonitor)]
    most = max(tuning.MERGED_STATES, sum(map(len, own)))
    visible = [a for a in actions if a != TAU]
    if not own or explore(determinised, visible, most, clock):
        return determinised
    apart = [t.told_apart() if isinstance(t, ProductMonitor) else t for t in tables]
    return DeterminisedMonitor(apart, actions)


def _tabled(monitor: AnyMonitor, most: int, clock: Clock) -> AnyMonitor:
    """A monitor as a table of classes, where C branches and C‖P has few states."""
    if not isinstance(monitor, SymbolicMonitor) or not monitor.branches:
        return monitor
    if most not in monitor.tables:
        table = product_table(monitor.system, most, clock)
        form = None
        if table is not None:
            classes = weak_quotient(table, clock)
            form = ProductMonitor(with_counters(classes, monitor.system))
        monitor.tables[most] = form
    return monitor.tables[most] or monitor


def condense(
    determinised: DeterminisedMonitor,
    actions: Sequence[Action],
    most: int,
    clock: Clock,
) -> bool:
    """Merge equivalent monitor states, and drop those that never fail.

    The safety of deviations does not change; fewer monitor states are reached. Call it
    before any other query.

    Args:
        determinised: The monitor states.
        actions: The actions that they can take.
        most: Leave the monitor states unchanged if there are more.
        clock: Checked at intervals.

    Returns:
        Whether there were few enough.

    Cost: all steps of all monitor states, up to the bound, and see `simulating_states`.
    """
    visible = [a for a in actions if a != TAU]
    if not explore(determinised, visible, most, clock):
        return False
    worse = simulating_states(determinised, visible, clock)
    same = [
        next(q for q in bits(those) if worse[q] >> monitor_state & 1)
        for monitor_state, those in enumerate(worse)
    ]
    determinised.merge(same, harmful_states(determinised, visible))
    return True


def explore(
    determinised: DeterminisedMonitor,
    actions: Sequence[Action],
    most: int,
    clock: Clock,
) -> bool:
    """Compute all steps of all monitor states; false if there are more than `most`.

    Cost: a step for each monitor state and action.
    """
    monitor_state = 0
    while monitor_state < len(determinised):
        clock.check()
        if len(determinised) > most:
            return False
        for action in actions:
            determinised.step(monitor_state, action)
        monitor_state += 1
    return True


def simulating_states(
    determinised: DeterminisedMonitor, actions: Sequence[Action], clock: Clock
) -> list[MonitorStates]:
    """Return for each monitor state the worse ones, including itself.

    A greatest fixpoint. It starts with all pairs of monitor states, and removes those
    that an action distinguishes, until there are none: then the rest is a simulation,
    and, the monitor states being deterministic, the complete order. Ends, since sets
    only shrink.

    Args:
        determinised: The monitor states, explored.
        actions: The actions that they can take.
        clock: Checked each round.

    Cost: a pre-image for each monitor state and action in each round; there are at most
        as many rounds as pairs of monitor states, and few in practice.
    """
    # Steps to monitor states that never fail tell nothing apart.
    harmful = harmful_states(determinised, actions)
    everything = (1 << len(determinised)) - 1
    worse = [everything] * len(determinised)
    changed = True
    while changed:
        changed = False
        clock.check()
        for monitor_state, known in enumerate(worse):
            left = known
            for action in actions:
                after = determinised.step(monitor_state, action)
                if after == FAILED:
                    left &= determinised.failing(action)
                else:
                    fails = determinised.failing(action)
                    for target in bits(after & harmful):
                        left &= fails | determinised.before(worse[target], action)
            if left != known:
                worse[monitor_state] = left
                changed = True
    return worse


def harmful_states(
    determinised: DeterminisedMonitor, actions: Sequence[Action]
) -> MonitorStates:
    """Return the monitor states from which some sequence of actions fails.

    Cost: a pre-image for each action in each round; as many rounds as the
        longest of the shortest such sequences.
    """
    found = 0
    for action in actions:
        found |= determinised.failing(action)
    fresh = found
    while fresh:
        reached = 0
        for action in actions:
            reached |= determinised.before(fresh, action)
        fresh = reached & ~found
        found |= fresh
    return found
