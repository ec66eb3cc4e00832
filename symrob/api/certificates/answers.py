"""The claims of each kind of answer, and writing its certificate.

In:  the models, the engine, and the result of an analysis.
Out: a certificate file; `WrittenCertificate` reports what it holds, and what it leaves
     open.

A certificate claims nothing about results that a bound cut off.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager

from symrob.analyses.cut import Cut
from symrob.analyses.cuts import Resilience
from symrob.analyses.evidence import (
    BreachError,
    Chosen,
    Evidence,
    confirm_unsafe,
    gather,
)
from symrob.api.certificates.making import ClaimMade, Maker
from symrob.api.certificates.records import WrittenCertificate
from symrob.api.certificates.sides import CertifiedSide
from symrob.api.loading import Roles
from symrob.api.result import SafetyEnvelope
from symrob.envelope.engine import Engine
from symrob.errors import LimitExceeded, plural
from symrob.limits import Stages
from symrob.problem import UnitSet

Pair = tuple[int, int]


def write_certificate(
    path: str, roles: Roles, envelope: SafetyEnvelope
) -> WrittenCertificate:
    """Write a certificate of the known deviations.

    It claims that each deviation is safe and maximal and, if all are known, that none
    is missing.

    Args:
        path: The file; gzipped if its name ends with `.gz`.
        roles: The models of the result.
        envelope: The result; its remaining deviations are computed.

    Raises:
        SymrobError: The file cannot be written.
        LimitExceeded: A bound was hit before anything could be claimed.
        BreachError: The result is wrong.

    Cost: see docs/pipeline.md.
    """
    engine = envelope.engine
    with engine.effort.stage("certificate"):
        side = CertifiedSide(roles, engine)
        maker, reason = Maker(roles.title, [side]), envelope.reason
        evidence, kind = Evidence([side.of(d) for d in envelope]), "deviations"
        if envelope.status != "complete":
            with maker.clock.suspended():
                gather(side.search, side.candidates, evidence)
        else:
            gather(side.search, side.candidates, evidence)
            with _kept(maker) as stages:
                maker.all_of(0, evidence)
                kind = "all-deviations"
            reason = stages.reason
        maker.claims.append(ClaimMade(kind, 0, 0, evidence))
        return maker.written(path, _none_is_missing(reason))


def write_cuts_certificate(
    path: str,
    roles: Roles,
    engine: Engine,
    found: Sequence[Cut],
    why: str,
    resilience: Sequence[Resilience],
) -> WrittenCertificate:
    """Write a certificate of minimal hazardous and excluded unsafe sets.

    It claims that each set is unsafe and minimal, and its kind. If all hazardous sets
    are given and Δ is listed, it also has the minimal sets that break an assumption,
    and claims that no set is missing.

    Args:
        path: As for `write_certificate`.
        roles: The models of the sets.
        engine: The engine for these models.
        found: The sets.
        why: Why hazardous sets may be missing; empty if all are given.
        resilience: The resilience with and without the assumptions, if requested.

    Raises:
        SymrobError: As for `write_certificate`.

    Cost: that of Δ and of its certificate, if all sets are given.
    """
    with engine.effort.stage("certificate"):
        sides = [CertifiedSide(roles, engine)]
        if engine.constraints:
            sides.append(CertifiedSide(roles, engine.unconstrained))
        maker = Maker(roles.title, sides)
        hazardous, away = (
            [sides[0].chosen(c.units) for c in found if c.verdict == word]
            for word in ("hazardous", "excluded-unsafe")
        )
        if not why:
            with _kept(maker) as stages:
                _all_hazardous(maker, hazardous)
            why = stages.reason
        with maker.clock.suspended():
            if why:
                _minimal(maker, 0, hazardous, "hazardous")
            if away:
                _minimal(maker, 1, away, "excluded by an assumption")
        for place, known in enumerate(resilience[: len(sides)]):
            if known.harmless:
                with _kept(maker) as stages:
                    if not maker.resilient(place, known.harmless, "resilience"):
                        raise BreachError("the resilience is lower")
                why = why or stages.reason
        return maker.written(path, _none_is_missing(why))


def _none_is_missing(reason: str) -> str:
    return f"completeness is not certified ({reason})" if reason else ""


@contextmanager
def _kept(maker: Maker) -> Iterator[Stages]:
    """A stage of making: a bound that is hit ends it, and no claim is half made."""
    stages = Stages(maker.clock)
    with stages:
        yield stages


def _all_hazardous(maker: Maker, hazardous: Sequence[Chosen]) -> None:
    side = maker.sides[0]
    evidence = Evidence([side.of(d) for d in side.engine.deviations()])
    gather(side.search, side.candidates, evidence)
    maker.all_of(0, evidence)
    rules = len(side.watching.constraints)
    # Constraints are looked at first, so a set that breaks none keeps them.
    if {u.chosen for u in evidence.unsafe if u.breaks >= rules} != set(hazardous):
        raise BreachError("the minimal hazardous sets differ")
    maker.claims.append(ClaimMade("all-unsafe-sets", 0, 0, evidence))


def _minimal(maker: Maker, place: int, sets: Iterable[Chosen], title: str) -> None:
    """Claim that sets are minimal unsafe; the first side tells what keeps a rule."""
    evidence = Evidence()
    for chosen in sets:
        confirm_unsafe(maker.sides[place].search, chosen, evidence)
    maker.claims.append(ClaimMade("unsafe-sets", 0, place, evidence, title))


def write_comparison_certificate(
    path: str,
    sides: Mapping[str, tuple[Roles, Engine]],
    at_least: Mapping[Pair, bool],
    witnesses: Mapping[Pair, UnitSet],
) -> WrittenCertificate:
    """Write a certificate of a comparison of designs.

    Args:
        path: As for `write_certificate`.
        sides: The designs, by name.
        at_least: For pairs of designs, by position, whether the first tolerates
            everything that the second does; unknown pairs are left out.
        witnesses: For pairs of designs, a set that the first tolerates and the second
            does not, if known.

    Raises:
        SymrobError: As for `write_certificate`; or the sides number states differently.
        LimitExceeded: A bound was hit before anything could be claimed.
        BreachError: The answer is wrong.

    Cost: for each pair, a solver call for each set that the solver proposes, and the
        searches that judge it.
    """
    names = list(sides)
    maker = maker_of(sides.values())
    open_pairs, reason = 0, ""
    with maker.sides[0].engine.effort.stage("certificate"):
        for pair in ((i, j) for i in range(len(names)) for j in range(len(names))):
            keeper, breaker = pair
            if keeper == breaker:
                continue
            said = f"{names[keeper]} tolerates all that {names[breaker]} tolerates"
            other = f"{names[breaker]} tolerates a set that {names[keeper]} does not"
            if pair[::-1] in witnesses:
                witness = maker.sides[breaker].chosen(witnesses[pair[::-1]])
                maker.exceeds(breaker, keeper, witness, other)
                continue
            known, stages = at_least.get(pair), Stages(maker.clock)
            with stages:
                if known is None:
                    open_pairs += 1
                elif maker.between(keeper, breaker, said, other) != known:
                    raise BreachError(f"a verdict is wrong: {said}")
            if stages.reason:
                open_pairs, reason = open_pairs + 1, stages.reason
    if not maker.claims:
        raise LimitExceeded(reason or "no verdict")
    if open_pairs:
        why = f": {reason}" if reason else ""
        pairs = plural(len(names) * (len(names) - 1), "pair")
        reason = f"no claim about {open_pairs} of {pairs} of designs{why}"
    return maker.written(path, reason)


def maker_of(sides: Iterable[tuple[Roles, Engine]]) -> Maker:
    """Return the maker of claims about some models; all sides number modes alike."""
    made: list[CertifiedSide] = []
    for roles, engine in sides:
        names = made[0].names if made and engine.problem.units else None
        made.append(CertifiedSide(roles, engine, names))
    return Maker(made[0].watching.roles.title, made)
