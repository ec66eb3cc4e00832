"""What can hurt, told so that a stranger understands it.

In:  a `Story`, the words of its case.
Out: lines of at most 100 characters.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from symrob.analyses.cut import LOOKED_AT, Cut
from symrob.analyses.cuts import Resilience
from symrob.analyses.hazards import Blocked
from symrob.analyses.space import About
from symrob.analyses.story import Story
from symrob.problem import UnitSet
from symrob.report.run import (
    called,
    in_words,
    named,
    run_line,
    state_called,
    trace_lines,
)
from symrob.report.text import plural, printable, wrapped
from symrob.words import Words, base_name

# Sets that are named beside the one whose run is told; and refused actions.
MOST_SETS = 4
MOST_REFUSED = 5


def story_lines(
    story: Story, about: About, words: Words, *, everything: bool = False
) -> Iterator[str]:
    """Yield what can hurt and how; then what E must refuse.

    Args:
        story: What was found.
        about: What the units are of.
        words: What names are called.
        everything: Name all sets that were looked at, and all that is refused.
    """
    sets = story.hazards or story.assumed_away
    assuming = bool(len(story.alone.outside) or len(story.alone.undecided)) or bool(
        story.assumed_away
    )
    if story.hazards:
        yield from _group_lines(about, sets, words, "Hazard", everything)
    else:
        yield from wrapped(_none_hazardous(story, about.noun, assuming))
        if sets:
            yield from _group_lines(
                about, sets, words, "Without the assumptions", everything
            )
    yield from _refused_lines(story, about, words, everything)


def _none_hazardous(story: Story, noun: str, assuming: bool) -> str:
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
    if hazardous := len(story.alone.hazardous):
        return (
            f"{plural(hazardous, noun)} alone can hurt; a run was not found "
            "in time (symrob cuts goes on)."
        )
    if story.status != "complete" and not story.resilience.harmless:
        return "Whether anything is hazardous was not decided in time."
    if not assuming:
        told = "Nothing that is added can hurt."
        return _nothing(story, story.resilience, total, noun, told)
    told = "No deviation within the assumptions is hazardous."
    told = _nothing(story, story.resilience, total, noun, told)
    if story.assumed_away or len(story.alone.assumed_away):
        looked = ""
        if len(story.alone.undecided):
            looked = " Not all that breaks an assumption was looked at."
        return f"{told} Only the assumptions make it so.{looked}"
    if len(story.alone.undecided):
        seconds = "" if story.status != "complete" else f" in {story.seconds:g} s"
        return f"{told} Whether C is safe without them too was not decided{seconds}."
    safe = "C is safe without them too."
    return f"{told} {_nothing(story, story.resilience_without, total, noun, safe)}"


def _nothing(story: Story, found: Resilience, total: int, noun: str, told: str) -> str:
    """That nothing hurts, as far as it was proved."""
    if found.harmless >= total:
        return told
    hurts = "hurts" if found.harmless == 1 else "hurt"
    return (
        f"Any {plural(found.harmless, f'added {noun}')} {hurts} nobody; larger sets "
        f"were not looked through in {story.seconds:g} s (symrob cuts goes on)."
    )


def _group_lines(
    about: About,
    sets: Sequence[Cut],
    words: Words,
    title: str,
    everything: bool,
) -> Iterator[str]:
    """By property: the shortest run step by step, the others in a line each."""
    groups: dict[str, list[Cut]] = {}
    for cut in sets:
        groups.setdefault(base_name(cut.trace.violated), []).append(cut)
    for number, (property_name, (first, *others)) in enumerate(groups.items()):
        added = plural(len(first), f"added {about.noun}")
        if number or first.verdict == "hazardous":
            yield ""
        yield from wrapped(f"{title}, {added} can break this:")
        yield from wrapped(f"  {called(words.property(property_name), property_name)}")
        yield from wrapped(f"Added: {_named(about, first, words)}")
        yield from trace_lines(first.trace, words)
        yield from _assumption_lines(first, words)
        shown = others if everything else others[:MOST_SETS]
        if shown:
            yield "So does each of these alone:" if len(first) == 1 else "So do these:"
        for cut in shown:
            steps = plural(len(cut.trace.steps), "step")
            yield from wrapped(f"  {_named(about, cut, words)}, in {steps}")
            if everything:
                yield from wrapped(f"    {run_line(cut.trace, words)}")
        if len(others) > len(shown) or len(sets) == LOOKED_AT:
            yield "  … symrob cuts lists all of them"


def _assumption_lines(cut: Cut, words: Words) -> Iterator[str]:
    """Which assumptions exclude it: the first one, and how many others do so too."""
    if not cut.assumptions:
        return
    name, *others = cut.assumptions
    told = called(words.property(name), name)
    more = f" and {len(others)} more" if others else ""
    many = "assumptions" if others else "assumption"
    yield from wrapped(f"  excluded only by the {many}: {told}{more}")


def _named(about: About, cut: Cut, words: Words) -> str:
    """In words, and by the names that `explain` takes."""
    environment = about.environment
    if cut.modes is not None or environment is None:
        return "; ".join(map(printable, cut.modes or ()))
    names = "; ".join(named(environment, t) for t in sorted(cut.transitions))
    told = "; ".join(in_words(environment, t, words) for t in sorted(cut.transitions))
    return called(told, names)


def _refused_lines(
    story: Story, about: About, words: Words, everything: bool
) -> Iterator[str]:
    """What C offers and E refuses: that is why it is safe, and may not be so."""
    who = printable(words.component("E"))
    who = who if who == "E" else f"E ({who})"
    groups = (
        (
            f"The plan is safe only because {who} refuses what C offers; else a "
            "property would break:",
            story.refused or (),
        ),
        (
            f"Tolerated, but then safe only because {who} refuses what C offers:",
            story.refused_with or (),
        ),
    )
    for title, blocked in groups:
        yield from _blocked_lines(title, about, blocked, words, everything)
    if story.refused is None or story.refused_with is None:
        yield ""
        yield from wrapped(
            f"What {who} refuses, and must refuse, was not found for all that is "
            "tolerated: symrob explain says it of each"
        )


def _told(
    about: About, blocked: Sequence[Blocked], everything: bool
) -> Sequence[Blocked]:
    """What to name; of a composed E, whose states are many, each action once a set."""
    if everything:
        return blocked
    if about.network is None:
        return blocked[:MOST_REFUSED]
    first: dict[tuple[str, UnitSet], Blocked] = {}
    for one in blocked:
        first.setdefault((one.action, one.units), one)
    return [*first.values()][:MOST_REFUSED]


def _blocked_lines(
    title: str,
    about: About,
    blocked: Sequence[Blocked],
    words: Words,
    everything: bool,
) -> Iterator[str]:
    """What is refused, under a title; nothing where nothing is."""
    shown = _told(about, blocked, everything)
    if shown:
        yield ""
        yield from wrapped(title)
    for one in shown:
        yield from wrapped(f"  {_with_added(one)}{_refused(one, words)}")
    if len(blocked) > len(shown):
        yield f"  … {len(blocked) - len(shown):,} more; --all prints them"


def _refused(one: Blocked, words: Words) -> str:
    state = state_called(one.engine.environment, one.state, words)
    action = called(words.action(one.action), one.action)
    after = ""
    if one.run.steps:
        after = f"; C offers it after: {run_line(one.run, words)}"
    return f"{action} in {state}{after}"


def _with_added(one: Blocked) -> str:
    if one.modes is not None:
        names = ", ".join(map(printable, sorted(one.modes)))
        return f"with {names}: " if names else ""
    environment = one.engine.environment
    return "".join(f"with {named(environment, t)}: " for t in sorted(one.added))
