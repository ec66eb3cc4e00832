"""Minimal unsafe sets, smallest first.

In:  `SafeSets`, and through it the closed loop as a graph (`PairGraph`).
Out: `UnsafeSets`: every minimal unsafe set of candidates, one after the other.

Safety engineers call them minimal cut sets. They are the dual of Δ: a set is robust if
and only if it contains none of them, and the complements of the maximal deviations are
the minimal sets that meet each of them.

Each is the set of candidates that some trace to ERROR takes: in E with a minimal unsafe
set C there is such a trace; the set that it takes is unsafe and part of C, so it is C.
The search goes through sets by size and records for each set S the pairs (state of E,
monitor state) that are reached by traces which take exactly S, except pairs that a
proper part of S reaches. That loses no minimal unsafe set C: if a trace that takes C
visits a pair that a smaller part of C reaches too, replace its beginning by a trace of
that part. It still ends in ERROR, so it still takes C, and it reaches that pair with
fewer candidates; this can be repeated only finitely often.

A set S with one more candidate c reaches the targets of c from the pairs recorded for
S, the same for each other member, and whatever R_E and its members reach from there. So
sets are built from those one smaller, which are all known.

If there are many sets, Δ is listed alternately: once all of Δ is known, the remaining
sets are the minimal transversals of the complements of the maximal deviations (`dual`).

Rejected: hitting sets of the known part of Δ. The smallest is unsafe, or yields a new
deviation; but that takes a solver call for each set. The tests use this method.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence, Set

from symrob.analyses.dual import Chosen, Lacking, minimal_transversals, require_room
from symrob.analyses.pairs import NOMINAL, Candidate, Explorer, Pair, PairGraph, closure
from symrob.analyses.space import UnsafeSearch
from symrob.envelope import tuning
from symrob.envelope.effort import Effort
from symrob.envelope.safe_sets import SafeSets
from symrob.envelope.transitions import Candidates
from symrob.limits import Clock
from symrob.lts import ERROR, Transition
from symrob.lts.masks import bits

# Sets of pairs are masks. What is unsafe reaches everything: as a mask, -1.
Reached = int
LOST: Reached = -1
# As many parts of a set are looked up in the time of a step.
PARTS_A_STEP = 16


class UnsafeSets(UnsafeSearch):
    """The minimal unsafe sets of some candidates.

    Args:
        safe_sets: The safe sets; they determine the individually unsafe candidates.
        asked: The candidates.
        clock: Checked at intervals.
        effort: Counts the sets examined.

    Attributes:
        complete_to: Every minimal unsafe set of at most this many candidates has been
            yielded.
    """

    def __init__(
        self, safe_sets: SafeSets, asked: Candidates, clock: Clock, effort: Effort
    ) -> None:
        self._safe_sets = safe_sets
        self._never = asked.without(safe_sets.alone)
        self._clock = clock
        self._effort = effort
        self.complete_to = 0

    def by_size(self, order: int | None = None) -> Iterator[frozenset[Transition]]:
        """Yield every minimal unsafe set, each once, the smallest first.

        Args:
            order: Yield only sets of at most this many transitions; at least 1.

        Raises:
            LimitExceeded: A bound was hit; the sets yielded before are valid.

        Cost: up to n^k sets of at most k of n candidates are examined, but only those
            that traces can take completely, and `order` bounds k; at most about twice
            the time of listing Δ, and of `minimal_transversals`.
        """
        for transition in self._never:
            yield frozenset((transition,))
        self.complete_to = 1
        if self._safe_sets.unbroken or order == 1:
            return
        candidates = tuple(self._safe_sets.alone)
        with Lacking(self._safe_sets, candidates) as lacking:
            lacking.list_more(tuning.TURN_DEVIATIONS)
            if lacking.complete:
                sets = self._from_delta(lacking, order)
            else:
                sets = self._in_turns(self._search(candidates), lacking, order)
            for found in sets:
                yield frozenset(candidates[c] for c in bits(found))

    def _search(self, candidates: Sequence[Transition]) -> SetSearch:
        explorer = Explorer(self._safe_sets.environment, candidates, self._clock)
        pairs = PairGraph()
        for monitor in self._safe_sets.objecting:
            pairs.add(explorer.risks(monitor))
        return SetSearch(pairs, len(candidates), self._clock, self._effort)

    def _in_turns(
        self, search: SetSearch, lacking: Lacking, order: int | None
    ) -> Iterator[Chosen]:
        """Search by runs while Δ is listed in between, and from Δ once it is known.

        Turns are equal: which of the two ends sooner, nobody can tell.
        """
        level: list[Chosen] = [search.begin()]
        size, due = 0, tuning.TURN_STEPS
        # Before round k, all sets of k candidates have been looked at, and
        # `level` are those that reach something of their own. Ends, since no
        # set has more members than there are candidates.
        while level and (order is None or size < order):
            following: list[Chosen] = []
            given: set[Chosen] = set()
            for chosen in level:
                if search.steps_tried >= due:
                    lacking.list_more(tuning.TURN_DEVIATIONS)
                    if lacking.complete:
                        yield from self._from_delta(lacking, order, size, given)
                        return
                    due += tuning.TURN_STEPS
                for larger, unsafe in search.extensions(chosen):
                    if unsafe:
                        # Candidates are numbered from 1 here.
                        given.add(larger >> 1)
                        yield larger >> 1
                    else:
                        following.append(larger)
            search.end_round()
            level = following
            size += 1
            self.complete_to = max(size, 1)

    def _from_delta(
        self,
        lacking: Lacking,
        order: int | None,
        size: int = 1,
        given: Set[Chosen] = frozenset(),
    ) -> Iterator[Chosen]:
        """Those of more than `size` that were not given yet."""
        for found in minimal_transversals(lacking.masks, self._clock):
            members = found.bit_count()
            if order is not None and members > order:
                return
            self.complete_to = max(self.complete_to, members - 1)
            if members > size and found not in given:
                yield found


class SetSearch:
    """The pairs that each set of candidates reaches and no proper part of it does.

    Args:
        pairs: The closed loop, as far as it matters.
        candidates: Number of candidates.
        clock: Checked at intervals; bounds the number of sets.
        effort: Counts the sets examined.

    Attributes:
        steps_tried: Approximate number of steps between pairs tried, as a measure of
            time.
    """

    def __init__(
        self, pairs: PairGraph, candidates: int, clock: Clock, effort: Effort
    ) -> None:
        self._clock = clock
        self._effort = effort
        self.steps_tried = 0
        count = len(pairs.steps)
        self._nominal: list[list[Pair]] = [[] for _ in range(count)]
        self._added: list[list[tuple[Candidate, Pair]]] = [[] for _ in range(count)]
        # For each candidate where it leads from which pairs, and these as a mask.
        self._leads: list[dict[Pair, list[Pair]]] = [{} for _ in range(candidates + 1)]
        self._sources: list[Reached] = [0] * len(self._leads)
        useful = closure(pairs.failing, pairs.backwards())
        self._start = [pair for pair in pairs.start if pair in useful]
        for pair in sorted(useful):
            for candidate, target in pairs.steps[pair]:
                if target == ERROR or target in useful:
                    self._add_step(pair, candidate, target)
        # The sets that reach something of their own, and the minimal unsafe ones.
        self._reached: dict[Chosen, Reached] = {}
        # The others of this round, which matter to no larger set.
        self._idle: set[Chosen] = set()

    def _add_step(self, pair: Pair, candidate: Candidate, target: Pair) -> None:
        if candidate == NOMINAL:
            self._nominal[pair].append(target)
        else:
            self._added[pair].append((candidate, target))
            self._leads[candidate].setdefault(pair, []).append(target)
            self._sources[candidate] |= 1 << pair

    def begin(self) -> Chosen:
        """Examine the empty set, and return it."""
        self._reached[0] = self._walk(self._start, 0, ())
        return 0

    def end_round(self) -> None:
        """Discard the data that ensure that each set is examined once."""
        self._idle.clear()

    def extensions(self, chosen: Chosen) -> Iterator[tuple[Chosen, bool]]:
        """Yield sets with one more candidate, and whether they are unsafe.

        Only sets that are examined for the first time, and that are minimal unsafe or
        reach a pair that no proper part reaches.

        Args:
            chosen: A set that reaches a pair that no proper part reaches.
        """
        members = tuple(bits(chosen))
        few = 1 << len(members) <= tuning.ALL_PARTS * len(self._reached)
        parts = self._all_parts(chosen) if few else self._known_parts(chosen)
        reached = 0
        for part in parts:
            reached |= self._reached.get(part, 0)
        for pair in bits(self._reached[chosen]):
            self.steps_tried += len(self._added[pair])
            for candidate, target in self._added[pair]:
                if candidate in members or (target != ERROR and reached >> target & 1):
                    continue
                larger = chosen | 1 << candidate
                if larger in self._reached or larger in self._idle:
                    continue
                self._count_one()
                self.steps_tried += len(parts) // PARTS_A_STEP
                base = self._reached_by_parts(parts, 1 << candidate, reached)
                own = 0
                if base != LOST:
                    own = self._reached_by_all(larger, (*members, candidate), base)
                if own:
                    self._reached[larger] = own
                    yield larger, own == LOST
                else:
                    self._idle.add(larger)

    def _count_one(self) -> None:
        self._clock.check()
        self._effort.sets_visited += 1
        require_room(len(self._reached) + len(self._idle), self._clock)

    def _all_parts(self, chosen: Chosen) -> Sequence[Chosen]:
        """All subsets of a set."""
        parts = [chosen]
        while parts[-1]:
            parts.append(parts[-1] - 1 & chosen)
        return parts

    def _known_parts(self, chosen: Chosen) -> Sequence[Chosen]:
        """Those that are noted, or are with one more candidate."""
        near = (s for s in self._reached if (s & ~chosen).bit_count() <= 1)
        return tuple({s & chosen: None for s in near})

    def _reached_by_parts(
        self, parts: Iterable[Chosen], added: Chosen, base: Reached
    ) -> Reached:
        """What the parts with one more candidate reach, and `base`."""
        for part in parts:
            base |= self._reached.get(part | added, 0)
            if base == LOST:
                break
        return base

    def _reached_by_all(
        self, larger: Chosen, members: Sequence[Candidate], base: Reached
    ) -> Reached:
        """What runs reach that take all members, without `base`; may be `LOST`.

        Args:
            larger: The members as a mask.
            members: The same one by one.
            base: What parts of it reach.
        """
        seeds: list[Pair] = []
        for candidate in members:
            before = self._reached.get(larger ^ 1 << candidate, 0)
            leads = self._leads[candidate]
            for pair in bits(before & self._sources[candidate]):
                seeds += leads[pair]
        return self._walk(seeds, base, members)

    def _walk(
        self, seeds: Iterable[Pair], base: Reached, members: Sequence[Candidate]
    ) -> Reached:
        """What R_E and the members lead to from some pairs, without `base`."""
        new: Reached = 0
        todo = list(seeds)
        leads = [self._leads[candidate] for candidate in members]
        while todo:
            pair = todo.pop()
            if pair == ERROR:
                return LOST
            self.steps_tried += 1
            if (base | new) >> pair & 1:
                continue
            new |= 1 << pair
            todo += self._nominal[pair]
            for row in leads:
                todo += row.get(pair, ())
        return new
