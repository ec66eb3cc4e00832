"""A legend for the names in lists of transitions.

In:  an environment, the words of its case.
Out: lines of text.

Lists show names, since `--transition` and case files need them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from symrob.analyses.space import About
from symrob.lts import Lts
from symrob.report.text import aligned, budget_lines, limited, printable
from symrob.words import Words

MOST_LINES = 40


def about_legend(about: About, words: Words) -> Iterator[str]:
    """Yield the budget of a run, and the legend for the names in units.

    See `legend_lines`.
    """
    if about.budget is not None:
        yield ""
        yield from budget_lines(about.budget)
    if about.environment is None:
        return
    used = None
    if about.units is not None:
        names = about.units.numbers
        used = {part for name in names for part in (name, *name.split(","))}
    yield from legend_lines(about.environment, words, used)


def legend_lines(
    environment: Lts, words: Words, used: Collection[str] | None = None
) -> Iterator[str]:
    """Yield a line for each action and each state of E that has words.

    Args:
        environment: E.
        words: Words for its names.
        used: The only names that were shown; by default all.
    """
    actions = [(name, words.action(name)) for name in environment.alphabet]
    names = [environment.state_name(q) for q in range(environment.size)]
    states = [(name, words.state("E", name)) for name in names]
    named = (row for row in (*actions, *states) if row[0] != row[1])
    rows = [row for row in named if used is None or row[0] in used]
    if not rows:
        return
    yield ""
    yield f"Names of E ({printable(words.component('E'))}) in words:"
    lines = (f"  {line}" for line in aligned(rows))
    yield from limited(lines, MOST_LINES, indent="  ", where="the file of words")
