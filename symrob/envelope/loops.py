"""Candidates with cycles through them, decided for many targets at once.

In:  candidates (q, a, r) of E that lead to a monitor state not yet reached with r, none
     of them bad with R_E alone.
Out: the individually safe ones.

Such a candidate is unsafe exactly if R_E leads from r back to q, with a monitor state
not yet reached with q, and taking the candidate once more, or several times, leads to
ERROR. The exploration from (r, I) along R_E does not depend on the candidate, and
candidates from one (q, a) to equivalent targets differ only in r. So the reached pairs
(state of E, monitor states) form one graph for all candidates, and each pair has one
mask of the candidates that reach it: it is computed along the strongly connected
components of the graph, with one union per step, and freed after its last use.

Source: docs/sources.md [S1], Sect. 5.2 (a single transition).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from symrob.envelope import tuning
from symrob.envelope.transitions import Outgoing
from symrob.limits import Clock
from symrob.lts import Action, StateId
from symrob.lts.masks import bits, mask_of
from symrob.lts.strong import strong_parts

Step = Callable[[Any, Action], Any]
# A pair by its number.
Node = int


class Doubt(NamedTuple):
    """Undecided candidates of one state and action.

    Attributes:
        source: Their source.
        place: Index of their action.
        action: Their action.
        targets: Their targets, as bits.
    """

    source: StateId
    place: int
    action: Action
    targets: int


class _Alike(NamedTuple):
    """The candidates of a doubt with targets that look alike.

    Attributes:
        doubt: The doubt, by its number.
        source: Their source.
        action: Their action.
        targets: Their targets, as bits.
        bad: What is bad in each target with R_E alone.
        met: What is met there with R_E alone.
        start: What they bring there.
    """

    doubt: int
    source: StateId
    action: Action
    targets: int
    bad: Any
    met: Any
    start: Any


class Loops:
    """Decides doubts, all of one monitor.

    Args:
        rows: The transitions of R_E.
        met: For each state of E the monitor states reached with R_E alone.
        step: The successors of some monitor states by an action; `None` for ERROR.
        empty: The empty set of monitor states.
        clock: Checked at intervals.
    """

    def __init__(
        self,
        rows: Sequence[Outgoing],
        met: Sequence[Any],
        step: Step,
        empty: Any,
        clock: Clock,
    ) -> None:
        self._rows = rows
        self._met = met
        self._step = step
        self._empty = empty
        self._clock = clock
        self._size = len(rows)
        # A pair is a set of monitor states, by its place, times the states of E.
        self._places: dict[Any, int] = {}
        self._sets: list[Any] = []
        self._steps: dict[Node, list[Node]] = {}
        # For each state of E the places of what the walks bring there.
        self._brought: list[list[int]] = [[] for _ in range(self._size)]

    def safe(
        self, doubts: Sequence[Doubt], classes: Sequence[tuple[tuple[Any, Any], int]]
    ) -> list[int] | None:
        """Return for each doubt the targets that are tolerated, as bits.

        `None` if there are more than `tuning.LOOP_PAIRS` pairs, or more than
        `tuning.LOOP_SETS` sets of monitor states in them.

        Args:
            doubts: The doubts.
            classes: The states of E as bits, by their bad and their reached monitor
                states.

        Cost: linear in the steps between pairs; a union of masks for each, of a bit
            for each pair.
        """
        alike = [
            _Alike(number, doubt.source, doubt.action, targets, bad, met, start)
            for number, doubt in enumerate(doubts)
            if (start := self._step(self._met[doubt.source], doubt.action)) is not None
            for (bad, met), members in classes
            if (targets := members & doubt.targets)
        ]
        unsafe = self._unsafe(alike)
        if unsafe is None:
            return None
        kept = [doubt.targets for doubt in doubts]
        for group, targets in zip(alike, unsafe, strict=True):
            kept[group.doubt] &= ~targets
        return kept

    def _unsafe(self, groups: Sequence[_Alike]) -> list[int] | None:
        """The targets that are not tolerated, of each group."""
        todo = [(group.targets, group.start) for group in groups]
        seen: dict[Any, int] = {}
        while todo:
            for targets, start in todo:
                new = targets & ~seen.get(start, 0)
                seen[start] = seen.get(start, 0) | new
                if not self._walk(new, start):
                    return None
            # What a group's own action leads to once more starts there, too.
            todo = [
                (group.targets, again)
                for group in groups
                for _, again in self._again(group)
                if again is not None and group.targets & ~seen.get(again, 0)
            ]
        rounds = [[*self._again(group)] for group in groups]
        wanted = {
            node
            for back in rounds
            if any(again is None for _, again in back)
            for node, _ in back
        }
        leading = self._leading(wanted) if wanted else {}
        return [
            self._closed(group, back, leading)
            for group, back in zip(groups, rounds, strict=True)
        ]

    def _again(self, group: _Alike) -> Iterator[tuple[Node, Any]]:
        """What taking the candidates once more does, from what comes back to q.

        Yields:
            Pairs at q, with what is brought to the targets; `None` if that is bad.
            Pairs that bring nothing new are left out.
        """
        for place in self._brought[group.source]:
            image = self._step(self._sets[place], group.action)
            node = place * self._size + group.source
            if image is None or image & group.bad != self._empty:
                yield node, None
                continue
            if image & ~group.met & ~group.start != self._empty:
                yield node, image

    def _closed(
        self,
        group: _Alike,
        back: Sequence[tuple[Node, Any]],
        leading: dict[Node, int],
    ) -> int:
        """The targets from which the candidate leads to ERROR in some rounds.

        A least fixpoint over what starts in the targets: a start is unsafe in a target
        if it leads to a pair from where one more round is bad, or starts what is unsafe
        in this target. Ends, as masks only grow.
        """
        if all(again is not None for _, again in back):
            return 0
        full = (1 << self._size) - 1
        starts = {group.start, *(again for _, again in back if again is not None)}
        unsafe = dict.fromkeys(starts, 0)
        changed = True
        while changed:
            changed = False
            for start in starts:
                shift = self._places[start] * self._size
                found = unsafe[start]
                for node, again in back:
                    reaching = leading[node] >> shift & full & group.targets
                    found |= reaching if again is None else reaching & unsafe[again]
                if found != unsafe[start]:
                    unsafe[start] = found
                    changed = True
        return unsafe[group.start]

    def _place(self, states: Any) -> int:
        place = self._places.get(states)
        if place is None:
            place = self._places[states] = len(self._sets)
            self._sets.append(states)
        return place

    def _walk(self, targets: int, start: Any) -> bool:
        """Add the pairs that R_E leads to from some targets; False if too many."""
        first = self._place(start) * self._size
        todo = [first + target for target in bits(targets)]
        while todo:
            node = todo.pop()
            if node in self._steps:
                continue
            if (
                len(self._steps) >= tuning.LOOP_PAIRS
                or len(self._sets) > tuning.LOOP_SETS
            ):
                return False
            if len(self._steps) % 256 == 0:
                self._clock.check()
            place, here = divmod(node, self._size)
            self._brought[here].append(place)
            leads: list[Node] = []
            for action, nexts in self._rows[here]:
                image = self._step(self._sets[place], action)
                # Nothing that starts is bad, so R_E leads to no ERROR.
                for there in nexts if image != self._empty else ():
                    # What was met there already leads nowhere new.
                    if image & ~self._met[there] != self._empty:
                        leads.append(self._place(image) * self._size + there)
            self._steps[node] = leads
            todo += leads
        return True

    def _leading(self, wanted: Iterable[Node]) -> dict[Node, int]:
        """For each of some pairs those that lead to it, itself among them, as bits."""
        parts = strong_parts(self._steps, self._clock)
        part_of = {node: i for i, part in enumerate(parts) for node in part}
        into: list[set[int]] = [set() for _ in parts]
        for node, leads in self._steps.items():
            for after in leads:
                if part_of[after] != part_of[node]:
                    into[part_of[after]].add(part_of[node])
        # How many parts still ask for the mask of each.
        held = [0] * len(parts)
        for before in into:
            for part in before:
                held[part] += 1
        asked: dict[int, list[Node]] = {}
        for node in wanted:
            asked.setdefault(part_of[node], []).append(node)
        masks: dict[int, int] = {}
        found: dict[Node, int] = {}
        # Parts come in the order in which they are finished: what one leads to first.
        for number in range(len(parts) - 1, -1, -1):
            if number % 256 == 0:
                self._clock.check()
            mask = mask_of(parts[number])
            for part in into[number]:
                mask |= masks[part]
                held[part] -= 1
                if not held[part]:
                    del masks[part]
            if held[number]:
                masks[number] = mask
            for node in asked.get(number, ()):
                found[node] = mask
        return found
