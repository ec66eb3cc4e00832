"""The summary for many candidates: always, never, or sometimes tolerated.

In:  an `Engine` whose nominal system is safe.
Out: a `Summary`, exact even if Δ is too large to list.

- *Never*: individually unsafe, by screening. - *Always*: in every maximal deviation. t
is not if and only if some safe set S without t becomes unsafe with it: a maximal
deviation that contains S lacks t, and one that lacks t is such an S. A few deviations
and short traces show most contested ones (`shortruns`); a solver finds the others and
proves that there are no more (`flow`). If it takes long, Δ is listed as well, in case
that is faster. - *Inert*: fires in no robust deviation. What fires in some deviation
fires in all that contain it, so checking the maximal ones is enough. A candidate that
is always tolerated and inert can never fire at all; one that is contested and inert is
tolerated only if it cannot fire.

Source: docs/sources.md [S1], Def. 5.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Set
from contextlib import closing, contextmanager
from functools import cached_property
from itertools import islice
from math import inf

from symrob.analyses.flow import FlowQuestion, Grounds, conflicts, firings
from symrob.analyses.hazards import alone_within
from symrob.analyses.pairs import Explorer, PairGraph
from symrob.analyses.reasons import all_reasons, first_reasons
from symrob.analyses.shortruns import Firings, Witnesses
from symrob.analyses.space import About
from symrob.analyses.summary import Reason, Summary
from symrob.envelope import tuning
from symrob.envelope.engine import Engine
from symrob.envelope.exploration import reach
from symrob.envelope.solvers import Undecided
from symrob.envelope.transitions import Candidates
from symrob.errors import LimitExceeded
from symrob.limits import Outcome, Stages
from symrob.lts import Transition
from symrob.lts.deviation import Deviation

# A transition that is told apart takes the room and time of this many states.
STATES_EACH = 20
_LATER = "symrob summary continues"


def summary_of(
    engine: Engine, about: About, *, every_reason: bool | None, at_once: bool
) -> Summary:
    """Judge every candidate; see `Space.summarised`.

    Cost: a few deviations and a short run for each candidate; for each candidate that
        these leave open a solver call, and one more. The formula is linear in the steps
        of the determinised closed loop, the solver's work can be exponential in it.
    """
    if every_reason is None:
        every_reason = len(engine.candidates) <= tuning.ALL_REASONS
    summariser = _Summariser(engine, about)
    return summariser.run(every_reason=every_reason, at_once=at_once)


def inert(engine: Engine, among: Iterable[Transition]) -> frozenset[Transition]:
    """Return those of some candidates that fire in no robust deviation.

    Args:
        engine: The problem, with its preconditions checked.
        among: Individually tolerated candidates.

    Raises:
        LimitExceeded: A bound was hit before all of them were judged.

    Cost: as for `summarise`, of these candidates only.
    """
    return _Summariser(engine).inert(among)


class _Summariser:
    """What was proved so far, of the candidates that are tolerated alone."""

    def __init__(self, engine: Engine, about: About | None = None) -> None:
        self._engine = engine
        self._about = about
        self._envelope = engine.safe_sets
        self._alone = self._envelope.alone
        self._never = engine.candidates.without(self._alone)
        # The closed loop comes first; see `firings`.
        self._objecting = sorted(
            self._envelope.objecting, key=lambda m: m is not engine.closed_loop
        )
        # Not shown to be contested, not shown to fire; listed when asked about.
        self._unbroken: set[Transition] | None = None
        self._not_firing: set[Transition] = set()
        # Shown not to be offered to the environment, whatever is added.
        self._never_offered: Candidates | None = None
        self._always_decided = self._firing_decided = False
        self._deviations = self._envelope.deviations()
        self._listed = False
        self._reasons: tuple[Reason, ...] = ()
        self._all_reasons = False

    def run(self, *, every_reason: bool, at_once: bool) -> Summary:
        stages = Stages(self._engine.clock)
        with closing(self._deviations), stages, self._engine.effort.stage("summary"):
            self._ask(every_reason=every_reason, at_once=at_once)
        return self._summary(stages)

    @cached_property
    def _candidates(self) -> tuple[Transition, ...]:
        return tuple(self._alone)

    def inert(self, among: Iterable[Transition]) -> frozenset[Transition]:
        """Those that fire in no robust deviation."""
        if self._envelope.unbroken:
            unoffered = self._unoffered()
            return frozenset(t for t in among if t in unoffered)
        self._not_firing = set(among)
        if self._not_firing:
            self._list_first()
            self._decide_firing()
        return frozenset(self._not_firing)

    def _ask(self, *, every_reason: bool, at_once: bool) -> None:
        """Ask what is cheap first; each answer is kept at once."""
        self._reasons = first_reasons(self._engine, self._never)
        if self._envelope.unbroken:
            # All of them together are safe, so they are the one deviation.
            self._never_offered = self._unoffered()
            self._firing_decided = True
        else:
            self._tell_apart(at_once=at_once)
        if every_reason:
            self._reasons = all_reasons(self._engine, self._never)
            self._all_reasons = True

    def _tell_apart(self, *, at_once: bool) -> None:
        """Decide what is contested, and what never fires."""
        many, bound = len(self._alone), self._engine.clock.limits.max_states
        if many * STATES_EACH > bound:
            raise LimitExceeded(
                f"conflicts between {many:,} transitions were not searched for; "
                "raise --bound max-states to continue"
            )
        if at_once and many > tuning.JUDGED_AT_ONCE:
            raise LimitExceeded(_LATER)
        self._unbroken = set(self._candidates)
        self._not_firing = set(self._candidates)
        budget = self._engine.clock.budget("at-once")
        with self._in_time(budget if at_once else inf):
            self._list_first()
            self._decide_always()
            self._always_decided = True
            self._decide_firing()
            self._firing_decided = True

    @contextmanager
    def _in_time(self, seconds: float) -> Iterator[None]:
        """Say where else it is told what takes longer."""
        clock = self._engine.clock
        try:
            with clock.at_most(seconds):
                yield
        except LimitExceeded as error:
            clock.check()
            raise LimitExceeded(_LATER) if seconds < inf else error from None

    def _list_first(self) -> None:
        self._list(self._envelope.looked_at_first)

    def _list(self, most: int) -> None:
        """Look at more of the maximal deviations; after the last all is known."""
        for deviation in islice(self._deviations, most):
            self._note_deviation(deviation)
            most -= 1
        self._listed = most > 0

    def _note_deviation(self, deviation: Deviation) -> None:
        """Note what a maximal deviation lacks, and what of it fires."""
        if self._unbroken is not None:
            self._unbroken &= deviation.new
        still = self._not_firing & deviation.new
        if still:
            self._not_firing -= still - self._engine.never_firing(deviation)

    @cached_property
    def _explorer(self) -> Explorer:
        engine = self._engine
        return Explorer(engine.environment, self._candidates, engine.clock)

    @cached_property
    def _grounds(self) -> Grounds:
        """What of all monitors that can object matters for reaching ERROR."""
        engine = self._engine
        risks = PairGraph()
        for monitor in self._objecting:
            risks.add(self._explorer.risks(monitor))
        return Grounds(self._candidates, risks, engine.clock, engine.effort)

    @cached_property
    def _witnesses(self) -> Witnesses:
        return Witnesses(self._grounds.risks)

    def _decide_always(self) -> None:
        """Decide what no deviation has decided: always, or contested."""
        if self._listed:
            return
        engine, unbroken = self._engine, self._unbroken
        assert unbroken is not None
        for number, transition in enumerate(self._candidates, 1):
            engine.clock.check()
            if transition not in unbroken:
                continue
            if self._witnesses.breaking(number) is not None:
                unbroken.discard(transition)
        question = conflicts(self._grounds, unbroken)
        self._settle(question, unbroken)

    def _decide_firing(self) -> None:
        """Decide what has not been seen to fire."""
        if self._listed:
            return
        self._never_offered = self._unoffered()
        if not all(t in self._never_offered for t in self._not_firing):
            self._decide_firing_by_runs(self._explorer.runs(self._engine.closed_loop))

    def _unoffered(self) -> Candidates:
        """What is not offered even where all is added that is tolerated alone."""
        engine, alone = self._engine, self._alone
        loop = engine.closed_loop
        everything = alone.with_nominal(engine.environment)
        met = reach(loop, everything, engine.clock, past_error=True)
        assert met is not None
        masks = [
            [
                0 if mask and states & loop.offers(action) != loop.empty else mask
                for action, mask in zip(alone.actions, row, strict=True)
            ]
            for states, row in zip(met, alone.masks, strict=True)
        ]
        return Candidates(alone.actions, masks)

    def _decide_firing_by_runs(self, runs: PairGraph) -> None:
        """Decide what may fire, but has not been seen to."""
        engine = self._engine
        short = Firings(runs, self._witnesses)
        for number, transition in enumerate(self._candidates, 1):
            engine.clock.check()
            if transition in self._not_firing and short.firing(number) is not None:
                self._not_firing.discard(transition)
        alike = engine.closed_loop in self._objecting
        question = firings(self._grounds, self._not_firing, runs, alike=alike)
        self._settle(question, self._not_firing)

    def _settle(self, question: FlowQuestion, left: Set[Transition]) -> None:
        """Go on until a question is answered for all that is left.

        The solver and the list of all deviations take turns, each with more
        time than before: which of the two ends sooner, nobody can tell.
        """
        share = 1
        while not self._listed:
            try:
                for chosen in question.answers(left, share * tuning.TURN_CONFLICTS):
                    # The grown set shows what the answer is about.
                    self._note_deviation(self._envelope.grown(chosen))
                return
            except Undecided:
                self._list(share * tuning.TURN_DEVIATIONS)
            share *= 2

    def _summary(self, outcome: Outcome) -> Summary:
        environment, alone = self._engine.environment, self._alone
        never_offered = self._never_offered or alone.without(alone)

        def of(transitions: Iterable[Transition]) -> Candidates:
            return Candidates.of(environment, transitions)

        # What was not listed is all unbroken, and not seen to fire.
        unbroken = alone if self._unbroken is None else of(self._unbroken)
        if self._firing_decided and self._envelope.unbroken:
            not_firing = never_offered
        else:
            not_firing = alone if self._unbroken is None else of(self._not_firing)
        decided = self._always_decided or self._envelope.unbroken
        none = alone.without(alone)
        inert = not_firing if self._firing_decided else never_offered
        assert self._about is not None, "a summary is about something"
        return Summary(
            self._about,
            alone_within(self._engine),
            self._never,
            unbroken if decided else none,
            alone.without(unbroken),
            none if decided else unbroken,
            inert,
            not_firing.without(inert),
            self._reasons,
            self._all_reasons,
            status=outcome.status,
            reason=outcome.reason,
        )
