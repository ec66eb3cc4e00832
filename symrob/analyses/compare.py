"""Which of two designs is more robust, and a deviation that shows it.

In:  two `Engine`s over one environment, their preconditions checked.
Out: a `Comparison`: the verdict of [S1] Def. 6 and 7; for each side a smallest
     deviation that only it tolerates, with a shortest run that breaks the
     other; and the difference by transition.

One side is at least as robust as the other if it tolerates all that the other
does, for Δ holds the maximal of what is tolerated and all below is tolerated as
well. So it is decided by the search for a witness in each direction, and Δ is
never listed:

1. Screening. A candidate that only one side tolerates alone is a smallest
   witness.
2. If the other side tolerates all that this one tolerates alone, put together,
   there is none.
3. Where both have few maximal deviations, these tell (`dual`).
4. If what breaks the other side is known to break this one, there is none
   (`inclusion`). It is asked before 3 where there are many candidates.
5. A search that is complete (`escape`, `difference`).
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from symrob.analyses.choice import require_same
from symrob.analyses.difference import DifferenceSearch
from symrob.analyses.dual import least_beyond
from symrob.analyses.escape import Escapes
from symrob.analyses.inclusion import breaks_too
from symrob.envelope import tuning
from symrob.envelope.engine import Engine
from symrob.errors import Trace
from symrob.limits import Clock, Stages, Status
from symrob.lts import Lts, Transition
from symrob.lts.deviation import Deviation

Verdict = Literal["equal", "more", "less", "incomparable", "unknown"]

# Seconds for the verdict without the assumptions; the one within them is there before.
UNASSUMED_SECONDS = 5.0


@dataclass(frozen=True)
class Witness:
    """A deviation that one side tolerates and the other does not.

    Attributes:
        deviation: R_E and what is added.
        trace: A shortest run with it that breaks the other side.
        smallest: Whether it is known that none adds fewer transitions.
    """

    deviation: Deviation
    trace: Trace
    smallest: bool


@dataclass(frozen=True)
class Surplus:
    """What one side tolerates beyond the other.

    Attributes:
        exists: Whether there is such a deviation; `None` if a bound was hit
            before that was known.
        witness: One of them, if there is one.
        alone: The candidates that only this side tolerates when added alone.
    """

    exists: bool | None
    witness: Witness | None
    alone: tuple[Transition, ...]


@dataclass(frozen=True)
class Comparison:
    """How the robustness of two sides compares.

    Attributes:
        environment: E.
        first: What the first side tolerates beyond the second.
        second: What the second side tolerates beyond the first.
        tolerated: Number of candidates that both tolerate when added alone;
            `None` if a bound was hit before that was known.
        candidates: Number of candidates, A without R_E.
        status: `complete`; or `limit`, `timeout` or `interrupted` where the
            verdict, or that a witness is smallest, is not known.
        reason: Why it is not complete.

    Source: docs/sources.md [S1], Def. 6, Def. 7.
    """

    environment: Lts
    first: Surplus
    second: Surplus
    tolerated: int | None
    candidates: int
    status: Status = "complete"
    reason: str = ""

    def __repr__(self) -> str:
        return f"Comparison({self.verdict}, {self.status})"

    @property
    def verdict(self) -> Verdict:
        """How robust the first side is, compared with the second.

        `more` and `less` are strict. `unknown` does not say that nothing is
        known: see `first.exists` and `second.exists`.
        """
        return _verdict(self.first.exists, self.second.exists)


def _verdict(first: bool | None, second: bool | None) -> Verdict:
    """The verdict on two sides, by whether each tolerates more than the other."""
    if first and second:
        return "incomparable"
    if first is None or second is None:
        return "unknown"
    if first:
        return "more"
    return "less" if second else "equal"


@dataclass(frozen=True)
class Unassumed:
    """How two sides compare without the constraints of either.

    Attributes:
        verdict: As of `Comparison`.
        status: `complete`, or what stopped the search.
        reason: Why it stopped, for a person.
    """

    verdict: Verdict
    status: Status
    reason: str


class Direction:
    """Whether one side tolerates a deviation that the other does not.

    Args:
        keeper: The side that tolerates it.
        breaker: The side that it breaks.

    Attributes:
        exists: Whether there is one; `None` as long as that is not known.
        added: What the smallest known one adds.
        smallest: Whether it is known to be a smallest.

    A bound that is hit leaves in these what is known.
    """

    def __init__(self, keeper: Engine, breaker: Engine) -> None:
        self._keeper = keeper
        self._breaker = breaker
        self._search: Iterator[frozenset[Transition]] = iter(())
        self._alone: tuple[Transition, ...] | None = None
        self.exists: bool | None = None
        self.added: frozenset[Transition] = frozenset()
        self.smallest = False

    @property
    def alone(self) -> tuple[Transition, ...]:
        """The candidates that only the keeper tolerates alone, sorted."""
        if self._alone is None:
            kept, other = self._keeper.safe_sets.alone, self._breaker.safe_sets.alone
            self._alone = tuple(sorted(kept.without(other)))
        return self._alone

    @property
    def screened(self) -> bool:
        """Whether `alone` is known; no bound kept `settle` from finding it."""
        return self._alone is not None

    def settle(self) -> None:
        """Find out whether there is one, if that is seen without a search.

        Raises:
            LimitExceeded: A bound was hit before that.
        """
        if self.alone:
            self.exists, self.smallest = True, True
            self.added = frozenset({self._telling(self.alone)})
            return
        keeper, breaker = self._keeper, self._breaker
        everything = keeper.safe_sets.alone.with_nominal(keeper.environment)
        with keeper.effort.stage("settle"):
            if breaker.is_safe(everything):
                self.exists = False
                return
            # The search that follows determinises both sides together.
            tests = [self._few_tell, self._is_included]
            if len(keeper.safe_sets.alone) > tuning.MANY_CANDIDATES:
                tests.reverse()
            any(test() for test in tests)

    def _few_tell(self) -> bool:
        """Whether both sides have few deviations, which tell."""
        keeper, breaker = self._keeper, self._breaker
        least = least_beyond(keeper.safe_sets, breaker.safe_sets, keeper.clock)
        if least is not None:
            self.exists = self.smallest = bool(least)
            self.added = least
        return least is not None

    def _is_included(self) -> bool:
        """Whether what breaks the breaker is known to break the keeper."""
        keeper, breaker = self._keeper, self._breaker
        everything = keeper.safe_sets.alone.with_nominal(keeper.environment)
        sides = keeper.problem, breaker.problem
        included = breaks_too(*sides, everything, keeper.backend, keeper.clock)
        if included:
            self.exists = False
        return included

    def search(self) -> None:
        """Find out whether there is one, if `settle` has not.

        Raises:
            LimitExceeded: A bound was hit before that.
        """
        if self.exists is None and self.screened:
            with self._keeper.effort.stage("search"):
                self._search = self._witnesses()
                found = next(self._search, None)
            self.exists = found is not None
            self.added = found or frozenset()

    def shrink(self) -> None:
        """Look for smaller ones, down to a smallest.

        Raises:
            LimitExceeded: A bound was hit before it was known to be smallest.
        """
        if self.exists and not self.smallest:
            with self._keeper.effort.stage("shrink"):
                for added in self._search:
                    self.added = added
            self.smallest = True

    @property
    def surplus(self) -> Surplus:
        """What is known."""
        witness = None
        if self.exists:
            with self._breaker.clock.suspended():
                trace = self._breaker.violation(self.added)
            assert trace is not None, "the other side tolerates the witness"
            base = self._keeper.environment.visible_transitions
            deviation = Deviation(base, self.added, self._keeper.environment)
            witness = Witness(deviation, trace, self.smallest)
        return Surplus(self.exists, witness, self.alone if self.screened else ())

    def _witnesses(self) -> Iterator[frozenset[Transition]]:
        """Search where no single transition decides; see `DifferenceSearch`."""
        keeper = self._keeper
        sets, clock = keeper.safe_sets, keeper.clock
        escapes = Escapes(
            sets.extension,
            sets.determinised,
            self._breaker.safe_sets.determinised,
            clock,
        )
        search = DifferenceSearch(sets, escapes, clock, keeper.effort)
        try:
            # What the keeper tolerates alone, the other side does too.
            yield from search.witnesses(least=2)
        finally:
            search.close()

    def _telling(self, alone: Iterable[Transition]) -> Transition:
        """Choose the transition that is shown.

        First those with an action that E has and never takes: something new
        rather than something known at another moment.
        """
        unused = set(self._keeper.environment.unused_actions)
        return min(alone, key=lambda t: (t.action not in unused, t))


def compare(one: Engine, other: Engine) -> Comparison:
    """Compare the robustness of two sides.

    Args:
        one: The first side, its nominal system safe.
        other: The second side, likewise; over the same environment.

    Returns:
        The comparison; where a bound was hit or the user interrupted, with
        what is known until then.

    Raises:
        SymrobError: The environments differ.

    Cost: screening of both sides, and the search for witnesses: little where
        single transitions or an inclusion decide, else see `DifferenceSearch`.
    Source: docs/sources.md [S1], Def. 6 (controllers), Def. 7 (properties).
    """
    for engine in (one, other):
        engine.problem.require_singles("this comparison")
    require_same(one.environment, other.environment)
    forth, back = Direction(one, other), Direction(other, one)
    stages = Stages(one.clock)
    steps = (
        *(forth.settle, back.settle),
        *(forth.search, back.search),
        *(forth.shrink, back.shrink),
    )
    for step in steps:
        # What is too much for one direction need not be for the other.
        with stages:
            step()
        if one.clock.interrupted:
            break
    return Comparison(
        one.environment,
        forth.surplus,
        back.surplus,
        len(one.safe_sets.alone) - len(forth.alone) if forth.screened else None,
        len(one.candidates),
        stages.status,
        stages.reason,
    )


def unassumed(
    one: Engine, other: Engine, seconds: float = UNASSUMED_SECONDS
) -> Unassumed | None:
    """Compare two sides without their constraints.

    Args:
        one: The first side, as for `compare`.
        other: The second side.
        seconds: What may be spent on it.

    Returns:
        The verdict; `None` where neither side has a constraint.

    Cost: as of `compare`, without a search for the smallest witnesses. Constraints
        rule out most candidates, so it can take far longer than with them.
    """
    if not one.constraints and not other.constraints:
        return None
    clock = one.clock
    forth = Direction(one.unconstrained, other.unconstrained)
    back = Direction(other.unconstrained, one.unconstrained)
    stages = Stages(clock)
    with clock.at_most(seconds), stages:
        for step in (forth.settle, back.settle, forth.search, back.search):
            step()
    reason = undecided(stages, clock, seconds)
    return Unassumed(_verdict(forth.exists, back.exists), stages.status, reason)


def undecided(stages: Stages, clock: Clock, seconds: float) -> str:
    """Say why a question that had so many seconds was not decided.

    Args:
        stages: That asked it.
        clock: Of the run; its own time may have been up before.
        seconds: What the question had.
    """
    if stages.status == "complete":
        return ""
    if stages.status == "timeout" and not clock.is_over:
        return f"not decided in {seconds:g} s"
    return f"not decided: {stages.reason}"


def surplus_deviations(
    one: Engine, other: Engine, known: Surplus | None = None
) -> Generator[Deviation, None, None]:
    """Yield the deviations of Δ of one side that the other does not tolerate.

    These are the maximal deviations of the first side that are not below any
    of the second. All of the first side's Δ is enumerated for them.

    Args:
        one: The first side.
        other: The second side.
        known: What `compare` found for the first side; where it tolerates
            nothing that the other does not, nothing is enumerated.

    Raises:
        SymrobError: The environments differ.
        LimitExceeded: A bound was hit; what was yielded before is valid.
    """
    require_same(one.environment, other.environment)
    if known is not None and known.exists is False:
        return
    for deviation in one.deviations():
        if not other.is_safe(other.deviated(deviation)):
            yield deviation
