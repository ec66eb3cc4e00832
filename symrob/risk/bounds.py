"""The probability that the events contain one of some sets, exact or within bounds.

In:  the known sets, the probability of each event, and further knowledge.
Out: `ChanceBounds` of the probability; `Importance` of events; the exact diagram if it
     is small enough.

This module does not depend on transitions or models.

Known sets give a lower bound. Sets of events that provably contain none of the sets,
known or not, give an upper one: here subsets of a `harmless` set, and, if all sets of
up to k events are known, those of at most k events that contain no known one.

If the diagram of all known sets is too large, it contains the most probable ones. The
lower bound ignores the others, and the upper one uses a product: containing no set is
less likely with more events, so P(none of them) is at least the product of the single
probabilities. `decay` narrows the bounds further, without a diagram.

Source: docs/sources.md [Harris] (the inequality).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cached_property, partial
from math import inf, prod
from typing import Any

from symrob.errors import LimitExceeded
from symrob.files.decimals import exact
from symrob.interrupts import Endable
from symrob.risk.decay import none_happens
from symrob.risk.decision import (
    Builder,
    Chance,
    Check,
    Decision,
    Event,
    Set,
    go_on,
    ordering,
)
from symrob.risk.figures import DIGITS, MOST_DIGITS, ONE, ZERO, around, nearest, wide

# Where there is no diagram, a probability is known up to this part of it, if it can be
# with this many sets looked at for each node that the diagram might have had.
PRECISION = Decimal("1e-3")
LOOKS = 120
# A difference from 1 is not known better than that, whatever is looked at.
NOISE = Decimal("1e-40")


class TooLarge(Exception):
    """A diagram exceeds the maximum number of nodes."""


def bounded(check: Callable[[], None], most: int) -> Check:
    """Return a check that raises `TooLarge` beyond `most` nodes, then calls `check`."""

    def counted(nodes: int) -> None:
        check()
        if nodes > most:
            raise TooLarge

    return counted


@dataclass(frozen=True)
class ChanceBounds:
    """A probability, or bounds on it.

    Attributes:
        lower: The lower bound.
        upper: The upper bound; equal to the lower one if the probability is exact.
    """

    lower: float
    upper: float

    @classmethod
    def of(cls, least: Decimal, most: Decimal) -> ChanceBounds:
        """Return bounds of a number from `least` to `most`, as floats."""
        return cls(*around(least, most))

    @property
    def gap(self) -> float:
        """The difference between the bounds."""
        return self.upper - self.lower

    @property
    def is_exact(self) -> bool:
        """Whether the probability is known exactly."""
        return self.lower == self.upper


@dataclass(frozen=True)
class Importance:
    """Importance measures of one event, or of several together.

    P is the probability of the top event, P1 the probability if they certainly occur,
    and P0 if they cannot.

    All values are the nearest float; a nonzero value is never given as 0, nor a finite
    one as `inf`.

    Attributes:
        birnbaum: P1 - P0.
        criticality: (P - P0) / P: the fraction that would vanish without them. For one
            event it is its probability times `birnbaum` over P.
        fussell_vesely: The probability that a set occurs that contains one of them,
            given that some set does; `None` if not requested.
        raw: P1 / P, the risk achievement worth.
        rrw: P / P0, the risk reduction worth; `inf` if P0 is 0.
    """

    birnbaum: float
    criticality: float
    fussell_vesely: float | None
    raw: float
    rrw: float


@dataclass
class Tree:
    """The top event "the events contain one of the sets", for known sets and chances.

    Args:
        family: The sets; none is contained in another.
        chances: The probability of each event.
        manager: Creates a new BDD manager of dd.
        check: Called at intervals; raises to end the computation.
        most: Maximum number of nodes of a manager.
        spare: Maximum probability that only sets occur which the diagram leaves out to
            stay small.

    Attributes:
        lower: The lower bound on the probability.
        upper: The upper bound.
        kept: The sets in the diagram, the most probable first; all if it is exact.
        stopped: The error that kept it from containing more, if the run must end.
    """

    family: Sequence[Set]
    chances: Sequence[Chance]
    manager: Callable[[], Any]
    check: Callable[[], None]
    most: int
    spare: Chance = ZERO
    kept: Sequence[Set] = field(init=False)
    lower: Decimal = field(init=False)
    upper: Decimal = field(init=False)
    stopped: LimitExceeded | None = field(init=False, default=None)
    _builder: Builder = field(init=False, repr=False)
    _decision: Decision = field(init=False, repr=False)

    def __post_init__(self) -> None:
        """Build the diagram of as many sets as fit."""
        self.chances = [*map(exact, self.chances)]
        self.spare = exact(self.spare)
        with wide():
            self._fill()

    def _fill(self) -> None:
        sets = sorted(self.family, key=lambda s: (-self.chance(s), sorted(s)))
        enough, left = len(sets), ZERO
        while enough and (left := left + self.chance(sets[enough - 1])) <= self.spare:
            enough -= 1
        fits = True
        try:
            self._make(sets[:enough])
        except TooLarge:
            fits = False
            self._make_largest(sets[:enough])
        except LimitExceeded as error:
            self.stopped = error
            self._make(())
        lower = self._decision.probability(self.chances)
        others = sets[len(self.kept) :]
        # What the others add is not made as a difference: it may be ever so small.
        upper = lower
        for one in others:
            upper += (1 - upper) * self.chance(one)
        # Where few of them fit, the likeliest one alone may say more.
        least = max(lower, self.chance(sets[0])) if others else lower
        self.lower, self.upper = least, max(least, upper)
        if not fits and self.stopped is None:
            try:
                self._narrow()
            except LimitExceeded as error:
                self.stopped = error

    def _narrow(self) -> None:
        """Bring the bounds closer than the diagram does."""
        wanted = max(exact(self.spare), PRECISION * self.upper)
        if wanted < NOISE:
            return
        effort = LOOKS * self.most
        pairs = none_happens(self.family, self.chances, wanted, effort, self.check)
        for least, most in pairs:
            self.lower = max(self.lower, 1 - most - NOISE)
            self.upper = max(self.lower, min(self.upper, 1 - least + NOISE))
            if self.upper - self.lower <= wanted:
                return

    @property
    def bounds(self) -> ChanceBounds:
        """The probability."""
        return ChanceBounds.of(self.lower, self.upper)

    @property
    def is_whole(self) -> bool:
        """Whether the diagram contains all sets, so that all figures are exact."""
        return len(self.kept) == len(self.family)

    def chance(self, one: Iterable[Event]) -> Decimal:
        """Return the probability that all events of a set occur."""
        with wide():
            return ONE * prod(exact(self.chances[event]) for event in sorted(one))

    def _make(self, sets: Sequence[Set]) -> None:
        # Not a method: a diagram that holds itself would not be freed in time.
        # One of no sets is made at any time.
        check = self.check if sets else go_on
        order = ordering(sets, check)
        builder = Builder(self.manager(), order, bounded(check, self.most))
        with Endable():
            root = builder.holds_one(sets)
        self._decision = builder.decision(root)
        self._builder, self.kept = builder, sets

    def _make_largest(self, sets: Sequence[Set]) -> None:
        """Take more and more of the sets while they fit; then in smaller steps."""
        fit, step = 0, 32
        self._make(())
        # Ends: a step that fits leaves fewer sets, one that does not is smaller next.
        while step >= 8 and fit < len(sets) - 1 and self.stopped is None:
            try:
                self._make(sets[: min(fit + step, len(sets) - 1)])
                fit = len(self.kept)
                step *= 2
            except TooLarge:
                step //= 4
            except LimitExceeded as error:
                self.stopped = error

    def importance(self, events: Collection[Event], *, fussell: bool) -> Importance:
        """Return the importance of some events, for the sets in the diagram.

        Args:
            events: One event, or several together.
            fussell: Whether to compute Fussell-Vesely, which needs a further diagram.

        Raises:
            TooLarge: That diagram is, or numbers need more than `MOST_DIGITS`.
        """
        digits = self._digits
        if digits > MOST_DIGITS:
            raise TooLarge
        with wide(digits):
            whole, surely, never = (
                self._decision.probability(chances, digits)
                for chances in (
                    self.chances,
                    self._changed(events, ONE),
                    self._changed(events, ZERO),
                )
            )
            birnbaum, lost = surely - never, whole - never
            if len(events) == 1:
                (event,) = events
                birnbaum = self.derivatives[event]
                lost = exact(self.chances[event]) * birnbaum
            vesely = None
            if fussell:
                touched = [s for s in self.kept if not s.isdisjoint(events)]
                held = self._builder.decision(self._builder.holds_one(touched))
                vesely = _ratio(held.probability(self.chances), whole)
            return Importance(
                nearest(birnbaum),
                _ratio(lost, whole),
                vesely,
                _ratio(surely, whole),
                nearest(whole / never) if never else inf,
            )

    def _changed(self, events: Collection[Event], chance: Decimal) -> list[Chance]:
        """The chances where some events have another one."""
        chances = list(self.chances)
        for event in events:
            chances[event] = chance
        return chances

    @cached_property
    def derivatives(self) -> list[Decimal]:
        """Birnbaum's importance of each event."""
        digits = min(self._digits, MOST_DIGITS)
        return self._decision.derivatives(self.chances, digits)

    @cached_property
    def _digits(self) -> int:
        """Digits for differences of probabilities that are nearly the same.

        With and without an event of a set they differ at least by how likely all of the
        set happens, and nothing else of what is not sure.
        """
        with wide():
            least = min(filter(None, map(self.chance, self.kept)), default=ONE)
            for event in frozenset().union(*self.kept):
                least *= (1 - exact(self.chances[event])) or 1
            return DIGITS - least.adjusted()


