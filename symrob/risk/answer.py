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
from symrob.limits import Status, ending
from symrob.lts import Transition
from symrob.problem import Unit
from symrob.problem.classes import Class
from symrob.risk.assessment import Assessment, RiskPart
from symrob.risk.bounds import Importance
from symrob.risk.comparison import RiskDifference
from symrob.risk.figures import nearest
from symrob.shown import Shown

MEANING = (
    "The events are assumed to be independent: each is possible with its own "
    "probability.",
    "A possible event need not happen: if a hazardous set is possible, some "
    "trace violates a property; the number does not say how often that trace occurs.",
    "The order matters: a set is a condition, and its trace shows one order that "
    "violates the property; other orders may not violate it.",
)


@dataclass(frozen=True)
class RiskEvent:
    """An event and its contribution.

    Attributes:
        name: Its name.
        mode: Whether it is a fault mode.
        transitions: The transitions that E gets with it; empty if it changes
            components: then `modes` of the document lists them by `name`.
        classes: The classes of these transitions.
        probability: The probability that it is possible.
        said: The expression that gives this probability.
        importance: Its importance; `None` if it is in no set, or if unknown.
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
        events: Indexes of its events in the list of events.
        probability: The probability that all of them are possible.
        share: This probability as a fraction of the total.
        breaks: The properties that the set violates.
        trace: A shortest trace; `None` if not requested.
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
        probability: The conditional probability of a violation; `None` if unknown.
        assumptions_kept: The probability that E keeps them; `None` if unknown.
    """

    probability: float | None
    assumptions_kept: float | None


@dataclass(frozen=True)
class MissingChances:
    """Units without a probability, which count as impossible.

    Attributes:
        modes: The names of fault modes.
        transitions: Number of candidates.
        hazardous_alone: The individually hazardous ones, by name if they are
            transitions of components; `None` if unknown.
    """

    modes: tuple[str, ...]
    transitions: int
    hazardous_alone: tuple[Unit, ...] | None


@dataclass(frozen=True)
class Risk(Shown):
    """The answer of `symrob risk`.

    Attributes:
        about: What the candidates belong to, for output.
        meaning: How to read the numbers.
        probability: The probability for all properties together.
        properties: The probability for each property, by name.
        given_assumptions: The same, given that E keeps its assumptions.
        events: The events.
        classes: The joint importance of the events of each class.
        sets: The minimal hazardous sets, the most probable first.
        missing: Units without a probability.
        overlaps: Units with two probabilities.
        ignored: Probabilities of deviations that cannot occur, since only fault modes
            can.
        timing: The time used.
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
        """The pair between which the probability lies; equal if it is exact."""
        return self.probability.bounds.lower, self.probability.bounds.upper

    @classmethod
    def of(cls, found: Assessment, *, traces: bool = False) -> Risk:
        """Return the figures of an assessment.

        Args:
            found: The assessment; its status says whether it was completed.
            traces: Whether to include a shortest trace for each set.
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
    """The risk of one of two designs.

    Attributes:
        name: Its name.
        probability: The probability for all its properties together.
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
        about: What the candidates belong to, for output.
        meaning: How to read the numbers.
        designs: Both designs.
        only_first: The probability that a violation is possible in the first design
            only; `None` if unknown.
        only_second: The same for the second design.
        status: That of the first incomplete design, if any.
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
        end = ending(designs)
        about = assessed[0].space.about
        rest = change.gone, change.come, end.status, end.reason
        return cls(about, MEANING, designs, *rest)
