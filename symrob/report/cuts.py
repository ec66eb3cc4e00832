"""Minimal cut sets as text.

In:  `Cuts`, yet to be found.
Out: lines of text.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import groupby
from typing import Literal

from symrob.analyses.cut import Cut
from symrob.analyses.cuts import Cuts, Resilience
from symrob.questions.question import View
from symrob.report.forms import Form
from symrob.report.legend import about_legend
from symrob.report.likely import likely_lines
from symrob.report.run import run_line, trace_lines, violated
from symrob.report.text import limited, plural, printable, wrapped
from symrob.report.units import unit_lines
from symrob.risk.likely import LikelySets
from symrob.verdicts import MEANS, SAID, Verdict
from symrob.words import PLAIN, Words

# Of the transitions that do harm alone, unless all are asked for: with their runs, and
# lines of the others.
MOST_RUNS = 10
MOST_LINES = 30

Runs = Literal["none", "short", "full"]


def cut_lines(
    cuts: Cuts,
    title: str,
    words: Words = PLAIN,
    *,
    runs: Runs = "short",
    everything: bool = False,
) -> Iterator[str]:
    """Yield each set as soon as it is found; what hurts alone comes in a list.

    Args:
        cuts: The sets.
        title: What a person calls the case; may be empty.
        words: What names are called.
        runs: Whether to show how each set does harm: not at all, as a line of
            actions, or step by step.
        everything: Print long lists of single transitions whole, each with its run.
    """
    if title:
        yield printable(title)
    count = 0
    for (verdict, single), group in groupby(cuts, lambda c: (c.verdict, len(c) == 1)):
        if single and not cuts.smallest:
            singles = list(group)
            yield from _single_lines(cuts, singles, words, runs, everything)
            count += len(singles)
            continue
        for cut in group:
            count += 1
            name = "A smallest set" if cuts.smallest else f"Set {count:,}"
            yield from _set_lines(cuts, f"{name}, {SAID[verdict]}", cut, words, runs)


def _single_lines(
    cuts: Cuts, singles: list[Cut], words: Words, runs: Runs, everything: bool
) -> Iterator[str]:
    shown = singles if everything or runs == "full" else singles[:MOST_RUNS]
    yield ""
    verdict = singles[0].verdict
    count = plural(len(singles), cuts.space.about.noun)
    yield f"{SAID[verdict].capitalize()} alone: {count} ({MEANS[verdict]})"
    for cut in shown:
        yield from _cut_lines(cuts, cut, words, runs)
    others = singles[len(shown) :]
    if others:
        yield f"  and without their runs, which --all prints, {len(others):,} more"
        units = (unit for cut in others for unit in cut.units)
        lines = (f"  {line}" for line in unit_lines(cuts.space.about, units, words))
        yield from limited(lines, MOST_LINES, indent="  ")


def _set_lines(
    cuts: Cuts, title: str, cut: Cut, words: Words, runs: Runs
) -> Iterator[str]:
    yield ""
    yield f"{title}: {plural(len(cut), cuts.space.about.noun)}"
    yield from _cut_lines(cuts, cut, words, runs)


def _cut_lines(cuts: Cuts, cut: Cut, words: Words, runs: Runs) -> Iterator[str]:
    for line in unit_lines(cuts.space.about, cut.units, words):
        yield f"  {line}"
    if runs == "none":
        return
    if runs == "short":
        broken = violated(cut.trace, words)
        yield from wrapped(f"    breaks {broken}: {run_line(cut.trace, words)}")
    else:
        yield from trace_lines(cut.trace, words)


def verdict_lines(cuts: Cuts) -> Iterator[str]:
    """Yield what the sets amount to, once all that were asked for came."""
    if not cuts.smallest:
        yield from _counts(cuts)
    if cuts.space.constrained:
        yield from _within_and_without(cuts)
    else:
        yield _resilience(cuts.resilience, cuts, "Resilience")


def _counts(cuts: Cuts) -> Iterator[str]:
    if cuts.status != "complete":
        yield f"Incomplete ({cuts.reason}); so far:"
    hazardous = _counted(cuts, "hazardous", "minimal {set} {is} hazardous")
    yield f"{hazardous}; {cuts.seconds:.3f} s"
    if not cuts.space.constrained:
        return
    away = "{set} {is} assumed away"
    if cuts.order is None:
        away += ", of the smallest size (--order K lists all up to K)"
    yield _counted(cuts, "assumed-away", away)
    yield _counted(cuts, "outside-assumptions", "{set} only {break} an assumption")


def _counted(cuts: Cuts, verdict: Verdict, what: str) -> str:
    sizes = cuts.sizes[verdict]
    count = sizes.total()
    if not count and verdict != "hazardous" and cuts.status != "complete":
        what = what.format(set="sets", **{"is": "are", "break": "break"})
        return f"unknown how many {what}"
    one = {"set": "set", "is": "is", "break": "breaks"}
    many = {"set": "sets", "is": "are", "break": "break"}
    kind = f"{count:,} {what.format(**(one if count == 1 else many))}"
    if cuts.order is not None:
        kind += f", of up to {plural(cuts.order, cuts.space.about.noun)}"
    listed = ", ".join(f"{n:,} of size {size}" for size, n in sorted(sizes.items()))
    return f"{kind}: {listed}" if listed else kind


def _within_and_without(cuts: Cuts) -> Iterator[str]:
    """Both resiliences; and what it means where nothing is hazardous."""
    within, without = cuts.resilience, cuts.resilience_without
    everything = len(cuts.space)
    if within.size is not None or within.harmless < everything:
        yield _resilience(within, cuts, "Resilience within the assumptions")
        yield _resilience(without, cuts, "Resilience without them")
        return
    yield "No deviation within the assumptions is hazardous."
    if without.size is not None:
        yield "Only the assumptions make it so:"
        yield _resilience(without, cuts, "Resilience without them")
    elif without.harmless == everything:
        yield "C is safe without them too: nothing that is added can break a property."
    else:
        yield _resilience(without, cuts, "Resilience without them")


def _resilience(found: Resilience, cuts: Cuts, name: str) -> str:
    noun = cuts.space.about.noun
    unit = f"added {noun}" if noun == "transition" else noun
    harmless = plural(found.harmless, unit)
    if found.size == 1:
        return f"{name} 1: a single {unit} can hurt"
    if found.size is not None:
        hurts = "hurts" if found.harmless == 1 else "hurt"
        return f"{name} {found.size}: any {harmless} {hurts} nobody, {found.size} can"
    if found.harmless == len(cuts.space):
        return "Nothing that is added can break a property"
    if found.harmless == 0:
        return f"{name} unknown"
    hurts = "hurts" if found.harmless == 1 else "hurt"
    return f"{name} above {found.harmless:,}: any {harmless} {hurts} nobody"


def _text(answer: Cuts | LikelySets, view: View) -> Iterator[str]:
    title, words = view.session.title, view.session.words
    if isinstance(answer, LikelySets):
        yield from likely_lines(answer, title, words)
        return
    runs: Runs = "full" if view.question.traces else "short"
    everything = view.everything
    yield from cut_lines(answer, title, words, runs=runs, everything=everything)
    yield from (*about_legend(answer.about, words), "", *verdict_lines(answer))


FORMS: Mapping[str, Form] = {"text": _text}
