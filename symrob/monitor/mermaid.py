"""A monitor as a Mermaid diagram: the three automata side by side.

In:  a `RuntimeMonitor`.
Out: the lines of a state diagram.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from typing import Any

from symrob.monitor.build import RuntimeMonitor
from symrob.monitor.danger import Danger
from symrob.monitor.machine import Machine

# What means nothing to Mermaid besides letters and digits, nor here.
_PLAIN = " _.-/[]+=*!?"


def mermaid_lines(monitor: RuntimeMonitor, name: str) -> Iterator[str]:
    """Yield the lines of a state diagram.

    Args:
        monitor: The monitor.
        name: Its name if it has no title.
    """
    yield "stateDiagram-v2"
    yield f"    %% Runtime monitor: {_label(monitor.title or name)}"
    plan = [
        f"on plan: {_label(known)}" if on else "deviated"
        for on, known in zip(monitor.plan.answers, monitor.plan.names, strict=True)
    ]
    danger = [_danger(answer) for answer in monitor.danger.answers]
    kept = ["kept" if kept else "broken" for kept in monitor.assumptions.answers]
    yield from _region("Plan", monitor.plan, plan)
    yield from _region("Danger", monitor.danger, danger)
    yield from _region("Assumptions", monitor.assumptions, kept)


def _region(title: str, machine: Machine[Any], labels: list[str]) -> Iterator[str]:
    """Yield one machine; what leaves a state as it is stands in no line."""
    yield f"    state {title} {{"
    for state, label in enumerate(labels):
        yield f'        state "{label}" as {title}_{state}'
    yield f"        [*] --> {title}_0"
    for state, row in enumerate(machine.next):
        moves = sorted(
            (target, column) for column, target in enumerate(row) if target != state
        )
        for target, columns in groupby(moves, key=lambda move: move[0]):
            actions = ", ".join(_label(machine.actions[c]) for _, c in columns)
            yield f"        {title}_{state} --> {title}_{target} : {actions}"
    yield "    }"


def _danger(answer: Danger) -> str:
    actions = ", ".join(map(_label, answer.actions))
    return f"{answer.kind} by {actions}" if actions else answer.kind


def _label(text: str) -> str:
    """Return a text in which all that could mean something to Mermaid is escaped.

    Its own escapes are not read back in state diagrams: `(U+3C)` stands for `<`.
    """
    return "".join(
        c if c.isascii() and (c.isalnum() or c in _PLAIN) else f"(U+{ord(c):X})"
        for c in text
    )
