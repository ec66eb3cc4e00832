"""What a stranger asks first: what can hurt, how, and what is only assumed.

In:  an `Engine` whose nominal system is safe.
Out: a `Story`: every candidate by its verdict, some of the smallest hazardous sets, or
     of those assumed away where none is hazardous, the most dangerous first, and what
     is safe only because E refuses an action.

It takes a few seconds at most: `cuts` and `explain` go to the end of each question.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass

from symrob.analyses.cuts import Cut, Cuts, Resilience
from symrob.analyses.hazards import Alone, Blocked, Verdict, alone, blocked
from symrob.envelope.engine import Engine
from symrob.envelope.transitions import Candidates
from symrob.errors import LimitExceeded
from symrob.lts import Action, StateId, Transition

# For each of the three questions that can take long.
SECONDS = 5.0
# Sets whose runs are looked at, to show the shortest first.
LOOKED_AT = 40
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
    """

    alone: Alone
    hazards: tuple[Cut, ...]
    assumed_away: tuple[Cut, ...]
    resilience: Resilience
    resilience_without: Resilience
    refused: tuple[Blocked, ...] | None
    refused_with: tuple[Blocked, ...] | None


def tell(engine: Engine) -> Story:
    """Find out what comes first.

    Args:
        engine: The problem, its preconditions checked.

    Raises:
        LimitExceeded: A bound of the run was hit.

    Cost: a screening without the constraints, sets up to the size of the smallest that
        hurt, `LOOKED_AT` shortest runs, a screening for each of `ASKED` candidates; the
        first, the second and the last at most `SECONDS` each.
    """
    judged = alone(engine, SECONDS)
    hazards = _single(engine, judged.hazardous, "hazardous")
    away: tuple[Cut, ...] = ()
    within = without = Resilience(1, 0)
    if not hazards:
        found, within, without = _search(engine, not len(judged.undecided))
        if within.size is not None:
            hazards = found
        else:
            single = _single(engine, judged.assumed_away, "assumed-away")
            away = single or found
        if len(judged.assumed_away):
            without = Resilience(1, 0)
    before, with_one = _refused(engine, judged.tolerated)
    return Story(
        judged,
        _dangerous_first(hazards),
        _dangerous_first(away),
        within,
        without,
        before,
        with_one,
    )


def _single(
    engine: Engine, candidates: Candidates, verdict: Verdict
) -> tuple[Cut, ...]:
    """Sets of one candidate: first one for each action and source, then the others."""
    first: dict[tuple[Action, StateId], Transition] = {}
    others: list[Transition] = []
    for t in candidates:
        if first.setdefault((t.action, t.source), t) != t and len(others) < LOOKED_AT:
            others.append(t)
        if len(first) == LOOKED_AT:
            break
    shown = [*first.values(), *others][:LOOKED_AT]
    return tuple(Cut(frozenset((t,)), verdict, engine) for t in shown)


def _search(
    engine: Engine, without_too: bool
) -> tuple[tuple[Cut, ...], Resilience, Resilience]:
    """The smallest sets of two and more that hurt: hazardous, else assumed away."""
    found: list[Cut] = []
    cuts = Cuts(engine, within_only=not without_too)
    with engine.clock.at_most(SECONDS):
        for cut in cuts:
            if found and (len(cut), cut.verdict) != (len(found[0]), found[0].verdict):
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
    engine.clock.check()
    return tuple(found), cuts.resilience, without


def _dangerous_first(cuts: Iterable[Cut]) -> tuple[Cut, ...]:
    """By the length of the shortest run, then by how little is left when E deviates."""

    def danger(cut: Cut) -> tuple[int, int, list[Transition]]:
        steps = cut.trace.steps
        deviates = next(i for i, step in enumerate(steps) if step.added)
        return len(steps), -deviates, sorted(cut.transitions)

    return tuple(sorted(cuts, key=danger))


def _refused(
    engine: Engine, tolerated: Candidates
) -> tuple[tuple[Blocked, ...] | None, tuple[Blocked, ...] | None]:
    """What E refuses alone, and what it does with each of the tolerated candidates."""
    before: tuple[Blocked, ...] | None = None
    with suppress(LimitExceeded), engine.clock.at_most(SECONDS):
        before = tuple(blocked(engine))
        known = {(b.state, b.action) for b in before}
        if len(tolerated) <= ASKED:
            more = (b for t in tolerated for b in blocked(engine, (t,)))
            return before, tuple(b for b in more if (b.state, b.action) not in known)
    engine.clock.check()
    return before, None
