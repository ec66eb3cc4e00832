"""Why a set of transitions is tolerated, or why not.

In:  an `Engine` whose nominal system is safe, and a set of transitions.
Out: an `Explanation`: the verdict; for a "no" the smallest part that breaks the
     system, and a shortest run for all that breaks; for a "yes" what goes with it, what
     it rules out, and where it is safe only because E refuses an action.

Source: docs/sources.md [S1], Def. 2 (robust), Def. 5 (maximal).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any

from symrob.analyses.cut import Cut
from symrob.analyses.hazards import Blocked, Verdict, blocked, verdict, violations
from symrob.analyses.summary import inert
from symrob.analyses.unsafe import UnsafeSets
from symrob.envelope.engine import Engine
from symrob.envelope.monitors import TableMonitor
from symrob.envelope.safe_sets import SafeSets
from symrob.envelope.transitions import Candidates
from symrob.errors import Diagnostic, LimitExceeded, SymrobError, Trace
from symrob.limits import Stages, Status
from symrob.lts import Lts, Transition
from symrob.lts.deviation import Deviation
from symrob.problem.classes import Classes

# So many of the maximal deviations that hold the set are shown.
DEVIATIONS = 3
# Seconds for the search for a hazardous part of what breaks an assumption too.
PART_SECONDS = 5.0


@dataclass(frozen=True)
class Explanation:
    """What is known of a set of transitions. `None` stands for unknown.

    Attributes:
        environment: E, for the names of states.
        classes: What kind of change each candidate is.
        nominal: Those of the set that E has already.
        new: Those that it lacks.
        verdict: What R_E with the set amounts to.
        cut: Not tolerated: a smallest part of the set that does harm; a hazardous one
            if there is one, else one that breaks a property, if any is broken.
        trace: Not tolerated: a shortest run that does, with only the cut added; with
            the whole set where the cut is not known.
        violations: Not tolerated: for each property and constraint that the whole set
            breaks a shortest run, properties first.
        blocked: Tolerated: what E refuses with the set, and must refuse to be safe, but
            not already without it.
        refused: Tolerated: what E refuses, and must refuse, with the set as without it.
        idle: Tolerated: those that can never fire in E_d‖C with this set.
        inert: Tolerated: those of `idle` that fire in no robust deviation.
        addable: Tolerated: what could be added, each alone, so that the set stays
            tolerated.
        excluded: Tolerated: what is tolerated alone, but not with this set.
        deviations: Tolerated: the first maximal deviations that hold the set.
        more: Tolerated: whether there are others.
        status: `complete`, or what stopped the search for the rest.
        reason: Why it stopped, for a person.
    """

    environment: Lts
    classes: Classes = field(repr=False, compare=False)
    nominal: frozenset[Transition]
    new: frozenset[Transition]
    verdict: Verdict
    cut: Cut | None = None
    trace: Trace | None = None
    violations: tuple[Trace, ...] | None = None
    blocked: tuple[Blocked, ...] | None = None
    refused: tuple[Blocked, ...] | None = None
    idle: frozenset[Transition] | None = None
    inert: frozenset[Transition] | None = None
    addable: Candidates | None = None
    excluded: Candidates | None = None
    deviations: tuple[Deviation, ...] = ()
    more: bool | None = None
    status: Status = "complete"
    reason: str = ""

    def __repr__(self) -> str:
        new = (f"{s} –{a}→ {t}" for s, a, t in self.environment.named(sorted(self.new)))
        return f"Explanation({self.verdict}: {', '.join(new) or 'nothing new'})"

    @property
    def hazardous_part(self) -> Cut | None:
        """A part that is hazardous where the whole is not, if one is known."""
        cut = self.cut if self.verdict == "assumed-away" else None
        return cut if cut is not None and cut.verdict == "hazardous" else None

    @property
    def tolerated(self) -> bool:
        """Whether R_E with the set is robust."""
        return self.verdict == "tolerated"


def explain(
    engine: Engine,
    transitions: Iterable[Sequence[Any]],
    *,
    deviations: int = DEVIATIONS,
) -> Explanation:
    """Say whether E stays safe with some transitions, and why.

    Args:
        engine: The problem, its preconditions checked.
        transitions: Triples of A, states by number or name; those of R_E are there in
            any case.
        deviations: Give so many of the maximal deviations that hold the set.

    Returns:
        The explanation. Where a bound is hit or the user interrupts after the
        verdict, it lacks what was not found until then.

    Raises:
        SymrobError: Some are no triples or not in A; all of them are named.
        LimitExceeded: A bound was hit before the verdict.

    Cost: for the verdict one search of the closed loop; for the smallest part
        see `UnsafeSets`; for what could be added a screening of E_d.
    """
    explainer = _Explainer(engine, transitions, deviations)
    stages = Stages(engine.clock)
    with engine.effort.stage("verdict"):
        explainer.find_verdict()
    with stages:
        explainer.find_reasons()
    return replace(explainer.known, status=stages.status, reason=stages.reason)


class _Explainer:
    """Asks one question after the other, and keeps each answer at once.

    Attributes:
        known: What is known so far, from the verdict on.
    """

    known: Explanation

    def __init__(
        self, engine: Engine, transitions: Iterable[Sequence[Any]], deviations: int
    ) -> None:
        self._engine = engine
        self._wanted = deviations
        asked = _triples(transitions, engine.environment)
        _require_in_a(asked, engine.environment)
        self._nominal = asked & engine.environment.visible_transitions
        self._new = asked - self._nominal
        _require_among(self._new, engine.problem.among)

    def find_verdict(self) -> None:
        """Find out whether the set is tolerated."""
        engine = self._engine
        judged = verdict(engine, self._new)
        trace = None
        if judged in ("hazardous", "assumed-away"):
            trace = engine.property_trace(engine.extended(self._new), self._new)
        elif judged != "tolerated":
            trace = engine.violation(self._new)
        self.known = Explanation(
            engine.environment,
            engine.problem.classes,
            self._nominal,
            self._new,
            judged,
            trace=trace,
        )

    def find_reasons(self) -> None:
        """Find what explains the verdict."""
        if self.known.tolerated:
            self._why_tolerated()
        else:
            self._why_not()

    def _learn(self, **answers: object) -> None:
        self.known = replace(self.known, **answers)  # type: ignore[arg-type]

    def _why_not(self) -> None:
        engine = self._engine
        self._learn(violations=violations(engine, self._new))
        cut = self._hazardous_part() if self.known.verdict == "assumed-away" else None
        cut = cut or self._part(self.known.verdict == "assumed-away")
        self._learn(cut=cut, trace=cut.trace)

    def _hazardous_part(self) -> Cut | None:
        """A part that breaks a property and no assumption; what else is there, may."""
        engine = self._engine
        with suppress(LimitExceeded), engine.clock.at_most(PART_SECONDS):
            for part in self._parts(engine.constraints):
                judged = verdict(engine, part)
                if judged == "hazardous":
                    return Cut(part, judged, engine)
        engine.clock.check()
        return None

    def _part(self, assumed_away: bool) -> Cut:
        """A smallest part that breaks something: a property, where one is broken."""
        engine = self._engine
        part = next(self._parts(() if assumed_away else engine.constraints))
        return Cut(part, verdict(engine, part), engine)

    def _parts(
        self, constraints: Sequence[TableMonitor]
    ) -> Iterator[frozenset[Transition]]:
        """The minimal parts that break a property or one of these constraints."""
        engine = self._engine
        asked = Candidates.of(engine.environment, self._new)
        within = self._safe_sets(engine.environment, asked, constraints)
        sets = UnsafeSets(within, asked, engine.clock, engine.effort)
        return sets.by_size()

    def _why_tolerated(self) -> None:
        """Find what goes with the set, and then, as it may take long, a part of Δ."""
        engine = self._engine
        environment = engine.environment
        idle = self._new & engine.never_firing(
            Deviation(environment.visible_transitions, self._new, environment)
        )
        refused, newly = self._blocked()
        self._learn(idle=idle, blocked=newly, refused=refused)
        alone = engine.safe_sets.alone
        self._learn(inert=inert(engine, idle))
        others = alone.without(Candidates.of(environment, self._new))
        deviated = Lts(
            environment.alphabet,
            environment.size,
            (*environment.transitions, *self._new),
            names=environment.names,
            end=environment.end,
        )
        # What E_d tolerates alone is what E tolerates together with the set.
        addable = self._safe_sets(deviated, others, engine.constraints).alone
        self._learn(addable=addable, excluded=others.without(addable))
        with closing(engine.safe_sets.deviations(including=self._new)) as found:
            for deviation in islice(found, self._wanted):
                self._learn(deviations=(*self.known.deviations, deviation))
            self._learn(more=next(found, None) is not None)

    def _blocked(self) -> tuple[tuple[Blocked, ...], tuple[Blocked, ...]]:
        """What E must refuse with the set as without it; what only with it."""
        before = {(b.state, b.action) for b in blocked(self._engine)}
        sides: tuple[list[Blocked], list[Blocked]] = ([], [])
        for one in blocked(self._engine, self._new):
            sides[(one.state, one.action) not in before].append(one)
        return tuple(sides[0]), tuple(sides[1])

    def _safe_sets(
        self,
        environment: Lts,
        among: Candidates,
        constraints: Sequence[TableMonitor],
    ) -> SafeSets:
        engine = self._engine
        return SafeSets(
            environment,
            constraints,
            engine.closed_loop,
            engine.clock,
            engine.effort,
            among,
        )


def _triples(transitions: object, environment: Lts) -> frozenset[Transition]:
    """Read what a user gives: triples with states by number or name."""
    hint = "give a list of triples: [(0, 'a', 1)]; symrob.parse_transitions reads texts"
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
    """Refuse what is none of the candidates K that a case asks about."""
    if among is not None and (others := new - among):
        message = f"{tuple(min(others))} is none of the candidates that are asked about"
        hint = "--among and --not-among say which are"
        raise SymrobError(Diagnostic("explain-among", message, hint=hint))


def _require_in_a(transitions: Iterable[Transition], environment: Lts) -> None:
    """Refuse what no deviation can hold."""
    states = range(environment.size)
    problems = [
        Diagnostic(
            "explain-transition",
            f"({t.source}, {t.action!r}, {t.target}) is no transition over the states "
            f"0 to {environment.size - 1} and the actions of the environment",
        )
        for t in sorted(transitions, key=repr)
        if t.source not in states
        or t.target not in states
        or t.action not in environment.alphabet
    ]
    if problems:
        raise SymrobError(problems)
