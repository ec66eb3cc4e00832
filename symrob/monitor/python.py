"""A monitor as a Python class without dependencies.

In:  a `RuntimeMonitor`.
Out: the lines of a module.
"""

from __future__ import annotations

import keyword
from collections.abc import Iterable, Iterator

from symrob.monitor.build import RuntimeMonitor
from symrob.monitor.names import ascii_only, folded


def python_lines(monitor: RuntimeMonitor, name: str) -> Iterator[str]:
    """Yield the lines of a module with one class.

    Args:
        monitor: The monitor.
        name: The name of the class; an identifier.
    """
    if keyword.iskeyword(name) or name in ("Answer", "NamedTuple", "annotations"):
        name += "_"
    yield f"# {ascii_only(f'Runtime monitor: {monitor.title or name}')}"
    yield "# Made by symrob; docs/monitors.md of symrob explains the answers."
    yield from _HEAD.splitlines()
    yield ""
    yield f"class {name}:"
    yield '    """Watches a run; actions that it does not know are ignored."""'
    yield ""
    yield from _tuple("    ACTIONS = (", map(ascii, monitor.actions), ")")
    yield "    _NUMBERS = {action: number for number, action in enumerate(ACTIONS)}"
    for title, machine in (
        ("PLAN", monitor.plan),
        ("DANGER", monitor.danger),
        ("ASSUMPTIONS", monitor.assumptions),
    ):
        yield f"    _{title} = ("
        for row in machine.next:
            yield from _tuple("        (", map(str, row), "),")
        yield "    )"
    yield from _tuple("    _ON_PLAN = (", map(str, monitor.plan.answers), ")")
    yield from _tuple("    _KEPT = (", map(str, monitor.assumptions.answers), ")")
    yield "    _DANGERS = ("
    for answer in monitor.danger.answers:
        actions = [ascii(action) for action in answer.actions]
        yield from _tuple(f"        ({answer.kind!r}, (", actions, ")),")
    yield "    )"
    yield from _BODY.splitlines()


def _tuple(before: str, items: Iterable[str], behind: str) -> Iterator[str]:
    """Yield a tuple; a lone item keeps its comma."""
    parts = list(items)
    ending = "," + behind if len(parts) == 1 else behind
    line = f"{before}{', '.join(parts)}{ending}"
    if len(line) <= _WIDTH:
        yield line
        return
    indent = " " * (len(before) - len(before.lstrip()) + 4)
    yield before
    yield from folded(parts, indent, _WIDTH)
    yield indent[4:] + ending


_WIDTH = 79

_HEAD = '''
from typing import NamedTuple


class Answer(NamedTuple):
    """What the monitor says.

    Attributes:
        deviated_since: Number of the observed action, from 1, that no plan explains;
            None before that.
        danger: "safe", "at risk", "doomed", "violated" or "unmodelled".
        at_risk_by: Where it is "at risk", the actions that lead to doomed or violated.
        assumptions_kept: Whether the assumptions explain what was observed.
    """

    deviated_since: "int | None"
    danger: str
    at_risk_by: "tuple[str, ...]"
    assumptions_kept: bool

'''

_BODY = '''
    def __init__(self):
        self.reset()

    def reset(self):
        """Begin a new run."""
        self._steps = 0
        self._since = None
        self._plan = self._danger = self._assumptions = 0

    def observe(self, action):
        """Take an action that was observed; return the new answer."""
        number = self._NUMBERS.get(action)
        if number is not None:
            self._steps += 1
            self._plan = self._PLAN[self._plan][number]
            self._danger = self._DANGER[self._danger][number]
            self._assumptions = self._ASSUMPTIONS[self._assumptions][number]
            if not (self._since or self._ON_PLAN[self._plan]):
                self._since = self._steps
        return self.answer

    @property
    def answer(self):
        """How the run stands."""
        return Answer(
            self._since,
            *self._DANGERS[self._danger],
            self._KEPT[self._assumptions],
        )
'''
