"""From components to bits: the controller and its monitors as relations.

In:  a `Network` (the controller, which may have no component at all) and
     deterministic monitors, with the alphabet of the environment.
Out: a `SymbolicSystem`: for each action a relation over the bits of the
     components that take part in it, and the set of states in which the
     action leads to ERROR.

No product is computed. The relation of an action covers only the components that
have it; the others keep their bits, so no frame conditions are needed, and an image
quantifies and renames a few bits.

The environment is not encoded. Its transitions are the candidates, so it stays
explicit, and a set of states of the closed loop is a vector of BDDs indexed by its
states (see `symrob.envelope.exploration`).

Source: docs/sources.md [S1], Sect. 3 (composition, safety property).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

from symrob.lts import TAU, Action, Lts, Network, StateId
from symrob.problem import Monitor, plain
from symrob.problem.counted import is_counter
from symrob.symbolic.context import Bdd, Context
from symrob.symbolic.parts import RelationPart


class ActionRelation(NamedTuple):
    """One action as a relation, over the bits of its participants only.

    Attributes:
        action: Its name in traces; `tau` for a hidden one.
        name: Its name within the components.
        relation: Over current and next bits of the participants.
        error: The states in which the action can lead to ERROR.
        current: Current bits of the participants.
        following: Their next bits, in the same order.
        components: The components that take part, by index.
        monitors: The monitors that take part, by index.
    """

    action: Action
    name: Action
    relation: Bdd
    error: Bdd
    current: tuple[str, ...]
    following: tuple[str, ...]
    components: tuple[int, ...]
    monitors: tuple[int, ...]


class SymbolicSystem:
    """The controller with its monitors, in bits.

    Args:
        ctx: A context without variables; this system declares them.
        controller: The controller, or `None` if the environment runs alone.
        monitors: The properties or constraints.
        environment_alphabet: The actions on which the environment takes part;
            the visible actions of the controller outside of it, its hidden
            actions and `tau` are internal: nobody can prevent them.

    Attributes:
        initial: The initial state, as a set.
        moves: For each action of the environment, its move.
        internal: The internal moves.
        clusters: The internal moves, those of the same parts combined.
        bits: All current bits, in order.
        component_names: The names of the controller's components, without counters;
            empty without a controller.
        counters: The components that are counters; they come last.
    """

    def __init__(
        self,
        ctx: Context,
        controller: Network | Lts | None,
        monitors: Sequence[Monitor],
        environment_alphabet: Sequence[Action],
    ) -> None:
        self.ctx = ctx
        self.controller = controller
        self.monitors = tuple(monitors)
        machine = controller.components if controller is not None else ()
        hidden = controller.hidden if controller is not None else frozenset()
        self._components = [RelationPart(i, lts, ctx) for i, lts in enumerate(machine)]
        self._monitors = [
            RelationPart(len(machine) + i, m.lts, ctx) for i, m in enumerate(monitors)
        ]
        parts = self._components + self._monitors
        self._declare(parts)
        self.bits = tuple(name for part in parts for name in part.current)
        names = controller.component_names if controller is not None else ()
        self.component_names = tuple(name for name in names if not is_counter(name))
        self.counters = self._components[len(self.component_names) :]
        self.initial = ctx.true
        for part in parts:
            self.initial &= part.states(part.lts.initial)
        environment = set(environment_alphabet)
        self.moves: dict[Action, ActionRelation] = {
            a: self._move(a, self._having(a, hidden), self._watching(a))
            for a in environment_alphabet
        }
        own = {a for c in self._components for a in c.lts.alphabet}
        internal = [
            self._move(a, self._having(a, hidden), self._watching(a))
            for a in sorted(own - hidden - environment)
        ]
        internal += [
            self._move(a, [c for c in self._components if a in c.lts.alphabet], [], TAU)
            for a in sorted(hidden)
        ]
        internal += [
            self._move(TAU, [c], [])
            for c in self._components
            if any(t.action == TAU for t in c.lts.transitions)
        ]
        self.internal: tuple[ActionRelation, ...] = tuple(internal)
        self.clusters = clustered(self.internal)
        # For the bits of a move the clusters that share a part with it.
        self._known_near: dict[tuple[str, ...], dict[int, None]] = {}

    def _declare(self, parts: Sequence[RelationPart]) -> None:
        """Make the bits of the parts known."""
        del parts
        for part in _variable_order(self._components, self._monitors):
            part.declare()

    @property
    def start(self) -> Bdd:
        """The initial states, with any values of the counters."""
        found = self.ctx.true
        for part in self._components + self._monitors:
            counts = part in self.counters
            found &= part.states(range(part.lts.size) if counts else part.lts.initial)
        return found

    def without_counts(self, states: Bdd) -> Bdd:
        """Add the states that differ from given ones only in counters."""
        names = [name for part in self.counters for name in part.current]
        return self.ctx.exists(states, names) if names else states

    @cached_property
    def failing(self) -> Bdd:
        """The states with an internal move to ERROR.

        Includes the initial state if a monitor fails before any move.
        """
        errors = self.ctx.union(m.error for m in self.internal)
        if any(m.fails_at_start for m in self.monitors):
            errors |= self.initial
        return errors

    def _having(self, action: Action, hidden: frozenset[Action]) -> list[RelationPart]:
        if action in hidden:
            return []
        return [c for c in self._components if action in c.lts.alphabet]

    def _watching(self, action: Action) -> list[RelationPart]:
        return [m for m in self._monitors if action in m.lts.alphabet]

    def _move(
        self,
        action: Action,
        components: Sequence[RelationPart],
        monitors: Sequence[RelationPart],
        label: Action | None = None,
    ) -> ActionRelation:
        """Synchronise the participants on `action`.

        The components must all be able to move; a monitor never prevents
        anything, it goes to ERROR instead.
        """
        ctx = self.ctx
        enabled = relation = ctx.true
        error = ctx.false
        for part in components:
            enabled &= part.offers(action)
            relation &= part.relation(action)
            error |= part.fails(action)
        for part in monitors:
            relation &= part.relation(action)
            error |= ~part.offers(action) | part.fails(action)
        participants = (*components, *monitors)
        return ActionRelation(
            action=label or plain(action),
            name=action,
            relation=relation,
            error=enabled & error,
            current=tuple(n for p in participants for n in p.current),
            following=tuple(n for p in participants for n in p.following),
            components=tuple(self._components.index(p) for p in components),
            monitors=tuple(self._monitors.index(p) for p in monitors),
        )

    @property
    def parts(self) -> tuple[tuple[Lts, tuple[str, ...]], ...]:
        """Each component, then each monitor, with the bits that hold its state."""
        return tuple((p.lts, p.current) for p in self._components + self._monitors)

    def can(self, states: Bdd, move: ActionRelation) -> bool:
        """Return whether `move` is possible in one of `states`."""
        fails = states & move.error
        return fails != self.ctx.false or self.post(states, move) != self.ctx.false

    def post(self, states: Bdd, move: ActionRelation) -> Bdd:
        """Return the states that `move` leads to from `states`, without ERROR.

        Args:
            states: Over current bits.
            move: A move of this system.

        Returns:
            A set over current bits.

        Cost: one image over the bits of the participants.
        """
        if not move.current:
            return states
        image = self.ctx.and_exists(states, move.relation, move.current)
        return self.ctx.rename(image, move.following, move.current)

    def pre(self, states: Bdd, move: ActionRelation) -> Bdd:
        """Return the states from which `move` can lead into `states`.

        Args and cost as for `post`.
        """
        if not move.current:
            return states
        renamed = self.ctx.rename(states, move.current, move.following)
        return self.ctx.and_exists(renamed, move.relation, move.following)

    def reached(self, states: Bdd, moves: Sequence[ActionRelation]) -> Bdd:
        """Add all states that some moves lead to, in any number.

        A least fixpoint: each round adds the images of what is there; it ends because
        states are finite. Images are taken of all known states, not only of the new
        ones: that finds long traces in few rounds, and intermediate sets have small
        BDDs if components hardly depend on each other.
        """
        while True:
            before = states
            for move in moves:
                states |= self.post(states, move)
            if states == before:
                return states

    def saturated(self, states: Bdd, moves: Sequence[ActionRelation]) -> Bdd:
        """Add all states that some moves lead to, each taken as often as it can.

        Like `reached`, in an order that keeps intermediate sets regular if one move
        counts what others did; and a move is repeated only if states were added to a
        part that takes part in it. Ends, since states are finite.
        """
        clusters = clustered(moves)
        bits = [{*move.current} for move in clusters]
        waiting = {*range(len(clusters))}
        while waiting:
            number = min(waiting)
            waiting.discard(number)
            before = None
            start = states
            while states != before:
                before = states
                states = states | self.post(states, clusters[number])
            if states != start:
                waiting |= {
                    n
                    for n, other in enumerate(bits)
                    if n != number and other & bits[number]
                }
        return states

    def close(
        self,
        states: Bdd,
        after: ActionRelation | None = None,
        within: Bdd | None = None,
    ) -> Bdd:
        """Add all states that internal moves lead to, in any number.

        A least fixpoint, see `_closed`; every state of the result is reached by
        internal moves, since each of them starts from such states only.

        Args:
            states: Over current bits.
            after: The move whose image of a closed set these are, if they are one.
            within: Keep to these states, of which `states` are some.
        """
        return self._closed(states, after, self.post, within)

    def close_back(
        self,
        states: Bdd,
        within: Bdd | None = None,
        after: ActionRelation | None = None,
    ) -> Bdd:
        """Add all states from which internal moves can lead into `states`.

        Args:
            states: Over current bits.
            within: Keep to these states, which no internal move may leave.
            after: The move whose pre-image of a set closed backwards these are, if
                they are one; then it does not leave `within` either.
        """
        return self._closed(states, after, self.pre, within)

    def _closed(
        self,
        states: Bdd,
        after: ActionRelation | None,
        step: Callable[[Bdd, ActionRelation], Bdd],
        within: Bdd | None,
    ) -> Bdd:
        """Add what internal moves lead to, taking them one by one (chaining).

        Invariant: what a move that is not waiting leads to is there. Moves that share
        no part commute, so that a set closed under one of them stays so when the other
        is taken: only moves that share a part with the last one have to wait. Ends,
        since a move comes back only when states were added, and states are finite.
        """
        everything = dict.fromkeys(range(len(self.clusters)))
        waiting = everything if after is None else dict(self._near(after))
        while waiting:
            number = next(iter(waiting))
            del waiting[number]
            move = self.clusters[number]
            found = step(states, move)
            larger = states | (found if within is None else found & within)
            if larger != states:
                states = larger
                waiting.update(self._near(move))
        return states

    def _near(self, move: ActionRelation) -> dict[int, None]:
        """The clusters that share a part with a move, in order."""
        known = self._known_near.get(move.current)
        if known is None:
            bits = {*move.current}
            known = self._known_near[move.current] = {
                number: None
                for number, other in enumerate(self.clusters)
                if not bits.isdisjoint(other.current)
            }
        return known

    def where(self, part: int, states: Iterable[StateId]) -> Bdd:
        """Return the states in which one part is in one of some local states.

        Args:
            part: Index of a component, or, counted after the components, of a monitor.
            states: States of that part.
        """
        return (*self._components, *self._monitors)[part].states(states)

    def count(self, states: Bdd) -> int:
        """Return the number of states in a set over current bits, exactly."""
        return self.ctx.count(states, self.bits)

    def pick(self, states: Bdd) -> dict[str, bool] | None:
        """Return one state of the set as an assignment of all current bits."""
        return self.ctx.pick(states, self.bits)

    def local_components(self, bits: Mapping[str, bool]) -> list[tuple[Lts, StateId]]:
        """Return each component except counters, with its state."""
        parts = self._components[: len(self.component_names)]
        return [(p.lts, p.decode(bits)) for p in parts]

    def local_monitors(self, bits: Mapping[str, bool]) -> list[tuple[Lts, StateId]]:
        """Return the table of each monitor, with its state."""
        return [(p.lts, p.decode(bits)) for p in self._monitors]

    def component_states(self, bits: Mapping[str, bool]) -> tuple[str, ...]:
        """Name the states of the controller's components."""
        return tuple(lts.state_name(s) for lts, s in self.local_components(bits))

    def monitor_states(self, bits: Mapping[str, bool]) -> tuple[str, ...]:
        """Name the states of the monitors."""
        return tuple(plain(lts.state_name(s)) for lts, s in self.local_monitors(bits))


