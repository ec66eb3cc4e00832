"""Maximal deviations of a large E, as blocks of transitions; some of them, or all.

In:  `SafeSets`.
Out: `WideSets`: maximal robust deviations, each once, given by what they leave out.

A deviation here has up to hundreds of millions of transitions. They are neither solver
variables nor listed: `MonitorParts` extends sets by kinds of states. So there is no
proof that all deviations were found, unless all individually tolerated candidates are
safe together.

Each next deviation starts with a transition that no earlier one contains; once all are
covered, it starts with a random safe set that none of them contains.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from random import Random

from symrob.envelope.determinised import MonitorStates
from symrob.envelope.kinds import Blocks, Kinds, States, blocks_of
from symrob.envelope.parts import MonitorParts
from symrob.envelope.safe_sets import SafeSets
from symrob.errors import LimitExceeded
from symrob.limits import Clock
from symrob.lts import Action, StateId, Transition
from symrob.lts.masks import bits

# Transitions in blocks, by action.
InBlocks = Mapping[Action, Blocks]

# A deviation takes walks for each two kinds of states of E.
MOST_KINDS = 300
# Sets that are drawn before it is said that no other was found.
DRAWN = 20


def size_of(blocks: InBlocks) -> int:
    """Return the number of transitions."""
    return sum(found.size for found in blocks.values())


class WideSets:
    """Finds maximal deviations of a large E.

    Args:
        sets: The safe sets.
        clock: Checked at intervals.

    Attributes:
        tolerated: The individually tolerated candidates and R_E, including its internal
            moves.
    """

    def __init__(self, sets: SafeSets, clock: Clock) -> None:
        self._clock = clock
        self._sets = sets
        self._environment = sets.environment
        graph = sets.alone.with_nominal(sets.environment)
        targets: dict[Action, list[States]] = {}
        for state, row in enumerate(graph.rows):
            for action, mask in row:
                targets.setdefault(action, [0] * graph.size)[state] = mask
        self.tolerated = {a: blocks_of(targets[a]) for a in sorted(targets)}
        self._random = Random(1)

    def deviations(self) -> Iterator[InBlocks]:
        """Yield maximal deviations, each given by what it leaves out of `tolerated`.

        Raises:
            LimitExceeded: A bound was hit, or no other was found; the deviations
                yielded before are valid.

        Cost: for each, an exploration of R_E from its start; then, for each two parts
            and each action, a few passes over the parts, of which there are a few for
            each kind of states.
        """
        if self._sets.unbroken:
            yield {}
            return
        kinds = self._kinds()
        found: list[InBlocks] = []
        lacking: InBlocks = {}
        start: Sequence[Transition] = ()
        while True:
            met = self._met(start)
            assert met is not None, "what a deviation starts with is unsafe"
            parts = MonitorParts(kinds, met, self._sets.determinised, self._clock)
            parts.grow()
            left_out = parts.left_out()
            yield left_out
            # What all of them leave out.
            lacking = _common(lacking, left_out) if found else left_out
            found.append(left_out)
            start = [self._drawn(lacking)] if lacking else self._beyond(found)

    def _kinds(self) -> Kinds:
        blocks = self.tolerated.values()
        many = sum(len(of_action.pairs) for of_action in blocks) > MOST_KINDS
        kinds = None if many else Kinds(self._environment.size, self.tolerated)
        if kinds is None or len(kinds) > MOST_KINDS:
            raise LimitExceeded(
                "too many tolerated transitions to enumerate their maximal sets (more "
                f"than {MOST_KINDS:,} groups of equivalent states of E); --among EXPR "
                "selects fewer candidates"
            )
        return kinds

    def _beyond(self, found: Sequence[InBlocks]) -> list[Transition]:
        """Draw a safe set that none of the deviations holds."""
        for _ in range(DRAWN):
            self._clock.check()
            start: list[Transition] = []
            for left_out in self._random.sample(found, len(found)):
                if not any(_holds(left_out, t) for t in start):
                    start.append(self._drawn(left_out))
            if self._met(start) is not None:
                return start
        raise LimitExceeded(
            "no further maximal deviation found; unknown whether there is one"
        )

    def _drawn(self, blocks: InBlocks) -> Transition:
        """Draw one of some transitions."""
        choices: list[tuple[Action, States, States]] = []
        for action, of_action in blocks.items():
            choices += [(action, s, t) for s, t in of_action.pairs]
            if of_action.loops:
                choices.append((action, of_action.loops, 0))
        action, sources, targets = self._random.choice(choices)
        source = self._one_of(sources)
        if not targets:
            return Transition(source, action, source)
        if targets == 1 << source:
            source = self._one_of(sources & ~targets)
        return Transition(source, action, self._one_of(targets & ~(1 << source)))

    def _one_of(self, states: States) -> StateId:
        return self._random.choice(list(bits(states)))

    @cached_property
    def _nominal(self) -> list[MonitorStates]:
        """For each state of E what is met with it by R_E alone."""
        initial = self._sets.determinised.initial
        met = [initial] + [0] * (self._environment.size - 1)
        safe = self._walk(met, {0}, {})
        assert safe, "R_E is unsafe"
        return met

    def _met(self, added: Sequence[Transition]) -> list[MonitorStates] | None:
        """What is met with R_E and some more; `None` if that is unsafe."""
        more: dict[StateId, list[tuple[Action, StateId]]] = {}
        for source, action, target in added:
            more.setdefault(source, []).append((action, target))
        met = list(self._nominal)
        return met if self._walk(met, set(more), more) else None

    def _walk(
        self,
        met: list[MonitorStates],
        fresh: set[StateId],
        more: Mapping[StateId, Sequence[tuple[Action, StateId]]],
    ) -> bool:
        """Add what R_E and more transitions lead to; False at the first ERROR."""
        moves, successors = self._sets.determinised.moves, self._environment.successors
        while fresh:
            self._clock.check()
            state = fresh.pop()
            failing, images = moves[met[state]]
            leads = [
                (a, t) for a, targets in successors[state].items() for t in targets
            ]
            for action, target in (*leads, *more.get(state, ())):
                if action in failing:
                    return False
                if images.get(action, 0) & ~met[target]:
                    met[target] |= images[action]
                    fresh.add(target)
        return True


def _common(one: InBlocks, other: InBlocks) -> InBlocks:
    """What is in both."""
    found: dict[Action, Blocks] = {}
    for action in one.keys() & other.keys():
        mine, theirs = one[action], other[action]
        pairs = [
            (sources, targets)
            for s, t in mine.pairs
            for s2, t2 in theirs.pairs
            if (sources := s & s2) and (targets := t & t2)
            if sources != targets or sources & (sources - 1)
        ]
        both = Blocks(mine.loops & theirs.loops, tuple(pairs))
        if both.size:
            found[action] = both
    return dict(sorted(found.items()))


def _holds(blocks: InBlocks, transition: Transition) -> bool:
    source, action, target = transition
    of_action = blocks.get(action, Blocks(0, ()))
    if source == target:
        return bool(of_action.loops >> source & 1)
    return any(s >> source & t >> target & 1 for s, t in of_action.pairs)
