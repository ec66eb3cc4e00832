"""Sets of transitions as blocks, and states of E that they do not distinguish.

In:  transitions with their targets as bits: for each action a mask for each state.
Out: `Blocks` of each action, and `Kinds`: classes of interchangeable states.

Self-loops behave differently from other transitions: each is the shortest cycle. So
they are stored separately from the pairs of different states, which are products of
sources and targets.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from symrob.lts import Action, StateId
from symrob.lts.masks import bits, mask_of

# A set of states as bits.
States = int


class Blocks(NamedTuple):
    """Transitions of one action.

    Attributes:
        loops: The states with a self-loop.
        pairs: Sources and targets: one from each source to each target that is another
            state. No source is in two of them.
    """

    loops: States
    pairs: tuple[tuple[States, States], ...]

    @property
    def size(self) -> int:
        """The number of transitions."""
        return self.loops.bit_count() + sum(
            s.bit_count() * t.bit_count() - (s & t).bit_count() for s, t in self.pairs
        )


def blocks_of(rows: Sequence[States]) -> Blocks:
    """Return the transitions of one action in blocks, as few as are easily found.

    Args:
        rows: For each state its targets.

    Cost: linear in the bits of the rows.
    """
    own = [1 << q for q in range(len(rows))]
    looping = [q for q, row in enumerate(rows) if row & own[q]]
    # With a loop and without one, a row is the same here: the more frequent form.
    with_loop = [row | bit for row, bit in zip(rows, own, strict=True)]
    without = [row & ~bit for row, bit in zip(rows, own, strict=True)]
    often = Counter(with_loop) + Counter(without)
    sources: dict[States, list[StateId]] = {}
    for q, forms in enumerate(zip(with_loop, without, strict=True)):
        if forms[1]:
            sources.setdefault(max(forms, key=often.__getitem__), []).append(q)
    pairs = tuple((mask_of(those), targets) for targets, those in sources.items())
    return Blocks(mask_of(looping), pairs)


class Kinds:
    """Classes of states of E that are interchangeable in a set of transitions.

    The initial state is a kind by itself. Two states of one kind have the same
    successors and predecessors outside of the kind, by each action; within the kind,
    either all pairs of different states have a transition by it or none, and either all
    states have a self-loop or none.

    Args:
        size: The number of states of E.
        blocks: The transitions, by action.

    Attributes:
        masks: For each kind its states.
        targets: For each kind, by action, the targets of each of its states except the
            state itself.
        loops: For each kind the actions of the self-loops.

    Cost: for each state and each pair of blocks a few operations.
    """

    def __init__(self, size: int, blocks: Mapping[Action, Blocks]) -> None:
        alike: list[list[int]] = [[q == 0] for q in range(size)]
        for of_action in blocks.values():
            _tell_apart(alike, bits(of_action.loops), 1)
            for number, (sources, targets) in enumerate(of_action.pairs, 2):
                _tell_apart(alike, bits(sources), number)
                _tell_apart(alike, bits(targets), -number)
            for key in alike:
                key.append(0)
        members: dict[tuple[int, ...], list[StateId]] = {}
        for q, key in enumerate(alike):
            members.setdefault(tuple(key), []).append(q)
        self.masks = [mask_of(those) for those in members.values()]
        self.targets: list[dict[Action, States]] = []
        self.loops: list[frozenset[Action]] = []
        for mask in self.masks:
            one = mask & -mask
            row = {
                action: targets
                for action, of_action in blocks.items()
                for sources, targets in of_action.pairs
                if sources & one
            }
            self.targets.append(row)
            self.loops.append(
                frozenset(a for a, found in blocks.items() if found.loops & one)
            )

    def __len__(self) -> int:
        """Return the number of kinds."""
        return len(self.masks)


def _tell_apart(
    alike: Sequence[list[int]], states: Iterable[StateId], number: int
) -> None:
    """Note a number of some states."""
    for state in states:
        alike[state].append(number)
