"""States of C‖P that no action of E tells apart, made one.

In:  a `ProductTable`: C‖P state by state.
Out: the same for classes of its states, without internal moves.

Two states are of one class if the same actions fail from them, now or after internal
moves, and all others lead from them to the same classes: weak bisimulation, but that an
action which can fail may do anything else. So the same sequences of actions fail from
both, which is all that safety asks, and the same actions can be taken. States that
internal moves lead from one to another and back are of one class from the start.

A token ring of ten stations has 6,144 states and 103 classes. Its determinised form,
which looks at sets of states, has 5,131.

Source: docs/mathematics.md, 3.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from symrob.limits import Clock
from symrob.lts import Action
from symrob.lts.masks import bits
from symrob.lts.strong import strong_parts


class ProductTable(NamedTuple):
    """C‖P as a table; the initial state is 0.

    Attributes:
        post: For each action of E, for each state where it leads, without ERROR.
        rejects: For each action of E, as bits the states from which it can lead to
            ERROR.
        internal: For each state where internal moves lead in one step.
        failing: The states that an internal move leads from to ERROR, as bits.
    """

    post: dict[Action, list[tuple[int, ...]]]
    rejects: dict[Action, int]
    internal: list[tuple[int, ...]]
    failing: int


def weak_quotient(table: ProductTable, clock: Clock) -> ProductTable:
    """Return the table of classes of states.

    A greatest fixpoint: all states are of one class at first, and a round parts those
    that differ in what they can do. What was parted stays so, since classes of one
    round lie within those of the last; it ends when a round parts none.

    Args:
        table: C‖P; it does not fail before the first action.
        clock: Asked once a round whether the run may go on.

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
    dead = [False] * len(knots)
    for number, members in enumerate(knots):
        own = any(table.failing >> state & 1 for state in members)
        dead[number] = own or any(dead[other] for other in behind[number])
    actions = [*table.post]
    # By knot: the actions that can fail, as bits; by action, the knots it leads to.
    fails = [0] * len(knots)
    leads: list[list[tuple[int, set[int]]]] = [[] for _ in knots]
    for number, members in enumerate(knots):
        for index, action in enumerate(actions):
            post, rejects = table.post[action], table.rejects[action]
            targets = {knot_of[t] for s in members for t in post[s]}
            if any(rejects >> s & 1 for s in members) or any(dead[t] for t in targets):
                fails[number] |= 1 << index
            elif targets:
                leads[number].append((index, targets))
        for other in behind[number]:
            fails[number] |= fails[other]
    classes, count = [0] * len(knots), 0
    while True:
        clock.check()
        width = 1 + max(classes)
        kept: dict[int, int] = {}
        signs: list[int] = []
        numbers: dict[tuple[int, int], int] = {}
        following = []
        for number, failed in enumerate(fails):
            sign = 0
            for index, targets in leads[number]:
                for target in targets:
                    sign |= 1 << index * width + classes[target]
            # What internal moves lead to stands before, sinks first.
            for other in behind[number]:
                sign |= signs[other]
            if failed not in kept:
                kept[failed] = sum(
                    (1 << width) - 1 << index * width
                    for index in range(len(actions))
                    if not failed >> index & 1
                )
            sign &= kept[failed]
            signs.append(sign)
            following.append(numbers.setdefault((failed, sign), len(numbers)))
        if len(numbers) == count:
            break
        classes, count = following, len(numbers)
    return _of_classes(actions, [*numbers], width, classes[knot_of[0]])


def _of_classes(
    actions: Sequence[Action], kinds: Sequence[tuple[int, int]], width: int, first: int
) -> ProductTable:
    """The table of classes, the initial one with number 0."""
    # The first and the initial class change places.
    order = [*range(len(kinds))]
    order[0], order[first] = first, 0
    post: dict[Action, list[tuple[int, ...]]] = {}
    rejects: dict[Action, int] = {}
    for index, action in enumerate(actions):
        part = (1 << width) - 1
        post[action] = [
            tuple(order[t] for t in bits(kinds[c][1] >> index * width & part))
            for c in order
        ]
        rejects[action] = sum(
            1 << number for number, c in enumerate(order) if kinds[c][0] >> index & 1
        )
    return ProductTable(post, rejects, [()] * len(kinds), 0)
