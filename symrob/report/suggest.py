"""Suggested guards in words: what each removes and costs, and the best few together.

In:  `Suggestions`.
Out: lines of text; dictionaries for `json.dumps`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from symrob.envelope.engine import Engine
from symrob.repair.cost import Cost
from symrob.repair.suggest import Suggestion, Suggestions
from symrob.report.guards import guard_text, guards_dict, memory_lines
from symrob.report.json import trace_dict, triples
from symrob.report.run import run_line
from symrob.report.text import (
    WIDEST,
    limited,
    plural,
    printable,
    transition_lines,
    wrapped,
)
from symrob.words import PLAIN, Words

MOST_GUARDS = 8
MOST_HAZARDS = 10


def suggestion_lines(
    found: Suggestions,
    engine: Engine,
    words: Words = PLAIN,
    *,
    everything: bool = False,
) -> Iterator[str]:
    """Yield the guards, the hazards with the cheapest guard of each, the front.

    Args:
        found: What to tell.
        engine: The problem, for its names.
        words: What names are called.
        everything: Print long lists whole.
    """
    thing = "transition" if engine.problem.units is None else "fault mode"
    size = "" if found.order is None else f" of up to {plural(found.order, thing)}"
    if not found.hazards:
        yield f"No set{size} is hazardous: there is nothing to remove."
        if engine.constraints:
            yield "  (--without-constraints asks without the assumptions)"
        return
    count = len(found.hazards)
    yield f"Minimal hazardous sets{size}: {count:,}"
    yield ""
    yield "Single guards, those that remove most first"
    guards = (
        line for n, one in enumerate(found.single, 1) for line in _guard(n, one, count)
    )
    yield from limited(guards, None if everything else 2 * MOST_GUARDS)
    yield ""
    others = "others, of fewer states, may be possible"
    yield f"The cheapest of these for each set ({others})"
    hazards = _hazards(found, engine, words)
    yield from limited(hazards, None if everything else 3 * MOST_HAZARDS)
    if found.front:
        yield ""
        yield "The best sets of guards: none removes as much at less cost"
        for one in found.front:
            yield f"  removes {len(one.removes):,} of {count:,}; {_price(one.cost)}"
            for guards_of_one in one.guards:
                for guard in guards_of_one.guards:
                    yield from wrapped(f"    {guard_text(guard)}", WIDEST)
                yield from (f"      {m}" for m in memory_lines(guards_of_one.memory))


def _guard(number: int, one: Suggestion, count: int) -> Iterator[str]:
    (guards,) = one.guards
    memory = guards.memory.size
    text = "; ".join(map(guard_text, guards.guards))
    extra = f" (remembers {memory} states)" if memory > 1 else ""
    yield from wrapped(f"  {number}  {text}{extra}", WIDEST)
    yield f"     removes {len(one.removes):,} of {count:,}; {_price(one.cost)}"


def _price(cost: Cost) -> str:
    plan = "the plan loses nothing"
    if cost.planned:
        plan = f"refuses in {plural(cost.planned, 'state')} of the plan"
    return f"{plan}; refuses in {plural(cost.refused, 'state')} of C"


def _hazards(found: Suggestions, engine: Engine, words: Words) -> Iterator[str]:
    for number, hazard in enumerate(found.hazards):
        best = found.cheapest[number] if number < len(found.cheapest) else None
        guard = "no single guard" if best is None else f"guard {best + 1}"
        if number in found.hopeless:
            guard = "nothing that may be disabled"
        yield f"  {guard} removes"
        lines = transition_lines(engine.environment, hazard.transitions, frozenset())
        if hazard.modes is not None:
            lines = iter([", ".join(map(printable, hazard.modes))])
        yield from (f"    {line}" for line in lines)
        yield from wrapped(f"      {run_line(hazard.trace, words)}", WIDEST)


def suggestions_dict(found: Suggestions) -> dict[str, Any]:
    """Return all that was found."""
    return {
        "order": found.order,
        "hazards": [
            {
                "transitions": triples(h.transitions),
                "modes": None if h.modes is None else list(h.modes),
                "trace": trace_dict(h.trace),
            }
            for h in found.hazards
        ],
        "single": [_suggestion_dict(one) for one in found.single],
        "cheapest": list(found.cheapest),
        "hopeless": sorted(found.hopeless),
        "front": [_suggestion_dict(one) for one in found.front],
        "status": found.status,
        "reason": found.reason,
    }


def _suggestion_dict(one: Suggestion) -> dict[str, Any]:
    return {
        "guards": [guards_dict(guards) for guards in one.guards],
        "planned": one.cost.planned,
        "refused": one.cost.refused,
        "removes": sorted(one.removes),
    }
