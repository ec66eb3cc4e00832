"""What an analysis took: counts and seconds for each stage.

In:  the stages report to an `Effort` while they work.
Out: what `--stats` prints; what the log says while the stages end; and
     `LimitExceeded` where a stage runs out of memory.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from logging import DEBUG, INFO, getLogger
from time import perf_counter

from symrob.memory import memory_exceeded
from symrob.symbolic.context import out_of_memory

LOG = getLogger("symrob")


class Effort:
    """Counts and times of one analysis.

    Attributes:
        sets_visited: Sets of states or of transitions that were judged.
        solver_calls: Satisfiability calls.
        pairs: Pairs (state of E, monitor state) with a variable in the solver.
        repeated: Sets that a process found and another had found before.
        images: BDD images, in contexts of an algorithm's own.
        peak_nodes: The most BDD nodes in one of these.
        seconds: Time spent in each stage, by name, in order of first use.
    """

    def __init__(self) -> None:
        self.sets_visited = 0
        self.solver_calls = 0
        self.pairs = 0
        self.repeated = 0
        self.images = 0
        self.peak_nodes = 0
        self.seconds: dict[str, float] = {}

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Add the time of the block to a stage.

        Raises:
            LimitExceeded: The block ran out of memory.
        """
        first = name not in self.seconds
        start = perf_counter()
        try:
            yield
        except (MemoryError, ValueError, RuntimeError) as error:
            if out_of_memory(error):
                raise memory_exceeded() from None
            raise
        finally:
            spent = perf_counter() - start
            self.seconds[name] = self.seconds.get(name, 0.0) + spent
            LOG.log(
                INFO if first else DEBUG,
                "%s: %.3f s%s",
                name,
                spent,
                "" if first else ", once more",
            )
