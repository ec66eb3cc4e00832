"""Checks a certificate: does what it claims follow from the models in it?

In:  a `Certificate`.
Out: what was checked, in words and figures; `WrongError` where that does not follow.

The conditions 0 to 4 of docs/certificates.md: searches that try all runs, runs that are
followed, a proof that is checked step by step. Standard library only.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from symrob.certify.proof import first_flaw
from symrob.certify.reading import Certificate, Number, WrongError
from symrob.certify.watching import TAU, Budget, Network, Rows, Watcher


class Checker:
    """Checks the conditions one after the other."""

    def __init__(self, given: Certificate, budget: Budget) -> None:
        self.given = given
        alone, actions = Network([], frozenset(), budget), frozenset(given.alphabet)
        self._watchers = [
            Watcher(alone if index < given.rules else given.controller, it, actions)
            for index, it in enumerate(given.watched)
        ]

    def lines(self) -> Iterator[str]:
        """Yield what was checked, each line as soon as that is done.

        Raises:
            WrongError: Something does not follow.
            BoundHitError: There are too many states to look at.
        """
        given = self.given
        yield f"claim: {given.claim}, over {len(given.candidates):,} candidates"
        self._require_safe("nominal", "the nominal system", [])
        self._well_formed()
        yield "0. the nominal system is safe; each set is of candidates and comes once"
        for number, deviation in enumerate(given.deviations, 1):
            self._require_safe("unsafe", f"deviation {number}", deviation)
        yield f"1. safe deviations: {len(given.deviations):,}; all runs were tried"
        for number, entry in enumerate(given.unsafe, 1):
            _require(self._breaks(*entry), "run", f"that of unsafe set {number}")
        yield f"2. unsafe sets: {len(given.unsafe):,}; the run of each meets ERROR"
        if given.claim.endswith("deviations"):
            self._maximal()
            yield "3. each deviation is maximal: any more of K completes an unsafe set"
        else:
            hazardous = self._minimal()
            yield "3. each unsafe set is minimal: without a member, all runs were tried"
            yield f"   of these keep the constraints, so are hazardous: {hazardous:,}"
        if not given.claim.startswith("all-"):
            yield "not claimed, and not checked: that none is missing"
            return
        clauses, steps = self.clauses(), f"{len(given.steps):,} steps of proof"
        flaw = first_flaw(given.transitions, clauses, given.steps)
        _require(flaw != 0, "missing", f"{steps} do not lead to the empty clause")
        _require(flaw is None, "proof", f"step {flaw} does not follow")
        yield f"4. none is missing: {steps} refute {len(clauses):,} clauses"

    def clauses(self) -> list[list[int]]:
        """What a missing set would satisfy; variable t + 1 says that t is in it."""
        clauses = [[-t - 1 for t in chosen] for chosen, _, _ in self.given.unsafe]
        for deviation in map(set, self.given.deviations):
            clauses.append([t + 1 for t in self.given.candidates if t not in deviation])
        return clauses

    def _well_formed(self) -> None:
        candidates = frozenset(self.given.candidates)
        unsafe = [chosen for chosen, _, _ in self.given.unsafe]
        for what, sets in ("deviation", self.given.deviations), ("unsafe set", unsafe):
            for number, chosen in enumerate(sets, 1):
                _require(candidates.issuperset(chosen), "foreign", f"{what} {number}")
            _require(len({*map(tuple, sets)}) == len(sets), "twice", f"one {what}")

    def _violated(self, added: Iterable[Number], watchers: Iterable[Watcher]) -> bool:
        """Whether R_E with some more violates something."""
        rows: Rows = [{a: [*rs] for a, rs in row.items()} for row in self.given.rows]
        for source, action, target in map(self._transition, added):
            rows[source].setdefault(action, []).append(target)
        return any(watcher.fails(rows) for watcher in watchers)

    def _require_safe(self, reason: str, what: str, added: Iterable[Number]) -> None:
        safe = not self._violated(added, self._watchers)
        _require(safe, reason, f"{what} violates a property or constraint")

    def _transition(self, number: Number) -> tuple[int, str, int]:
        rest, target = divmod(number, self.given.size)
        source, action = divmod(rest, len(self.given.alphabet))
        return source, self.given.alphabet[action], target

    def _breaks(self, chosen: list[Number], breaks: int, run: list[Any]) -> bool:
        """Whether a run takes R_E and what is chosen alone, and meets ERROR."""
        here, actions, allowed = 0, [], self.given.nominal.union(chosen)
        for step in run:
            if isinstance(step, list):
                target = step[0]
                fits = target in self.given.rows[here].get(TAU, ())
            else:
                source, action, target = self._transition(step)
                fits = step in allowed and source == here
                actions.append(action)
            if not fits:
                return False
            here = target
        return self._watchers[breaks].follows(actions)

    def _maximal(self) -> None:
        unsafe = [frozenset(chosen) for chosen, _, _ in self.given.unsafe]
        for number, deviation in enumerate(map(frozenset, self.given.deviations), 1):
            rests = (chosen - deviation for chosen in unsafe)
            completed = {t for rest in rests if len(rest) == 1 for t in rest}
            others = set(self.given.candidates).difference(deviation, completed)
            what = f"nothing excludes transitions {sorted(others)[:3]} from deviation"
            _require(not others, "maximal", f"{what} {number}")

    def _minimal(self) -> int:
        """Require that no part is unsafe; return how many keep the constraints."""
        for number, (chosen, _, _) in enumerate(self.given.unsafe, 1):
            for left_out in chosen:
                part = [t for t in chosen if t != left_out]
                self._require_safe("minimal", f"a part of unsafe set {number}", part)
        rules = self._watchers[: self.given.rules]
        return sum(not self._violated(c, rules) for c, _, _ in self.given.unsafe)


def _require(holds: bool, reason: str, message: str) -> None:
    if not holds:
        raise WrongError(reason, message)
