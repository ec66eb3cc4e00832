"""What a linter found, as text and JSON.

In:  diagnostics.
Out: lines of text, or a dictionary for JSON, schema `symrob/lint/1`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from symrob.errors import Diagnostic
from symrob.report.json import diagnostic_dict
from symrob.report.text import diagnostic_text, plural

SCHEMA = "symrob/lint/1"


def findings_lines(found: Sequence[Diagnostic], files: int) -> Iterator[str]:
    """Yield each diagnostic with its source line, then how many there are.

    Args:
        found: The diagnostics.
        files: Number of files that were looked at.
    """
    for diagnostic in found:
        yield diagnostic_text(diagnostic)
    looked_at = plural(files, "file")
    if not found:
        yield f"no problems in {looked_at}"
        return
    errors, warnings = _counts(found)
    yield f"{plural(errors, 'error')}, {plural(warnings, 'warning')} in {looked_at}"


def findings_dict(found: Sequence[Diagnostic], files: int) -> dict[str, Any]:
    """Return the same for JSON."""
    errors, warnings = _counts(found)
    return {
        "schema": SCHEMA,
        "files": files,
        "errors": errors,
        "warnings": warnings,
        "diagnostics": [diagnostic_dict(d) for d in found],
    }


def _counts(found: Sequence[Diagnostic]) -> tuple[int, int]:
    errors = sum(d.severity == "error" for d in found)
    return errors, len(found) - errors
