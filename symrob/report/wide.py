"""Deviations with too many transitions to list: counted by action.

In:  a `SafetyEnvelope` of an environment of which very many transitions are tolerated
     alone.
Out: lines of text; and why something is missing.
"""

from __future__ import annotations

from collections.abc import Iterator

from symrob.analyses.deadlocks import LISTED
from symrob.api.result import SafetyEnvelope
from symrob.envelope.wide_sets import InBlocks, WideSets, size_of
from symrob.limits import Stages, Status
from symrob.report.summary import preface_lines
from symrob.report.text import aligned, heading_lines, plural


def is_wide(envelope: SafetyEnvelope) -> bool:
    """Whether more is tolerated alone than anybody wants to see listed.

    Raises:
        LimitExceeded: A bound was hit while screening.
    """
    if envelope.algorithm != "maximal" or envelope.modes:
        return False
    engine = envelope.engine
    return len(engine.candidates) > LISTED and len(engine.safe_sets.alone) > LISTED


class WideDelta:
    """Maximal deviations, each by what it leaves out, while they are found.

    Args:
        envelope: Whose.
        limit: Stop after so many; `None` for as many as are found.

    Attributes:
        sets: What grows them.
        sizes: How many transitions each that was found has, R_E among them.
        status: Why iterating ended.
        reason: The same in words.
    """

    def __init__(self, envelope: SafetyEnvelope, limit: int | None) -> None:
        engine = self._engine = envelope.engine
        self._limit = limit
        self._most = len(engine.safe_sets.alone)
        self._most += len(envelope.environment.visible_transitions)
        self.sets = WideSets(engine.safe_sets, engine.clock)
        self.sizes: list[int] = []
        self.status: Status = "complete"
        self.reason = ""

    def __iter__(self) -> Iterator[InBlocks]:
        """Yield each as soon as it is found; to be called once."""
        source, stages = self.sets.deviations(), Stages(self._engine.clock)
        while self._limit is None or len(self.sizes) < self._limit:
            left_out = None
            with stages, self._engine.effort.stage("enumerate"):
                left_out = next(source, None)
            if left_out is None:
                self.status, self.reason = stages.status, stages.reason
                return
            self.sizes.append(self._most - size_of(left_out))
            yield left_out
        if not self._engine.safe_sets.unbroken:
            self.status = "limit"
            self.reason = f"stopped after --limit {self._limit} deviations"


def wide_lines(envelope: SafetyEnvelope, delta: WideDelta, title: str) -> Iterator[str]:
    """Yield what is known, then each deviation as soon as it is found.

    Args:
        envelope: The problem.
        delta: Its deviations; afterwards it tells how it ended.
        title: What a person calls the case; may be empty.
    """
    yield from heading_lines(envelope, title)
    yield from preface_lines(envelope, listed=False)
    planned = len(envelope.environment.visible_transitions)
    for number, left_out in enumerate(delta, 1):
        size = plural(delta.sizes[-1], "transition")
        lacking = "without" if left_out else "all that is tolerated alone"
        yield ""
        yield (
            f"Deviation {number}: {size}, {delta.sizes[-1] - planned:,} new; {lacking}"
        )
        yield from _counted(left_out)
    found = plural(len(delta.sizes), "maximal deviation")
    yield ""
    if delta.status == "complete":
        largest = max(delta.sizes)
        yield (
            f"|Δ| = {len(delta.sizes):,}: {found}; |d_max| = {largest:,}, at most "
            f"{largest - planned:,} of them new; {envelope.clock.elapsed:.3f} s"
        )
    else:
        yield f"Incomplete ({delta.reason}): {found} so far"


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
