"""The most probable hazardous sets as text, as they are found.

In:  `LikelySets`, found on demand.
Out: lines.
"""

from __future__ import annotations

from collections.abc import Iterator

from symrob.limits import counted_out
from symrob.report.chances import figure
from symrob.report.listed import COUNTED, Listed
from symrob.report.risk import event_lines, run_lines
from symrob.report.text import plural, printable
from symrob.risk.likely import LikelySet, LikelySets
from symrob.words import PLAIN, Words


def measured(one: LikelySet) -> tuple[int, set[str]]:
    """Return the size of a set, and the actions in it."""
    return len(one.events), {t.action for t in one.cut.transitions}


def likely_lines(
    found: LikelySets, listed: Listed[LikelySet], title: str, words: Words = PLAIN
) -> Iterator[str]:
    """Yield each listed set with its probability and a trace, then the counts."""
    if title:
        yield printable(title)
    classes = found.about.classes
    for number, one in enumerate(listed, 1):
        yield ""
        yield f"Set {number:,}, hazardous: {figure(one.probability)}"
        for event in (found.events.events[n] for n in sorted(one.events)):
            kinds = ""
            if classes is not None and event.transitions:
                kinds = words.kind(classes.of(min(event.transitions)).kind)
            yield from event_lines(event, kinds, found.about, words)
        yield from run_lines(one.cut, words)
    yield from listed.lines("set", "number of events")
    yield ""
    sets = plural(found.came, "minimal hazardous set")
    if counted_out(found.status, found.clock):
        yield f"More than {sets}, the most probable first; {COUNTED}"
    elif found.status == "complete":
        yield f"{sets}, the most probable first"
    else:
        yield f"Incomplete ({found.reason}): the {sets} with the largest probability"
