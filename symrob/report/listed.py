"""Long lists in text: the first ones in full, then counts of the others.

In:  the items that a search yields.
Out: the first items; then counts by size and contents.

Text lists only the first items. The others are counted within the budget `counting`,
unless the user has set a time; JSON, JSON lines and CSV contain all.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import nullcontext
from typing import Generic, Protocol, TypeVar

from symrob.limits import Clock, Outcome, counted_out
from symrob.report.text import plural, printable, wrapped

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)
# What ended a list that is not complete, though no bound of the run was hit.
COUNTED = "counting stopped (--timeout S allows S seconds)"
# Of the counts, the largest.
_MOST_COUNTS = 8


class Listable(Outcome, Protocol[T_co]):
    """A search: an iterable that knows how it ended."""

    def __iter__(self) -> Iterator[T_co]: ...


class Listed(Generic[T]):
    """The listed items; iterate over it once.

    Args:
        source: Yields the items.
        most: How many are listed; `None` for all.
        clock: Clock of the run.
        measure: Returns the size of an item, and the keys under which it is counted.
        to_the_end: Count all, without a time bound.

    Attributes:
        shown: Number of items that count as listed; by default each item does.
        came: Number of items before counting, listed or not.
        left: Number of items that were counted and not listed.
        stopped: Whether counting ended before the last one.
    """

    def __init__(
        self,
        source: Listable[T],
        most: int | None,
        clock: Clock,
        measure: Callable[[T], tuple[int, Iterable[str]]],
        *,
        to_the_end: bool = False,
    ) -> None:
        self._source, self._most, self._clock = source, most, clock
        self._measure = measure
        self._timed = not to_the_end and clock.limits.seconds is None
        self.shown = self.came = self.left = 0
        self.stopped = False
        self._sizes: Counter[int] = Counter()
        self._labels: Counter[str] = Counter()

    def __iter__(self) -> Iterator[T]:
        """Yield the items to list; then count the others."""
        source = iter(self._source)
        while self._most is None or self.shown < self._most:
            try:
                one = next(source)
            except StopIteration:
                return
            self.shown += 1
            self.came += 1
            yield one
        with self._clock.step("counting") if self._timed else nullcontext():
            for one in source:
                self._count(one)
        # The source ends itself when the time is up.
        self.stopped = counted_out(self._source.status, self._clock)

    def _count(self, one: T) -> None:
        self.left += 1
        size, labels = self._measure(one)
        self._sizes[size] += 1
        # A mapping would be taken for counts.
        self._labels.update(iter(labels))

    def lines(self, what: str, size: str) -> Iterator[str]:
        """Yield the counts.

        Args:
            what: The noun for an item, such as `deviation`.
            size: What the size counts, such as `new transitions`.
        """
        if not self.left:
            return
        more = "more than " if self.stopped else ""
        yield ""
        yield f"Not listed: {more}{plural(self.left, what)}; --all lists all"
        yield from wrapped(f"  by {size}: {_counts(self._sizes)}")
        if self._labels:
            yield from wrapped(f"  containing: {_counts(self._labels)}")


def _counts(counts: Counter[int] | Counter[str]) -> str:
    """The largest counts: `4: 120, 3: 16`."""
    # Of equal counts the first by name, whatever the seed of hashes.
    ordered = sorted(sorted(counts.items()), key=lambda entry: -entry[1])
    shown = ordered[:_MOST_COUNTS]
    parts = [f"{printable(str(key))}: {count:,}" for key, count in shown]
    if more := len(counts) - len(shown):
        parts.append(f"and {more:,} more")
    return ", ".join(parts)
