"""The diagnostics of `lint`, as text.

In:  `LintFindings`.
Out: lines of text.
"""

from __future__ import annotations

from collections.abc import Iterator

from symrob.api.lint import LintFindings
from symrob.report.text import diagnostic_text, plural


def findings_lines(found: LintFindings) -> Iterator[str]:
    """Yield each diagnostic with its source line, then the number of diagnostics."""
    for diagnostic in found.diagnostics:
        yield diagnostic_text(diagnostic)
    looked_at = plural(found.files, "file")
    if not found.diagnostics:
        yield f"no problems in {looked_at}"
        return
    counts = plural(found.errors, "error"), plural(found.warnings, "warning")
    yield f"{', '.join(counts)} in {looked_at}"
