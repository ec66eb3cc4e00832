"""A side of a certificate: which sets it tolerates, by explicit search.

In:  the models, and the engine for them.
Out: `CertifiedSide`: sets of units in the numbering of the certificate, traces of
     unsafe sets, maximal extensions of safe ones.

The engine only proposes sets; the explicit search decides which are safe.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import cast

from symrob.analyses.additions import ModeAdditions, Singles
from symrob.analyses.evidence import BreachError, Chosen, EvidenceSearch
from symrob.analyses.space import Maximal, units_in
from symrob.api.certificates.records import (
    Record,
    WatchingRecords,
    required_record,
    unit_records,
)
from symrob.api.loading import Roles
from symrob.certify.spending import ClockedBudget, parts_of
from symrob.certify.watching import Joint, Network, Required, Watcher
from symrob.envelope.engine import Engine
from symrob.lts import Transition
from symrob.lts.masks import bits
from symrob.problem import Problem, Role, Unit
from symrob.problem.build import is_guard


class CertifiedSide:
    """A controller with the monitors that count.

    Args:
        roles: The models.
        engine: The engine for the same problem, or for it without its constraints.
        names: The fault modes in the order of their numbers; by default the order of
            the problem.

    Attributes:
        watching: The side as records of the file.
        candidates: The numbers of all units.
        search: Searches for traces that violate a constraint or property.
        rules: Searches for traces that violate a constraint.
    """

    def __init__(
        self, roles: Roles, engine: Engine, names: Sequence[str] | None = None
    ) -> None:
        problem = engine.problem
        environment, units = problem.environment, problem.units
        self.engine = engine
        self.watching = WatchingRecords(roles, bool(engine.constraints), problem)
        self._singles = Singles(environment)
        self._modes: ModeAdditions | None = None
        if units is not None:
            self.names = tuple(names or (mode.name for mode in units.modes))
            self._modes = ModeAdditions(environment, units, self.names)
            self.candidates = [*range(len(units))]
        else:
            self.candidates = sorted(self.numbers(problem.candidates))
        budget, clock = ClockedBudget(engine.clock), engine.clock
        actions = frozenset(environment.alphabet)
        alone = Network([], frozenset(), budget)
        guards = [self._required(role) for role in roles.properties if is_guard(role)]

        def watcher(role: Role, machine: Network, kept: list[Required]) -> Watcher:
            if role.sentence is None:
                return Watcher(machine, parts_of(role.model, budget), actions, kept)
            return Watcher(machine, alone, actions, [*kept, self._required(role)])

        rules = [watcher(role, alone, []) for role in self.watching.constraints]
        controller = parts_of(roles.controller.model, budget)
        watchers = rules + [
            watcher(role, controller, guards)
            for role in roles.properties
            if not is_guard(role)
        ]
        additions = self._modes or self._singles
        run, bounds = problem.at_most, {}
        if units is not None:
            most = {mode.name: mode.at_most for mode in units.modes}
            bounds = {place: most[name] for place, name in enumerate(self.names)}
        of_e = self._states(problem), environment.initial
        self.search = EvidenceSearch(additions, watchers, clock, *of_e, run, bounds)
        self.rules = EvidenceSearch(additions, rules, clock, *of_e, run, bounds)

    def _required(self, role: Role) -> Required:
        """What a sentence about states asks, as the file has it."""
        found = required_record(self.watching.requirement(role), self.engine.problem)
        assert role.sentence is not None, "it is one"
        when = [(word, n, frozenset(states)) for word, n, states in found["when"]]
        return Required(role.sentence.kind, frozenset(found["actions"]), when)

    @staticmethod
    def _states(problem: Problem) -> Sequence[Joint]:
        """The states of E as the file has them: of components if modes change them."""
        environment, units = problem.environment, problem.units
        if units is None or units.network is None or environment.parts is None:
            return [(q,) for q in range(environment.size)]
        return [*map(environment.parts.numbers, range(environment.size))]

    def numbers(self, transitions: Iterable[Transition]) -> Chosen:
        """Return the numbers of single transitions."""
        return frozenset(map(self._singles.number, transitions))

    @property
    def modal(self) -> bool:
        """Whether the units are fault modes."""
        return self._modes is not None

    def chosen(self, units: Iterable[Unit]) -> Chosen:
        """Return the numbers of some units."""
        if self._modes is None:
            return self.numbers(cast("Iterable[Transition]", units))
        return frozenset(map(self.names.index, units))

    def of(self, found: Maximal) -> Chosen:
        """Return the numbers of the units that a maximal set adds."""
        return self.chosen(units_in(found))

    @cached_property
    def alone(self) -> Chosen:
        """The units that the engine reports as individually tolerated."""
        if self._modes is None:
            return self.numbers(self.engine.safe_sets.alone)
        sets = self.engine.mode_sets
        alone = (1 << m for m in bits(sets.units.all) if sets.is_safe(1 << m))
        return self._modes.numbers(sum(alone))

    def grown(self, chosen: Chosen) -> Chosen | None:
        """Return a maximal safe superset of a set; `None` if the set is unsafe.

        Raises:
            BreachError: The set that the engine proposes is unsafe.
        """
        if self.search.unsafe(chosen) is not None:
            return None
        if self._modes is None:
            transitions = map(self._singles.transition, chosen)
            larger = self.numbers(self.engine.safe_sets.grown(transitions).new)
        else:
            mask = self.engine.mode_sets.grown(self._modes.mask(chosen))
            larger = self._modes.numbers(mask)
        if self.search.unsafe(larger) is not None:
            raise BreachError("a grown set is unsafe")
        return larger

    def unit_records(self) -> list[Record]:
        """Return the units, in the order in which they are numbered."""
        records = unit_records(self.engine.problem)
        if self._modes is not None:
            places = {name: place for place, name in enumerate(self.names)}
            records.sort(key=lambda record: places.get(record.get("mode", ""), -1))
        return records
