"""Extending many sets of candidates to maximal ones at the same time.

In:  a `DeterminisedMonitor`, the rows of a `MaximalExtension`; safe sets, each with a
     candidate.
Out: `Columns`: equally many maximal safe sets.

A *column* is an integer with one bit for each set. Each transition has a column of the
sets that contain it; each pair (state of E, monitor state) has a column of the sets
that reach it, and one of the sets with which it reaches ERROR. So one operation is a
step of a thousand sets.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import NamedTuple

from symrob.envelope.determinised import FAILED, DeterminisedMonitor, MonitorStates
from symrob.envelope.extension import MaximalExtension, Place, PlaceMask
from symrob.limits import Clock
from symrob.lts.masks import bits
from symrob.memory import MEBIBYTE, resident

# Which of the sets have something, as bits.
Column = int
# A pair, by number.
Pair = int
# What a step takes at most.
_STEP_BYTES = 600


class Steps(NamedTuple):
    """The pairs that all candidates together reach, and the steps between them.

    Attributes:
        places: Number of places of transitions.
        candidates: Places of the candidates.
        fixed: Places of R_E, including `tau` moves of E.
        pairs: Number of pairs.
        initial: The pairs that are always reached.
        leads: For each place the steps of its transition: from which pair to which.
        fails: For each place the pairs from which its transition leads to ERROR.
        onward: For each pair its successors, each with the places that lead there.
        back: For each pair its predecessors, each with the places that lead from there.
    """

    places: int
    candidates: PlaceMask
    fixed: tuple[Place, ...]
    pairs: int
    initial: tuple[Pair, ...]
    leads: list[list[tuple[Pair, Pair]]]
    fails: list[list[Pair]]
    onward: list[list[tuple[Pair, tuple[Place, ...]]]]
    back: list[list[tuple[Pair, tuple[Place, ...]]]]

    @classmethod
    def of(
        cls,
        determinised: DeterminisedMonitor,
        extension: MaximalExtension,
        most: int,
        clock: Clock,
    ) -> Steps | None:
        """Return the steps of a problem, or `None` if they are too many.

        Args:
            determinised: The monitor states; more of them are explored.
            extension: The rows and their candidates.
            most: Maximum number of steps; lower if memory is short.
            clock: Checked at intervals.

        Raises:
            LimitExceeded: A bound was hit.

        Cost: linear in the steps, 7 µs and up to 600 bytes each.
        """
        bound = clock.limits.memory
        if bound is not None:
            most = min(most, int((bound * MEBIBYTE - resident()) / _STEP_BYTES))
        if most < 0:
            return None
        met = met_by_all(determinised, extension, most, clock)
        if met is None:
            return None
        numbers = {
            key: number
            for number, key in enumerate(
                (state, m) for state, found in enumerate(met) for m in bits(found)
            )
        }
        states = extension.states
        places = len(extension.rows) * states
        leads: list[list[tuple[Pair, Pair]]] = [[] for _ in range(places)]
        fails: list[list[Pair]] = [[] for _ in range(places)]
        onward: list[dict[Pair, list[Place]]] = [{} for _ in numbers]
        back: list[dict[Pair, list[Place]]] = [{} for _ in numbers]
        for (state, monitor_state), before in numbers.items():
            clock.check()
            for action, row in extension.of_state(state):
                image = determinised.step(monitor_state, action)
                for target in bits(extension.fixed[row] | extension.options[row]):
                    place = row * states + target
                    if image == FAILED:
                        fails[place].append(before)
                        continue
                    for following in bits(image):
                        after = numbers[target, following]
                        leads[place].append((before, after))
                        if before != after:
                            onward[before].setdefault(after, []).append(place)
                            back[after].setdefault(before, []).append(place)
        return cls(
            places,
            extension.mask_of(extension.options),
            tuple(bits(extension.mask_of(extension.fixed))),
            len(numbers),
            tuple(numbers[0, m] for m in bits(determinised.initial)),
            leads,
            fails,
            [[(p, tuple(by)) for p, by in steps.items()] for steps in onward],
            [[(p, tuple(by)) for p, by in steps.items()] for steps in back],
        )


def met_by_all(
    determinised: DeterminisedMonitor,
    extension: MaximalExtension,
    most: int,
    clock: Clock,
) -> list[MonitorStates] | None:
    """Return the monitor states that all candidates together reach, even after ERROR.

    Args:
        determinised: The monitor states; more of them are explored.
        extension: The rows and their candidates.
        most: Maximum number of steps between pairs.
        clock: Checked at intervals.

    Returns:
        For each state of E the monitor states met with it; `None` if there are more
        steps.
    """
    full = [f | o for f, o in zip(extension.fixed, extension.options, strict=True)]
    found = [0] * extension.states
    todo = {0: determinised.initial}
    steps = 0
    while todo:
        clock.check()
        state, fresh = todo.popitem()
        found[state] |= fresh
        for action, row in extension.of_state(state):
            count = full[row].bit_count()
            for monitor_state in bits(fresh):
                after = determinised.step(monitor_state, action)
                steps += count * (1 if after == FAILED else after.bit_count())
                if after != FAILED:
                    for target in extension.targets(full[row]):
                        if new := after & ~found[target]:
                            todo[target] = todo.get(target, 0) | new
            if steps > most:
                return None
    return found


class Columns:
    """Sets that are extended at the same time; initially each is R_E.

    Args:
        steps: The pairs and the steps between them.
        count: Number of sets.
        clock: Checked during the extension.
    """

    def __init__(self, steps: Steps, count: int, clock: Clock) -> None:
        self._steps = steps
        self._count = count
        self._clock = clock
        self._all: Column = (1 << count) - 1
        self._present: list[Column] = [0] * steps.places
        # The sets that do not meet a pair, and those in which it is not known to lead
        # to ERROR: the complements of columns, which would cost more to make each time.
        self._unmet: list[Column] = [self._all] * steps.pairs
        self._sound: list[Column] = [self._all] * steps.pairs
        for place in steps.fixed:
            self._present[place] = self._all
        self._spread(dict.fromkeys(steps.initial, self._all), steps.onward, self._unmet)
        failing = (pair for place in steps.fixed for pair in steps.fails[place])
        self._spread(dict.fromkeys(failing, self._all), steps.back, self._sound)

    def grown(
        self,
        kept: Sequence[PlaceMask],
        added: Sequence[Sequence[Place]],
        order: Sequence[Place],
    ) -> list[PlaceMask]:
        """Return maximal safe sets, one for each set and candidate.

        Args:
            kept: Sets, of which as much is kept as is compatible with the candidate.
            added: For each round a candidate for each set, individually safe.
            order: All candidates, in the order in which they are tried.

        Raises:
            LimitExceeded: A bound was hit.

        Cost: for each candidate two operations on columns for each of its steps, and a
            forward and backward propagation.
        """
        first: dict[Place, Column] = {}
        for number, place in enumerate(chain.from_iterable(added)):
            first[place] = first.get(place, 0) | 1 << number
        for place, where in first.items():
            self._join(place, where)
        # In each round the same sets.
        again = sum(1 << len(kept) * n for n in range(len(added)))
        wanted = transposed(kept, self._steps.places)
        open_ = dict.fromkeys(order, self._all)
        for place in order:
            # Safety is monotone: what is refused once would be again.
            open_[place] ^= self._join(place, wanted[place] * again)
        for place in order:
            self._join(place, open_[place])
        found = transposed(self._present, self._count)
        return [mask & self._steps.candidates for mask in found]

    def _join(self, place: Place, where: Column) -> Column:
        """Let a transition join sets; return those in which that is not safe."""
        where ^= where & self._present[place]
        if not where:
            return 0
        self._clock.check()
        unmet, sound = self._unmet, self._sound
        leads = self._steps.leads[place]
        left = self._left(place, where)
        present = self._present[place]
        new: dict[Pair, Column] = {}
        for before, after in leads:
            if fresh := left & unmet[after]:
                fresh ^= fresh & unmet[before]
                if fresh:
                    new[after] = new.get(after, 0) | fresh
        if new:
            # It can be taken again behind itself.
            self._present[place] = present | left
            met = self._spread(new, self._steps.onward, unmet)
            tried, left = left, self._left(place, left)
            if left != tried:
                for pair, column in met:
                    unmet[pair] |= column & (tried ^ left)
        self._present[place] = present | left
        worse: dict[Pair, Column] = {}
        for pair in self._steps.fails[place]:
            if fresh := left & sound[pair]:
                worse[pair] = fresh
        for before, after in leads:
            if fresh := left & sound[before]:
                fresh ^= fresh & sound[after]
                if fresh:
                    worse[before] = worse.get(before, 0) | fresh
        if worse:
            self._spread(worse, self._steps.back, sound)
        return where ^ left

    def _left(self, place: Place, where: Column) -> Column:
        """Return those of the sets that no met pair leads to ERROR by a transition."""
        unmet, sound = self._unmet, self._sound
        for pair in self._steps.fails[place]:
            where &= unmet[pair]
        for before, after in self._steps.leads[place]:
            where &= unmet[before] | sound[after]
        return where

    def _spread(
        self,
        todo: dict[Pair, Column],
        steps: list[list[tuple[Pair, tuple[Place, ...]]]],
        free: list[Column],
    ) -> list[tuple[Pair, Column]]:
        """Follow steps from pairs, as long as that is new.

        Args:
            todo: The pairs, and for which sets; used up.
            steps: For each pair the steps, forwards or backwards.
            free: For each pair the sets for which it would be new; they get fewer.

        Returns:
            The pairs, and for which sets they were new.
        """
        present = self._present
        found: list[tuple[Pair, Column]] = []
        while todo:
            pair, column = todo.popitem()
            column &= free[pair]
            free[pair] ^= column
            found.append((pair, column))
            for following, places in steps[pair]:
                if rest := column & free[following]:
                    taken = 0
                    for place in places:
                        taken |= present[place]
                    if rest := rest & taken:
                        todo[following] = todo.get(following, 0) | rest
        return found


def transposed(rows: Sequence[int], width: int) -> list[int]:
    """Return bit n of all rows as the n-th number, for each n below the width."""
    digits = "".join([f"{row:0{width}b}" for row in reversed(rows)])
    return [int(digits[n::width], 2) for n in range(width - 1, -1, -1)]
