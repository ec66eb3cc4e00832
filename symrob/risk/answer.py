"""The risk of a case as data.

In:  an `Assessment`, or a `RiskDifference` between two.
Out: `Risk` or `RiskChange`: figures by property, event, class and set.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from symrob.analyses.space import About, Timing
from symrob.errors import Trace
from symrob.limits import Status
from symrob.lts import Transition
from symrob.problem import Unit
from symrob.problem.classes import Class
from symrob.risk.assessment import Assessment, RiskPart
from symrob.risk.bounds import Importance
from symrob.risk.comparison import RiskDifference
from symrob.risk.figures import nearest
from symrob.shown import Shown

MEANING = (
    "The events are independent: each is possible with its own probability.",
    "Possible does not mean that it happens: if a hazardous set is possible, some "
    "trace violates a property; the number does not say how often that trace occurs.",
    "The order matters: a set is a condition, and its trace shows one order that "
    "violates the property; other orders may not violate it.",
)


@dataclass(frozen=True)
class RiskEvent:
    """An event, and what it adds.

    Attributes:
        name: What it is called.
        mode: Whether it is a fault mode.
        transitions: What E may do with it; empty if it changes components: then `modes`
            of the document tells what they may do, by `name`.
        classes: The classes of these.
        probability: How likely it is possible.
        said: The expression that says so.
        importance: What it adds; `None` if it is in no set, or that is not known.
    """

    name: str
    mode: bool
    transitions: frozenset[Transition]
    classes: tuple[Class, ...]
    probability: float
    said: str
    importance: Importance | None


@dataclass(frozen=True)
class RiskSet:
    """A minimal hazardous set of events.

    Attributes:
        events: Their places among the events that are listed.
        probability: How likely all of them are possible.
        share: That as a part of the whole.
        breaks: The properties that the set breaks.
        trace: A shortest trace; `None` if it was not asked for.
    """

    events: tuple[int, ...]
    probability: float
    share: float
    breaks: tuple[str, ...]
    trace: Trace | None


@dataclass(frozen=True)
class GivenAssumptions:
    """The risk, given that E keeps its assumptions.

    Attributes:
        probability: How likely what is possible breaks P then; `None` if not known.
        assumptions_kept: How likely E keeps them; likewise.
    """

    probability: float | None
    assumptions_kept: float | None


@dataclass(frozen=True)
class MissingChances:
    """What has no probability, and so counts as impossible.

    Attributes:
        modes: The names of fault modes.
        transitions: How many candidates.
        hazardous_alone: Those of them that are, by name where they are transitions of
            components; `None` if not known.
    """

    modes: tuple[str, ...]
    transitions: int
    hazardous_alone: tuple[Unit, ...] | None


@dataclass(frozen=True)
class Risk(Shown):
    """The answer of `symrob risk`.

    Attributes:
        about: What the candidates are of.
        meaning: How the numbers are to be read.
        probability: That of all properties together.
        properties: That of each, by its name.
        given_assumptions: The same, given that E keeps its assumptions.
        events: What may be possible.
        classes: What the events of each class add together.
        sets: The minimal hazardous sets, the most probable first.
        missing: What has no probability.
        overlaps: What got a probability twice.
        ignored: What got a probability and cannot happen, since fault modes are all.
        timing: What it took.
        status: `complete`, or what stopped the assessment.
        reason: Why it stopped, as text.
    """

    schema: ClassVar = "risk/2"

    about: About = field(compare=False)
    meaning: tuple[str, ...]
    probability: RiskPart
    properties: Mapping[str, RiskPart]
    given_assumptions: GivenAssumptions
    events: tuple[RiskEvent, ...]
    classes: Mapping[Class, Importance]
    sets: tuple[RiskSet, ...]
    missing: MissingChances
    overlaps: tuple[str, ...]
    ignored: tuple[str, ...]
    timing: Timing
    status: Status
    reason: str

    @property
    def bounds(self) -> tuple[float, float]:
        """The pair between which the probability lies; equal where it is exact."""
        return self.probability.bounds.lower, self.probability.bounds.upper

    @classmethod
    def of(cls, found: Assessment, *, traces: bool = False) -> Risk:
        """Return the figures of an assessment.

        Args:
            found: The assessment; its status tells whether there was time for all.
            traces: With a shortest trace for each set.
        """
        hazards = found.missing_hazards
        classes = {
            name: worth
            for name, numbers in found.classes.items()
            if (worth := found.importance(numbers)) is not None
        }
        ranked = set(found.ranked)
        events = tuple(_event(found, n, n in ranked) for n in found.told)
        place = {number: place for place, number in enumerate(found.told)}
        sets = tuple(
            RiskSet(
                tuple(sorted(map(place.__getitem__, one))),
                chance,
                share,
                tuple(found.broken(one)),
                found.cut(one).trace if traces and found.in_time() else None,
            )
            for one, chance, share in found.contributions
        )
        about = found.space.about
        return cls(
            about,
            MEANING,
            found.together,
            {part.name: part for part in found.parts},
            GivenAssumptions(found.conditional, found.kept),
            events,
            classes,
            sets,
            MissingChances(
                tuple(found.events.missing_modes),
                len(found.events.missing),
                None if hazards is None else tuple(hazards),
            ),
            tuple(found.events.overlaps),
            tuple(found.events.ignored),
            Timing(round(found.seconds, 6), about.backend),
            found.status,
            found.reason,
        )


def _event(found: Assessment, number: int, inside: bool) -> RiskEvent:
    event = found.event(number)
    return RiskEvent(
        event.name,
        event.is_mode,
        event.transitions,
        tuple(found.classes_of(number)),
        nearest(event.chance),
        event.said,
        found.importance([number]) if inside else None,
    )


@dataclass(frozen=True)
class RiskOfDesign:
    """One of two designs.

    Attributes:
        name: What it is called.
        probability: That of all its properties together.
        status: See `Risk`.
    """

    name: str
    probability: RiskPart
    status: Status
    reason: str


@dataclass(frozen=True)
class RiskChange(Shown):
    """The answer of `symrob risk` about two designs.

    Attributes:
        about: What the candidates are of.
        meaning: How the numbers are to be read.
        designs: Both.
        only_first: How likely what is possible can hurt in the first alone; `None` if
            that is not known.
        only_second: In the second alone.
        status: As of the first design that is not complete; so is `reason`.
    """

    schema: ClassVar = "risk-change/2"

    about: About = field(compare=False)
    meaning: tuple[str, ...]
    designs: tuple[RiskOfDesign, ...]
    only_first: float | None
    only_second: float | None
    status: Status
    reason: str

    @classmethod
    def of(
        cls,
        change: RiskDifference,
        assessed: Sequence[Assessment],
        names: Sequence[str],
    ) -> RiskChange:
        """Return the figures of a change."""
        designs = tuple(
            RiskOfDesign(name, each.together, each.status, each.reason)
            for name, each in zip(names, assessed, strict=True)
        )
        stopped = (each for each in designs if each.status != "complete")
        end = next(stopped, designs[0])
        about = assessed[0].space.about
        rest = change.gone, change.come, end.status, end.reason
        return cls(about, MEANING, designs, *rest)
