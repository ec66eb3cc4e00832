"""Checks a result against the definition, without BDDs and without a solver.

In:  a checked `Problem`, or one for each independent part of E, and sets of units that
     are claimed to be its maximal ones: deviations, or sets of fault modes.
Out: a `Verification`: every fault found, and for each transition that a deviation lacks
     a shortest trace that adding it would allow.

It depends only on `closed_loop`, so it does not share faults of the symbolic engine.
That no set is missing is checked only on demand, by trying all sets, which is also the
oracle for all other algorithms. With modes, the components are changed and composed
again for each set.

Source: docs/sources.md [S1], Def. 5 (conditions 1, 3, 4; 2 on demand), Sect. 5.1.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import reduce
from itertools import combinations
from operator import and_
from typing import Any

from symrob.certify.closed_loop import ExplicitLoop, Rows, harmful, with_some
from symrob.certify.spending import Spending, spending, spending_modes
from symrob.errors import Diagnostic, SymrobError, Trace
from symrob.limits import Clock
from symrob.lts import Transition
from symrob.lts.masks import bits, mask_of
from symrob.problem import Problem, budget_of
from symrob.problem.units import Units

# Trying all sets of this many units takes minutes.
MOST_CANDIDATES = 16
# A run is found for each transition that a deviation lacks, if these times its own, and
# that of all deviations together, are at most this many: some seconds.
MOST_STEPS = 1_000_000

# Of transitions, R_E among them; or of the numbers of fault modes.
UnitsOf = frozenset[Any]


@dataclass(frozen=True)
class Fault:
    """A fault of a result.

    Attributes:
        kind: `nominal`, `foreign`, `unsafe`, `not-maximal`, `comparable`, `missing`, or
            `shown`: not of a deviation, but of other displayed data.
        message: The fault, with the numbers of the deviations, from 1.
        trace: The trace that shows it, if there is one.
    """

    kind: str
    message: str
    trace: Trace | None = None


@dataclass
class Verification:
    """The outcome of checking a result.

    Attributes:
        faults: All faults.
        deviations: Number of deviations checked.
        certificates: For each deviation and each transition it lacks, the shortest
            trace that adding it would allow.
        without_run: Number of further transitions that cannot be added: if a search for
            each would take long, they are judged together.
        complete: Whether it was checked that no deviation is missing.
        left_out: If the units are fault modes, the number of modes, over all
            deviations, that were shown not to be addable; else `None`.
    """

    faults: list[Fault] = field(default_factory=list)
    deviations: int = 0
    certificates: dict[tuple[int, Transition], Trace] = field(default_factory=dict)
    without_run: int = 0
    complete: bool = False
    left_out: int | None = None

    @property
    def is_of_safe_plan(self) -> bool:
        """Whether the nominal system is safe."""
        return not any(fault.kind == "nominal" for fault in self.faults)

    @property
    def correct(self) -> bool:
        """Whether no fault was found."""
        return not self.faults


class ExplicitTransitions:
    """Candidates as units; sets may include R_E or not.

    Attributes:
        units: All of them.
        planned: The transitions that every set contains.
        left_out: The initial value for `Verification`.
    """

    left_out: int | None = None

    def __init__(self, problem: Problem) -> None:
        self.units = problem.candidates
        self._problem, self._environment = problem, problem.environment
        environment = problem.environment
        self.planned = environment.visible_transitions
        self._everything = self.planned.union(problem.candidates)
        self._constrained = bool(problem.constraints)
        self._loops = ExplicitLoop.both(problem)
        self._spending: Spending | None = None

    def members(self, claimed: UnitsOf) -> UnitsOf:
        """Return the members of a set."""
        return claimed

    def misfits(self, number: int, chosen: UnitsOf) -> Iterator[Fault]:
        """Yield a fault if a set is not R_E with some candidates."""
        if foreign := chosen - self._everything:
            example = tuple(min(foreign, key=repr))
            message = f"deviation {number} has {example}, which is not a candidate"
            yield Fault("foreign", message)
        if lacking := self.planned - chosen:
            message = f"deviation {number} lacks {tuple(min(lacking))} of R_E"
            yield Fault("nominal", message)

    def violation(self, chosen: UnitsOf, clock: Clock) -> Trace | None:
        """Return the first condition that a set breaks, as a shortest run."""
        loops, copies = self._copied(clock)
        steps = (x for t in chosen - self.planned for x in copies(t))
        return _first(loops, loops[0].rows(steps), clock)

    def _copied(
        self, clock: Clock
    ) -> tuple[Sequence[ExplicitLoop], Callable[[Transition], Sequence[Transition]]]:
        """E alone and with C, and what stands there for a transition."""
        if self._problem.at_most is None:
            return self._loops, lambda t: (t,)
        if self._spending is None:
            new = self._everything - self.planned
            self._spending = spending(self._problem, new, clock)
        return self._spending.loops, self._spending.copies.__getitem__

    def beside(
        self, chosen: UnitsOf, clock: Clock, most: float
    ) -> tuple[int, Iterator[tuple[Any, Trace | None]]]:
        """Judge what a set lacks; together, where these times its own are more."""
        loops, copies = self._copied(clock)
        rows = loops[0].rows(x for t in chosen - self.planned for x in copies(t))
        together, lacking = 0, self._everything - chosen
        if len(lacking) * len(chosen) > most:
            for loop in loops:
                plain = _harmful(loop, rows, lacking, copies, clock)
                together += len(plain)
                lacking -= plain
        return together, (
            (t, _first(loops, with_some(rows, copies(t)), clock))
            for t in sorted(lacking)
        )

    def alone(self, clock: Clock) -> tuple[UnitsOf, UnitsOf]:
        """Return what breaks a constraint alone, and what breaks a property."""
        loops, copies = self._copied(clock)
        rows = loops[0].rows(())
        asked = frozenset(self.units)
        found = []
        for loop, some in zip(
            loops, (asked if self._constrained else (), asked), strict=True
        ):
            hurt = _harmful(loop, rows, some, copies, clock)
            hurt |= {
                t
                for t in {*some} - hurt
                if len(copies(t)) > 1
                and loop.violation_in(with_some(rows, copies(t)), clock)
            }
            found.append(frozenset(hurt))
        broken, hurt_by = found
        return broken, hurt_by

    def name(self, unit: Transition) -> str:
        """Return the transition with the names of its states."""
        named = self._environment.state_name
        return f"{named(unit.source)} --{unit.action}--> {named(unit.target)}"

    def described(self, chosen: UnitsOf) -> str:
        """Return its new transitions."""
        shown = ", ".join(map(self.name, sorted(chosen - self.planned)))
        return f"deviation is missing: {f'R_E with {shown}' if shown else 'R_E alone'}"


class ExplicitModes:
    """Fault modes as units, by number; attributes as for `ExplicitTransitions`.

    Args:
        problems: The checked problem, or one for each part.
        modes: The modes; of parts those of the first part first.
        deviations: The claimed transitions of E with each set; `None` if E consists of
            parts.
    """

    planned: UnitsOf = frozenset()
    left_out: int | None = 0

    def __init__(
        self,
        problems: Sequence[Problem],
        modes: Units,
        deviations: Sequence[frozenset[Transition]] | None = None,
    ) -> None:
        self.units = range(len(modes))
        self._problems, self._modes, self._deviations = problems, modes, deviations

    def members(self, claimed: Iterable[str]) -> UnitsOf:
        """Return the modes with some names; raises `SymrobError` for others."""
        return frozenset(bits(self._modes.chosen(claimed)))

    def misfits(self, number: int, chosen: UnitsOf) -> Iterator[Fault]:
        """Yield a fault if the claimed E with its modes is wrong."""
        if self._deviations is None:
            return
        planned = self._problems[0].environment.visible_transitions
        if planned | self._modes.added(_mask(chosen)) != self._deviations[number - 1]:
            message = f"deviation {number} differs from E with its fault modes"
            yield Fault("foreign", message)

    def violation(self, chosen: UnitsOf, clock: Clock) -> Trace | None:
        """Return the first condition that a set violates, as a shortest trace."""
        return self._violation(_mask(chosen), -1, clock)

    def beside(
        self,
        chosen: UnitsOf,
        clock: Clock,
        most: float,  # noqa: ARG002
    ) -> tuple[int, Iterator[tuple[Any, Trace | None]]]:
        """Judge each mode that a set lacks, in the parts that it changes."""
        mask = _mask(chosen)
        return 0, (
            (m, self._violation(mask | 1 << m, 1 << m, clock))
            for m in self.units
            if m not in chosen
        )

    def alone(self, clock: Clock) -> tuple[UnitsOf, UnitsOf]:
        """Return what individually violates a constraint, and a property."""
        found: tuple[set[int], set[int]] = set(), set()
        for m in self.units:
            for kind, loop in self._loops(1 << m, 1 << m, clock):
                if loop.violation((), clock) is not None:
                    found[kind].add(m)
        return frozenset(found[0]), frozenset(found[1])

    def name(self, unit: int) -> str:
        """Return the name of a mode."""
        return self._modes.modes[unit].name

    def described(self, chosen: UnitsOf) -> str:
        """Return the names of its modes."""
        names = ", ".join(self._modes.names(_mask(chosen))) or "none"
        return f"set of fault modes is missing: {names}"

    def _violation(self, chosen: int, new: int, clock: Clock) -> Trace | None:
        loops = self._loops(chosen, new, clock)
        found = (loop.violation((), clock) for _, loop in loops)
        return next(filter(None, found), None)

    def _loops(
        self, chosen: int, new: int, clock: Clock
    ) -> Iterator[tuple[int, ExplicitLoop]]:
        """What modes can break: 0 and the constraints, 1 and the properties.

        With -1 for `new` those of all parts; else of those that these modes change.
        """
        for problem in self._problems:
            units = problem.units
            assert units is not None
            own, chosen = chosen & units.all, chosen >> len(units)
            touched, new = bool(new & units.all), new >> len(units)
            if not touched and len(units):
                continue
            if budget_of(problem.at_most, units) is not None:
                yield from enumerate(spending_modes(problem, own, clock))
                continue
            deviated = units.deviated(problem.environment, own)
            yield from enumerate(ExplicitLoop.both(problem, deviated))


ExplicitSpace = ExplicitTransitions | ExplicitModes
"""The units of a problem, judged by explicit search."""


def _mask(chosen: Iterable[int]) -> int:
    return sum(1 << m for m in chosen)


def _harmful(
    loop: ExplicitLoop,
    rows: Rows,
    asked: Iterable[Transition],
    copies: Callable[[Transition], Sequence[Transition]],
    clock: Clock,
) -> set[Transition]:
    """Those of some transitions of which one copy does harm already; see `harmful`."""
    of_each = {t: copies(t) for t in asked}
    found = harmful(loop, rows, [x for some in of_each.values() for x in some], clock)
    return {t for t, some in of_each.items() if not found.isdisjoint(some)}


def _first(loops: Iterable[ExplicitLoop], rows: Rows, clock: Clock) -> Trace | None:
    """The first condition that a deviation breaks, as a shortest trace."""
    found = (loop.violation_in(rows, clock) for loop in loops)
    return next(filter(None, found), None)


def verify(
    space: ExplicitSpace,
    claimed: Sequence[Any],
    clock: Clock,
    *,
    complete: bool = False,
) -> Verification:
    """Check that sets are robust, feasible, maximal, and none contains another.

    Args:
        space: The units of the problem; its nominal system may be unsafe.
        claimed: Deviations, including R_E; or the names of fault modes.
        clock: Checked at intervals.
        complete: Also check that none is missing, by trying all sets.

    Raises:
        SymrobError: A mode is unknown; or `complete` is set, and there are too many
            sets to try.
        LimitExceeded: A bound was hit.

    Cost: a search of the explicit closed loop for each set and for each unit that it
        lacks; if these are many transitions, one for most of them. With modes, a
        composition for each search.
    """
    if complete:
        _require_few(len(space.units))
    result = Verification(deviations=len(claimed), left_out=space.left_out)
    trace = space.violation(frozenset(), clock)
    if trace is not None:
        fault = Fault("nominal", f"the nominal system violates {trace.violated}", trace)
        result.faults.append(fault)
        return result
    everything = space.planned.union(space.units)
    sets = [space.members(each) for each in claimed]
    for number, chosen in enumerate(sets, 1):
        result.faults += space.misfits(number, chosen)
        if space.planned <= chosen <= everything:
            _judge(space, number, chosen, result, clock)
    result.faults += _comparable(sets, clock)
    if complete:
        wanted = (space.planned | found for found in every_maximal(space, clock))
        result.faults += [
            Fault("missing", f"a maximal {space.described(each)}")
            for each in wanted
            if each not in sets
        ]
        result.complete = True
    return result


def every_maximal(
    space: ExplicitSpace, clock: Clock, on_judged: Callable[[], None] = lambda: None
) -> Iterator[UnitsOf]:
    """Yield every maximal safe set of units, each once, largest first.

    Sets are tried from the largest down. A safe one that is no subset of one
    found before is maximal, since every larger set has been tried.

    Args:
        space: The units; the nominal system is safe.
        clock: Checked at every set.
        on_judged: Called for each set that is judged.

    Raises:
        LimitExceeded: A bound was hit; the sets yielded before are valid.

    Cost: one search of the closed loop for each of up to 2^n sets of n units; memory
        does not grow with the number of sets.
    """
    found: list[UnitsOf] = []
    for size in range(len(space.units), -1, -1):
        for members in combinations(space.units, size):
            clock.check()
            chosen = frozenset(members)
            if any(chosen <= other for other in found):
                continue
            on_judged()
            if space.violation(chosen, clock) is None:
                found.append(chosen)
                yield chosen


def _judge(
    space: ExplicitSpace,
    number: int,
    chosen: UnitsOf,
    result: Verification,
    clock: Clock,
) -> None:
    """Note whether a set is safe and maximal."""
    trace = space.violation(chosen, clock)
    if trace is not None:
        message = f"deviation {number} violates {trace.violated}"
        result.faults.append(Fault("unsafe", message, trace))
        return
    most = MOST_STEPS / result.deviations
    together, others = space.beside(chosen, clock, most)
    result.without_run += together
    for unit, trace in others:
        if trace is None:
            message = f"deviation {number} is not maximal: {space.name(unit)} can be "
            result.faults.append(Fault("not-maximal", message + "added"))
        elif result.left_out is None:
            result.certificates[number, unit] = trace
        else:
            result.left_out += 1


def _comparable(sets: Sequence[UnitsOf], clock: Clock) -> Iterator[Fault]:
    """Each that another contains, or an earlier one is equal to; told once.

    Cost: for each set and unit in it an operation on a bit for each set.
    """
    # By unit the sets that have it, as bits.
    having: dict[Any, list[int]] = {}
    for number, chosen in enumerate(sets):
        for unit in chosen:
            having.setdefault(unit, []).append(number)
    masks = {unit: mask_of(numbers) for unit, numbers in having.items()}
    everything = (1 << len(sets)) - 1
    first: dict[UnitsOf, int] = {}
    for number, chosen in enumerate(sets):
        clock.check()
        other = first.setdefault(chosen, number)
        if other == number:
            containing = reduce(and_, (masks[unit] for unit in chosen), everything)
            larger = (n for n in bits(containing) if len(sets[n]) > len(chosen))
            other = next(larger, number)
        if other != number:
            message = f"deviation {number + 1} is contained in deviation {other + 1}"
            yield Fault("comparable", message)


def _require_few(count: int) -> None:
    if count > MOST_CANDIDATES:
        message = f"--complete would have to try 2^{count} sets; it supports at most "
        message += f"2^{MOST_CANDIDATES}"
        hint = "without --complete everything else is checked"
        raise SymrobError(Diagnostic("verify-complete", message, hint=hint))
