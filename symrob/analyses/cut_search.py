"""The search for minimal cut sets: which sets, in what order, and what is proved.

In:  an `Engine` whose nominal system is safe, and what is wanted of its cuts.
Out: `Search`, which yields each `Cut` and counts; `cuts.Cuts` is what a user holds.

The minimal hazardous sets are the minimal P-unsafe sets that keep P_env: P_env is
monotone, so a part of a set that keeps it keeps it too. They are also those of the
minimal sets that break P or P_env which keep P_env; searching for these leaves out,
early, all that breaks an assumption. The minimal sets assumed away are the minimal
P-unsafe sets that break P_env. A hazardous set with something beside it that breaks
an assumption is none of them: what hurts in it is not what is assumed away.

`unsafe` finds the sets.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import chain, islice
from typing import Protocol

from symrob.analyses.cut import LOOKED_AT, Cut, danger, first_singles
from symrob.analyses.hazards import Alone, Verdict, alone, alone_within
from symrob.analyses.unsafe import UnsafeSets
from symrob.envelope.antichain import antichain
from symrob.envelope.engine import Engine
from symrob.envelope.safe_sets import SafeSets
from symrob.envelope.transitions import Candidates
from symrob.errors import LimitExceeded
from symrob.lts import Transition

# For the runs that tell which of the smallest sets is the most dangerous.
DANGER_SECONDS = 2.0


class Sizes(Protocol):
    """A search for sets by their size.

    Attributes:
        complete_to: All sets of at most so many members have been given.
    """

    complete_to: int


Found = tuple[frozenset[Transition], Verdict]


def _no_sizes() -> dict[Verdict, Counter[int]]:
    return {
        "hazardous": Counter(),
        "assumed-away": Counter(),
        "outside-assumptions": Counter(),
    }


@dataclass
class Search:
    """Iterate over it, once, for the cuts.

    It knows nothing of who asks: where a search is left half-way, its generators would
    hold them, and BDDs with them.

    Attributes:
        engine: The problem.
        order: As of `Cuts`; so are `smallest`, `outside`, and `within_only`.
        sizes: As of `Cuts`. Who takes a cut counts it; here others are counted.
        searches: With the assumptions and without them, as far as they are begun.
    """

    engine: Engine
    order: int | None = None
    smallest: bool = False
    outside: bool = False
    within_only: bool = False
    sizes: dict[Verdict, Counter[int]] = field(default_factory=_no_sizes)
    searches: list[Sizes] = field(default_factory=list)

    @property
    def constrained(self) -> bool:
        """Whether there are assumptions."""
        return bool(self.engine.constraints)

    def __iter__(self) -> Iterator[Cut]:
        """Search."""
        return (Cut(*found, self.engine) for found in self._all_found())

    def _all_found(self) -> Iterator[Found]:
        # Screening belongs to the search: a bound that is hit there ends it.
        # What breaks an assumption is looked at further only where it is asked for.
        judged = (alone if self.outside else alone_within)(self.engine)
        yield from self._chosen(self._within(judged))
        if self.constrained and not self.within_only:
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
        outside = self.outside and not self.smallest
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
        self.searches.append(search)
        return search

    def _verdict(self, found: frozenset[Transition]) -> Verdict:
        """Of a set that breaks P or P_env."""
        if not self.constrained:
            return "hazardous"
        graph = self.engine.extended(found)
        if self.engine.keeps_constraints(graph):
            return "hazardous"
        kept = self.engine.keeps_properties(graph)
        return "outside-assumptions" if kept else "assumed-away"
