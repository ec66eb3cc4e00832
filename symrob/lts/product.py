"""Products of networks, and FSP's operations on composites: priority, dropping `tau`.

In:  `Lts` and `Network` values that are small enough for explicit tables.
Out: `Lts` values.

Used for operations that the FSP language itself requires, for small cases, and by tests
as an alternative that does not depend on BDDs. States are numbered in breadth-first
order; only reachable ones are kept.

If LTSA determines the meaning of an operation (END in a product), this module follows
LTSA.

Source: grammar/README.md (composition, priority, `minimal`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence, Set
from itertools import product as combinations
from operator import mul
from typing import NamedTuple

from symrob.doing import Doing
from symrob.limits import check_size, watched
from symrob.lts.model import (
    ERROR,
    TAU,
    Action,
    Lts,
    Network,
    Parts,
    StateId,
    Transition,
)
from symrob.lts.naming import distinct
from symrob.lts.reachability import breadth_first, reachable

# Makes a named tuple in one step; `Transition(…)` takes three times as long.
_new = tuple.__new__


# --- product --------------------------------------------------------------

# A global state is coded as one integer, in mixed radix; a move adds a constant
# to it. `None` instead of a constant is a move into ERROR.
_Move = tuple[Action, int | None]


class Priority(NamedTuple):
    """Actions with high priority (`high`), or with low priority.

    High: in a state that offers a favoured action, all other moves are removed, `tau`
    included. Low: in a state that offers any other move, `tau` included, the favoured
    actions are removed.
    """

    favoured: frozenset[Action]
    high: bool

    def left(self, moves: list[_Move]) -> list[_Move]:
        """Return the moves of a state that remain."""
        first = [m for m in moves if (m[0] in self.favoured) == self.high]
        return first or moves


class _ProductMoves:
    """The moves of a network by local state, as additions to the code."""

    def __init__(self, network: Network | Lts) -> None:
        self.parts = network.components
        self.weights: list[int] = []
        weight = 1
        for part in self.parts:
            self.weights.append(weight)
            weight *= part.size
        owners: dict[Action, list[int]] = {}
        for i, part in enumerate(self.parts):
            for action in part.alphabet:
                owners.setdefault(action, []).append(i)
        self.owners = owners
        self.visible = {a: TAU if a in network.hidden else a for a in owners}
        self.visible[TAU] = TAU
        # For each shared action, its owners, each with its steps by local state.
        self.steps = {
            action: [(i, self._steps(i, action)) for i in indices]
            for action, indices in owners.items()
            if len(indices) > 1
        }
        # For each component and local state: moves that need nobody else, and
        # shared actions of which this component is the first owner.
        self.alone: list[list[list[_Move]]] = []
        self.shared: list[list[list[Action]]] = []
        for i, part in enumerate(self.parts):
            alone: list[list[_Move]] = []
            shared: list[list[Action]] = []
            for state, row in enumerate(part.successors):
                alone.append(self._alone(i, state, row))
                shared.append(
                    [
                        a
                        for a in row
                        if a != TAU and len(owners[a]) > 1 and owners[a][0] == i
                    ]
                )
            self.alone.append(alone)
            self.shared.append(shared)

    def _steps(self, i: int, action: Action) -> list[Sequence[int | None]]:
        weight = self.weights[i]
        return [
            [None if t == ERROR else (t - state) * weight for t in row.get(action, ())]
            for state, row in enumerate(self.parts[i].successors)
        ]

    def _alone(
        self, i: int, state: StateId, row: Mapping[Action, tuple[StateId, ...]]
    ) -> list[_Move]:
        weight = self.weights[i]
        return [
            (self.visible[a], None if t == ERROR else (t - state) * weight)
            for a, targets in row.items()
            if a == TAU or len(self.owners[a]) == 1
            for t in targets
        ]

    def together(self, action: Action, state: Sequence[StateId]) -> list[_Move]:
        """Return the moves in which all owners of `action` take it."""
        choices: list[Sequence[int | None]] = []
        for i, steps in self.steps[action]:
            found = steps[state[i]]
            if not found:
                return []
            choices.append(found)
        name = self.visible[action]
        return [
            (name, None if None in chosen else sum(chosen))  # type: ignore[arg-type]
            for chosen in combinations(*choices)
        ]

    def of(self, state: Sequence[StateId]) -> list[_Move]:
        """Return all moves of a global state."""
        found: list[_Move] = []
        for i, local in enumerate(state):
            found += self.alone[i][local]
            for action in self.shared[i][local]:
                found += self.together(action, state)
        return found

    def decode(self, code: int) -> tuple[StateId, ...]:
        """Return the local states of a global state."""
        state = []
        for part in self.parts:
            code, local = divmod(code, part.size)
            state.append(local)
        return tuple(state)


def product(
    model: Network | Lts, *, max_states: int | None = None, ends_apart: bool = False
) -> Lts:
    """Return a model as one system: the product of its components.

    Args:
        model: A network, whose hidden actions become `tau`, or a single system, which
            is returned as it is.
        max_states: Bound on the number of product states; by default
            `symrob.limits.MAX_STATES`.
        ends_apart: See `compose`.

    Raises:
        LimitExceeded: The product has more states than that.

    Cost: linear in the reachable product, which can be exponential in the number of
        components.
    """
    if isinstance(model, Lts):
        return model
    if len(model.components) == 1:
        # Its states keep their numbers: conditions and fault modes refer to them.
        return hide(model.components[0], model.hidden)
    with Doing("computing the product", "states"):
        return compose(model, max_states=max_states, ends_apart=ends_apart)


def hide(lts: Lts, actions: Set[Action]) -> Lts:
    """Return `lts` with some actions as `tau`, removed from the alphabet.

    Cost: linear in the transitions.
    """
    if not actions:
        return lts
    moves = [(q, TAU if a in actions else a, r) for q, a, r in lts.transitions]
    alphabet = [a for a in lts.alphabet if a not in actions]
    names, end, initial = lts.names, lts.end, lts.initial
    return Lts(alphabet, lts.size, moves, names=names, end=end, initial=initial)


def compose(
    network: Network | Lts,
    *,
    max_states: int | None = None,
    priority: Priority | None = None,
    ends_apart: bool = False,
) -> Lts:
    """Build the product of a network: its reachable global states.

    Components synchronise on common actions, in all combinations of their targets;
    other actions and `tau` interleave; hidden actions become `tau`. A move that takes
    any component to ERROR leads to ERROR. A global state is END if it has no moves,
    each component that can reach END has reached it, and the alphabets of these
    components together contain all actions; all such states are merged.

    Args:
        network: The components and the hidden actions.
        max_states: Bound on the number of states of the result; by default
            `symrob.limits.MAX_STATES`.
        ends_apart: Do not merge ends that differ in components without an END state;
            the first one becomes `end`.
        priority: Applied to each state as it is explored, so states behind removed
            moves are never built.

    Returns:
        The product; its states are named `(A, B, …)` after the component states.

    Raises:
        LimitExceeded: The product has more states than that.

    Cost: linear in the reachable product.
    Source: docs/sources.md [S1], Sect. 3 (parallel composition).
    """
    moves = _ProductMoves(network)
    is_end = _end_test(network)
    states = [*combinations(*(part.initial for part in moves.parts))]
    codes = [sum(map(mul, state, moves.weights)) for state in states]
    first = range(len(states))
    numbers: dict[int, StateId] = dict(zip(codes, first, strict=True))
    transitions: list[Transition] = []
    end: StateId | None = None
    for code in watched(codes, 64):
        source = numbers[code]
        possible = moves.of(states[source])
        if priority is not None:
            possible = priority.left(possible)
        for action, step in possible:
            if step is None:
                transitions.append(_new(Transition, (source, action, ERROR)))
                continue
            after = code + step
            target = numbers.get(after)
            if target is None:
                landed = moves.decode(after)
                target = len(states)
                if is_end(landed) and not moves.of(landed):
                    # All successful ends are one state, the first one met.
                    end = target if end is None else end
                    target = target if ends_apart else end
                numbers[after] = target
                if target == len(states):
                    check_size(target + 1, max_states, "product")
                    states.append(landed)
                    codes.append(after)
            transitions.append(_new(Transition, (source, action, target)))
    names = _product_names(network, states)
    parts = None
    if len(moves.parts) > 1:
        parts = Parts(network.component_names, network.components, codes)
    return Lts(
        *(network.alphabet, len(states), transitions),
        names=names,
        end=end,
        parts=parts,
        initial=first,
    )


def _end_test(network: Network | Lts) -> Callable[[Sequence[StateId]], bool]:
    """Return the test whether a global state without moves is END."""
    able = {i: c.end for i, c in enumerate(network.components) if _can_end(c)}
    covered = {a for i in able for a in network.components[i].alphabet}
    everything = {a for c in network.components for a in c.alphabet}
    if not able or covered != everything:
        return lambda _state: False
    return lambda state: all(state[i] == end for i, end in able.items())


def _can_end(lts: Lts) -> bool:
    """Tell whether END can be reached; a system that is END at once has none."""
    return lts.end is not None and lts.end != 0 and lts.end in set(breadth_first(lts))


def _product_names(
    network: Network | Lts, states: Sequence[Sequence[StateId]]
) -> Sequence[str] | None:
    parts = network.components
    if len(parts) == 1:
        part = parts[0]
        if part.names is None:
            return None
        return [part.names[s] for (s,) in states]
    columns = [[part.state_name(s) for s in range(part.size)] for part in parts]
    return distinct(
        [
            "("
            + ", ".join([names[s] for names, s in zip(columns, state, strict=True)])
            + ")"
            for state in states
        ]
    )


# --- what composites do to a product --------------------------------------


def drop_tau_only(lts: Lts) -> Lts:
    """Remove each state, except the first, that has only `tau` moves.

    Its predecessors get the targets of those moves. States on a cycle of such states
    stay.
    """
    forwards: dict[StateId, tuple[StateId, ...]] = {
        state: row[TAU]
        for state, row in enumerate(lts.successors)
        if state != 0 and set(row) == {TAU}
    }

    def lands(state: StateId) -> set[StateId]:
        seen, todo, found = set(), [state], set()
        while todo:
            here = todo.pop()
            if here not in forwards:
                found.add(here)
            elif here not in seen:
                seen.add(here)
                todo += forwards[here]
        return found or {state}

    transitions = [
        (s, a, u)
        for s, a, t in lts.transitions
        for u in (lands(t) if t in forwards else (t,))
    ]
    kept = Lts(lts.alphabet, lts.size, transitions, names=lts.names, end=lts.end)
    return reachable(kept)
