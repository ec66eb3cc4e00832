"""Extending a safe set of transitions of a large E, by kinds of states.

In:  the `Kinds` of R_E with the individually tolerated candidates; the monitor states
     that a safe set reaches.
Out: a maximal safe superset.

States of one kind that are reached with the same monitor states form a part. A set with
all transitions that do not change the reached states is safe, and any two states of a
part are interchangeable in it: so a result for one transition holds for all between the
same two parts, except that self-loops are a separate group. A transition that is added
leads to further monitor states; a part is split if one of its states is affected and
the others are not.

A set is maximal when for each pair of parts and action one transition was tried, and
was unsafe. Safety is monotone: a rejected transition stays unsafe.

Source: docs/sources.md [S1], Def. 5; docs/mathematics.md, 1 and 2.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from copy import copy
from typing import NamedTuple

from symrob.envelope.determinised import DeterminisedMonitor, MonitorStates
from symrob.envelope.kinds import Blocks, Kinds, States
from symrob.limits import Clock
from symrob.lts import Action
from symrob.lts.masks import bits

# Some parts as bits.
Several = int
# A part by its number.
Number = int


class Joining(NamedTuple):
    """Transitions that may be added, all of one action.

    Attributes:
        source: The part that they come from.
        action: Their action.
        target: The part that they lead to.
        loop: Whether they are the self-loops; else the transitions to all other states.
    """

    source: Number
    action: Action
    target: Number
    loop: bool


class _Edges:
    """Transitions between parts.

    Attributes:
        rows: For each part, by action, the parts that all its states lead to; itself,
            where its different states lead to each other. What a part that fell apart
            led to itself by is, in its last state, the loop: no set is safe with it
            unless it is safe alone, so it changes nothing that it is there twice.
        loops: For each part the actions by which each of its states leads to itself.
    """

    def __init__(self, rows: list[dict[Action, Several]], loops: list[set[Action]]):
        self.rows = rows
        self.loops = loops

    def copy(self) -> _Edges:
        return _Edges([dict(row) for row in self.rows], [set(s) for s in self.loops])

    def split(self, part: Number) -> None:
        """Let one state of a part be a part of its own, the last."""
        new = len(self.rows)
        for row in self.rows:
            for action, targets in row.items():
                row[action] = targets | (targets >> part & 1) << new
        self.rows.append(dict(self.rows[part]))
        self.loops.append(set(self.loops[part]))

    def led(self, part: Number, action: Action) -> Several:
        """The parts that an action leads to from a part."""
        itself = (action in self.loops[part]) << part
        return self.rows[part].get(action, 0) | itself


class MonitorParts:
    """A safe set that is being extended.

    Args:
        kinds: The kinds of R_E with the individually tolerated candidates.
        met: For each state of E the monitor states that the set reaches.
        determinised: The monitor states.
        clock: Checked for each transition that is tried.

    Attributes:
        masks: For each part its states.
        met: For each part the monitor states that are reached with each of its states.
        here: The transitions of the set.
        open: Transitions that may be added: not known to be unsafe with it.
    """

    def __init__(
        self,
        kinds: Kinds,
        met: Sequence[MonitorStates],
        determinised: DeterminisedMonitor,
        clock: Clock,
    ) -> None:
        self._determinised = determinised
        self._clock = clock
        self._kinds = kinds
        self.masks: list[States] = []
        self.met: list[MonitorStates] = []
        self._kind: list[int] = []
        for kind, mask in enumerate(kinds.masks):
            found: dict[MonitorStates, States] = {}
            for state in bits(mask):
                found[met[state]] = found.get(met[state], 0) | 1 << state
            self.met += found
            self.masks += found.values()
            self._kind += [kind] * len(found)
        count = len(self.masks)
        self.open = _Edges([self._row(part) for part in range(count)], [])
        self.open.loops += [set(kinds.loops[kind]) for kind in self._kind]
        self.here = _Edges([{} for _ in range(count)], [set() for _ in range(count)])

    def __len__(self) -> int:
        """Return the number of parts."""
        return len(self.masks)

    def _row(self, part: Number) -> dict[Action, Several]:
        row = {}
        mask = self.masks[part]
        for action, targets in self._kinds.targets[self._kind[part]].items():
            row[action] = sum(
                1 << other
                for other, states in enumerate(self.masks)
                if states & targets & ~(mask & -mask)
            )
        return row

    def grow(self) -> None:
        """Add transitions until none can be added.

        Raises:
            LimitExceeded: A bound was hit.

        Cost: for each pair of parts and action at most five walks over the parts.
        """
        # Ends: each round but the last has more met with some state, and what is not
        # open any more stays so.
        while True:
            self._settle()
            self._drop_bad()
            if not any(map(self._join, list(self._joining()))):
                return

    def left_out(self) -> dict[Action, Blocks]:
        """Return the individually tolerated transitions that the set lacks."""
        found: dict[Action, Blocks] = {}
        actions = {a for row in self._kinds.targets for a in row}
        for action in sorted(actions.union(*self._kinds.loops)):
            loops, pairs = 0, []
            for part, mask in enumerate(self.masks):
                kind = self._kind[part]
                if action in self._kinds.loops[kind] - self.here.loops[part]:
                    loops |= mask
                lacking = self._kinds.targets[kind].get(action, 0)
                for other in bits(self.here.rows[part].get(action, 0)):
                    lacking &= ~self.masks[other]
                if mask.bit_count() == 1:
                    lacking &= ~mask
                if lacking:
                    pairs.append((mask, lacking))
            if loops or pairs:
                found[action] = Blocks(loops, tuple(pairs))
        return found

    def _settle(self) -> None:
        """Take in what leads to nothing new, and drop what fails where it starts."""
        for part, row in enumerate(self.open.rows):
            failing, images = self._determinised.moves[self.met[part]]
            loops = self.open.loops[part]
            for action in failing:
                row.pop(action, None)
            loops -= failing
            here = self.here.rows[part]
            for action, targets in row.items():
                image = images.get(action, 0)
                old = sum(1 << t for t in bits(targets) if not image & ~self.met[t])
                here[action] = here.get(action, 0) | old
                row[action] = targets & ~old
            old_loops = {a for a in loops if not images.get(a, 0) & ~self.met[part]}
            self.here.loops[part] |= old_loops
            loops -= old_loops

    def _drop_bad(self) -> None:
        """Drop what leads to where the set leads on to ERROR.

        Exact as far as the steps of the monitor states are known.
        """
        bad = self._bad()
        for part, row in enumerate(self.open.rows):
            images = self._determinised.moves[self.met[part]][1]
            for action, targets in row.items():
                image = images.get(action, 0)
                row[action] = sum(1 << t for t in bits(targets) if not image & bad[t])
            self.open.loops[part] -= {
                a for a in self.open.loops[part] if images.get(a, 0) & bad[part]
            }

    def _bad(self) -> list[MonitorStates]:
        """For each part monitor states that are known to lead to ERROR."""
        bad = [0] * len(self)
        into: list[list[tuple[Number, Action]]] = [[] for _ in bad]
        for part, row in enumerate(self.here.rows):
            for action in {*row, *self.here.loops[part]}:
                led = self.here.led(part, action)
                if led:
                    bad[part] |= self._determinised.failing(action)
                for target in bits(led):
                    into[target].append((part, action))
        fresh = {part for part, states in enumerate(bad) if states}
        while fresh:
            target = fresh.pop()
            sources = self._determinised.sources[bad[target]]
            for part, action in into[target]:
                if sources.get(action, 0) & ~bad[part]:
                    bad[part] |= sources[action]
                    fresh.add(part)
        return bad

    def _joining(self) -> Iterator[Joining]:
        for part, row in enumerate(self.open.rows):
            for action, targets in row.items():
                for target in bits(targets):
                    yield Joining(part, action, target, loop=False)
            for action in sorted(self.open.loops[part]):
                yield Joining(part, action, part, loop=True)

    def _join(self, asked: Joining) -> bool:
        """Let what is asked for join, as much of it as can; False if nothing can."""
        self._clock.check()
        one = self._joined(asked, one_source=True, one_target=True)
        if one is None:
            # And so is each other one of them, and any set with it.
            if asked.loop:
                self.open.loops[asked.source].discard(asked.action)
            else:
                self.open.rows[asked.source][asked.action] &= ~(1 << asked.target)
            return False
        for one_source, one_target in ((False, False), (True, False), (False, True)):
            more = self._joined(asked, one_source=one_source, one_target=one_target)
            if more is not None:
                one = more
                break
        self.masks, self.met, self._kind = one.masks, one.met, one._kind
        self.here, self.open = one.here, one.open
        return True

    def _joined(
        self, asked: Joining, *, one_source: bool, one_target: bool
    ) -> MonitorParts | None:
        """The set with some of what is asked for; `None` if that is unsafe."""
        larger = self._copied()
        source, target = asked.source, asked.target
        if one_source:
            source = larger._split(source)
            target = source if asked.loop else target
        if one_target and not asked.loop:
            # Where both are of one part, the source is not in it any more.
            target = larger._split(target)
        joining = Joining(source, asked.action, target, asked.loop)
        return larger if larger._walk(joining) else None

    def _copied(self) -> MonitorParts:
        found = copy(self)
        found.masks, found.met = list(self.masks), list(self.met)
        found._kind = list(self._kind)
        found.here, found.open = self.here.copy(), self.open.copy()
        return found

    def _split(self, part: Number) -> Number:
        """Let the lowest state of a part be one of its own; return its number."""
        mask = self.masks[part]
        rest = mask & (mask - 1)
        if not rest:
            return part
        self.here.split(part)
        self.open.split(part)
        self.masks[part] = rest
        self.masks.append(mask ^ rest)
        self.met.append(self.met[part])
        self._kind.append(self._kind[part])
        return len(self.masks) - 1

    def _walk(self, joining: Joining) -> bool:
        """Add transitions and what they lead to; False if that is ERROR."""
        source, action, target, loop = joining
        if loop:
            self.here.loops[source].add(action)
        else:
            row = self.here.rows[source]
            row[action] = row.get(action, 0) | 1 << target
        moves, met = self._determinised.moves, self.met
        fresh = {source}
        while fresh:
            part = fresh.pop()
            failing, images = moves[met[part]]
            if any(self.here.led(part, action) for action in failing):
                return False
            for action, image in images.items():
                for after in bits(self.here.led(part, action)):
                    if image & ~met[after]:
                        met[after] |= image
                        fresh.add(after)
        return True
