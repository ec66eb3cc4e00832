"""What a stranger asks first: what can hurt, how, and what is only assumed.

In:  an `Engine` whose nominal system is safe.
Out: a `Story`: every candidate by its verdict, some of the smallest hazardous sets, or
     of those assumed away where none is hazardous, the most dangerous first, and what
     is safe only because E refuses an action.

It takes a few seconds at most: `cuts` and `explain` go to the end of each question.
Where screening without the constraints takes too long, the sets assumed away are some
of the loops that E refuses; see `probe`.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, replace

from symrob.analyses.cut import LOOKED_AT, Cut, danger, first_singles
from symrob.analyses.cuts import UNKNOWN, Cuts, Resilience
from symrob.analyses.hazards import (
    Alone,
    Blocked,
    Verdict,
    alone,
    alone_within,
    blocked,
)
from symrob.analyses.probe import hurting_alone
from symrob.envelope.engine import Engine
from symrob.envelope.transitions import Candidates
from symrob.errors import LimitExceeded
from symrob.limits import Stages, Status
from symrob.lts import Transition

# For each of the questions that can take long.
SECONDS = 5.0
# Tolerated candidates that are asked whether E refuses something with them.
ASKED = 300


@dataclass(frozen=True)
class Story:
    """What can hurt, and what is only assumed.

    Attributes:
        alone: Every candidate by its verdict.
        hazards: Some of the smallest hazardous sets, the most dangerous first.
        assumed_away: The same of the sets assumed away, where nothing is hazardous.
        resilience: What it takes to hurt within the assumptions, as far as was found.
        resilience_without: The same without them.
        refused: What E alone refuses of what C offers, and must refuse; `None` where
            that took too long.
        refused_with: The same for candidates that are tolerated, where E alone does not
            refuse it; `None` where it took too long, or they are too many to ask.
        status: `complete`, or what stopped it; then it holds what was found.
        reason: Why it was stopped, for a person.
    """

    alone: Alone
    hazards: tuple[Cut, ...] = ()
    assumed_away: tuple[Cut, ...] = ()
    resilience: Resilience = UNKNOWN
    resilience_without: Resilience = UNKNOWN
    refused: tuple[Blocked, ...] | None = None
    refused_with: tuple[Blocked, ...] | None = None
    status: Status = "complete"
    reason: str = ""


def tell(engine: Engine) -> Story:
    """Find out what comes first.

    Args:
        engine: The problem, its preconditions checked.

    Returns:
        The story. Where a bound of the run is hit or the user interrupts after
        screening, it lacks what was not found until then.

    Raises:
        LimitExceeded: A bound of the run was hit while screening.

    Cost: a screening without the constraints, sets up to the size of the smallest that
        hurt, `LOOKED_AT` shortest runs, a screening for each of `ASKED` candidates;
        each at most `SECONDS`, and at most half of the time that the run has left.
    """
    teller = _Teller(engine)
    stages = Stages(engine.clock)
    for step in (
        *(teller.ask_what_is_refused, teller.tell_what_is_known),
        *(teller.judge, teller.tell_the_smallest, teller.ask_what_is_tolerated),
    ):
        if not engine.clock.interrupted:
            with stages:
                step()
    return replace(teller.known, status=stages.status, reason=stages.reason)


class _Teller:
    """Asks one question after the other, the cheap ones first, and keeps each answer.

    Attributes:
        known: What is known so far.
    """

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self.known = Story(alone_within(engine))
        # Each with its run, once that is found.
        self._cuts: dict[frozenset[Transition], Cut] = {}

    def _learn(self, **answers: object) -> None:
        self.known = replace(self.known, **answers)  # type: ignore[arg-type]

    def _share(self, part: float = 0.5) -> float:
        """Seconds for a question: there are others behind it."""
        left = self._engine.clock.remaining
        return SECONDS if left is None else min(SECONDS, max(left, 0.0) * part)

    def ask_what_is_refused(self) -> None:
        """What E alone refuses of what C offers."""
        engine = self._engine
        with suppress(LimitExceeded), engine.clock.at_most(self._share(0.25)):
            self._learn(refused=tuple(blocked(engine)))
        engine.clock.check()

    def tell_what_is_known(self) -> None:
        """What is hazardous alone, or else what is refused and breaks an assumption."""
        alone = self.known.alone
        if len(alone.hazardous):
            single = Resilience(1, 0)
            self._learn(resilience=single, resilience_without=single)
            self._tell("hazards", self._single(alone.hazardous, "hazardous"))
            return
        hurting = Candidates.of(self._engine.environment, self._refused_loops())
        hurting = hurting.within(alone.undecided)
        if len(hurting):
            self._learn(
                alone=replace(
                    alone,
                    assumed_away=hurting,
                    undecided=alone.undecided.without(hurting),
                ),
                resilience_without=Resilience(1, 0),
            )
            self._tell("assumed_away", self._single(hurting, "assumed-away"))

    def _refused_loops(self) -> list[Transition]:
        """Loops that hurt alone: all, or those that are found by trying."""
        engine = self._engine
        if self.known.refused is not None:
            return [Transition(b.state, b.action, b.state) for b in self.known.refused]
        found: list[Transition] = []
        with suppress(LimitExceeded), engine.clock.at_most(self._share(0.7)):
            found.extend(hurting_alone(engine, self.known.alone.undecided))
        return found

    def judge(self) -> None:
        """What of all that breaks an assumption hurts without it."""
        judged = alone(self._engine, self._share())
        if not len(judged.undecided):
            self._learn(alone=judged)
        if len(judged.assumed_away):
            self._learn(resilience_without=Resilience(1, 0))
        self._engine.clock.check()

    def tell_the_smallest(self) -> None:
        """The smallest hazardous sets; where there are none, those assumed away."""
        if self.known.hazards or len(self.known.alone.hazardous):
            return
        found = self._search(without_too=not len(self.known.alone.undecided))
        if found and found[0].verdict == "hazardous":
            self._learn(assumed_away=())
            self._tell("hazards", found)
        else:
            single = self._single(self.known.alone.assumed_away, "assumed-away")
            self._tell("assumed_away", single or found)
        self._engine.clock.check()

    def ask_what_is_tolerated(self) -> None:
        """What E refuses with each of the candidates that are tolerated."""
        tolerated, refused = self.known.alone.tolerated, self.known.refused
        if len(tolerated) > ASKED or refused is None:
            return
        engine = self._engine
        known = {(b.state, b.action) for b in refused}
        with suppress(LimitExceeded), engine.clock.at_most(self._share()):
            more = [b for t in tolerated for b in blocked(engine, (t,), known)]
            self._learn(refused_with=tuple(more))
        engine.clock.check()

    def _single(self, candidates: Candidates, verdict: Verdict) -> tuple[Cut, ...]:
        shown = first_singles(candidates)
        return tuple(Cut(frozenset((t,)), verdict, self._engine) for t in shown)

    def _search(self, *, without_too: bool) -> tuple[Cut, ...]:
        """The smallest sets of two and more that hurt: hazardous, else assumed away."""
        found: list[Cut] = []
        engine = self._engine
        cuts = Cuts(engine, within_only=not without_too)
        single = self.known.resilience_without.size == 1
        with engine.clock.at_most(self._share()):
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
                # What is assumed away may be smaller.
                smaller = Cuts(engine, smallest=True)
                for _ in smaller:
                    pass
                without = smaller.resilience_without
        self._learn(
            resilience=cuts.resilience,
            resilience_without=Resilience(1, 0) if single else without,
        )
        return tuple(found)

    def _tell(self, where: str, cuts: Iterable[Cut]) -> None:
        """Keep those whose shortest run is found in time, the most dangerous first.

        Where the user is in a hurry, those are told that have their run already.
        """
        engine, told = self._engine, []
        try:
            with suppress(LimitExceeded), engine.clock.at_most(self._share()):
                for cut in cuts:
                    known = self._cuts.setdefault(cut.transitions, cut)
                    known.find_trace()
                    told.append(known)
        finally:
            if told:
                self._learn(**{where: tuple(sorted(told, key=danger))})
        engine.clock.check()