def _ratio(part: Decimal, whole: Decimal) -> float:
    return nearest(part / whole) if whole else 0.0


def joint(
    top: Sequence[Set],
    excluded: Sequence[Set],
    chances: Sequence[Chance],
    manager: Callable[[], Any],
    counted: Check,
) -> tuple[Decimal, Decimal]:
    """Return P(no excluded set) and P(no excluded set, but some set of `top`).

    Args:
        top: The sets.
        excluded: The excluded sets.
        chances: The probability of each event.
        manager: Creates a new BDD manager of dd.
        counted: See `Builder`.

    Returns:
        Both probabilities.
    """
    order = ordering([*top, *excluded], partial(counted, 0))
    builder = Builder(manager(), order, counted)
    with Endable():
        kept = ~builder.holds_one(excluded)
        either = kept & builder.holds_one(top)
    both = builder.decision(either).probability(chances)
    return builder.decision(kept).probability(chances), both


@dataclass(frozen=True)
class KnownSets:
    """What is known about a family of sets that may be incomplete.

    Attributes:
        family: The known sets; none is contained in another.
        relevant: All events that may be in an unknown set.
        complete_to: Every set of at most this many events is known.
        harmless: Sets of relevant events that contain no set, known or not.
    """

    family: Sequence[Set]
    relevant: Collection[Event]
    complete_to: int
    harmless: Sequence[Set] = ()


