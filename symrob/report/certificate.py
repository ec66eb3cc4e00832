"""The line about a written certificate."""

from __future__ import annotations

from symrob.api.certificates.records import WrittenCertificate
from symrob.report.text import plural, printable


def written_line(path: str, written: WrittenCertificate) -> str:
    """Return a certificate's contents and size, and what it does not claim."""
    counts = written.counts
    parts = [
        plural(counts["deviation"], "deviation"),
        plural(counts["unsafe"], "unsafe set"),
        plural(counts["add"], "step") + " of proof",
    ]
    if counts["claim"] > 1:
        parts.insert(0, plural(counts["claim"], "claim"))
    size = f"{written.size / 1000:,.0f} kB" if written.size else "streamed"
    line = f"certificate written to {path}: {', '.join(parts)}; {size}"
    if written.reason:
        line += f"; {written.reason}"
    return printable(line)
