"""Checks whether the claims of a certificate follow from its models.

In:  a `Certificate`.
Out: what was checked, in words and figures; `WrongError` if a claim does not follow.

The conditions 0 to 4 of docs/certificates.md: exhaustive searches, replayed traces, a
proof that is checked step by step. Standard library only.
"""

from collections.abc import Iterable, Iterator
from functools import cache

from symrob.certify.goals import lost
from symrob.certify.proof import at_most, first_flaw
from symrob.certify.reading import Certificate, Claim, Set, Step, WrongError
from symrob.certify.watching import Watcher, performs


class Checker:
    """Checks the conditions one after the other."""

    def __init__(self, given: Certificate) -> None:
        self.given = given

    def lines(self) -> Iterator[str]:
        """Yield what was checked, each line as soon as its check is done.

        Raises:
            WrongError: Something does not follow.
            BoundHitError: There are too many states to explore.
        """
        for number in range(len(self.given.sides)):
            what = f"the nominal system of side {number + 1}"
            self._require_safe("nominal", what, number, [])
        for claim in self.given.claims:
            yield from self._follows(claim)

    def _follows(self, claim: Claim) -> Iterator[str]:
        """Check one claim."""
        given, kind, unsafe = self.given, claim.kind, claim.unsafe
        if len(given.sides) > 1:
            kind += f", of side {claim.keeper + 1} with {claim.breaker + 1}"
        title = f'; titled "{claim.title:.100}", unchecked' if claim.title else ""
        yield f"claim: {kind}, over {plural(len(given.candidates), 'candidate')}{title}"
        kind, one = claim.kind, claim.keeper == claim.breaker
        _require(one or kind in _OF_TWO, "malformed", f"{kind} requires one side")
        given.within = claim.most if kind.endswith("-within") else None
        self._well_formed("deviation", claim.deviations)
        self._well_formed("unsafe set", [chosen for chosen, _, _ in unsafe])
        yield "0. the nominal system is safe; sets contain only candidates, each once"
        if claim.goals:
            yield from self._goals(claim)
            return
        for number, deviation in enumerate(claim.deviations, 1):
            self._require_safe("unsafe", f"deviation {number}", claim.keeper, deviation)
        yield f"1. safe deviations: {len(claim.deviations):,}; all traces were tried"
        watchers = given.sides[claim.breaker].watchers
        follows = cache(lambda breaks, run: watchers[breaks].follows(run))
        for number, (chosen, breaks, run) in enumerate(unsafe, 1):
            walked, by = given.changed(chosen), watchers[breaks]
            met = performs(walked, run) and (
                by.fails(walked.along(run, given.budget))
                if by.sees_states
                else follows(breaks, run)
            )
            what = f"the trace of unsafe set {number} does not reach ERROR"
            _require(met, "trace", what)
        yield f"2. unsafe sets: {len(unsafe):,}; the trace of each reaches ERROR"
        yield from _MEANT[kind](self, claim) if kind in _MEANT else ()
        if kind in ("deviations", "unsafe-sets", "hazards-within"):
            yield "completeness is neither claimed nor checked"
        if kind not in _PROVED:
            return
        clauses, steps = self.clauses(claim), len(claim.steps)
        flaw = first_flaw(clauses, map(self._timed, claim.steps))
        _require(flaw != 0, "missing", "the proof does not lead to the empty clause")
        _require(flaw is None, "proof", f"step {flaw} does not follow")
        proof = plural(steps, "step") + " of proof refute" + "s" * (steps == 1)
        yield f"4. {_PROVED[kind]}: {proof} {plural(len(clauses), 'clause')}"

    def _goals(self, claim: Claim) -> Iterator[str]:
        """Check what stays possible, or does not; the sets need not be safe."""
        side, own = self.given.sides[claim.keeper], frozenset(self.given.actions)
        gone, told = claim.kind == "loses-goals", f"5. goals: {len(claim.goals):,}"
        for number, deviation in enumerate(claim.deviations, 1):
            found = lost(self.given.changed(deviation), side, own, claim.goals)
            what = f"the goals of set {number} are not as claimed"
            _require({*found} == {gone}, "goals", what)
        told += ", lost" if gone else ", always possible"
        sets = plural(len(claim.deviations), "set")
        yield f"{told} with each of {sets}; all traces were tried"

    def clauses(self, claim: Claim) -> list[list[int]]:
        """The clauses that a missing set would satisfy.

        Variable t + 1 means that t is in the set.
        """
        clauses = [[-t - 1 for t in chosen] for chosen, _, _ in claim.unsafe]
        alone = {-clause[0] for clause in clauses if len(clause) == 1}
        variables = [t + 1 for t in self.given.candidates if t + 1 not in alone]
        for deviation in claim.deviations:
            # A short deviation is a long clause.
            self.given.budget.hold(8 * max(0, len(variables) - len(deviation)))
            inside = {t + 1 for t in deviation}
            clauses.append([x for x in variables if x not in inside])
        if claim.kind == "resilient":
            clauses += at_most(claim.most, variables, self.given.units)
        return clauses

    def _timed(self, step: Step) -> Step:
        self.given.budget.spend(0)
        return step

    def _well_formed(self, what: str, sets: list[Set]) -> None:
        candidates = frozenset(self.given.candidates)
        for number, chosen in enumerate(sets, 1):
            flaw = f"{what} {number} has a member that is not a candidate"
            _require(candidates.issuperset(chosen), "foreign", flaw)
        _require(len({*map(tuple, sets)}) == len(sets), "twice", f"two equal {what}s")

    def _safe(self, chosen: Set, watchers: Iterable[Watcher]) -> bool:
        rows = self.given.changed(chosen)
        return not any(watcher.fails(rows) for watcher in watchers)

    def _require_safe(self, reason: str, what: str, side: int, chosen: Set) -> None:
        safe = self._safe(chosen, self.given.sides[side].watchers)
        _require(safe, reason, f"{what} violates a property or assumption")

    def _maximal(self, claim: Claim) -> Iterator[str]:
        alone = {t for chosen, _, _ in claim.unsafe if len(chosen) == 1 for t in chosen}
        # In no deviation; so neither is a larger set that has such a member.
        larger = [u for u, _, _ in claim.unsafe if alone.isdisjoint(u)]
        # For each of the other candidates the sets that have it, as bits.
        holders = {t: 0 for t in self.given.candidates if t not in alone}
        self.given.budget.spend(len(holders) * len(larger) >> 10)
        for number, chosen in enumerate(larger):
            for t in chosen:
                holders[t] |= 1 << number
        for number, deviation in enumerate(map(set, claim.deviations), 1):
            others = [t for t in holders if t not in deviation]
            once = several = 0
            for t in others:
                several |= once & holders[t]
                once |= holders[t]
            left = [t for t in others if not holders[t] & ~several]
            what = f"nothing excludes {left[:3]} from deviation {number}"
            _require(not left, "maximal", what)
        yield "3. deviations are maximal: any other candidate completes an unsafe set"

    def _minimal(self, claim: Claim) -> Iterator[str]:
        for number, (chosen, _, _) in enumerate(claim.unsafe, 1):
            for left_out in chosen:
                part = [t for t in chosen if t != left_out]
                what = f"a part of unsafe set {number}"
                self._require_safe("minimal", what, claim.breaker, part)
        told = "3. each unsafe set is minimal: with any one member removed it is safe"
        yield f"{told} (all traces tried)"
        # What breaks a constraint of the breaker itself need not break a property.
        both = [self.given.sides[i] for i in {claim.keeper, claim.breaker}]
        rules = [watcher for side in both for watcher in side.watchers[: side.rules]]
        every = (chosen for chosen, _, _ in claim.unsafe)
        kept = [len(u) for u in every if self._safe(u, rules)]
        of = f", the smallest of size {min(kept)}" if kept else ""
        yield f"   hazardous (violate no assumption): {len(kept):,}{of}"

    def _exceeds(self, claim: Claim) -> Iterator[str]:
        shown = any(chosen in claim.deviations for chosen, _, _ in claim.unsafe)
        _require(shown, "sets", "no deviation of one side is unsafe for the other")
        yield "3. the first side tolerates a set that the second does not"

    def _resilient(self, claim: Claim) -> Iterator[str]:
        rules = self.given.sides[claim.breaker].rules
        kept = any(breaks >= rules for _, breaks, _ in claim.unsafe)
        _require(not kept, "sets", "an unsafe set violates no assumption")
        within = self.given.within is not None
        most = plural(claim.most, "deviated step") if within else f"{claim.most:,}"
        yield f"3. covered: sets of at most {most} that violate no assumption"


_OF_TWO = ("includes", "exceeds", "unsafe-sets")
_MEANT = {"deviations": Checker._maximal, "unsafe-sets": Checker._minimal}
_MEANT |= {f"all-{kind}": check for kind, check in _MEANT.items()}
_MEANT |= {"exceeds": Checker._exceeds, "resilient": Checker._resilient}
_MEANT |= {"hazards-within": Checker._minimal, "no-hazard-within": Checker._resilient}
_PROVED = dict.fromkeys(("all-deviations", "all-unsafe-sets"), "none is missing")
_PROVED["includes"] = "the first side tolerates all that the second does"
_PROVED |= dict.fromkeys(("resilient", "no-hazard-within"), "each of them is safe")


def plural(count: int, word: str) -> str:
    """Return `1 set`, `2 sets`, `1,000 sets`."""
    return f"{count:,} {word}" + "s" * (count != 1)


def _require(holds: bool, reason: str, message: str) -> None:
    if not holds:
        raise WrongError(reason, message)
