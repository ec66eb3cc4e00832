"""Symmetries of a problem: what can be decided once for many transitions.

In:  a `Problem`.
Out: `Symmetries`: for a transition, or for a set of candidates, others of which
     every monitor of the problem thinks the same.

They come from automorphisms of the whole problem. One permutes the actions and
the states of E, takes the components of C to one another, the properties to one
another and the constraints to one another, so that every transition of each is
taken to a transition. It keeps initial states, `tau`, ERROR, and which actions
are hidden. So it takes runs to runs and violations to violations: a set of
transitions is safe exactly if its image is, and the image of a maximal deviation
is one.

Names play no part, and every automorphism is checked in full (`automorphism`):
a search that is stopped early, or that fails, costs answers nothing but time.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, TypeVar

from symrob.limits import Clock
from symrob.lts import ERROR, TAU, Action, Lts, StateId, Transition
from symrob.reach import reachable
from symrob.record import Record
from symrob.robustness.graph import bits
from symrob.robustness.problem import Problem

if TYPE_CHECKING:
    from symrob.robustness.automorphism import Structure, Vertex

Row = tuple[StateId, Action]
Thing = TypeVar("Thing", bound=Hashable)

# Most problems are done before a search for symmetries would have paid.
PATIENCE = 32
# Neighbours that the search looks at, at most: about a second.
MOST_WORK = 1_000_000


class Symmetry(Record):
    """A permutation of the environment's states and actions.

    Attributes:
        states: For each state of E its image.
        actions: For each action of Act_E its image.
    """

    states: tuple[StateId, ...]
    actions: dict[Action, Action]

    def __call__(self, transition: Transition) -> Transition:
        """Return the image of a transition."""
        source, action, target = transition
        states, actions = self.states, self.actions
        return Transition(states[source], actions[action], states[target])


class Symmetries:
    """The symmetries of a problem, searched for when that may pay.

    Args:
        problem: The problem.
        clock: Asked now and then whether the run may go on.
        patience: So many questions are answered before the search begins, as
            if there were no symmetries.
        most_work: Bound on the neighbours that the search looks at.

    Cost: of the search, see `automorphisms`; the structure has a triple for each
        transition of each component and monitor.
    """

    def __init__(
        self,
        problem: Problem,
        clock: Clock,
        patience: int = PATIENCE,
        most_work: int = MOST_WORK,
    ) -> None:
        self._problem = problem
        self._clock = clock
        self._patience = patience
        self._most_work = most_work

    @cached_property
    def generators(self) -> tuple[Symmetry, ...]:
        """Symmetries that generate others; none of them the identity."""
        from symrob.robustness.automorphism import automorphisms

        builder = _Builder()
        states = builder.add_problem(self._problem)
        alphabet = self._problem.environment.alphabet
        actions = {a: builder.action(a) for a in alphabet}
        state_of = {vertex: state for state, vertex in enumerate(states)}
        action_of = {vertex: action for action, vertex in actions.items()}
        structure = builder.structure()
        return tuple(
            Symmetry(
                tuple(state_of[images[vertex]] for vertex in states),
                {a: action_of[images[vertex]] for a, vertex in actions.items()},
            )
            for images in automorphisms(structure, self._clock, self._most_work)
            # Others move only what the environment has no part in.
            if any(images[v] != v for v in (*states, *actions.values()))
        )

    def of_transition(self, transition: Transition) -> Iterator[Transition]:
        """Yield a transition and its images, each once."""
        return self._orbit(transition, self.generators if self._due() else ())

    def of_rows(
        self, rows: Sequence[Row]
    ) -> Callable[[list[int]], Iterator[list[int]]]:
        """Return what gives a set of transitions and its images, each once.

        Args:
            rows: For each row of the sets its state and action; a set holds the
                targets of each row as bits. Every image of a row is a row.
        """
        moves: list[Callable[[tuple[int, ...]], tuple[int, ...]]] | None = None

        def images(chosen: list[int]) -> Iterator[list[int]]:
            nonlocal moves
            if moves is None and self._due():
                moves = [_on_rows(symmetry, rows) for symmetry in self.generators]
            return map(list, self._orbit(tuple(chosen), moves or ()))

        return images

    def _due(self) -> bool:
        self._patience -= 1
        return self._patience < 0

    def _orbit(
        self, start: Thing, moves: Sequence[Callable[[Thing], Thing]]
    ) -> Iterator[Thing]:
        """Yield `start` and what permutations of finite order make of it."""
        seen = {start}
        todo = [start]
        for thing in todo:
            self._clock.check()
            yield thing
            for move in moves:
                image = move(thing)
                if image not in seen:
                    seen.add(image)
                    todo.append(image)


def _on_rows(
    symmetry: Symmetry, rows: Sequence[Row]
) -> Callable[[tuple[int, ...]], tuple[int, ...]]:
    """Return a symmetry as a map of sets of transitions, given by row."""
    states, actions = symmetry.states, symmetry.actions
    number = {row: i for i, row in enumerate(rows)}
    place = [number[states[q], actions.get(a, a)] for q, a in rows]
    known = {0: 0}

    def image(chosen: tuple[int, ...]) -> tuple[int, ...]:
        result = [0] * len(chosen)
        for row, mask in zip(place, chosen, strict=True):
            moved = known.get(mask)
            if moved is None:
                moved = known[mask] = sum(1 << states[t] for t in bits(mask))
            result[row] = moved
        return tuple(result)

    return image


class _Builder:
    """A problem as a structure.

    A transition is a triple (source, action, target). A component is a vertex
    as well: (component, action, component) says that it has the action, and
    (component, initial state, component) where it starts.
    """

    def __init__(self) -> None:
        self._kinds: list[Hashable] = []
        self._triples: set[tuple[Vertex, Vertex, Vertex]] = set()
        self._known: dict[Hashable, Vertex] = {}

    def structure(self) -> Structure:
        """What was added so far."""
        from symrob.robustness.automorphism import Structure

        return Structure(tuple(self._kinds), frozenset(self._triples))

    def action(self, name: Action, hidden: bool = False) -> Vertex:
        """The vertex of an action; a hidden one is like no visible one."""
        return self._shared("hidden" if hidden else "action", name)

    def add_problem(self, problem: Problem) -> list[Vertex]:
        """Add all parts; return the vertices of E's states.

        States of E count whether they are reached or not; of the other parts
        only those that are reached can make a difference.
        """
        states = self._add("environment", problem.environment)
        hidden = problem.controller.hidden
        for component in problem.controller.components:
            self._add("component", reachable(component), hidden)
        for role, monitors in (
            ("property", problem.properties),
            ("constraint", problem.constraints),
        ):
            for monitor in monitors:
                self._add((role, monitor.fails_at_start), reachable(monitor.lts))
        return states

    def _add(
        self, kind: Hashable, lts: Lts, hidden: frozenset[Action] = frozenset()
    ) -> list[Vertex]:
        part = self._vertex(("part", kind))
        states = [self._vertex(("state", kind)) for _ in range(lts.size)]
        labels = {a: self.action(a, a in hidden) for a in lts.alphabet}
        labels[TAU] = self._shared("tau", TAU)
        error = self._shared("error", "ERROR")
        self._triples.add((part, states[0], part))
        self._triples.update((part, labels[a], part) for a in lts.alphabet)
        self._triples.update(
            (
                states[source],
                labels[action],
                error if target == ERROR else states[target],
            )
            for source, action, target in lts.transitions
        )
        return states

    def _vertex(self, kind: Hashable) -> Vertex:
        self._kinds.append(kind)
        return len(self._kinds) - 1

    def _shared(self, kind: str, name: str) -> Vertex:
        """The one vertex of a kind and name."""
        vertex = self._known.get((kind, name))
        if vertex is None:
            vertex = self._known[kind, name] = self._vertex(kind)
        return vertex
