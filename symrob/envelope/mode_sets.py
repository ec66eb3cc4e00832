"""The safety envelope over fault modes: safe sets of modes, and the maximal ones.

In:  the monitors of a problem whose nominal system is safe, and its `Units`.
Out: `ModeSets`: whether a set of modes is safe, its maximal extension, the maximal sets
     one after the other.

Over the reached pairs (state of E, monitor state), safety is Horn, as for single
transitions (`horn`); a step by an action that components share is one clause with
several modes. So the search is the same: a solver with the clauses of reached pairs
proposes a set of modes; a search of the pairs decides whether it is safe. If so, it is
extended mode by mode and its subsets are excluded; if not, what a violating run needs
is excluded, or the clauses of the pairs that it reached are added, which exclude it.

Source: docs/mathematics.md, 2.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from functools import cached_property
from itertools import islice

from symrob.envelope import tuning
from symrob.envelope.determinised import FAILED, DeterminisedMonitor, MonitorStates
from symrob.envelope.effort import Effort
from symrob.envelope.exploration import reach
from symrob.envelope.horn import Found, ModeFormula, StepRow
from symrob.envelope.monitors import AnyMonitor
from symrob.envelope.simulation import lean_monitor
from symrob.envelope.solvers import EnumerationSolver, MaxSatSolver, Solver
from symrob.envelope.transitions import Graph
from symrob.limits import Clock
from symrob.lts import Action, Lts, StateId
from symrob.lts.deviation import Deviation
from symrob.lts.masks import bits
from symrob.lts.views import by_label, label_of, moves_of, visible_labels
from symrob.problem.counted import plan_of
from symrob.problem.units import Chosen, Units

ModeWeight = Callable[[int], int]


class ModeSets:
    """The safe sets of fault modes.

    Args:
        environment: E; safe for each monitor.
        units: The modes.
        monitors: The monitors of E with the modes; none may be violated.
        clock: Checked at intervals.
        effort: Counts the work done.

    Cost: nothing yet; the first query determinises the monitors that can be violated.
    """

    def __init__(
        self,
        environment: Lts,
        units: Units,
        monitors: Sequence[AnyMonitor],
        clock: Clock,
        effort: Effort,
    ) -> None:
        self.environment = environment
        self.units = units
        self._monitors = monitors
        self._clock = clock
        self.effort = effort
        # The maximal sets found so far, for all who ask; and the search for the rest.
        self._known: list[Chosen] = []
        self._search: MaximalModes | None = None
        self._all_known = False

    @cached_property
    def objecting(self) -> Sequence[AnyMonitor]:
        """The monitors that reach ERROR with all modes together."""
        graph = self.graph(self.units.all)
        return [m for m in self._monitors if reach(m, graph, self._clock) is None]

    @property
    def unbroken(self) -> bool:
        """Whether all modes together are safe."""
        return not self.objecting

    def graph(self, chosen: Chosen) -> Graph:
        """Return the transitions of E with some modes."""
        environment = self.environment
        moves = (*environment.transitions, *self.units.added(chosen))
        return Graph.of(environment.size, moves_of(environment, moves))

    @cached_property
    def _rows(self) -> list[list[StepRow]]:
        others: dict[tuple[StateId, Action], list[tuple[StateId, tuple[int, ...]]]] = {}
        for transition, needs in self.units.steps:
            (source, _action, target) = transition
            label = label_of(self.environment, *transition)
            others.setdefault((source, label), []).append((target, needs))
        rows = []
        for source, planned in enumerate(by_label(self.environment)):
            names = {*planned, *(a for a in self._actions if (source, a) in others)}
            rows.append(
                [
                    StepRow(a, planned.get(a, ()), tuple(others.get((source, a), ())))
                    for a in sorted(names)
                ]
            )
        return rows

    @cached_property
    def _actions(self) -> list[Action]:
        environment = self.environment
        moves = (*environment.transitions, *(s.transition for s in self.units.steps))
        names = {t.action for t in moves_of(environment, moves)}
        return sorted(names.union(visible_labels(environment)))

    @cached_property
    def _determinised(self) -> DeterminisedMonitor:
        return lean_monitor(self.objecting, self._actions, self._clock)

    def is_safe(self, chosen: Chosen) -> bool:
        """Whether E with some modes violates no monitor."""
        return self.unbroken or self.met(chosen)[1]

    def grown(self, chosen: Chosen) -> Chosen:
        """Return a maximal safe superset of a safe set of modes."""
        if self.unbroken:
            return self.units.all
        found, safe = self.met(chosen)
        assert safe, "the modes are unsafe together"
        return self.extended(chosen, found)[0]

    def maximal(self, weight: ModeWeight | None = None) -> MaximalModes:
        """Return a search for the maximal safe sets; not all modes are safe together.

        Args:
            weight: The weight of a mode, a positive integer. If given, sets are found
                by decreasing weight.
        """
        assert not self.unbroken, "there is one maximal set"
        return MaximalModes(self, weight)

    def all_maximal(
        self, including: Chosen = 0, weight: ModeWeight | None = None
    ) -> Generator[Chosen, None, None]:
        """Yield every maximal safe set of modes, each once.

        Args:
            including: Only sets that contain all of these.
            weight: See `maximal`.

        Raises:
            LimitExceeded: A bound was hit; the sets yielded before are valid.

        Cost: see `MaximalModes`; nothing for sets that were found before.
        """
        if self.unbroken:
            yield self.units.all
        elif weight is None and (self._all_known or not including):
            yield from (s for s in self._each_once() if not including & ~s)
        else:
            search = self.maximal(weight)
            try:
                search.require(including)
                for (chosen,) in search.search():
                    yield chosen
            finally:
                search.close()

    def _each_once(self) -> Iterator[Chosen]:
        """Yield all maximal sets, and search only for those that nobody has seen."""
        number = 0
        while True:
            yield from islice(self._known, number, None)
            number = len(self._known)
            if self._all_known:
                return
            if self._search is None:
                self._search = self.maximal()
            # A search goes on where a bound or its reader has ended it.
            found = next(self._search.search(), None)
            if found is None:
                self._all_known = True
                self._search.close()
            else:
                self._known += found

    @property
    def shape(self) -> tuple[int, int]:
        """One row with a bit for each mode."""
        return 1, len(self.units)

    def found(self, rows: Sequence[int]) -> Deviation:
        """Return E with the modes of a row."""
        (chosen,) = rows
        return self.deviation(chosen)

    def deviations(
        self, weight: ModeWeight | None = None, including: Chosen = 0
    ) -> Generator[Deviation, None, None]:
        """Yield E with every maximal safe set of modes; see `maximal`."""
        sets = self.all_maximal(including, weight)
        known: deque[Chosen] = deque(maxlen=tuning.COMPARED)
        while True:
            with self.effort.stage("enumerate"):
                chosen = next(sets, None)
            if chosen is None:
                return
            if any(chosen & other == chosen for other in known):
                raise AssertionError("a set of modes lies in one that came before")
            known.append(chosen)
            yield self.deviation(chosen)

    def deviation(self, chosen: Chosen) -> Deviation:
        """Return E with some modes."""
        environment, units = plan_of(self.environment), self.units.plan
        return Deviation(
            environment.visible_transitions,
            units.added(chosen),
            environment,
            units.names(chosen),
        )

    def formula(self, weight: ModeWeight | None) -> ModeFormula:
        """Return a new formula with its own solver."""
        solver: Solver
        if weight is None:
            solver = EnumerationSolver(self._clock, self.effort)
        else:
            weights = [weight(m) for m in range(len(self.units))]
            solver = MaxSatSolver(weights, self._clock, self.effort)
        return ModeFormula(
            self._determinised,
            self._rows,
            len(self.units),
            solver,
            self.effort,
            self._clock,
        )

    def met(self, chosen: Chosen) -> tuple[Found, bool]:
        """Return the pairs that E with some modes reaches, and whether it is safe."""
        found: Found = {0: self._determinised.initial}
        return found, self._walk(found, dict(found), chosen)

    def needs_of_violation(self, chosen: Chosen) -> list[Chosen]:
        """Return what a shortest violating run needs: of each, one of its modes.

        Args:
            chosen: An unsafe set of modes.
        """
        moves, step = self._determinised.moves, self._determinised.step
        seen: Found = {0: self._determinised.initial}
        layers = [dict(seen)]
        while layers[-1]:
            self._clock.check()
            fresh: Found = {}
            for source, states in layers[-1].items():
                failing, images = moves[states]
                for row in self._rows[source]:
                    if row.action in failing and row.targets(chosen):
                        last = next(
                            m for m in bits(states) if step(m, row.action) == FAILED
                        )
                        needs = row.needs_of(chosen)
                        return [*needs, *self._needs_to(layers, source, last, chosen)]
                    if image := images.get(row.action, 0):
                        _lead(seen, fresh, image, row.targets(chosen))
            layers.append(fresh)
        raise AssertionError("the modes are safe together")

    def _needs_to(
        self, layers: list[Found], state: StateId, monitor_state: int, chosen: Chosen
    ) -> Iterator[Chosen]:
        """What a run to a pair of the last layer needs."""
        step = self._determinised.step
        for layer in reversed(layers[:-1]):
            state, monitor_state, needs = next(
                (source, m, row.needs_of(chosen, state))
                for source, states in layer.items()
                for row in self._rows[source]
                if state in row.targets(chosen)
                for m in bits(states)
                if step(m, row.action) >> monitor_state & 1
            )
            yield from needs

    def extended(self, chosen: Chosen, found: Found) -> tuple[Chosen, Found]:
        """Extend a safe set to a maximal one.

        Reached pairs stay reached when modes are added, so each mode is tried from
        there.
        """
        for m in range(len(self.units)):
            larger = chosen | 1 << m
            if larger == chosen:
                continue
            trial = dict(found)
            if self._walk(trial, dict(found), larger, new=1 << m):
                chosen, found = larger, trial
        return chosen, found

    def _walk(
        self, found: Found, fresh: Found, chosen: Chosen, new: Chosen | None = None
    ) -> bool:
        """Add to `found` what is met from `fresh`; False where that is ERROR.

        Args:
            found: What was met before, and what is fresh; is changed.
            fresh: Pairs of `found` whose steps have not been taken; is changed.
            chosen: The modes.
            new: Where these alone have come, first only their steps are taken.
        """
        if new is not None and not self._first_steps(found, fresh, chosen, new):
            return False
        moves = self._determinised.moves
        # Ends, since each round takes a set out of `fresh` and only pairs that are new
        # in `found` are put back.
        while fresh:
            source, states = fresh.popitem()
            failing, images = moves[states]
            for row in self._rows[source]:
                fails = row.action in failing
                image = images.get(row.action, 0)
                if not (fails or image):
                    continue
                targets = row.targets(chosen)
                if fails and targets:
                    return False
                _lead(found, fresh, image, targets)
        return True

    def _first_steps(
        self, found: Found, fresh: Found, chosen: Chosen, new: Chosen
    ) -> bool:
        """Take the steps that new modes bring from all pairs; only then go on."""
        moves = self._determinised.moves
        before = dict(fresh)
        fresh.clear()
        for source, action, target, needs in self._by_mode[new.bit_length() - 1]:
            states = before.get(source, 0)
            if not states or not all(n & chosen for n in needs):
                continue
            failing, images = moves[states]
            if action in failing:
                return False
            if image := images.get(action, 0):
                _lead(found, fresh, image, (target,))
        return True

    @cached_property
    def _by_mode(
        self,
    ) -> list[list[tuple[StateId, Action, StateId, tuple[Chosen, ...]]]]:
        """For each mode the steps that it helps to bring."""
        steps: list[list[tuple[StateId, Action, StateId, tuple[Chosen, ...]]]] = [
            [] for _ in self.units.modes
        ]
        for transition, needs in self.units.steps:
            helping = 0
            for need in needs:
                helping |= need
            for m in bits(helping):
                source, _action, target = transition
                label = label_of(self.environment, *transition)
                steps[m].append((source, label, target, needs))
        return steps


class MaximalModes:
    """Enumeration of all maximal safe sets of modes, each once, like `MaximalSets`.

    Args:
        sets: The safe sets.
        weight: If given, sets are found by decreasing weight.

    Unsafe proposals are first excluded by what a violating run needs, one clause for
    each. Often single modes are unsafe, and few runs suffice; if there are more, the
    clauses of all pairs that a proposal reaches are added.

    Cost: k + 1 proposals of the solver for k sets, one for each extension of the
        formula, and the extension of each set: a search for each mode.
    """

    def __init__(self, sets: ModeSets, weight: ModeWeight | None) -> None:
        self._sets = sets
        self._formula = sets.formula(weight)
        self._runs = tuning.RUNS_EACH_MODE * len(sets.units)

    def close(self) -> None:
        """Free the solver."""
        self._formula.close()

    def require(self, chosen: Chosen) -> None:
        """From now on find only sets that contain these modes."""
        self._formula.require(chosen)

    def exclude(self, rows: Sequence[Chosen]) -> None:
        """Yield neither this maximal set nor any subset of it."""
        self._formula.forbid(rows[0])

    def search(
        self, including: Sequence[Chosen] = (0,), excluding: Sequence[Chosen] = (0,)
    ) -> Iterator[list[Chosen]]:
        """Yield the sets that were not yielded before and are not excluded, as rows.

        Args:
            including: The modes that every proposal contains; the extension ignores
                this.
            excluding: The modes that no proposal contains; the extension ignores this.

        Raises:
            LimitExceeded: A bound was hit; the sets yielded before are valid.
        """
        formula, sets = self._formula, self._sets
        while (proposed := formula.propose(including[0], excluding[0])) is not None:
            sets.effort.sets_visited += 1
            found, safe = sets.met(proposed)
            if safe:
                chosen, found = sets.extended(proposed, found)
            elif self._runs:
                formula.exclude_run(sets.needs_of_violation(proposed))
                self._runs -= 1
                continue
            if not self._runs:
                # Before a set is excluded: this may be ended, and then the set has to
                # be found again.
                formula.learn(found)
            if safe:
                left = formula.forbid(chosen)
                yield [chosen]
                if not left:
                    return


def _lead(
    found: Found, fresh: Found, image: MonitorStates, targets: Sequence[StateId]
) -> None:
    for target in targets:
        new = image & ~found.get(target, 0)
        if new:
            found[target] = found.get(target, 0) | new
            fresh[target] = fresh.get(target, 0) | new
