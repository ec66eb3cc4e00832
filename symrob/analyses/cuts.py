"""Minimal cut sets, as they are being found: what breaks the system, and how.

In:  an `Engine` whose nominal system is safe.
Out: `Cuts`: iterate over it for each `Cut`, the smallest first; afterwards it
     knows whether they are all, and how many added transitions are harmless.

`unsafe` finds them; this is what the user holds in hand.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property

from symrob.analyses.unsafe import UnsafeSets
from symrob.envelope.antichain import antichain
from symrob.envelope.engine import Engine
from symrob.errors import Trace
from symrob.limits import Stages, Status
from symrob.lts import Lts, Transition

Progress = Callable[[int, float], None]


@dataclass(frozen=True)
class Cut:
    """A minimal unsafe set: with it the system breaks, with any part of it not.

    Attributes:
        transitions: What the environment gets.
        engine: The problem, for the trace.
    """

    transitions: frozenset[Transition]
    engine: Engine = field(repr=False, compare=False)

    def __len__(self) -> int:
        return len(self.transitions)

    @cached_property
    def trace(self) -> Trace:
        """A shortest run into ERROR; it takes every transition of the cut."""
        with self.engine.clock.suspended():
            trace = self.engine.violation(self.transitions)
        assert trace is not None, "the cut is safe"
        return trace


class Cuts(Iterator[Cut]):
    """The minimal unsafe sets of new transitions, each once, smallest first.

    They come as soon as they are found, and are not kept. The iteration ends
    early, without an exception, when a bound is hit or the user interrupts;
    `status` tells, and what came before is valid.

    Args:
        engine: The problem, its preconditions checked.
        order: Only sets of at most so many transitions; at least 1.
        limit: Stop after so many; at least 1.
        smallest: Only one, which is one of the smallest.
        traces_from: Find the trace of each set of at least so many transitions
            together with it, so that an interrupt loses nothing; by default a
            trace is found when it is asked for.
        on_progress: Called with the number found and the seconds elapsed after
            each one.

    Attributes:
        engine: The problem.
        order: As given.
        smallest: As given.
        status: `running` until the last one is out, then `complete`, or `limit`,
            `timeout` or `interrupted` where something is missing. With `order`,
            sets above it are not missing.
        reason: Why something is missing, for a person.
        sizes: How many of each size came.
    """

    def __init__(
        self,
        engine: Engine,
        *,
        order: int | None = None,
        limit: int | None = None,
        smallest: bool = False,
        traces_from: int | None = None,
        on_progress: Progress | None = None,
    ) -> None:
        self.engine = engine
        self.order = order
        self.status: Status = "running"
        self.reason = ""
        self.sizes: Counter[int] = Counter()
        self._limit = limit
        self.smallest = smallest
        self._traces_from = traces_from
        self._on_progress = on_progress
        self._sets: UnsafeSets | None = None
        self._source = self._search()
        self._seconds: float | None = None

    @property
    def environment(self) -> Lts:
        """E, with any extra states."""
        return self.engine.environment

    @property
    def seconds(self) -> float:
        """Time from the start of the analysis to its end, or until now."""
        clock = self.engine.clock
        return clock.elapsed if self._seconds is None else self._seconds

    @property
    def as_asked(self) -> bool:
        """Whether the smallest set is there, if only that was asked for."""
        return self.smallest and self.sizes.total() == 1

    @property
    def resilience(self) -> int | None:
        """Size of the smallest unsafe set; `None` where none came."""
        return min(self.sizes, default=None)

    @property
    def harmless(self) -> int:
        """Any so many new transitions are harmless, as far as was proved.

        One less than the resilience; and where nothing can break the system,
        all that there are.
        """
        if self.resilience is not None:
            return self.resilience - 1
        candidates = len(self.engine.candidates)
        if self.status == "complete":
            return candidates if self.order is None else min(self.order, candidates)
        return self._sets.complete_to if self._sets is not None else 0

    def __next__(self) -> Cut:
        """Find one more."""
        cut: Cut | None = None
        stages = Stages(self.engine.clock)
        if self.status == "running":
            with stages, self.engine.effort.stage("cuts"):
                self.engine.clock.check()
                cut = self._find()
        if stages.status != "complete":
            self._end(stages.status, stages.reason)
        if cut is None:
            raise StopIteration
        self.sizes[len(cut)] += 1
        if self._on_progress is not None:
            self._on_progress(self.sizes.total(), self.seconds)
        return cut

    def _find(self) -> Cut | None:
        if self.as_asked:
            # Whether there is another one can take long to find out.
            self._end("limit", "only one of the smallest sets was asked for")
            return None
        found = next(self._source, None)
        if found is None:
            self._end("complete")
            return None
        if self._limit is not None and self.sizes.total() >= self._limit:
            self._end("limit", f"stopped after --limit {self._limit} sets")
            return None
        cut = Cut(found, self.engine)
        if self._traces_from is not None and len(cut) >= self._traces_from:
            _ = cut.trace  # Kept in it.
        return cut

    def _search(self) -> Iterator[frozenset[Transition]]:
        # Screening belongs to the search: a bound that is hit there ends it.
        engine = self.engine
        self._sets = UnsafeSets(
            engine.safe_sets, engine.candidates, engine.clock, engine.effort
        )
        yield from antichain(self._sets.by_size(self.order))

    def _end(self, status: Status, reason: str = "") -> None:
        self.status = status
        self.reason = reason
        self._seconds = self.engine.clock.elapsed
