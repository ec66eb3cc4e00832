"""Bounds on the probability that none of many sets occurs, without a diagram.

In:  the sets, the probability of each event, the allowed effort.
Out: bounds on the probability that none of the sets occurs; tighter with more effort.

Remove the events one after the other. With x, P(none of F) is P(none without x) times 1
- p(x)·(1 - A), where A is the probability that no rest S - {x} of its sets occurs,
given that no set without x does. One rest after the other, A is a product of factors 1
- P(rest | none of the others), and for an event y of a rest P(y | none) is pA/(1 - p +
pA) with the A of y, among the sets that are still there: the same question again, of
sets that lie further from x. The larger an inner A, the smaller the outer one. So
bounds on the inner ones give bounds on the outer one, reversed at each level; and
distant sets matter less and less.

Where little depends on the answer, P(y | none) is between what A >= ∏(1 - P(rest))
gives and p(y). Both follow from [Harris]: that no set occurs makes no event more
likely, and the events that two families of sets do not occur are positively correlated.

Source: docs/sources.md [Decay], [Harris].
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from decimal import Decimal
from math import prod

from symrob.files.decimals import exact
from symrob.risk.decision import Chance, Event, Set, minimal
from symrob.risk.figures import ONE, ZERO

# A probability from both sides.
Pair = tuple[Decimal, Decimal]


class Spent(Exception):
    """The effort bound was exceeded."""


def none_happens(
    family: Collection[Set],
    chances: Sequence[Chance],
    wanted: Chance,
    effort: int,
    check: Callable[[], None],
) -> Iterator[Pair]:
    """Yield ever tighter bounds on the probability that no set occurs.

    Args:
        family: The sets.
        chances: The probability of each event.
        wanted: Stop when the bounds differ by at most this.
        effort: Stop when this many sets were examined, in all; a few million take a
            second.
        check: Called at intervals; raises to end the computation.

    Cost: exponential in the recursion depth; the base is the number of sets of an event
        times their probabilities. If that is below about 1, each digit takes some ten
        times as long as the one before.
    """
    known, wanted = [*map(exact, chances)], exact(wanted)
    possible = [s for s in family if all(known[event] > 0 for event in s)]
    sure = frozenset(e for s in possible for e in s if known[e] >= 1)
    sets = minimal(s - sure for s in possible)
    if not sets or not sets[0]:
        yield (ZERO, ZERO) if sets else (ONE, ONE)
        return
    question = _Question(sets, known, effort, check)
    gap, spare = ONE, ONE / 64
    while gap > wanted:
        try:
            lower, upper = question.asked(spare)
        except Spent:
            return
        gap, spare = upper - lower, spare / 4
        yield lower, upper


class _Question:
    """The sets as they are while it is asked.

    An event is *taken* where it is known to happen: it is not asked for any more. Sets
    are *away* where one of their events is known not to happen, or they wait for
    their turn.
    """

    def __init__(
        self,
        sets: Sequence[Set],
        chances: Sequence[Decimal],
        effort: int,
        check: Callable[[], None],
    ) -> None:
        self._chances = chances
        self._left = effort
        self._check = check
        self._sets = [tuple(s) for s in sets]
        self._of: dict[Event, list[int]] = {}
        for number, one in enumerate(self._sets):
            for event in one:
                self._of.setdefault(event, []).append(number)
        # How likely what is not yet taken of each set happens.
        self._rest: list[Decimal] = []
        self._away: list[bool] = []
        self._taken: set[Event] = set()
        whole = [ONE * prod(chances[e] for e in one) for one in self._sets]
        weight = {e: sum(whole[s] for s in numbers) for e, numbers in self._of.items()}
        # The first have all others around them, so those that matter least go first.
        self._order = sorted(self._of, key=lambda e: (weight[e], e))

    def asked(self, spare: Decimal) -> Pair:
        """Bounds of the probability that no set happens.

        Args:
            spare: What may be left out at each place, as its part of the whole.
        """
        chances = self._chances
        self._rest = [ONE * prod(chances[e] for e in one) for one in self._sets]
        self._away = [False] * len(self._sets)
        self._taken = set()
        low = high = ONE
        for event in self._order:
            least = self._least(event)
            a, b = self._missed(event, chances[event], spare)
            low *= 1 - chances[event] * (1 - max(a, least))
            high *= 1 - chances[event] * (1 - b)
            for number in self._of[event]:
                self._away[number] = True
        return low, max(low, high)

    def _least(self, event: Event) -> Decimal:
        """How likely none of the rests of an event's sets happens, at least."""
        chance, rest, away = self._chances[event], self._rest, self._away
        self._left -= len(self._of[event])
        if self._left < 0:
            raise Spent
        result = ONE
        for number in self._of[event]:
            if not away[number]:
                # What was divided before may be a little more than its share.
                result *= max(ZERO, 1 - rest[number] / chance)
        return result

    def _missed(self, event: Event, weight: Decimal, spare: Decimal) -> Pair:
        """How likely none of the rests of its sets happens, given no other set does.

        Args:
            event: Neither taken nor known not to happen.
            weight: How much the answer counts.
            spare: See `asked`.
        """
        self._check()
        rest, away, chance = self._rest, self._away, self._chances[event]
        mine = [s for s in self._of[event] if not away[s]]
        mine.sort(key=rest.__getitem__, reverse=True)
        before = [rest[s] for s in mine]
        for number in mine:
            away[number] = True
        self._taken.add(event)
        low = high = ONE
        for number in mine:
            events = [e for e in self._sets[number] if e not in self._taken]
            if not events:
                low = high = ZERO
                break
            a, b = self._together(events, weight * high, spare)
            low, high = low * (1 - b), high * (1 - a)
            rest[number] /= chance
            away[number] = False
        self._taken.discard(event)
        for number, value in zip(mine, before, strict=True):
            rest[number], away[number] = value, False
        return low, high

    def _together(self, events: list[Event], weight: Decimal, spare: Decimal) -> Pair:
        """How likely some events all happen, given that no set does."""
        chances, rest = self._chances, self._rest
        events.sort(key=lambda e: (chances[e], e))
        left = ONE * prod(map(chances.__getitem__, events))
        if weight * left <= spare:
            return ZERO, left
        low = high = ONE
        undo: list[tuple[int, Decimal]] = []
        for event in events:
            left /= chances[event]
            a, b = self._happens(event, weight * high * left, spare)
            low, high = low * a, high * b
            if event == events[-1] or not high:
                break
            self._taken.add(event)
            for number in self._of[event]:
                if not self._away[number]:
                    undo.append((number, rest[number]))
                    rest[number] /= chances[event]
        self._taken.difference_update(events)
        for number, value in reversed(undo):
            rest[number] = value
        return low, high

    def _happens(self, event: Event, weight: Decimal, spare: Decimal) -> Pair:
        """How likely an event happens, given that no set does."""
        p = self._chances[event]
        least = self._least(event)
        low, high = p * least / (1 - p + p * least), p
        if weight * (high - low) > spare:
            a, b = self._missed(event, weight * p, spare)
            a = max(a, least)
            low, high = p * a / (1 - p + p * a), p * b / (1 - p + p * b)
        return low, high
