"""The end of a report: identifiers in other documents, and what is not covered.

In:  the session of the question.
Out: lines of text, or of Markdown; none if there is nothing to say.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from symrob.analyses.coverage import NotCovered
from symrob.questions.session import Session
from symrob.report.markdown import escaped, markdown_table
from symrob.report.text import aligned, plural, printable, wrapped
from symrob.words import Identity

# Names of each kind in a line.
_MOST = 5
# Names of one identifier.
_FEW = 2


def ending_lines(session: Session) -> Iterator[str]:
    """Yield the identifiers, then a line about what is not covered."""
    rows = _rows(session, _FEW)
    if rows:
        yield ""
        yield "Identifiers"
        yield from (f"  {line}" for line in aligned(rows))
    parts = [*_parts(session.not_covered)]
    if parts:
        yield ""
        yield from wrapped(f"Not covered: {'; '.join(parts)}")


def markdown_endings(session: Session) -> Iterator[str]:
    """Yield the same as sections; also the actions that E does not have."""
    rows = _rows(session, None)
    if rows:
        yield ""
        yield "## Identifiers"
        yield ""
        yield from markdown_table(("id", "name", "source"), rows)
    found = session.not_covered
    parts = [*_parts(found, most=None)]
    if found.not_of_environment:
        actions = _names(found.not_of_environment, None)
        parts.append(f"actions of C and P that E does not have: {actions}")
    if parts:
        yield ""
        yield "## Not covered"
        yield ""
        yield from (f"- {escaped(part)}" for part in parts)


def _rows(session: Session, most: int | None) -> list[tuple[str, str, str]]:
    """Each identifier with the names of what has it, and its source."""
    names: dict[Identity, list[str]] = {}
    for name, identity in session.identities.items():
        names.setdefault(identity, []).append(name)
    return [
        (one.id, _names(several, most), one.source)
        for one, several in sorted(names.items())
    ]


def _parts(found: NotCovered, most: int | None = _MOST) -> Iterator[str]:
    """What lies outside, kind by kind."""
    # Of a risk the report has told already what has no probability.
    if found.candidates and "no probability" not in found.because:
        why = ", ".join(f"'{each}'" for each in found.because)
        why = f" by {why}" if why else ""
        what = plural(found.candidates, "candidate")
        if found.of_components:
            count = plural(found.candidates, "transition")
            what = f"{count} that components of E lack,"
        yield f"{what} excluded{why}"
    if found.components:
        names = _names(found.components, most)
        yield f"components of E without a fault mode: {names}"
    if found.never_performed:
        names = _names(found.never_performed, most)
        yield f"actions that E never performs: {names}"


def _names(names: Iterable[str], most: int | None) -> str:
    shown = [*map(printable, names)]
    if most is not None and len(shown) > most + 1:
        shown = [*shown[:most], f"{len(shown) - most:,} more"]
    return ", ".join(shown)