def bounds_of(
    known: KnownSets,
    chances: Sequence[Chance],
    manager: Callable[[], Any],
    check: Callable[[], None],
    most: int,
    spare: Chance = ZERO,
) -> ChanceBounds:
    """Return bounds on the probability that the events contain a set, known or not.

    Args:
        known: What is known.
        chances: The probability of each event.
        manager: See `Tree`.
        check: See `Tree`.
        most: See `Tree`.
        spare: See `Tree`.

    Cost: as for `Tree`; then the nodes times `complete_to`.
    """
    tree = Tree(known.family, chances, manager, check, most, spare)
    lower = tree.lower
    outside = [frozenset(known.relevant) - one for one in known.harmless]
    if not all(outside):
        return tree.bounds
    # What the diagram does not hold of the known sets.
    missed = tree.upper - lower
    counted = frozenset(known.relevant)
    while True:
        try:
            order = ordering([*tree.kept, *outside], check)
            # Events of no set are counted, and need no variables.
            all_events = [*order, *sorted(counted - set(order))]
            builder = Builder(manager(), order, bounded(check, most))
            with Endable():
                none = ~builder.holds_one(tree.kept)
                unknown = none & ~builder.leaves_out_one(outside)
            doubtful = builder.decision(unknown)
            least = known.complete_to + 1
            more = doubtful.many(chances, least, all_events, counted, check)
            return ChanceBounds.of(lower, min(ONE, lower + more + missed))
        except LimitExceeded:
            return ChanceBounds.of(lower, ONE)
        except TooLarge:
            # With fewer of the harmless sets it is smaller.
            if not outside:
                return ChanceBounds.of(lower, ONE)
            outside = outside[: len(outside) // 2]
