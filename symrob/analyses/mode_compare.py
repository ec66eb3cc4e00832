"""Which of two designs forgives more fault modes, and a set that shows it.

In:  two `Engine`s that ask about the same fault modes of one environment.
Out: a `ModeComparison`.

A set that one side tolerates and the other does not holds a minimal set that the other
does not tolerate, which the first side tolerates as well. So the minimal unsafe sets of
the other side, smallest first, are asked of the first: the first one that it tolerates
is a smallest witness, and where it tolerates none, it tolerates nothing more.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from symrob.analyses.choice import require_same
from symrob.analyses.compare import UNASSUMED_SECONDS, Unassumed, Verdict
from symrob.analyses.mode_cuts import UnsafeModes
from symrob.envelope.engine import Engine
from symrob.errors import Diagnostic, SymrobError, Trace
from symrob.limits import Stages, Status
from symrob.problem import Units

# How many modes a message names.
MOST_NAMES = 5


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


def require_same_modes(one: Engine, other: Engine) -> None:
    """Refuse sides that do not ask about the same modes.

    Raises:
        SymrobError: The environments differ, or the modes, or one side has none.
    """
    require_same(one.environment, other.environment)
    ours, theirs = one.problem.units, other.problem.units
    hint = "what is asked about must be named alike and mean the same on both sides"
    if ours is None or theirs is None:
        message = "only one of the sides asks in fault modes"
        raise SymrobError(Diagnostic("compare-modes", message, hint=hint))
    first, second = _meanings(one, ours), _meanings(other, theirs)
    problems = [
        Diagnostic(
            "compare-modes", f"the sides do not ask about the same {what}", hint=hint
        )
        for what in _differences(first, second)
    ]
    if problems:
        raise SymrobError(problems)


def _meanings(engine: Engine, units: Units) -> dict[str, set[tuple[object, ...]]]:
    """What each mode does, whatever it and the states are numbered."""
    called = engine.environment.state_name
    meanings: dict[str, set[tuple[object, ...]]] = {m.name: set() for m in units.modes}
    for (source, action, target), needs in units.steps:
        named = tuple(sorted(units.names(need) for need in needs))
        for name in {name for need in named for name in need}:
            meanings[name].add((called(source), action, called(target), named))
    return meanings


def _differences(
    first: dict[str, set[tuple[object, ...]]],
    second: dict[str, set[tuple[object, ...]]],
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


def surplus(keeper: Engine, breaker: Engine) -> ModeWitness | None:
    """Return a smallest set that the first side tolerates and the second does not.

    Raises:
        LimitExceeded: A bound was hit before that was known.

    Cost: the minimal unsafe sets of the second side.
    """
    units = keeper.mode_sets.units
    sets = UnsafeModes(breaker.mode_sets, breaker.clock, breaker.effort)
    for chosen in sets.by_size():
        same = units.chosen(breaker.mode_sets.units.names(chosen))
        if keeper.mode_sets.is_safe(same):
            # States may be numbered otherwise there.
            trace = breaker.violation(breaker.mode_sets.units.added(chosen))
            assert trace is not None, "the set is safe"
            return ModeWitness(units.names(same), trace)
    return None


def compare_modes(one: Engine, other: Engine) -> ModeComparison:
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


def unassumed_modes(one: Engine, other: Engine) -> Unassumed | None:
    """Compare two sides without their constraints; `None` where neither has any."""
    if not one.constraints and not other.constraints:
        return None
    clock, stages = one.clock, Stages(one.clock)
    verdict: Verdict = "unknown"
    with clock.at_most(UNASSUMED_SECONDS), stages:
        compared = [
            surplus(a.unconstrained, b.unconstrained)
            for a, b in ((one, other), (other, one))
        ]
        verdict = _verdict(*compared)
    reason = stages.reason
    if stages.status == "timeout" and not clock.is_over:
        reason = f"not decided in {UNASSUMED_SECONDS:g} s"
    return Unassumed(verdict, stages.status, reason)


def _verdict(first: ModeWitness | None, second: ModeWitness | None) -> Verdict:
    if first is None:
        return "equal" if second is None else "less"
    return "more" if second is None else "incomparable"
