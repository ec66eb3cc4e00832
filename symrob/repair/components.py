"""Guards as components that run beside C: C with them is C'.

In:  guards, and the memory that they share.
Out: one deterministic `Lts` for each group of guards that read the same components.

A component of guards tracks exactly the components that they read, so it blocks only
what a guard forbids. Guards that read different components stay separate, since their
product can be exponentially larger.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from symrob.limits import Clock, check_size
from symrob.lts import ERROR, Action, Lts, StateId
from symrob.lts.bisimulation import minimise
from symrob.lts.naming import distinct
from symrob.problem.roles import GUARD

MEMORY = "MEMORY"

# A component by its name, as its actions tell it.
Looked = tuple[str, Lts]


@dataclass(frozen=True)
class InStates:
    """A condition that one component is in some states.

    Attributes:
        component: Its name; `MEMORY` for the memory.
        states: The states, any of them; by number.
        lts: The determinised component.
    """

    also: ClassVar = {"states": "names"}

    component: str
    states: frozenset[StateId]
    lts: Lts = field(metadata={"json": False})

    @property
    def names(self) -> tuple[str, ...]:
        """The states by name."""
        return tuple(self.lts.state_name(s) for s in sorted(self.states))


@dataclass(frozen=True)
class Guard:
    """A guard: the condition under which an action is disabled.

    Attributes:
        action: The action.
        terms: The action is disabled if all conditions of one term hold; a term without
            conditions always holds.
    """

    also: ClassVar = {"while": "terms"}

    action: Action
    terms: tuple[tuple[InStates, ...], ...] = field(metadata={"json": False})

    @property
    def size(self) -> int:
        """Its length: the states and terms in it."""
        return sum(1 + sum(len(c.states) for c in term) for term in self.terms)

    @property
    def looks_at(self) -> tuple[Looked, ...]:
        """The components that it reads, in order."""
        found = ((c.component, c.lts) for term in self.terms for c in term)
        return tuple(dict.fromkeys(found))


def names_of(count: int) -> list[str]:
    """Return names for this many components of guards."""
    return [GUARD] if count == 1 else [f"{GUARD}_{i}" for i in range(1, count + 1)]


def components(guards: Sequence[Guard], clock: Clock) -> tuple[Lts, ...]:
    """Return guards as components.

    Args:
        guards: The guards.
        clock: Watches the bounds of the run.

    Raises:
        LimitExceeded: One has too many states.

    Cost: the reachable product of the components that each group reads.
    """
    return tuple(_Component(group, clock).lts for group in _sharing(guards) if group)


def _sharing(guards: Sequence[Guard]) -> Iterator[list[Guard]]:
    """Groups of guards that look at nothing in common with each other."""
    groups: list[tuple[set[Looked], list[Guard]]] = []
    for guard in guards:
        looked, members = set(guard.looks_at), [guard]
        apart = []
        for others, known in groups:
            if others & looked:
                looked, members = looked | others, known + members
            else:
                apart.append((others, known))
        groups = [*apart, (looked, members)]
    for _, members in groups:
        yield sorted(members, key=lambda g: g.action)


class _Component:
    """A group of guards, and what they look at together."""

    def __init__(self, guards: Sequence[Guard], clock: Clock) -> None:
        self._clock = clock
        looked = tuple(dict.fromkeys(x for g in guards for x in g.looks_at))
        self._systems = [lts for _, lts in looked]
        # Where the memory does not know an action, it is not changed by it.
        self._free = [name == MEMORY for name, _ in looked]
        self._terms = {
            g.action: [
                [(looked.index((c.component, c.lts)), c.states) for c in term]
                for term in g.terms
            ]
            for g in guards
        }
        self._alphabet = sorted(
            {*self._terms, *(a for lts in self._systems for a in lts.alphabet)}
        )

    @property
    def lts(self) -> Lts:
        """Without states that do the same."""
        start = (0,) * len(self._systems)
        numbers, order = {start: 0}, [start]
        transitions: list[tuple[StateId, Action, StateId]] = []
        for source, state in enumerate(order):
            self._clock.check()
            for action in self._alphabet:
                after = self._after(state, action)
                if after is None or self._forbids(state, action):
                    continue
                target = numbers.setdefault(after, len(order))
                if target == len(order):
                    most = self._clock.limits.max_states
                    check_size(target + 1, most, "component of guards")
                    order.append(after)
                transitions.append((source, action, target))
        names = distinct([self._name(state) for state in order])
        return minimise(Lts(self._alphabet, len(order), transitions, names=names))

    def _forbids(self, state: tuple[StateId, ...], action: Action) -> bool:
        return any(
            all(state[index] in states for index, states in term)
            for term in self._terms.get(action, ())
        )

    def _after(
        self, state: tuple[StateId, ...], action: Action
    ) -> tuple[StateId, ...] | None:
        """Where an action leads; `None` if a component does not offer it.

        Where a component fails it stays as it is: nobody asks any more.
        """
        after = list(state)
        for index, lts in enumerate(self._systems):
            if action not in lts.alphabet:
                continue
            target = lts.successors[state[index]].get(action, (None,))[0]
            if target is None and not self._free[index]:
                return None
            if target not in (None, ERROR):
                after[index] = target
        return tuple(after)

    def _name(self, state: tuple[StateId, ...]) -> str:
        parts = zip(self._systems, state, strict=True)
        return "_".join(lts.state_name(s) for lts, s in parts) or "ALWAYS"
