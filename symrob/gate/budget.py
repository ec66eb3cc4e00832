"""Rules that few deviated steps do no harm: `[[budget]]`.

In:  the table of a rule; the case.
Out: whether a run with so many deviated steps can violate a property.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Self

from symrob.case.tables import A_COUNT, YES_OR_NO, KeyPath, KeyProblem, Keys, array_of
from symrob.gate.rule import OF_ALL, Bench, GateRule, Reading, Ruling


def _has_number(table: Mapping[str, Any], at: KeyPath) -> Iterator[KeyProblem]:
    if "at_most" not in table:
        yield KeyProblem(f"'{at[0]}.at_most' is missing", at)


@dataclass(frozen=True)
class BudgetRule(GateRule):
    """No set is hazardous where at most so many steps of a run deviate.

    Attributes:
        at_most: So many.
    """

    kind = "budget"
    entry = array_of(
        Keys({**OF_ALL, "at_most": A_COUNT, "vacuous": YES_OR_NO}, together=_has_number)
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
        space, most = bench.space.budgeted(self.at_most), self.at_most
        # A run takes a transition each time.
        order = most if space.about.units is None else None
        for found in space.unsafe_sets(singles=True).by_size(order):
            if space.keeps_assumptions(found):
                units = tuple(sorted(found))
                message = (
                    f"adding {bench.count(units)} violates a property in "
                    f"{_deviated(most)}{bench.within}"
                )
                trace = space.violation(found)
                return Ruling(self, "fails", message, units, trace)
        message = f"no run with at most {_deviated(most)} violates a property"
        return Ruling(self, "holds", message + bench.within)

    def says_nothing(self, bench: Bench) -> str | None:
        """See `GateRule`."""
        if not bench.some_kept():
            return f"the assumptions allow no new {bench.space.about.noun}"
        return None


def _deviated(count: int) -> str:
    return "1 deviated step" if count == 1 else f"{count:,} deviated steps"
