"""Minimal cut sets, as they are being found: what can hurt, and how.

In:  an `Engine` whose nominal system is safe.
Out: `Cuts`: iterate over it for each `Cut`: the hazardous sets, the smallest first,
     then those that are only assumed away. Afterwards it knows whether they are all,
     how many sets just break an assumption, and how many transitions hurt nobody.

`cut_search` finds them; this is what the user holds in hand.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, NoReturn

from symrob.analyses.cut import Cut
from symrob.analyses.cut_search import Search
from symrob.envelope.engine import Engine
from symrob.limits import Stages, Status
from symrob.lts import Lts

Progress = Callable[[int, float], None]


@dataclass(frozen=True)
class Resilience:
    """How many transitions it takes to hurt.

    Attributes:
        size: Of the smallest set that does; `None` where none is known.
        harmless: Any so many new transitions hurt nobody, as far as was proved.
    """

    size: int | None
    harmless: int


UNKNOWN = Resilience(None, 0)


class Cuts(Iterator[Cut]):
    """The minimal hazardous sets, then those assumed away, each once, smallest first.

    They come as soon as they are found, and are not kept here. The iteration ends
    early, without an exception, when a bound is hit or the user interrupts;
    `status` tells, and what came before is valid.

    Args:
        engine: The problem, its preconditions checked.
        order: Only sets of at most so many transitions; at least 1. Without it, the
            sets assumed away are only those of the smallest size that there is.
        limit: Stop after so many; at least 1.
        smallest: Only one of the smallest hazardous sets, and one of those assumed
            away where it is smaller; the most dangerous of some that are looked at.
        outside: Also, among the hazardous ones, the minimal sets that only break an
            assumption.
        within_only: Only the hazardous sets.
        traces_from: Find the trace of each set of at least so many transitions
            together with it, so that an interrupt loses nothing; by default a
            trace is found when it is asked for.
        on_progress: Called with the number found and the seconds elapsed after
            each one.
        kept: Gets each one, where they are wanted again.

    Attributes:
        engine: The problem.
        order: As given.
        smallest: As given.
        status: `running` until the last one is out, then `complete`, or `limit`,
            `timeout` or `interrupted` where something is missing. With `order`,
            sets above it are not missing.
        reason: Why something is missing, for a person.
        sizes: For each verdict how many sets of each size there are, as far as known:
            those that came, and those outside the assumptions that were only counted.
    """

    def __init__(
        self,
        engine: Engine,
        *,
        order: int | None = None,
        limit: int | None = None,
        smallest: bool = False,
        outside: bool = False,
        within_only: bool = False,
        traces_from: int | None = None,
        on_progress: Progress | None = None,
        kept: list[Cut] | None = None,
    ) -> None:
        self._kept = kept
        self.engine = engine
        self.order = order
        self.status: Status = "running"
        self.reason = ""
        self.smallest = smallest
        self._limit = limit
        self._came = 0
        self._traces_from = traces_from
        self._on_progress = on_progress
        self._search = self._sought(order, smallest, outside, within_only)
        self._source = iter(self._search)
        self.sizes = self._search.sizes
        self._seconds: float | None = None

    @property
    def environment(self) -> Lts:
        """E, with any extra states."""
        return self.engine.environment

    @property
    def units(self) -> int:
        """How many transitions could be added."""
        return len(self.engine.candidates)

    @property
    def constrained(self) -> bool:
        """Whether there are assumptions."""
        return self._search.constrained

    @property
    def seconds(self) -> float:
        """Time from the start of the analysis to its end, or until now."""
        clock = self.engine.clock
        return clock.elapsed if self._seconds is None else self._seconds

    @property
    def resilience(self) -> Resilience:
        """What it takes to hurt within the assumptions."""
        return self._resilience(0, self.sizes["hazardous"])

    @property
    def resilience_without(self) -> Resilience:
        """What it takes to hurt if nothing is assumed."""
        if not self.constrained:
            return self.resilience
        return self._resilience(
            1, (*self.sizes["hazardous"], *self.sizes["assumed-away"])
        )

    def _resilience(self, search: int, sizes: Iterable[int]) -> Resilience:
        """The size of the smallest set, if it is proved that none is smaller."""
        proved, size = self._proved(search), min(sizes, default=None)
        if size is not None and proved >= size - 1:
            return Resilience(size, size - 1)
        return Resilience(None, proved)

    def _proved(self, search: int) -> int:
        """The size up to which the first or second search has found all."""
        if search >= len(self._search.searches):
            return 0
        most = self.units
        if self.status != "complete" and search + 1 == len(self._search.searches):
            return min(self._search.searches[search].complete_to, most)
        return most if self.order is None else min(self.order, most)

    def __repr__(self) -> str:
        found = sum(sizes.total() for sizes in self.sizes.values())
        return f"{type(self).__name__}({self.status}, {found} sets found)"

    def __reduce__(self) -> NoReturn:
        raise TypeError("a search cannot be copied; list(cuts) can")

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
        self._came += 1
        if self._kept is not None:
            self._kept.append(cut)
        if self._on_progress is not None:
            self._on_progress(self._came, self.seconds)
        return cut

    def _find(self) -> Cut | None:
        cut = next(self._source, None)
        if cut is None:
            self._end("complete")
            return None
        if self._limit is not None and self._came >= self._limit:
            self._end("limit", f"stopped after --limit {self._limit} sets")
            return None
        self.sizes[cut.verdict][len(cut)] += 1
        if self._traces_from is not None and len(cut) >= self._traces_from:
            _ = cut.trace  # Kept in it.
        return cut

    def _sought(self, *sought: Any) -> Search:
        return Search(self.engine, *sought)

    def _end(self, status: Status, reason: str = "") -> None:
        self.status = status
        self.reason = reason
        self._seconds = self.engine.clock.elapsed
