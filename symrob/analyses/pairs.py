"""The closed loop as an explicit graph of pairs.

In:  a safety monitor, the environment and the candidates.
Out: `PairGraph`: pairs (state of E, monitor state) that R_E and all the candidates
     reach, and steps between them, each with the candidate it needs: `runs` has the
     steps that a safe set may take, `risks` those that a shortest trace to ERROR may
     need.

A monitor state is a set of states of one monitor, as in `monitor_states`.

Cost: linear in the steps, each a pair times the targets of its transitions;
    determinised monitors can have exponentially many monitor states; if C‖P has fewer
    states itself, these are used instead (`smallest_form`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from symrob.envelope import tuning
from symrob.envelope.determinised import FAILED, DeterminisedMonitor, MonitorStates
from symrob.envelope.monitors import AnyMonitor
from symrob.envelope.simulation import explore, simulating_states, smallest_form
from symrob.errors import LimitExceeded
from symrob.limits import Clock
from symrob.lts import ERROR, Action, Lts, StateId, Transition
from symrob.lts.masks import bits
from symrob.lts.views import all_labels, labelled, moves_of

# A candidate by its place among all of them, from 1; R_E needs none.
Candidate = int
NOMINAL: Candidate = 0
# A pair by its number; `ERROR` (-1) where a monitor fails.
Pair = int
PairStep = tuple[Candidate, Pair]
# The transitions of a state by action, each with the candidate that it needs.
BitRows = list[list[tuple[Action, list[tuple[Candidate, StateId]]]]]
# For each monitor state those that fail whenever it fails, as bits; `None` where there
# are too many to compare: then each is only no worse than itself.
Order = list[MonitorStates] | None


@dataclass
class PairGraph:
    """Pairs and the steps between them.

    Attributes:
        start: The pairs of a trace before it takes the first candidate.
        steps: For each pair its successors.
        no_worse: For each pair those of the same state that are no worse; only in
            `risks`.
        leader: For each pair its representative; only in `risks`.
    """

    start: list[Pair] = field(default_factory=list)
    steps: list[list[PairStep]] = field(default_factory=list)
    no_worse: list[list[Pair]] = field(default_factory=list)
    leader: list[Pair] = field(default_factory=list)

    @property
    def failing(self) -> list[Pair]:
        """The pairs with a step to ERROR."""
        return [
            pair
            for pair, steps in enumerate(self.steps)
            if any(target == ERROR for _, target in steps)
        ]

    def grouped(self, pair: Pair) -> dict[Pair, list[Candidate]]:
        """The steps of a pair by where they lead."""
        groups: dict[Pair, list[Candidate]] = {}
        for candidate, target in self.steps[pair]:
            groups.setdefault(target, []).append(candidate)
        return groups

    def backwards(self) -> list[list[Pair]]:
        """For each pair, those with a step to it."""
        into: list[list[Pair]] = [[] for _ in self.steps]
        for pair, steps in enumerate(self.steps):
            for target in {t for _, t in steps if t != ERROR}:
                into[target].append(pair)
        return into

    def add(self, other: PairGraph) -> None:
        """Add the pairs of another monitor."""
        shift = len(self.steps)
        self.start += [pair + shift for pair in other.start]
        self.steps += [
            [(c, t if t == ERROR else t + shift) for c, t in steps]
            for steps in other.steps
        ]
        self.no_worse += [[pair + shift for pair in row] for row in other.no_worse]
        self.leader += [pair + shift for pair in other.leader]


def closure(start: Iterable[Pair], steps: Sequence[Iterable[Pair]]) -> set[Pair]:
    """Return all pairs reachable from some pairs, themselves included."""
    todo = list(start)
    found = set(todo)
    while todo:
        for target in steps[todo.pop()]:
            if target not in found:
                found.add(target)
                todo.append(target)
    return found


class Explorer:
    """Explores the pairs of monitors.

    Args:
        environment: E; its transitions are always present.
        candidates: The candidates.
        clock: Checked for each pair; bounds the steps.
    """

    def __init__(
        self, environment: Lts, candidates: Sequence[Transition], clock: Clock
    ) -> None:
        self._clock = clock
        table: list[dict[Action, list[tuple[Candidate, StateId]]]] = [
            {} for _ in range(environment.size)
        ]
        for source, action, target in moves_of(environment, environment.transitions):
            table[source].setdefault(action, []).append((NOMINAL, target))
        added = labelled(environment, candidates)
        for number, (source, action, target) in enumerate(added, 1):
            table[source].setdefault(action, []).append((number, target))
        self._rows: BitRows = [list(row.items()) for row in table]
        self._actions = all_labels(environment)
        self._known: dict[
            int, tuple[DeterminisedMonitor, list[tuple[StateId, int]], PairGraph]
        ] = {}

    def runs(self, monitor: AnyMonitor) -> PairGraph:
        """Return the pairs of a monitor, with the steps that safe sets can take.

        Steps to ERROR, and to and from pairs from which R_E alone leads to ERROR, are
        left out.

        Raises:
            LimitExceeded: There are more steps than the bound on states.
        """
        _, _, whole = self._walked(monitor)
        nominal = _nominal(whole)
        lost = {ERROR} | _lost(whole, nominal)
        steps = [
            [] if pair in lost else [step for step in row if step[1] not in lost]
            for pair, row in enumerate(whole.steps)
        ]
        return PairGraph(sorted(closure(whole.start, nominal)), steps)

    def risks(self, monitor: AnyMonitor) -> PairGraph:
        """Return the pairs and steps that matter for reaching ERROR.

        For any set of candidates, and for it with one more: if it reaches ERROR at all,
        it does so by these steps from one of the initial pairs; and if it does so by
        these steps, it does so in the whole graph. Left out, of the shortest traces
        that reach ERROR once they have left what R_E alone leads to, none takes

        - a step from where R_E leads to ERROR: it is there already;
        - a step to a pair that is no worse than one that R_E leads to: the run
          could go on from that one;
        - a step to the same state of E and a monitor state that is no worse: the run
          could go on without it.

        "No worse" are monitor states that fail on no sequence of actions on which the
        other does not; monitor states that are no worse than each other are one.

        Returns:
            PairGraph numbered as in `runs`, with a leader for those that are one.

        Raises:
            LimitExceeded: There are more steps than the bound on states.
        """
        determinised, keys, whole = self._walked(monitor)
        worse = _order(determinised, self._actions, self._clock)
        nominal = _nominal(whole)
        lost = _lost(whole, nominal)
        known = closure(whole.start, nominal)
        # For each state of E the monitor states that R_E leads to.
        certain = [0] * len(self._rows)
        for pair in known:
            state, monitor_state = keys[pair]
            certain[state] |= 1 << monitor_state
        # For each state of E the leader of each set of monitor states that are worse.
        leader, no_worse = self._compared(keys, worse)
        steps: list[dict[PairStep, None]] = [{} for _ in keys]
        for pair, (state, monitor_state) in enumerate(keys):
            for candidate, target in () if pair in lost else whole.steps[pair]:
                to = ERROR
                if target != ERROR and target not in lost:
                    there, after = keys[target]
                    here = 1 << monitor_state if there == state else 0
                    no_better = 1 << after if worse is None else worse[after]
                    if no_better & (certain[there] | here):
                        continue
                    to = leader[target]
                steps[leader[pair]][candidate, to] = None
        return PairGraph(
            sorted({leader[pair] for pair in known}),
            [list(row) for row in steps],
            no_worse,
            leader,
        )

    def _compared(
        self, keys: Sequence[tuple[StateId, int]], worse: Order
    ) -> tuple[list[Pair], list[list[Pair]]]:
        """For each pair its leader; for each leader those of its state no worse.

        What is worse than a monitor state is worse than all that are no worse than it.
        """
        no_worse: list[list[Pair]] = [[] for _ in keys]
        if worse is None:
            return list(range(len(keys))), no_worse
        leaders: list[dict[MonitorStates, Pair]] = [{} for _ in self._rows]
        leader = [
            leaders[state].setdefault(worse[monitor_state], pair)
            for pair, (state, monitor_state) in enumerate(keys)
        ]
        for of_state in leaders:
            self._clock.check()
            for here, pair in of_state.items():
                no_worse[pair] = [
                    other
                    for more, other in of_state.items()
                    if other != pair and here & ~more == 0
                ]
        return leader, no_worse

    def _walked(
        self, monitor: AnyMonitor
    ) -> tuple[DeterminisedMonitor, list[tuple[StateId, int]], PairGraph]:
        """A determinised monitor, and for each pair the states that it is of."""
        known = self._known.get(id(monitor))
        if known is None:
            determinised = smallest_form([monitor], self._actions, self._clock)
            known = self._known[id(monitor)] = (determinised, *self._walk(determinised))
        return known

    def _walk(
        self, determinised: DeterminisedMonitor
    ) -> tuple[list[tuple[StateId, int]], PairGraph]:
        """Walk through all pairs; ERROR ends a walk."""
        keys = [(0, monitor_state) for monitor_state in bits(determinised.initial)]
        numbers = {key: number for number, key in enumerate(keys)}
        result = PairGraph(list(range(len(keys))))
        count = 0
        for state, monitor_state in keys:
            self._check(count)
            steps: list[PairStep] = []
            result.steps.append(steps)
            for action, row in self._rows[state]:
                after = determinised.step(monitor_state, action)
                if after == FAILED:
                    steps += [(candidate, ERROR) for candidate, _ in row]
                for following in bits(after) if after != FAILED else ():
                    for candidate, target in row:
                        key = (target, following)
                        number = numbers.get(key)
                        if number is None:
                            number = numbers[key] = len(keys)
                            keys.append(key)
                        steps.append((candidate, number))
            count += len(steps)
        return keys, result

    def _check(self, count: int) -> None:
        self._clock.check()
        bound = self._clock.limits.max_states
        if count > bound:
            raise LimitExceeded(
                f"more than {bound:,} steps of the determinised closed loop; "
                "raise --bound max-states to continue"
            )


def _nominal(pairs: PairGraph) -> list[list[Pair]]:
    """For each pair those that R_E leads to."""
    return [
        [t for c, t in steps if c == NOMINAL and t != ERROR] for steps in pairs.steps
    ]


def _lost(pairs: PairGraph, nominal: Sequence[Sequence[Pair]]) -> set[Pair]:
    """The pairs from which R_E alone leads to ERROR."""
    into: list[list[Pair]] = [[] for _ in pairs.steps]
    for pair, targets in enumerate(nominal):
        for target in targets:
            into[target].append(pair)
    failing = [p for p, steps in enumerate(pairs.steps) if (NOMINAL, ERROR) in steps]
    return closure(failing, into)


def _order(
    determinised: DeterminisedMonitor, actions: Sequence[Action], clock: Clock
) -> Order:
    """For each monitor state those that are worse: that fail whenever it fails.

    Cost: see `simulating_states`; nothing where there are too many.
    """
    if explore(determinised, actions, tuning.ORDERED_STATES, clock):
        return simulating_states(determinised, actions, clock)
    return None
