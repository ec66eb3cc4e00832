"""Deviations with too many transitions to list: counted by action.

In:  a `SafetyEnvelope` with very many individually tolerated transitions.
Out: lines of text, and why something is missing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from symrob.api.large_deviations import WideDelta
from symrob.api.result import SafetyEnvelope
from symrob.envelope.large_environments import InBlocks, size_of
from symrob.report.listed import Listed
from symrob.report.summary import preface_lines
from symrob.report.text import aligned, heading_lines, plural


def measured(left_out: InBlocks) -> tuple[int, Iterable[str]]:
    """Return the number of transitions a deviation leaves out, and their actions."""
    return size_of(left_out), left_out


def wide_lines(
    envelope: SafetyEnvelope, delta: WideDelta, listed: Listed[InBlocks], title: str
) -> Iterator[str]:
    """Yield the known results, then each deviation as soon as it is found.

    Args:
        envelope: The problem.
        delta: Its deviations, with the status of the search.
        listed: The deviations that are listed.
        title: Human-readable title; may be empty.
    """
    yield from heading_lines(envelope, title)
    yield from preface_lines(envelope, listed=False)
    planned = len(envelope.environment.visible_transitions)
    for number, left_out in enumerate(listed, 1):
        size = plural(delta.sizes[-1], "transition")
        lacking = "without" if left_out else "all individually tolerated ones"
        yield ""
        yield (
            f"Deviation {number}: {size}, {delta.sizes[-1] - planned:,} new; {lacking}"
        )
        yield from _counted(left_out)
    yield from listed.lines("deviation", "transitions left out")


def _counted(blocks: InBlocks) -> Iterator[str]:
    """How many there are of each action, and between how many states."""
    rows = []
    for action, of_action in blocks.items():
        sources = targets = of_action.loops
        for some, others in of_action.pairs:
            sources |= some
            targets |= others
        between = f"from {plural(sources.bit_count(), 'state')}"
        between += f" to {targets.bit_count():,}"
        rows.append((action, f"{of_action.size:,}", between))
    for line in aligned(rows, right_from=1) if rows else ():
        yield f"  {line}"
