"""Fault modes as the units of an analysis.

In:  the environment E, or the network that it is composed of, and `FaultMode`s.
Out: `Units`: which steps E gets from which modes; and, for modes of components, the
     composition with all modes, of which a set of modes selects a part.

A step exists if each of its *needs* is met, and a need is met by any one of some modes:
a transition of E needs one of the modes that hold it; a step by an action that
components share needs one such mode for each component that does not plan it.

The composition with all modes contains every state that some set of modes can reach. So
for any set of modes, the composition of the changed components is a part of it, and the
steps that E gets can be given as transitions over its states.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, reduce
from itertools import accumulate, product
from operator import mul, or_
from typing import Any, NamedTuple, Self

from symrob.errors import Diagnostic, SymrobError, did_you_mean
from symrob.limits import check_size, watched
from symrob.lts import TAU, Action, Lts, Network, Parts, StateId, Transition
from symrob.lts.masks import bits
from symrob.lts.naming import distinct
from symrob.lts.product import product as multiplied
from symrob.lts.views import with_transitions
from symrob.problem.modes import FaultMode, LocalTransition
from symrob.words import Identity

# A set of modes: bit m stands for mode m.
Chosen = int
# What is decided on: a candidate transition, or a fault mode by its name.
Unit = Transition | str
UnitSet = frozenset[Unit]


class Many(ABC):
    """A set of units that can be very large: counted without being listed.

    All sets that are combined belong to one problem. An empty set is false.
    """

    @abstractmethod
    def __len__(self) -> int: ...

    @abstractmethod
    def __contains__(self, unit: Any) -> bool: ...

    @abstractmethod
    def __iter__(self) -> Iterator[Any]: ...

    @abstractmethod
    def without(self, other: Self) -> Self:
        """Return the difference with the other set."""

    @abstractmethod
    def union(self, other: Self) -> Self:
        """Return the union with the other set."""

    @abstractmethod
    def within(self, other: Self) -> Self:
        """Return the intersection with the other set."""


class ModeStep(NamedTuple):
    """A transition that E lacks, and the modes that bring it.

    Attributes:
        transition: The transition; `tau` for a hidden action.
        needs: Sets of modes; one of each must be chosen. At least one set.
    """

    transition: Transition
    needs: tuple[Chosen, ...]

    def is_there(self, chosen: Chosen) -> bool:
        """Whether a set of modes brings the step."""
        return all(need & chosen for need in self.needs)


class Units:
    """The fault modes of a problem, numbered from 0, and the steps they bring.

    Args:
        modes: The modes, with distinct names.
        steps: The steps; a transition may occur several times, with different needs.
        network: The components that the modes change; `None` if modes are sets of
            transitions of E.
        mixed: Whether some modes hold transitions of E as a whole beside those of
            components.

    Attributes:
        plan: The same modes, with steps by E's own actions; see `problem.counted`.

    Raises:
        SymrobError: Two modes have the same name.
    """

    def __init__(
        self,
        modes: Sequence[FaultMode],
        steps: Iterable[ModeStep],
        network: Network | Lts | None = None,
        *,
        mixed: bool = False,
    ) -> None:
        self.modes = tuple(modes)
        self.steps = tuple(sorted(steps))
        self.network = network
        self.mixed = mixed
        self.plan: Units = self
        self.numbers = {mode.name: m for m, mode in enumerate(self.modes)}
        if len(self.numbers) < len(self.modes):
            seen: set[str] = set()
            for mode in self.modes:
                if mode.name in seen:
                    message = f"two fault modes are called '{mode.name:.200}'"
                    hint = "rename the one in [faults]"
                    raise SymrobError(Diagnostic("modes-name", message, hint=hint))
                seen.add(mode.name)

    def __len__(self) -> int:
        return len(self.modes)

    @property
    def identities(self) -> dict[str, Identity]:
        """The identifiers of the modes that have one, by name."""
        known = ((mode.name, mode.identity) for mode in self.modes)
        return {name: identity for name, identity in known if identity is not None}

    @property
    def all(self) -> Chosen:
        """All modes."""
        return (1 << len(self.modes)) - 1

    def added(self, chosen: Chosen) -> frozenset[Transition]:
        """Return the transitions that E gets from some modes; may include `tau`."""
        steps = (s for m in bits(chosen) for s in self.steps_of[m])
        return frozenset(s.transition for s in steps if s.is_there(chosen))

    @cached_property
    def steps_of(self) -> Sequence[Sequence[ModeStep]]:
        """For each mode, the steps to which it can contribute."""
        found: list[list[ModeStep]] = [[] for _ in self.modes]
        for step in self.steps:
            for m in bits(reduce(or_, step.needs)):
                found[m].append(step)
        return found

    def deviated(self, environment: Lts, chosen: Chosen) -> Lts:
        """Return E with some modes, by definition: changed components, composed.

        If the modes change components, its states differ from those of `environment`.

        Raises:
            SymrobError: Some modes change components, and others E as a whole.
        """
        modes = [self.modes[m] for m in bits(chosen)]
        if self.network is None:
            added = {t for mode in modes for t in mode.transitions}
            transitions = (*environment.transitions, *added)
            return with_transitions(environment, transitions)
        self.require_unmixed()
        network, parts = self.network, []
        for i, part in enumerate(network.components):
            more = [t[1:] for mode in modes for t in mode.local if t.component == i]
            parts.append(with_transitions(part, (*part.transitions, *more)))
        return multiplied(Network(parts, hidden=network.hidden))

    def require_unmixed(self) -> None:
        """Refuse modes of which some change components, and others E as a whole."""
        if self.mixed:
            message = "sets of fault modes of which some change components and others "
            message += "change E as a whole are not supported"
            raise SymrobError(Diagnostic("modes-algorithm", message))

    def held(self) -> dict[str, list[list[object]]]:
        """Return by name the sorted transitions of each mode: of components or of E."""
        composed = self.network is not None
        return {
            mode.name: sorted(map(list, mode.local if composed else mode.transitions))
            for mode in self.modes
        }

    def names(self, chosen: Chosen) -> tuple[str, ...]:
        """Return the names of some modes, sorted."""
        return tuple(sorted(self.modes[m].name for m in bits(chosen)))

    def chosen(self, names: Iterable[str]) -> Chosen:
        """Return the modes with some names.

        Raises:
            SymrobError: Names are unknown; all of them are reported.
        """
        found, problems = 0, []
        for name in names:
            if name in self.numbers:
                found |= 1 << self.numbers[name]
                continue
            message = f"there is no fault mode '{name:.200}'"
            hint = did_you_mean(name, self.numbers)
            problems.append(Diagnostic("modes-unknown", message, hint=hint))
        if problems:
            raise SymrobError(problems)
        return found

    def members(self, names: Iterable[str]) -> Modes:
        """Return the modes with some names; errors as for `chosen`."""
        return Modes(self, self.chosen(names))

    def doubts(self, environment: Lts) -> Iterator[Diagnostic]:
        """Yield a warning, with the reason, for each mode that changes nothing."""
        planned = environment.visible_transitions
        for mode in self.modes:
            if not mode.transitions and not mode.local:
                why = "is empty"
            elif mode.local and self.network is not None:
                if any(not is_planned(self.network, t) for t in mode.local):
                    continue
                why = "contains only transitions that its components already have"
            elif mode.transitions <= planned:
                why = "contains only transitions that E already has"
            else:
                continue
            message = f"fault mode '{mode.name}' {why}, so it changes nothing"
            yield Diagnostic("modes-idle", message, "warning")

    def overlaps(self) -> Iterator[tuple[str, str, int]]:
        """Yield each pair of modes that share transitions, and how many."""
        held: dict[object, list[int]] = {}
        for m, mode in enumerate(self.modes):
            for t in mode.transitions if self.network is None else mode.local:
                held.setdefault(t, []).append(m)
        counts: dict[tuple[int, int], int] = {}
        for holders in held.values():
            for i, one in enumerate(holders):
                for other in holders[i + 1 :]:
                    counts[one, other] = counts.get((one, other), 0) + 1
        for (one, other), count in sorted(counts.items()):
            yield self.modes[one].name, self.modes[other].name, count


class Modes(Many):
    """Some fault modes of a problem; iteration yields their names in order.

    Args:
        units: All modes.
        chosen: The chosen modes, as a mask.
    """

    def __init__(self, units: Units, chosen: Chosen) -> None:
        self.units = units
        self.chosen = chosen

    def __len__(self) -> int:
        return self.chosen.bit_count()

    def __contains__(self, unit: Any) -> bool:
        return bool(self.chosen >> self.units.numbers[unit] & 1)

    def __iter__(self) -> Iterator[str]:
        return (self.units.modes[m].name for m in bits(self.chosen))

    def __repr__(self) -> str:
        return f"Modes({', '.join(self)})"

    def without(self, other: Self) -> Self:
        """Return the difference with the other set."""
        return type(self)(self.units, self.chosen & ~other.chosen)

    def union(self, other: Self) -> Self:
        """Return the union with the other set."""
        return type(self)(self.units, self.chosen | other.chosen)

    def within(self, other: Self) -> Self:
        """Return the intersection with the other set."""
        return type(self)(self.units, self.chosen & other.chosen)


def units_of(environment: Lts, modes: Sequence[FaultMode]) -> Units:
    """Return modes that are sets of transitions of E; those of R_E change nothing."""
    return Units(modes, _plain_steps(environment, modes))


def _plain_steps(environment: Lts, modes: Sequence[FaultMode]) -> Iterator[ModeStep]:
    planned = environment.visible_transitions
    holders: dict[Transition, Chosen] = {}
    for m, mode in enumerate(modes):
        for t in mode.transitions - planned:
            holders[t] = holders.get(t, 0) | 1 << m
    for t, mask in holders.items():
        yield ModeStep(t, (mask,))


def joined(
    parts: Iterable[tuple[Units, Sequence[int]]], network: Network | Lts
) -> Units:
    """Return the modes of all independent parts, those of the first part first.

    Args:
        parts: The modes of each part, with the indexes of its components in the whole.
        network: All components; they are not composed, so there are no steps.
    """
    modes = [
        replace(
            mode,
            transitions=frozenset(),
            local=frozenset(t._replace(component=own[t.component]) for t in mode.local),
        )
        for units, own in parts
        for mode in units.modes
    ]
    return Units(modes, (), network)


def is_planned(network: Network | Lts, t: LocalTransition) -> bool:
    """Whether a component of a network already has a transition."""
    row = network.components[t.component].successors[t.source]
    return t.target in row.get(t.action, ())


class Composition:
    """E composed of components, with all transitions that modes bring.

    Args:
        network: The components.
        modes: The modes; only their changes of components are used.
        max_states: Bound on the states of the composition.

    Attributes:
        network: As given.
        environment: E over all states that some set of modes reaches, the planned ones
            first; its transitions are the planned ones.
        steps: The steps that the modes bring; mode m is bit m.

    Raises:
        SymrobError: A component has a transition to ERROR.
        LimitExceeded: There are more states than that.

    Cost: linear in the steps of the composition with all modes.
    """

    def __init__(
        self,
        network: Network | Lts,
        modes: Sequence[FaultMode],
        max_states: int | None = None,
    ) -> None:
        self.network = network
        require_no_error(network)
        held: dict[LocalTransition, Chosen] = {}
        for m, mode in enumerate(modes):
            for t in mode.local:
                held[t] = held.get(t, 0) | 1 << m
        moves = _ComponentMoves(network, held)
        numbers: dict[tuple[StateId, ...], StateId] = {}
        states: list[tuple[StateId, ...]] = []

        def number(state: tuple[StateId, ...]) -> StateId:
            found = numbers.setdefault(state, len(states))
            if found == len(states):
                check_size(found + 1, max_states, "composition with all fault modes")
                states.append(state)
            return found

        first = [*product(*(part.initial for part in network.components))]
        for state in first:
            number(state)
        # First what is planned, so that these states have the first numbers.
        for state in watched(states, 64):
            for _action, target, needs in moves.of(state):
                if not needs:
                    number(target)
        planned: set[Transition] = set()
        steps: dict[Transition, set[tuple[Chosen, ...]]] = {}
        for source, state in enumerate(watched(states, 64)):
            for action, target, needs in moves.of(state):
                step = Transition(source, action, number(target))
                if needs:
                    steps.setdefault(step, set()).add(needs)
                else:
                    planned.add(step)
        parts = network.components
        columns = [[p.state_name(s) for s in range(p.size)] for p in parts]
        names = [
            f"({', '.join(c[s] for c, s in zip(columns, state, strict=True))})"
            for state in states
        ]
        self.environment = Lts(
            network.alphabet,
            len(states),
            planned,
            names=distinct(names),
            parts=Parts(network.component_names, parts, [*map(moves.code, states)]),
            initial=range(len(first)),
        )
        self.steps = tuple(
            ModeStep(t, needs)
            for t, several in steps.items()
            if t not in planned
            for needs in several
        )

    def units(self, modes: Sequence[FaultMode]) -> Units:
        """Return the units: the given modes, now with transitions of E too.

        The `transitions` of each mode are those that it brings alone.
        """
        alone: dict[int, set[Transition]] = {}
        for step in self.steps:
            common = -1
            for need in step.needs:
                common &= need
            for m in bits(common):
                alone.setdefault(m, set()).add(step.transition)
        filled = [
            replace(mode, transitions=mode.transitions | alone.get(m, set()))
            for m, mode in enumerate(modes)
        ]
        more = _plain_steps(self.environment, modes)
        mixed = any(mode.transitions for mode in modes)
        return Units(filled, (*self.steps, *more), self.network, mixed=mixed)


class _ComponentMoves:
    """The moves of a network with all that modes can bring.

    Args:
        network: The components.
        held: The transitions that modes bring, with these modes.
    """

    def __init__(
        self, network: Network | Lts, held: Mapping[LocalTransition, Chosen]
    ) -> None:
        # For each component and state, by action, the targets with the modes of which
        # one is needed; 0 where it is planned.
        self._rows: list[list[dict[Action, list[tuple[StateId, Chosen]]]]] = []
        self._owners: dict[Action, list[int]] = {}
        self._hidden = network.hidden
        sizes = (part.size for part in network.components)
        self._weights = [*accumulate(sizes, mul, initial=1)][:-1]
        for i, part in enumerate(network.components):
            for action in part.alphabet:
                self._owners.setdefault(action, []).append(i)
            self._rows.append(
                [
                    {a: [(t, 0) for t in targets] for a, targets in row.items()}
                    for row in part.successors
                ]
            )
        for t in sorted(held):
            if not is_planned(network, t):
                row = self._rows[t.component][t.source]
                row.setdefault(t.action, []).append((t.target, held[t]))

    def code(self, state: tuple[StateId, ...]) -> int:
        """Return a state as one number; see `Parts`."""
        return sum(map(mul, state, self._weights))

    def of(
        self, state: tuple[StateId, ...]
    ) -> Iterator[tuple[Action, tuple[StateId, ...], tuple[Chosen, ...]]]:
        """Yield each move: its action, where it leads, and what it needs."""
        rows = [row[q] for row, q in zip(self._rows, state, strict=True)]
        for i, row in enumerate(rows):
            for target, _planned in row.get(TAU, ()):
                yield TAU, (*state[:i], target, *state[i + 1 :]), ()
        for action, owners in self._owners.items():
            if any(action not in rows[i] for i in owners):
                continue
            name = TAU if action in self._hidden else action
            for chosen in product(*(rows[i][action] for i in owners)):
                after = list(state)
                for i, (target, _need) in zip(owners, chosen, strict=True):
                    after[i] = target
                needs = {need for _target, need in chosen if need}
                yield name, tuple(after), tuple(sorted(needs))


def require_no_error(network: Network | Lts) -> None:
    """Reject components of an environment that reach ERROR.

    Raises:
        SymrobError: Some do; all of them are named.
    """
    problems = [
        Diagnostic(
            "problem-environment-error",
            f"component {name} of the environment has transitions to ERROR",
            hint="an environment must not have transitions to ERROR; express what it "
            "must not do as an assumption (--env-prop)",
        )
        for name, part in zip(network.component_names, network.components, strict=True)
        if part.can_fail
    ]
    if problems:
        raise SymrobError(problems)
