"""Which assumptions matter: which sets suffice for safety, which have no effect.

In:  a `Space` with assumptions.
Out: `Mattering`. Each monitor of a constraint counts separately.

A set S of assumptions suffices if no deviation that satisfies S is hazardous; this is
monotone in S. For each deviation that violates a property, S must contain one of the
assumptions that it violates. So the minimal sufficient sets are the minimal hitting
sets of the assumptions that unsafe deviations violate. The search proposes a hitting
set of the known ones; a comparison of two designs, one side S alone and the other C
without assumptions, finds an unsafe deviation that satisfies it, or none.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cached_property
from typing import Any, NamedTuple, cast

from symrob.analyses.assumptions import Assumption, Mattering
from symrob.analyses.candidate_space import CandidateSpace
from symrob.analyses.cut import Cut
from symrob.analyses.fault_mode_space import FaultModeSpace
from symrob.analyses.space import Direction, Space
from symrob.envelope.engine import Engine
from symrob.errors import LimitExceeded
from symrob.limits import Stages
from symrob.problem import Many, Monitor, UnitSet
from symrob.words import property_names

# Minimal unsafe sets that are listed for each assumption; sufficient sets in all.
MOST_SETS = 10
MOST_SUFFICIENT = 100

# Of assumptions, by their numbers.
_Some = frozenset[int]


def mattering_soon(space: Space) -> Mattering | None:
    """Do the same as `mattering` within the budget `assumptions`.

    Returns:
        `None` if there are no assumptions. A used-up budget is not a bound: then
        `reason` reports it, and the status is `complete`.
    """
    if not space.constrained:
        return None
    clock = space.clock
    seconds = clock.budget("assumptions")
    if clock.remaining is not None:
        seconds = min(seconds, max(clock.remaining, 0.0) / 2)
    with clock.at_most(seconds):
        found = mattering(space)
    if found.status == "timeout" and not clock.is_over:
        used = f"{seconds:.2g} s used; symrob assume continues"
        return replace(found, status="complete", reason=used)
    return found


def mattering(space: Space, *, sets: bool = False) -> Mattering:
    """Find out which assumptions matter.

    Args:
        space: The problem, with assumptions.
        sets: If all assumptions together do not suffice, find the minimal unsafe sets
            that only one of them excludes.

    Returns:
        The answer. If a bound is hit, it holds what was found until then.

    Cost: a comparison of two designs for each assumption, for each minimal sufficient
        set, and for each combination of assumptions that unsafe deviations violate.
    """
    asked, stages = Assumptions(space), Stages(space.clock)
    found = [Assumption(name) for name in asked.names]
    suffices: bool | None = None
    sufficient: list[_Some] = []
    with stages:
        asked.screen()
        for number in asked.all:
            found[number] = asked.effect_of(number)
    with stages:
        suffices = asked.suffices(asked.all)
        if suffices:
            sufficient.extend(asked.minimal_sufficient())
        elif sets:
            for number in asked.all:
                theirs = tuple(asked.only_excluded_by(number))
                found[number] = replace(found[number], sets=theirs)
    names = [tuple(asked.names[n] for n in sorted(some)) for some in sufficient]
    return Mattering(
        space.about,
        tuple(found),
        suffices,
        tuple(sorted(names, key=lambda some: (len(some), some))),
        stages.status,
        stages.reason,
    )


class _Place(NamedTuple):
    """Where an assumption stands: the part of E, and its number there."""

    part: int
    number: int


class Assumptions:
    """The assumptions of a space, numbered, and comparisons of subsets of them.

    Args:
        space: The problem; it may have no assumptions.

    Attributes:
        names: The name of each.
        all: All of them.
    """

    def __init__(self, space: Space) -> None:
        self._space = space
        monitors = [
            (_Place(part, number), monitor)
            for part, engine in enumerate(space.engines)
            for number, monitor in enumerate(engine.problem.constraints)
        ]
        self._places = [place for place, _monitor in monitors]
        self._monitors = [monitor.name for _place, monitor in monitors]
        self.names = [_called(monitor) for _place, monitor in monitors]
        self.all: _Some = frozenset(range(len(self.names)))
        self._broken: list[_Some] = []

    def named(self, name: str) -> _Some:
        """Return the assumptions with a name: `FILE#NAME`, `FILE`, or a sentence."""
        known = zip(self.names, self._monitors, strict=True)
        return frozenset(
            number
            for number, (called, monitor) in enumerate(known)
            if name in (called, *property_names(monitor))
        )

    @property
    def _machine(self) -> Space:
        """C and its properties, with nothing assumed."""
        return self._space.unconstrained

    def _of(self, engines: Iterable[Engine]) -> Space:
        """A space of the same units."""
        if isinstance(self._space, FaultModeSpace):
            return FaultModeSpace(
                [*engines], self._space.about.units, self._space.warnings
            )
        (engine,) = engines
        return CandidateSpace(engine)

    def _within(self, some: _Some, *, machine: bool) -> Space:
        """Some assumptions; with C and its properties, or alone."""
        kept = {self._places[number] for number in some}

        def restricted(part: int, engine: Engine) -> Engine:
            problem = engine.problem
            rules = tuple(
                rule
                for number, rule in enumerate(problem.constraints)
                if _Place(part, number) in kept
            )
            problem = replace(problem, constraints=rules)
            if machine:
                return engine.other(problem, engine.closed_loop)
            return engine.other(problem.alone)

        return self._of(restricted(*one) for one in enumerate(self._space.engines))

    def screen(self) -> None:
        """Find what each tolerates alone, once: all others ask for parts of it."""
        for space in self._alone:
            space.alone(None)

    def effect_of(self, number: int) -> Assumption:
        """What one excludes that no other does."""
        others = self._within(self.all - {number}, machine=False)
        beyond = others.beyond(self._within(frozenset((number,)), machine=False))
        _decide(beyond)
        only = cast("Many", beyond.alone)
        harmless: Any = self._machine.alone().tolerated if len(only) else only
        unsafe = len(only.without(harmless)) if len(only) else 0
        return Assumption(self.names[number], beyond.exists, len(only), unsafe)

    def alone(self, some: _Some) -> Space:
        """Return the sets that satisfy some assumptions, whatever C does."""
        return self._within(some, machine=False)

    def with_machine(self, some: _Some) -> Space:
        """Return the case with only some assumptions."""
        return self._within(some, machine=True)

    def suffices(self, some: _Some) -> bool:
        """Whether no deviation that satisfies some assumptions violates a property."""
        found = self.unsafe_within(some)
        if found is not None:
            self._broken.append(self._broken_by(found.units))
        return found is None

    def unsafe_within(self, some: _Some, *, smallest: bool = False) -> Cut | None:
        """Return a minimal unsafe set that satisfies some assumptions, if any.

        Args:
            some: The assumptions.
            smallest: Find a smallest one, as long as no bound is hit.
        """
        beyond = self.alone(some).beyond(self._machine)
        _decide(beyond)
        if not beyond.exists:
            return None
        if smallest:
            with suppress(LimitExceeded):  # A larger set shows it as well.
                beyond.shrink()
        return Cut(beyond.added, "hazardous", self._machine)

    def minimal_sufficient(self) -> Iterator[_Some]:
        """Yield the minimal sufficient sets, if all together suffice."""
        known: set[_Some] = set()
        while len(known) < MOST_SUFFICIENT:
            proposed = next(
                (some for some in _hitting(self._broken) if some not in known), None
            )
            if proposed is None:
                return
            if self.suffices(proposed):
                known.add(proposed)
                yield proposed

    def only_excluded_by(self, number: int) -> Iterator[UnitSet]:
        """Yield minimal unsafe sets that violate only one given assumption."""
        others = self._within(self.all - {number}, machine=True)
        count = 0
        for found in others.unsafe_sets(singles=True).by_size():
            if others.harm(found) == "hazardous" and self._broken_by(found) == {number}:
                yield found
                count += 1
            if count == MOST_SETS:
                return

    def _broken_by(self, units: UnitSet) -> _Some:
        """The assumptions that a set of units breaks."""
        return frozenset(
            number for number in self.all if not self._alone[number].is_safe(units)
        )

    @cached_property
    def _alone(self) -> Sequence[Space]:
        """Each assumption by itself."""
        return [self._within(frozenset((n,)), machine=False) for n in sorted(self.all)]


def _called(monitor: Monitor) -> str:
    """FILE#NAME, where a monitor is one of several components of a file."""
    if monitor.requirement is not None:
        return monitor.name  # A sentence, whatever stands in brackets there.
    found = re.fullmatch(r"([^#]*)(?:#.*)? \((.+)\)", monitor.name)
    return f"{found[1]}#{found[2]}" if found else monitor.name


def _decide(beyond: Direction) -> None:
    beyond.settle(smallest=False)
    beyond.search()


def _hitting(sets: Sequence[_Some]) -> Sequence[_Some]:
    """The minimal sets that hit each of some sets, the smallest first."""
    found = [frozenset[int]()]
    for one in sets:
        hit = [some for some in found if some & one]
        grown = {some | {n} for some in found if not some & one for n in one}
        found = hit + [some for some in grown if not any(h <= some for h in hit)]
    return sorted(found, key=lambda some: (len(some), sorted(some)))
