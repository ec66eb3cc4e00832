"""Rules that safety does not depend on some assumptions: `[[assumptions]]`.

In:  the table of a rule; the case.
Out: whether a deviation that keeps all other assumptions violates a property; with
     `resilience = 2`, whether one of fewer than two units does.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

from symrob.analyses.mattering import Assumptions
from symrob.api.certificates.making import Maker
from symrob.case.tables import (
    A_COUNT,
    YES_OR_NO,
    Key,
    Keys,
    array_of,
    is_text,
    list_of,
    needing,
)
from symrob.errors import Diagnostic, SymrobError, did_you_mean
from symrob.gate.resilience import resilience_ruling
from symrob.gate.rule import NAMED, Bench, GateGround, GateRule, Policy, Reading, Ruling

# This many assumptions are all named where one is unknown.
_FEW = 8


@dataclass(frozen=True)
class WithoutAssumptions(GateRule):
    """Rule: without some assumptions, no deviation is hazardous; the others still hold.

    Attributes:
        without: Their names, as `symrob summary` lists them, or their identifiers.
        resilience: Deviations of this many units or more may be hazardous; `None` if
            none may.
    """

    kind = "assumptions"
    entry = array_of(
        Keys(
            {
                **NAMED,
                "without": Key(list_of(is_text), "a list of assumptions"),
                "resilience": A_COUNT,
                "vacuous": YES_OR_NO,
            },
            together=needing("without"),
        )
    )

    without: tuple[str, ...]
    resilience: int | None = None

    @classmethod
    def read(cls, said: Mapping[str, Any], reading: Reading) -> Self:
        """See `GateRule`."""
        names = tuple(said["without"])
        usual = f"without {', '.join(names)}" if names else "within the assumptions"
        return cls(
            said.get("name", f"safe {usual}"),
            names,
            said.get("resilience"),
            key=(cls.kind, reading.number),
            **reading.chosen(said, "vacuous"),
        )

    @property
    def without_too(self) -> bool:
        """See `GateRule`."""
        return True

    def refer(self, policy: Policy, ground: GateGround) -> frozenset[int]:
        """Return the numbers of the assumptions that still count."""
        known = Assumptions(ground.space)
        if not known.all and ground.case is not None and ground.case.constraints:
            return frozenset()  # The user takes all of them away.
        identities = {} if ground.case is None else ground.case.vocabulary.identities
        problems, left = [], known.all
        for number, name in enumerate(self.without):
            called = [n for n, identity in identities.items() if identity.id == name]
            named = frozenset().union(*map(known.named, (name, *called)))
            left -= named
            if not named:
                problem = _unknown(name, known.names)
                problems.append(policy.at(problem, self, "without", number))
        if problems:
            raise SymrobError(problems)
        return left

    def ruling(self, bench: Bench) -> Ruling:
        """See `GateRule`."""
        known = Assumptions(bench.space)
        left = known.all & bench.refers
        others = "the other assumption" + "s" * (len(left) > 1)
        others = others if self.without else "the assumptions"
        if self.resilience is not None:
            within = f" within {others}" if left else ""
            space = known.with_machine(left)
            return resilience_ruling(self, space, self.resilience, within)
        found = known.unsafe_within(left, smallest=True)
        keeps = f" and keeps {others}" if left else ""
        if found is None:
            message = f"no deviation violates a property{keeps}"
            return Ruling(self, "holds", message)
        units = tuple(sorted(found.units))
        message = f"adding {bench.count(units)} violates a property{keeps}"
        return Ruling(self, "fails", message, units, found.trace)

    def says_nothing(self, bench: Bench) -> str | None:
        """See `GateRule`."""
        if self.resilience == 1:
            return "the nominal system is safe, so its resilience is at least 1"
        known = Assumptions(bench.space)
        left = known.all & bench.refers
        if not Bench(known.alone(left)).some_kept():
            return f"the other assumptions allow no new {bench.space.about.noun}"
        return None

    def proved(
        self, maker: Maker, _refers: Any, place: int, _other: int | None
    ) -> bool | str:
        """See `GateRule`; a problem without some assumptions has no side there."""
        if self.without or self.resilience is None:
            return "certificates cover either all assumptions or none"
        return maker.resilient(place, self.resilience - 1, self.name)


def _unknown(name: str, known: list[str]) -> Diagnostic:
    """What is wrong with a name that no assumption has."""
    if not known:
        return Diagnostic("policy-assumption", "the case has no assumptions")
    hint: str | None = f"its assumptions: {', '.join(known)}"
    if len(known) > _FEW:
        hint = did_you_mean(name, known)
    return Diagnostic("policy-assumption", f"unknown assumption '{name}'", hint=hint)
