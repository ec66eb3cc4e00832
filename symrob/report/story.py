"""The story of a case: what violates a property, and how.

In:  a `Story`, the words of its case.
Out: lines of at most 100 characters.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Literal

from symrob.analyses.cut import LOOKED_AT, Cut
from symrob.analyses.cuts import Resilience
from symrob.analyses.hazards import Blocked
from symrob.analyses.space import About
from symrob.analyses.story import Story
from symrob.report.run import (
    actor,
    blocked_action,
    in_words,
    named,
    property_called,
    property_in_words,
    run_line,
    trace_lines,
)
from symrob.report.text import KEPT, WIDEST, deviated, plural, printable, wrapped
from symrob.words import Words, base_name

# Sets that are named beside the one whose trace is shown; and blocked actions.
MOST_SETS = 4
MOST_REFUSED = 5
_MOST_PROPERTIES = 3


def story_lines(
    story: Story, about: About, words: Words, *, everything: bool = False
) -> Iterator[str]:
    """Yield what violates a property and how; then what the environment blocks.

    Args:
        story: The story.
        about: What the units belong to.
        words: Words for names.
        everything: List all examined sets, and all blocked actions.
    """
    sets = story.hazards or story.excluded_unsafe
    yield ""
    title = ""
    if not story.hazards:
        title = _none_hazardous(story, about, words)
        if not sets:
            yield from wrapped(title)
    yield from _group_lines(story, about, sets, words, title, everything)
    steps = story.deviated_steps
    if steps is not None and steps.at_least > 1:
        yield f"A violation needs at least {deviated(steps.at_least)}."
    yield from _blocked(story, words, everything)


def is_harmless(story: Story) -> bool:
    """Whether all units together are known to violate no property."""
    total = sum(map(len, story.alone.groups().values()))
    return min(story.resilience.harmless, story.resilience_without.harmless) >= total


def _none_hazardous(story: Story, about: About, words: Words) -> str:
    """That no hazardous set is known, or how the first one without them begins."""
    alone, noun = story.alone, about.noun
    violates = f"violates {_any_of(about, words)}"
    total = sum(map(len, alone.groups().values()))
    within, without = story.resilience, story.resilience_without
    excluded = (
        len(alone.excluded_safe) + len(alone.undecided) + len(alone.excluded_unsafe)
    )
    if hazardous := len(alone.hazardous):
        return (
            f"{plural(hazardous, noun)} individually hazardous; no trace was found in "
            "the time available (symrob cuts continues)."
        )
    if story.excluded_unsafe and within.harmless >= total:
        return "Safe within the assumptions; without them "
    if story.status != "complete" and not within.harmless:
        return "Unknown within the bounds: whether any deviation is hazardous."
    if not (excluded or story.excluded_unsafe):
        return _nothing(story, within, total, noun, "No deviation", violates)
    who = "Within the assumptions no deviation"
    told = _nothing(story, within, total, noun, who, violates)
    if story.excluded_unsafe or len(alone.excluded_unsafe):
        return f"{told} Without them "
    if len(alone.undecided):
        seconds = "" if story.status != "complete" else f" ({story.seconds:g} s used)"
        unknown = "Unknown: whether any deviation violates a property without them"
        return f"{told} {unknown}{seconds}."
    if is_harmless(story):
        return f"With or without the assumptions, no deviation {violates}."
    without_them = "Without them no deviation"
    more = _nothing(story, without, total, noun, without_them, "violates a property")
    return f"{told} {more}"


def _any_of(about: About, words: Words) -> str:
    """All properties by their words, or how many there are."""
    names = dict.fromkeys(map(_kind, about.properties))
    told = [property_in_words(name, words) for name in names]
    if len(told) > _MOST_PROPERTIES:
        return f"any of {len(told)} properties"
    return f"any of: {'; '.join(told)}" if len(told) > 1 else told[0]


def _nothing(
    story: Story, found: Resilience, total: int, noun: str, who: str, violates: str
) -> str:
    """That nothing violates a property, as far as it was proved."""
    if found.harmless >= total:
        return f"{who} {violates}."
    return (
        f"{who} of up to {plural(found.harmless, f'added {noun}')} {violates}; larger "
        f"ones were not searched ({story.seconds:g} s used); symrob cuts continues."
    )


def _group_lines(
    story: Story,
    about: About,
    sets: Sequence[Cut],
    words: Words,
    title: str,
    everything: bool,
) -> Iterator[str]:
    """By property: the first set with its trace, the others in a line each."""
    groups: dict[str, list[Cut]] = {}
    for cut in sets:
        groups.setdefault(_kind(cut.trace.violated), []).append(cut)
    for number, (first, *others) in enumerate(groups.values()):
        property_name = base_name(first.trace.violated)
        hazard = "hazard" if first.verdict == "hazardous" else "unsafe set"
        if number:
            yield ""
            head = f"The most plausible {hazard} for another property violates"
        else:
            yield from wrapped(f"{title}{_how_many(story, about, first)}.")
            which = "It" if _is_only_one(story, first) else "The most plausible one"
            head = f"{which} violates"
        told = property_in_words(property_name, words)
        line = f"{head} {told}"
        if len(line) <= WIDEST:
            yield line
        else:
            yield from wrapped(head)
            yield from wrapped(f"  {told}")
        yield from wrapped(f"Added to the plan: {_named(about, first, words)}")
        yield from _assumption_lines(first, words)
        yield from trace_lines(first.trace, words, fold=not everything)
        yield from _other_lines(about, sets, others, words, everything)


def _how_many(story: Story, about: About, first: Cut) -> str:
    """How many sets like the first one there are: `5 transitions are hazardous`."""
    hazardous = first.verdict == "hazardous"
    what = "hazardous" if hazardous else "unsafe"
    if len(first) > 1:
        sets = f"some sets of {len(first)}"
        if not hazardous:
            return f"{sets} {about.noun}s are unsafe"
        return f"No single {about.noun} is hazardous, but {sets} are"
    many = story.alone.hazardous if hazardous else story.alone.excluded_unsafe
    are = "is" if len(many) == 1 else "are"
    if not hazardous and not len(story.alone.hazardous):
        return f"{plural(len(many), about.noun)} {are} unsafe"
    return f"{plural(len(many), about.noun)} {are} individually {what}"


def _is_only_one(story: Story, first: Cut) -> bool:
    alone = story.alone
    many = alone.hazardous if first.verdict == "hazardous" else alone.excluded_unsafe
    return len(first) == len(many) == 1


def _kind(name: str) -> str:
    """What a property is called without the numbers of equal components."""
    return re.sub(r"(?<=\()([^():]*?)\d+(?=[^():]*:)", r"\1*", base_name(name))


def _other_lines(
    about: About,
    sets: Sequence[Cut],
    others: Sequence[Cut],
    words: Words,
    everything: bool,
) -> Iterator[str]:
    """The other sets that violate the same property."""
    shown = others if everything else others[:MOST_SETS]
    if not shown:
        return
    what = f"{about.noun}s that individually" if len(shown[0]) == 1 else "sets that"
    yield f"Other {what} violate this property:"
    in_short = Counter(_named(about, cut, words, "words") for cut in shown)
    for cut in shown:
        steps = plural(len(cut.trace.steps), "step").replace(" ", KEPT)
        # The steps are those of the whole set, not of its last member.
        steps = f", {steps}" if len(cut) == 1 else f" ({steps})"
        line = f"  {_named(about, cut, words)}{steps}"
        if len(line) > WIDEST:
            # Several transitions can have the same words.
            told = _named(about, cut, words, "words")
            told = told if in_short[told] == 1 else _named(about, cut, words, "names")
            line = f"  {told}{steps}"
        yield from wrapped(line)
        if everything:
            yield from wrapped(f"    {run_line(cut.trace, words)}")
    left = len(others) - len(shown)
    if len(sets) >= LOOKED_AT:
        yield "  … more; run symrob cuts to list all"
    elif left:
        yield f"  … {left:,} more; run symrob cuts to list all"


def _assumption_lines(cut: Cut, words: Words) -> Iterator[str]:
    """Which assumptions exclude it: the first one, and how many others do so too."""
    if cut.assumptions:
        name, *others = cut.assumptions
        more = f" and {len(others)} more" if others else ""
        told = property_called(name, words)
        many, them = ("assumptions", "them") if others else ("assumption", "it")
        yield from wrapped(
            f"Excluded by the {many} {told}{more}: with this deviation, "
            f"{actor('E', words)} can violate {them}, in this trace or another"
        )


def _named(
    about: About,
    cut: Cut,
    words: Words,
    how: Literal["both", "words", "names"] = "both",
) -> str:
    """In words, and by the names that `explain` takes."""
    environment = about.environment
    if cut.modes is not None or environment is None:
        return "; ".join(map(printable, map(about.called, cut.modes or ())))
    told = "; ".join(in_words(environment, t, words) for t in sorted(cut.transitions))
    names = "; ".join(named(environment, t) for t in sorted(cut.transitions))
    if how != "both" or told == names:
        return names if how == "names" else told
    # Names stay together.
    return f"{told} ({names.replace(' ', KEPT)})"


def _blocked(story: Story, words: Words, everything: bool) -> Iterator[str]:
    """What the environment blocks: that is why it is safe, and may not be so."""
    who, offering = (actor(role, words) for role in "EC")
    groups = (
        (
            f"Safe as planned only because {who} never does the following, which "
            f"{offering} would allow:",
            story.refused or (),
        ),
        (
            f"Tolerated, but safe only because {who} never does the following:",
            story.refused_with or (),
        ),
    )
    for title, blocked in groups:
        yield from _blocked_lines(title, blocked, words, everything)
    if story.refused is None or story.refused_with is None:
        yield ""
        yield from wrapped(
            "Blocked actions: not computed for all tolerated sets; symrob explain "
            "computes them for one set"
        )


def _blocked_lines(
    title: str,
    blocked: Sequence[Blocked],
    words: Words,
    everything: bool,
) -> Iterator[str]:
    """Blocked actions under a title, those that read the same once."""
    first: dict[str, Blocked] = {}
    for one in blocked:
        first.setdefault(f"  {_with_added(one)}{blocked_action(one, words)}", one)
    if first:
        yield ""
        yield from wrapped(title)
    shown = [*first.items()][: None if everything else MOST_REFUSED]
    for line, one in shown:
        whole = f"{line}, after: {run_line(one.run, words)}"
        if not one.run.steps:
            yield from wrapped(line)
        elif everything or len(whole) <= WIDEST:
            yield from wrapped(whole)
        else:
            steps = plural(len(one.run.steps), "step").replace(" ", KEPT)
            yield from wrapped(f"{line}, after {steps}")
    if len(first) > len(shown):
        yield f"  … {len(first) - len(shown):,} more; --all lists them"


def _with_added(one: Blocked) -> str:
    """What is tolerated, and only because something is blocked; often nothing."""
    if not one.units:
        return ""
    environment = one.engine.problem.environment
    if one.modes is None:
        names = [named(environment, t) for t in sorted(one.added)]
    else:
        names = [printable(name) for name in sorted(one.modes)]
    return f"with {', '.join(names)}: "
