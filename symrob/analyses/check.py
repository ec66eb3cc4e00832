"""Whether the nominal system is safe.

In:  the warnings of a case, and the violation if there is one.
Out: a `Checked`. If Δ is undefined, every command prints it as JSON in place of its own
     answer.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from symrob.errors import Diagnostic, NominalViolation, Trace
from symrob.limits import Status
from symrob.shown import Shown


@dataclass(frozen=True)
class Checked(Shown):
    """The answer of `symrob check`.

    Attributes:
        safe: Whether the nominal system keeps every property and constraint.
        violated: The first one that it violates; `None` if it is safe.
        trace: A shortest violating trace; `None` if it is safe.
        diagnostics: The errors.
        warnings: The warnings about the models.
        vacuous: The properties that cannot be violated, whatever E does.
        properties: Number of properties.
        constrained: Whether there are constraints that count.
        status: `complete`, or what stopped the run.
        reason: Why something is missing; empty if nothing is.
    """

    schema: ClassVar = "check/2"

    safe: bool = True
    violated: str | None = None
    trace: Trace | None = None
    diagnostics: tuple[Diagnostic, ...] = ()
    warnings: tuple[Diagnostic, ...] = ()
    vacuous: tuple[str, ...] = ()
    properties: int = field(default=0, compare=False)
    constrained: bool = field(default=True, compare=False)
    status: Status = "complete"
    reason: str = ""

    @classmethod
    def unsafe(cls, found: NominalViolation) -> Checked:
        """Return the answer for a violation of the nominal system."""
        trace = found.trace
        return cls(False, trace.violated, trace, found.diagnostics, found.warnings)
