"""Units of one kind: transitions by action, source and targets, or counted by action.

In:  some units, and which of them can never fire.
Out: lines of text.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import cast

from symrob.analyses.space import About
from symrob.envelope.transitions import Candidates
from symrob.lts.masks import bits
from symrob.problem import Many
from symrob.report.text import NEVER_MARK, aligned, plural, printable, wrapped
from symrob.report.units import named_lines

# Longer lists of sources stand out of their column.
MOST_ALIGNED = 60
# More states are listed as those that are there.
MOST_EXCEPTIONS = 2
# More transitions are counted by action, and not listed.
MOST_LISTED = 100_000


def counted_or_listed(
    about: About, units: Many, inert: Many, most: int | None, where: str
) -> Iterator[str]:
    """Yield units in groups; very many are counted, unless all are requested.

    Args:
        about: What the units are of.
        units: The units.
        inert: Those that can never fire; they are marked.
        most: Maximum number of lines; `None` for all.
        where: The command that lists them.
    """
    if about.units is not None:
        called = about.called
        names = [
            f"{called(name)}{NEVER_MARK * (name in inert)}" for name in sorted(units)
        ]
        yield from named_lines("  ", names, None)
        return
    candidates = cast("Candidates", units).by_action
    if most is None or len(candidates) <= MOST_LISTED:
        yield from _group_lines(about, candidates, cast("Candidates", inert))
        return
    never_firing = cast("Candidates", inert).by_action
    rows = []
    for column, action in enumerate(candidates.actions):
        targets = [row[column].bit_count() for row in candidates.masks]
        silent = sum(
            (row[column] & never[column]).bit_count()
            for row, never in zip(candidates.masks, never_firing.masks, strict=True)
        )
        sources = plural(sum(map(bool, targets)), "state")
        marked = f", {silent:,}{NEVER_MARK}" if silent else ""
        rows.append((action, f"{sum(targets):,}{marked}", f"from {sources}"))
    for line in aligned((row for row in rows if row[1] != "0"), right_from=1):
        yield f"  {line}"
    yield f"  {where}{'' if '--all' in where else ' --all'} lists them"


def _group_lines(
    about: About, candidates: Candidates, inert: Candidates
) -> Iterator[str]:
    """Yield `action  source, … → target, …`; sources with the same targets once."""
    environment, never = about.environment, inert.by_action
    assert environment is not None, "transitions are of E as one"
    names = [printable(environment.state_name(q)) for q in range(environment.size)]
    rows = []
    for column, action in enumerate(candidates.actions):
        groups: dict[tuple[int, int], list[int]] = {}
        for state, row in enumerate(candidates.masks):
            if row[column]:
                silent = never.masks[state][column] & row[column]
                groups.setdefault((row[column], silent), []).append(state)
        label = printable(action)
        for (mask, silent), sources in groups.items():
            rows.append((label, _states(names, sources), mask, silent))
            label = ""
    wide = max((len(row[0]) for row in rows), default=0)
    # One long list of sources must not push the targets of all others away.
    fitting = (len(row[1]) for row in rows if len(row[1]) <= MOST_ALIGNED)
    wide_source = max(fitting, default=0)
    for label, sources_text, mask, silent in rows:
        targets = _targets(names, mask, silent)
        head = f"  {label:{wide}}  "
        line = f"{head}{sources_text:{wide_source}} → {targets}"
        yield from wrapped(line, further=len(head) + 2)


def _states(names: Sequence[str], states: Sequence[int]) -> str:
    if 1 < len(states) == len(names):
        return "any state"
    if len(names) - len(states) <= MOST_EXCEPTIONS:
        present = set(states)
        missing = [name for q, name in enumerate(names) if q not in present]
        if len(states) >= 3 * len(missing) > 0:
            return f"any state but {', '.join(missing)}"
    return ", ".join(names[q] for q in states)


def _targets(names: Sequence[str], mask: int, silent: int) -> str:
    if silent == 0:
        return _states(names, list(bits(mask)))
    if silent == mask and mask.bit_count() == len(names) > 1:
        return "any state" + NEVER_MARK
    return ", ".join(
        names[q] + (NEVER_MARK if silent >> q & 1 else "") for q in bits(mask)
    )
