"""The most probable hazardous sets as text, and as JSON lines, while they come.

In:  `LikelySets`, yet to be found.
Out: lines.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from symrob.report.classes import kind_dicts
from symrob.report.json import dumps, environment_dict, triples, versions
from symrob.report.risk import event_lines, figure, run_lines
from symrob.report.text import plural, printable
from symrob.risk.likely import LikelySets
from symrob.words import PLAIN, Words

SCHEMA = "symrob/likely/1"


def likely_lines(found: LikelySets, title: str, words: Words = PLAIN) -> Iterator[str]:
    """Yield each set with its probability and a run, then how many there are."""
    if title:
        yield printable(title)
    of = found.engine.problem.classes.of
    for number, (one, chance) in enumerate(found, 1):
        yield ""
        yield f"Set {number:,}, hazardous: {figure(chance)}"
        for event in (found.events.events[n] for n in sorted(one)):
            kinds = words.kind(of(min(event.transitions)).kind)
            yield from event_lines(event, kinds)
        yield from run_lines(found.cut(one), words)
    yield ""
    sets = plural(found.came, "minimal hazardous set")
    if found.status == "complete":
        yield f"{sets}, the most probable first"
    else:
        yield f"Incomplete ({found.reason}): the {sets} that are the most probable"


def likely_json_lines(
    found: LikelySets, title: str, _words: Words = PLAIN
) -> Iterator[str]:
    """Yield each set as a line of JSON, then how the search ended."""
    for one, chance in found:
        transitions = found.cut(one).transitions
        yield dumps({"transitions": triples(transitions), "probability": chance})
    yield dumps({"title": title, "status": found.status, "reason": found.reason})


def likely_dict(found: LikelySets, title: str) -> dict[str, Any]:
    """Return all sets at once, for programs; they are found meanwhile."""
    classes = found.engine.problem.classes
    sets = []
    for one, chance in found:
        transitions = sorted(found.cut(one).transitions)
        sets.append(
            {
                "transitions": triples(transitions),
                "classes": kind_dicts(classes, transitions),
                "probability": chance,
            }
        )
    return {
        "schema": SCHEMA,
        "title": title,
        "status": found.status,
        "reason": found.reason,
        "environment": environment_dict(found.engine.environment),
        "sets": sets,
        "versions": versions(),
    }
