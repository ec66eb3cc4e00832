"""Operations on explicit transition systems: product, subset construction, quotient.

In:  `Lts` and `Network` values of a size that plain tables can hold.
Out: `Lts` values, or an answer about two of them.

Used for what the FSP language itself demands, for small cases, and by tests as
the view that owes nothing to BDDs. States are numbered in the order in which a
breadth-first search meets them; only reachable ones are kept.

Where LTSA decides what an operation means (END in a product, ERROR in the
subset construction, the edges of a quotient), this module follows LTSA.

Source: grammar/README.md (composition, `deterministic`, `minimal`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import product as combinations

from symrob.errors import LimitExceeded
from symrob.lts import ERROR, TAU, Action, Lts, Network, StateId, Transition

DEFAULT_MAX_STATES = 1_000_000

# Makes a named tuple in one step; `Transition(…)` takes three times as long.
_new = tuple.__new__


def _check_size(size: int, limit: int | None, what: str) -> None:
    bound = DEFAULT_MAX_STATES if limit is None else limit
    if size > bound:
        raise LimitExceeded(
            f"the {what} has more than {bound} states; --max-states raises this limit"
        )


# --- product --------------------------------------------------------------

# A global state is coded as one integer, in mixed radix; a move adds a constant
# to it. `None` instead of a constant is a move into ERROR.
_Move = tuple[Action, int | None]


class _Moves:
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


def compose(network: Network | Lts, *, max_states: int | None = None) -> Lts:
    """Multiply a network out: its reachable global states.

    Components synchronise on common actions, in all combinations of their
    targets; other actions and `tau` interleave; hidden actions become `tau`. A
    move that takes any component to ERROR goes to ERROR. A global state is END
    if it has no moves, each component that can reach END is in it, and the
    alphabets of these components hold all actions; such states are one.

    Args:
        network: The components and the hidden actions.
        max_states: Bound on the number of states of the result; by default
            `DEFAULT_MAX_STATES`.

    Returns:
        The product; its states are named `(A, B, …)` after the components'.

    Raises:
        LimitExceeded: The product has more states than that.

    Cost: linear in the reachable product.
    Source: docs/sources.md [S1], Sect. 3 (parallel composition).
    """
    moves = _Moves(network)
    is_end = _end_test(network)
    numbers: dict[int, StateId] = {0: 0}
    states = [(0,) * len(moves.parts)]
    codes = [0]
    transitions: list[Transition] = []
    end: StateId | None = None
    for code in codes:
        source = numbers[code]
        for action, step in moves.of(states[source]):
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
                    end = target = target if end is None else end
                numbers[after] = target
                if target == len(states):
                    _check_size(target + 1, max_states, "product")
                    states.append(landed)
                    codes.append(after)
            transitions.append(_new(Transition, (source, action, target)))
    names = _product_names(network, states)
    return Lts(network.alphabet, len(states), transitions, names=names, end=end)


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
    return lts.end is not None and lts.end != 0 and lts.end in set(_order(lts))


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
    return [
        "("
        + ", ".join([names[s] for names, s in zip(columns, state, strict=True)])
        + ")"
        for state in states
    ]


# --- reachability ---------------------------------------------------------


def _order(lts: Lts) -> list[StateId]:
    """Return the reachable states in breadth-first order."""
    seen = {0}
    order = [0]
    for state in order:
        for targets in lts.successors[state].values():
            for target in targets:
                if target != ERROR and target not in seen:
                    seen.add(target)
                    order.append(target)
    return order


def reachable(lts: Lts) -> Lts:
    """Return the reachable part; the alphabet stays.

    Cost: linear in the transitions.
    """
    order = _order(lts)
    if order == list(range(lts.size)):
        return lts
    number = {state: i for i, state in enumerate(order)}
    number[ERROR] = ERROR
    return Lts(
        lts.alphabet,
        len(order),
        [(number[s], a, number[t]) for s, a, t in lts.transitions if s in number],
        names=[lts.names[s] for s in order] if lts.names is not None else None,
        end=number.get(lts.end) if lts.end is not None else None,
    )


def _closures(lts: Lts) -> Callable[[StateId], frozenset[StateId]]:
    """Return the map from a state to what it reaches by `tau` alone."""
    memo: dict[StateId, frozenset[StateId]] = {ERROR: frozenset([ERROR])}

    def closure(start: StateId) -> frozenset[StateId]:
        if start not in memo:
            seen, todo = {start}, [start]
            while todo:
                state = todo.pop()
                if state == ERROR:
                    continue
                for target in lts.successors[state].get(TAU, ()):
                    if target not in seen:
                        seen.add(target)
                        todo.append(target)
            memo[start] = frozenset(seen)
        return memo[start]

    return closure


# --- subset construction --------------------------------------------------


def determinise(lts: Lts, *, max_states: int | None = None) -> Lts:
    """Return a deterministic system with the same traces, not minimised.

    A set of states that an action reaches, `tau` moves included, and that
    contains ERROR becomes ERROR. A set is END if it holds the END state alone.
    An initial `tau` to ERROR is ignored, as LTSA does.

    Args:
        lts: Any system.
        max_states: Bound on the number of sets of states.

    Raises:
        LimitExceeded: There are more sets than that.

    Cost: exponential in the states in the worst case, linear if `lts` is
        deterministic already.
    """
    closure = _closures(lts)
    first = closure(0) - {ERROR}
    numbers: dict[frozenset[StateId], StateId] = {first: 0}
    order = [first]
    transitions: list[tuple[StateId, Action, StateId]] = []
    for states in order:
        source = numbers[states]
        for action, after in _steps(lts, states, closure).items():
            if ERROR in after:
                transitions.append((source, action, ERROR))
                continue
            key = frozenset(after)
            target = numbers.setdefault(key, len(order))
            if target == len(order):
                _check_size(target + 1, max_states, "determinised system")
                order.append(key)
            transitions.append((source, action, target))
    end = None
    if lts.end is not None:
        end = numbers.get(frozenset([lts.end]))
    names = [_set_name(lts, states) for states in order]
    return Lts(lts.alphabet, len(order), transitions, names=names, end=end)


def _steps(
    lts: Lts,
    states: Iterable[StateId],
    closure: Callable[[StateId], frozenset[StateId]],
) -> dict[Action, set[StateId]]:
    after: dict[Action, set[StateId]] = {}
    for state in sorted(states):
        for action, targets in lts.successors[state].items():
            if action != TAU:
                found = after.setdefault(action, set())
                for target in targets:
                    found |= closure(target)
    return after


def _set_name(lts: Lts, states: frozenset[StateId]) -> str:
    names = [lts.state_name(s) for s in sorted(states)]
    return names[0] if len(names) == 1 else "{" + ", ".join(names) + "}"


# --- equivalences ---------------------------------------------------------

_Signature = Callable[[StateId, Sequence[int]], object]


def _refine(start: Sequence[int], signature: _Signature) -> list[int]:
    """Return the coarsest stable partition that refines `start`.

    Start: the given classes. Invariant: states in one class of the coarsest
    stable partition are in one class here. Each round splits by signature; it
    ends when no class splits, which is after at most as many rounds as states.
    """
    classes = list(start)
    count = len(set(classes))
    while True:
        rank: dict[object, int] = {}
        classes = [
            rank.setdefault((c, signature(s, classes)), len(rank))
            for s, c in enumerate(classes)
        ]
        if len(rank) == count:
            return classes
        count = len(rank)


def _class_of(classes: Sequence[int], state: StateId) -> int:
    return ERROR if state == ERROR else classes[state]


def _strong(lts: Lts) -> _Signature:
    def signature(state: StateId, classes: Sequence[int]) -> object:
        return frozenset(
            (action, _class_of(classes, target))
            for action, targets in lts.successors[state].items()
            for target in targets
        )

    return signature


def _weak(lts: Lts) -> _Signature:
    closure = _closures(lts)
    rows: list[list[tuple[Action, StateId]]] = []
    for state in range(lts.size):
        row = {(TAU, t) for t in closure(state)}
        for middle in closure(state) - {ERROR}:
            for action, targets in lts.successors[middle].items():
                row |= {(action, u) for t in targets for u in closure(t)}
        rows.append(sorted(row))

    def signature(state: StateId, classes: Sequence[int]) -> object:
        return frozenset((a, _class_of(classes, t)) for a, t in rows[state])

    return signature


def _initial_classes(lts: Lts) -> list[int]:
    return [int(state == lts.end) for state in range(lts.size)]


def _quotient(lts: Lts, classes: Sequence[int], *, drop_loops: bool = False) -> Lts:
    """Return one state for each class, with all edges of its members.

    `drop_loops` leaves out `tau` from a state to itself.
    """
    number: dict[int, StateId] = {}
    names: list[str] = []
    for state, cls in enumerate(classes):
        if cls not in number:
            number[cls] = len(number)
            names.append(lts.state_name(state))
    place = [number[cls] for cls in classes]
    transitions = {
        (place[s], a, ERROR if t == ERROR else place[t]) for s, a, t in lts.transitions
    }
    result = Lts(
        lts.alphabet,
        len(number),
        [t for t in transitions if not (drop_loops and t[1] == TAU and t[0] == t[2])],
        names=names,
        end=place[lts.end] if lts.end is not None else None,
    )
    return reachable(result)


def minimise(lts: Lts) -> Lts:
    """Return the quotient by weak bisimulation, END and ERROR kept apart.

    Its edges are those that the members of a class have in `lts`, without
    `tau` loops; so it is weakly bisimilar to `lts`, as LTSA's `minimal` is.

    Cost: quadratic in the states for chains of `tau`, times the number of
        rounds of refinement.
    """
    part = reachable(lts)
    classes = _refine(_initial_classes(part), _weak(part))
    return _quotient(part, classes, drop_loops=True)


def minimise_strong(lts: Lts) -> Lts:
    """Return the quotient by strong bisimulation, END and ERROR kept apart."""
    part = reachable(lts)
    classes = _refine(_initial_classes(part), _strong(part))
    return _quotient(part, classes)


def isomorphism(a: Lts, b: Lts) -> dict[StateId, StateId] | None:
    """Return the map of reachable states that makes two systems equal.

    Args:
        a: A deterministic system (a `tau` counts as an action here).
        b: Another one.

    Returns:
        The map from states of `a` to states of `b`; `None` if the alphabets,
        the END states or the reachable parts differ.

    Cost: linear in the transitions.
    """
    if a.alphabet != b.alphabet:
        return None
    image: dict[StateId, StateId] = {0: 0}
    taken = {0}
    todo = [0]
    for state in todo:
        row, other = a.successors[state], b.successors[image[state]]
        if (state == a.end) != (image[state] == b.end) or row.keys() != other.keys():
            return None
        for action, targets in row.items():
            if len(targets) != 1 or len(other[action]) != 1:
                return None
            here, there = targets[0], other[action][0]
            if here == ERROR or there == ERROR:
                if here != there:
                    return None
            elif here not in image:
                if there in taken:
                    return None
                image[here] = there
                taken.add(there)
                todo.append(here)
            elif image[here] != there:
                return None
    return image


def isomorphic(a: Lts, b: Lts) -> bool:
    """Tell whether two deterministic systems are equal up to state numbers."""
    return isomorphism(a, b) is not None


def _disjoint_union(a: Lts, b: Lts) -> tuple[Lts, list[int]]:
    shift = a.size
    moved = [
        (s + shift, x, ERROR if t == ERROR else t + shift) for s, x, t in b.transitions
    ]
    both = Lts(
        set(a.alphabet) | set(b.alphabet), a.size + b.size, [*a.transitions, *moved]
    )
    return both, _initial_classes(a) + _initial_classes(b)


def strongly_bisimilar(a: Lts, b: Lts) -> bool:
    """Tell whether two systems are strongly bisimilar and have one alphabet.

    `tau` counts as an action; END and ERROR are kept apart from other states.
    """
    if a.alphabet != b.alphabet:
        return False
    both, start = _disjoint_union(a, b)
    classes = _refine(start, _strong(both))
    return classes[0] == classes[a.size]


def weakly_bisimilar(a: Lts, b: Lts) -> bool:
    """Tell whether two systems are weakly bisimilar and have one alphabet."""
    if a.alphabet != b.alphabet:
        return False
    both, start = _disjoint_union(a, b)
    classes = _refine(start, _weak(both))
    return classes[0] == classes[a.size]


# --- what composites do to a product --------------------------------------


def drop_tau_only(lts: Lts) -> Lts:
    """Remove each state, but the first, that has only `tau` moves.

    Its predecessors go to where those moves lead. States on a cycle of such
    states stay.
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


def prioritise(lts: Lts, favoured: frozenset[Action], *, high: bool) -> Lts:
    """Let some actions go before all others (`high`), or after them.

    `high`: where a favoured action is possible, all others go, `tau` too.
    Otherwise: where anything else is possible, `tau` too, they go.
    """
    transitions = []
    for state, row in enumerate(lts.successors):
        first = {a for a in row if (a in favoured) == high}
        keep = first or set(row)
        transitions += [(state, a, t) for a in keep for t in row[a]]
    result = Lts(lts.alphabet, lts.size, transitions, names=lts.names, end=lts.end)
    return reachable(result)
