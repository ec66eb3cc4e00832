"""The four verdicts of a set of units, kept apart by what P and P_env say.

P says what must never happen, P_env what we assume. A set of added units is

| verdict               | E_d ⊨ P_env | E_d‖C ⊨ P |                                  |
|-----------------------|-------------|-----------|----------------------------------|
| `tolerated`           | yes         | yes       |                                  |
| `hazardous`           | yes         | no        | within the assumptions           |
| `assumed-away`        | no          | no        | only an assumption excludes it   |
| `outside-assumptions` | no          | yes       | an assumption excludes it        |
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, get_args

Verdict = Literal["tolerated", "hazardous", "assumed-away", "outside-assumptions"]
# What breaks an assumption may not have been looked at further.
Group = Literal[Verdict, "undecided"]
VERDICTS: tuple[Verdict, ...] = get_args(Verdict)
# In words.
SAID: Mapping[Verdict, str] = {
    "tolerated": "tolerated",
    "hazardous": "hazardous",
    "assumed-away": "unsafe, excluded by an assumption",
    "outside-assumptions": "safe, excluded by an assumption",
}
# What a verdict means to those who read it for the first time.
MEANS: Mapping[Verdict, str] = {
    "tolerated": "violates no property",
    "hazardous": "violates a property within the assumptions",
    "assumed-away": "violates a property; only an assumption excludes it",
    "outside-assumptions": "violates an assumption and no property",
}


def verdict_of(*, keeps_assumptions: bool, keeps_properties: bool) -> Verdict:
    """Return the verdict of a set by what it keeps."""
    if keeps_assumptions:
        return "tolerated" if keeps_properties else "hazardous"
    return "outside-assumptions" if keeps_properties else "assumed-away"
