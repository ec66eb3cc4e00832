"""Whether the nominal system is safe, as JSON, schema `symrob/check/1`.

In:  the title and warnings of a case, and the violation if there is one.
Out: a dictionary for `json.dumps`. Every command that prints JSON prints this one in
     place of its own where Δ is undefined.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from symrob.errors import Diagnostic, NominalViolation
from symrob.report.json import diagnostic_dict, trace_dict, versions

SCHEMA = "symrob/check/1"


def check_dict(
    title: str,
    warnings: Sequence[Diagnostic],
    violation: NominalViolation | None = None,
) -> dict[str, Any]:
    """Return the answer of `symrob check`.

    Args:
        title: What a person calls the case.
        warnings: What may be a mistake in its models.
        violation: What the nominal system violates; `None` if it is safe.
    """
    found = violation.diagnostics if violation is not None else ()
    return {
        "schema": SCHEMA,
        "title": title,
        "safe": violation is None,
        "violated": None if violation is None else violation.trace.violated,
        "trace": None if violation is None else trace_dict(violation.trace),
        "diagnostics": [diagnostic_dict(d) for d in found],
        "warnings": [diagnostic_dict(w) for w in warnings],
        "versions": versions(),
    }
