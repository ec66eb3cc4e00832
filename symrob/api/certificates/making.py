"""Building a certificate: claims about sides, and their evidence.

In:  `CertifiedSide`s over one environment and the same units.
Out: claims with their evidence, each found by search and proof; the file.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from symrob.analyses.evidence import BreachError, Chosen, Evidence, add_singles, prove
from symrob.api.certificates.records import (
    Record,
    WrittenCertificate,
    environment_record,
    write,
)
from symrob.api.certificates.sides import CertifiedSide
from symrob.certify.format import SCHEMA
from symrob.envelope.solvers import EnumerationSolver
from symrob.errors import Diagnostic, SymrobError
from symrob.lts import Action


@dataclass(frozen=True)
class ClaimMade:
    """A claim with its evidence; see docs/certificates.md.

    Attributes:
        kind: Kind of the claim.
        keeper: Index of the side whose deviations are claimed.
        breaker: Index of the side whose unsafe sets are claimed.
        evidence: The evidence.
        title: Human-readable title.
        most: Maximum size of the sets, or number of steps, that the claim is about.
        goals: The actions of each goal, if the claim is about goals.
    """

    kind: str
    keeper: int
    breaker: int
    evidence: Evidence
    title: str = ""
    most: int = 0
    goals: tuple[tuple[Action, ...], ...] = ()

    def records(self) -> Iterator[Record]:
        """Yield the records of the claim and its evidence."""
        yield {
            "claim": self.kind,
            "sides": [self.keeper, self.breaker],
            "title": self.title,
            "most": self.most,
            **({"goals": [sorted(goal) for goal in self.goals]} if self.goals else {}),
        }
        for deviation in self.evidence.deviations:
            yield {"deviation": sorted(deviation)}
        for unsafe in self.evidence.unsafe:
            yield {
                "unsafe": sorted(unsafe.chosen),
                "breaks": unsafe.breaks,
                "run": unsafe.run,
            }
        for clause, hints in self.evidence.proof or ():
            yield {"add": clause, "by": hints}


class Maker:
    """Makes claims, and writes them.

    Args:
        title: Human-readable title of the case.
        sides: Over one environment, with the same units in the same order.

    Attributes:
        claims: The claims to be written.

    Raises:
        SymrobError: The sides have different units.
    """

    def __init__(self, title: str, sides: Sequence[CertifiedSide]) -> None:
        self._title, self.sides = title, tuple(sides)
        self.claims: list[ClaimMade] = []
        first = self.sides[0]
        roles, problem = first.watching.roles, first.engine.problem
        self._environment = environment_record(roles, problem)
        self._units = first.unit_records()
        self.clock = first.engine.clock
        for side in self.sides[1:]:
            self._require_same(side)

    def _require_same(self, side: CertifiedSide) -> None:
        theirs = environment_record(side.watching.roles, side.engine.problem)
        theirs["environment"]["name"] = self._environment["environment"]["name"]
        if (theirs, side.unit_records()) != (self._environment, self._units):
            message = (
                "no certificate: the sides number states or candidates differently"
            )
            raise SymrobError(Diagnostic("certificate-sides", message))

    @property
    def behind(self) -> int:
        """Number of units, including those of R_E."""
        environment = self.sides[0].engine.problem.environment
        modes = sum("mode" in record for record in self._units)
        if modes:
            return modes
        return environment.size**2 * len(environment.alphabet)

    def solver(self) -> EnumerationSolver:
        """Return a solver that logs its proof; the caller must close it."""
        effort = self.sides[0].engine.effort
        return EnumerationSolver(self.clock, effort, proof=True)

    def all_of(self, place: int, evidence: Evidence) -> None:
        """Prove that the evidence lists every deviation.

        Raises:
            BreachError: A deviation is missing.
            LimitExceeded: A bound was hit.
        """
        side, solver = self.sides[place], self.solver()
        try:
            missing = prove(
                side.search, side.candidates, evidence, solver, lambda _: None
            )
        finally:
            solver.close()
        if missing is not None:
            raise BreachError("a maximal deviation is missing")

    def between(
        self, keeper: int, breaker: int, title: str = "", otherwise: str = ""
    ) -> bool:
        """Claim that one side tolerates all that another does, or a counterexample.

        Args:
            keeper: The side claimed to tolerate everything.
            breaker: The other side.
            title: Human-readable title of the claim.
            otherwise: Human-readable title of the claim that it does not.

        Returns:
            Whether it tolerates everything that the other does.

        Raises:
            LimitExceeded: A bound was hit.
        """
        mine, theirs = self.sides[keeper], self.sides[breaker]
        evidence, candidates = Evidence(), frozenset(mine.candidates)
        larger = mine.grown(theirs.alone)
        if larger is not None:
            evidence.deviations.append(larger)
        rest = candidates - (theirs.alone if larger is None else larger)
        add_singles(theirs.search, rest, evidence)
        solver = self.solver()
        try:
            witness = prove(
                theirs.search,
                theirs.candidates,
                evidence,
                solver,
                mine.grown,
                own=False,
            )
        finally:
            solver.close()
        if witness is None:
            claim = ClaimMade("includes", keeper, breaker, evidence, title)
            self.claims.append(claim)
        else:
            self.exceeds(breaker, keeper, witness, otherwise)
        return witness is None

    def exceeds(
        self, keeper: int, breaker: int, witness: Chosen, title: str = ""
    ) -> None:
        """Claim that a side tolerates a set that another does not.

        Raises:
            BreachError: The side does not tolerate it, or the other one does.
        """
        found = self.sides[breaker].search.unsafe(witness)
        if found is None or self.sides[keeper].search.unsafe(witness) is not None:
            raise BreachError("a witness proves nothing")
        evidence = Evidence([witness], [replace(found, chosen=witness)])
        self.claims.append(ClaimMade("exceeds", keeper, breaker, evidence, title))

    def resilient(self, place: int, most: int, title: str = "") -> bool:
        """Claim that no set of at most this many units is hazardous, or show one.

        Returns:
            Whether no such set is hazardous.

        Raises:
            LimitExceeded: A bound was hit.
        """
        side = self.sides[place]
        most = min(most, len(side.candidates))
        shown, holds = self._harmless(side, most)
        kind, least = ("resilient", most) if holds else ("unsafe-sets", 0)
        self.claims.append(ClaimMade(kind, place, place, shown, title, least))
        return holds

    def within(self, place: int, steps: int, title: str = "") -> bool:
        """Claim that no set is hazardous within so many deviated steps; or one that is.

        Returns:
            Whether none is.

        Raises:
            LimitExceeded: A bound was hit.
        """
        own = self.sides[place]
        names = own.names if own.modal else None
        engine = own.engine.budgeted(steps)
        side = CertifiedSide(own.watching.roles, engine, names)
        shown, holds = self._harmless(side)
        kind = "no-hazard-within" if holds else "hazards-within"
        self.claims.append(ClaimMade(kind, place, place, shown, title, steps))
        return holds

    def _harmless(
        self, side: CertifiedSide, most: int | None = None
    ) -> tuple[Evidence, bool]:
        """What shows that no set, of at most so many, is hazardous; or that one is."""
        evidence, solver = Evidence(), self.solver()
        add_singles(side.rules, side.candidates, evidence)
        try:
            hazard = prove(
                side.rules,
                side.candidates,
                evidence,
                solver,
                side.grown,
                most,
                self.behind,
            )
        finally:
            solver.close()
        if hazard is None:
            return evidence, True
        found = side.search.unsafe(hazard)
        assert found is not None
        return Evidence(unsafe=[side.search.minimal(found)]), False

    def tolerates(
        self, place: int, sets: Iterable[Chosen], title: str = ""
    ) -> list[bool]:
        """Claim for each set whether it is tolerated.

        Returns:
            For each set, whether it is tolerated.
        """
        search, evidence, answers = self.sides[place].search, Evidence(), list[bool]()
        for chosen in sets:
            found = search.unsafe(chosen)
            answers.append(found is None)
            if found is None and chosen not in evidence.deviations:
                evidence.deviations.append(chosen)
            elif found is not None:
                unsafe = replace(found, chosen=chosen)
                if unsafe not in evidence.unsafe:
                    evidence.unsafe.append(unsafe)
        for kind, part in (
            ("tolerates", Evidence(evidence.deviations)),
            ("excludes", Evidence(unsafe=evidence.unsafe)),
        ):
            if part.deviations or part.unsafe:
                self.claims.append(ClaimMade(kind, place, place, part, title))
        return answers

    def goals(
        self,
        place: int,
        sets: Iterable[Chosen],
        goals: Iterable[Iterable[Action]],
        title: str = "",
        *,
        kept: bool,
    ) -> None:
        """Claim that with each set each goal stays possible; or that each is lost."""
        evidence = Evidence([*dict.fromkeys(sets)])
        kind, actions = (
            "keeps-goals" if kept else "loses-goals",
            tuple(map(tuple, goals)),
        )
        self.claims.append(ClaimMade(kind, place, place, evidence, title, 0, actions))

    def written(self, path: str, reason: str) -> WrittenCertificate:
        """Write the claims; `reason` states what is missing."""
        with self.clock.suspended():
            return write(path, self._records(), reason)

    def _records(self) -> Iterator[Record]:
        yield {"schema": SCHEMA, "title": self._title}
        yield self._environment
        for side in self.sides:
            yield from side.watching.records()
        yield from self._units
        for claim in self.claims:
            yield from claim.records()
