"""The paper's Algorithm 1 with its heuristic, on explicit sets of states.

In:  a checked `Problem`.
Out: Δ, once all of it is known.

This is what a user of an explicit tool has: F is built state by state, W and
Inv are sets of numbered states, and every set S of states of W that hangs
together from q_0 is tried. There are no BDDs and no solver, and nothing is
pruned beyond the paper's heuristic. Constraints are handled in sequence: first
C_all and P_env, then C and P within each maximal environment deviation.

The paper leaves open how the search grows S. Two readings are here. The
benevolent one is the default: S grows by a frontier state together with all
that R_E leads to from it, since Inv(S) would cut that state off again; so each
S that is tried has Inv(S) = S. To the letter (`literal`), S grows by one state
at a time, and Inv(S) is computed for each. In both no S is met twice.

Source: docs/sources.md [S1], Alg. 1, Sect. 5.2 ("Heuristics"), Sect. 5.3.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from time import monotonic

from bench.baselines.machine import Machine, Number
from symrob.lts import ERROR, TAU, Action, Lts, Network, StateId, Transition
from symrob.problem import Monitor, Problem

State = tuple[StateId, Number]
TransitionSet = frozenset[Transition]
START: State = (0, 0)
ERR: State = (ERROR, ERROR)


class OutOfBudget(Exception):
    """The time is up, or too many sets were tried."""


@dataclass
class Budget:
    """What a run may take, and what it took.

    Attributes:
        seconds: Bound on the wall time.
        most_sets: Bound on `sets`.
        sets: Number of sets S that were tried.
        states: Number of states of all meta-systems.
    """

    seconds: float = float("inf")
    most_sets: float = float("inf")
    sets: int = 0
    states: int = 0
    started: float = field(default_factory=monotonic)

    def check(self) -> None:
        """Raise `OutOfBudget` if a bound is passed."""
        late = monotonic() - self.started > self.seconds
        if late or self.sets > self.most_sets:
            raise OutOfBudget


def explicit_connected(
    problem: Problem, budget: Budget | None = None, *, literal: bool = False
) -> set[TransitionSet]:
    """Return Δ; its members hold R_E (without `tau`).

    Args:
        problem: The checked problem; the nominal system is safe.
        budget: Bounds the time and counts the work.
        literal: Grow S by single states and compute Inv(S) for each.

    Raises:
        OutOfBudget: A bound was passed.

    Cost: exponential in |W|.
    """
    budget = budget or Budget()
    search = literal_sets if literal else connected_sets
    environment = problem.environment
    everything = frozenset(
        Transition(q, a, r)
        for q in range(environment.size)
        for a in environment.alphabet
        for r in range(environment.size)
    )
    allowed = {everything}
    if problem.constraints:
        allowed = compute_robustness(
            environment, None, problem.constraints, everything, search, budget
        )
    found: set[TransitionSet] = set()
    for envelope in allowed:
        found |= compute_robustness(
            environment,
            problem.controller,
            problem.properties,
            envelope,
            search,
            budget,
        )
    return maximal(found, budget)


def compute_robustness(
    environment: Lts,
    controller: Lts | Network | None,
    monitors: tuple[Monitor, ...],
    deviation: TransitionSet,
    search: Search,
    budget: Budget,
) -> set[TransitionSet]:
    """COMPUTE-ROBUSTNESS(E, C, P, d) of the paper, lines 1 to 10."""
    machine = Machine(environment, controller, monitors)
    meta = MetaSystem(environment, machine, deviation, budget)
    found: set[TransitionSet] = set()
    for states in search(meta, invariant(meta), budget):
        deleted = {
            transition
            for state in states
            for transition, targets in meta.optional(state).items()
            if not targets <= states
        }
        found.add(deviation - deleted)
    return maximal(found, budget)


class MetaSystem:
    """F = E_d‖C‖P, its states found one by one; all errors are one, `ERR`.

    A state is a pair: the state of E, and the number of the state of C‖P.

    Attributes:
        forced: For each reachable state, where moves lead that cannot be
            prevented: those of R_E, and those of the machine alone.
    """

    def __init__(
        self,
        environment: Lts,
        machine: Machine,
        deviation: TransitionSet,
        budget: Budget,
    ) -> None:
        self._machine = machine
        self._nominal = environment.successors
        self._deviation = _rows(environment, deviation)
        self._optional: dict[State, dict[Transition, set[State]]] = {}
        self.forced: dict[State, set[State]] = {}
        todo = [START] if machine.start is not None else []
        while todo:
            budget.check()
            state = todo.pop()
            if state == ERR or state in self.forced:
                continue
            self.forced[state] = self._forced(state)
            todo += self.forced[state] - self.forced.keys()
            todo += self._reached(state) - self.forced.keys()
        budget.states += len(self.forced)

    def _forced(self, state: State) -> set[State]:
        here, local = state
        found = {_pair(here, after) for after in self._machine.internal(local)}
        for action, targets in self._nominal[here].items():
            found |= self._leads(local, action, targets)
        return found

    def _reached(self, state: State) -> set[State]:
        here, local = state
        found: set[State] = set()
        for action, targets in self._deviation[here].items():
            found |= self._leads(local, action, targets)
        return found

    def _leads(
        self, local: Number, action: Action, targets: Iterable[StateId]
    ) -> set[State]:
        if action == TAU:
            return {(target, local) for target in targets}
        after = self._machine.moves(local, action)
        return {_pair(target, there) for there in after for target in targets}

    def optional(self, state: State) -> dict[Transition, set[State]]:
        """Return where each transition of d outside of R_E leads from a state."""
        known = self._optional.get(state)
        if known is None:
            here, local = state
            known = self._optional[state] = {
                Transition(here, action, target): leads
                for action, targets in self._deviation[here].items()
                for target in targets
                if (leads := self._leads(local, action, (target,)))
            }
        return known


def _pair(here: StateId, local: Number) -> State:
    return ERR if local == ERROR else (here, local)


def _rows(
    environment: Lts, deviation: TransitionSet
) -> list[dict[Action, list[StateId]]]:
    """The transitions of d outside of R_E, by source and action."""
    rows: list[dict[Action, list[StateId]]] = [{} for _ in range(environment.size)]
    for source, action, target in deviation - frozenset(environment.transitions):
        rows[source].setdefault(action, []).append(target)
    return rows


Search = Callable[[MetaSystem, set[State], Budget], Iterator[set[State]]]


def invariant(meta: MetaSystem) -> set[State]:
    """Return W = Inv(Q_F minus Err): drop the states that are forced out of it."""
    into: dict[State, list[State]] = {}
    for source, targets in meta.forced.items():
        for target in targets:
            into.setdefault(target, []).append(source)
    lost, todo = {ERR}, [ERR]
    while todo:
        for source in into.get(todo.pop(), ()):
            if source not in lost:
                lost.add(source)
                todo.append(source)
    return meta.forced.keys() - lost


def connected_sets(
    meta: MetaSystem, winning: set[State], budget: Budget
) -> Iterator[set[State]]:
    """Yield every S with q_0 in S = Inv(S), S within W, connected in F."""
    if START not in winning:
        return
    stack = [(closure(meta, {START}), frozenset[State]())]
    while stack:
        budget.check()
        states, passed = stack.pop()
        budget.sets += 1
        yield states
        # Each larger set contains a first state of the frontier, in this order;
        # those before it are passed over for good, so no set comes twice.
        for point in sorted((frontier(meta, states) & winning) - passed):
            grown = states | closure(meta, {point})
            if not grown & passed:
                stack.append((grown, passed))
            passed = passed | {point}


def literal_sets(
    meta: MetaSystem, winning: set[State], budget: Budget
) -> Iterator[set[State]]:
    """Yield Inv(S) of every S that hangs together from q_0, to the letter.

    Here S grows by one state at a time, over forced and optional moves alike,
    and Inv(S) is computed for each.
    """
    if START not in winning:
        return
    stack = [({START}, frozenset[State]())]
    while stack:
        budget.check()
        states, passed = stack.pop()
        budget.sets += 1
        kept = set(states)
        while out := {s for s in kept if not meta.forced[s] <= kept}:
            kept -= out
        if START in kept:
            yield kept
        around = frontier(meta, states).union(*(meta.forced[s] for s in states))
        for point in sorted(((around - states) & winning) - passed):
            stack.append((states | {point}, passed))
            passed = passed | {point}


def frontier(meta: MetaSystem, states: set[State]) -> set[State]:
    """Return where optional transitions lead out of a set."""
    found: set[State] = set()
    for state in states:
        for targets in meta.optional(state).values():
            found |= targets
    return found - states


def closure(meta: MetaSystem, states: set[State]) -> set[State]:
    """Add all that moves lead to that cannot be prevented."""
    found, todo = set(states), list(states)
    while todo:
        new = meta.forced[todo.pop()] - found
        found |= new
        todo += new
    return found


def maximal(envelopes: Iterable[TransitionSet], budget: Budget) -> set[TransitionSet]:
    """Drop every set that another contains."""
    best: list[TransitionSet] = []
    for envelope in sorted(set(envelopes), key=len, reverse=True):
        budget.check()
        if not any(envelope < other for other in best):
            best.append(envelope)
    return set(best)
