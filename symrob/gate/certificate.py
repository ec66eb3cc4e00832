"""Writing the certificate of a gate.

In:  the rules, the rulings, and the models.
Out: a certificate file.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from symrob.analyses.evidence import BreachError
from symrob.api.certificates.answers import maker_of
from symrob.api.certificates.making import Maker
from symrob.api.certificates.records import WrittenCertificate
from symrob.api.loading import Roles
from symrob.envelope.engine import Engine
from symrob.errors import LimitExceeded
from symrob.gate.judge import Asked
from symrob.gate.rule import GateRule, Ruling
from symrob.limits import Stages


def write_gate_certificate(
    path: str,
    asked: Asked,
    verdicts: Sequence[Ruling],
    roles: Roles,
    engine: Engine,
    others: Mapping[int, Roles],
) -> WrittenCertificate:
    """Write a certificate of the evidence for the rules of a gate.

    Args:
        path: As for `write_certificate`.
        asked: The rules.
        verdicts: The rulings.
        roles: The models of the case.
        engine: The engine for these models.
        others: The models with the other controllers, by the index of the rule.

    Raises:
        SymrobError: As for `write_comparison_certificate`.

    Cost: a search for each set that a rule is about; for resilience and other
        controllers as for `write_comparison_certificate`.
    """
    places: dict[tuple[int | None, bool], int] = {}
    sides: list[tuple[Roles, Engine]] = []

    def place(other: int | None, rule: GateRule) -> int:
        its_roles, its = roles, engine
        if other is not None:
            its_roles = others[other]
            its = asked.others[other].required_whole("a certificate")
        bare = rule.without_constraints and bool(its.constraints)
        if (other, bare) not in places:
            places[other, bare] = len(sides)
            sides.append((its_roles, its.unconstrained if bare else its))
        return places[other, bare]

    used: list[tuple[int, int | None]] = []
    for index, rule in enumerate(asked.rules):
        other = place(index, rule) if index in asked.others else None
        used.append((place(None, rule), other))
    maker = maker_of(sides)
    lacking = []
    with engine.effort.stage("certificate"):
        for index, verdict in enumerate(verdicts):
            stages = Stages(maker.clock)
            with stages:
                why = _lacking(maker, asked.refers[index], verdict, *used[index])
            if why or stages.reason:
                lacking.append(f"{verdict.rule.name} ({stages.reason or why})")
    if not maker.claims:
        raise LimitExceeded(f"not confirmed: {'; '.join(lacking)}")
    return maker.written(
        path, f"not confirmed: {'; '.join(lacking)}" if lacking else ""
    )


def _lacking(
    maker: Maker, refers: object, verdict: Ruling, place: int, other: int | None
) -> str:
    """Claim what a rule rests on; return why there is nothing to claim, if so."""
    if verdict.answer == "unknown":
        return "not decided"
    holds = verdict.rule.proved(maker, refers, place, other)
    if isinstance(holds, str):
        return holds
    if (verdict.answer == "holds") != holds and not (holds and verdict.vacuous):
        raise BreachError(f"the verdict on a rule is wrong: {verdict.rule.name}")
    return ""
