"""The rule that small sets are harmless: `resilience = 2`.

In:  a number; the case.
Out: whether some set of fewer units is hazardous.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

from symrob.analyses.space import Space
from symrob.api.certificates.making import Maker
from symrob.case.tables import A_COUNT
from symrob.errors import LimitExceeded
from symrob.gate.rule import Bench, GateRule, Reading, Ruling, counted


@dataclass(frozen=True)
class ResilienceRule(GateRule):
    """Rule: no set of fewer than `least` new units is hazardous.

    Attributes:
        least: The resilience.
    """

    kind = "resilience"
    entry = A_COUNT

    least: int

    @property
    def without_too(self) -> bool:
        """See `GateRule`."""
        return True

    @classmethod
    def read(cls, said: int, reading: Reading) -> Self:
        """See `GateRule`."""
        name = f"resilience of at least {said}"
        chosen = reading.chosen({}, "vacuous", "without_constraints")
        return cls(name, said, key=(cls.kind,), **chosen)

    def ruling(self, bench: Bench) -> Ruling:
        """See `GateRule`."""
        return resilience_ruling(self, bench.space, self.least, bench.within)

    def says_nothing(self, bench: Bench) -> str | None:
        """See `GateRule`."""
        if self.least <= 1:
            return "the nominal system is safe, so its resilience is at least 1"
        return bench.none_kept()

    def proved(
        self, maker: Maker, _refers: Any, place: int, _other: int | None
    ) -> bool | str:
        """See `GateRule`."""
        return maker.resilient(place, self.least - 1, self.name)


def resilience_ruling(rule: GateRule, space: Space, least: int, within: str) -> Ruling:
    """Judge whether no set of fewer than `least` units is hazardous.

    Args:
        rule: The rule.
        space: The problem, with the assumptions that count.
        least: The resilience.
        within: The words of messages about the assumptions.
    """
    if least <= 1:
        return Ruling(rule, "holds", "the nominal system is safe")
    search = space.unsafe_sets(singles=True)
    try:
        # The minimal hazardous sets are the minimal unsafe ones that keep P_env.
        sets = filter(space.keeps_assumptions, search.by_size(least - 1))
        found = next(sets, None)
    except LimitExceeded as error:
        reason = error.diagnostics[0].message
        message = f"{reason}; {_harmless(space, search.complete_to, within)}"
        return Ruling(rule, "unknown", message)
    if found is None:
        return Ruling(rule, "holds", _harmless(space, least - 1, within))
    shown = tuple(sorted(found))
    message = (
        f"the resilience is {len(found)}{within}: "
        f"adding {counted(space.about, shown)} violates a property"
    )
    return Ruling(rule, "fails", message, shown, space.violation(found))


def _harmless(space: Space, count: int, within: str) -> str:
    """Say that this many new units are harmless."""
    noun = f"new {space.about.noun}"
    what = f"set of up to {count:,} {noun}s" if count > 1 else f"single {noun}"
    return f"no {what} can violate a property{within}"
