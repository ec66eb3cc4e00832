"""Δ during its computation, and what is known at the end.

In:  a `Space`.
Out: a `SafetyEnvelope`: iterate over it to get the deviations in the order in which
     they are found; afterwards, `complete` says whether all are known.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING, Any, TypeVar, overload

from symrob.analyses.choice import require_same
from symrob.analyses.deadlocks import LOOKED_AT, SideReport
from symrob.analyses.hazards import Alone
from symrob.analyses.space import Maximal, Space
from symrob.api.algorithms import deviations
from symrob.api.arguments import require, require_texts
from symrob.api.delta import Delta
from symrob.api.exploration import Exploration
from symrob.api.tables import frame_of, graph_of
from symrob.envelope.engine import Engine, Statistics
from symrob.errors import Diagnostic, SymrobError, plural, require_count, stopped_after
from symrob.limits import Clock, Stages, Status
from symrob.lts import Lts, Transition
from symrob.lts.deviation import Deviation
from symrob.memory import Closable
from symrob.problem import FaultMode, Many
from symrob.shown import Origin, Shown, from_origin
from symrob.words import PLAIN, Words

if TYPE_CHECKING:
    from symrob.analyses.cuts import Cuts
    from symrob.analyses.explain import Explanation
    from symrob.analyses.summary import Summary
    from symrob.risk.assessment import Assessment
    from symrob.verdicts import Group

Progress = Callable[[int, float], None]
Told = TypeVar("Told")


class SafetyEnvelope(Closable, Shown):
    """Δ(E, C, P, P_env): the maximal robust deviations.

    Iterating yields each `Deviation` (`ModeSet` without a product of E) as soon
    as it is found, and stores it for later iterations. An iteration ends early, without
    an exception, when a bound is hit or the user interrupts; then `status` gives the
    reason, and the deviations yielded so far are valid.

    Its BDDs are freed with it, or when its `with` block ends; afterwards, earlier
    results remain, but nothing new can be computed.

    Args:
        space: The problem, with its preconditions checked.
        algorithm: The algorithm to run.
        deviations: An iterator that computes the deviations.
        limit: Stop after this many; `None` for all.
        largest: Number of largest deviations requested, in order of decreasing weight;
            `None` for all.
        repeatable: Whether a new search would find them in the same order.
        on_progress: Called with the number found and the seconds elapsed after
            each deviation.
        title: Human-readable title; may be empty.
        words: Words for the names of the case.

    Attributes:
        space, limit, title, words: As given.
        algorithm: The algorithm.
        status: `running` until the last deviation was yielded, then `complete`, or
            `limit`, `timeout` or `interrupted` if something is missing.
        largest_asked: Number of largest deviations requested, if any.

    Source: docs/sources.md [S1], Def. 5.
    """

    def __init__(
        self,
        space: Space,
        algorithm: str,
        deviations: Generator[Maximal, None, None],
        *,
        limit: int | None = None,
        largest: int | None = None,
        repeatable: bool = True,
        on_progress: Progress | None = None,
        title: str = "",
        words: Words = PLAIN,
    ) -> None:
        self.space = space
        self.title, self.words = title, words
        self._origin = Origin("compute", None, title, words)
        self.algorithm = algorithm
        self.status: Status = "running"
        self.reason = ""
        self._source = deviations
        environment = space.about.environment
        # Sets of modes where the product of E is not computed.
        self._found: Any = [] if environment is None else Delta(environment)
        self.largest_asked = largest
        self._repeatable = repeatable and largest is None
        self.limit = limit
        self._on_progress = on_progress
        self._seconds: float | None = None

    def close(self) -> None:
        """See `Closable`."""
        if self.status == "running":
            self._end("interrupted", "closed before all deviations were found")
        self.space.close()

    @property
    def engine(self) -> Engine:
        """The engine of E as a whole.

        Raises:
            SymrobError: E consists of independent parts.
        """
        return self.space.required_whole("this answer")

    @property
    def environment(self) -> Lts:
        """E, with any extra states; errors as for `engine`."""
        return self.engine.problem.environment

    @property
    def modes(self) -> dict[str, FaultMode]:
        """The fault modes by name; empty if each candidate is a unit."""
        units = self.space.about.units
        return {} if units is None else {mode.name: mode for mode in units.modes}

    @property
    def clock(self) -> Clock:
        """The clock of the run."""
        return self.space.clock

    @property
    def warnings(self) -> tuple[Diagnostic, ...]:
        """Warnings about the problem: valid input that may be a mistake."""
        return self.space.warnings

    @property
    def statistics(self) -> Statistics:
        """The figures of the paper's Table 1; computed when first asked for.

        If E consists of independent parts, only the figures that apply to all parts
        together.
        """
        if self.space.whole is not None:
            return self.space.whole.statistics
        actions = {a for problem in self.space.problems for a in problem.actions}
        unknown = (None, None, None, None, None)
        return Statistics(len(actions), *unknown, candidates=len(self.space))

    @property
    def seconds(self) -> float:
        """Time from the start of the analysis to its last deviation."""
        clock = self.space.clock
        return clock.elapsed if self._seconds is None else self._seconds

    @property
    def complete(self) -> bool:
        """Whether all of Δ is known; computes the remaining deviations."""
        for _ in self:
            pass
        return self.status == "complete"

    def __iter__(self) -> Iterator[Any]:
        """Yield the known deviations, then the remaining ones as they are found."""
        index = 0
        while True:
            if index < len(self._found):
                yield self._given(self._found[index])
            elif (deviation := self._advance()) is not None:
                yield self._given(deviation)
            else:
                return
            index += 1

    @overload
    def __getitem__(self, index: int) -> Any: ...
    @overload
    def __getitem__(self, index: slice) -> list[Any]: ...
    def __getitem__(self, index: int | slice) -> Any:
        """Return a deviation by its index in the order found, or a slice.

        Computes only the deviations needed: all of Δ only for negative indexes.

        Raises:
            IndexError: There are fewer deviations.
            SymrobError: The index is neither an integer nor a slice.
        """
        require(("index", index, int | slice, "a whole number or a slice"))
        if isinstance(index, slice):
            ends, stop = (index.start, index.stop, index.step), index.stop
        else:
            ends, stop = (index, None, None), index + 1
        from_end = any(end is not None and end < 0 for end in ends)
        for _ in islice(self, None if from_end else stop):
            pass
        try:
            found = self._found[index]
            several = isinstance(index, slice)
            return [*map(self._given, found)] if several else self._given(found)
        except IndexError:
            known = f"{plural(len(self._found), 'deviation')}; {self.status}"
            raise IndexError(f"no deviation {index}: {known}") from None

    def _given(self, found: Maximal) -> Maximal:
        """What a user gets of a maximal set: it can be asked what is lost with it."""
        found.outlook = self.space.lost_with
        return found

    def __len__(self) -> int:
        """Return the number of deviations; computes them all."""
        return sum(1 for _ in self)

    @property
    def as_asked(self) -> bool:
        """Whether the largest deviations were requested and all of them found."""
        return self.status == "limit" and len(self._found) == self.largest_asked

    @property
    def largest(self) -> int:
        """Return |d_max|, 0 if no deviation was found."""
        return max((len(d) for d in self), default=0)

    def never_firing(self, deviation: Deviation) -> frozenset[Transition]:
        """Return the transitions of a deviation that can never fire in E_d‖C.

        Raises:
            SymrobError: It is not a deviation of this envelope.
        """
        require(("deviation", deviation, Deviation, "a deviation of this envelope"))
        return self.engine.never_firing(deviation)

    def cuts(
        self,
        order: int | None = None,
        *,
        limit: int | None = None,
        outside: bool = False,
    ) -> Cuts:
        """Return the minimal hazardous sets, then the excluded unsafe ones.

        The sets are found during iteration; Δ need not be computed.

        Args:
            order: Only sets of at most this many transitions; at least 1.
            limit: Stop after this many sets; at least 1.
            outside: Also return sets that only break an assumption.
        """
        from symrob.analyses.cuts import Cuts

        require_count("order", order, 1)
        require_count("limit", limit, 1)
        found = Cuts(self.space, order=order, limit=limit, outside=outside)
        return self._told(found, "cuts")

    def risk(
        self, probability: Mapping[str, Any], *, gap: float | None = None
    ) -> Assessment:
        """Compute the probability of a hazard; see docs/risk.md.

        Args:
            probability: A table as `[probability]` in a case file. Its keys are names
                of fault modes, or expressions for candidates such as `*,unplug,*` or
                `class:omission`; its values probabilities or `{"rate": …, "time": …}`.
            gap: Stop as soon as the bounds on the probability differ by at most this.

        Returns:
            The probability, exact or within bounds: the pair `bounds`, and by property
            in `parts`; `contributions` of the minimal hazardous sets, `importance` of
            events.

        Raises:
            SymrobError: The table is wrong, or an expression is invalid; all problems
                of one kind.

        Cost: that of `cuts` for the events, then of their decision diagram.
        """
        from symrob.api.chances import assess

        return self._told(assess(self.space, probability, gap), "risk")

    def explain(
        self,
        added: Iterable[Sequence[Any] | str],
        *,
        deviations: int | None = None,
    ) -> Explanation:
        """Explain whether E stays safe with some transitions or fault modes.

        Args:
            added: Triples (source, action, target), with states by number or name;
                those of R_E are always included. `symrob.parse_transitions` reads them
                from text. If the units are fault modes, their names.
            deviations: Number of maximal deviations to return that contain the set.

        Raises:
            SymrobError: Some have states or actions that E lacks, or there is no such
                fault mode.
            LimitExceeded: A bound was hit before the verdict.
        """
        from symrob.analyses.explain import DEVIATIONS, explain

        require_count("deviations", deviations, 0)
        wanted = DEVIATIONS if deviations is None else deviations
        nominal, units = self.space.read(added)
        found = explain(self.space, units, nominal, deviations=wanted)
        return self._told(found, "explain")

    def verdict_counts(self) -> dict[Group, int] | None:
        """Return the number of individual units with each verdict.

        Units that break an assumption are `undecided` if a finer verdict would take
        long. `None` if a bound was hit before, for algorithms that do not judge
        candidates, and for too many fault modes.
        """
        if self.algorithm != "maximal":
            return None
        with Stages(self.clock):
            if (alone := self.judged) is not None:
                return {key: len(many) for key, many in alone.groups().items()}
        return None

    @property
    def judged(self) -> Alone[Many] | None:
        """The verdict on each individual unit, as far as it is quickly available.

        `None` for too many fault modes.

        Raises:
            LimitExceeded: A bound was hit while screening.
        """
        return self.space.alone_soon()

    def tolerated_alone(self) -> list[Transition]:
        """Return the individually tolerated candidates, sorted.

        Call it after the first deviation was found.

        Raises:
            SymrobError: The units are fault modes.
        """
        # The enumeration has screened already, or another algorithm has its answer.
        with self.clock.suspended():
            return sorted(self.engine.safe_sets.alone)

    def summary(
        self, *, every_reason: bool | None = None, at_once: bool = False
    ) -> Summary:
        """Judge every candidate individually, without listing all of Δ.

        Args:
            every_reason: Return all reasons of candidates that are never tolerated, not
                only the first of each; `None` to do so only if there are few.
            at_once: Leave unknown whatever would take longer than a moment.

        Raises:
            LimitExceeded: A bound was hit while screening.

        Cost: see `symrob.analyses.candidate_summary.summary_of`.
        """
        from symrob.analyses.overview import Overview

        found: Summary = self.space.summarised(
            every_reason=every_reason, at_once=at_once
        )
        story = Overview(self.space, self.words, found, self.side_report)
        # A copy, since what an answer comes from does not know it.
        return self._told(replace(found), "summary", story)

    def monitor(
        self,
        target: str = "python",
        observe: Sequence[str] = (),
        *,
        name: str = "monitor",
    ) -> str:
        """Generate a runtime monitor.

        Args:
            target: One of `symrob.monitor.targets.TARGETS`.
            observe: Names of the actions of E or C that are observed, with `*` for any
                text; by default the actions of E.
            name: Name of the generated class or function.

        Raises:
            SymrobError: A name matches no action, or the target is unknown.
            LimitExceeded: A bound was hit.
        """
        from symrob.monitor.build import runtime_monitor
        from symrob.monitor.targets import require_target, text_of

        require(
            ("target", target, str, "the name of a language"),
            ("name", name, str, "an identifier"),
        )
        require_texts("observe", observe)
        require_target(target)
        return text_of(runtime_monitor(self.engine, "", observe), target, name)

    def to_frame(self) -> Any:
        """Return Δ as a `pandas.DataFrame`; see `symrob.api.tables.frame_of`."""
        return frame_of(self.environment, self)

    def to_networkx(self) -> Any:
        """Return Δ as a `networkx.MultiDiGraph`; see `symrob.api.tables.graph_of`."""
        return graph_of(self.environment, self)

    def explore(
        self, other: SafetyEnvelope | None = None, *, names: Sequence[str] = ("A", "B")
    ) -> Exploration:
        """Return the what-if page, for display in Jupyter.

        Args:
            other: Another design over the same environment, shown side by side.
            names: The names of the two designs.

        Raises:
            SymrobError: The environments differ, or there are not two names.
        """
        require(
            ("other", other, SafetyEnvelope | None, "a result of symrob.compute"),
            ("names", names, Sequence, "the names of the two designs"),
        )
        engines = (self.engine,) if other is None else (self.engine, other.engine)
        require_same(
            *(engine.problem.environment for engine in (engines[0], engines[-1]))
        )
        called = tuple(names)
        if len(called) != 2 or not all(isinstance(name, str) for name in called):
            message = "names: expected the names of the two designs"
            raise SymrobError(Diagnostic("api-argument", message))
        return Exploration(engines, called[: len(engines)])

    def side_report(self, most: int | None = None) -> SideReport:
        """Find deadlocks that deviations cause, and idle properties.

        Args:
            most: Check this many deviations; computes them if necessary.

        Cost: a reachability run for each of these deviations.
        """
        require_count("most", most, 0)
        side: SideReport = self.space.side_report(
            self, LOOKED_AT if most is None else most
        )
        ended = side.all_of_them and self.status == "complete"
        return replace(side, all_of_them=ended)

    def _told(self, answer: Told, question: str, source: Any = None) -> Told:
        """Keep with an answer what its text needs."""
        return from_origin(answer, Origin(question, source, self.title, self.words))

    def __repr__(self) -> str:
        count = len(self._found)
        found = f"{plural(count, 'deviation')} found"
        if self.status == "running":
            so_far = f"{found} so far; " if self._found else ""
            return f"{type(self).__name__}({so_far}lazy: iterate to compute)"
        return f"{type(self).__name__}({self.status}, {found})"

    def __reduce__(self) -> tuple[Callable[..., SafetyEnvelope], tuple[Any, ...]]:
        """Pickle the results and the problem; BDDs are rebuilt in the copy.

        The copy of an unfinished envelope continues after the last deviation. If the
        search order is not repeatable, the remaining deviations are computed first.
        """
        if not self._repeatable:
            len(self)
        return _copied, (
            *(type(self), self.space, self.algorithm, self.status, self.reason),
            *([*self._found], self.seconds, self.largest_asked, self.limit),
            *(self.title, self.words),
        )

    def _advance(self) -> Maximal | None:
        """Find one more deviation; `None` when there is none to come."""
        if self.status != "running":
            return None
        deviation = None
        stages = Stages(self.space.clock)
        count = len(self._found)
        enough = count > 0 and count in (self.largest_asked, self.limit)
        with stages:
            deviation = next(self._source, None)
            if deviation is not None and not enough:
                self._found.append(deviation)
        if deviation is None or stages.status != "complete":
            reason, bounds = stages.reason, self.space.effort.bounds
            if bounds and stages.status != "complete":
                least, most = bounds
                reason += f"; the next one adds a weight between {least:,} and {most:,}"
            self._end(stages.status, reason)
            return None
        if enough and count == self.largest_asked:
            asked = self.largest_asked
            which = f"{asked} largest were" if asked != 1 else "largest was"
            self._end("limit", f"only the {which} requested")
            return None
        if enough:
            self._end("limit", stopped_after(self.limit, "deviation"))
            return None
        if self._on_progress is not None:
            self._on_progress(len(self._found), self.seconds)
        return deviation

    def _end(self, status: Status, reason: str = "") -> None:
        self.status = status
        self.reason = reason
        self._source.close()
        self._seconds = self.space.clock.elapsed


def _copied(
    kind: type[SafetyEnvelope],
    space: Space,
    algorithm: str,
    status: Status,
    reason: str,
    found: list[Any],
    seconds: float,
    largest: int | None,
    limit: int | None,
    title: str,
    words: Words,
) -> SafetyEnvelope:
    whole = space.whole
    source = deviations(whole, algorithm) if whole is not None else space.maximal()
    rest = islice(source, len(found), None)
    bounds: dict[str, Any] = {"limit": limit, "largest": largest}
    told: dict[str, Any] = {"title": title, "words": words}
    copy = kind(space, algorithm, (d for d in rest), **bounds, **told)
    for deviation in found:
        copy._found.append(deviation)
    copy.status, copy.reason = status, reason
    copy._seconds = None if status == "running" else seconds
    return copy
