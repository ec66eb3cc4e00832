"""What a page knows from the start: what the analyses found of a design.

In:  an engine whose nominal system is safe.
Out: the verdict of each candidate alone, Δ, the minimal sets that hurt, the summary, as
     plain data. Each part has a few seconds, and says where it is not all.

What is missing the page finds out itself when it is asked.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from itertools import islice
from typing import Any

from symrob.analyses.compare import Surplus, compare
from symrob.analyses.cuts import Cuts
from symrob.analyses.hazards import Alone, alone
from symrob.analyses.story import tell
from symrob.analyses.summary import Summary, summarise
from symrob.envelope.engine import Engine
from symrob.envelope.transitions import Candidates
from symrob.errors import LimitExceeded
from symrob.explorer.data import Numbers, identity
from symrob.limits import Stages
from symrob.lts import Transition
from symrob.report.compare import VERDICTS
from symrob.report.summary import summary_lines
from symrob.words import PLAIN, Words

SECONDS = 5.0
"""Time for Δ, for the minimal sets, and for verdicts beyond the assumptions; each."""

MOST_DEVIATIONS = 200
MOST_SETS = 300
MOST_LISTED = 200_000
"""Transitions in all deviations of a page together."""

_LETTERS = {
    "always": "a",
    "contested": "c",
    "unknown": "u",
    "hazardous": "h",
    "assumed-away": "w",
    "outside-assumptions": "o",
    "undecided": "?",
}
_NOMINAL = "-"


def answers(engine: Engine, numbers: Numbers, words: Words = PLAIN) -> dict[str, Any]:
    """Return what is known of one design.

    Args:
        engine: Its problem, the preconditions checked.
        numbers: Of the actions.
        words: What its names are called, in the summary.

    Raises:
        LimitExceeded: A bound of the run was hit.
    """
    judged = alone(engine, SECONDS)
    summary = summarise(engine, every_reason=False)
    stages = Stages(engine.clock)
    told: list[str] = []
    with stages:
        told = list(summary_lines(summary, tell(engine), words))
    return {
        "alone": _letters(engine, numbers, judged, summary),
        "deviations": _deviations(engine, numbers, judged.tolerated),
        "sets": _sets(engine, numbers),
        "summary": told,
    }


def _letters(engine: Engine, numbers: Numbers, judged: Alone, summary: Summary) -> str:
    """A letter for each transition over the states and actions of E."""
    environment = engine.environment
    found = [_NOMINAL] * (environment.size**2 * len(environment.alphabet))
    parts: dict[str, Candidates] = {
        "unknown": judged.tolerated,
        "always": summary.always,
        "contested": summary.contested,
        "hazardous": judged.hazardous,
        "assumed-away": judged.assumed_away,
        "outside-assumptions": judged.outside,
        "undecided": judged.undecided,
    }
    for kind, candidates in parts.items():
        for transition in candidates:
            found[identity(environment, transition, numbers)] = _LETTERS[kind]
    return "".join(found)


def _deviations(
    engine: Engine, numbers: Numbers, tolerated: Candidates
) -> dict[str, Any]:
    """Δ, each deviation as what it leaves out of all that is tolerated alone."""
    found: list[list[int]] = []
    everything = frozenset(tolerated)
    most = min(MOST_DEVIATIONS, 1 + MOST_LISTED // (1 + len(everything)))
    complete = False
    with suppress(LimitExceeded), engine.clock.at_most(SECONDS):
        source = engine.deviations()
        for deviation in islice(source, most):
            found.append(_numbered(engine, numbers, everything - deviation))
        complete = next(source, None) is None
    return {"left_out": found, "complete": complete}


def _sets(engine: Engine, numbers: Numbers) -> dict[str, Any]:
    """The minimal hazardous sets, then those assumed away, smallest first."""
    found: list[dict[str, Any]] = []
    cuts = Cuts(engine, limit=MOST_SETS)
    with engine.clock.at_most(SECONDS):
        found = [
            {
                "verdict": cut.verdict,
                "items": _numbered(engine, numbers, cut.transitions),
            }
            for cut in cuts
        ]
    return {"found": found, "complete": cuts.status == "complete"}


def differences(engines: tuple[Engine, Engine], numbers: Numbers) -> dict[str, Any]:
    """Return how two designs compare, and the smallest set that tells them apart.

    Raises:
        LimitExceeded: A bound of the run was hit.
    """
    found = compare(*engines)
    return {
        "verdict": VERDICTS.get(found.verdict, ""),
        "status": found.status,
        "only": [
            _witness(engines[0], numbers, side) for side in (found.first, found.second)
        ],
    }


def _witness(engine: Engine, numbers: Numbers, side: Surplus) -> dict[str, Any] | None:
    if side.witness is None:
        return None
    new = side.witness.deviation.new
    return {
        "items": _numbered(engine, numbers, new),
        "smallest": side.witness.smallest,
    }


def class_data(engine: Engine, numbers: Numbers) -> dict[str, Any]:
    """The class of each candidate: a letter for each transition over E."""
    problem, environment = engine.problem, engine.environment
    found = [_NOMINAL] * (environment.size**2 * len(environment.alphabet))
    names: list[str] = []
    for transition, name in _classified(problem.classes.rows()):
        if name not in names:
            names.append(name)
        letter = chr(ord("a") + names.index(name))
        found[identity(environment, transition, numbers)] = letter
    return {"names": names, "of": "".join(found)}


def _classified(rows: Iterable[Any]) -> Iterator[tuple[Transition, str]]:
    from symrob.lts.masks import bits
    from symrob.problem.classes import SAID

    for source, action, parts in rows:
        for part in parts:
            for target in bits(part.targets):
                yield Transition(source, action, target), SAID[part.kind]


def _numbered(
    engine: Engine, numbers: Numbers, transitions: Iterable[Transition]
) -> list[int]:
    return sorted(identity(engine.environment, t, numbers) for t in transitions)
