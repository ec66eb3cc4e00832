"""Δ as it is being computed, and what is known when it is done.

In:  an `Engine`.
Out: a `SafetyEnvelope`: iterate over it for the deviations, in the order in which
     they are found; afterwards it knows whether it is complete.
"""

from __future__ import annotations

from collections.abc import (
    Callable,
    Generator,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
)
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING, Any

from symrob.api.algorithms import deviations
from symrob.api.delta import Delta
from symrob.envelope.engine import Engine, Statistics
from symrob.errors import Diagnostic, SymrobError, require_count
from symrob.limits import Clock, Limits, Stages, Status
from symrob.lts import Lts, Transition
from symrob.lts.deviation import Deviation
from symrob.problem import Problem

if TYPE_CHECKING:
    from symrob.analyses.cuts import Cuts
    from symrob.analyses.deadlocks import SideReport
    from symrob.analyses.explain import Explanation
    from symrob.analyses.in_modes import InModes
    from symrob.analyses.summary import Summary
    from symrob.api.exploration import Exploration
    from symrob.risk.assessment import Assessment

Progress = Callable[[int, float], None]


class SafetyEnvelope:
    """Δ(E, C, P, P_env): the maximal robust deviations.

    Iterating yields each `Deviation` as soon as it is found, and once found it
    is kept, so that a second iteration starts with it at once. An iteration
    ends early, without an exception, when a bound is hit or the user
    interrupts; `status` tells, and what was yielded is valid.

    Args:
        engine: The problem, its preconditions checked.
        algorithm: Which algorithm runs.
        deviations: Its deviations, yet to be computed.
        limit: Stop after this many; `None` for all.
        largest: Only so many were asked for; they come by decreasing weight.
        repeatable: Whether they would come in the same order again.
        on_progress: Called with the number found and the seconds elapsed after
            each deviation.

    Attributes:
        algorithm: The algorithm.
        status: `running` until the last deviation is out, then `complete`, or
            `limit`, `timeout` or `interrupted` where something is missing.
        largest_asked: How many were asked for, if only the largest were.

    Source: docs/sources.md [S1], Def. 5.
    """

    def __init__(
        self,
        engine: Engine,
        algorithm: str,
        deviations: Generator[Deviation, None, None],
        *,
        limit: int | None = None,
        largest: int | None = None,
        repeatable: bool = True,
        on_progress: Progress | None = None,
    ) -> None:
        self.engine = engine
        self.algorithm = algorithm
        self.status: Status = "running"
        self.reason = ""
        self._source = deviations
        self._found = Delta(engine.environment)
        self.largest_asked = largest
        self._repeatable = repeatable and largest is None
        self._limit = limit
        self._on_progress = on_progress
        self._seconds: float | None = None

    @property
    def asked(self) -> Engine | InModes:
        """The problem as questions about sets are put to it."""
        engine = self.engine
        if engine.problem.units is None:
            return engine
        from symrob.analyses.in_modes import InModes

        return InModes([engine])

    @property
    def environment(self) -> Lts:
        """E, with any extra states."""
        return self.engine.environment

    @property
    def clock(self) -> Clock:
        """Of the run."""
        return self.engine.clock

    @property
    def warnings(self) -> tuple[Diagnostic, ...]:
        """What may be a mistake in the problem, though it has a meaning."""
        return self.engine.problem.warnings

    @property
    def statistics(self) -> Statistics:
        """The figures of the paper's Table 1; computed when first asked for."""
        return self.engine.statistics

    @property
    def seconds(self) -> float:
        """Time from the start of the analysis to its last deviation."""
        clock = self.engine.clock
        return clock.elapsed if self._seconds is None else self._seconds

    @property
    def complete(self) -> bool:
        """Whether all of Δ is known; computes the rest of it."""
        for _ in self:
            pass
        return self.status == "complete"

    def __iter__(self) -> Iterator[Deviation]:
        """Yield what is known, then what is still to be found."""
        index = 0
        while True:
            if index < len(self._found):
                yield self._found[index]
            elif (deviation := self._advance()) is not None:
                yield deviation
            else:
                return
            index += 1

    def __len__(self) -> int:
        """Return the number of deviations; computes them all."""
        return sum(1 for _ in self)

    @property
    def as_asked(self) -> bool:
        """Whether all that were asked for are there, if only the largest were."""
        return self.status == "limit" and len(self._found) == self.largest_asked

    @property
    def largest(self) -> int:
        """Return |d_max|, 0 if no deviation was found."""
        return max((len(d) for d in self), default=0)

    def never_firing(self, deviation: Deviation) -> frozenset[Transition]:
        """Return the transitions of a deviation that can never fire in E_d‖C."""
        return self.engine.never_firing(deviation)

    def cuts(
        self,
        order: int | None = None,
        *,
        limit: int | None = None,
        outside: bool = False,
    ) -> Cuts:
        """Return the minimal hazardous sets, then those assumed away, smallest first.

        They are found while they are iterated over; Δ need not be.

        Args:
            order: Only sets of at most so many transitions; at least 1.
            limit: Stop after so many sets; at least 1.
            outside: Also those that only break an assumption.
        """
        from symrob.analyses.mode_cuts import cuts_of

        require_count("order", order, 1)
        require_count("limit", limit, 1)
        return cuts_of(self.engine, order=order, limit=limit, outside=outside)

    def risk(
        self, probability: Mapping[str, Any], *, gap: float | None = None
    ) -> Assessment:
        """Say how likely it is that what is possible can hurt; see docs/risk.md.

        Args:
            probability: As the table `[probability]` of a case: by the name of a fault
                mode, or an expression for candidates such as `*,unplug,*` or
                `class:omission`, a probability or `{"rate": …, "time": …}`.
            gap: Stop as soon as the probability is known up to this.

        Returns:
            The probability, exact or within bounds, as `together.bounds` and by
            property in `parts`; `contributions` of the minimal hazardous sets,
            `importance` of events.

        Raises:
            SymrobError: The table is wrong, or an expression means nothing; all
                problems of one kind.

        Cost: that of `cuts` among the events, then of their decision diagram.
        """
        from symrob.api.chances import assess

        return assess(self.engine, probability, gap)

    def explain(
        self, transitions: Iterable[Sequence[Any]], *, deviations: int | None = None
    ) -> Explanation:
        """Say whether E stays safe with some transitions, and why.

        Args:
            transitions: Triples (source, action, target) with states by number or
                name; those of R_E are there in any case. `symrob.parse_transitions`
                makes them of text.
            deviations: Give so many of the maximal deviations that hold them all.

        Raises:
            SymrobError: Some have states or actions that E lacks.
            LimitExceeded: A bound was hit before the verdict.
        """
        from symrob.analyses.explain import DEVIATIONS, explain

        require_count("deviations", deviations, 0)
        wanted = DEVIATIONS if deviations is None else deviations
        return explain(self.engine, transitions, deviations=wanted)

    def summary(
        self, *, every_reason: bool | None = None, at_once: bool = False
    ) -> Summary:
        """Judge every transition that could be added, without listing all of Δ.

        Args:
            every_reason: As for `symrob.analyses.summary.summarise`.
            at_once: Likewise.

        Raises:
            LimitExceeded: A bound was hit while screening.

        Cost: see `symrob.analyses.summary.summarise`.
        """
        from symrob.analyses.summary import summarise

        return summarise(self.engine, every_reason=every_reason, at_once=at_once)

    def monitor(
        self,
        target: str = "python",
        observe: Sequence[str] = (),
        *,
        name: str = "monitor",
    ) -> str:
        """Write a program that tells at run time how a run stands.

        Args:
            target: One of `symrob.monitor.targets.TARGETS`.
            observe: Names of the actions of E or C that are observed, with `*` for any
                text; by default the actions of E.
            name: Of what is defined.

        Raises:
            SymrobError: A name fits no action, or the target is not known.
            LimitExceeded: A bound was hit.
        """
        from symrob.monitor.build import runtime_monitor
        from symrob.monitor.targets import require_target, text_of

        require_target(target)
        return text_of(runtime_monitor(self.engine, "", observe), target, name)

    def to_frame(self) -> Any:
        """Return Δ as a `pandas.DataFrame`; see `symrob.api.tables.frame_of`."""
        from symrob.api.tables import frame_of

        return frame_of(self.environment, self)

    def to_networkx(self) -> Any:
        """Return Δ as a `networkx.MultiDiGraph`; see `symrob.api.tables.graph_of`."""
        from symrob.api.tables import graph_of

        return graph_of(self.environment, self)

    def explore(
        self, other: SafetyEnvelope | None = None, *, names: Sequence[str] = ("A", "B")
    ) -> Exploration:
        """Return what Jupyter shows as a page in which every what-if can be asked.

        Args:
            other: Another design over the same environment, to be asked the same.
            names: What the two are called.

        Raises:
            SymrobError: The environments differ, or there are not two names.
        """
        from symrob.analyses.choice import require_same
        from symrob.api.exploration import Exploration

        engines = (self.engine,) if other is None else (self.engine, other.engine)
        require_same(engines[0].environment, engines[-1].environment)
        called = tuple(names)
        if len(called) != 2 or not all(isinstance(name, str) for name in called):
            message = "names: expected what the two designs are called"
            raise SymrobError(Diagnostic("api-argument", message))
        return Exploration(engines, called[: len(engines)])

    def side_report(self, most: int | None = None) -> SideReport:
        """Look for deadlocks that the deviations bring, and idle properties.

        Args:
            most: Look at this many deviations; finds them if need be.

        Cost: a reachability run for each of these deviations.
        """
        from symrob.analyses.deadlocks import LOOKED_AT, side_report

        require_count("most", most, 0)
        side = side_report(self.engine, self, most=LOOKED_AT if most is None else most)
        ended = side.all_of_them and self.status == "complete"
        return replace(side, all_of_them=ended)

    def __repr__(self) -> str:
        found = f"{len(self._found)} deviations found"
        return f"{type(self).__name__}({self.status}, {found})"

    def __reduce__(self) -> tuple[Callable[..., SafetyEnvelope], tuple[Any, ...]]:
        """Copy what was found, and the problem; BDDs are made anew.

        A copy of what is not finished goes on behind what was found, unless that came
        in an order that does not come again: then the rest is found first.
        """
        if not self._repeatable:
            len(self)
        engine = self.engine
        return _copied, (
            *(type(self), engine.problem, engine.backend, self.algorithm),
            *(self.status, self.reason, [*self._found], self.seconds),
            *(self.largest_asked, self._limit, engine.clock.limits),
        )

    def _advance(self) -> Deviation | None:
        """Find one more deviation; `None` when there is none to come."""
        if self.status != "running":
            return None
        deviation = None
        stages = Stages(self.engine.clock)
        count = len(self._found)
        enough = count > 0 and count in (self.largest_asked, self._limit)
        with stages:
            deviation = next(self._source, None)
            if deviation is not None and not enough:
                self._found.append(deviation)
        if deviation is None or stages.status != "complete":
            reason = stages.reason
            if self.engine.effort.bounds and stages.status != "complete":
                least, most = self.engine.effort.bounds
                reason += f"; the next one adds a weight of {least:,} to {most:,}"
            self._end(stages.status, reason)
            return None
        if enough and count == self.largest_asked:
            asked = self.largest_asked
            self._end("limit", f"only the {asked} largest were asked for")
            return None
        if enough:
            self._end("limit", f"stopped after --limit {self._limit} deviations")
            return None
        if self._on_progress is not None:
            self._on_progress(len(self._found), self.seconds)
        return deviation

    def _end(self, status: Status, reason: str = "") -> None:
        self.status = status
        self.reason = reason
        self._source.close()
        self._seconds = self.engine.clock.elapsed


def _copied(
    kind: type[SafetyEnvelope],
    problem: Problem,
    backend: str,
    algorithm: str,
    status: Status,
    reason: str,
    found: list[Deviation],
    seconds: float,
    largest: int | None,
    limit: int | None,
    limits: Limits,
) -> SafetyEnvelope:
    engine = Engine(problem, backend, Clock(limits, spent=seconds))
    rest = islice(deviations(engine, algorithm), len(found), None)
    copy = kind(engine, algorithm, (d for d in rest), limit=limit, largest=largest)
    for deviation in found:
        copy._found.append(deviation)
    copy.status, copy.reason = status, reason
    copy._seconds = None if status == "running" else seconds
    return copy
