"""A problem in fault modes, asked by sets of them: E as one, or in independent parts.

In:  an `Engine` that asks about fault modes; or one for each part, where E falls into
     parts that share neither an action nor a mode.
Out: `InModes`: what each set of modes amounts to.

Parts move independently, so E_S‖C‖P reaches ERROR exactly if some part of it does, and
E_S breaks a constraint exactly if some part does. So a part without modes of S need not
be looked at, and a minimal set that does harm lies in a single part.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping, Sequence
from itertools import product
from typing import Any

from symrob.analyses import hazards
from symrob.analyses.cut import Cut
from symrob.analyses.hazards import Blocked, Verdict
from symrob.case.results import read_mode_sets, require_modes
from symrob.envelope.effort import Effort
from symrob.envelope.engine import Engine
from symrob.errors import Diagnostic, SymrobError, Trace
from symrob.limits import Clock
from symrob.lts import Transition
from symrob.lts.masks import bits
from symrob.problem import Model, Units
from symrob.problem.units import Chosen


def whole_engine(problem: Engine | InModes, what: str) -> Engine:
    """Return the engine of all of E.

    Args:
        problem: It, or a problem in fault modes.
        what: What needs it, for the message.

    Raises:
        SymrobError: E is in parts.
    """
    engine = problem if isinstance(problem, Engine) else problem.whole
    if engine is None:
        message = f"{what} needs E multiplied out; this one is too large for that and "
        message += "falls into independent parts"
        raise SymrobError(Diagnostic("modes-parts", message))
    return engine


class InModes:
    """What sets of fault modes amount to.

    Args:
        engines: One for each part, with one clock; the nominal systems are safe.
        units: The modes of all parts, those of the first part first; by default those
            of the only engine.
        warnings: What may be a mistake; likewise.

    Attributes:
        engines: As given.
        units: The modes.
        warnings: As given.
    """

    def __init__(
        self,
        engines: Sequence[Engine],
        units: Units | None = None,
        warnings: tuple[Diagnostic, ...] | None = None,
    ) -> None:
        self.engines = tuple(engines)
        self.warnings = engines[0].problem.warnings if warnings is None else warnings
        self.units = engines[0].mode_sets.units if units is None else units
        self._shifts = [0]
        for engine in engines:
            self._shifts.append(self._shifts[-1] + len(engine.mode_sets.units))

    @property
    def clock(self) -> Clock:
        """Of the run."""
        return self.engines[0].clock

    @property
    def effort(self) -> Effort:
        """Counts what is done, but for what is done inside of other parts."""
        return self.engines[0].effort

    @property
    def whole(self) -> Engine | None:
        """The engine of all of E; `None` where E is in parts."""
        return self.engines[0] if len(self.engines) == 1 else None

    @property
    def network(self) -> Model | None:
        """What E is composed of, where the modes change components."""
        return self.units.network

    @property
    def constrained(self) -> bool:
        """Whether there are assumptions."""
        return any(engine.constraints for engine in self.engines)

    @property
    def unconstrained(self) -> InModes:
        """The same without the constraints."""
        return InModes([engine.unconstrained for engine in self.engines], self.units)

    def _parts(self, chosen: Chosen) -> Iterator[tuple[Engine, Chosen]]:
        """Each part with its own modes of a set."""
        for engine, shift in zip(self.engines, self._shifts, strict=False):
            yield engine, chosen >> shift & engine.mode_sets.units.all

    def _touched(
        self, chosen: Chosen
    ) -> Iterator[tuple[Engine, frozenset[Transition]]]:
        """Each part that a set changes, with what it gets."""
        for engine, own in self._parts(chosen):
            if own:
                yield engine, engine.mode_sets.units.added(own)

    def _joined(self, several: Sequence[Chosen]) -> Chosen:
        """The modes of the whole from those of each part."""
        shifted = zip(several, self._shifts, strict=False)
        return sum(own << shift for own, shift in shifted)

    def is_safe(self, chosen: Chosen) -> bool:
        """Whether a set is tolerated."""
        return all(e.mode_sets.is_safe(own) for e, own in self._parts(chosen) if own)

    def grown(self, chosen: Chosen) -> Chosen:
        """Return a maximal tolerated set that holds a tolerated one."""
        return self._joined([e.mode_sets.grown(own) for e, own in self._parts(chosen)])

    def maximal(self, including: Chosen = 0) -> Generator[Chosen, None, None]:
        """Yield every maximal tolerated set that holds these modes, each once.

        Raises:
            LimitExceeded: A bound was hit; what was yielded before is valid.

        Cost: as of `ModeSets.maximal`. In parts, each part's sets are all found before
            the first of the whole: those of the whole are one of each part.
        """
        if self.whole is not None:
            yield from self.whole.mode_sets.maximal(including)
            return
        found = [[*e.mode_sets.maximal(own)] for e, own in self._parts(including)]
        for several in product(*found):
            self.clock.check()
            yield self._joined(several)

    def verdict(self, chosen: Chosen) -> Verdict:
        """Return what a set amounts to.

        Raises:
            LimitExceeded: A bound was hit.
        """
        judged = {hazards.verdict(*part) for part in self._touched(chosen)}
        if not judged & {"assumed-away", "outside-assumptions"}:
            return "hazardous" if "hazardous" in judged else "tolerated"
        hurts = judged & {"assumed-away", "hazardous"}
        return "assumed-away" if hurts else "outside-assumptions"

    def keeps_constraints(self, chosen: Chosen) -> bool:
        """Whether E with a set keeps P_env, alone."""
        return all(e.keeps_constraints(e.extended(t)) for e, t in self._touched(chosen))

    def violation(self, chosen: Chosen) -> Trace | None:
        """Return a shortest run by which a set breaks P or P_env; as of `Engine`."""
        runs = (engine.violation(added) for engine, added in self._touched(chosen))
        found = [trace for trace in runs if trace is not None]
        return min(found, key=lambda trace: len(trace.steps), default=None)

    def violations(self, chosen: Chosen) -> tuple[Trace, ...]:
        """Return a shortest run for each property and constraint that a set breaks.

        Properties come first.

        Raises:
            LimitExceeded: A bound was hit.
        """
        runs = [t for part in self._touched(chosen) for t in hazards.violations(*part)]
        constraints = {m.name for e in self.engines for m in e.problem.constraints}
        return tuple(sorted(runs, key=lambda trace: trace.violated in constraints))

    def blocked(self, chosen: Chosen = 0) -> tuple[Blocked, ...]:
        """Return what E refuses with a tolerated set, and must refuse.

        Raises:
            LimitExceeded: A bound was hit.
        """
        return tuple(
            one
            for engine, own in self._parts(chosen)
            for one in hazards.blocked(engine, engine.mode_sets.units.added(own))
        )

    def idle(self, chosen: Chosen) -> Chosen:
        """Return the modes of a tolerated set of which nothing can ever fire with it.

        Cost: a walk of the closed loop of each part that the set changes.
        """
        found = []
        for engine, own in self._parts(chosen):
            sets = engine.mode_sets
            silent = engine.never_firing(sets.deviation(own)) if own else frozenset()
            found.append(
                sum(
                    1 << m
                    for m in bits(own)
                    if all(
                        step.transition in silent
                        for step in sets.units.steps
                        if step.helped_by(own, m)
                    )
                )
            )
        return self._joined(found)

    def sets_of(self, data: Mapping[str, Any], file: str) -> list[tuple[str, ...]]:
        """Take the sets of modes out of a result.

        Raises:
            SymrobError: It is of another environment, or its modes are others.
        """
        environment: Model
        if self.whole is not None:
            environment = self.whole.environment
        else:
            assert self.network is not None, "E is composed"
            environment = self.network
        require_modes(data, self.units, environment, file)
        return read_mode_sets(data, file)

    def added(self, chosen: Chosen) -> frozenset[Transition]:
        """Return what E gets from a set; nothing where E is in parts."""
        if self.whole is None:
            return frozenset()
        return self.units.added(chosen)

    def cut(self, chosen: Chosen) -> Cut:
        """Return a minimal set that does harm as a cut; it lies in one part."""
        ((engine, added),) = self._touched(chosen)
        judged = hazards.verdict(engine, added)
        return Cut(added, judged, engine, self.units.names(chosen))
