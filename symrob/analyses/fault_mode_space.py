"""Spaces of fault modes, few enough to be judged one by one; E whole or in parts.

In:  an `Engine` whose units are fault modes; or one for each part, if E consists of
     parts that share neither an action nor a mode.
Out: `FaultModeSpace`, the `Space` of their sets. Its interface uses names of modes, its
     implementation bits.

Parts move independently, so E_S‖C‖P reaches ERROR exactly if some part of it does, and
E_S violates a constraint exactly if some part does. So parts without modes of S can be
ignored, and a minimal violating set lies in a single part.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import closing
from dataclasses import replace
from functools import cached_property
from itertools import islice, product
from math import inf
from typing import Any, cast

from symrob.analyses import hazards
from symrob.analyses.candidate_space import CandidateSpace, in_singles
from symrob.analyses.deadlocks import SideReport, side_report
from symrob.analyses.hazards import Alone, Blocked
from symrob.analyses.same import require_budget_of
from symrob.analyses.space import (
    About,
    Direction,
    Maximal,
    ModeSet,
    Space,
    UnsafeSearch,
    units_in,
)
from symrob.analyses.summary import Summary
from symrob.case.results import read_mode_sets, require_modes
from symrob.doing import Doing, counted
from symrob.envelope.engine import Engine
from symrob.envelope.solvers import MaxSatSolver
from symrob.envelope.transitions import AnyGraph, Graph
from symrob.errors import Diagnostic, LimitExceeded, SymrobError, Trace
from symrob.limits import Stages
from symrob.lts import TAU, Action, StateId, Transition
from symrob.lts.masks import bits
from symrob.lts.views import labelled
from symrob.problem import Many, Modes, Problem, Unit, Units, UnitSet, budget_of
from symrob.problem.units import Chosen
from symrob.verdicts import SAID, VERDICTS, Verdict, verdict_of

# This many maximal sets are looked at to tell what is in all of them.
MOST_SETS = 1000
# Modes that are judged beside another question.
_MOST_SOON = 300


class FaultModeSpace(Space):
    """The sets of fault modes of a problem.

    Args:
        engines: One for each part, with one clock; the nominal systems are safe.
        units: The modes of all parts, those of the first part first; by default the
            modes of the only engine.
        warnings: The warnings; by default those of the only engine.
    """

    def __init__(
        self,
        engines: Sequence[Engine],
        units: Units | None = None,
        warnings: tuple[Diagnostic, ...] | None = None,
    ) -> None:
        first = engines[0]
        super().__init__(
            first.clock,
            first.effort,
            first.warnings if warnings is None else warnings,
            any(engine.constrained for engine in engines),
        )
        self.engines = tuple(engines)
        self._units = first.mode_sets.units.plan if units is None else units
        self._shifts = [0]
        for engine in engines:
            self._shifts.append(self._shifts[-1] + len(engine.mode_sets.units))

    def __reduce__(self) -> tuple[Any, ...]:
        return FaultModeSpace, (self.engines, self._units, self.warnings)

    @cached_property
    def about(self) -> About:
        """Description of the space, for output."""
        whole, units = self.whole, self._units
        return About(
            "fault mode",
            len(units),
            None if whole is None else whole.problem.environment,
            units.network,
            None if whole is None else whole.problem.among,
            units,
            None if whole is None else whole.problem.classes,
            len(self.engines),
            self.engines[0].context.backend,
            self.properties,
            budget_of(self.problems[0].at_most, units),
        )

    @property
    def problems(self) -> Sequence[Problem]:
        """The problem of each part."""
        return [engine.problem for engine in self.engines]

    @property
    def whole(self) -> Engine | None:
        """The engine of all of E; `None` if the product of E is not computed."""
        one = len(self.engines) == 1 and self.engines[0].multiplied_out
        return self.engines[0] if one else None

    @property
    def slow(self) -> bool:
        """See `Space`: true if E's components stay encoded in bits."""
        return not all(engine.multiplied_out for engine in self.engines)

    @property
    def unconstrained(self) -> Space:
        """The same space without the assumptions."""
        return self._unconstrained if self.constrained else self

    @cached_property
    def _unconstrained(self) -> Space:
        engines = [engine.unconstrained for engine in self.engines]
        return FaultModeSpace(engines, self._units, self.warnings)

    @property
    def all(self) -> Modes:
        """All modes."""
        return Modes(self._units, self._units.all)

    def many(self, units: Iterable[Unit]) -> Modes:
        """Collect modes."""
        return Modes(self._units, self._chosen(units))

    def _chosen(self, members: Iterable[Unit]) -> Chosen:
        return self._units.chosen(cast("Iterable[str]", members))

    def _named(self, chosen: Chosen) -> UnitSet:
        return frozenset(Modes(self._units, chosen))

    def _parts(self, members: Iterable[Unit]) -> Iterator[tuple[Engine, Chosen]]:
        """Each part with its own modes of a set."""
        chosen = self._chosen(members)
        for engine, shift in zip(self.engines, self._shifts, strict=False):
            yield engine, chosen >> shift & engine.mode_sets.units.all

    def _touched(
        self, members: UnitSet
    ) -> Iterator[tuple[Engine, frozenset[Transition]]]:
        """Each part that a set changes, with what it gets."""
        for engine, own in self._parts(members):
            if own:
                yield engine, engine.mode_sets.units.added(own)

    def _joined(self, several: Iterable[Chosen]) -> UnitSet:
        """The modes of the whole from those of each part."""
        shifted = zip(several, self._shifts, strict=False)
        return self._named(sum(own << shift for own, shift in shifted))

    def alone(self, _seconds: float | None = inf) -> Alone[Many]:
        """Judge each mode individually: all of them, without a time bound."""
        return self._alone

    def alone_soon(self) -> Alone[Many] | None:
        """Judge each mode individually if they are few."""
        return self.alone() if len(self) <= _MOST_SOON else None

    @cached_property
    def _alone(self) -> Alone[Many]:
        return self._judged(self._units.all)

    def each_alone(self, members: UnitSet, _seconds: float) -> Alone[Many]:
        """Judge some modes individually."""
        return self._judged(self._chosen(members))

    def _judged(self, asked: Chosen) -> Alone[Many]:
        found = dict.fromkeys(VERDICTS, 0)
        stages = Stages(self.clock)
        todo = f"of {asked.bit_count():,} verdicts"
        with stages, Doing("judging each fault mode", todo):
            for done, m in enumerate(bits(asked)):
                self.clock.check()
                counted(done, todo)
                found[self.verdict(self._named(1 << m))] |= 1 << m
        if stages.status != "complete":
            told = {SAID[verdict]: many.bit_count() for verdict, many in found.items()}
            known = ", ".join(f"{n:,} {said}" for said, n in told.items() if n)
            judged = f"{sum(told.values()):,} of {asked.bit_count():,} fault modes"
            message = f"{stages.reason}; judged {judged}: {known or 'none'}"
            stopped = self.clock.interrupted and "interrupted"
            raise LimitExceeded(message, reason=stopped or self.clock.stopped_by)
        tolerated, hazardous, away, outside = (
            Modes(self._units, found[verdict]) for verdict in VERDICTS
        )
        return Alone(tolerated, hazardous, away, outside, Modes(self._units, 0))

    def addable(self, members: UnitSet) -> Modes:
        """Return the modes that can individually join a tolerated set."""
        others = (mode.name for mode in self._units.modes if mode.name not in members)
        return self.many(name for name in others if self.is_safe(members | {name}))

    def typical(self, many: Many, most: int) -> Sequence[Unit]:
        """Return the first modes."""
        return [*islice(many, most)]

    def rank(self, unit: Unit) -> tuple[int, ...]:  # noqa: ARG002
        """Return the name: no mode is more plausible than another."""
        return ()

    def added(self, members: UnitSet) -> frozenset[Transition]:
        """Return the transitions that a set adds to E; none if E consists of parts."""
        if self.whole is None:
            return frozenset()
        return self._units.added(self._chosen(members))

    def each_added(self, members: UnitSet) -> Sequence[frozenset[Transition]]:
        """Return the transitions that a set adds to each part of E."""
        return [e.mode_sets.units.added(own) for e, own in self._parts(members)]

    def brought(self, many: Many) -> Iterable[Transition]:
        """Return the transitions of each mode.

        A step that needs several modes belongs to none.
        """
        self.required_whole("a picture")
        return (t for name in many for t in self.added(frozenset((name,))))

    def by_class(self, groups: Mapping[Any, Many]) -> dict[Any, Counter[Any]]:
        """Count the transitions that modes bring by class and action."""
        classes = self.required_whole("a picture").problem.classes
        found: dict[Transition, Any] = {}
        for key, modes in groups.items():
            found |= dict.fromkeys(self.brought(modes), key)
        counts: dict[Any, Counter[Any]] = {}
        for t, key in found.items():
            if t.action != TAU:
                place = classes.of(t).kind, t.action
                counts.setdefault(place, Counter())[key] += 1
        return counts

    def is_safe(self, members: UnitSet) -> bool:
        """Whether a set is tolerated."""
        return all(e.mode_sets.is_safe(own) for e, own in self._parts(members) if own)

    def verdict(self, members: UnitSet) -> Verdict:
        """Return the verdict on a set."""
        judged = {hazards.verdict(*part) for part in self._touched(members)}
        return verdict_of(
            keeps_assumptions=not judged & {"excluded-unsafe", "excluded-safe"},
            keeps_properties=not judged & {"excluded-unsafe", "hazardous"},
        )

    def harm(self, members: UnitSet) -> Verdict:
        """Return the verdict on a set that is not tolerated."""
        return self.verdict(members)

    def keeps_assumptions(self, members: UnitSet) -> bool:
        """Whether E with a set satisfies P_env."""
        return all(
            e.keeps_constraints(e.extended(t)) for e, t in self._touched(members)
        )

    def unsafe_sets(
        self, among: UnitSet | None = None, *, singles: bool = False
    ) -> UnsafeModes:
        """Return a search for the minimal unsafe sets."""
        names = [mode.name for mode in self._units.modes]
        asked = names if among is None else [n for n in names if n in among]
        return UnsafeModes(self, asked, singles=singles)

    def maximal(
        self, including: UnitSet = frozenset()
    ) -> Generator[Maximal, None, None]:
        """Yield every maximal tolerated set that contains some modes.

        Cost: as for `ModeSets.maximal`. With parts, each part's sets are all found
            before the first set of the whole, which combines one set of each part.
        """
        if self.whole is not None:
            chosen = self._chosen(including)
            yield from self.whole.mode_sets.deviations(including=chosen)
            return
        found = [[*e.mode_sets.all_maximal(own)] for e, own in self._parts(including)]
        for several in product(*found):
            self.clock.check()
            yield ModeSet(tuple(sorted(cast("set[str]", self._joined(several)))))

    def largest(self) -> UnitSet:
        """Return a tolerated set of most modes.

        Cost: as for `ModeSets.maximal`, by weight, for each part.
        """
        sets = (e.mode_sets.all_maximal(weight=lambda _mode: 1) for e in self.engines)
        return self._joined([next(found) for found in sets])

    def grown(self, members: UnitSet) -> UnitSet:
        """Return a maximal tolerated superset of a tolerated set."""
        return self._joined(e.mode_sets.grown(own) for e, own in self._parts(members))

    def beyond(self, other: Space) -> Direction:
        """Return a search for a set that only this side tolerates."""
        return FewDirection(self, other)

    def _shortest(self, runs: Iterable[Trace | None]) -> Trace | None:
        found = [trace for trace in runs if trace is not None]
        return min(found, key=lambda trace: len(trace.steps), default=None)

    def violation(self, members: UnitSet) -> Trace | None:
        """Return a shortest trace by which a set violates P or P_env."""
        return self._shortest(e.violation(added) for e, added in self._touched(members))

    def violations(self, members: UnitSet) -> tuple[Trace, ...]:
        """Return a shortest trace for each property and constraint that fails."""
        runs = [t for part in self._touched(members) for t in hazards.violations(*part)]
        constraints = {m.name for p in self.problems for m in p.constraints}
        return tuple(sorted(runs, key=lambda trace: trace.violated in constraints))

    def property_trace(self, members: UnitSet) -> Trace:
        """Return a shortest trace by which a set violates P."""
        found = self._shortest(
            engine.property_trace(graph, added)
            for engine, added in self._touched(members)
            for graph in (engine.extended(added),)
            if not engine.keeps_properties(graph)
        )
        assert found is not None, "the set keeps P"
        return found

    def broken_assumptions(self, members: UnitSet) -> tuple[str, ...]:
        """Return the names of the assumptions that a set violates."""
        return tuple(
            monitor.name
            for engine, added in self._touched(members)
            for monitor, table in zip(
                engine.problem.constraints, engine.constraints, strict=True
            )
            if not engine.keeps(table, engine.extended(added))
        )

    def deviated(self, members: Many | UnitSet) -> Iterator[tuple[Engine, AnyGraph]]:
        """Yield each part of E that some modes change, with the steps they bring."""
        for engine, added in self._touched(frozenset(members)):
            e = engine.environment
            yield engine, Graph.of(e.size, labelled(e, added))

    def budgeted(self, at_most: int) -> FaultModeSpace:
        """Return the same space with at most this many deviated steps in a trace."""
        engines = [engine.budgeted(at_most) for engine in self.engines]
        return FaultModeSpace(engines, self._units, self.warnings)

    def blocked_with(
        self,
        several: Sequence[UnitSet],
        known: AbstractSet[tuple[StateId, Action]] = frozenset(),
    ) -> tuple[Blocked, ...]:
        """Return the actions that E refuses with each set, and must refuse."""
        each = [self.each_added(members) for members in several]
        by_part = [
            (
                engine.mode_sets.units.plan,
                hazards.blocked(engine, [added[i] for added in each], known),
            )
            for i, engine in enumerate(self.engines)
            if engine.multiplied_out
        ]
        return tuple(
            replace(one, modes=frozenset(map(str, members)))
            for i, members in enumerate(several)
            for units, found in by_part
            for one in found[i]
            if one.asked_about(step.transition for step in units.steps)
        )

    def idle(self, members: UnitSet) -> UnitSet:
        """Return the modes of a tolerated set whose transitions can never fire with it.

        Cost: an exploration of the closed loop of each part that the set changes.
        """

        def of_part(engine: Engine, own: Chosen) -> Chosen:
            sets = engine.mode_sets
            silent = engine.never_firing(sets.deviation(own)) if own else frozenset()
            units = sets.units.plan
            return sum(
                1 << m
                for m in bits(own)
                if all(
                    step.transition in silent
                    for step in units.steps_of[m]
                    if step.is_there(own)
                )
            )

        return self._joined(of_part(*part) for part in self._parts(members))

    def inert(self, _members: UnitSet) -> None:
        """Return `None`: this space does not compute it."""

    def summarised(
        self, *, every_reason: bool | None = None, at_once: bool = False
    ) -> Summary:
        """Judge every mode, by up to `MOST_SETS` maximal sets."""
        del every_reason, at_once  # Modes are few.
        alone = self.alone()
        tolerated = alone.tolerated
        common, silent = frozenset(tolerated), frozenset(tolerated)
        count, ended = 0, False
        stages = Stages(self.clock)
        with (
            stages,
            Doing("comparing maximal sets", "sets"),
            closing(self.maximal()) as found,
        ):
            for one in found:
                if count == MOST_SETS:
                    break
                count += 1
                counted(count, "sets")
                members = units_in(one)
                common &= members
                if silent:
                    silent -= members - self.idle(members)
            else:
                ended = True
        none, kept, inert = self.many(()), self.many(common), self.many(silent)
        return Summary(
            self.about,
            alone,
            self.all.without(self.many(tolerated)),
            kept if ended else none,
            tolerated.without(kept),
            none if ended else kept,
            inert if ended else none,
            none if ended else inert,
            sets=count if ended else None,
            status=stages.status,
            reason=stages.reason
            or ("" if ended else f"over {MOST_SETS:,} maximal sets"),
        )

    def hurting(
        self, _judged: Alone[Many], _refused: Sequence[Blocked] | None
    ) -> Modes:
        """Yield nothing: every mode is decided."""
        return self.many(())

    def side_report(self, deviations: Iterable[Any], most: int) -> SideReport:
        """Examine maximal sets, and each mode; none if that is slow."""
        return side_report(self, deviations, most=0 if self.slow else most)

    @property
    def singles(self) -> Space:
        """The same problem with single candidates as units."""
        return CandidateSpace(
            in_singles(self.required_whole("a question about transitions"))
        )

    def read(self, given: Any) -> tuple[frozenset[Transition], UnitSet]:
        """Read names of modes; see `Space.read`."""
        names = [*given] if isinstance(given, Iterable) else [given]
        if isinstance(given, str) or not all(isinstance(name, str) for name in names):
            message = f"expected a list of fault modes by name, not {given!r:.60}"
            raise SymrobError(Diagnostic("explain-mode", message))
        return frozenset(), self._named(self._chosen(names))

    def sets_of(self, data: Mapping[str, Any], file: str) -> Sequence[UnitSet]:
        """Read the sets of modes from a result."""
        require_budget_of(self.about, data, file)
        environment = self.about.environment or self.about.network
        assert environment is not None, "E is composed"
        require_modes(data, self._units, environment, file)
        return [frozenset(names) for names in read_mode_sets(data, file)]