def clustered(moves: Sequence[ActionRelation]) -> tuple[ActionRelation, ...]:
    """Combine internal moves of the same parts, which nothing distinguishes."""
    clusters: dict[tuple[str, ...], ActionRelation] = {}
    for move in moves:
        known = clusters.get(move.current)
        clusters[move.current] = (
            move
            if known is None
            else move._replace(
                relation=known.relation | move.relation, error=known.error | move.error
            )
        )
    return tuple(clusters.values())


def _variable_order(
    components: Sequence[RelationPart], monitors: Sequence[RelationPart]
) -> Iterator[RelationPart]:
    """The components in their order, each monitor behind the one it watches most.

    What a monitor says depends on the component whose actions it follows. With
    their bits apart, a set of states has to remember all of one while it reads
    the other; with n components that each have a monitor of their own, that is
    exponential in n. An action that many components share ties it to none of
    them, so it counts by its share.
    """
    having: dict[Action, int] = {}
    for part in components:
        for action in part.lts.alphabet:
            having[action] = having.get(action, 0) + 1
    behind: dict[int, list[RelationPart]] = {}
    for monitor in monitors:
        watched = set(monitor.lts.alphabet)
        shares = [
            sum(1 / having[a] for a in part.lts.alphabet if a in watched)
            for part in components
        ]
        anchor = shares.index(max(shares)) if shares else 0
        behind.setdefault(anchor, []).append(monitor)
    for index, part in enumerate(components):
        yield part
        yield from behind.get(index, ())
    if not components:
        yield from monitors
