"""The tables of a monitor, for languages without nested lists.

In:  a `RuntimeMonitor`.
Out: `MonitorTables`: flat rows of numbers.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from symrob.monitor.build import RuntimeMonitor
from symrob.monitor.danger import KINDS
from symrob.monitor.machine import Machine


@dataclass(frozen=True)
class MonitorTables:
    """The tables in a program; entries have the index `state * actions + action`.

    Attributes:
        next: By the name of the automaton, the next states.
        on_plan: For each state of the plan automaton whether it is on the plan.
        kept: For each state of the assumptions automaton whether they are satisfied.
        danger: For each state of the danger automaton the number of its kind.
        risk: For each state of the danger automaton and each action whether it is at
            risk by it.
    """

    next: dict[str, list[int]]
    on_plan: list[int]
    kept: list[int]
    danger: list[int]
    risk: list[int]


def tables(monitor: RuntimeMonitor) -> MonitorTables:
    """Return the tables of a monitor."""
    machines: dict[str, Machine[Any]] = {
        "plan": monitor.plan,
        "danger": monitor.danger,
        "assumptions": monitor.assumptions,
    }
    return MonitorTables(
        {name: [t for row in m.next for t in row] for name, m in machines.items()},
        [int(answer) for answer in monitor.plan.answers],
        [int(answer) for answer in monitor.assumptions.answers],
        [KINDS.index(answer.kind) for answer in monitor.danger.answers],
        [
            int(action in answer.actions)
            for answer in monitor.danger.answers
            for action in monitor.actions
        ],
    )
