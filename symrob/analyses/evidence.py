"""Evidence for certificates: unsafe sets with traces, safe sets, and a proof.

In:  an environment, its possible additions (`additions`), its watchers
     (`certify.watching`).
Out: `Evidence`: unsafe sets, each with a trace that violates something, and safe ones;
     a proof that every set is contained in a safe one or contains an unsafe one.

The evidence comes from explicit searches of the closed loop, not from the engine: the
engine found the answer that the certificate is to confirm. If the two disagree, a
`BreachError` reports it.

That deviations are maximal: for each of them and each candidate outside of it, an
unsafe set that the candidate completes. That none is missing: a SAT solver searches for
a set of candidates that contains no unsafe set and is contained in no safe one. Each of
its proposals yields one more unsafe set, or one more safe one. When none is left, the
log of the solver is the proof. The search ends, since each round excludes a set. With
all deviations given, every minimal unsafe set is found: it would be a model itself.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from math import inf
from types import MappingProxyType
from typing import Any

from symrob.analyses.additions import AddedStep, Additions, Rows, Unit
from symrob.certify.proof import at_most
from symrob.certify.watching import Joint, Watcher
from symrob.envelope.logged_proof import ProofStep
from symrob.envelope.solvers import EnumerationSolver
from symrob.limits import Clock

# A run of E as pairs of its last step and the run before; the empty one is `()`.
Link = tuple[Any, ...]
Met = tuple[Any, ...]  # A state of a watcher.
Paid = tuple[tuple[Unit, int], ...]  # For units how many steps used them.
Chosen = frozenset[Unit]


class BreachError(Exception):
    """The answer is wrong: a bug in symrob."""


@dataclass(frozen=True)
class Unsafe:
    """An unsafe set.

    Attributes:
        chosen: Its units.
        breaks: The watcher that reaches ERROR.
        run: The actions of E up to ERROR, by index.
    """

    chosen: Chosen
    breaks: int
    run: tuple[int, ...]


@dataclass
class Evidence:
    """The sets that show which sets are safe.

    Attributes:
        deviations: Safe sets.
        unsafe: The unsafe sets.
        proof: Steps, each a clause over units plus one, and the numbers of the clauses
            that it follows from; `None` if it was not requested or not finished.
    """

    deviations: list[Chosen] = field(default_factory=list)
    unsafe: list[Unsafe] = field(default_factory=list)
    proof: list[ProofStep] | None = None


class KnownUnsafe:
    """Known safe sets, for subset queries."""

    def __init__(self, sets: Iterable[Chosen]) -> None:
        self._count = 0
        # For each unit the sets that have it, as bits.
        self._holders: dict[Unit, int] = {}
        for chosen in sets:
            self.add(chosen)

    def add(self, chosen: Chosen) -> None:
        """Add a set."""
        for unit in chosen:
            self._holders[unit] = self._holders.get(unit, 0) | 1 << self._count
        self._count += 1

    def holds(self, part: Chosen) -> bool:
        """Whether a nonempty set is contained in one of them."""
        holders = -1
        for unit in part:
            holders &= self._holders.get(unit, 0)
        return bool(holders)


class EvidenceSearch:
    """Searches for traces of E, with additional steps, to ERROR.

    Args:
        additions: The possible additions to E.
        watchers: The watchers; the nominal system is safe.
        clock: Checked at each search.
        states: The states of E's components for each state of E, as named in
            requirements on states.
        initial: The initial states of E.
        at_most: Maximum number of added steps in a trace; `None` for no bound.
        bounds: For each unit the maximum number of steps that use it; `None` for no
            bound.
    """

    def __init__(
        self,
        additions: Additions,
        watchers: Sequence[Watcher],
        clock: Clock,
        states: Sequence[Joint],
        initial: Sequence[int] = (0,),
        at_most: int | None = None,
        bounds: Mapping[Unit, int | None] = MappingProxyType({}),
    ) -> None:
        self._additions, self._watchers, self._clock = additions, watchers, clock
        self._states, self._initial = states, initial
        self._at_most = inf if at_most is None else at_most
        self._bounds = {unit: most for unit, most in bounds.items() if most is not None}

    def unsafe(self, chosen: Iterable[Unit]) -> Unsafe | None:
        """Return an unsafe part of a set of units; `None` if it is safe.

        Cost: at most a search of the closed loop for each watcher.
        """
        self._clock.check()
        added = self._additions.rows(frozenset(chosen))
        for index, watcher in enumerate(self._watchers):
            link = self._run(watcher, added)
            if link is not None:
                steps = [*_steps(link)]
                run = [step.action for step in reversed(steps) if step.action >= 0]
                return Unsafe(_bringing(steps), index, tuple(run))
        return None

    def minimal(self, unsafe: Unsafe, known: KnownUnsafe | None = None) -> Unsafe:
        """Return a minimal unsafe part of an unsafe set.

        Args:
            unsafe: The set.
            known: Known safe sets; their subsets need no search.

        Cost: a search for each member.
        """
        for unit in sorted(unsafe.chosen):
            if unit in unsafe.chosen and len(unsafe.chosen) > 1:
                part = unsafe.chosen - {unit}
                if known is None or not known.holds(part):
                    unsafe = self.unsafe(part) or unsafe
        return unsafe

    def _run(self, watcher: Watcher, added: Rows) -> Link | None:
        """A run into ERROR that takes added steps few times, if there is one."""
        assert watcher.start is not None, "the nominal system is unsafe"
        planned = self._additions.planned
        # With what was paid: how many added steps there were, and by which units.
        todo: deque[tuple[int, Met, Paid, int, Link]]
        todo = deque((q, m, (), 0, ()) for q in self._initial for m in watcher.start)
        done: set[tuple[int, Met, Paid]] = set()
        # Sorted by how often added steps were taken: what takes none goes before.
        while todo:
            here, met, paid, count, link = todo.popleft()
            if (here, met, paid) in done:
                continue
            done.add((here, met, paid))
            truths = watcher.truths(self._states[here])
            inner, shared = watcher.moves(met, truths)
            if inner is None:
                return link
            for after in inner:
                todo.appendleft((here, after, paid, count, link))
            for rows, put in ((planned, todo.appendleft), (added, todo.append)):
                if rows is added and count >= self._at_most:
                    continue
                for action, steps in rows[here].items():
                    several = shared.get(action, ())
                    if several == []:
                        continue
                    for step, there, now in self._paid(steps, paid):
                        if several is None:
                            return (step, link)
                        taken = count + (rows is added)
                        for after in several:
                            if (there, after, now) not in done:
                                put((there, after, now, taken, (step, link)))
        return None

    def _paid(
        self, steps: Iterable[tuple[AddedStep, int]], paid: Paid
    ) -> Iterator[tuple[AddedStep, int, Paid]]:
        """Each step with its target, for each way to pay for it."""
        for step, there in steps:
            if not self._bounds or not step.needs:
                yield step, there, paid
                continue
            for way in product(*map(sorted, step.needs)):
                now = dict(paid)
                for unit in {*way} & self._bounds.keys():
                    now[unit] = now.get(unit, 0) + 1
                if all(n <= self._bounds[unit] for unit, n in now.items()):
                    needs = tuple(frozenset((unit,)) for unit in way)
                    yield step._replace(needs=needs), there, tuple(sorted(now.items()))


def _steps(link: Link) -> Iterator[AddedStep]:
    while link:
        step, link = link
        yield step


def _bringing(steps: Iterable[AddedStep]) -> Chosen:
    """Units that bring some steps, few of them."""
    found: set[Unit] = set()
    for need in (need for step in steps for need in step.needs):
        if found.isdisjoint(need):
            found.add(min(need))
    return frozenset(found)


def gather(
    search: EvidenceSearch, candidates: Sequence[Unit], evidence: Evidence
) -> None:
    """Find the unsafe sets that show each deviation to be maximal.

    Args:
        search: The search for the problem.
        candidates: All of K.
        evidence: Its deviations are claimed to be maximal; receives the unsafe sets.

    Raises:
        BreachError: A deviation is not maximal.
        LimitExceeded: A bound was hit.
    """
    everything = frozenset(candidates)
    tolerated = frozenset().union(*evidence.deviations)
    alone = add_singles(search, everything - tolerated, evidence)
    larger, known = list[Unsafe](), KnownUnsafe(evidence.deviations)
    # For each unit the larger unsafe sets that have it, as bits.
    holders = dict.fromkeys(sorted(everything - alone), 0)
    for deviation in evidence.deviations:
        if search.unsafe(deviation) is not None:
            raise BreachError("a deviation is unsafe")
        others = [unit for unit in holders if unit not in deviation]
        once = several = 0
        for unit in others:
            several |= once & holders[unit]
            once |= holders[unit]
        completed = {unit for unit in others if holders[unit] & ~several}
        for unit in others:
            if unit in completed:
                continue
            found = search.unsafe(deviation | {unit})
            if found is None:
                raise BreachError(f"candidate {unit} can be added")
            larger.append(search.minimal(found, known))
            for member in larger[-1].chosen:
                holders[member] |= 1 << len(larger) - 1
            completed |= larger[-1].chosen - deviation
    evidence.unsafe += larger


def add_singles(
    search: EvidenceSearch, candidates: Iterable[Unit], evidence: Evidence
) -> set[Unit]:
    """Add the individually unsafe units to the evidence.

    Cost: a search for each candidate.
    """
    alone: set[Unit] = set()
    for unit in sorted(candidates):
        found = search.unsafe([unit])
        if found is not None:
            alone.add(unit)
            evidence.unsafe.append(found)
    return alone


def confirm_unsafe(search: EvidenceSearch, chosen: Chosen, evidence: Evidence) -> None:
    """Find a violating trace for a set that is claimed to be minimal unsafe.

    Args:
        search: The search for the problem.
        chosen: The set.
        evidence: Receives the set.

    Raises:
        BreachError: The set is safe, or a proper part of it is unsafe.
        LimitExceeded: A bound was hit.
    """
    found = search.unsafe(chosen)
    if found is None or search.minimal(found).chosen != chosen:
        raise BreachError("a set is not a minimal unsafe set")
    evidence.unsafe.append(found)


def prove(
    search: EvidenceSearch,
    candidates: Sequence[Unit],
    evidence: Evidence,
    solver: EnumerationSolver,
    grown: Callable[[Chosen], Chosen | None],
    most: int | None = None,
    behind: int = 0,
    *,
    own: bool = True,
) -> Chosen | None:
    """Prove that each set is contained in a safe one or contains an unsafe one.

    Args:
        search: Decides which sets are unsafe.
        candidates: All of K.
        evidence: The known sets; receives further ones, and the proof.
        solver: A new solver that logs its proof.
        grown: Returns a safe superset of a set without unsafe parts; `None` if there is
            none.
        most: Consider only sets of at most this many.
        behind: The number of the last variable of a unit.
        own: Whether subsets of the safe sets are safe for the search, too.

    Returns:
        `None`; or a set for which `grown` returned none; then there is no proof.

    Raises:
        LimitExceeded: A bound was hit.

    Cost: a solver call for each set that was not known.
    """
    alone = {n for u in evidence.unsafe if len(u.chosen) == 1 for n in u.chosen}
    # What is unsafe alone is in no set that is asked about.
    units = [unit for unit in candidates if unit not in alone]
    variable = {unit: index for index, unit in enumerate(units, 1)}
    # Of each clause the kind, as they are numbered, and its place among those.
    clauses: list[tuple[int, int]] = []

    def exclude(place: int) -> None:
        chosen = evidence.unsafe[place].chosen
        if alone.isdisjoint(chosen):
            solver.add([-variable[unit] for unit in sorted(chosen)])
            clauses.append((0, place))

    def leave(place: int) -> bool:
        """Look only outside of a safe set; false if there is nothing."""
        deviation = evidence.deviations[place]
        outside = [variable[unit] for unit in units if unit not in deviation]
        if outside:
            solver.add(outside)
            clauses.append((1, place))
        return bool(outside)

    known = KnownUnsafe(evidence.deviations)
    left = [leave(place) for place in range(len(evidence.deviations))]
    going = all(left)
    for place in range(len(evidence.unsafe)):
        exclude(place)
    aside = at_most(most, [*variable.values()], len(units)) if most is not None else ()
    for place, clause in enumerate(aside):
        solver.add(clause)
        clauses.append((2, place))
    while going and (model := solver.propose()) is not None:
        chosen = frozenset(units[x - 1] for x in model if 0 < x <= len(units))
        found = search.unsafe(chosen)
        if found is not None:
            evidence.unsafe.append(search.minimal(found, known if own else None))
            exclude(len(evidence.unsafe) - 1)
            continue
        larger = grown(chosen)
        if larger is None:
            return chosen
        evidence.deviations.append(larger)
        known.add(larger)
        going = leave(len(evidence.deviations) - 1)
    evidence.proof = []
    if going:
        counters = range(behind + 1, behind + 1 + len(units) * (most or 0))
        names = [0, *(unit + 1 for unit in units), *counters]
        first = [0, len(evidence.unsafe)]
        first.append(first[1] + len(evidence.deviations))
        numbers = [first[kind] + place for kind, place in clauses]
        behind_all = first[2] + sum(kind == 2 for kind, _ in clauses)
        evidence.proof = solver.proof(names, numbers, behind_all)
    return None
