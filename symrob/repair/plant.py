"""The plant: the determinised C, the observer of E_D and the monitors.

In:  a problem, and the environments that must be tolerated.
Out: a `Plant`: a deterministic network in bits, whose state is everything that C' can
     know.

Parts that cannot influence a violation of P are left out (`cone`), unless all are
requested. A component that is nondeterministic or has internal moves is determinised:
its states are sets of states. Components that share hidden actions have no independent
traces, so their product comes first. The traces of a composition are those that its
components agree on, so its traces stay the same.

Source: docs/sources.md [LW].
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from symrob.envelope.engine import Engine
from symrob.envelope.transitions import Graph
from symrob.limits import Clock, running
from symrob.lts import ERROR, Action, Lts, Network
from symrob.lts.determinise import determinise
from symrob.lts.naming import distinct
from symrob.lts.product import product
from symrob.problem import Model, Problem
from symrob.repair.cone import relevant
from symrob.repair.observer import loop_observer, observer
from symrob.symbolic.context import Bdd, Context
from symrob.symbolic.encoding import SymbolicSystem
from symrob.symbolic.parts import number_of


class PlantPart(NamedTuple):
    """One part of the plant.

    Attributes:
        name: Name of the component; for a part of the memory, what it remembers.
        lts: The part, deterministic.
        bits: The bits that hold them.
    """

    name: str
    lts: Lts
    bits: tuple[str, ...]


class Plant:
    """The plant that C' controls.

    Args:
        engine: The problem.
        graphs: The transitions of each environment that must be tolerated.
        whole: Whether parts that do not matter are wanted too.

    Attributes:
        is_whole: Whether there is no other part.
        system: All parts in bits; every move is an action of C.
        machine: The parts of C.
        memory: Further knowledge of C': the observer, then the monitors.
        fails_at_start: Whether P can break before C has done anything.

    Raises:
        LimitExceeded: A bound was hit.
    """

    def __init__(
        self,
        engine: Engine,
        graphs: Sequence[Graph],
        *,
        whole: bool = False,
    ) -> None:
        problem, clock = engine.problem, engine.clock
        seen = frozenset(problem.controller.alphabet)
        happening = seen.union(problem.environment.alphabet)
        watching = [m for m in problem.properties if happening & {*m.lts.alphabet}]
        told = [m for m in watching if happening & {*m.lts.alphabet} <= seen]
        untold = [m for m in watching if m not in told]
        machine = known_parts(problem, clock)
        if problem.judges_states:
            # What they say is about E and C together: all is in what is observed.
            told, whole = [], True
            watcher = loop_observer(engine.walked, graphs, seen, clock)
        else:
            watcher = observer(engine.environment, graphs, untold, seen, clock)
        # First, and so highest in the order of bits: what E may do goes with the states
        # of all components, and those of two components go with each other only by it.
        named = [("E", watcher.lts), *machine]
        matters = relevant([lts for _, lts in named], [m.lts for m in told])
        if whole:
            matters = frozenset(range(len(named) + len(told)))
        left_out = [lts for i, (_, lts) in enumerate(named) if i not in matters]
        told = [m for i, m in enumerate(told, len(named)) if i in matters]
        named = [part for i, part in enumerate(named) if i in matters]
        count = len(named)
        if left_out:
            named.append(("", _always(left_out)))
        names = [name for name, _ in named]
        network = Network([lts for _, lts in named], component_names=names)
        self.system = SymbolicSystem(Context(engine.backend, clock), network, told, ())
        encoded = zip((*names, *(m.name for m in told)), self.system.parts, strict=True)
        parts = [PlantPart(name, lts, bits) for name, (lts, bits) in encoded]
        first = 1 if 0 in matters else 0
        self.is_whole = whole or not left_out
        self.machine = tuple(parts[first:count])
        self.memory = (*parts[:first], *parts[len(named) :])
        self.fails_at_start = watcher.fails_at_start or any(
            m.fails_at_start for m in problem.properties
        )

    @property
    def parts(self) -> tuple[PlantPart, ...]:
        """All parts, those of the machine first."""
        return self.machine + self.memory

    def shadow(self, states: Bdd, parts: Iterable[PlantPart]) -> Bdd:
        """Project states to some parts."""
        kept = {bit for part in parts for bit in part.bits}
        hidden = [bit for bit in self.system.bits if bit not in kept]
        return self.system.ctx.exists(states, hidden)

    def decoded(
        self, shadow: Bdd, parts: Sequence[PlantPart]
    ) -> Iterator[tuple[int, ...]]:
        """Yield the states of some parts, one by one.

        Args:
            shadow: Over their bits only.
            parts: Which parts, in the order of the result.
        """
        bits = [bit for part in parts for bit in part.bits]
        for values in self.system.ctx.iterate(shadow, bits):
            yield tuple(number_of(values, part.bits) for part in parts)


def known_parts(problem: Problem, clock: Clock) -> list[tuple[str, Lts]]:
    """Return the determinised components of C, each with its name.

    If requirements are on states, a guard among them may take a step into ERROR from C,
    which a component by itself does not tell. So ERROR is a state then, from which
    everything is possible.

    Raises:
        LimitExceeded: A product or subset construction is too large.

    Cost: none for a component that is deterministic and hides nothing.
    """
    most, controller = clock.limits.max_states, problem.controller
    components = list(controller.components)
    if problem.judges_states:
        components = list(map(_going_on, components))
    parts: list[tuple[str, Lts]] = []
    for group in _sharing_secrets(controller):
        lts = components[group[0]]
        names = [controller.component_names[i] or "C" for i in group]
        hidden = controller.hidden & {a for i in group for a in components[i].alphabet}
        with running(clock):
            if hidden:
                several = [components[i] for i in group]
                lts = product(Network(several, hidden=hidden), max_states=most)
            if not lts.deterministic:
                lts = determinise(lts, max_states=most)
        parts.append((" and ".join(names), lts))
    return parts


def _going_on(lts: Lts) -> Lts:
    """The same system with one more state in place of ERROR, if it can fail."""
    failed = lts.size
    moves = [t if t[2] != ERROR else (*t[:2], failed) for t in lts.transitions]
    if all(target != failed for *_, target in moves):
        return lts
    names = distinct([*map(lts.state_name, range(failed)), "ERROR"])
    moves += [(failed, action, failed) for action in lts.alphabet]
    return Lts(lts.alphabet, failed + 1, moves, names=names, initial=lts.initial)


def _always(parts: Iterable[Lts]) -> Lts:
    """What stands for parts that do not matter: it offers all that they have."""
    alphabet = sorted({action for lts in parts for action in lts.alphabet})
    return Lts(alphabet, 1, [(0, action, 0) for action in alphabet])


def _sharing_secrets(controller: Model) -> list[list[int]]:
    """The components in groups that share no hidden action with each other."""
    groups: list[tuple[set[Action], list[int]]] = []
    for index, component in enumerate(controller.components):
        secrets, members = controller.hidden & {*component.alphabet}, [index]
        apart = []
        for others, known in groups:
            if others & secrets:
                secrets, members = secrets | others, known + members
            else:
                apart.append((others, known))
        groups = [*apart, (set(secrets), members)]
    return sorted(members for _, members in groups)
