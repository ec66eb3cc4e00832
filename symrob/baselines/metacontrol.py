"""The paper's control problem over F, with every part in bits.

In:  the machine with its monitors in bits, the environment, a set of
     transitions d that may be added to it.
Out: for sets S of states of F = E_d‖C‖P: Inv(S), the successors of S, and del(S), the
     transitions that must be deleted so that S is never left.

Here the states of E are bits too, beside those of the components: a set of
states of F is one BDD over the bits of (q_e, q_c, q_p), and a set of
transitions of the environment is one over those of (q_e, a, q_e'). `plain` and
`connected` work on these.

Moves that cannot be prevented are those of R_E, internal ones and `tau`.

Source: docs/sources.md [S1], Sect. 5.2 (Alg. 1, Eq. 2), Appendix (Inv).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from symrob.lts import TAU, Action, Lts, StateId, Transition
from symrob.symbolic.context import Bdd
from symrob.symbolic.encoding import SymbolicSystem
from symrob.symbolic.parts import bit_names, code_of, interleaved, next_names, number_of


class MetaControl:
    """F = E_d‖C‖P over bits.

    Args:
        system: C and P, in bits; its context gets the bits of E and of actions.
        environment: E.
        allowed: d, with R_E in it; without `tau`.

    Attributes:
        initial: The initial state of F, as a set.
        errors: The states from which a move that cannot be prevented leads to
            Err.
    """

    def __init__(
        self,
        system: SymbolicSystem,
        environment: Lts,
        allowed: Iterable[Transition],
    ) -> None:
        self._system = system
        self._ctx = ctx = system.ctx
        self._here = bit_names("e", environment.size)
        self._there = next_names(self._here)
        self._label = bit_names("a", len(environment.alphabet))
        ctx.declare([*interleaved(self._here, self._there), *self._label])
        self.bits = (*self._here, *system.bits)
        self._actions = environment.alphabet
        self._labels = {
            a: ctx.cube(code_of(i, self._label)) for i, a in enumerate(self._actions)
        }
        nominal = environment.visible_transitions
        self._nominal = self._by_action(nominal)
        self._allowed = self._by_action([*allowed, *nominal])
        self._tau = self._pairs(
            (s, t) for s, a, t in environment.transitions if a == TAU
        )
        start = ctx.cube(code_of(0, self._here))
        self.initial = start & system.initial
        self.errors = self._errors()

    def all_transitions(self) -> Bdd:
        """Return d as a set over the bits of (q_e, a, q_e')."""
        return self._ctx.union(
            self._allowed[a] & self._labels[a] for a in self._actions
        )

    def reached(self) -> Bdd:
        """Return the reachable states of F without Err."""
        return self._closed(self.initial, self._allowed)

    def invariant(self, states: Bdd) -> Bdd:
        """Return Inv(states): from where the meta-controller can stay inside.

        A greatest fixpoint: each round takes away the states from which a move
        that cannot be prevented leads out or to Err.

        Cost: a pre-image for each action and round.
        """
        states = states & ~self.errors
        while True:
            self._ctx.clock.check()
            outside = self._pre(~states, self._nominal)
            smaller = states & ~outside
            if smaller == states:
                return states
            states = smaller

    def forced(self, states: Bdd) -> Bdd:
        """Add all states reached by moves that cannot be prevented, without Err."""
        return self._closed(states, self._nominal)

    def _closed(self, states: Bdd, transitions: dict[Action, Bdd]) -> Bdd:
        """Add all that internal moves and these transitions lead to.

        A least fixpoint over what is new in each round; it ends because states
        are finite.
        """
        found = fresh = states
        while fresh != self._ctx.false:
            self._ctx.clock.check()
            fresh = self._post(fresh, transitions) & ~found
            found |= fresh
        return found

    def successors(self, states: Bdd, kept: Bdd) -> Bdd:
        """Return the states that one move of F reaches, without Err.

        Args:
            states: Over the bits of (q_e, q_c, q_p).
            kept: The transitions of the environment that count, over the bits
                of (q_e, a, q_e').
        """
        ctx = self._ctx
        by_action = {
            a: ctx.and_exists(kept, self._labels[a], self._label) for a in self._actions
        }
        return self._post(states, by_action)

    def deleted(self, states: Bdd, outside: Bdd) -> Bdd:
        """Return del: the transitions of d that lead from `states` to `outside`.

        Transitions to Err are always among them.

        Args:
            states: Over the bits of (q_e, q_c, q_p).
            outside: Over the same bits; the complement of `states` for del(S) itself.

        Returns:
            A set over the bits of (q_e, a, q_e'):
            ∃ q_c, q_p, q_c', q_p': states ∧ F ∧ outside'.

        Source: docs/sources.md [S1], Alg. 1 line 7.
        """
        ctx, system = self._ctx, self._system
        there = ctx.rename(outside, self._here, self._there)
        parts = []
        for action in self._actions:
            allowed = self._allowed[action]
            if allowed == ctx.false:
                continue
            move = system.moves[action]
            leaving = ctx.exists(states & move.error, system.bits)
            target = ctx.rename(there, move.current, move.following)
            step = ctx.and_exists(states & target, move.relation, move.following)
            leaving |= ctx.exists(step, system.bits)
            parts.append(leaving & allowed & self._labels[action])
        return ctx.union(parts)

    def transitions(self, chosen: Bdd) -> Iterator[Transition]:
        """Decode a set over the bits of (q_e, a, q_e'), one by one."""
        names = (*self._here, *self._label, *self._there)
        for bits in self._ctx.iterate(chosen, names):
            label = number_of(bits, self._label)
            yield Transition(
                number_of(bits, self._here),
                self._actions[label],
                number_of(bits, self._there),
            )

    def points(self, states: Bdd) -> Iterator[Bdd]:
        """Decode a set of states lazily, each as a set of its own."""
        for bits in self._ctx.iterate(states, self.bits):
            yield self._ctx.cube(bits)

    def pick(self, states: Bdd) -> Bdd | None:
        """Return one state of the set as a set of its own; `None` if empty."""
        bits = self._ctx.pick(states, self.bits)
        return None if bits is None else self._ctx.cube(bits)

    def _errors(self) -> Bdd:
        ctx, system = self._ctx, self._system
        # A monitor that fails at start has failed whatever the environment's
        # state, so the failing states need no bits of E.
        errors = system.failing
        for action in self._actions:
            sources = ctx.exists(self._nominal[action], self._there)
            errors |= sources & system.moves[action].error
        return errors

    def _post(self, states: Bdd, transitions: dict[Action, Bdd]) -> Bdd:
        ctx, system = self._ctx, self._system
        images = [system.post(states, m) for m in system.internal]
        if self._tau != ctx.false:
            images.append(self._moved(states, self._tau))
        for action in self._actions:
            if transitions[action] != ctx.false:
                image = system.post(states, system.moves[action])
                images.append(self._moved(image, transitions[action]))
        return ctx.union(images)

    def _pre(self, states: Bdd, transitions: dict[Action, Bdd]) -> Bdd:
        ctx, system = self._ctx, self._system
        images = [system.pre(states, m) for m in system.internal]
        there = ctx.rename(states, self._here, self._there)
        if self._tau != ctx.false:
            images.append(ctx.and_exists(there, self._tau, self._there))
        for action in self._actions:
            if transitions[action] != ctx.false:
                before = ctx.and_exists(there, transitions[action], self._there)
                images.append(system.pre(before, system.moves[action]))
        return ctx.union(images)

    def _moved(self, states: Bdd, pairs: Bdd) -> Bdd:
        """Let the environment move along the pairs (q_e, q_e')."""
        there = self._ctx.and_exists(states, pairs, self._here)
        return self._ctx.rename(there, self._there, self._here)

    def _by_action(self, transitions: Iterable[Transition]) -> dict[Action, Bdd]:
        groups: dict[Action, list[tuple[StateId, StateId]]] = {
            a: [] for a in self._actions
        }
        for source, action, target in transitions:
            groups[action].append((source, target))
        return {a: self._pairs(pairs) for a, pairs in groups.items()}

    def _pairs(self, pairs: Iterable[tuple[StateId, StateId]]) -> Bdd:
        return self._ctx.union(
            self._ctx.cube({**code_of(s, self._here), **code_of(t, self._there)})
            for s, t in pairs
        )
