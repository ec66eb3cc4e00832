"""Choosing one deviation from Δ, for display.

In:  engines, with their preconditions checked.
Out: the largest deviation, the one with a given number, or the two of two designs that
     have the most in common; none of these needs all of Δ. `soon` does not wait for a
     proof that takes long.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Set
from contextlib import closing, nullcontext
from itertools import islice
from typing import NamedTuple, TypeVar

from symrob.analyses.space import Space
from symrob.envelope.engine import Engine
from symrob.errors import Diagnostic, LimitExceeded, SymrobError, plural
from symrob.limits import Stages, Status
from symrob.lts import Lts, Transition
from symrob.lts.deviation import Deviation
from symrob.lts.difference import differences
from symrob.option_spelling import spelled
from symrob.verdicts import BY_GRAVITY, Verdict

Found = TypeVar("Found")
# Candidates of which a deviation is grown and drawn in a moment.
_SOON = 100_000


def largest(engine: Engine) -> Deviation:
    """Return a largest deviation.

    Raises:
        LimitExceeded: A bound was hit before.

    Cost: a MaxSAT problem; Δ is not enumerated.
    """
    return closest(engine, frozenset())


def closest(engine: Engine, other: Set[Transition]) -> Deviation:
    """Return a deviation that has as much as possible in common with a set.

    Among equally close ones, it is one of the largest. For fault modes, the number of
    modes counts that bring something and whose transitions are all in the set.

    Args:
        engine: The problem.
        other: Transitions of A, such as a deviation of another design.

    Raises:
        LimitExceeded: A bound was hit before.

    Cost: a MaxSAT problem; Δ is not enumerated.
    """
    # One in common outweighs all that are not.
    units = engine.problem.units
    if units is None:
        many = len(engine.candidates) + 1
        found = engine.deviations(weight=lambda t: many if t in other else 1)
    else:
        brought = [units.added(1 << m) for m in range(len(units))]
        common = [bool(new) and new <= other for new in brought]
        weights = [len(units) + 1 if same else 1 for same in common]
        found = engine.deviations(mode_weight=weights.__getitem__)
    with closing(found):
        return next(found)


class Choice(NamedTuple):
    """A deviation, and whether it is known to be the requested one.

    Attributes:
        deviation: A maximal deviation.
        status: `complete`, or the user's bound that ended the search for a better one.
        reason: Why it is not known to be the requested one; empty if it is.
    """

    deviation: Deviation
    status: Status = "complete"
    reason: str = ""


def prepare(*engines: Engine) -> None:
    """Screen candidates and build the monitor states, which every deviation needs.

    Raises:
        LimitExceeded: A bound was hit.
    """
    for engine in engines:
        if engine.problem.units is None and not engine.safe_sets.unbroken:
            len(engine.safe_sets.determinised)


def soon(engine: Engine, other: Set[Transition] = frozenset()) -> Choice:
    """Return `closest`, or the best deviation found so far if that takes long.

    If the clock has no time bound, the search takes at most the budget `largest`. An
    interrupt ends the search, too.

    Raises:
        LimitExceeded: A bound was hit before the search; for fault modes, within it. An
            interrupt came, and it takes long to present what was found.
    """
    prepare(engine)
    clock = engine.clock
    if engine.problem.units is not None:
        return Choice(closest(engine, other))
    stages = Stages(clock)
    bounded, seconds = clock.limits.seconds is not None, clock.budget("largest")
    with nullcontext() if bounded else clock.at_most(seconds), stages:
        return Choice(closest(engine, other))
    if clock.interrupted and len(engine.candidates) > _SOON:
        raise LimitExceeded("interrupted", reason="interrupted")
    with clock.suspended():
        seen = engine.safe_sets.seen()
    adds = plural(len(seen.new), "transition")
    reason = f"the deviation shown adds {adds}; another deviation may add more"
    if other:
        reason = "another deviation may share more transitions"
    elif engine.effort.bounds is not None:
        reason += f", at most {engine.effort.bounds[1]:,}"
    status, why = stages.status, stages.reason
    if status == "timeout" and not bounded:
        status = "complete"
        why = spelled(f"not decided in {seconds:g} s; --timeout S allows more time")
    return Choice(seen, status, f"{reason}; {why}")


def numbered(deviations: Generator[Found, None, None], number: int) -> Found:
    """Return a maximal deviation or set by its number, from 1, in order of discovery.

    Args:
        deviations: The deviations, computed during iteration.
        number: The number of the requested one.

    Raises:
        SymrobError: There are fewer.
        LimitExceeded: A bound was hit before it was found.
    """
    with closing(deviations):
        found = list(islice(deviations, number))
    if not 1 <= number <= len(found):
        raise SymrobError(
            Diagnostic(
                "deviation-number",
                f"there is no deviation {number}; deviations are numbered from 1 to "
                f"{len(found) if number > 0 else '|Δ|'}",
            )
        )
    return found[-1]


class ChosenPair(NamedTuple):
    """A deviation of each of two designs.

    Attributes:
        first: Deviation of the first design. second: Deviation of the second design.
        largest: Which of them is the largest of its design: 0 or 1; the other one is
            the closest to it.
    """

    first: Deviation
    second: Deviation
    largest: int


def closest_pair(
    first: Engine,
    second: Engine,
    choose: Callable[[Engine, Set[Transition]], Deviation] = closest,
) -> ChosenPair:
    """Return a deviation of each design, with as much as possible in common.

    One is the largest of its design, the other the closest to it. Of the two ways to
    choose, it takes the one whose deviations share more, then the one whose deviations
    differ less. So the picture of a design that is strictly more robust than another
    shows nothing that only the other tolerates.

    Args:
        first: A design.
        second: Another, in the same environment; see `require_same`.
        choose: `closest`, or a function like it.

    Raises:
        LimitExceeded: A bound was hit before.

    Cost: four MaxSAT problems.
    """
    of_first, of_second = choose(first, frozenset()), choose(second, frozenset())
    pairs = [
        ChosenPair(of_first, choose(second, of_first), 0),
        ChosenPair(choose(first, of_second), of_second, 1),
    ]
    return max(pairs, key=lambda p: (len(p[0] & p[1]), -len(p[0] ^ p[1])))


def require_same(first: Lts, second: Lts) -> None:
    """Require that two environments are equal.

    Raises:
        SymrobError: They differ; all differences are reported.
    """
    problems = [
        Diagnostic(
            "compare-environment",
            f"the environments have {difference}",
            hint="designs can be compared in one environment only",
        )
        for difference in differences(first, second, ("first", "second"))
    ]
    if problems:
        raise SymrobError(problems)


def inert(engine: Engine, deviation: Deviation) -> frozenset[Transition]:
    """Return the transitions of a deviation that can never fire.

    Nothing is known about a deviation that is not robust.

    Cost: a search of the closed loop.
    """
    # What a search that ran out of time has found can still be drawn.
    with engine.clock.suspended():
        robust = engine.is_safe(engine.deviated(deviation))
    return engine.never_firing(deviation) if robust else frozenset()


def tolerated_alone(space: Space) -> frozenset[Transition]:
    """Return the transitions of individually tolerated units.

    A transition that several fault modes bring is included if all of them are
    tolerated.

    Raises:
        SymrobError: E consists of parts.
        LimitExceeded: A bound was hit.

    Cost: that of `Space.alone` without what the assumptions exclude.
    """
    space.required_whole("a picture")
    groups = space.alone(None).groups()
    tolerated = space.brought(groups.pop("tolerated"))
    if space.about.units is None:
        return frozenset(tolerated)
    return frozenset(tolerated).difference(*map(space.brought, groups.values()))


def verdict_of_each(space: Space) -> dict[Transition, Verdict]:
    """Return the verdict on each transition that units bring, each unit alone.

    Raises:
        SymrobError: E consists of parts.
        LimitExceeded: A bound was hit.

    Cost: that of `Space.alone`.
    """
    space.required_whole("a picture")
    judged = space.alone().by_verdict()
    found: dict[Transition, Verdict] = {}
    for verdict in BY_GRAVITY:
        found |= dict.fromkeys(space.brought(judged[verdict]), verdict)
    return found
