"""Explicit files of PRISM (`.tra`, with `.sta` and `.lab`), for writing only.

In:  a system, such as a closed loop.
Out: a Markov decision process without probabilistic branching: each transition is a
     choice of its source that leads to its target with probability 1.

ERROR is the last state, without choices. The labels are `init`, `deadlock`, `error` and
`end`. The only variable, `s`, is the number of the state.

Sources: docs/sources.md [PRISM].
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from symrob.formats.registry import Format
from symrob.formats.text import Holds
from symrob.lts import ERROR, TAU, Lts


def _transitions(lts: Lts) -> Iterator[str]:
    number = len(lts.transitions)
    yield f"{_size(lts)} {number} {number}"
    for source, row in enumerate(lts.successors):
        choice = 0
        for action in sorted(row):
            for target in row[action]:
                there = lts.size if target == ERROR else target
                label = "" if action == TAU else f" {action}"
                yield f"{source} {choice} {there} 1{label}"
                choice += 1


def _states(lts: Lts) -> Iterator[str]:
    yield "(s)"
    for state in range(_size(lts)):
        yield f"{state}:({state})"


def _labels(lts: Lts) -> Iterator[str]:
    yield '0="init" 1="deadlock" 2="error" 3="end"'
    for state in range(_size(lts)):
        error = state == lts.size
        marks = {
            0: state == 0,
            1: error or not lts.successors[state],
            2: error,
            3: state == lts.end,
        }
        found = [str(label) for label, holds in marks.items() if holds]
        if found:
            yield f"{state}: {' '.join(found)}"


def _size(lts: Lts) -> int:
    return lts.size + lts.can_fail


FORMAT = Format(
    "PRISM, explicit",
    write=_transitions,
    beside={".sta": _states, ".lab": _labels},
    holds=Holds(
        actions=lambda action: re.fullmatch(r"[^\s#]+", action) is not None,
        fits=lambda _: False,
        names="state names are not written, only their numbers",
        unused=False,
    ),
)
