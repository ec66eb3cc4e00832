"""The story of a case: the main hazards, with traces, and what is only assumed.

In:  a `Space`.
Out: a `Story`: all units by verdict; some of the smallest hazardous sets, or, if there
     are none, of the excluded unsafe ones, the most dangerous first; and the actions
     because of whose refusal by E alone the system is safe.

It takes a few seconds at most: `cuts` and `explain` answer each question completely. If
screening without the constraints takes too long, the excluded unsafe sets are some of
the self-loops that E refuses; see `probe`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from decimal import Decimal
from itertools import islice
from math import inf
from types import MappingProxyType
from typing import Any

from symrob.analyses.cut import LOOKED_AT, Cut, danger
from symrob.analyses.cuts import UNKNOWN, Cuts, Resilience
from symrob.analyses.hazards import Alone, Blocked
from symrob.analyses.space import Space
from symrob.analyses.steps import DeviatedSteps, deviated_steps
from symrob.doing import Doing
from symrob.limits import Stages, Status
from symrob.problem import Many, Unit, UnitSet
from symrob.verdicts import Verdict

# Tolerated candidates that are asked whether E refuses something with them.
ASKED = 300


@dataclass(frozen=True)
class Story:
    """The main hazards, and what is only assumed.

    Attributes:
        alone: All candidates by verdict.
        hazards: Some of the smallest hazardous sets, the most dangerous first.
        excluded_unsafe: If none is hazardous, the same for the excluded unsafe sets.
        resilience: How many units a violation within the assumptions needs, as far as
            was found.
        resilience_without: The same without the assumptions.
        refused: The actions that C offers and E by itself refuses, and must refuse;
            `None` if that took too long.
        refused_with: The same with individually tolerated candidates, beyond what E
            refuses by itself; `None` if it took too long, or they are too many.
        deviated_steps: How many deviated steps a violation needs; `None` if nothing is
            hazardous, or it took too long.
        seconds: The time budget of each question.
        status: `complete`, or what stopped it; then it holds what was found.
        reason: Why it was stopped, as text.
    """

    alone: Alone[Many] = field(metadata={"json": False})
    hazards: tuple[Cut, ...] = ()
    excluded_unsafe: tuple[Cut, ...] = ()
    resilience: Resilience = UNKNOWN
    resilience_without: Resilience = UNKNOWN
    refused: tuple[Blocked, ...] | None = None
    refused_with: tuple[Blocked, ...] | None = None
    deviated_steps: DeviatedSteps | None = None
    seconds: float = field(default=0.0, compare=False)
    status: Status = "complete"
    reason: str = ""


def tell(space: Space, chances: Mapping[Unit, Decimal] = MappingProxyType({})) -> Story:
    """Compute the story of a problem.

    Args:
        space: The problem.
        chances: The probabilities of units, as far as known.

    Returns:
        The story. If a bound of the run is hit or the user interrupts after screening,
        parts that were not found are missing.

    Raises:
        LimitExceeded: A bound of the run was hit while screening.

    Cost: a screening without the constraints, sets up to the size of the smallest
        violating ones, `LOOKED_AT` shortest traces, a screening for each of `ASKED`
        units; each at most the budget `story`, and half of the time that the run has
        left.
    """
    return Teller(space, chances).tell()


class Teller:
    """Answers one question after the other, cheap ones first, and keeps each answer.

    Args:
        space: The problem.
        chances: See `tell`.

    Attributes:
        known: What is known so far.

    Raises:
        LimitExceeded: A bound of the run was hit while screening.
    """

    def __init__(
        self, space: Space, chances: Mapping[Unit, Decimal] = MappingProxyType({})
    ) -> None:
        self._space, self._chances = space, chances
        self._stages = Stages(space.clock)
        self._judged = False
        seconds = space.clock.budget("story")
        self.known = Story(space.alone(None), seconds=seconds)
        # Each with its run, once that is found.
        self._cuts: dict[UnitSet, Cut] = {}

    def judge(self) -> Story:
        """Return the verdicts, and what was found on the way."""
        if not self._judged:
            self._judged = True
            self._run(self._judge)
            if len(self.known.alone.undecided):
                self._run(self._ask_what_is_refused, self._try_what_is_refused)
        return self.known

    def tell(self) -> Story:
        """Return the complete story; see `tell`."""
        self.judge()
        if self.known.refused is None:
            self._run(self._ask_what_is_refused)
        self._run(
            *(self._tell_what_is_known, self._tell_the_smallest),
            *(self._count_steps, self._ask_what_is_tolerated),
        )
        return replace(
            self.known, status=self._stages.status, reason=self._stages.reason
        )

    def _run(self, *steps: Callable[[], None]) -> None:
        for step in steps:
            if not self._space.clock.interrupted:
                with self._stages, Doing("searching for hazards"):
                    step()

    def _learn(self, **answers: object) -> None:
        self.known = replace(self.known, **answers)  # type: ignore[arg-type]

    def _share(self, part: float = 0.5) -> float:
        """Seconds for a question: there are others behind it."""
        clock = self._space.clock
        left = inf if clock.remaining is None else max(clock.remaining, 0.0) * part
        return min(clock.budget("story"), left)

    def _ask_what_is_refused(self) -> None:
        """What E alone refuses of what C offers."""
        space = self._space
        with space.clock.allow(self._share(0.25)):
            self._learn(refused=space.blocked())

    def _try_what_is_refused(self) -> None:
        """What is refused and hurts, where it takes too long to judge everything."""
        alone = self.known.alone
        with self._space.clock.at_most(self._share(0.7)):
            hurting = self._space.hurting(alone, self.known.refused)
        if len(hurting):
            self._learn(
                alone=replace(
                    alone,
                    excluded_unsafe=hurting,
                    undecided=alone.undecided.without(hurting),
                ),
                resilience_without=Resilience(1, 0),
            )

    def _judge(self) -> None:
        """What of all that breaks an assumption hurts without it."""
        judged = self._space.alone(self._share())
        if not len(judged.undecided):
            self._learn(alone=judged)
        if len(judged.excluded_unsafe):
            self._learn(resilience_without=Resilience(1, 0))
        self._space.clock.check()

    def _tell_what_is_known(self) -> None:
        """What is hazardous alone; where nothing is, what an assumption excludes."""
        alone = self.known.alone
        if len(alone.hazardous):
            one = Resilience(1, 0)
            self._learn(resilience=one, resilience_without=one)
            self._tell("hazards", self._single(alone.hazardous, "hazardous"))
        elif len(alone.excluded_unsafe):
            single = self._single(alone.excluded_unsafe, "excluded-unsafe")
            self._tell("excluded_unsafe", single)

    def _tell_the_smallest(self) -> None:
        """The smallest hazardous sets; where there are none, the excluded ones."""
        if self.known.hazards or len(self.known.alone.hazardous):
            return
        found = self._search(without_too=not len(self.known.alone.undecided))
        if found and found[0].verdict == "hazardous":
            self._learn(excluded_unsafe=())
            self._tell("hazards", found)
        elif not len(self.known.alone.excluded_unsafe):
            self._tell("excluded_unsafe", found)
        self._space.clock.check()

    def _count_steps(self) -> None:
        """How many deviated steps a violation needs."""
        with self._space.clock.allow(self._share()):
            found = deviated_steps(self._space, self.known.hazards)
            self._learn(deviated_steps=found)

    def _ask_what_is_tolerated(self) -> None:
        """What E refuses with each of the candidates that are tolerated."""
        tolerated, refused = self.known.alone.tolerated, self.known.refused
        if len(tolerated) > ASKED or refused is None:
            return
        space = self._space
        known = {(b.state, b.action) for b in refused}
        with space.clock.allow(self._share()):
            each = [frozenset((unit,)) for unit in tolerated]
            self._learn(refused_with=space.blocked_with(each, known))

    def _single(self, many: Many, verdict: Verdict) -> tuple[Cut, ...]:
        likely = sorted(self._chances, key=lambda unit: -self._chances[unit])
        first = islice((unit for unit in likely if unit in many), LOOKED_AT)
        shown = dict.fromkeys((*first, *self._space.typical(many, LOOKED_AT)))
        return tuple(
            Cut(frozenset((t,)), verdict, self._space) for t in islice(shown, LOOKED_AT)
        )

    def _search(self, *, without_too: bool) -> tuple[Cut, ...]:
        """The smallest sets of two and more that hurt: hazardous, else excluded."""
        found: list[Cut] = []
        space = self._space
        cuts = Cuts(self._space, within_only=not without_too)
        single = self.known.resilience_without.size == 1
        with space.clock.at_most(self._share()):
            for cut in cuts:
                if found and (len(cut), cut.verdict) != (
                    len(found[0]),
                    found[0].verdict,
                ):
                    break
                found.append(cut)
                if len(found) == LOOKED_AT:
                    break
            without = cuts.resilience_without
            if found and found[0].verdict == "hazardous" and without_too:
                # Excluded unsafe sets may be smaller.
                smaller = Cuts(self._space, smallest=True)
                for _ in smaller:
                    pass
                without = smaller.resilience_without
        self._learn(
            resilience=cuts.resilience,
            resilience_without=Resilience(1, 0) if single else without,
        )
        return tuple(found)

    def _danger(self, cut: Cut) -> tuple[Any, ...]:
        return danger(cut, self._chances)

    def _tell(self, where: str, cuts: Iterable[Cut]) -> None:
        """Keep those whose shortest trace is found in time, the most dangerous first.

        Where the user is in a hurry, those are told that have their run already.
        """
        space, told = self._space, []
        try:
            with space.clock.allow(self._share()):
                for cut in cuts:
                    known = self._cuts.setdefault(cut.units, cut)
                    known.find_trace()
                    _ = known.assumptions  # Kept in it.
                    told.append(known)
        finally:
            if told:
                self._learn(**{where: tuple(sorted(told, key=self._danger))})
