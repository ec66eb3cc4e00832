"""What an analysis took: counts and seconds for each stage.

In:  the stages report to an `Effort` while they work.
Out: what `--stats` prints.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from time import perf_counter


@dataclass
class Effort:
    """Counts and times of one analysis.

    Attributes:
        sets_visited: Sets of states or of transitions that were judged.
        solver_calls: Satisfiability calls.
        pairs: Pairs (state of E, monitor point) with a variable in the solver.
        images: BDD images, in contexts of an algorithm's own.
        peak_nodes: The most BDD nodes in one of these.
        seconds: Time spent in each stage, by name, in order of first use.
    """

    sets_visited: int = 0
    solver_calls: int = 0
    pairs: int = 0
    images: int = 0
    peak_nodes: int = 0
    seconds: dict[str, float] = field(default_factory=dict)

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Add the time of the block to a stage."""
        start = perf_counter()
        try:
            yield
        finally:
            spent = perf_counter() - start
            self.seconds[name] = self.seconds.get(name, 0.0) + spent
