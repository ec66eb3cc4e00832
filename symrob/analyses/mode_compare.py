"""Which of two designs forgives more fault modes, and a set that shows it.

In:  two problems, `InModes`, about the same fault modes of one environment.
Out: a `ModeComparison`.

A set that one side tolerates and the other does not holds a minimal set that the other
does not tolerate, which the first side tolerates as well. So the minimal unsafe sets of
the other side, smallest first, are asked of the first: the first one that it tolerates
is a smallest witness, and where it tolerates none, it tolerates nothing more.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass

from symrob.analyses.choice import require_same
from symrob.analyses.compare import UNASSUMED_SECONDS, Unassumed, Verdict, undecided
from symrob.analyses.in_modes import InModes
from symrob.analyses.mode_cuts import UnsafeModes
from symrob.analyses.ranking import (
    Cover,
    Exceeds,
    Progress,
    Ranking,
    ordered,
    ordered_soon,
)
from symrob.errors import Diagnostic, SymrobError, Trace
from symrob.limits import Stages, Status
from symrob.lts import Lts

# How many modes a message names.
MOST_NAMES = 5

# Of each mode, by its name, what it does: comparable from side to side.
Meanings = dict[str, set[tuple[object, ...]]]


@dataclass(frozen=True)
class ModeWitness:
    """A smallest set of modes that one side tolerates and the other does not.

    Attributes:
        modes: Their names, sorted.
        trace: A shortest run with them that breaks the other side.
    """

    modes: tuple[str, ...]
    trace: Trace


@dataclass(frozen=True)
class ModeComparison:
    """How two sides compare over fault modes.

    Attributes:
        verdict: Of the first side: `more` is strictly more robust.
        first: What the first side tolerates beyond the second.
        second: What the second side tolerates beyond the first.
        status: `complete`, or what stopped it before the verdict.
        reason: Why it is not complete.
    """

    verdict: Verdict
    first: ModeWitness | None = None
    second: ModeWitness | None = None
    status: Status = "complete"
    reason: str = ""


def require_same_modes(one: InModes, other: InModes) -> None:
    """Refuse sides that do not ask about the same modes.

    Raises:
        SymrobError: The environments differ, or the modes.
    """
    hint = "what is asked about must be named alike and mean the same on both sides"
    require_same_environment(one, other)
    by_steps = one.whole is not None and other.whole is not None
    first, second = (
        _by_steps(side) if by_steps else _by_components(side) for side in (one, other)
    )
    problems = [
        Diagnostic(
            "compare-modes", f"the sides do not ask about the same {what}", hint=hint
        )
        for what in _differences(first, second)
    ]
    if problems:
        raise SymrobError(problems)


def require_same_environment(one: InModes, other: InModes) -> None:
    """Check that two environments are one.

    Raises:
        SymrobError: They differ; everything in which they do.
    """
    if one.whole is not None and other.whole is not None:
        require_same(one.whole.environment, other.whole.environment)
        return
    ours, theirs = (_components(side) for side in (one, other))
    if ours.keys() != theirs.keys():
        message = f"the environments have different components: {_some(sorted(ours))} "
        message += f"and {_some(sorted(theirs))}"
        raise SymrobError(Diagnostic("compare-environment", message))
    for name, component in ours.items():
        require_same(component, theirs[name])


def _components(side: InModes) -> dict[str, Lts]:
    network = side.network
    assert network is not None, "E is composed"
    return dict(zip(network.component_names, network.components, strict=True))


def _by_steps(side: InModes) -> Meanings:
    """What each mode does to E, whatever it and the states are numbered."""
    assert side.whole is not None, "E is in parts"
    units, called = side.units, side.whole.environment.state_name
    meanings: Meanings = {m.name: set() for m in units.modes}
    for (source, action, target), needs in units.steps:
        named = tuple(sorted(units.names(need) for need in needs))
        for name in {name for need in named for name in need}:
            meanings[name].add((called(source), action, called(target), named))
    return meanings


def _by_components(side: InModes) -> Meanings:
    """What each mode does to components, where E is in parts."""
    named = list(_components(side).items())
    return {
        mode.name: {
            (named[i][0], named[i][1].state_name(q), a, named[i][1].state_name(r))
            for i, q, a, r in mode.local
        }
        for mode in side.units.modes
    }


def _differences(
    first: Meanings,
    second: Meanings,
) -> Iterator[str]:
    for which, here, there in (("first", first, second), ("second", second, first)):
        if only := sorted(here.keys() - there.keys()):
            yield f"fault modes: only the {which} has {_some(only)}"
    both = first.keys() & second.keys()
    if other := sorted(name for name in both if first[name] != second[name]):
        yield f"fault modes: {_some(other)} changes E in another way"


def _some(names: list[str]) -> str:
    shown = ", ".join(f"'{name:.200}'" for name in names[:MOST_NAMES])
    more = len(names) - MOST_NAMES
    return f"{shown} and {more:,} more" if more > 0 else shown


def surplus(keeper: InModes, breaker: InModes) -> ModeWitness | None:
    """Return a smallest set that the first side tolerates and the second does not.

    Raises:
        LimitExceeded: A bound was hit before that was known.

    Cost: the minimal unsafe sets of the second side.
    """
    for chosen in UnsafeModes(breaker).by_size():
        names = breaker.units.names(chosen)
        if keeper.is_safe(keeper.units.chosen(names)):
            # States may be numbered otherwise there.
            trace = breaker.violation(chosen)
            assert trace is not None, "the set is safe"
            return ModeWitness(names, trace)
    return None


def compare_modes(one: InModes, other: InModes) -> ModeComparison:
    """Compare two sides over their fault modes.

    Raises:
        SymrobError: They do not ask about the same ones.
    """
    require_same_modes(one, other)
    found: list[ModeWitness | None] = []
    stages = Stages(one.clock)
    for keeper, breaker in ((one, other), (other, one)):
        with stages:
            found.append(surplus(keeper, breaker))
    if len(found) < 2:
        return ModeComparison("unknown", status=stages.status, reason=stages.reason)
    first, second = found
    return ModeComparison(_verdict(first, second), first, second)


def unassumed_modes(one: InModes, other: InModes) -> Unassumed | None:
    """Compare two sides without their constraints; `None` where neither has any."""
    if not one.constrained and not other.constrained:
        return None
    clock, stages = one.clock, Stages(one.clock)
    verdict: Verdict = "unknown"
    with clock.at_most(UNASSUMED_SECONDS), stages:
        compared = [
            surplus(a.unconstrained, b.unconstrained)
            for a, b in ((one, other), (other, one))
        ]
        verdict = _verdict(*compared)
    reason = undecided(stages, clock, UNASSUMED_SECONDS)
    return Unassumed(verdict, stages.status, reason)


def _verdict(first: ModeWitness | None, second: ModeWitness | None) -> Verdict:
    if first is None:
        return "equal" if second is None else "less"
    return "more" if second is None else "incomparable"


@dataclass(frozen=True)
class SurplusSets:
    """The maximal sets of one side that the other does not tolerate.

    Attributes:
        sets: Their names.
        status: `complete`, or what stopped the search.
        reason: Why it is not complete.
    """

    sets: tuple[tuple[str, ...], ...]
    status: Status = "complete"
    reason: str = ""


def surplus_sets(
    keeper: InModes, breaker: InModes, limit: int | None = None
) -> SurplusSets:
    """Find the sets of Δ of the first side that the second does not tolerate.

    Args:
        keeper: The first side.
        breaker: The second; of the same modes.
        limit: At most so many.

    Cost: all of Δ of the first side, and a search for each set.
    """
    found: list[tuple[str, ...]] = []
    stages = Stages(keeper.clock)
    with stages, closing(keeper.maximal()) as sets:
        for chosen in sets:
            names = keeper.units.names(chosen)
            if breaker.is_safe(breaker.units.chosen(names)):
                continue
            if len(found) == limit:
                reason = f"stopped after --limit {limit} sets"
                return SurplusSets(tuple(found), "limit", reason)
            found.append(names)
    return SurplusSets(tuple(found), stages.status, stages.reason)


def rank_modes(
    sides: Sequence[InModes], on_progress: Progress | None = None
) -> Ranking:
    """Order designs by their robustness over fault modes; as of `rank`.

    Raises:
        SymrobError: They do not ask about the same modes.

    Cost: the minimal unsafe sets of a side for each pair that does not follow from
        others.
    """
    for side in sides[1:]:
        require_same_modes(sides[0], side)

    def cover(upper: int, lower: int, keeper: int, breaker: int) -> Cover:
        witness = surplus(sides[keeper], sides[breaker])
        assert witness is not None, "it tolerates no more"
        return Cover(upper, lower, frozenset(), smallest=True, modes=witness.modes)

    return ordered(sides[0].clock, len(sides), _exceeds(sides), cover, on_progress)


def rank_modes_unassumed(sides: Sequence[InModes]) -> Ranking | None:
    """Order designs without their constraints; as of `rank_unassumed`."""
    if not any(side.constrained for side in sides):
        return None
    free = [side.unconstrained for side in sides]
    return ordered_soon(sides[0].clock, len(sides), _exceeds(free), UNASSUMED_SECONDS)


def _exceeds(sides: Sequence[InModes]) -> Exceeds:
    return lambda one, other: surplus(sides[one], sides[other]) is not None
