"""Evidence that deviations are maximal, and all: unsafe sets with runs, and a proof.

In:  an environment, what watches it (`certify.watching`), deviations that are said to
     be maximal.
Out: `Evidence`: minimal unsafe sets, each with a run that breaks something; with them,
     a proof that no other maximal deviation exists.

What it rests on are explicit searches of the closed loop, not the engine: that found
the deviations, and a certificate is there to confirm it. Where the two disagree, that
is said (`BreachError`).

First, for each deviation and each candidate beside it an unsafe set that the candidate
completes. Then a SAT solver looks for a set of candidates that holds none of the unsafe
sets and lies in none of the deviations. What it proposes is unsafe if none is missing,
so a run gives one more unsafe set. When nothing is left its log is the proof. It ends,
since each round excludes a set. With all deviations given, every minimal unsafe set is
found: it would be a model itself.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from symrob.certify.watching import TAU, Watcher
from symrob.envelope.solvers import EnumerationSolver
from symrob.limits import Clock
from symrob.lts import Lts, Transition

# Of a transition of A; see docs/certificates.md.
Number = int
# A step of E: its transition, or where its internal move leads.
Step = Number | tuple[int]
# For each state of E, by action, steps with their targets.
Rows = list[dict[str, list[tuple[Step, int]]]]
# A run of E as pairs of its last step and the run before; the empty one is `()`.
Link = tuple[Any, ...]


class BreachError(Exception):
    """The deviations are not what they are said to be: a fault of symrob."""


@dataclass(frozen=True)
class Unsafe:
    """An unsafe set.

    Attributes:
        chosen: The candidates in it.
        breaks: Which watcher meets ERROR.
        run: What E does until then; takes all of them.
    """

    chosen: frozenset[Number]
    breaks: int
    run: tuple[Step, ...]


class Search:
    """Runs of E, with more transitions, into ERROR.

    Args:
        environment: E.
        watchers: What watches it; the nominal system is safe.
        clock: Asked at each search whether the run may go on.
    """

    def __init__(
        self, environment: Lts, watchers: Sequence[Watcher], clock: Clock
    ) -> None:
        self._alphabet, self._size = environment.alphabet, environment.size
        self._watchers, self._clock = watchers, clock
        self._rows: Rows = [{} for _ in range(self._size)]
        self.nominal: set[Number] = set()
        place = {action: index for index, action in enumerate(self._alphabet)}
        for q, a, r in environment.transitions:
            step: Step = (r,)
            if a != TAU:
                step = (q * len(place) + place[a]) * self._size + r
                self.nominal.add(step)
            self._rows[q].setdefault(a, []).append((step, r))

    def number(self, transition: Transition) -> Number:
        """Return the number of a transition of A."""
        source, action, target = transition
        place = bisect_left(self._alphabet, action)
        return (source * len(self._alphabet) + place) * self._size + target

    def unsafe(self, chosen: Iterable[Number]) -> Unsafe | None:
        """Return an unsafe part of a set of candidates; `None` if it is safe.

        Cost: at most a search of the closed loop for each watcher.
        """
        self._clock.check()
        added: Rows = [{} for _ in range(self._size)]
        for number in chosen:
            rest, target = divmod(number, self._size)
            source, action = divmod(rest, len(self._alphabet))
            row = added[source].setdefault(self._alphabet[action], [])
            row.append((number, target))
        for index, watcher in enumerate(self._watchers):
            link = self._run(watcher, added)
            if link is not None:
                run = tuple(reversed([*_steps(link)]))
                taken = {step for step in run if isinstance(step, int)}
                return Unsafe(frozenset(taken - self.nominal), index, run)
        return None

    def minimal(self, unsafe: Unsafe) -> Unsafe:
        """Return a minimal unsafe part of an unsafe set.

        Cost: a search for each member.
        """
        for candidate in sorted(unsafe.chosen):
            if candidate in unsafe.chosen and len(unsafe.chosen) > 1:
                smaller = self.unsafe(unsafe.chosen - {candidate})
                unsafe = smaller or unsafe
        return unsafe

    def _run(self, watcher: Watcher, added: Rows) -> Link | None:
        """A run into ERROR that takes candidates few times, if there is one."""
        assert watcher.start is not None, "the nominal system is unsafe"
        todo: deque[tuple[int, int, Link]] = deque((0, n, ()) for n in watcher.start)
        done: set[tuple[int, int]] = set()
        # Sorted by how often candidates were taken: what takes none goes before.
        while todo:
            here, number, link = todo.popleft()
            if (here, number) in done:
                continue
            done.add((here, number))
            inner, shared = watcher.moves(number)
            if inner is None:
                return link
            for after in inner:
                todo.appendleft((here, after, link))
            for rows, put in ((self._rows, todo.appendleft), (added, todo.append)):
                for action, steps in rows[here].items():
                    numbers = [number] if action == TAU else shared.get(action, ())
                    if numbers is None:
                        return (steps[0][0], link)
                    for after in numbers:
                        for step, there in steps:
                            if (there, after) not in done:
                                put((there, after, (step, link)))
        return None


def _steps(link: Link) -> Iterator[Step]:
    while link:
        step, link = link
        yield step


@dataclass
class Evidence:
    """What shows that deviations are maximal, and all.

    Attributes:
        unsafe: The unsafe sets, each minimal.
        proof: Steps, each whether it deletes, and its clause over numbers of
            transitions plus one; `None` where it was not asked for or not finished.
    """

    unsafe: list[Unsafe] = field(default_factory=list)
    proof: list[tuple[bool, list[int]]] | None = None


def gather(
    search: Search,
    candidates: Sequence[Number],
    deviations: Sequence[frozenset[Number]],
    evidence: Evidence,
) -> None:
    """Find the unsafe sets that show each deviation to be maximal.

    Args:
        search: Of the problem.
        candidates: All of K.
        deviations: Without R_E; each is said to be maximal.
        evidence: Gets the unsafe sets.

    Raises:
        BreachError: A deviation is not maximal.
        LimitExceeded: A bound was hit.
    """
    everything = frozenset(candidates)
    tolerated = frozenset().union(*deviations)
    alone: set[Number] = set()
    for number in sorted(everything - tolerated):
        found = search.unsafe([number])
        if found is not None:
            alone.add(number)
            evidence.unsafe.append(found)
    larger: list[Unsafe] = []
    for deviation in deviations:
        rests = (unsafe.chosen - deviation for unsafe in larger)
        completed = {number for rest in rests if len(rest) == 1 for number in rest}
        for number in sorted(everything - deviation - alone):
            if number in completed:
                continue
            found = search.unsafe(deviation | {number})
            if found is None or number not in found.chosen:
                raise BreachError(f"transition {number} of A can be added")
            larger.append(search.minimal(found))
            completed |= larger[-1].chosen - deviation
    evidence.unsafe += larger


def confirm_unsafe(
    search: Search, chosen: frozenset[Number], evidence: Evidence
) -> None:
    """Find a run that breaks something with a set that is said to be minimal unsafe.

    Args:
        search: Of the problem.
        chosen: The set.
        evidence: Gets it.

    Raises:
        BreachError: It is safe, or a part of it is unsafe.
        LimitExceeded: A bound was hit.
    """
    found = search.unsafe(chosen)
    if found is None or search.minimal(found).chosen != chosen:
        raise BreachError("a set is not minimal unsafe")
    evidence.unsafe.append(found)


def prove(
    search: Search,
    candidates: Sequence[Number],
    deviations: Sequence[frozenset[Number]],
    evidence: Evidence,
    solver: EnumerationSolver,
) -> None:
    """Prove that no maximal deviation is missing.

    Args:
        search: Of the problem.
        candidates: All of K.
        deviations: As for `gather`, which is over.
        evidence: What it gave; gets more unsafe sets, and the proof.
        solver: A new one that logs its proof.

    Raises:
        BreachError: A deviation is missing.
        LimitExceeded: A bound was hit.

    Cost: a call of the solver for each minimal unsafe set that was not known.
    """
    alone = {n for u in evidence.unsafe if len(u.chosen) == 1 for n in u.chosen}
    # What is unsafe alone is false by itself; the solver need not know of it.
    numbers = [number for number in candidates if number not in alone]
    variable = {number: index for index, number in enumerate(numbers, 1)}
    steps: list[tuple[bool, list[int]]] = []
    blocking = [
        [variable[number] for number in numbers if number not in deviation]
        for deviation in deviations
    ]
    if all(blocking):
        for clause in blocking:
            solver.add(clause)
        for unsafe in evidence.unsafe:
            if len(unsafe.chosen) > 1:
                solver.add([-variable[number] for number in sorted(unsafe.chosen)])
        while (model := solver.propose()) is not None:
            chosen = [numbers[literal - 1] for literal in model if literal > 0]
            found = search.unsafe(chosen)
            if found is None:
                raise BreachError("a maximal deviation is missing")
            evidence.unsafe.append(search.minimal(found))
            unsafe = evidence.unsafe[-1]
            solver.add([-variable[number] for number in sorted(unsafe.chosen)])
        literal = {str(v): number + 1 for number, v in variable.items()}
        literal |= {f"-{word}": -named for word, named in literal.items()}
        for line in solver.proof:
            deletion = line.startswith("d")
            words = line[2 * deletion :].split()
            steps.append((deletion, [literal[word] for word in words[:-1]]))
    evidence.proof = steps
