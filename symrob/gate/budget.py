"""Rules that few deviated steps violate nothing: `[[budget]]`.

In:  the table of a rule; the case.
Out: whether a trace with at most a given number of deviated steps can violate a
     property.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

from symrob.analyses.steps import hazardous_within
from symrob.api.certificates.making import Maker
from symrob.case.tables import A_COUNT, YES_OR_NO, Keys, array_of, needing
from symrob.errors import plural
from symrob.gate.rule import OF_ALL, Bench, GateRule, Reading, Ruling


@dataclass(frozen=True)
class BudgetRule(GateRule):
    """Rule: no set is hazardous if at most `at_most` steps of a run deviate.

    Attributes:
        at_most: The budget.
    """

    kind = "budget"
    entry = array_of(
        Keys(
            {**OF_ALL, "at_most": A_COUNT, "vacuous": YES_OR_NO},
            together=needing("at_most"),
        )
    )

    at_most: int

    @classmethod
    def read(cls, said: Mapping[str, Any], reading: Reading) -> Self:
        """See `GateRule`."""
        most = said["at_most"]
        return cls(
            said.get("name", f"safe with at most {_deviated(most)}"),
            most,
            key=(cls.kind, reading.number),
            **reading.chosen(said, "vacuous", "without_constraints"),
        )

    @property
    def without_too(self) -> bool:
        """See `GateRule`."""
        return True

    def ruling(self, bench: Bench) -> Ruling:
        """See `GateRule`."""
        most = _deviated(self.at_most)
        found = hazardous_within(bench.space, self.at_most)
        if found is None:
            message = f"no trace with at most {most} violates a property{bench.within}"
            return Ruling(self, "holds", message)
        space, added = found
        units = tuple(sorted(added))
        message = (
            f"adding {bench.count(units)} violates a property in at most {most}"
            f"{bench.within}"
        )
        return Ruling(self, "fails", message, units, space.violation(added))

    def proved(
        self, maker: Maker, _refers: Any, place: int, _other: int | None
    ) -> bool | str:
        """See `GateRule`."""
        return maker.within(place, self.at_most, self.name)

    def says_nothing(self, bench: Bench) -> str | None:
        """See `GateRule`."""
        return bench.none_kept()


def _deviated(count: int) -> str:
    return plural(count, "deviated step")
