"""The search for minimal cut sets: minimal hazardous and excluded unsafe sets.

In:  a `Space`.
Out: `Cuts`: iterate over it for each `Cut`: the hazardous sets, the smallest first,
     then the excluded unsafe ones. Afterwards it knows whether all were found, how many
     sets only violate an assumption, and how many units violate no property.

The minimal hazardous sets are the minimal P-unsafe sets that satisfy P_env: P_env is
monotone, so a part of a set that satisfies it satisfies it too. They are also those of
the minimal sets violating P or P_env that satisfy P_env; searching for these discards
early whatever violates an assumption. The minimal excluded unsafe sets are the minimal
P-unsafe sets that violate P_env. A hazardous set together with something that violates
an assumption is not one of them: its hazardous part is not excluded.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from itertools import chain, islice
from math import inf
from typing import ClassVar, NoReturn

from symrob.analyses.cut import LOOKED_AT, Cut, danger
from symrob.analyses.hazards import Alone
from symrob.analyses.space import About, Space, Timing, UnsafeSearch
from symrob.envelope.antichain import antichain
from symrob.errors import plural, stopped_after
from symrob.limits import Clock, Stages, Status
from symrob.problem import Many, UnitSet
from symrob.shown import Shown
from symrob.verdicts import VERDICTS, Verdict

Progress = Callable[[int, float], None]
Found = tuple[UnitSet, Verdict]


@dataclass(frozen=True)
class Resilience:
    """How many units a violation needs.

    Attributes:
        size: Size of the smallest violating set; `None` if none is known.
        harmless: Any set of at most this many new units is proved harmless.
    """

    size: int | None
    harmless: int


UNKNOWN = Resilience(None, 0)


@dataclass(frozen=True)
class CutsEnd:
    """The final results, after the last minimal set.

    Attributes:
        order: See `Cuts`.
        resilience: How many units a violation needs within the assumptions.
        resilience_without: The same without the assumptions.
        timing: The time used.
    """

    order: int | None
    resilience: Resilience
    resilience_without: Resilience
    sizes: Mapping[Verdict, Mapping[int, int]]
    timing: Timing
    status: Status
    reason: str


class Cuts(Shown, Iterator[Cut]):
    """The minimal hazardous sets, then the excluded unsafe ones, smallest first.

    Sets are yielded as soon as they are found, and are not stored here. The iteration
    ends early, without an exception, when a bound is hit or the user interrupts; then
    `status` gives the reason, and earlier sets are valid.

    Args:
        space: The problem.
        order: Only sets of at most this many units; at least 1. Without it, only
            excluded unsafe sets of the smallest existing size are yielded.
        limit: Stop after this many; at least 1.
        smallest: Only one of the smallest hazardous sets, and a smaller excluded unsafe
            one if there is one; the most dangerous of a few that are examined.
        outside: Among the hazardous sets, also yield the minimal sets that only violate
            an assumption.
        within_only: Only the hazardous sets.
        traces_from: Find the trace of each set of at least so many units
            together with it, so that an interrupt loses nothing; by default a
            trace is found when it is asked for.
        counting: Find with each set how many deviated steps a violation needs, within
            the budget `steps`; without, that is found when it is asked for.
        on_progress: Called with the number found and the seconds elapsed after
            each one.
        kept: Gets each one, where they are wanted again.

    Attributes:
        space: The problem.
        order: As given.
        smallest: As given.
        kept: As given.
        status: `running` until the last set, then `complete`, or `limit`, `timeout` or
            `interrupted` if something is missing. Larger sets than `order` are not
            missing.
        reason: Why something is missing, as text.
        sizes: For each verdict the number of sets of each size, as far as known: sets
            that were yielded, and excluded safe ones that were only counted.
    """

    schema: ClassVar = "cuts/3"
    parts: ClassVar = "cuts"

    def __init__(
        self,
        space: Space,
        *,
        order: int | None = None,
        limit: int | None = None,
        smallest: bool = False,
        outside: bool = False,
        within_only: bool = False,
        traces_from: int | None = None,
        counting: bool = True,
        on_progress: Progress | None = None,
        kept: list[Cut] | None = None,
    ) -> None:
        self.kept = kept
        self.space = space
        self.order = order
        self.status: Status = "running"
        self.reason = ""
        self.smallest = smallest
        self._limit = limit
        self._came = 0
        self._traces_from = traces_from
        self._on_progress = on_progress
        self._search = _Search(space, order, smallest, outside, within_only)
        self._again = partial(
            Cuts,
            space,
            order=order,
            limit=limit,
            smallest=smallest,
            outside=outside,
            within_only=within_only,
            counting=counting,
        )
        self._source = iter(self._search)
        self.sizes = self._search.sizes
        self._seconds: float | None = None
        self._steps_left = space.clock.budget("steps") if counting else 0.0

    def again(self) -> Cuts:
        """Return the same search from its beginning."""
        return self._again()

    @property
    def seconds(self) -> float:
        """Time from the start of the analysis to its end, or until now."""
        clock = self.space.clock
        return clock.elapsed if self._seconds is None else self._seconds

    @property
    def clock(self) -> Clock:
        """The clock of the run."""
        return self.space.clock

    @property
    def about(self) -> About:
        """What the units belong to, for output."""
        return self.space.about

    @property
    def end(self) -> CutsEnd:
        """The final results, for the sets yielded so far."""
        return CutsEnd(
            self.order,
            self.resilience,
            self.resilience_without,
            self.sizes,
            Timing(round(self.seconds, 6), self.space.about.backend),
            self.status,
            self.reason,
        )

    @property
    def resilience(self) -> Resilience:
        """How many units a violation needs within the assumptions."""
        return self._resilience(0, self.sizes["hazardous"])

    @property
    def resilience_without(self) -> Resilience:
        """How many units a violation needs without assumptions."""
        if not self.space.constrained:
            return self.resilience
        return self._resilience(
            1, (*self.sizes["hazardous"], *self.sizes["excluded-unsafe"])
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
        most = len(self.space)
        if self.status != "complete" and search + 1 == len(self._search.searches):
            return min(self._search.searches[search].complete_to, most)
        return most if self.order is None else min(self.order, most)

    def __repr__(self) -> str:
        count = sum(sizes.total() for sizes in self.sizes.values())
        found = f"{plural(count, 'set')} found"
        if self.status == "running":
            so_far = f"{found} so far; " if count else ""
            return f"{type(self).__name__}({so_far}lazy: iterate to compute)"
        return f"{type(self).__name__}({self.status}, {found})"

    def __reduce__(self) -> NoReturn:
        raise TypeError("a search cannot be copied; copy list(cuts) instead")

    def __next__(self) -> Cut:
        """Find the next set."""
        cut: Cut | None = None
        stages = Stages(self.space.clock)
        if self.status == "running":
            with stages, self.space.effort.stage("cuts"):
                self.space.clock.check()
                cut = self._find()
        if stages.status != "complete":
            self._end(stages.status, stages.reason)
        if cut is None:
            raise StopIteration
        self._came += 1
        if self.kept is not None:
            self.kept.append(cut)
        if self._on_progress is not None:
            self._on_progress(self._came, self.seconds)
        return cut

    def _find(self) -> Cut | None:
        cut = next(self._source, None)
        if cut is None:
            self._end("complete")
            return None
        if self._limit is not None and self._came >= self._limit:
            self._end("limit", stopped_after(self._limit, "set"))
            return None
        self.sizes[cut.verdict][len(cut)] += 1
        if self._traces_from is not None and len(cut) >= self._traces_from:
            _ = cut.trace  # Kept in it.
        if self._steps_left > 0:
            self._count_steps(cut)
        return cut

    def _count_steps(self, cut: Cut) -> None:
        """Find how many deviated steps a violation needs, as long as there is time."""
        clock = self.space.clock
        begun = clock.elapsed
        with clock.allow(self._steps_left) as step:
            _ = cut.deviated_steps  # Kept in it.
        self._steps_left -= clock.elapsed - begun
        if step.exhausted:
            self._steps_left = 0.0

    def _end(self, status: Status, reason: str = "") -> None:
        self.status = status
        self.reason = reason
        self._seconds = self.space.clock.elapsed


def _no_sizes() -> dict[Verdict, Counter[int]]:
    return {verdict: Counter() for verdict in VERDICTS[1:]}


@dataclass
class _Search:
    """Iterate over it, once, for the cuts.

    It knows nothing of who asks: where a search is left half-way, its generators would
    hold them, and BDDs with them.

    Attributes:
        space: The problem.
        order: See `Cuts`; so are `smallest`, `outside`, and `within_only`.
        sizes: See `Cuts`. Who takes a cut counts it; here others are counted.
        searches: With the assumptions and without them, as far as they are begun.
    """

    space: Space
    order: int | None = None
    smallest: bool = False
    outside: bool = False
    within_only: bool = False
    sizes: dict[Verdict, Counter[int]] = field(default_factory=_no_sizes)
    searches: list[UnsafeSearch] = field(default_factory=list)

    def __iter__(self) -> Iterator[Cut]:
        """Search."""
        return (Cut(*found, self.space) for found in self._all_found())

    def _all_found(self) -> Iterator[Found]:
        # Screening belongs to the search: a bound that is hit there ends it.
        # What breaks an assumption is looked at further only where it is asked for.
        judged = None
        if self.smallest or not self.space.slow:
            judged = self.space.alone(inf if self.outside else None)
        yield from self._chosen(self._within(judged))
        if self.space.constrained and not self.within_only:
            judged = self.space.alone()
            if len(judged.excluded_safe) and not self.space.slow:
                self.sizes["excluded-safe"][1] = len(judged.excluded_safe)
            yield from self._chosen(self._excluded_unsafe(judged))

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
        with self.space.clock.step("danger"):
            for found in chain((best,), few):
                cut = Cut(*found, self.space)
                if len(cut) > size:
                    break
                cut.find_trace()
                if least is None or danger(cut) < least:
                    best, least = found, danger(cut)
        yield best

    def _single(self, many: Many, verdict: Verdict) -> Iterator[Found]:
        shown = self.space.typical(many, LOOKED_AT) if self.smallest else many
        yield from ((frozenset((unit,)), verdict) for unit in shown)

    def _within(self, judged: Alone[Many] | None) -> Iterator[Found]:
        """The hazardous sets; the others of that search are counted, or come too.

        Single units come as soon as each is judged, where not all are beforehand.
        """
        search = self._begin(self.space, singles=judged is None)
        outside = self.outside and not self.smallest
        if judged is not None:
            yield from self._single(judged.hazardous, "hazardous")
            if self.smallest and len(judged.hazardous):
                return
            if outside:
                yield from self._single(judged.excluded_safe, "excluded-safe")
        for found in antichain(search.by_size(self.order)):
            verdict = self.space.harm(found)
            if verdict == "hazardous" or (outside and verdict == "excluded-safe"):
                yield found, verdict
            elif verdict == "excluded-safe":
                self.sizes[verdict][len(found)] += 1

    def _excluded_unsafe(self, judged: Alone[Many]) -> Iterator[Found]:
        """The minimal P-unsafe sets that break an assumption."""
        search = self._begin(self.space.unconstrained)
        smallest = min(self.sizes["hazardous"], default=None) if self.smallest else None
        if smallest != 1:
            yield from self._single(judged.excluded_unsafe, "excluded-unsafe")
        order = self.order
        if smallest is not None:
            order = smallest - 1 if order is None else min(order, smallest - 1)
        only_single = self.order is None or self.smallest
        if order == 0 or (only_single and len(judged.excluded_unsafe)):
            return
        size = None
        for found in antichain(search.by_size(order)):
            if size is not None and len(found) > size:
                return
            if not self.space.keeps_assumptions(found):
                yield found, "excluded-unsafe"
                if self.order is None:
                    size = len(found)

    def _begin(self, space: Space, *, singles: bool = False) -> UnsafeSearch:
        """A search among what is safe alone; single units may be judged before."""
        self.searches.append(space.unsafe_sets(singles=singles))
        return self.searches[-1]
