"""Which of two designs forgives more fault modes, and a set that shows it.

In:  two `Engine`s that ask about the same fault modes of one environment.
Out: a `ModeComparison`.

A set that one side tolerates and the other does not holds a minimal set that the other
does not tolerate, which the first side tolerates as well. So the minimal unsafe sets of
the other side, smallest first, are asked of the first: the first one that it tolerates
is a smallest witness, and where it tolerates none, it tolerates nothing more.
"""

from __future__ import annotations

from dataclasses import dataclass

from symrob.analyses.choice import require_same
from symrob.analyses.compare import UNASSUMED_SECONDS, Unassumed, Verdict
from symrob.analyses.mode_cuts import UnsafeModes
from symrob.envelope.engine import Engine
from symrob.errors import Diagnostic, SymrobError, Trace
from symrob.limits import Stages, Status


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
    if (
        ours is None
        or theirs is None
        or {*ours.modes} != {*theirs.modes}
        or {*ours.steps} != {*theirs.steps}
    ):
        message = "the sides do not ask about the same fault modes"
        raise SymrobError(Diagnostic("compare-modes", message))


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
            trace = breaker.violation(units.added(same))
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
