"""Merging states of C‖P that no action of E distinguishes.

In:  a `ProductTable`: C‖P state by state.
Out: a `ClassTable`: the same for classes of its states, without internal moves.

Two states are in one class if the same actions fail from them, now or after internal
moves, and all others lead from them to the same classes: weak bisimulation, except that
the other targets of an action that can fail are ignored. So the same sequences of
actions fail from both, which is all that safety requires, and the same actions can be
taken. States on a cycle of internal moves are in one class from the start.

A token ring of ten stations has 6,144 states and 103 classes. Its determinised form,
which looks at sets of states, has 5,131.

Source: docs/mathematics.md, 3.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from operator import or_
from typing import NamedTuple

from symrob.limits import Clock
from symrob.lts import Action
from symrob.lts.masks import bits, mask_of
from symrob.lts.strong import strong_parts


class ProductTable(NamedTuple):
    """C‖P as a table; the initial state is 0.

    Attributes:
        post: For each action of E and each state, its targets without ERROR.
        rejects: For each action of E, as bits the states from which it can lead to
            ERROR.
        internal: For each state its successors by one internal move.
        failing: The states with an internal move to ERROR, as bits.
    """

    post: dict[Action, list[tuple[int, ...]]]
    rejects: dict[Action, int]
    internal: list[tuple[int, ...]]
    failing: int


class ClassTable(NamedTuple):
    """The same for classes of states, without internal moves between them.

    Attributes:
        size: The number of classes; the initial one is 0.
        post: For each action of E and each class, its targets as bits.
        rejects: For each action of E, as bits the classes from which it can fail.
    """

    size: int
    post: dict[Action, list[int]]
    rejects: dict[Action, int]


def weak_quotient(table: ProductTable, clock: Clock) -> ClassTable:
    """Return the table of classes of states.

    Partition refinement: initially, states that can fail on the same actions are in one
    class; each round splits classes whose states differ in their successors. It ends
    when a round splits none.

    Args:
        table: C‖P; it does not fail before the first action.
        clock: Checked each round.

    Cost: linear in the moves for each round; at most as many rounds as classes.
    """
    knots = strong_parts(dict(enumerate(table.internal)), clock)
    knot_of = [0] * len(table.internal)
    for number, members in enumerate(knots):
        for state in members:
            knot_of[state] = number
    behind = [
        {knot_of[t] for s in members for t in table.internal[s]} - {number}
        for number, members in enumerate(knots)
    ]
    dead = {knot_of[state] for state in bits(table.failing)}
    for number, others in enumerate(behind):
        if not dead.isdisjoint(others):
            dead.add(number)
    actions = [*table.post]
    # By knot: the actions that can fail, as bits; by action, where the others lead.
    fails = [0] * len(knots)
    leads: list[list[tuple[int, set[int]]]] = [[] for _ in knots]
    for index, action in enumerate(actions):
        post = table.post[action]
        rejecting = {knot_of[state] for state in bits(table.rejects[action])}
        for number, members in enumerate(knots):
            targets = {knot_of[t] for s in members for t in post[s]}
            if number in rejecting or not dead.isdisjoint(targets):
                fails[number] |= 1 << index
            elif targets:
                leads[number].append((index, targets))
    for number, others in enumerate(behind):
        for other in others:
            fails[number] |= fails[other]
    known = {failed: number for number, failed in enumerate(dict.fromkeys(fails))}
    classes, count = [known[failed] for failed in fails], 0
    while True:
        clock.check()
        # A sign is the actions that fail, and the classes that each other leads to.
        width = max(classes) + 1
        of_class = [1 << c for c in range(width)]
        units = [of_class[c] for c in classes]
        kept = {failed: _others(failed, len(actions), width) for failed in known}
        signs: list[int] = []
        numbers: dict[tuple[int, int], int] = {}
        following = []
        for failed, row, others in zip(fails, leads, behind, strict=True):
            sign = 0
            for index, targets in row:
                led = reduce(or_, map(units.__getitem__, targets))
                sign |= led << index * width
            # What internal moves lead to stands before, sinks first.
            for other in others:
                sign |= signs[other]
            sign &= kept[failed]
            signs.append(sign)
            following.append(numbers.setdefault((failed, sign), len(numbers)))
        if len(numbers) == count:
            break
        classes, count = following, len(numbers)
    return _of_classes(actions, [*numbers], width, classes[knot_of[0]])


def _others(failed: int, actions: int, width: int) -> int:
    """All classes, for each action that does not fail."""
    part = (1 << width) - 1
    return sum(part << i * width for i in range(actions) if not failed >> i & 1)


def _of_classes(
    actions: Sequence[Action], kinds: Sequence[tuple[int, int]], width: int, first: int
) -> ClassTable:
    """The table of classes by their signs, the initial one with number 0."""
    # The first and the initial class change places.
    order = [*range(len(kinds))]
    order[0], order[first] = first, 0
    part = (1 << width) - 1

    def leads(kind: int, index: int) -> int:
        mask = kinds[kind][1] >> index * width & part
        swapped = (mask ^ mask >> first) & 1
        return mask ^ (swapped | swapped << first) if first else mask

    post = {a: [leads(c, i) for c in order] for i, a in enumerate(actions)}
    rejects = {
        action: mask_of([n for n, c in enumerate(order) if kinds[c][0] >> index & 1])
        for index, action in enumerate(actions)
    }
    return ClassTable(len(kinds), post, rejects)