def space_of(engine: Engine) -> Space:
    """Return the space of a problem's units."""
    return (
        CandidateSpace(engine)
        if engine.problem.units is None
        else FaultModeSpace([engine])
    )


class UnsafeModes(UnsafeSearch):
    """The minimal unsafe sets of modes, smallest first.

    A smallest set that meets the complement of every known maximal safe set is either
    unsafe, and then minimal, or safe, and then extends to a new maximal one. So each
    proposal of a solver yields one of the two; modes are few.

    Args:
        space: The space, which decides which sets are safe.
        asked: The modes to consider, in their order.
        singles: Whether to yield sets of one mode.
    """

    def __init__(
        self, space: FaultModeSpace, asked: Sequence[str], *, singles: bool
    ) -> None:
        self._space = space
        self._asked = asked
        self._singles = singles
        self.complete_to = 0

    def by_size(self, order: int | None = None) -> Iterator[UnitSet]:
        """Yield every minimal unsafe set; see `UnsafeSearch`.

        Cost: a MaxSAT problem for each set and for some of the maximal safe ones.
        """
        left = []
        for mode in self._asked:
            if self._is_safe(frozenset((mode,))):
                left.append(mode)
            elif self._singles:
                yield frozenset((mode,))
        self.complete_to = 1
        if order == 1:
            return
        yield from self._lightest_first(left, [1] * len(left), order)
        self.complete_to = max(self.complete_to, order or len(left))

    def by_weight(self, weight: Callable[[str], int]) -> Iterator[UnitSet]:
        """Yield every minimal unsafe set, the lightest first.

        Args:
            weight: The weight of a mode; a positive integer.

        Cost: as for `by_size`.
        """
        return self._lightest_first(self._asked, [*map(weight, self._asked)])

    def _is_safe(self, members: UnitSet) -> bool:
        self._space.clock.check()
        self._space.effort.sets_visited += 1
        return self._space.is_safe(members)

    def _lightest_first(
        self, asked: Sequence[str], weights: Sequence[int], order: int | None = None
    ) -> Iterator[UnitSet]:
        # Variable i + 1 says that mode i is not in the set.
        solver = MaxSatSolver(weights, self._space.clock, self._space.effort)
        by_size = {*weights} <= {1}
        try:
            while (model := solver.propose()) is not None:
                members = [i for i in range(len(asked)) if model[i] < 0]
                if order is not None and len(members) > order:
                    break
                if by_size:
                    # Every smaller one would have come before.
                    self.complete_to = max(self.complete_to, len(members) - 1)
                found: UnitSet = frozenset(asked[i] for i in members)
                if not self._is_safe(found):
                    yield found
                    solver.add([i + 1 for i in members])
                    continue
                grown = self._space.grown(found)
                outside = [i for i, mode in enumerate(asked) if mode not in grown]
                if not outside:
                    break
                solver.add([-(i + 1) for i in outside])
        finally:
            solver.close()


class FewDirection(Direction):
    """Whether one side tolerates a set of modes that the other does not.

    A set that one side tolerates and the other does not contains a minimal unsafe set
    of the other, which the first side tolerates as well. So the search goes through the
    minimal unsafe sets of the other side, smallest first: the first one that the first
    side tolerates is a smallest witness; if there is none, it tolerates nothing more.
    """

    def settle(self, *, smallest: bool = True) -> None:  # noqa: ARG002
        """Find what only the keeper tolerates alone."""
        tolerated = self.keeper.alone().tolerated
        only = [m for m in tolerated if not self.breaker.is_safe(frozenset((m,)))]
        self.alone = self.keeper.many(only)
        self.both = len(tolerated) - len(only)
        if only:
            self.exists = self.smallest = True
            self.added = frozenset(only[:1])

    def search(self) -> None:
        """Search the breaker's minimal unsafe sets for a set the keeper tolerates."""
        if self.exists is not None or self.alone is None:
            return
        for found in self.breaker.unsafe_sets().by_size():
            if self.keeper.is_safe(found):
                self.added, self.exists, self.smallest = found, True, True
                return
        self.exists = False

    def shrink(self) -> None:
        """Do nothing: the witness is already smallest."""
