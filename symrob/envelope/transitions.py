"""The environment's transitions, and sets of candidates.

In:  the environment as an `Lts`, and which transitions to add.
Out: `Graph`, the adjacency that the fixpoints walk; `Candidates`, a set of
     transitions as one bit mask of targets for each (state, action).

A large environment has millions of candidate transitions, but nearly all of
them fall in groups: one test on (state, action) decides many targets at once.

If the states of E have views (`symrob.lts.views`), actions in this module are labels; a
`Transition` has its action.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple, Self

from symrob.lts import ERROR, TAU, Action, Lts, StateId, Transition
from symrob.lts.masks import bits, mask_of
from symrob.lts.views import by_label, labelled, mask_seen, plain, visible_labels
from symrob.problem import Many, plan_of

Outgoing = tuple[tuple[Action, tuple[StateId, ...]], ...]


class Graph(NamedTuple):
    """Transitions of a deviated environment, by source and action.

    Attributes:
        rows: For each state, its actions (`tau` included) with their targets.
    """

    rows: tuple[Outgoing, ...]

    @classmethod
    def of(cls, size: int, transitions: Iterable[Sequence[object]]) -> Graph:
        """Collect transitions; ERROR is never a target of an environment.

        Args:
            size: Number of states.
            transitions: Triples (source, label, target).
        """
        table: list[dict[Action, set[StateId]]] = [{} for _ in range(size)]
        for source, action, target in transitions:
            assert isinstance(source, int)
            assert isinstance(action, str)
            assert isinstance(target, int)
            assert target != ERROR
            table[source].setdefault(action, set()).add(target)
        return cls(
            tuple(
                tuple((a, tuple(sorted(row[a]))) for a in sorted(row)) for row in table
            )
        )

    @property
    def size(self) -> int:
        """Number of states."""
        return len(self.rows)

    def backwards(self) -> list[list[tuple[StateId, Action]]]:
        """For each state, the (source, action) pairs that lead to it."""
        into: list[list[tuple[StateId, Action]]] = [[] for _ in self.rows]
        for source, row in enumerate(self.rows):
            for action, targets in row:
                for target in targets:
                    into[target].append((source, action))
        return into

    def transitions(self) -> Iterator[Transition]:
        """Yield all transitions, sorted by source and action."""
        for source, row in enumerate(self.rows):
            for action, targets in row:
                for target in targets:
                    yield Transition(source, plain(action), target)


class MaskGraph(NamedTuple):
    """The same with targets as bits, for environments with very many transitions.

    Attributes:
        rows: For each state, its actions (`tau` included) with their targets.
    """

    rows: tuple[tuple[tuple[Action, int], ...], ...]

    @classmethod
    def of(cls, size: int, transitions: Iterable[Transition]) -> MaskGraph:
        """Collect transitions between this many states."""
        table: list[dict[Action, list[StateId]]] = [{} for _ in range(size)]
        for source, action, target in transitions:
            table[source].setdefault(action, []).append(target)
        return cls(
            tuple(tuple((a, mask_of(row[a])) for a in sorted(row)) for row in table)
        )

    @property
    def size(self) -> int:
        """Number of states."""
        return len(self.rows)


AnyGraph = Graph | MaskGraph


class Candidates(Many):
    """A set of transitions over the states and actions of an environment.

    Args:
        actions: Act_E, sorted; or its labels.
        masks: For each state, for each action in order, the targets as bits.
    """

    def __init__(self, actions: tuple[Action, ...], masks: list[list[int]]) -> None:
        self.actions = actions
        self.masks = masks

    def __repr__(self) -> str:
        return f"{type(self).__name__}({len(self)} transitions)"

    @classmethod
    def all_new(cls, environment: Lts) -> Candidates:
        """Return A without R_E, for A = Q_E x Act_E x Q_E ([S1] Sect. 4.1)."""
        actions, plan = visible_labels(environment), plan_of(environment)
        index = {a: i for i, a in enumerate(actions)}
        known = {*plan.alphabet}
        full = [mask_seen(plan, a) if plain(a) in known else 0 for a in actions]
        masks = [list(full) for _ in range(environment.size)]
        planned = (t for t in plan.transitions if t.action != TAU)
        for source, label, target in labelled(plan, planned):
            masks[source][index[label]] &= ~(1 << target)
        return cls(actions, masks)

    @classmethod
    def of(
        cls, environment: Lts, transitions: Iterable[Sequence[object]]
    ) -> Candidates:
        """Collect transitions; triples (source, action, target)."""
        actions = visible_labels(environment)
        index = {a: i for i, a in enumerate(actions)}
        masks = [[0] * len(actions) for _ in range(environment.size)]
        for source, action, target in labelled(environment, transitions):
            assert isinstance(source, int)
            assert isinstance(action, str)
            assert isinstance(target, int)
            masks[source][index[action]] |= 1 << target
        return cls(actions, masks)

    def without(self, other: Self) -> Self:
        """Return the difference with the other set, over the same E."""
        nothing = [0] * len(self.actions)
        masks = [
            nothing
            if row is their_row
            else [mine & ~theirs for mine, theirs in zip(row, their_row, strict=True)]
            for row, their_row in zip(self.masks, other.masks, strict=True)
        ]
        return type(self)(self.actions, masks)

    def union(self, other: Self) -> Self:
        """Return the union with the other set, over the same E."""
        masks = [
            [mine | theirs for mine, theirs in zip(row, their_row, strict=True)]
            for row, their_row in zip(self.masks, other.masks, strict=True)
        ]
        return type(self)(self.actions, masks)

    def within(self, other: Self) -> Self:
        """Return the intersection with the other set, over the same E."""
        return self.without(self.without(other))

    def __len__(self) -> int:
        return sum(mask.bit_count() for row in self.masks for mask in row)

    def __contains__(self, transition: Any) -> bool:
        source, action, target = transition
        return bool(self.targets(source, action) >> target & 1)

    @property
    def by_action(self) -> Candidates:
        """The same with a mask for each action, instead of one for each label."""
        actions = tuple(dict.fromkeys(map(plain, self.actions)))
        if actions == self.actions:
            return self
        places = [[*self._places(action)] for action in actions]
        masks = []
        for row in self.masks:
            joined = [0] * len(actions)
            for column, own in enumerate(places):
                for place in own:
                    joined[column] |= row[place]
            masks.append(joined)
        return Candidates(actions, masks)

    def targets(self, source: StateId, action: Action) -> int:
        """Return the targets of a state and action, as bits."""
        row, found = self.masks[source], 0
        for place in self._places(action):
            found |= row[place]
        return found

    def _places(self, action: Action) -> Iterator[int]:
        """Where an action stands, under each of its labels."""
        place = bisect_left(self.actions, action)
        while place < len(self.actions) and plain(self.actions[place]) == action:
            yield place
            place += 1

    def __iter__(self) -> Iterator[Transition]:
        for source, row in enumerate(self.masks):
            for label, mask in zip(self.actions, row, strict=True):
                action = plain(label) if mask else label
                for target in bits(mask):
                    yield Transition(source, action, target)

    @property
    def graph(self) -> MaskGraph:
        """These transitions alone."""
        rows = (zip(self.actions, masks, strict=True) for masks in self.masks)
        return MaskGraph(tuple(tuple((a, m) for a, m in row if m) for row in rows))

    def with_nominal(self, environment: Lts) -> MaskGraph:
        """Return the graph of these transitions together with R_E."""
        return self.added_to(row.items() for row in by_label(environment))

    def added_to(
        self, rows: Iterable[Iterable[tuple[Action, Sequence[StateId]]]]
    ) -> MaskGraph:
        """Return the graph of these transitions together with others, by source."""
        graph = []
        for present, masks in zip(rows, self.masks, strict=True):
            row = {action: mask_of(targets) for action, targets in present}
            for action, mask in zip(self.actions, masks, strict=True):
                if mask:
                    # Kept as it is where it is whole: it can be long, and is shared.
                    row[action] = row[action] | mask if action in row else mask
            graph.append(tuple((a, row[a]) for a in sorted(row)))
        return MaskGraph(tuple(graph))
