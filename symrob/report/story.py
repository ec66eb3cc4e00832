"""What can hurt, told so that a stranger understands it; and as JSON.

In:  a `Story`, the words of its case.
Out: lines of at most 100 characters, or a dictionary for `json.dumps`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from symrob.analyses.cuts import Cut, Resilience
from symrob.analyses.hazards import Blocked
from symrob.analyses.story import LOOKED_AT, SECONDS, Story
from symrob.lts import Lts
from symrob.report.json import trace_dict, triples
from symrob.report.run import WIDEST, run_line, trace_lines, violated
from symrob.report.text import plural, printable, wrapped
from symrob.words import Words

# Sets that are named beside the one whose run is told; and refused actions.
MOST_SETS = 4
MOST_REFUSED = 5


def story_lines(
    story: Story, environment: Lts, words: Words, *, everything: bool = False
) -> Iterator[str]:
    """Yield what can hurt and how; then what E must refuse.

    Args:
        story: What was found.
        environment: E, for the names of its states.
        words: What names are called.
        everything: Name all sets that were looked at, and all that is refused.
    """
    sets = story.hazards or story.assumed_away
    assuming = bool(len(story.alone.outside) or len(story.alone.undecided)) or bool(
        story.assumed_away
    )
    if story.hazards:
        yield from _group_lines(environment, sets, words, "Hazard", everything)
    else:
        yield from _filled(_none_hazardous(story, assuming))
        if sets:
            yield from _group_lines(
                environment, sets, words, "Without the assumptions", everything
            )
    yield from _refused_lines(story, environment, everything)


def _none_hazardous(story: Story, assuming: bool) -> str:
    total = sum(
        len(part)
        for part in (
            story.alone.tolerated,
            story.alone.hazardous,
            story.alone.assumed_away,
            story.alone.outside,
            story.alone.undecided,
        )
    )
    if not assuming:
        return _nothing(story.resilience, total, "Nothing that is added can hurt.")
    told = "No deviation within the assumptions is hazardous."
    told = _nothing(story.resilience, total, told)
    if story.assumed_away:
        return f"{told} Only the assumptions make it so."
    if len(story.alone.undecided):
        return (
            f"{told} Whether C is safe without them too was not decided in "
            f"{SECONDS:g} s."
        )
    safe = "C is safe without them too."
    return f"{told} {_nothing(story.resilience_without, total, safe)}"


def _nothing(found: Resilience, total: int, told: str) -> str:
    """That nothing hurts, as far as it was proved."""
    if found.harmless >= total:
        return told
    hurts = "hurts" if found.harmless == 1 else "hurt"
    return (
        f"Any {plural(found.harmless, 'added transition')} {hurts} nobody; larger sets "
        f"were not looked through in {SECONDS:g} s (symrob cuts goes on)."
    )


def _group_lines(
    environment: Lts,
    sets: Sequence[Cut],
    words: Words,
    title: str,
    everything: bool,
) -> Iterator[str]:
    """By property: the shortest run step by step, the others in a line each."""
    groups: dict[str, list[Cut]] = {}
    for cut in sets:
        groups.setdefault(cut.trace.violated, []).append(cut)
    for first, *others in groups.values():
        added = plural(len(first), "added transition")
        yield ""
        yield from _filled(f"{title}, {added} can break this:")
        yield from _filled(f"  {violated(first.trace, words)}")
        yield from _filled(f"By {_named(environment, first)}:")
        yield from trace_lines(first.trace, words)
        shown = others if everything else others[:MOST_SETS]
        if shown:
            yield "Likewise:"
        for cut in shown:
            yield from _filled(f"  {_named(environment, cut)}: {run_line(cut.trace)}")
        if len(others) > len(shown) or len(sets) == LOOKED_AT:
            yield "  … symrob cuts lists all of them"


def _named(environment: Lts, cut: Cut) -> str:
    return "; ".join(
        f"{printable(t.action)} {printable(environment.state_name(t.source))} → "
        f"{printable(environment.state_name(t.target))}"
        for t in sorted(cut.transitions)
    )


def _refused_lines(story: Story, environment: Lts, everything: bool) -> Iterator[str]:
    """What C offers and E refuses: that is why it is safe, and may not be so."""
    groups = (
        (
            "The plan is safe only because E refuses, where C offers it:",
            story.refused or (),
        ),
        ("Tolerated, but then safe only because E refuses:", story.refused_with or ()),
    )
    for title, blocked in groups:
        shown = blocked if everything else blocked[:MOST_REFUSED]
        if shown:
            yield ""
            yield title
        for one in shown:
            yield from _filled(f"  {_refused(environment, one)}")
        if len(blocked) > len(shown):
            yield f"  … {len(blocked) - len(shown):,} more; --all prints them"
    if story.refused is None or story.refused_with is None:
        yield ""
        yield from _filled(
            "What E refuses, and must refuse, was not found for all that is tolerated: "
            "symrob explain says it of each"
        )


def _refused(environment: Lts, one: Blocked) -> str:
    state = printable(environment.state_name(one.state))
    with_it = "".join(
        f"with {printable(t.action)} {printable(environment.state_name(t.source))} → "
        f"{printable(environment.state_name(t.target))}: "
        for t in sorted(one.added)
    )
    where = f"{with_it}{printable(one.action)} in {state}"
    return f"{where}, after {run_line(one.run)}"


def _filled(line: str) -> Iterator[str]:
    yield from wrapped(line, WIDEST)


def story_dict(story: Story) -> dict[str, Any]:
    """Return a story for programs, to be a part of a summary."""
    alone = story.alone
    return {
        "verdicts": {
            "tolerated": triples(alone.tolerated),
            "hazardous": triples(alone.hazardous),
            "assumed-away": triples(alone.assumed_away),
            "outside-assumptions": triples(alone.outside),
            "undecided": triples(alone.undecided),
        },
        "hazards": [_cut_dict(cut) for cut in story.hazards],
        "assumed_away": [_cut_dict(cut) for cut in story.assumed_away],
        "resilience": story.resilience.size,
        "harmless": story.resilience.harmless,
        "resilience_without_constraints": story.resilience_without.size,
        "harmless_without_constraints": story.resilience_without.harmless,
        "refused": _blocked_rows(story.refused),
        "refused_with": _blocked_rows(story.refused_with),
    }


def _cut_dict(cut: Cut) -> dict[str, Any]:
    return {"transitions": triples(cut.transitions), "trace": trace_dict(cut.trace)}


def _blocked_rows(blocked: Sequence[Blocked] | None) -> list[dict[str, Any]] | None:
    if blocked is None:
        return None
    return [
        {"state": one.state, "action": one.action, "added": triples(one.added)}
        for one in blocked
    ]
