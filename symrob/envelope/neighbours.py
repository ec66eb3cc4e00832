"""Finding many maximal safe sets at once: the neighbours of known ones.

In:  a `DeterminisedMonitor`, a `MaximalExtension`, and maximal safe sets.
Out: `Neighbours`: further sets, each once, as long as most of them are new.

A neighbour of a maximal safe set M contains a candidate that M lacks, as much of M as
is compatible with it, and a maximal extension of these. If Δ is large, most neighbours
are new. A solver ensures that all of Δ is found (`maximal`).

Source: docs/sources.md [Neighbours]; extending them in parallel is our own idea.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from random import Random

from symrob.envelope import tuning
from symrob.envelope.columns import Columns, Steps
from symrob.envelope.determinised import BitRows, DeterminisedMonitor
from symrob.envelope.extension import MaximalExtension, Place, PlaceMask
from symrob.limits import Clock
from symrob.lts.masks import bits


class Neighbours:
    """Finds maximal safe sets that are close to known ones.

    Args:
        determinised: The monitor states.
        extension: The rows and their candidates.
        clock: Checked during the extension of sets.

    Cost: for each set, 4 µs with 70 candidates, 10 µs with 240, 200 µs with 1,270;
        before the first set, 5 µs for each clause.
    """

    def __init__(
        self,
        determinised: DeterminisedMonitor,
        extension: MaximalExtension,
        clock: Clock,
    ) -> None:
        self._determinised = determinised
        self._extension = extension
        self._clock = clock
        self._random = Random(0)
        self._steps: Steps | None = None
        self._known: set[PlaceMask] = set()
        # What was told and not looked at; sets whose neighbours are still to be grown;
        # and neighbours that are still to be given.
        self._told: list[BitRows] = []
        self._queue: deque[PlaceMask] = deque()
        self._grown: list[PlaceMask] = []
        # Above 0 where too few of those that were grown last were new.
        self._missing = 0
        # This many sets must be told before anything is grown, and this many grow then.
        self._wanted = tuning.FIRST_SETS
        self._together = tuning.GROWN_AT_FIRST

    def tell(self, chosen: BitRows) -> None:
        """Record a maximal safe set: it is known, and its neighbours can be tried."""
        self._told.append(chosen)

    def new(
        self, including: Sequence[int] = (), excluding: Sequence[int] = ()
    ) -> Iterator[PlaceMask]:
        """Yield unknown sets, while enough of the extended ones are new.

        It may be interrupted and called again.

        Args:
            including: Candidates that all of them contain; for each row as bits.
            excluding: Candidates that none of them contains; for each row as bits.

        Raises:
            LimitExceeded: A bound was hit; the sets yielded before are valid.
        """
        steps = self._ready()
        if steps is None:
            return
        holding, lacking = map(self._extension.mask_of, (including, excluding))
        while self._grown or self._queue:
            if not self._grown:
                self._grown = self._beside(steps, holding, lacking)
                self._missing = len(self._grown)
                continue
            mask = self._grown.pop()
            if mask not in self._known and _within(mask, holding, lacking):
                self._known.add(mask)
                self._queue.append(mask)
                self._missing -= tuning.FEW_NEW
                yield mask
            if not self._grown and self._missing > 0:
                self._queue.clear()
                self._wanted *= 2
                self._together = tuning.GROWN_AT_FIRST

    def _ready(self) -> Steps | None:
        """Look at what was told; return the steps if there is something to do."""
        going_on = self._steps and (self._grown or self._queue)
        if not (going_on or len(self._told) >= self._wanted):
            return None
        told = [*map(self._extension.mask_of, self._told)]
        self._told.clear()
        self._known.update(told)
        self._queue.extend(told)
        if self._steps is None:
            self._steps = Steps.of(
                self._determinised,
                self._extension,
                tuning.STEPS_EACH * len(self._known),
                self._clock,
            )
            if self._steps is None:
                self._wanted *= 2
        return self._steps

    def _beside(
        self, steps: Steps, holding: PlaceMask, lacking: PlaceMask
    ) -> list[PlaceMask]:
        """Grow neighbours of the sets that wait longest."""
        together = self._together
        self._together = min(2 * together, tuning.GROWN_TOGETHER)
        most = max(1, together // tuning.NEIGHBOURS)
        kept: list[PlaceMask] = []
        choices: list[list[Place]] = []
        while self._queue and len(kept) < most:
            mask = self._queue.popleft()
            places = [*bits(steps.candidates & ~(mask | lacking))]
            if places and _within(mask, holding, lacking):
                kept.append(mask)
                choices.append(places)
        if not kept:
            return []
        rounds = min(max(map(len, choices)), -(-together // len(kept)))
        # From anywhere and far from each other: those side by side do much the same.
        starts = [self._random.randrange(len(places)) for places in choices]
        strides = [max(1, len(places) // rounds) for places in choices]
        added = [
            [
                places[(start + number * stride) % len(places)]
                for places, start, stride in zip(choices, starts, strides, strict=True)
            ]
            for number in range(rounds)
        ]
        # What must be there joins first, what must not be last.
        order = [*bits(steps.candidates)]
        self._random.shuffle(order)
        order.sort(key=lambda place: (lacking >> place & 1) - (holding >> place & 1))
        columns = Columns(steps, len(kept) * rounds, self._clock)
        return columns.grown(kept, added, order)


def _within(mask: PlaceMask, holding: PlaceMask, lacking: PlaceMask) -> bool:
    return not (holding & ~mask or lacking & mask)
