"""The risk of a case: the probability of a hazard, and the contributions to it.

In:  a space whose nominal system is safe, and the probabilities of its units (events).
Out: `Assessment`: per property and together, the probability, exact or within bounds;
     the same given that E keeps its assumptions; the share of each hazardous set, the
     importance of each event and of each class.

The top event is "the possible events contain a hazardous set". The assumptions have two
readings: this one (within them: sets that violate P and satisfy P_env), and the
probability that the possible deviations violate P, given that they satisfy P_env. A set
that satisfies P_env violates P if and only if it contains a hazardous set, so the
second is P(top and kept) / P(kept).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from decimal import Decimal
from functools import cached_property, partial
from math import inf, prod
from time import monotonic
from typing import ClassVar, TypeVar

from symrob.analyses.candidate_space import CandidateSpace, in_singles
from symrob.analyses.cut import Cut
from symrob.analyses.space import Space
from symrob.case.units import called
from symrob.envelope.transitions import Candidates
from symrob.errors import LimitExceeded, SymrobError
from symrob.files.decimals import exact
from symrob.limits import GRACE, Clock, Stages, Status
from symrob.option_spelling import spelled
from symrob.problem import LocalTransition, Unit
from symrob.problem.classes import CLASSES, Class
from symrob.risk.bounds import (
    ChanceBounds,
    Importance,
    KnownSets,
    TooLarge,
    Tree,
    bounded,
    bounds_of,
    joint,
)
from symrob.risk.decision import Set, minimal
from symrob.risk.events import Event, Events
from symrob.risk.figures import ONE, ZERO, nearest, wide
from symrob.risk.search import EventUnits, Hazards, breaking, by_property
from symrob.shown import Shown
from symrob.symbolic.context import Context
from symrob.verdicts import Verdict

T = TypeVar("T")

MOST_NODES = 100_000
"""Maximum number of nodes of a diagram, unless `--bound max-nodes` is given."""

MOST_HARMLESS = 8
"""Number of sets without a hazardous subset from which the upper bound is computed."""

# Bounds are computed again when the search has gone on for so much longer than that
# took, and this many seconds.
_PATIENCE, _LEAST = 2.0, 0.2
# The part of the time, of at most a second, in which what was found is evaluated.
_EVALUATED = 0.2


@dataclass(frozen=True)
class RiskPart:
    """The result for one property, or for all of them.

    Attributes:
        name: The property; empty for all together.
        family: The known minimal hazardous sets of events.
        is_complete: Whether these are all.
        bounds: The probability that the possible events contain one.
    """

    also: ClassVar = {
        "lower": "bounds.lower",
        "upper": "bounds.upper",
        "exact": "bounds.is_exact",
        "sets": "count",
        "complete": "is_complete",
    }

    name: str = field(metadata={"json": False})
    family: Sequence[Set] = field(metadata={"json": False})
    is_complete: bool = field(metadata={"json": False})
    bounds: ChanceBounds = field(metadata={"json": False})

    @property
    def count(self) -> int:
        """Number of known sets."""
        return len(self.family)


def _manager(backend: str, clock: Clock) -> object:
    return Context(backend, clock).manager


class Assessment(Shown):
    """The risk of a case; computed on creation.

    Args:
        space: The problem; each event is a unit of it.
        events: The events.
        gap: Stop as soon as the bounds on the probability differ by at most this.
        on_progress: Called with the number of sets found and the seconds elapsed.
        missing: Returns the space of the candidates without a probability, if they
            belong to components and are not units of `space`.

    Attributes:
        space: As given.
        events: As given.
        parts: One for each property.
        together: All properties.
        status: `complete`, or what stopped the run; also `complete` if `gap` stopped
            it.
        reason: Why something is missing, as text.
        kept: The probability that E keeps its assumptions; `None` if unknown.
        conditional: The probability that the possible deviations violate P, given that
            they keep them; `None` if unknown, or if E never keeps them.
        manager: Creates a new BDD manager of dd.
    """

    @property
    def bounds(self) -> tuple[float, float]:
        """The pair between which the probability lies; equal if it is exact."""
        return self.together.bounds.lower, self.together.bounds.upper

    def __init__(
        self,
        space: Space,
        events: Events,
        *,
        gap: float | None = None,
        on_progress: Callable[[int, float], None] | None = None,
        missing: Callable[[], Space] | None = None,
    ) -> None:
        self.space = space
        self.events = events
        self._missing = missing
        self._spaces = dict(by_property(space))
        self._properties = len(self._spaces)
        self._gap = None if gap is None else gap / self._properties
        self._on_progress = on_progress
        self._found = 0
        self.status: Status = "complete"
        self.reason = ""
        self.kept: float | None = None
        # Not a method: diagrams hold it, and would hold what holds them.
        self.manager = partial(_manager, space.about.backend, space.clock)
        self._made: Tree | None = None
        self.conditional: float | None = None
        self.excluded: list[Set] | None = None
        units = self.units = EventUnits(space, events)
        parts, known = [], []
        for number, (name, problem) in enumerate(self._spaces.items()):
            # Each has its share of the time that is left.
            left = space.clock.remaining
            share = inf if left is None else left / (self._properties - number)
            with space.clock.at_most(share - min(share * _EVALUATED, 1.0)):
                what, bounds, is_complete = self._searched(problem, units)
            parts.append(RiskPart(name, what.family, is_complete, bounds))
            known.append(what)
        self.parts: Sequence[RiskPart] = tuple(parts)
        self.together = parts[0] if len(parts) == 1 else self._joined(known)
        self._condition(units)
        self.seconds = space.clock.elapsed

    def _searched(
        self, space: Space, units: EventUnits
    ) -> tuple[KnownSets, ChanceBounds, bool]:
        """Search until all sets are there, the gap is small, or a bound is hit."""
        stages = Stages(space.clock)
        hazards: Hazards | None = None
        with stages, space.effort.stage("risk"):
            space.clock.check()
            hazards = Hazards(space, units)
            self._alternate(hazards)
        self._note(stages)
        if hazards is None:
            everything = range(len(units.events.events))
            return KnownSets((), everything, 0), ChanceBounds(0.0, 1.0), False
        known = hazards.known
        if hazards.is_complete:
            known = replace(known, harmless=())
        # More of them make the diagram larger.
        known = replace(known, harmless=known.harmless[:MOST_HARMLESS])
        return known, self._bounds(known, hazards.is_complete), hazards.is_complete

    def _alternate(self, hazards: Hazards) -> None:
        """Look for sets, and where bounds are wanted for harmless ones in turn."""
        begun = monotonic()
        look = begun + _LEAST
        sets, harmless = hazards.search(), hazards.deviations()
        bounded = self._gap is not None or self.space.clock.limits.seconds is not None
        spent = {True: 0.0, False: 0.0}
        while True:
            turn = not bounded or spent[True] <= spent[False]
            before = monotonic()
            ended = next(sets if turn else harmless, self) is self
            spent[turn] += (now := monotonic()) - before
            if turn:
                self._found += 1
                if self._on_progress is not None:
                    self._on_progress(self._found, self.space.clock.elapsed)
            if ended and turn:
                return
            bounded = bounded and not ended
            if self._gap is not None and now > look:
                known = hazards.known
                known = replace(known, harmless=known.harmless[:MOST_HARMLESS])
                bounds = self._bounds(known, False, searching=True)
                if bounds.gap <= self._gap:
                    return
                look = monotonic() + max(_LEAST, _PATIENCE * (monotonic() - now))

    def _note(self, stages: Stages) -> None:
        if stages.status != "complete":
            self.status, self.reason = stages.status, stages.reason

    @property
    def most(self) -> int:
        """Maximum number of nodes of a diagram."""
        most = self.space.clock.limits.nodes or MOST_NODES
        # What is told of an unfinished search must not take as long again.
        return most if self.status == "complete" else max(1, most // 20)

    def _tree(self, family: Sequence[Set]) -> Tree:
        # The one of all properties is asked for again, for importance.
        if self._made is not None and self._made.family is family:
            return self._made
        given = self.events.chances, self.manager, self.space.clock.check, self.most
        tree = self._made = self._soon(lambda: Tree(family, *given))
        if tree.stopped is not None:
            self._stop(tree.stopped)
        return tree

    def _soon(self, make: Callable[[], T]) -> T:
        """What can be made in a moment; anew where an interrupt has spoilt it."""
        try:
            with self.space.clock.suspended(GRACE):
                return make()
        except LimitExceeded:
            with self.space.clock.suspended(GRACE):
                return make()

    def _stop(self, error: LimitExceeded) -> None:
        if self.status == "complete":
            self.status, self.reason = error.status, error.diagnostics[0].message

    def in_time(self) -> bool:
        """Whether time is left for more evaluations; if not, set the status."""
        try:
            with self.space.clock.suspended(GRACE):
                self.space.clock.check()
        except LimitExceeded as error:
            self._stop(error)
            return False
        return True

    def _bounds(
        self, known: KnownSets, is_complete: bool, *, searching: bool = False
    ) -> ChanceBounds:
        """What is known of the probability."""
        if is_complete:
            return self._tree(known.family).bounds
        # What is not known is more than what is left out to be quick.
        spare = max(map(self.chance, known.family), default=ZERO) / 1000
        if self._gap is not None and searching:
            spare = exact(self._gap / 4)
        # Each node is counted through for each number of events.
        most = max(1, self.most // 20)
        given = self.events.chances, self.manager, self.space.clock.check, most, spare
        return self._soon(lambda: bounds_of(known, *given))

    def chance(self, one: Set) -> Decimal:
        """Return the probability that all events of a set occur."""
        # In one order, so that equal products are equal.
        with wide():
            return ONE * prod(self.event(number).chance for number in sorted(one))

    def _joined(self, known: Sequence[KnownSets]) -> RiskPart:
        """All properties together: the sets of each, the minimal ones of them."""
        family = minimal(one for what in known for one in what.family)
        is_complete = all(part.is_complete for part in self.parts)
        relevant = frozenset().union(*(what.relevant for what in known))
        complete = min(what.complete_to for what in known)
        bounds = self._bounds(KnownSets(family, relevant, complete), is_complete)
        # One of them happens at most as often as all of them one by one.
        upper = min(bounds.upper, sum(part.bounds.upper for part in self.parts))
        bounds = ChanceBounds(bounds.lower, max(bounds.lower, upper))
        return RiskPart("", family, is_complete, bounds)

    def _condition(self, units: EventUnits) -> None:
        """How likely the assumptions are kept, and how likely P breaks then."""
        stages = Stages(self.space.clock)
        with stages, self.space.effort.stage("assumptions"):
            self.space.clock.check()
            self.excluded = breaking(units)
            try:
                kept, both = joint(
                    self.together.family,
                    self.excluded,
                    self.events.chances,
                    self.manager,
                    bounded(self.space.clock.check, self.most),
                )
            except TooLarge:
                self.reason = self.reason or self.too_large
                return
            self.kept = nearest(kept)
            if kept and self.together.is_complete:
                with wide():
                    self.conditional = nearest(both / kept)
        self._note(stages)

    @property
    def too_large(self) -> str:
        """The message for a diagram that would be too large."""
        bound = spelled("--bound max-nodes raises this limit")
        return f"a diagram has more than {self.most:,} nodes; {bound}"

    @property
    def is_exact(self) -> bool:
        """Whether the probabilities of all properties are known exactly."""
        return all(p.bounds.is_exact and p.is_complete for p in self._all_parts)

    @property
    def _all_parts(self) -> Sequence[RiskPart]:
        return (*self.parts, self.together)

    @cached_property
    def tree(self) -> Tree:
        """The known sets of all properties, as a diagram."""
        return self._tree(self.together.family)

    def event(self, number: int) -> Event:
        """Return an event by its number."""
        return self.events.events[number]

    @cached_property
    def contributions(self) -> list[tuple[Set, float, float]]:
        """Each set with its probability, and that as a share of the total.

        The most probable first. Shares can add up to more than 1, since sets can occur
        together.
        """
        rows = [(one, self.chance(one)) for one in self.together.family]
        rows.sort(key=lambda row: (-row[1], len(row[0]), sorted(row[0])))
        with wide():
            whole = self._least
            shares = [nearest(p / whole) if whole else 0.0 for _, p in rows]
        return [
            (one, nearest(p), share)
            for (one, p), share in zip(rows, shares, strict=True)
        ]

    @property
    def _least(self) -> Decimal:
        """What the probability is at least, however small."""
        return max(self.tree.lower, exact(self.together.bounds.lower))

    def importance(self, numbers: Sequence[int]) -> Importance | None:
        """Return the joint importance of some events; `None` if that takes too long.

        Args:
            numbers: The numbers of the events in `events.events`, at least one.

        Raises:
            SymrobError: There is no such event.
        """
        known = set(range(len(self.events.events)))
        given = [*numbers] if isinstance(numbers, Iterable) else []
        if not given or not all(type(n) is int and n in known for n in given):
            message = f"expected numbers of events, below {len(known)}, not "
            raise SymrobError(f"{message}{numbers!r:.60}")
        tree = self.tree
        if not self.in_time():
            return None
        for fussell in (True, False):
            moment = self.space.clock.suspended(GRACE)
            with suppress(TooLarge, LimitExceeded), moment:
                return tree.importance(numbers, fussell=fussell)
        return None

    @cached_property
    def missing_hazards(self) -> Sequence[Unit] | None:
        """Individually hazardous units without a probability; `None` if unknown."""
        missing = self.events.missing
        if not len(missing):
            return ()
        with Stages(self.space.clock), self.space.clock.step("singles"):
            if self._missing is not None:
                return [*self._missing().alone(None).hazardous]
            hazardous = self._singles.alone(None).hazardous
            if isinstance(missing, Candidates):
                # With a budget the sets have other labels.
                return [unit for unit in hazardous if unit in missing]
            network = self.space.about.network
            local = (t for t in missing if isinstance(t, LocalTransition))
            names = {called(t, network) for t in local} if network else set()
            return [unit for unit in hazardous if unit in names]
        return None

    @property
    def of_components(self) -> bool:
        """Whether events change components of E."""
        return self.space.about.network is not None

    @cached_property
    def _singles(self) -> Space:
        """The candidates of E, each by itself; or what changes components."""
        whole = self.space.whole
        if whole is None or self.of_components:
            return self.space
        return CandidateSpace(in_singles(whole))

    @cached_property
    def alone(self) -> Mapping[Unit, Verdict]:
        """The individual verdict on each unit, within the budget `singles`."""
        verdicts: dict[Unit, Verdict] = {}
        space = self._singles
        with Stages(space.clock), space.clock.step("singles"):
            judged = space.alone(space.clock.budget("singles"))
            for verdict, found in judged.by_verdict().items():
                verdicts |= dict.fromkeys(found, verdict)
        return verdicts

    @cached_property
    def told(self) -> Sequence[int]:
        """The events to list: all, or, if a bound was hit, those in a set."""
        every = range(len(self.events.events))
        return every if self.status == "complete" else sorted(self.ranked)

    @cached_property
    def ranked(self) -> list[int]:
        """The events that are in a set, the greatest criticality first."""
        inside = sorted(frozenset().union(*self.together.family))
        worth, chances = self.tree.derivatives, self.events.chances
        with wide():
            return sorted(inside, key=lambda n: -worth[n] * chances[n])

    @cached_property
    def classes(self) -> dict[Class, list[int]]:
        """The events that are in a set, by the classes of their transitions."""
        groups: dict[Class, list[int]] = {}
        for number in self.ranked:
            for name in self.classes_of(number):
                groups.setdefault(name, []).append(number)
        return groups

    def classes_of(self, number: int) -> list[Class]:
        """The classes of an event's transitions, in order; none for components."""
        classes = self.space.about.classes
        if classes is None or self.event(number).local:
            return []
        kinds = {classes.of(t).kind for t in self.event(number).transitions}
        return [kind for kind in CLASSES if kind in kinds]

    @cached_property
    def _by_first(self) -> list[tuple[str, dict[int, list[Set]]]]:
        """The sets of each property, by their first events."""
        found = []
        for part in self.parts:
            sets: dict[int, list[Set]] = {}
            for one in part.family:
                sets.setdefault(min(one), []).append(one)
            found.append((part.name, sets))
        return found

    def broken(self, one: Set) -> list[str]:
        """Return the properties that a hazardous set violates, as far as known."""
        if len(self.parts) == 1:
            return [self.parts[0].name]
        return [
            name
            for name, sets in self._by_first
            if any(part <= one for first in one for part in sets.get(first, ()))
        ]

    def cut(self, one: Set) -> Cut:
        """Return a hazardous set with its trace."""
        return Cut(self.units.units(one), "hazardous", self.space)
