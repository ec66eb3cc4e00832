"""The four verdicts on a set of units, by whether it satisfies P and P_env.

P states what must never happen, P_env what is assumed. A set of added units is

| verdict           | E_d ⊨ P_env | E_d‖C ⊨ P |                                |
|-------------------|-------------|-----------|--------------------------------|
| `tolerated`       | yes         | yes       |                                |
| `hazardous`       | yes         | no        | within the assumptions         |
| `excluded-unsafe` | no          | no        | only an assumption excludes it |
| `excluded-safe`   | no          | yes       | an assumption excludes it      |
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, get_args

Verdict = Literal["tolerated", "hazardous", "excluded-unsafe", "excluded-safe"]
# What breaks an assumption may not have been looked at further.
Group = Literal[Verdict, "undecided"]
VERDICTS: tuple[Verdict, ...] = get_args(Verdict)
# The gravest last.
BY_GRAVITY: tuple[Verdict, ...] = (
    *("tolerated", "excluded-safe", "excluded-unsafe", "hazardous"),
)
# In words.
SAID: Mapping[Verdict, str] = {
    "tolerated": "tolerated",
    "hazardous": "hazardous",
    "excluded-unsafe": "unsafe, excluded by an assumption",
    "excluded-safe": "safe, excluded by an assumption",
}
# What 0.2 called two of them.
_FORMER = {"assumed-away": "excluded-unsafe", "outside-assumptions": "excluded-safe"}


def of_today(counts: Mapping[str, Any]) -> dict[str, Any]:
    """Return a table by verdicts with version 0.2's names replaced by current ones."""
    return {_FORMER.get(name, name): value for name, value in counts.items()}


def verdict_of(*, keeps_assumptions: bool, keeps_properties: bool) -> Verdict:
    """Return the verdict on a set, given which of P and P_env hold."""
    if keeps_assumptions:
        return "tolerated" if keeps_properties else "hazardous"
    return "excluded-safe" if keeps_properties else "excluded-unsafe"
