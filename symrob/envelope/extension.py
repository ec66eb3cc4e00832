"""Deviations as bit masks: the monitor states they reach, and maximal extensions.

In:  a `DeterminisedMonitor`, the environment and its candidate transitions.
Out: `MaximalExtension`: the monitor states that a set of candidates reaches, whether it
     is safe, and a maximal safe superset.

A deviation is a list of masks of targets, one for each row, and a row is a pair
(state of E, action).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from symrob.envelope.cache import Cache
from symrob.envelope.determinised import BitRows, DeterminisedMonitor, MonitorStates
from symrob.envelope.transitions import Candidates, MaskGraph
from symrob.limits import Clock
from symrob.lts import TAU, Action, Lts, StateId, Transition
from symrob.lts.masks import bits
from symrob.lts.views import by_label, fixed_labels, label_of, plain

# A set of transitions by target: for each action the sources as bits.
Into = list[dict[Action, int]]
# Where a transition has its bit if there is one number for all: that to state q in row
# r is bit r * states + q.
Place = int
# A set of transitions as such a number.
PlaceMask = int
# Numbers of this many bits are put together row by row; longer ones by their digits, so
# that it takes no longer than the rows are.
_SHORT = 10_000


class MaximalExtension:
    """The monitor states that deviations reach, and their maximal extensions.

    Args:
        determinised: The monitor states.
        environment: E; its transitions are always present.
        candidates: The candidates.
        clock: Checked at intervals.

    Attributes:
        states: Number of states of E.
        rows: For each row its state and action; rows of E's `tau` come last.
        row_of: The row of a state and action, if there is one.
        options: For each row its candidates as bits.
        fixed: For each row its transitions in R_E as bits.
    """

    def __init__(
        self,
        determinised: DeterminisedMonitor,
        environment: Lts,
        candidates: Candidates,
        clock: Clock,
    ) -> None:
        self._determinised = determinised
        self._clock = clock
        self.states = environment.size
        self.rows: list[tuple[StateId, Action]] = []
        self.row_of: dict[tuple[StateId, Action], int] = {}
        self.options: list[int] = []
        self.fixed: list[int] = []
        self._of_state: list[dict[Action, int]] = [{} for _ in range(environment.size)]
        actions = candidates.actions
        for state, masks in enumerate(candidates.masks):
            for action, mask in zip(actions, masks, strict=True):
                self._add_row(environment, state, action, mask)
        for state in range(environment.size):
            for label in (TAU, *fixed_labels(environment)):
                self._add_row(environment, state, label, 0)
        self._full = [f | o for f, o in zip(self.fixed, self.options, strict=True)]
        # For each action its rows, with their states.
        self._of_action: dict[Action, list[tuple[StateId, int]]] = {}
        # For each target, by action, the states that can lead to it, as bits.
        self._full_into: Into = [{} for _ in range(self.states)]
        for row, (state, action) in enumerate(self.rows):
            self._of_action.setdefault(action, []).append((state, row))
            for target in bits(self._full[row]):
                into = self._full_into[target]
                into[action] = into.get(action, 0) | 1 << state
        self._targets: Cache[int, tuple[StateId, ...]] = Cache(lambda m: tuple(bits(m)))
        self._transitions: Cache[int, dict[StateId, Transition]] = Cache(self._of_row)
        self._joined: Cache[tuple[int, int], frozenset[Transition]] = Cache(
            self._row_set
        )

    def row_for(
        self, environment: Lts, source: StateId, action: Action, target: StateId
    ) -> int | None:
        """Return the row that a transition of E is in, if there is one."""
        return self.row_of.get((source, label_of(environment, source, action, target)))

    def _add_row(
        self, environment: Lts, state: StateId, action: Action, mask: int
    ) -> None:
        fixed = 0
        for target in by_label(environment)[state].get(action, ()):
            fixed |= 1 << target
        if fixed or mask:
            self._of_state[state][action] = len(self.rows)
            self.row_of[state, action] = len(self.rows)
            self.rows.append((state, action))
            self.options.append(mask)
            self.fixed.append(fixed)

    def of_state(self, state: StateId) -> list[tuple[Action, int]]:
        """Return the rows of a state: action and number."""
        return list(self._of_state[state].items())

    def transitions(self, chosen: BitRows) -> Iterator[Transition]:
        """Yield the chosen candidates as transitions, by row and target."""
        for row, mask in enumerate(chosen):
            if mask:
                known = self._transitions[row]
                for target in self.targets(mask):
                    yield known[target]

    def graph(self, chosen: BitRows) -> MaskGraph:
        """Return E with the chosen candidates, over labels."""
        rows: list[list[tuple[Action, int]]] = [[] for _ in range(self.states)]
        for (state, label), fixed, mask in zip(
            self.rows, self.fixed, chosen, strict=True
        ):
            if fixed | mask:
                rows[state].append((label, fixed | mask))
        return MaskGraph(tuple(map(tuple, rows)))

    def joined(
        self, chosen: BitRows, others: frozenset[Transition] = frozenset()
    ) -> frozenset[Transition]:
        """Return the chosen candidates, and other transitions, as a set."""
        # The sets of the rows are remembered, and with them the hashes of their
        # members, so that joining them takes a few microseconds.
        return others.union(*map(self._joined.__getitem__, enumerate(chosen)))

    def _of_row(self, row: int) -> dict[StateId, Transition]:
        state, label = self.rows[row]
        action = plain(label)
        return {t: Transition(state, action, t) for t in bits(self.options[row])}

    def _row_set(self, key: tuple[int, int]) -> frozenset[Transition]:
        row, mask = key
        known = self._transitions[row]
        return frozenset(known[target] for target in bits(mask))

    def mask_of(self, chosen: Sequence[int]) -> PlaceMask:
        """Return a set of transitions as one number; its first rows may suffice."""
        if len(chosen) * self.states > _SHORT:
            return int("".join([f"{r:0{self.states}b}" for r in reversed(chosen)]), 2)
        mask = 0
        for row in reversed(chosen):
            mask = mask << self.states | row
        return mask

    def rows_of(self, mask: PlaceMask) -> BitRows:
        """Return a set of transitions for each row as bits."""
        states, places = self.states, len(self.rows) * self.states
        if places > _SHORT:
            digits = f"{mask:0{places}b}"
            ends = range(places, 0, -states)
            return [int(digits[end - states : end], 2) for end in ends]
        full = (1 << states) - 1
        return [mask >> start & full for start in range(0, places, states)]

    def targets(self, mask: int) -> tuple[StateId, ...]:
        """Return the positions of the set bits, cached."""
        return self._targets[mask]

    def met(self, chosen: BitRows) -> tuple[list[MonitorStates], bool]:
        """Return the monitor states reached with each state of E, and if it is safe.

        Args:
            chosen: For each row the added candidates.

        Returns:
            The monitor states; if ERROR is reached, those found until then, including
            the last one, which led to it.
        """
        determinised = self._determinised
        present = [f | c for f, c in zip(self.fixed, chosen, strict=True)]
        found = [0] * self.states
        found[0] = determinised.initial
        return found, self._walk(found, {0: determinised.initial}, present)

    def _walk(
        self,
        found: list[MonitorStates],
        fresh: dict[StateId, MonitorStates],
        present: BitRows,
    ) -> bool:
        """Add to `found` all that `fresh` leads to; False at the first ERROR."""
        moves, targets = self._determinised.moves, self._targets
        while fresh:
            # The oldest first: what comes later to the same state joins it.
            state = next(iter(fresh))
            monitor_states = fresh.pop(state)
            rows = self._of_state[state]
            failing, images = moves[monitor_states]
            for action in failing:
                if action in rows and present[rows[action]]:
                    return False
            for action, image in images.items():
                if action not in rows:
                    continue
                for target in targets[present[rows[action]]]:
                    new = image & ~found[target]
                    if new:
                        found[target] |= new
                        fresh[target] = fresh.get(target, 0) | new
        return True

    def _into(self, present: BitRows, changed: Iterable[int]) -> Into:
        """Return by target and action the states that lead there.

        Args:
            present: For each row the targets that are there.
            changed: The rows that may lack candidates.
        """
        into = [dict(actions) for actions in self._full_into]
        for row in changed:
            state, action = self.rows[row]
            for target in self._targets[self._full[row] & ~present[row]]:
                into[target][action] ^= 1 << state
        return into

    def _bad(self, present: BitRows, into: Into) -> list[MonitorStates]:
        """MonitorStates that are known to lead to ERROR, for each state of E."""
        bad = [0] * self.states
        for action, rows in self._of_action.items():
            failing = self._determinised.failing(action)
            if failing:
                for state, row in rows:
                    if present[row]:
                        bad[state] |= failing
        self._spread(
            {
                q: monitor_states
                for q, monitor_states in enumerate(bad)
                if monitor_states
            },
            bad,
            into,
        )
        return bad

    def _spread(
        self, fresh: dict[StateId, MonitorStates], bad: list[MonitorStates], into: Into
    ) -> None:
        """Add to `bad` all that leads to its new members, `fresh`."""
        known, members = self._determinised.sources, self._targets
        while fresh:
            target = next(iter(fresh))
            monitor_states = fresh.pop(target)
            states = into[target]
            for action, sources in known[monitor_states].items():
                for state in members[states.get(action, 0)]:
                    new = sources & ~bad[state]
                    if new:
                        bad[state] |= new
                        fresh[state] = fresh.get(state, 0) | new

    def grow(
        self, chosen: BitRows, found: list[MonitorStates]
    ) -> tuple[BitRows, list[MonitorStates]]:
        """Add candidates to a safe set until no other can join it.

        Safety is monotone, so one pass is enough: a candidate that is rejected once
        stays rejected when the set grows. Many can join at once, because no reached
        monitor state can take their action. Most others are rejected because they lead
        to a monitor state that is known to be bad; the rest is tried.

        Args:
            chosen: For each row the added candidates; safe.
            found: The monitor states that they reach.

        Returns:
            The extended set and its monitor states.

        Cost: for each candidate a few operations on masks, or an exploration of the
            states that it adds.
        """
        self._clock.check()
        moves = self._determinised.moves
        present = list(self._full)
        closed: list[int] = []
        open_rows: list[int] = []
        for monitor_states, rows in zip(found, self._of_state, strict=True):
            failing, images = moves[monitor_states]
            closed += [rows[action] for action in failing if action in rows]
            open_rows += [rows[action] for action in images if action in rows]
        for row in closed:
            present[row] = 0
        for row in open_rows:
            present[row] = self.fixed[row] | chosen[row]
        into = self._into(present, closed + open_rows)
        larger = _Grown(present, into, list(found), self._bad(present, into))
        for row in open_rows:
            if present[row] != self._full[row]:
                self._grow_row(row, larger)
        grown = [p & o for p, o in zip(present, self.options, strict=True)]
        return grown, larger.found

    def _grow_row(self, row: int, grown: _Grown) -> None:
        """Add what can join in one row."""
        state, action = self.rows[row]
        determinised, present, bad = self._determinised, grown.present, grown.bad
        image = determinised.moves[grown.found[state]][1].get(action)
        reached = 0
        for target in self._targets[self._full[row] & ~present[row]]:
            if image is None:
                # By now a monitor state is met that fails on the action.
                break
            if image & bad[target]:
                continue
            present[row] |= 1 << target
            new = image & ~grown.found[target]
            if new:
                if not self._lead_on(grown, target, new):
                    present[row] &= ~(1 << target)
                    continue
                image = determinised.moves[grown.found[state]][1].get(action)
            into = grown.into[target]
            into[action] = into.get(action, 0) | 1 << state
            reached |= bad[target]
        worse = determinised.sources[reached].get(action, 0)
        if present[row]:
            worse |= determinised.failing(action)
        worse &= ~bad[state]
        if worse:
            bad[state] |= worse
            self._spread({state: worse}, bad, grown.into)

    def _lead_on(self, grown: _Grown, target: StateId, new: MonitorStates) -> bool:
        """Add new monitor states and what they lead to, unless that fails."""
        found = list(grown.found)
        found[target] |= new
        if not self._walk(found, {target: new}, grown.present):
            return False
        grown.found = found
        return True


class _Grown:
    """A set while it grows.

    Args:
        present: For each row the targets that are there, R_E among them.
        into: The same by target and action: the states that lead there, as bits.
        found: For each state of E the monitor states met with it.
        bad: For each state of E monitor states that are known to lead to ERROR.
    """

    def __init__(
        self,
        present: BitRows,
        into: Into,
        found: list[MonitorStates],
        bad: list[MonitorStates],
    ) -> None:
        self.present = present
        self.into = into
        self.found = found
        self.bad = bad
