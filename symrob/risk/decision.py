"""Exact probabilities of monotone functions of independent events, as BDDs.

In:  a family of sets over events 0..n-1, a BDD manager of dd, the probability of each
     event.
Out: `Decision`: the function "the events that occur contain one of the sets" as a
     decision diagram; its probability, the derivatives by each event's probability, and
     the probability that it is false with few events.

This module does not depend on transitions or models.

The size of the diagram depends on the order of the events. Events that occur in the
same sets should be close together: `ordering` repeatedly moves each of them to the
centre of its sets, and keeps the order whose sets have the smallest span.

Probabilities are sums and products of nonnegative numbers: nothing is subtracted, so
that a probability of 1e-20 has as many correct digits as one of 0.1. They are decimal
numbers, which do not underflow: see `figures`.

Sources: docs/sources.md [Fault trees] (as BDDs), [FORCE] (the order).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from symrob.files.decimals import exact
from symrob.risk.figures import DIGITS, ONE, ZERO, wide

Event = int
Chance = float | Decimal
# A chance, and that of the contrary.
Both = tuple[Decimal, Decimal]
Set = frozenset[Event]
# Asked after each operation whether the building may go on, with the number of nodes.
Check = Callable[[int], None]

FALSE, TRUE = 0, 1
_ROUNDS = 60
# Operations between two looks at the number of nodes, which takes as long as some.
_SOME = 8


def minimal(family: Iterable[Set]) -> list[Set]:
    """Return the sets that contain no other set of the family, smallest first.

    Cost: for each set, about the number of sets kept before it that share its rarest
        event.
    """
    sets = sorted(set(family), key=lambda s: (len(s), sorted(s)))
    kept: list[Set] = []
    holding: dict[Event, list[Set]] = {}
    for one in sets:
        if kept and not kept[0]:
            break
        # A smaller set within this one is listed at its own first event.
        if any(part <= one for event in one for part in holding.get(event, ())):
            continue
        kept.append(one)
        if one:
            holding.setdefault(min(one), []).append(one)
    return kept


def go_on() -> None:
    """Do nothing: a check without bounds."""


def ordering(family: Collection[Set], check: Callable[[], None] = go_on) -> list[Event]:
    """Return the events of a family in an order for which its diagram is small.

    Args:
        family: The sets.
        check: Called each round; raises to end the computation.

    Cost: linear in the sizes of the sets, for each of at most `_ROUNDS` rounds.
    """
    order = _by_neighbours(family)
    best, least = order, _span(family, order)
    for _ in range(_ROUNDS):
        check()
        order = _centred(family, order)
        span = _span(family, order)
        if span >= least:
            break
        best, least = order, span
    return best


def _by_neighbours(family: Collection[Set]) -> list[Event]:
    """The events, each part that is connected for itself, from one end to the other."""
    sets_of: dict[Event, list[Set]] = {}
    for one in family:
        for event in one:
            sets_of.setdefault(event, []).append(one)
    order: dict[Event, None] = {}
    seen: set[Set] = set()
    for start in sorted(sets_of, key=lambda e: (len(sets_of[e]), e)):
        todo = [start] if start not in order else []
        for event in todo:
            if event not in order:
                order[event] = None
                near = [s for s in sets_of[event] if s not in seen]
                seen.update(near)
                todo += (e for s in near for e in sorted(s))
    return list(order)


def _centred(family: Iterable[Set], order: Sequence[Event]) -> list[Event]:
    """Each event goes to the mean of the centres of its sets."""
    place = {event: number for number, event in enumerate(order)}
    sums = dict.fromkeys(order, 0.0)
    counts = dict.fromkeys(order, 0)
    for one in family:
        centre = sum(map(place.__getitem__, one)) / max(1, len(one))
        for event in one:
            sums[event] += centre
            counts[event] += 1
    return sorted(order, key=lambda e: (sums[e] / counts[e], place[e]))


def _span(family: Iterable[Set], order: Sequence[Event]) -> int:
    place = {event: number for number, event in enumerate(order)}
    total = 0
    for one in family:
        places = [place[event] for event in one]
        total += max(places, default=0) - min(places, default=0)
    return total


class Builder:
    """Builds diagrams over one order of events.

    Args:
        manager: A BDD manager of dd without variables; gets one for each event.
        order: The events.
        check: See `Check`; raises to end the computation.
    """

    def __init__(self, manager: Any, order: Sequence[Event], check: Check) -> None:
        self.manager = manager
        self.order = list(order)
        self._place = {event: number for number, event in enumerate(order)}
        self._names = [f"e{event}" for event in order]
        self._check = check
        self._operations = 0
        manager.declare(*self._names)
        self._variables = [manager.var(name) for name in self._names]

    def holds_one(self, family: Iterable[Set]) -> Any:
        """Return the BDD of "the events contain one of the sets".

        Cost: at most one operation for each event of each set; only `check` bounds the
            number of nodes.
        """
        rows = sorted(sorted(map(self._place.__getitem__, one)) for one in family)
        result = self._any(rows, 0, len(rows), 0)
        self._check(len(self.manager))
        return result

    def _any(self, rows: list[list[int]], low: int, high: int, depth: int) -> Any:
        """Of `rows[low:high]`, which agree in their first `depth` places."""
        if low == high:
            return self.manager.false
        if len(rows[low]) == depth:
            return self.manager.true
        # Those with the same next place share it; from the last to the first, so
        # that each step adds nodes on top.
        result = self.manager.false
        end = high
        while end > low:
            place = rows[end - 1][depth]
            begin = end
            while begin > low and rows[begin - 1][depth] == place:
                begin -= 1
            rest = self._any(rows, begin, end, depth + 1)
            result |= self._variables[place] & rest
            self._count()
            end = begin
        return result

    def leaves_out_one(self, family: Iterable[Set]) -> Any:
        """Return the BDD of "the events are disjoint from one of the sets"."""
        # Dual to the above: of the complement every variable is turned round.
        result = self.manager.false
        for one in family:
            cube = dict.fromkeys((self._names[self._place[e]] for e in one), False)
            result |= self.manager.cube(cube)
            self._count()
        return result

    def _count(self) -> None:
        self._operations += 1
        if self._operations % _SOME == 0:
            self._check(len(self.manager))

    def decision(self, root: Any) -> Decision:
        """Return a BDD as a diagram for fast traversal."""
        numbers = {int(self.manager.false): FALSE, int(self.manager.true): TRUE}
        nodes: list[tuple[Event, int, int]] = [(-1, FALSE, FALSE), (-1, TRUE, TRUE)]
        event_of = {self.manager.level_of_var(f"e{e}"): e for e in self.order}
        todo: list[tuple[Any, tuple[Any, Any] | None]] = [(root, None)]
        while todo:
            edge, below = todo.pop()
            key = int(edge)
            if key in numbers:
                continue
            if below is None:
                low, high = edge.low, edge.high
                if edge.negated:
                    low, high = ~low, ~high
                below = (low, high)
                todo.append((edge, below))
                todo += ((e, None) for e in below if int(e) not in numbers)
            else:
                numbers[key] = len(nodes)
                low, high = below
                children = numbers[int(low)], numbers[int(high)]
                nodes.append((event_of[edge.level], *children))
                if len(nodes) % 4096 == 0:
                    self._check(len(self.manager))
        return Decision(tuple(nodes), numbers[int(root)])


@dataclass(frozen=True)
class Decision:
    """A decision diagram: its nodes, bottom up, and its root.

    Attributes:
        nodes: For each node its event, and the successors if the event does not occur
            and if it does; the first two nodes are false and true.
        root: The root.
    """

    nodes: tuple[tuple[Event, int, int], ...]
    root: int

    def probability(self, chances: Sequence[Chance], digits: int = DIGITS) -> Decimal:
        """Return the probability that the function is true.

        Args:
            chances: The probability of each event; events are independent.
            digits: Number of digits of the computation.
        """
        with wide(digits):
            return self._values(both(chances))[self.root]

    def _values(self, chances: Sequence[Both]) -> list[Decimal]:
        values = [ZERO, ONE]
        for event, low, high in self.nodes[2:]:
            p, q = chances[event]
            values.append(q * values[low] + p * values[high])
        return values

    def derivatives(
        self, chances: Sequence[Chance], digits: int = DIGITS
    ) -> list[Decimal]:
        """Return by how much each event increases the probability of the function.

        That is the derivative of the probability by the event's probability: P(f with
        the event) minus P(f without it).

        Args:
            chances: As for `probability`.
            digits: Number of digits of the computation; nearly equal numbers are
                subtracted.
        """
        with wide(digits):
            pairs = both(chances)
            values = self._values(pairs)
            reached = [ZERO] * len(self.nodes)
            reached[self.root] = ONE
            result = [ZERO] * len(chances)
            for number in range(len(self.nodes) - 1, 1, -1):
                event, low, high = self.nodes[number]
                (p, q), here = pairs[event], reached[number]
                result[event] += here * (values[high] - values[low])
                reached[low] += here * q
                reached[high] += here * p
        return result

    def many(
        self,
        chances: Sequence[Chance],
        least: int,
        order: Sequence[Event],
        counted: Collection[Event],
        check: Callable[[], None] = go_on,
    ) -> Decimal:
        """Return the probability that the function is true and many events occur.

        Args:
            chances: As for `probability`.
            least: Minimum number of events; not negative.
            order: All events that are counted or tested, in the diagram's order.
            counted: The events that are counted.
            check: Called for each node, as in `ordering`.

        Cost: `least` times the nodes, and the events between them.
        """
        with wide():
            return self._many(both(chances), least, order, counted, check)

    def _many(
        self,
        chances: Sequence[Both],
        least: int,
        order: Sequence[Event],
        counted: Collection[Event],
        check: Callable[[], None],
    ) -> Decimal:
        place = {event: number for number, event in enumerate(order)}
        never, start = [ZERO] * (least + 1), [ZERO] * (least + 1)
        start[0] = ONE
        rows, at = [never, start], [len(order)] * 2

        def lifted(number: int, to: int) -> list[Decimal]:
            """The row of a node, with the events before it that it does not ask for."""
            row = rows[number]
            if number != FALSE:
                for event in reversed(order[to : at[number]]):
                    if event in counted:
                        row = _one_more(row, row, chances[event])
            return row

        for event, low, high in self.nodes[2:]:
            check()
            here = place[event]
            without, with_it = lifted(low, here + 1), lifted(high, here + 1)
            p, q = chances[event]
            if event in counted:
                rows.append(_one_more(without, with_it, (p, q)))
            else:
                pairs = zip(without, with_it, strict=True)
                rows.append([q * w + p * v for w, v in pairs])
            at.append(here)
        return lifted(self.root, 0)[-1]


def both(chances: Sequence[Chance]) -> list[Both]:
    """Return each probability with its complement."""
    return [(p, ONE - p) for p in map(exact, chances)]


def _one_more(
    without: list[Decimal], with_it: list[Decimal], chance: Both
) -> list[Decimal]:
    """The chances of 0, 1, … events where one is added; the last one is "or more"."""
    p, q = chance
    row = [q * w for w in without]
    for number, v in enumerate(with_it):
        row[min(number + 1, len(row) - 1)] += p * v
    return row
