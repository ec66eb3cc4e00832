"""Minimal cut sets, as they are being found: what can hurt, and how.

In:  an `Engine` whose nominal system is safe.
Out: `Cuts`: iterate over it for each `Cut`: the hazardous sets, the smallest first,
     then those that are only assumed away. Afterwards it knows whether they are all,
     how many sets just break an assumption, and how many transitions hurt nobody.

The minimal hazardous sets are the minimal P-unsafe sets that keep P_env: P_env is
monotone, so a part of a set that keeps it keeps it too. They are also those of the
minimal sets that break P or P_env which keep P_env; searching for these leaves out,
early, all that breaks an assumption. The minimal sets assumed away are the minimal
P-unsafe sets that break P_env. A hazardous set with something beside it that breaks
an assumption is none of them: what hurts in it is not what is assumed away.

`unsafe` finds the sets; this is what the user holds in hand.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from itertools import chain, islice
from typing import NoReturn, Protocol

from symrob.analyses.cut import LOOKED_AT, Cut, danger, first_singles
from symrob.analyses.hazards import Alone, Verdict, alone, alone_within
from symrob.analyses.unsafe import UnsafeSets
from symrob.envelope.antichain import antichain
from symrob.envelope.engine import Engine
from symrob.envelope.safe_sets import SafeSets
from symrob.envelope.transitions import Candidates
from symrob.errors import LimitExceeded
from symrob.limits import Stages, Status
from symrob.lts import Lts, Transition

# For the runs that tell which of the smallest sets is the most dangerous.
DANGER_SECONDS = 2.0

Progress = Callable[[int, float], None]


class Sizes(Protocol):
    """A search for sets by their size.

    Attributes:
        complete_to: All sets of at most so many members have been given.
    """

    complete_to: int


Found = tuple[frozenset[Transition], Verdict]


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
        self.sizes: dict[Verdict, Counter[int]] = {
            "hazardous": Counter(),
            "assumed-away": Counter(),
            "outside-assumptions": Counter(),
        }
        self.smallest = smallest
        self._outside, self._within_only = outside, within_only
        self._limit = limit
        self._came = 0
        self._traces_from = traces_from
        self._on_progress = on_progress
        # The searches with the assumptions and without them, as far as they are.
        self._searches: list[Sizes] = []
        self._source = self._search()
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
        return bool(self.engine.constraints)

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
        if search >= len(self._searches):
            return 0
        most = self.units
        if self.status != "complete" and search + 1 == len(self._searches):
            return min(self._searches[search].complete_to, most)
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

    def _search(self) -> Iterator[Cut]:
        return (Cut(*found, self.engine) for found in self._all_found())

    def _all_found(self) -> Iterator[Found]:
        # Screening belongs to the search: a bound that is hit there ends it.
        # What breaks an assumption is looked at further only where it is asked for.
        judged = (alone if self._outside else alone_within)(self.engine)
        yield from self._chosen(self._within(judged))
        if self.engine.constraints and not self._within_only:
            judged = alone(self.engine)
            if len(judged.outside):
                self.sizes["outside-assumptions"][1] = len(judged.outside)
            yield from self._chosen(self._assumed_away(judged))

    def _chosen(self, sets: Iterator[Found]) -> Iterator[Found]:
        """All, or the most dangerous of a few that are as small as the first."""
        if not self.smallest:
            yield from sets
            return
        few = islice(sets, LOOKED_AT)
        best = next(few, None)
        if best is None:
            return
        size, least = len(best[0]), None
        engine = self.engine
        with suppress(LimitExceeded), engine.clock.at_most(DANGER_SECONDS):
            for found in chain((best,), few):
                cut = Cut(*found, engine)
                if len(cut) > size:
                    break
                cut.find_trace()
                if least is None or danger(cut) < least:
                    best, least = found, danger(cut)
        yield best

    def _single(self, candidates: Candidates, verdict: Verdict) -> Iterator[Found]:
        shown = first_singles(candidates) if self.smallest else candidates
        yield from ((frozenset((t,)), verdict) for t in shown)

    def _within(self, judged: Alone) -> Iterator[Found]:
        """The hazardous sets; the others of that search are counted, or come too."""
        search = self._begin(self.engine.safe_sets)
        yield from self._single(judged.hazardous, "hazardous")
        if self.smallest and len(judged.hazardous):
            return
        outside = self._outside and not self.smallest
        if outside:
            yield from self._single(judged.outside, "outside-assumptions")
        for found in antichain(search.by_size(self.order)):
            verdict = self._verdict(found)
            if verdict == "hazardous" or (outside and verdict == "outside-assumptions"):
                yield found, verdict
            elif verdict == "outside-assumptions":
                self.sizes[verdict][len(found)] += 1

    def _assumed_away(self, judged: Alone) -> Iterator[Found]:
        """The minimal P-unsafe sets that break an assumption."""
        search = self._begin(self.engine.property_sets)
        smallest = min(self.sizes["hazardous"], default=None) if self.smallest else None
        if smallest != 1:
            yield from self._single(judged.assumed_away, "assumed-away")
        order = self.order
        if smallest is not None:
            order = smallest - 1 if order is None else min(order, smallest - 1)
        only_single = self.order is None or self.smallest
        if order == 0 or (only_single and len(judged.assumed_away)):
            return
        size = None
        for found in antichain(search.by_size(order)):
            if size is not None and len(found) > size:
                return
            if not self.engine.keeps_constraints(self.engine.extended(found)):
                yield found, "assumed-away"
                if self.order is None:
                    size = len(found)

    def _begin(self, sets: SafeSets) -> UnsafeSets:
        """A search among what is safe alone; single transitions are judged before."""
        engine = self.engine
        search = UnsafeSets(sets, sets.alone, engine.clock, engine.effort)
        self._searches.append(search)
        return search

    def _verdict(self, found: frozenset[Transition]) -> Verdict:
        """Of a set that breaks P or P_env."""
        graph = self.engine.extended(found)
        if self.engine.keeps_constraints(graph):
            return "hazardous"
        kept = self.engine.keeps_properties(graph)
        return "outside-assumptions" if kept else "assumed-away"

    def _end(self, status: Status, reason: str = "") -> None:
        # The search knows this object: it would keep the BDDs of both.
        self._source = iter(())
        self.status = status
        self.reason = reason
        self._seconds = self.engine.clock.elapsed
