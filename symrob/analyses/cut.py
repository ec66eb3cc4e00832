"""A minimal set that breaks something, with its run; and which is the most dangerous.

In:  an `Engine`, what the environment gets, its verdict.
Out: a `Cut`; `cuts` and `unsafe` find them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

from symrob.analyses.hazards import Verdict
from symrob.envelope.engine import Engine
from symrob.envelope.exploration import reach
from symrob.envelope.transitions import Candidates
from symrob.errors import Trace
from symrob.lts import Action, StateId, Transition

# Sets whose runs are looked at, to tell the most dangerous first.
LOOKED_AT = 40


@dataclass(frozen=True)
class Cut:
    """A minimal set that breaks something; with any part of it nothing breaks.

    Attributes:
        transitions: What the environment gets.
        verdict: What it amounts to; never `tolerated`.
        engine: The problem, for the trace.
        modes: The names of its fault modes, sorted, where these are asked about.
    """

    transitions: frozenset[Transition]
    verdict: Verdict
    engine: Engine = field(repr=False, compare=False)
    modes: tuple[str, ...] | None = None

    def __repr__(self) -> str:
        named = self.engine.environment.named(sorted(self.transitions))
        parts = [f"{s} –{a}→ {t}" for s, a, t in named]
        return f"Cut({self.verdict}: {', '.join(self.modes or parts)})"

    def __len__(self) -> int:
        return len(self.transitions if self.modes is None else self.modes)

    @cached_property
    def trace(self) -> Trace:
        """A shortest run that breaks a property; it takes every transition of the cut.

        Of a set that is only outside the assumptions, one that breaks an assumption.
        """
        with self.engine.clock.suspended():
            return self._shortest()

    @cached_property
    def assumptions(self) -> tuple[str, ...]:
        """The constraints that it breaks, by their names."""
        engine = self.engine
        graph = engine.extended(self.transitions)
        with engine.clock.suspended():
            return tuple(
                monitor.name
                for monitor, table in zip(
                    engine.problem.constraints, engine.constraints, strict=True
                )
                if reach(table, graph, engine.clock) is None
            )

    def find_trace(self) -> None:
        """Find `trace` now, within the bounds of the run.

        Raises:
            LimitExceeded: A bound was hit.
        """
        if "trace" not in vars(self):
            # Where the cached property keeps it.
            vars(self)["trace"] = self._shortest()

    def _shortest(self) -> Trace:
        engine = self.engine
        if self.verdict != "outside-assumptions":
            graph = engine.extended(self.transitions)
            return engine.property_trace(graph, self.transitions)
        trace = engine.violation(self.transitions)
        assert trace is not None, "the cut is safe"
        return trace


def danger(cut: Cut) -> tuple[int, int, list[Transition]]:
    """How dangerous a cut is, for sorting: the shorter its run the more so.

    Of equal runs, the one in which less is left to do when E deviates.
    """
    steps = cut.trace.steps
    deviates = next((i for i, step in enumerate(steps) if step.added), len(steps))
    return len(steps), -deviates, sorted(cut.transitions)


def first_singles(candidates: Candidates) -> list[Transition]:
    """At most `LOOKED_AT` of them: one for each action and source, then the others."""
    first: dict[tuple[Action, StateId], Transition] = {}
    others: list[Transition] = []
    for t in candidates:
        if first.setdefault((t.action, t.source), t) != t and len(others) < LOOKED_AT:
            others.append(t)
        if len(first) == LOOKED_AT:
            break
    return [*first.values(), *others][:LOOKED_AT]
