"""Minimal cut sets as text.

In:  `Cuts`, found on demand.
Out: lines of text.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import groupby
from typing import Literal

from symrob.analyses.cut import Cut
from symrob.analyses.cuts import Cuts, Resilience
from symrob.limits import counted_out
from symrob.questions.question import View
from symrob.report import likely
from symrob.report.hints import notes as notes
from symrob.report.legend import about_legend
from symrob.report.listed import COUNTED, Listed
from symrob.report.output_formats import Form
from symrob.report.run import property_named, run_line, trace_lines
from symrob.report.text import deviated, plural, printable, wrapped
from symrob.report.units import unit_lines
from symrob.risk.likely import LikelySets
from symrob.verdicts import SAID, Verdict
from symrob.words import PLAIN, Words

# Sets, unless all are asked for; and of those of one unit, those with their traces.
MOST_LISTED = 50
MOST_TRACES = 10

Traces = Literal["none", "short", "full"]


def measured(cut: Cut) -> tuple[int, set[str]]:
    """Return the size of a set, and the actions or modes in it."""
    names = cut.modes
    return len(cut), {t.action for t in cut.transitions} if names is None else {*names}


def cut_lines(
    cuts: Cuts,
    listed: Listed[Cut],
    title: str,
    words: Words = PLAIN,
    *,
    traces: Traces = "short",
    everything: bool = False,
) -> Iterator[str]:
    """Yield each set as soon as it is found; sets of one unit form a list.

    Args:
        cuts: The sets.
        listed: The sets that are listed.
        title: Human-readable title; may be empty.
        words: Words for names.
        traces: Whether to show how each set violates a property: not at all, as a line
            of actions, or step by step.
        everything: Show the trace of each set of one unit, too.
    """
    if title:
        yield printable(title)
    count = 0
    for (verdict, single), group in groupby(listed, lambda c: (c.verdict, len(c) == 1)):
        if single and not cuts.smallest:
            singles = list(group)
            all_traced = everything or traces == "full"
            most = None if all_traced else MOST_TRACES
            first = "The first " if listed.left else ""
            yield from _single_lines(cuts, singles, words, traces, most, first)
            count += len(singles)
            continue
        for cut in group:
            count += 1
            name = "A smallest set" if cuts.smallest else f"Set {count:,}"
            yield from _set_lines(cuts, f"{name}, {SAID[verdict]}", cut, words, traces)


def _single_lines(
    cuts: Cuts,
    singles: list[Cut],
    words: Words,
    traces: Traces,
    most: int | None,
    first: str,
) -> Iterator[str]:
    shown = singles[:most]
    yield ""
    verdict = singles[0].verdict
    count = plural(len(singles), cuts.space.about.noun)
    yield f"{first}{count} individually {SAID[verdict]}:"
    for cut in shown:
        yield from _cut_lines(cuts, cut, words, traces)
    if others := singles[len(shown) :]:
        yield f"  traces not shown (--all shows them): {len(others):,}"
        units = (unit for cut in others for unit in cut.units)
        yield from (f"  {line}" for line in unit_lines(cuts.space.about, units, words))


def _set_lines(
    cuts: Cuts, title: str, cut: Cut, words: Words, traces: Traces
) -> Iterator[str]:
    yield ""
    yield f"{title}: {plural(len(cut), cuts.space.about.noun)}"
    yield from _cut_lines(cuts, cut, words, traces)


def _cut_lines(cuts: Cuts, cut: Cut, words: Words, traces: Traces) -> Iterator[str]:
    for line in unit_lines(cuts.space.about, cut.units, words):
        yield f"  {line}"
    if traces == "none":
        return
    steps = cut.known_steps or 0
    needs = f" (at least {deviated(steps)})" if steps > 1 else ""
    if traces == "short":
        broken = f"{property_named(cut.trace.violated, words)}{needs}"
        yield from wrapped(f"    violates {broken}: {run_line(cut.trace, words)}")
    else:
        if needs:
            yield f"    a violation needs at least {deviated(steps)}"
        yield from trace_lines(cut.trace, words)


def verdict_lines(cuts: Cuts) -> Iterator[str]:
    """Yield the counts and the resilience, after all requested sets."""
    if not cuts.smallest:
        yield from _counts(cuts)
    if cuts.space.constrained:
        yield from _within_and_without(cuts)
    else:
        yield from _resilience(cuts.resilience, cuts, "Resilience")


def _counts(cuts: Cuts) -> Iterator[str]:
    stopped = counted_out(cuts.status, cuts.clock)
    if stopped:
        yield f"{COUNTED}; found so far:"
    elif cuts.status != "complete":
        yield f"Incomplete ({cuts.reason}); so far:"
    hazardous = _counted(cuts, "hazardous", "minimal hazardous set", "")
    yield from wrapped(f"{hazardous}; {cuts.seconds:.3f} s")
    if not cuts.space.constrained:
        return
    excluded = "minimal unsafe set", " excluded by an assumption"
    smallest = ", of the smallest size (--order K lists all up to K)"
    smallest = "" if cuts.order is not None else smallest
    yield from wrapped(_counted(cuts, "excluded-unsafe", *excluded, smallest))
    outside = "minimal set", " that violates only an assumption"
    yield from wrapped(_counted(cuts, "excluded-safe", *outside))


def _counted(
    cuts: Cuts, verdict: Verdict, noun: str, which: str, bound: str = ""
) -> str:
    sizes = cuts.sizes[verdict]
    count = sizes.total()
    if count != 1:
        which = which.replace("violates", "violate")
    if not count and verdict != "hazardous" and cuts.status != "complete":
        return f"Unknown: the number of {noun}s{which}"
    kind = f"{plural(count, noun)}{which}{bound}"
    if cuts.order is not None:
        kind += f", of up to {plural(cuts.order, cuts.space.about.noun)}"
    listed = ", ".join(f"{n:,} of size {size}" for size, n in sorted(sizes.items()))
    return f"{kind}: {listed}" if listed else kind


def _within_and_without(cuts: Cuts) -> Iterator[str]:
    """Both resiliences; and what it means where nothing is hazardous."""
    within, without = cuts.resilience, cuts.resilience_without
    everything = len(cuts.space)
    if within.size is not None or within.harmless < everything:
        yield from _resilience(within, cuts, "Resilience within the assumptions")
        yield from _resilience(without, cuts, "Resilience without them")
        return
    yield "No deviation within the assumptions is hazardous."
    if without.size is None and without.harmless == everything:
        yield "Without the assumptions, no deviation violates a property either."
        return
    if without.size is not None:
        yield "This verdict depends on the assumptions:"
    yield from _resilience(without, cuts, "Resilience without them")


def _resilience(found: Resilience, cuts: Cuts, name: str) -> Iterator[str]:
    yield from wrapped(_resilience_text(found, cuts, name))


def _resilience_text(found: Resilience, cuts: Cuts, name: str) -> str:
    noun = cuts.space.about.noun
    unit = f"added {noun}" if noun == "transition" else noun
    several = found.harmless > 1
    what = f"set of up to {found.harmless:,} {unit}s" if several else f"single {unit}"
    harmless = f"no {what} can violate a property"
    if found.size == 1:
        return f"{name}: 1; a single {unit} can violate a property"
    if found.size is not None:
        return f"{name}: {found.size}; {harmless}, but a set of {found.size} can"
    if found.harmless == len(cuts.space):
        return "No deviation can violate a property"
    if found.harmless == 0:
        return f"{name}: unknown"
    return f"{name}: above {found.harmless:,}; {harmless}"


def _text(answer: Cuts | LikelySets, view: View) -> Iterator[str]:
    title, words = view.session.title, view.session.words
    asked, everything = view.question, view.everything
    most = None if everything else view.session.options.limit or MOST_LISTED
    to_the_end = asked.certificate is not None
    clock = answer.clock
    if isinstance(answer, LikelySets):
        probable = Listed(answer, most, clock, likely.measured, to_the_end=to_the_end)
        yield from likely.likely_lines(answer, probable, title, words)
        return
    listed = Listed(answer, most, clock, measured, to_the_end=to_the_end)
    traces: Traces = "full" if asked.traces else "short"
    yield from cut_lines(
        answer, listed, title, words, traces=traces, everything=everything
    )
    yield from listed.lines("set", f"number of {answer.about.noun}s")
    yield from (*about_legend(answer.about, words), "", *verdict_lines(answer))


FORMS: Mapping[str, Form] = {"text": _text}
