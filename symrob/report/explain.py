"""An explanation in the model's own words, as text.

In:  an `Explanation`.
Out: lines of text.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace

from symrob.analyses.explain import Explanation
from symrob.analyses.holding import Held
from symrob.analyses.space import units_in
from symrob.problem import Unit, UnitSet
from symrob.questions.question import View
from symrob.report.legend import about_legend
from symrob.report.output_formats import Form
from symrob.report.progress import lost_lines
from symrob.report.run import actor, blocked_action, run_line, trace_lines, violated
from symrob.report.story import MOST_REFUSED
from symrob.report.text import NEVER_MARK, limited, plural, printable, wrapped
from symrob.report.units import counted, labels, unit_lines
from symrob.verdicts import SAID
from symrob.words import PLAIN, Words

# Of each list, unless all are asked for.
MOST_LINES = 20
NOTHING_ADDED = "Tolerated: no transition is added"


def explanation_lines(
    explanation: Explanation,
    title: str,
    words: Words = PLAIN,
    *,
    everything: bool = False,
) -> Iterator[str]:
    """Yield the verdict and its explanation.

    Args:
        explanation: The explanation to report.
        title: Human-readable title; may be empty.
        words: Words for names.
        everything: Print long lists in full.
    """
    if title:
        yield printable(title)
    most = None if everything else MOST_LINES
    yield from _held_lines(explanation.held, most)
    yield from _asked_lines(explanation, words, most)
    yield from _lost_lines(explanation, words, everything=everything)
    if explanation.tolerated:
        yield from _blocked_lines(explanation, words, everything=everything)
        yield from _tolerated_lines(explanation, most)
    else:
        yield from _harm_lines(explanation, words)
        yield from _violation_lines(explanation, words, everything=everything)
    yield from about_legend(explanation.about, words)


def _lost_lines(
    explanation: Explanation, words: Words, *, everything: bool
) -> Iterator[str]:
    """What can become impossible, once it is known."""
    these = "them" if len(explanation.new) > 1 else "it"
    lost, by_plan = explanation.lost_goals, explanation.lost_by_plan
    yield from lost_lines(f"with {these}", lost or (), words, everything=everything)
    yield from lost_lines("already in the plan", by_plan or (), words)


def _held_lines(held: Held | None, most: int | None) -> Iterator[str]:
    """Which fault modes bring the transitions that were asked about."""
    if held is None:
        return
    lines = (f"{said}: contained in {', '.join(by)}" for said, by in held.by.items())
    yield from limited(map(printable, lines), most)
    if held.unheld:
        what = plural(held.unheld, "other transition")
        yield f"{what}: contained in no fault mode"


def _table(
    explanation: Explanation,
    units: Collection[Unit],
    most: int | None,
    marked: UnitSet = frozenset(),
    words: Words | None = None,
) -> Iterator[str]:
    lines = unit_lines(explanation.about, units, words, marked)
    if not units:
        return
    for line in limited(lines, most):
        yield f"  {line}"


def _asked_lines(
    explanation: Explanation, words: Words, most: int | None
) -> Iterator[str]:
    """The verdict, and the transitions that were asked about."""
    new, idle = explanation.new, explanation.idle or frozenset()
    these = f"these {explanation.about.noun}s"
    if len(new) == 1:
        these = f"this {explanation.about.noun}"
    yield from _verdict_lines(explanation, words)
    if new and not explanation.tolerated:
        yield "with:"
    yield from _table(explanation, new, most, idle, words)
    if idle and explanation.about.units is not None:
        names = ", ".join(map(printable, labels(explanation.about, idle)))
        yield from wrapped(f"Can never fire with {these}: {names}")
    elif idle:
        yield f"{NEVER_MARK} can never fire with {these}"
    if idle:
        yield from _inert_lines(explanation, idle, most)
    if explanation.nominal:
        count = len(explanation.nominal)
        yield f"Planned: E already has {count:,} of these transitions"
        plain = replace(explanation.about, units=None)
        lines = unit_lines(plain, explanation.nominal)
        yield from (f"  {line}" for line in limited(lines, most))


def _inert_lines(
    explanation: Explanation, idle: UnitSet, most: int | None
) -> Iterator[str]:
    inert = explanation.inert or frozenset()
    if inert == idle:
        yield f"{NEVER_MARK} can never fire in any other tolerated deviation either"
    elif inert:
        yield (
            f"{len(inert):,} of these can never fire in any other tolerated deviation "
            "either:"
        )
        yield from _table(explanation, inert, most)


def _verdict_lines(explanation: Explanation, words: Words) -> Iterator[str]:
    """What it amounts to; what breaks stands in a line of its own."""
    asked = f"E with {counted(explanation.about, explanation.new, 'added')}"
    match explanation.verdict:
        case "tolerated":
            yield f"Tolerated: {asked} is safe" if explanation.new else NOTHING_ADDED
            return
        case "hazardous":
            yield f"Hazardous: {asked} violates"
        case "excluded-unsafe":
            said = SAID[explanation.verdict].capitalize()
            if explanation.hazardous_part is not None:
                said += "; a part of it is hazardous"
            yield from wrapped(f"{said}: {asked} violates an assumption and also")
        case "excluded-safe":
            said = SAID[explanation.verdict].capitalize()
            yield from wrapped(f"{said}: {asked} violates no property, but violates")
    assert explanation.trace is not None
    yield from wrapped(f"  {violated(explanation.trace, words)}")


def _harm_lines(explanation: Explanation, words: Words) -> Iterator[str]:
    """The smallest part that does the harm, with a shortest trace."""
    trace, cut = explanation.trace, explanation.cut
    assert trace is not None
    yield ""
    only = ""
    if cut is None:
        yield f"The smallest violating part is unknown ({explanation.reason})."
    elif cut.units == explanation.new:
        if len(cut) > 1:
            yield "Both are needed." if len(cut) == 2 else f"All {len(cut)} are needed."
    else:
        enough = f"Of these, {len(cut)} suffice, and no fewer"
        if len(cut) == 1:
            enough = "One of these suffices"
        alone = ""
        if cut.verdict != explanation.verdict:
            are = "it is" if len(cut) == 1 else "they are"
            alone = f"; without the others {are} {SAID[cut.verdict]}"
        yield from wrapped(f"{enough}{alone}:")
        yield from _table(explanation, cut.units, None, words=words)
        only = f", with only {'this' if len(cut) == 1 else 'these'} added"
    yield f"A shortest violating trace{only}:"
    yield from trace_lines(trace, words)


def _violation_lines(
    explanation: Explanation, words: Words, *, everything: bool
) -> Iterator[str]:
    """All that breaks, each with its run; that of the first is there already."""
    traces, shown = explanation.violations, explanation.trace
    assert shown is not None
    others = [t for t in traces or () if t.violated != shown.violated]
    if others:
        yield ""
        yield f"With all of these added, {actor('E', words)} also violates:"
    for trace in others:
        if everything:
            yield from trace_lines(trace, words)
        else:
            yield from wrapped(f"  {violated(trace, words)}: {run_line(trace, words)}")


def _blocked_lines(
    explanation: Explanation, words: Words, *, everything: bool
) -> Iterator[str]:
    """What E blocks: that is what makes it safe, and it may not be so."""
    who, offering = (actor(role, words) for role in "EC")
    for one in explanation.blocked or ():
        yield ""
        yield from wrapped(
            f"Safe only because {who} never does the following, which {offering} "
            f"would allow: {blocked_action(one, words)}. This action would violate "
            f"{violated(one.trace, words)}"
        )
        if everything:
            yield from trace_lines(one.run, words)
        else:
            yield from wrapped(f"  reached by: {run_line(one.run, words)}")
    if explanation.refused:
        most = len(explanation.refused) if everything else MOST_REFUSED
        named = [blocked_action(one, words) for one in explanation.refused[:most]]
        if (more := len(explanation.refused) - most) > 0:
            named.append(f"{more:,} more")
        yield ""
        yield from wrapped(
            f"Safe, like the plan, only because {who} never does the following, which "
            f"{offering} would allow (symrob summary shows the traces): "
            f"{'; '.join(named)}"
        )


def _tolerated_lines(explanation: Explanation, most: int | None) -> Iterator[str]:
    addable, excluded = explanation.addable, explanation.excluded
    these = "it" if len(explanation.new) == 1 else "them"
    noun = explanation.about.noun
    if addable is not None and excluded is not None:
        yield ""
        yield (
            f"Tolerated together with {these}, one at a time: "
            f"{plural(len(addable), noun)}"
        )
        yield from _table(explanation, list(addable), most)
        yield (
            f"Individually tolerated, but not together with {these}: "
            f"{plural(len(excluded), noun)}"
        )
        yield from _table(explanation, list(excluded), most)
    yield from _deviation_lines(explanation, most)
    if explanation.status != "complete":
        yield ""
        yield f"Incomplete ({explanation.reason}); the verdict holds"


def _deviation_lines(explanation: Explanation, most: int | None) -> Iterator[str]:
    found, about = explanation.deviations, explanation.about
    if not found:
        return
    yield ""
    kind = "set" if about.units is not None else "deviation"
    count = plural(len(found), f"maximal {kind}")
    if explanation.more:
        yield f"Part of more than {count}; --limit N shows N of them"
    elif explanation.more is None:
        yield f"Part of at least {count}"
    else:
        yield f"Part of {count}"
    for one in found:
        # Without a number: theirs in Δ, by which other commands ask, is not known.
        besides = units_in(one) - explanation.new
        size = plural(len(one if about.units is None else units_in(one)), about.noun)
        given = "the given one" if len(explanation.new) == 1 else "those given"
        yield f"One with {size}, which adds {len(besides):,} besides {given}"
        yield from _table(explanation, besides, most)


def _text(answer: Explanation, view: View) -> Iterator[str]:
    title, words = view.session.title, view.session.words
    yield from explanation_lines(answer, title, words, everything=view.everything)


FORMS: Mapping[str, Form] = {"text": _text}
