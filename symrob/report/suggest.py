"""Suggested guards as text: what each removes and costs, and the best combinations.

In:  `Suggestions`.
Out: lines of text.
"""

from __future__ import annotations

from collections.abc import Iterator

from symrob.envelope.engine import Engine
from symrob.repair.suggest import Hazard, Suggestion, Suggestions
from symrob.report.guards import guard_text, memory_lines
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
        found: The found to report.
        engine: The problem, for its names.
        words: Words for names.
        everything: Print long lists in full.
    """
    thing = "transition" if engine.problem.units is None else "fault mode"
    size = "" if found.order is None else f" of up to {plural(found.order, thing)}"
    if not found.hazards:
        yield f"No set{size} is hazardous: no guard is needed."
        if engine.constraints:
            yield "  (--without-constraints ignores the assumptions)"
        return
    count = len(found.hazards)
    yield f"Minimal hazardous sets{size}: {count:,}"
    yield ""
    if found.single:
        yield "Single guards, the most effective first"
        several = enumerate(found.single, 1)
        guards = (line for n, one in several for line in _guard(n, one, count, words))
        yield from limited(guards, None if everything else 2 * MOST_GUARDS)
        yield ""
    yield "The cheapest guard for each set"
    hazards = _hazards(found, engine, words)
    yield from limited(hazards, None if everything else 3 * MOST_HAZARDS)
    if any(found.cheapest[i] is None for i in found.proved):
        yield (
            "Several guards together may remove sets that no single guard removes: see "
            "--tolerate"
        )
    if found.front:
        yield ""
        yield "The best sets of guards: no other set removes as much at as low a cost"
        for one in found.front:
            yield from _benefit("  ", one, count, words)
            for guards_of_one in one.guards:
                for guard in guards_of_one.guards:
                    yield from wrapped(f"    {guard_text(guard)}", WIDEST)
                yield from (f"      {m}" for m in memory_lines(guards_of_one.memory))


def _guard(number: int, one: Suggestion, count: int, words: Words) -> Iterator[str]:
    (guards,) = one.guards
    yield from wrapped(
        f"  {number}  {'; '.join(map(guard_text, guards.guards))}", WIDEST
    )
    yield from (f"       {line}" for line in memory_lines(guards.memory))
    yield from _benefit("     ", one, count, words)


def _benefit(margin: str, one: Suggestion, count: int, words: Words) -> Iterator[str]:
    """What guards remove and cost."""
    cost, lost = one.cost, "loses nothing"
    if cost.lost:
        lost = f"loses {plural(cost.lost, 'step')}"
    elif cost.loses_trace:
        lost = "keeps all its steps but loses traces"
    yield from wrapped(
        f"{margin}removes {len(one.removes):,} of {plural(count, 'hazardous set')}; "
        f"disables an action in {plural(cost.refused, 'state')} of C; the plan {lost}",
        WIDEST,
    )
    if one.lost_trace is not None and not cost.lost:
        run = run_line(one.lost_trace, words)
        yield from wrapped(f"{margin}  a shortest lost trace: {run}", WIDEST)


def _hazards(found: Suggestions, engine: Engine, words: Words) -> Iterator[str]:
    """The hazards, those together of which the same guard is the cheapest."""
    by_guard: dict[str, list[Hazard]] = {}
    for number, hazard in enumerate(found.hazards):
        by_guard.setdefault(_cheapest(found, number), []).append(hazard)
    for guard, hazards in by_guard.items():
        yield f"  {guard} removes"
        for hazard in hazards:
            lines = transition_lines(
                engine.problem.environment, hazard.transitions, frozenset()
            )
            if hazard.modes is not None:
                lines = iter([", ".join(map(printable, hazard.modes))])
            yield from (f"    {line}" for line in lines)
            yield from wrapped(f"      {run_line(hazard.trace, words)}", WIDEST)


def _cheapest(found: Suggestions, number: int) -> str:
    """What removes a hazard."""
    if number in found.hopeless:
        return "no choice of disabled actions"
    best = found.cheapest[number] if number < len(found.cheapest) else None
    doubt = "" if number in found.proved else " (perhaps not the cheapest)"
    if best is None:
        return "no guard found" if doubt else "no single guard"
    return f"guard {best + 1}{doubt}"
