"""Requirements on states: sentences whose conditions name states of E and C.

In:  a condition by the numbers of components and states; `problem.meaning` reads it.
Out: a `Requirement`: its truth in a state of E‖C and for a step; and the views of E's
     states: which of them no condition can distinguish.

The state before a step counts. In a state that was added to E, `is` never holds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Literal

from symrob.logic.conditions import Operator
from symrob.lts import Action, Lts, StateId

Side = Literal["E", "C"]
# The states of a side's components; `None` in a state that was added to E.
Local = tuple[StateId, ...] | None


@dataclass(frozen=True)
class Met:
    """A condition on states, by numbers.

    Attributes:
        operator: See `Condition`.
        parts: See `Condition`.
        side: For `is`, the side that has the component.
        component: For `is`, the number of the component.
        states: For `is`, the states, of which one must be met.
        called: For `is`, what the sentence calls the component.
    """

    operator: Operator
    parts: tuple[Met, ...] = ()
    side: Side = "E"
    component: int = 0
    states: frozenset[StateId] = frozenset()
    called: str = ""

    def holds(self, environment: Local, controller: Local) -> bool:
        """Whether the condition holds for given states of the components."""
        match self.operator:
            case "is":
                local = environment if self.side == "E" else controller
                return local is not None and local[self.component] in self.states
            case "not":
                return not self.parts[0].holds(environment, controller)
            case "and":
                return all(p.holds(environment, controller) for p in self.parts)
            case "or":
                return any(p.holds(environment, controller) for p in self.parts)

    def atoms(self) -> Iterator[Met]:
        """Yield the `is` conditions in it."""
        if self.operator == "is":
            yield self
        for part in self.parts:
            yield from part.atoms()


@dataclass(frozen=True)
class Requirement:
    """A requirement on states.

    Attributes:
        text: Its name in messages: the sentence.
        kind: See `Pattern`; "guard" is not a property, but disables steps of C.
        actions: Actions whose steps the requirement is about; none for a requirement on
            every reachable state.
        met: The condition.
    """

    text: str
    kind: str
    actions: frozenset[Action]
    met: Met

    def forbids_state(self, environment: Local, controller: Local) -> bool:
        """Whether no reachable state may satisfy the condition."""
        return self.kind == "state" and self.met.holds(environment, controller)

    def forbids_step(
        self, action: Action, environment: Local, controller: Local
    ) -> bool:
        """Whether an action must not occur in a state that satisfies it."""
        if self.kind not in ("while", "never-while") or action not in self.actions:
            return False
        return self.met.holds(environment, controller) == (self.kind == "never-while")

    def blocks(self, action: Action, environment: Local, controller: Local) -> bool:
        """Whether C lacks the step in a state that satisfies the condition."""
        if self.kind != "guard" or action not in self.actions:
            return False
        return not self.met.holds(environment, controller)

    def named(self, side: Side) -> frozenset[int]:
        """Return the components of a side that the condition names."""
        return frozenset(a.component for a in self.met.atoms() if a.side == side)


def local_of(environment: Lts, extra_states: int = 0) -> Callable[[StateId], Local]:
    """Return a function from a state of E to the states of E's components.

    Args:
        environment: E as one system.
        extra_states: How many of its last states were added.
    """
    parts = environment.parts
    if parts is not None:
        codes = len(parts.codes)
        return lambda q: parts.numbers(q) if q < codes else None
    known = environment.size - extra_states
    return lambda q: (q,) if q < known else None


def views_of(
    environment: Lts, requirements: Iterable[Requirement], extra_states: int
) -> list[int] | None:
    """Return a number for each state of E, equal if no condition distinguishes two.

    `None` if all states have the same view.

    Cost: the states of E for each `is`.
    """
    atoms = [a for r in requirements for a in r.met.atoms() if a.side == "E"]
    local = local_of(environment, extra_states)
    numbers: dict[tuple[bool, ...], int] = {}
    views = [
        numbers.setdefault(tuple(a.holds(here, None) for a in atoms), len(numbers))
        for here in map(local, range(environment.size))
    ]
    return views if len(numbers) > 1 else None


def in_order(met: Met, environment: Lts | None, extra_states: int) -> list[list[Any]]:
    """Return a condition in postfix order, as `certify` and the page evaluate it.

    Args:
        met: The condition.
        environment: E, if conditions are to name its states as those of component 0;
            `None` if they name its components.
        extra_states: How many of its last states were added.

    Returns:
        `["E", i, states]` and `["C", i, states]` test the state of component i;
        `["not", 0, []]` negates the last result; `["and", n, []]` and `["or", n, []]`
        join the last n results.
    """
    if met.operator == "is":
        component, states = met.component, sorted(met.states)
        if met.side == "E" and environment is not None:
            local = local_of(environment, extra_states)
            every = range(environment.size)
            component, states = 0, [q for q in every if met.holds(local(q), None)]
        return [[met.side, component, states]]
    found = [row for p in met.parts for row in in_order(p, environment, extra_states)]
    return [*found, [met.operator, 0 if met.operator == "not" else len(met.parts), []]]
