"""Bounds on the weight of the heaviest safe set, during the search for it.

In:  a `MaximalExtension`, a weight for each candidate, bounds of the MaxSAT solver.
Out: `Bracket`: two converging bounds, reported as they change.

The upper bound comes from the cores of the solver, the lower one from a random search:
take a set Y of pairs (state of E, monitor state) that contains the initial ones and is
closed under R_E; all candidates that lead from Y into Y are together safe. Pairs are
added and removed, and a change for the worse is kept with a probability that decreases
over time (simulated annealing). The search affects only the lower bound.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import exp
from random import Random
from time import monotonic

from symrob.envelope.cache import Cache
from symrob.envelope.determinised import BitRows, DeterminisedMonitor, MonitorStates
from symrob.envelope.effort import Effort
from symrob.envelope.extension import MaximalExtension
from symrob.lts.masks import bits

# Seconds after which anybody waits for the bounds, and of the search at a time.
PATIENCE, TURN = 1.0, 0.2
# Tries of one annealing, and its first temperature in parts of the mean weight.
TRIES, WARMTH = 30_000, 1.0

Pairs = list[MonitorStates]


class Bracket:
    """Bounds on the weight that the heaviest remaining set adds.

    Args:
        determinised: The monitor states.
        extension: The rows and their candidates.
        weights: The weight of each candidate, in the order of `extension.transitions`.
        effort: Receives the bounds.
    """

    def __init__(
        self,
        determinised: DeterminisedMonitor,
        extension: MaximalExtension,
        weights: Sequence[int],
        effort: Effort,
    ) -> None:
        self._room = _Room(determinised, extension, weights)
        self._effort = effort
        self._begun = monotonic()
        self._searched = 0.0

    def at_most(self, weight: int) -> None:
        """Record the solver's bound, and search for at most as long as it did."""
        now = monotonic()
        if now - self._begun < PATIENCE:
            return
        if now - self._begun > 2 * self._searched and self._room.best:
            self._room.search(now + TURN)
            self._searched += monotonic() - now
        self._effort.bracket(self._room.best, weight)

    def seen(self) -> BitRows:
        """Return the heaviest safe set that the search has found."""
        return self._room.chosen()

    def found(self) -> None:
        """Start again for the next one: the set just found may be the best one seen."""
        self._room.best = 0
        self._effort.bounds = None


class _Room:
    """The search for pairs that leave much room.

    Attributes:
        best: The greatest weight of a safe set that was seen.
    """

    def __init__(
        self,
        determinised: DeterminisedMonitor,
        extension: MaximalExtension,
        weights: Sequence[int],
    ) -> None:
        self._moves = determinised.moves
        self._extension = extension
        self._rows = [extension.of_state(q) for q in range(extension.states)]
        left = iter(weights)
        self._weights = [{t: next(left) for t in bits(m)} for m in extension.options]
        self._weight = Cache(self._weight_of)
        self._warmth = WARMTH * sum(weights) / max(1, len(weights))
        self._chance = Random(1)
        self._tries = 0
        pairs = [0] * extension.states
        pairs[0] = determinised.initial
        assert self._closed(pairs, 0, determinised.initial), "E alone is not safe"
        self._least = self._pairs = self._heaviest = pairs
        self._value = self.best = self._weigh(pairs)

    def search(self, end: float) -> None:
        """Try other pairs until a moment, by `time.monotonic`."""
        while monotonic() < end:
            tried = self._more() if self._chance.random() < 0.6 else self._fewer()
            self._tries += 1
            if tried is None:
                continue
            left = 1 - self._tries % TRIES / TRIES
            value = self._weigh(tried)
            worse = self._value - value
            if worse <= 0 or self._chance.random() < exp(
                -worse / (self._warmth * left * left)
            ):
                self._pairs, self._value = tried, value
                if value > self.best:
                    self._heaviest, self.best = tried, value
                    met = self._extension.met(self.chosen())
                    assert met[1], "pairs leave room for what is not safe"

    def _more(self) -> Pairs | None:
        """Add what one to three candidates lead to, each to one of its targets."""
        pairs = list(self._pairs)
        for _ in range(self._chance.choice((1, 1, 2, 3))):
            state = self._chance.randrange(len(pairs))
            if not self._rows[state]:
                continue
            action, row = self._chance.choice(self._rows[state])
            image = self._moves[pairs[state]][1].get(action, 0)
            options = self._extension.targets(self._extension.options[row])
            new = [t for t in options if image & ~pairs[t]]
            if new:
                target = self._chance.choice(new)
                if not self._closed(pairs, target, image & ~pairs[target]):
                    return None
        return None if pairs == self._pairs else pairs

    def _fewer(self) -> Pairs | None:
        """Take a pair away, and those from which R_E leads to what is not there."""
        state = self._chance.randrange(len(self._pairs))
        free = [*bits(self._pairs[state] & ~self._least[state])]
        if not free:
            return None
        pairs = list(self._pairs)
        pairs[state] &= ~(1 << self._chance.choice(free))
        changed = True
        while changed:
            changed = False
            for source, monitor_states in enumerate(pairs):
                for monitor_state in bits(monitor_states & ~self._least[source]):
                    if self._leaves(pairs, source, 1 << monitor_state):
                        pairs[source] &= ~(1 << monitor_state)
                        changed = True
        return pairs

    def _leaves(self, pairs: Pairs, source: int, monitor_state: MonitorStates) -> bool:
        """Whether R_E leads from a pair to one that is not there."""
        images = self._moves[monitor_state][1]
        return any(
            images.get(action, 0) & ~pairs[target]
            for action, row in self._rows[source]
            for target in self._extension.targets(self._extension.fixed[row])
        )

    def _closed(self, pairs: Pairs, state: int, new: MonitorStates) -> bool:
        """Add pairs and what R_E leads to from them; False where it leads to ERROR."""
        pairs[state] |= new
        todo = [(state, new)]
        while todo:
            source, monitor_states = todo.pop()
            failing, images = self._moves[monitor_states]
            for action, row in self._rows[source]:
                fixed = self._extension.fixed[row]
                if fixed and action in failing:
                    return False
                for target in self._extension.targets(fixed):
                    fresh = images.get(action, 0) & ~pairs[target]
                    if fresh:
                        pairs[target] |= fresh
                        todo.append((target, fresh))
        return True

    def chosen(self) -> BitRows:
        """Return what the best pairs that were seen leave room for."""
        chosen = [0] * len(self._extension.rows)
        for row, options in self._left(self._heaviest):
            chosen[row] = options
        return chosen

    def _weigh(self, pairs: Pairs) -> int:
        """The weight of all candidates that lead from the pairs to them."""
        return sum(self._weight[key] for key in self._left(pairs))

    def _left(self, pairs: Pairs) -> Iterator[tuple[int, int]]:
        """Yield these candidates: rows, each with its candidates as bits."""
        into: dict[MonitorStates, int] = {0: -1}
        for state, rows in enumerate(self._rows):
            failing, images = self._moves[pairs[state]]
            for action, row in rows:
                if action in failing:
                    continue
                image = images.get(action, 0)
                if image not in into:
                    into[image] = sum(
                        1 << t for t, there in enumerate(pairs) if not image & ~there
                    )
                options = self._extension.options[row] & into[image]
                if options:
                    yield row, options

    def _weight_of(self, key: tuple[int, int]) -> int:
        row, options = key
        return sum(self._weights[row][target] for target in bits(options))
