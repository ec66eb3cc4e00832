"""Verdicts on added transitions: on a set of them, and on each candidate alone.

In:  an `Engine` whose nominal system is safe.
Out: the verdict on a set of candidates and on each candidate alone, and actions because
     of whose refusal alone a set is safe. See `symrob.verdicts`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from math import inf
from typing import ClassVar, Generic, TypeVar

from symrob.envelope.engine import Engine
from symrob.envelope.exploration import reach
from symrob.envelope.monitors import AnyMonitor
from symrob.envelope.safe_sets import SafeSets
from symrob.envelope.screening import tolerated
from symrob.envelope.transitions import Candidates, Graph
from symrob.errors import Trace
from symrob.lts import Action, StateId, Transition
from symrob.lts.views import label_of
from symrob.problem import Many, UnitSet, plain
from symrob.symbolic.context import Bdd
from symrob.verdicts import VERDICTS, Group, Verdict, verdict_of

M = TypeVar("M", bound=Many, covariant=True)
# What `alone_soon` costs is in proportion to this, more or less.
SOON_MOST = 10_000
# Sets that are asked one by one: where their union does not decide, asking it as well
# takes longer.
_ONE_BY_ONE = 3


def verdict(engine: Engine, added: Iterable[Transition]) -> Verdict:
    """Return the verdict on adding all of some transitions to E.

    Raises:
        LimitExceeded: A bound was hit.

    Cost: a search of E_d for each constraint, and one of the closed loop.
    """
    graph = engine.extended(added)
    return verdict_of(
        keeps_properties=engine.keeps_properties(graph),
        keeps_assumptions=engine.keeps_constraints(graph),
    )


def harm(engine: Engine, added: Iterable[Transition]) -> Verdict:
    """Return the verdict on a set that is known to violate something.

    Cost: a search of E_d for each constraint; one of the closed loop only if one of
        them is violated.
    """
    if not engine.constraints:
        return "hazardous"
    graph = engine.extended(added)
    if engine.keeps_constraints(graph):
        return "hazardous"
    kept = engine.keeps_properties(graph)
    return verdict_of(keeps_assumptions=False, keeps_properties=kept)


@dataclass(frozen=True)
class Alone(Generic[M]):
    """All units by their individual verdict.

    Attributes:
        tolerated: The units with this verdict; the next three are alike.
        undecided: Units that violate an assumption and were not judged further.
    """

    tolerated: M
    hazardous: M
    excluded_unsafe: M
    excluded_safe: M
    undecided: M

    def by_verdict(self) -> dict[Verdict, M]:
        """Return the decided units, by their verdict."""
        found = (
            self.tolerated,
            self.hazardous,
            self.excluded_unsafe,
            self.excluded_safe,
        )
        return dict(zip(VERDICTS, found, strict=True))

    def groups(self) -> dict[Group, M]:
        """Return all units, by their verdict or as `undecided`."""
        found: dict[Group, M] = {"undecided": self.undecided}
        found.update(self.by_verdict().items())
        return found


def alone_within(engine: Engine) -> Alone[Candidates]:
    """Judge each candidate individually, as far as screening decides.

    Candidates that violate an assumption are not judged further.

    Raises:
        LimitExceeded: A bound was hit while screening.

    Cost: screening, which every analysis needs.
    """
    return _within(engine.safe_sets)


def alone(engine: Engine, seconds: float | None = None) -> Alone[Candidates]:
    """Judge each candidate individually.

    Args:
        engine: The problem.
        seconds: Time bound for deciding whether candidates that violate an assumption
            also violate a property; none by default.

    Raises:
        LimitExceeded: A bound was hit.

    Cost: two screenings, with the constraints and without them. Most candidates violate
        an assumption, so the second can take far longer.
    """
    most = inf if seconds is None else seconds
    within = alone_within(engine)
    return _split(engine, within, most, lambda _broken: engine.property_sets)


def alone_soon(engine: Engine) -> Alone[Candidates]:
    """Judge each candidate individually, quickly, as part of another answer.

    Returns:
        The verdicts; candidates that violate an assumption are undecided if they are
        more than `SOON_MOST`, or take longer than the budget `soon`.

    Raises:
        LimitExceeded: A bound was hit while screening.
    """
    within = alone_within(engine)
    if len(within.undecided) > SOON_MOST:
        return within
    return alone(engine, engine.clock.budget("soon"))


def each_alone(engine: Engine, asked: Candidates, seconds: float) -> Alone[Candidates]:
    """Judge some candidates individually; the others are ignored.

    Args:
        engine: The problem.
        asked: The candidates.
        seconds: See `alone`.

    Raises:
        LimitExceeded: A bound was hit within the assumptions.

    Cost: as for `alone`, with these candidates in the place of all.
    """
    within = _within(_screened(engine, engine.constraints, asked))
    return _split(engine, within, seconds, partial(_screened, engine, ()))


def _within(sets: SafeSets) -> Alone[Candidates]:
    """The candidates of some sets; what breaks an assumption stays undecided."""
    kept = sets.keeping
    none = kept.without(kept)
    hazardous = kept.without(sets.alone)
    return Alone(sets.alone, hazardous, none, none, sets.asked.without(kept))


def _split(
    engine: Engine,
    judged: Alone[Candidates],
    seconds: float,
    screened: Callable[[Candidates], SafeSets],
) -> Alone[Candidates]:
    """Look at what is undecided, screened without the assumptions, if time allows."""
    broken = judged.undecided
    if not len(broken):
        return judged
    with engine.clock.allow(seconds):
        harmless = screened(broken).alone
        return replace(
            judged,
            excluded_unsafe=broken.without(harmless),
            excluded_safe=broken.within(harmless),
            undecided=broken.without(broken),
        )
    return judged


def _screened(
    engine: Engine, constraints: Sequence[AnyMonitor], among: Candidates
) -> SafeSets:
    clock, effort = engine.clock, engine.effort
    return SafeSets(
        engine.environment, constraints, engine.closed_loop, clock, effort, among
    )


def violations(engine: Engine, added: Iterable[Transition]) -> tuple[Trace, ...]:
    """Return a shortest trace for each property and constraint that a set violates.

    Properties come first. An ERROR that C reaches by itself is included.

    Raises:
        LimitExceeded: A bound was hit.

    Cost: an encoding and a search of E_d‖C for each property, a search of E_d for each
        constraint.
    """
    new = frozenset(added).difference(engine.problem.environment.transitions)
    graph = engine.extended(new)
    traces: dict[str, Trace] = {}
    properties = engine.walked.properties if not engine.keeps_properties(graph) else ()
    for monitor in properties:
        loop = engine.loop_with((monitor,))
        trace = engine.trace_in(loop.system, graph, new)
        if trace is not None:
            traces.setdefault(trace.violated, trace)
    for monitor, table in zip(
        engine.walked.constraints, engine.constraints, strict=True
    ):
        if not engine.keeps(table, graph):
            trace = engine.constraint_trace(monitor, graph, new)
            traces.setdefault(trace.violated, trace)
    return tuple(traces.values())


@dataclass(frozen=True)
class Blocked:
    """An action that C offers and E refuses, and must refuse for safety.

    Attributes:
        state: The state in which E refuses it.
        action: The action.
        added: The transitions that E has besides R_E.
        engine: The problem, for the trace.
        modes: The fault modes that bring the added transitions; `None` without modes.
    """

    also: ClassVar = {
        "name": "name",
        "added": "units",
        "run": "known_run",
        "violated": "known_violation",
    }

    state: StateId
    action: Action
    added: frozenset[Transition]
    engine: Engine = field(repr=False, compare=False)
    modes: frozenset[str] | None = field(default=None, metadata={"json": False})

    @property
    def units(self) -> UnitSet:
        """The units that E has besides R_E."""
        return self.added if self.modes is None else self.modes

    def asked_about(self, transitions: Iterable[Transition]) -> bool:
        """Whether some candidate takes the action in that state."""
        return any(t[:2] == (self.state, self.action) for t in transitions)

    @property
    def name(self) -> str:
        """The name of the state."""
        return self.engine.environment.state_name(self.state)

    @property
    def known_run(self) -> Trace | None:
        """`run`, if `trace` was computed already."""
        return self.run if "trace" in vars(self) else None

    @property
    def known_violation(self) -> str | None:
        """The property that is violated, if `trace` was computed already."""
        return self.trace.violated if "trace" in vars(self) else None

    @cached_property
    def trace(self) -> Trace:
        """A shortest trace that violates P if E takes the action and stays where it is.

        Its last steps, from the one that takes the action, are not a trace of E_d‖C;
        the steps before lead to where C offers it.
        """
        refused = Transition(self.state, self.action, self.state)
        graph = self.engine.extended((*self.added, refused))
        with self.engine.clock.suspended():
            return self.engine.property_trace(graph, {*self.added, refused})

    @property
    def run(self) -> Trace:
        """A shortest trace of E_d‖C to where C offers the action."""
        # E has no other transition by the action there.
        steps = self.trace.steps
        before = (self.trace.start, *steps)
        taken = next(
            i
            for i, step in enumerate(steps)
            if step.action == self.action and before[i].environment == self.name
        )
        return replace(self.trace, steps=steps[:taken], violated="")


def is_offered(engine: Engine, here: Bdd, action: Action) -> bool:
    """Whether C offers an action in some of these states of C‖P, even to ERROR."""
    loop = engine.closed_loop
    return bool(here & (loop.offers(action) | loop.rejects(action)) != loop.empty)


def blocked(
    engine: Engine,
    several: Sequence[Iterable[Transition]] = ((),),
    known: Set[tuple[StateId, Action]] = frozenset(),
) -> list[list[Blocked]]:
    """Return the actions that each of some tolerated sets needs E to refuse.

    In some state that E_d‖C reaches, C offers an action of E, E_d has no transition by
    it there, and a transition back to the same state would violate P.

    Args:
        engine: The problem.
        several: Tolerated sets.
        known: States with actions that need not be checked.

    Raises:
        LimitExceeded: A bound was hit.

    Cost: a search of E_d‖C, and a screening of one self-loop for each state and action
        that C offers and E_d refuses. Sets that together need no more than `known` are
        judged together; others by halves.
    """
    sets = [frozenset(added) for added in several]
    asked = [p for p in _refused(engine) if p not in known]
    return _blocked(engine, sets, asked)


def _blocked(
    engine: Engine,
    sets: Sequence[frozenset[Transition]],
    asked: Sequence[tuple[StateId, Action]],
) -> list[list[Blocked]]:
    """See `blocked`; only some states and actions, which E lacks, are asked about.

    What a loop violates with one of the sets it violates with their union: either it
    does so as well, or the union alone does.
    """
    if 1 < len(sets) <= _ONE_BY_ONE:
        return [found for one in sets for found in _blocked(engine, [one], asked)]
    if not sets:
        return []
    union = frozenset[Transition]().union(*sets)
    alone = len(sets) == 1
    if alone:
        taken = {t[:2] for t in union}
        asked = [pair for pair in asked if pair not in taken]
    bad = _failing(engine, engine.extended(union), asked)
    assert not alone or bad is not None, "the set is not tolerated"
    if bad is not None:
        if alone:
            return [[Blocked(*pair, union, engine) for pair in bad]]
        if not bad:
            return [[] for _ in sets]
        asked = bad
    middle = len(sets) // 2
    return [
        *_blocked(engine, sets[:middle], asked),
        *_blocked(engine, sets[middle:], asked),
    ]


def _failing(
    engine: Engine, graph: Graph, asked: Iterable[tuple[StateId, Action]]
) -> list[tuple[StateId, Action]] | None:
    """Where a loop would violate P; `None` if E_d‖C does so without it."""
    loop, environment, clock = engine.closed_loop, engine.environment, engine.clock
    met = reach(loop, graph, clock)
    if met is None:
        return None
    loops = Candidates.of(
        environment,
        (
            (q, a, q)
            for q, a in asked
            if is_offered(engine, met[q], label_of(environment, q, a, q))
        ),
    )
    if not len(loops):
        return []
    kept = tolerated(loop, environment, graph, loops, clock)
    return [(t.source, t.action) for t in loops.without(kept)]


def _refused(engine: Engine) -> Iterator[tuple[StateId, Action]]:
    """Each state with each action of C that E has no transition by there."""
    there = {(t.source, plain(t.action)) for t in engine.nominal.transitions()}
    environment = engine.problem.environment
    shared = {*engine.problem.controller.alphabet} & {*environment.alphabet}
    for state in range(environment.size):
        for action in environment.alphabet:
            if action in shared and (state, action) not in there:
                yield state, action
