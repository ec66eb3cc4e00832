"""The most probable hazardous sets as text, while they come.

In:  `LikelySets`, yet to be found.
Out: lines.
"""

from __future__ import annotations

from collections.abc import Iterator

from symrob.report.chances import figure
from symrob.report.risk import event_lines, run_lines
from symrob.report.text import plural, printable
from symrob.risk.likely import LikelySets
from symrob.words import PLAIN, Words


def likely_lines(found: LikelySets, title: str, words: Words = PLAIN) -> Iterator[str]:
    """Yield each set with its probability and a run, then how many there are."""
    if title:
        yield printable(title)
    of = found.engine.problem.classes.of
    for number, one in enumerate(found, 1):
        yield ""
        yield f"Set {number:,}, hazardous: {figure(one.probability)}"
        for event in (found.events.events[n] for n in sorted(one.events)):
            kinds = words.kind(of(min(event.transitions)).kind)
            yield from event_lines(event, kinds)
        yield from run_lines(one.cut, words)
    yield ""
    sets = plural(found.came, "minimal hazardous set")
    if found.status == "complete":
        yield f"{sets}, the most probable first"
    else:
        yield f"Incomplete ({found.reason}): the {sets} that are the most probable"
