"""Spaces of candidates: hundreds of thousands of them, judged by masks.

In:  an `Engine` whose units are single candidates.
Out: `CandidateSpace`, the `Space` of its sets. Masks leave it only as `Many`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence, Set
from contextlib import suppress
from dataclasses import replace
from functools import cached_property
from itertools import islice
from math import inf
from typing import Any, cast

from symrob.analyses import hazards
from symrob.analyses.candidate_summary import inert, summary_of
from symrob.analyses.deadlocks import LISTED, SideReport, side_report
from symrob.analyses.direction import WideDirection
from symrob.analyses.hazards import Alone, Blocked
from symrob.analyses.probe import hurting_alone
from symrob.analyses.same import require_budget_of
from symrob.analyses.space import About, Direction, Space
from symrob.analyses.summary import Summary
from symrob.analyses.unsafe import UnsafeSets
from symrob.case.results import read_deviations
from symrob.envelope.engine import Engine
from symrob.envelope.exploration import reach
from symrob.envelope.safe_sets import SafeSets
from symrob.envelope.transitions import AnyGraph, Candidates
from symrob.errors import Diagnostic, LimitExceeded, SymrobError, Trace
from symrob.lts import Action, Lts, StateId, Transition
from symrob.lts.deviation import Deviation
from symrob.lts.views import plain, with_transitions
from symrob.problem import Many, Problem, Unit, UnitSet, budget_of
from symrob.verdicts import Verdict

# This many states and actions are looked at, to find what is most plausible.
_MOST_ROWS = 10_000


def _transitions(units: Iterable[Unit]) -> frozenset[Transition]:
    """Units of a wide space are transitions."""
    return frozenset(cast("Iterable[Transition]", units))


class CandidateSpace(Space):
    """The sets of candidates of a problem.

    Args:
        engine: The problem, with its preconditions checked.
    """

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self.engines = (engine,)
        super().__init__(
            *(engine.clock, engine.effort, engine.warnings, engine.constrained)
        )

    def __reduce__(self) -> tuple[Any, ...]:
        return CandidateSpace, (self.engine,)

    @cached_property
    def about(self) -> About:
        """Description of the space, for output."""
        problem = self.engine.problem
        return About(
            "transition",
            len(self.engine.candidates),
            problem.environment,
            None,
            problem.among,
            None,
            problem.classes,
            1,
            self.engine.context.backend,
            self.properties,
            budget_of(problem.at_most, None),
        )

    @property
    def problems(self) -> Sequence[Problem]:
        """The problem of E."""
        return (self.engine.problem,)

    @property
    def whole(self) -> Engine:
        """The engine."""
        return self.engine

    @property
    def unconstrained(self) -> Space:
        """The same space without the assumptions."""
        return CandidateSpace(self.engine.unconstrained) if self.constrained else self

    @property
    def all(self) -> Candidates:
        """All candidates."""
        return self.engine.candidates

    def many(self, units: Iterable[Unit]) -> Candidates:
        """Collect candidates."""
        return Candidates.of(self.engine.environment, _transitions(units))

    def alone(self, seconds: float | None = inf) -> Alone[Many]:
        """Judge each candidate individually; see `hazards.alone`."""
        if seconds is None:
            return hazards.alone_within(self.engine)
        return hazards.alone(self.engine, None if seconds == inf else seconds)

    def alone_soon(self) -> Alone[Many]:
        """Judge each candidate individually; see `hazards.alone_soon`."""
        return hazards.alone_soon(self.engine)

    def each_alone(self, members: UnitSet, seconds: float) -> Alone[Many]:
        """Judge some candidates; see `hazards.each_alone`."""
        return hazards.each_alone(self.engine, self.many(members), seconds)

    def addable(self, members: UnitSet) -> Candidates:
        """Return the candidates that E tolerates together with the set."""
        engine, environment = self.engine, self.engine.environment
        added = self.added(members)
        moves = (*environment.transitions, *added)
        deviated = with_transitions(environment, moves)
        others = engine.safe_sets.alone.without(self.many(added))
        return SafeSets(
            *(deviated, engine.constraints, engine.closed_loop),
            *(engine.clock, engine.effort, others),
        ).alone

    def typical(self, many: Many, most: int) -> Sequence[Transition]:
        """Return the most plausible one for each action and source, then the others."""
        assert isinstance(many, Candidates), "masks are looked at"
        classes = self.engine.problem.classes
        rows = (
            (source, plain(action), mask)
            for source, row in enumerate(many.masks)
            for action, mask in zip(many.actions, row, strict=True)
            if mask
        )
        best = [classes.likeliest(*row) for row in islice(rows, _MOST_ROWS)]
        found = sorted((t for t in best if t is not None), key=self.rank)[:most]
        if len(found) < most:
            known = frozenset(found)
            others = islice((t for t in many if t not in known), most - len(found))
            found += sorted(others, key=self.rank)
        return found

    def rank(self, unit: Unit) -> tuple[int, ...]:
        """Return the plausibility of a candidate."""
        return self.engine.problem.classes.rank(cast("Transition", unit))

    def added(self, members: UnitSet) -> frozenset[Transition]:
        """Return the transitions themselves."""
        return cast("frozenset[Transition]", members)

    def each_added(self, members: UnitSet) -> Sequence[frozenset[Transition]]:
        """Return the transitions themselves."""
        return (self.added(members),)

    def brought(self, many: Many) -> Iterable[Transition]:
        """Return the candidates themselves."""
        return many

    def by_class(self, groups: Mapping[Any, Many]) -> dict[Any, Counter[Any]]:
        """Count candidates by class and action: a few operations on masks for each."""
        classes = self.engine.problem.classes
        counts: dict[Any, Counter[Any]] = {}
        for source, action, parts in classes.rows():
            for key, candidates in groups.items():
                assert isinstance(candidates, Candidates), "masks are counted"
                mask = candidates.targets(source, action)
                for part in parts if mask else ():
                    if many := (part.targets & mask).bit_count():
                        counts.setdefault((part.kind, action), Counter())[key] += many
        return counts

    def is_safe(self, members: UnitSet) -> bool:
        """Whether a set is tolerated."""
        return self.engine.is_safe(self.engine.extended(self.added(members)))

    def verdict(self, members: UnitSet) -> Verdict:
        """Return the verdict on a set."""
        return hazards.verdict(self.engine, self.added(members))

    def harm(self, members: UnitSet) -> Verdict:
        """Return the verdict on a set that is not tolerated."""
        return hazards.harm(self.engine, self.added(members))

    def keeps_assumptions(self, members: UnitSet) -> bool:
        """Whether E with a set satisfies P_env."""
        return self.engine.keeps_constraints(self.engine.extended(self.added(members)))

    def unsafe_sets(
        self, among: UnitSet | None = None, *, singles: bool = False
    ) -> UnsafeSets:
        """Return a search for the minimal unsafe sets; see `UnsafeSets`."""
        engine = self.engine
        sets = engine.safe_sets
        # What breaks an assumption by itself is no part of what is hazardous.
        asked = sets.keeping if singles else sets.alone
        if among is not None:
            asked = self.many(among)
            sets = SafeSets(
                *(engine.environment, engine.constraints, engine.closed_loop),
                *(engine.clock, engine.effort, asked),
            )
            asked = asked if singles else sets.alone
        return UnsafeSets(sets, asked, engine.clock, engine.effort)

    def maximal(
        self, including: UnitSet = frozenset()
    ) -> Generator[Deviation, None, None]:
        """Yield Δ, or the deviations that contain some candidates."""
        yield from self.engine.safe_sets.deviations(including=self.added(including))

    def grown(self, members: UnitSet) -> UnitSet:
        """Return a maximal tolerated superset of a tolerated set."""
        return self.engine.safe_sets.grown(self.added(members)).new

    def beyond(self, other: Space) -> Direction:
        """Return a search for a set that only this side tolerates."""
        sides = self.engine, other.required_whole("this comparison")
        return WideDirection(self, other, sides)

    def violation(self, members: UnitSet) -> Trace | None:
        """Return a shortest trace by which a set violates P or P_env."""
        return self.engine.violation(self.added(members))

    def violations(self, members: UnitSet) -> tuple[Trace, ...]:
        """Return a shortest trace for each property and constraint that fails."""
        return hazards.violations(self.engine, self.added(members))

    def property_trace(self, members: UnitSet) -> Trace:
        """Return a shortest trace by which a set violates P."""
        engine, added = self.engine, self.added(members)
        return engine.property_trace(engine.extended(added), added)

    def broken_assumptions(self, members: UnitSet) -> tuple[str, ...]:
        """Return the names of the assumptions that a set violates."""
        engine = self.engine
        graph = engine.extended(self.added(members))
        rules = zip(engine.problem.constraints, engine.constraints, strict=True)
        return tuple(
            monitor.name
            for monitor, table in rules
            if reach(table, graph, engine.clock) is None
        )

    def deviated(self, members: Many | UnitSet) -> Iterator[tuple[Engine, AnyGraph]]:
        """Yield E with the candidates."""
        if isinstance(members, Candidates):
            yield self.engine, members.graph
        else:
            yield self.engine, self.engine.graph(_transitions(members))

    def budgeted(self, at_most: int) -> CandidateSpace:
        """Return the same space with at most this many deviated steps in a trace."""
        return CandidateSpace(self.engine.budgeted(at_most))

    def blocked_with(
        self,
        several: Sequence[UnitSet],
        known: Set[tuple[StateId, Action]] = frozenset(),
    ) -> tuple[Blocked, ...]:
        """Return the actions that E refuses with each set, and must refuse."""
        found = hazards.blocked(self.engine, [*map(self.added, several)], known)
        among = self.engine.problem.among
        every = (b for each in found for b in each)
        return tuple(b for b in every if among is None or b.asked_about(among))

    def idle(self, members: UnitSet) -> UnitSet:
        """Return the candidates of a tolerated set that can never fire with it."""
        environment, added = self.engine.problem.environment, self.added(members)
        deviation = Deviation(environment.visible_transitions, added, environment)
        return frozenset(added & self.engine.never_firing(deviation))

    def inert(self, members: UnitSet) -> UnitSet:
        """Return those of some candidates that fire in no robust deviation."""
        return frozenset(inert(self.engine, self.added(members)))

    def summarised(
        self, *, every_reason: bool | None = None, at_once: bool = False
    ) -> Summary:
        """Judge every candidate; see `candidate_summary`."""
        return summary_of(
            self.engine, self.about, every_reason=every_reason, at_once=at_once
        )

    def hurting(
        self, judged: Alone[Many], refused: Sequence[Blocked] | None
    ) -> Candidates:
        """Return individually unsafe self-loops: refused ones, or some found fast."""
        undecided = self.many(judged.undecided)
        if refused is not None:
            loops = [Transition(b.state, b.action, b.state) for b in refused]
            return self.many(loops).within(undecided)
        found: list[Transition] = []
        with suppress(LimitExceeded):
            found.extend(hurting_alone(self.engine, undecided))
        return self.many(found)

    def side_report(self, deviations: Iterable[Any], most: int) -> SideReport:
        """Examine deviations; none if very many transitions are tolerated."""
        few = len(self.engine.safe_sets.alone) <= LISTED
        return side_report(self, deviations, most=most if few else 0)

    @property
    def singles(self) -> Space:
        """This space."""
        return self

    def read(self, given: Any) -> tuple[frozenset[Transition], UnitSet]:
        """Read triples of A; see `Space.read`."""
        environment = self.engine.problem.environment
        asked = _triples(given, environment)
        _require_in_a(asked, environment)
        nominal = asked & environment.visible_transitions
        new = asked - nominal
        _require_among(new, self.about.among)
        return nominal, new

    def sets_of(self, data: Mapping[str, Any], file: str) -> Sequence[UnitSet]:
        """Read the deviations from a result."""
        require_budget_of(self.about, data, file)
        environment = self.engine.problem.environment
        found = read_deviations(data, environment, file)
        if problems := [*_foreign(found, environment, file)]:
            raise SymrobError(problems)
        return [deviation - environment.visible_transitions for deviation in found]


def in_singles(engine: Engine) -> Engine:
    """Return the problem with all single candidates as units."""
    if engine.problem.units is None and engine.problem.among is None:
        return engine
    problem = replace(engine.problem, units=None, among=None)
    return engine.other(problem, engine.closed_loop)


def _triples(transitions: object, environment: Lts) -> frozenset[Transition]:
    """Read what a user gives: triples with states by number or name."""
    hint = (
        "give a list of triples: [(0, 'a', 1)]; symrob.parse_transitions reads strings"
    )
    if isinstance(transitions, str) or not isinstance(transitions, Iterable):
        message = f"transitions: expected triples, not {transitions!r:.60}"
        raise SymrobError(Diagnostic("explain-transition", message, hint=hint))
    rows, problems = [*transitions], []
    for row in rows:
        if not _is_triple(row):
            message = f"expected a triple (source, action, target), not {row!r:.60}"
            problems.append(Diagnostic("explain-transition", message, hint=hint))
    if problems:
        raise SymrobError(list(dict.fromkeys(problems)))
    return frozenset(
        Transition(_number(source, environment), action, _number(target, environment))
        for source, action, target in rows
    )


def _is_triple(row: object) -> bool:
    if not isinstance(row, Sequence) or isinstance(row, str) or len(row) != 3:
        return False
    source, action, target = row
    states = all(isinstance(q, int | str) for q in (source, target))
    return states and isinstance(action, str)


def _number(state: Any, environment: Lts) -> Any:
    """The number of a state that may be given by its name; others as they are."""
    if isinstance(state, str) and environment.names and state in environment.names:
        return environment.names.index(state)
    return state


def _require_among(
    new: frozenset[Transition], among: frozenset[Transition] | None
) -> None:
    """Reject what is none of the candidates K that a case asks about."""
    if among is not None and (others := new - among):
        message = f"{tuple(min(others))} is not among the selected candidates"
        hint = "--among and --not-among select the candidates"
        raise SymrobError(Diagnostic("explain-among", message, hint=hint))


def _require_in_a(transitions: Iterable[Transition], environment: Lts) -> None:
    """Reject what no deviation can hold."""
    states = range(environment.size)
    problems = [
        Diagnostic(
            "explain-transition",
            f"({t.source}, {t.action!r}, {t.target}) is not a transition over the "
            f"states 0 to {environment.size - 1} and the actions of the environment",
        )
        for t in sorted(transitions, key=repr)
        if t.source not in states
        or t.target not in states
        or t.action not in environment.alphabet
    ]
    if problems:
        raise SymrobError(problems)


def _foreign(
    deviations: Iterable[frozenset[Transition]], environment: Lts, file: str
) -> Iterator[Diagnostic]:
    """What stands in a baseline and is not a transition of A."""
    everything = {
        Transition(source, action, target)
        for source in range(environment.size)
        for action in environment.alphabet
        for target in range(environment.size)
    }
    for transition in sorted(frozenset().union(*deviations) - everything, key=repr):
        message = (
            f"{list(transition)} is not a transition over the states and actions of E"
        )
        yield Diagnostic("policy-baseline", message, file=file)
