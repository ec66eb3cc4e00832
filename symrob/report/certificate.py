"""What is said of a certificate that was written."""

from __future__ import annotations

from symrob.api.certificate import Written
from symrob.report.text import plural, printable


def written_line(path: str, written: Written) -> str:
    """Return what a certificate holds, how large it is, and what it does not say."""
    counts = written.counts
    steps = counts["add"] + counts["delete"]
    parts = [
        plural(counts["deviation"], "deviation"),
        plural(counts["unsafe"], "unsafe set"),
        plural(steps, "step") + " of proof",
    ]
    size = f"{written.size / 1000:,.0f} kB" if written.size else "streamed"
    line = f"certificate written to {path}: {', '.join(parts)}; {size}"
    if written.reason:
        line += f"; not that none is missing ({written.reason})"
    return printable(line)
