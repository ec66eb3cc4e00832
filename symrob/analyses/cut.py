"""Minimal cut sets: a minimal set that violates something, with its trace.

In:  a `Space`, a set of its units, its verdict.
Out: a `Cut`, and a sort key for how dangerous it is; `cuts` finds the sets.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cached_property
from math import prod
from types import MappingProxyType
from typing import Any, ClassVar, cast

from symrob.analyses.space import Space
from symrob.errors import Trace
from symrob.lts import Transition
from symrob.problem import Unit, UnitSet
from symrob.problem.classes import Kind
from symrob.shown import Shown
from symrob.verdicts import Verdict

# Sets whose runs are looked at, to tell the most dangerous first.
LOOKED_AT = 40


@dataclass(frozen=True)
class Cut(Shown):
    """A minimal set that violates something; no proper subset does.

    Attributes:
        units: The units of the set: transitions, or names of fault modes.
        verdict: Its verdict; never `tolerated`.
        space: The problem, for the trace.
    """

    also: ClassVar = {
        "transitions": "transitions",
        "modes": "modes",
        "classes": "classes",
        "assumptions": "known_assumptions",
        "trace": "known_trace",
        "deviated_steps": "known_steps",
    }

    units: UnitSet = field(metadata={"json": False})
    verdict: Verdict
    space: Space = field(repr=False, compare=False)

    def __repr__(self) -> str:
        parts = self.modes
        environment = self.space.about.environment
        if parts is None and environment is not None:
            named = environment.named(sorted(self.transitions))
            parts = tuple(f"{s} –{a}→ {t}" for s, a, t in named)
        return f"Cut({self.verdict}: {', '.join(parts or ())})"

    def __len__(self) -> int:
        return len(self.units)

    @property
    def modes(self) -> tuple[str, ...] | None:
        """The names of its fault modes, sorted; `None` if its units are transitions."""
        if self.space.about.units is None:
            return None
        return tuple(sorted(cast("frozenset[str]", self.units)))

    @cached_property
    def transitions(self) -> frozenset[Transition]:
        """The transitions that E gets; empty if the product of E is not computed."""
        return self.space.added(self.units)

    @property
    def classes(self) -> tuple[Kind, ...]:
        """The class of each of its transitions, sorted; none for fault modes."""
        about = self.space.about
        if about.units is not None or about.classes is None:
            return ()
        return tuple(map(about.classes.of, sorted(self.transitions)))

    @property
    def known_trace(self) -> Trace | None:
        """`trace`, if it was computed already."""
        return vars(self).get("trace")

    @property
    def known_steps(self) -> int | None:
        """`deviated_steps`, if it was computed already."""
        return vars(self).get("deviated_steps")

    @cached_property
    def deviated_steps(self) -> int | None:
        """The least number of deviated steps in a trace that violates a property.

        `None` if no trace does, or if E's components stay encoded in bits.
        """
        return self.space.least_steps(self.units)

    @property
    def known_assumptions(self) -> tuple[str, ...] | None:
        """`assumptions`, if they were computed already."""
        return vars(self).get("assumptions")

    @cached_property
    def trace(self) -> Trace:
        """A shortest trace that violates a property, using every transition of the cut.

        If the set is only excluded, a trace that violates an assumption.
        """
        with self.space.clock.suspended():
            return self._shortest()

    @cached_property
    def assumptions(self) -> tuple[str, ...]:
        """The names of the assumptions that it violates."""
        with self.space.clock.suspended():
            return self.space.broken_assumptions(self.units)

    def find_trace(self) -> None:
        """Compute `trace` now, within the bounds of the run.

        Raises:
            LimitExceeded: A bound was hit.
        """
        if "trace" not in vars(self):
            # Where the cached property keeps it.
            vars(self)["trace"] = self._shortest()

    def _shortest(self) -> Trace:
        if self.verdict != "excluded-safe":
            return self.space.property_trace(self.units)
        trace = self.space.violation(self.units)
        assert trace is not None, "the cut is safe"
        return trace


def danger(
    cut: Cut, chances: Mapping[Unit, Decimal] = MappingProxyType({})
) -> tuple[Any, ...]:
    """Return a sort key for danger: few, probable, plausible units, a short trace.

    Of equally short traces, the one with fewer steps left when E deviates comes first.

    Args:
        cut: The cut.
        chances: The probabilities of units, as far as known.
    """
    chance = prod(chances.get(unit, 0) for unit in cut.units)
    steps = cut.trace.steps
    deviates = next((i for i, step in enumerate(steps) if step.added), len(steps))
    ranks = sorted(map(cut.space.rank, cut.units))
    return len(cut), -chance, ranks, len(steps), -deviates, sorted(cut.units)


def smallest_part(space: Space, members: UnitSet, judged: Verdict) -> Cut:
    """Return a smallest part of a set that violates something.

    It is hazardous if any part is, else it violates a property if any part does.

    Args:
        space: The problem.
        members: The set.
        judged: Its verdict; not `tolerated`.

    Raises:
        LimitExceeded: A bound was hit before.

    Cost: see `Space.unsafe_sets`.
    """
    reading = space
    if judged == "excluded-unsafe":
        # A part may hurt within the assumptions; else what hurts without them counts.
        with space.clock.step("part"):
            for part in space.unsafe_sets(members, singles=True).by_size():
                if space.harm(part) == "hazardous":
                    return Cut(part, "hazardous", space)
        reading = space.unconstrained
    part = next(reading.unsafe_sets(members, singles=True).by_size())
    return Cut(part, space.harm(part), space)
