"""Classes of candidates: a skipped step, a repeated one, a foreign one.

In:  the environment E, and the number of states added to it.
Out: one class for each transition of A without R_E, with the action that an omission
     leaves out.

A candidate (q, a, r) has the first class that fits. A *planned step* is a transition of
R_E by an action (not by `tau`); p ranges over the states with a planned step (p, a, r);
the depth of a state is the least number of planned steps on a path of E to it, not
counting `tau` moves, and infinite if no path leads to it.

| class          | when                                               |
|----------------|----------------------------------------------------|
| foreign-state  | q or r is an extra state                           |
| no-effect      | a is planned in q, r = q                           |
| wrong-outcome  | a is planned in q, it leads elsewhere              |
| foreign-action | a is planned nowhere                               |
| repetition     | r = q and some planned step by a leads into q      |
| omission       | some p is one planned step from q; the action left |
|                | out is that of the step, the first by name         |
| jump-ahead     | some p is deeper than q                            |
| jump-back      | there is some p                                    |
| idle-action    | r = q                                              |
| intrusion      | all others                                         |

Sets of targets are bit masks, so the classes of a whole row (q, a, *) take a few
integer operations, without a loop over candidates.

Source: docs/sources.md [Phenotypes].
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import accumulate
from math import inf
from operator import or_
from typing import Literal, NamedTuple, get_args

from symrob.limits import watched
from symrob.lts import TAU, Action, Lts, StateId, Transition
from symrob.lts.masks import bits

Class = Literal[
    "foreign-state",
    "no-effect",
    "wrong-outcome",
    "foreign-action",
    "repetition",
    "omission",
    "jump-ahead",
    "jump-back",
    "idle-action",
    "intrusion",
]
CLASSES: tuple[Class, ...] = get_args(Class)
# From the slip that people make most easily to what needs a different environment.
LIKELIEST_FIRST: tuple[Class, ...] = (
    "omission",
    "repetition",
    "no-effect",
    "jump-ahead",
    "jump-back",
    "wrong-outcome",
    "idle-action",
    "foreign-action",
    "intrusion",
    "foreign-state",
)


class ClassPart(NamedTuple):
    """The targets of one row that have the same class.

    Attributes:
        kind: The class.
        left_out: For an omission, the action left out; else `None`.
        targets: The targets, as bits.
    """

    kind: Class
    left_out: Action | None
    targets: int


# Rows that are kept: each holds masks of the states of E.
_LATELY = 500


class Kind(NamedTuple):
    """The class of one candidate.

    Attributes:
        kind: The class.
        left_out: For an omission, the action left out; else `None`.
    """

    kind: Class
    left_out: Action | None


class Classes:
    """The classes of all candidates of an environment.

    Args:
        environment: E; its extra states are the last ones.
        extra: Number of states added to the nominal E.

    Cost: linear in R_E times the bits of a mask; rows are computed on demand.
    """

    def __init__(self, environment: Lts, extra: int = 0) -> None:
        self.environment = environment
        size = environment.size
        self._full = (1 << size) - 1
        self._first_extra = size - extra
        self._extra = self._full & ~((1 << self._first_extra) - 1)
        self._lately: dict[tuple[StateId, Action], tuple[ClassPart, ...]] = {}

    @property
    def nominal(self) -> int:
        """Number of states of the nominal E; they are the first ones."""
        return self._first_extra

    def row(self, source: StateId, action: Action) -> tuple[ClassPart, ...]:
        """Return the classes of all candidates (source, action, *), each target once.

        Args:
            source: A state of E.
            action: An action of Act_E.

        Cost: a few masks, and one for each planned step out of `source`.
        """
        planned = self._planned[source].get(action, 0)
        left = self._full & ~planned
        if source >= self._first_extra:
            return (ClassPart("foreign-state", None, left),) if left else ()
        parts = [ClassPart("foreign-state", None, left & self._extra)]
        left &= ~self._extra
        here = 1 << source
        into = self._into.get(action)
        if planned:
            parts.append(ClassPart("no-effect", None, left & here))
            parts.append(ClassPart("wrong-outcome", None, left & ~here))
        elif into is None:
            parts.append(ClassPart("foreign-action", None, left))
        else:
            for part in self._misplaced(source, action, into):
                parts.append(part._replace(targets=left & part.targets))
                left &= ~part.targets
        return tuple(part for part in parts if part.targets)

    def _misplaced(
        self, source: StateId, action: Action, into: int
    ) -> Iterator[ClassPart]:
        """What is planned elsewhere and not here; of several that fit the first counts.

        Args:
            source: Where the action is not planned.
            action: An action that is planned somewhere.
            into: The targets of its planned steps.
        """
        here = 1 << source
        yield ClassPart("repetition", None, here & into)
        for skipped, targets in self._skipped[source]:
            landing = 0
            for then in bits(targets):
                landing |= self._planned[then].get(action, 0)
            yield ClassPart("omission", skipped, landing)
        yield ClassPart("jump-ahead", None, self._deeper(source, action))
        yield ClassPart("jump-back", None, into)
        yield ClassPart("idle-action", None, here)
        yield ClassPart("intrusion", None, self._full)

    def of(self, transition: Transition) -> Kind:
        """Return the class of one candidate.

        Args:
            transition: A candidate; transitions of R_E have no class.

        Cost: that of its row; nothing if the row was computed recently.
        """
        source, action, target = transition
        row = self._lately.get((source, action))
        if row is None:
            if len(self._lately) >= _LATELY:
                self._lately.clear()
            row = self._lately[source, action] = self.row(source, action)
        for kind, left_out, targets in row:
            if targets >> target & 1:
                return Kind(kind, left_out)
        raise ValueError(f"{transition} is not a candidate")

    def rank(self, transition: Transition) -> tuple[int, int]:
        """Return a sort key for a candidate's plausibility: the most plausible first.

        The key consists of the position of its class in `LIKELIEST_FIRST`, whether its
        action is planned to lead to its target, and whether it changes the state.

        Args:
            transition: A candidate; transitions of R_E have no class.

        Cost: that of its row.
        """
        source, action, target = transition
        usual = self._into.get(action, 0) >> target & 1
        where = 2 if source == target else 0 if usual else 1
        return LIKELIEST_FIRST.index(self.of(transition).kind), where

    def likeliest(
        self, source: StateId, action: Action, targets: int
    ) -> Transition | None:
        """Return the most plausible candidate of a row, by `rank`, then by number.

        Args:
            source: A state of E.
            action: An action of Act_E.
            targets: The targets to choose from, as bits.

        Returns:
            The candidate; `None` if no target is one.

        Cost: that of its row.
        """
        of_kind: dict[Class, int] = {}
        for part in self.row(source, action):
            of_kind[part.kind] = of_kind.get(part.kind, 0) | part.targets
        for kind in LIKELIEST_FIRST:
            if here := of_kind.get(kind, 0) & targets:
                away = here & ~(1 << source)
                best = away & self._into.get(action, 0) or away or here
                return Transition(source, action, next(bits(best)))
        return None

    def rows(self) -> Iterator[tuple[StateId, Action, tuple[ClassPart, ...]]]:
        """Yield every row: its state, its action, its classes."""
        for source in watched(range(self.environment.size)):
            for action in self.environment.alphabet:
                yield source, action, self.row(source, action)

    def transitions(
        self,
        kind: Class,
        sources: Iterable[StateId] | None = None,
        actions: Sequence[Action] | None = None,
    ) -> Iterator[Transition]:
        """Yield the candidates of a class, row by row.

        Args:
            kind: The class.
            sources: Only candidates from these states; by default from any.
            actions: Only candidates by these actions; by default by any.
        """
        sources = range(self.environment.size) if sources is None else sources
        for source in sources:
            for action in self.environment.alphabet if actions is None else actions:
                for part in self.row(source, action):
                    if part.kind == kind:
                        for target in bits(part.targets):
                            yield Transition(source, action, target)

    @cached_property
    def _planned(self) -> tuple[Mapping[Action, int], ...]:
        """For each state its planned actions, with their targets."""
        table: list[dict[Action, int]] = [{} for _ in range(self.environment.size)]
        for source, action, target in self.environment.transitions:
            if action != TAU:
                row = table[source]
                row[action] = row.get(action, 0) | 1 << target
        return tuple(table)

    @cached_property
    def _skipped(self) -> tuple[tuple[tuple[Action, int], ...], ...]:
        """For each state its planned steps, of those with equal targets the first."""
        found = []
        for row in self._planned:
            firsts: dict[int, Action] = {}
            for action in sorted(row):
                firsts.setdefault(row[action], action)
            found.append(tuple((a, targets) for targets, a in firsts.items()))
        return tuple(found)

    @cached_property
    def _into(self) -> Mapping[Action, int]:
        """For each action that is planned somewhere, the targets of all its steps."""
        into: dict[Action, int] = {}
        for row in self._planned:
            for action, targets in row.items():
                into[action] = into.get(action, 0) | targets
        return into

    @cached_property
    def _depths(self) -> tuple[float, ...]:
        """The depth of each state.

        Layer by layer: a layer is closed under `tau` before the next one, which is what
        its planned steps lead to that was not met before. Each state enters one layer.
        """
        depths = [inf] * self.environment.size
        depth = 0
        layer = [*self.environment.initial]
        for state in layer:
            depths[state] = 0
        while layer:
            further: list[StateId] = []
            # Grows while it is walked: what `tau` leads to is as deep.
            for state in watched(layer):
                for target in self.environment.successors[state].get(TAU, ()):
                    if depths[target] > depth:
                        depths[target] = depth
                        layer.append(target)
            depth += 1
            for state in layer:
                for targets in self._planned[state].values():
                    for target in bits(targets):
                        if depths[target] > depth:
                            depths[target] = depth
                            further.append(target)
            layer = further
        return tuple(depths)

    def _deeper(self, source: StateId, action: Action) -> int:
        """Where planned steps by an action from states deeper than one lead."""
        depths, targets = self._by_depth[action]
        return targets[bisect_right(depths, self._depths[source])]

    @cached_property
    def _by_depth(self) -> Mapping[Action, tuple[list[float], list[int]]]:
        """For each planned action where its steps lead, by the depth of their sources.

        The depths are sorted. The targets beside each are those of sources as deep or
        deeper; behind them stands a 0, for what is deeper than all.
        """
        at: dict[Action, dict[float, int]] = {a: {} for a in self._into}
        for state, row in enumerate(self._planned):
            for action, targets in row.items():
                depth = self._depths[state]
                at[action][depth] = at[action].get(depth, 0) | targets
        table = {}
        for action, layers in at.items():
            depths = sorted(layers)
            deepest_first = accumulate((layers[d] for d in reversed(depths)), or_)
            table[action] = (depths, [*reversed([*deepest_first]), 0])
        return table
