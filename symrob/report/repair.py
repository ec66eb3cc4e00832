"""A repair as text: the guards, their cost and their benefit.

In:  an `Answer`.
Out: lines of text.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from symrob.analyses.compare import Unassumed
from symrob.analyses.progress import LostGoal
from symrob.errors import Diagnostic, enumerated
from symrob.formats import write
from symrob.formats.fspfile import FspText
from symrob.lts import Action
from symrob.problem.goals import Goal
from symrob.questions.question import View
from symrob.repair.answer import Answer
from symrob.repair.forced import Forced
from symrob.repair.losses import Losses
from symrob.repair.observable import Observable
from symrob.repair.possible import all_that_is_asked
from symrob.repair.repair import Repair
from symrob.repair.suggest import Suggestions
from symrob.repair.worth import Worth
from symrob.report.guardpicture import front_svg, guard_pictures
from symrob.report.guards import guards_lines
from symrob.report.output_formats import Form, saved
from symrob.report.progress import first_run, goal_names, impossible, lost_lines
from symrob.report.run import run_line, trace_lines
from symrob.report.suggest import suggestion_lines
from symrob.report.svg import drawn
from symrob.report.text import (
    WIDEST,
    budget_lines,
    limited,
    plural,
    printable,
    transition_lines,
    wrapped,
)
from symrob.report.units import labels
from symrob.words import PLAIN, Words

# Lines of transitions that are shown of what must be tolerated.
MOST_LINES = 6

SAID = {
    "equal": "exactly as robust as C",
    "more": "strictly more robust than C",
    "less": "strictly less robust than C",
    "incomparable": "incomparable with C: each tolerates a deviation that the other "
    "does not",
    "unknown": "possibly more robust than C (unknown)",
}


def answer_lines(
    answer: Answer, words: Words = PLAIN, *, everything: bool = False
) -> Iterator[str]:
    """Yield the complete answer.

    Args:
        answer: The answer to report.
        words: Words for names.
        everything: Print long lists in full, and traces step by step.
    """
    repair = answer.repair
    yield from _tolerated_lines(repair, everything=everything)
    yield ""
    if repair.guards is None:
        assert repair.forced is not None
        yield from _forced_lines(repair.forced, words)
    elif repair.needless:
        yield "No change is needed: C already tolerates the required deviations."
    elif answer.plan_lost:
        yield from _plan_lines(answer, words)
    else:
        assert answer.worth is not None
        yield from _useless_lines(answer.worth, words, everything=everything)
        yield from guards_lines(repair.guards, words)
        yield from _observable_lines(answer.observable)
        yield ""
        yield from _worth_lines(repair, answer.worth, words, everything)
    if answer.had:
        yield ""
        yield from _had_lines(answer, words, everything=everything)


def controllable_lines(actions: Iterable[Action], *, assumed: bool) -> Iterator[str]:
    """Yield the actions that may be disabled, and whether this is assumed."""
    names = ", ".join(map(printable, sorted(actions))) or "nothing"
    yield from wrapped(f"May be disabled: {names}", WIDEST)
    if assumed:
        yield (
            "  (assumed: the actions of C that E does not share; specify them as "
            "`controllable` in the case)"
        )


def _tolerated_lines(repair: Repair, *, everything: bool) -> Iterator[str]:
    """What must be tolerated."""
    if len(repair.deviations) > 1:
        sizes = ", ".join(f"{len(d):,}" for d in repair.deviations[:MOST_LINES])
        more = ", …" if len(repair.deviations) > MOST_LINES else ""
        yield from wrapped(
            f"Required: each of {len(repair.deviations):,} maximal deviations "
            f"within the assumptions, with {sizes}{more} new transitions"
        )
        return
    (deviation,) = repair.deviations
    count = plural(len(deviation), "transition")
    if deviation.modes:
        names = ", ".join(map(printable, deviation.modes))
        yield from wrapped(f"Required: {names} ({count})", WIDEST)
        return
    if repair.everything:
        restricted = repair.engine.problem.among is not None
        which = "all candidates" if restricted else "all that E lacks"
        yield f"Required: {count}, {which}"
        return
    yield f"Required: {count}"
    lines = transition_lines(repair.engine.problem.environment, deviation, frozenset())
    most = None if everything else MOST_LINES
    yield from (f"  {line}" for line in limited(lines, most))


def _forced_lines(forced: Forced, words: Words) -> Iterator[str]:
    """Why nothing can be done, and what else would have to give."""
    yield "No repair exists: no choice of disabled actions prevents this trace."
    yield from trace_lines(forced.trace, words)
    before = forced.trace.start
    for step in forced.trace.steps:
        if step.added:
            names = map(printable, (before.environment, step.action, step.environment))
            yield f"Its first added transition: {', '.join(names)}"
            break
        before = step
    if not forced.further:
        yield "Disabling other actions of C would not help."
        return
    yield "A repair exists if C may also disable (fewest first):"
    for actions in forced.further:
        yield from wrapped(f"  {', '.join(map(printable, actions))}", WIDEST)
    if forced.more:
        yield "  … and others"


def _plan_lines(answer: Answer, words: Words) -> Iterator[str]:
    """Why the plan cannot be kept."""
    assert answer.worth is not None
    assert answer.worth.lost is not None
    yield "No repair keeps the plan. Every repair loses this trace:"
    run = answer.worth.lost.run
    assert run is not None
    yield from trace_lines(replace(run, violated=""), words)


def _useless_lines(worth: Worth, words: Words, *, everything: bool) -> Iterator[str]:
    """That C' loses a goal of the plan, if it does."""
    if not worth.goals:
        return
    names = goal_names(one.goal for one in worth.goals)
    text = f"No useful repair: with C', the plan loses {names}"
    if everything:
        yield from wrapped(text, WIDEST)
        yield from lost_lines("with C'", worth.goals, words, everything=True)
    else:
        first = first_run(worth.goals, words)
        yield from wrapped(f"{text}; {impossible(first)}", WIDEST)


def _observable_lines(found: Observable | None) -> Iterator[str]:
    """What C would have to observe, where the guard is no proper one."""
    if found is None or not found.tried:
        return
    disabled = enumerated([*map(printable, found.always)], len(found.always))
    helping = found.actions or found.together
    names = ", ".join(map(printable, helping))
    one = "one of these actions of E" if len(helping) > 1 else "this action of E"
    which = "these actions of E together" if found.together else one
    if helping:
        yield from wrapped(
            f"A guard that does not always disable {disabled} exists if C also "
            f"observes {which}: {names}",
            WIDEST,
        )
    elif found.complete:
        yield from wrapped(
            f"Observing more actions of E does not help: {disabled} must still always "
            "be disabled",
            WIDEST,
        )
    if not found.complete:
        yield f"  (only {plural(found.tried, 'single action')} tried)"


def _worth_lines(
    repair: Repair, worth: Worth, words: Words, everything: bool
) -> Iterator[str]:
    yield from _lost_lines(worth, words, everything)
    yield ""
    yield from _won_lines(repair, worth)
    if worth.checked:
        yield "Checked state by state: the model of C' satisfies every property."
    else:
        yield "Not checked state by state: C' has too many states for that."


def _lost_lines(worth: Worth, words: Words, everything: bool) -> Iterator[str]:
    """What is lost of the plan, and with what must be tolerated."""
    if worth.lost is None:
        yield f"Lost: unknown ({worth.reason})"
        return
    if worth.lost.nothing:
        yield "Lost: nothing; C' keeps every trace of the plan."
    else:
        yield "Lost: a part of the plan; a shortest lost trace:"
        yield from _refused(worth.lost, words, everything)
        yield from _halts(worth.lost, words)
    if not worth.goals:
        where = "with C' and the required deviations"
        yield from lost_lines(where, _with_deviations(worth), words)
    with_them = [found for found in worth.lost_with or () if found.run is not None]
    if with_them:
        shortest = min(with_them, key=lambda f: len(f.run.steps) if f.run else 0)
        yield "With the required deviations, C' blocks the last step of this trace:"
        yield from _refused(shortest, words, everything)
        for found in with_them if everything else [shortest]:
            yield from _halts(found, words)


def _with_deviations(worth: Worth) -> list[LostGoal]:
    """The goals that C' loses with some required deviation, each once."""
    found: dict[Goal, LostGoal] = {}
    for several in worth.goals_with or ():
        for one in several:
            found.setdefault(one.goal, one)
    return [*found.values()]


def _refused(lost: Losses, words: Words, everything: bool) -> Iterator[str]:
    assert lost.run is not None
    run = replace(lost.run, violated="")
    if everything:
        yield from trace_lines(run, words)
    else:
        yield from wrapped(f"  {run_line(run, words)}", WIDEST)


def _halts(lost: Losses, words: Words) -> Iterator[str]:
    if lost.actions:
        names = ", ".join(map(printable, lost.actions))
        yield from wrapped(f"  no longer performed: {names}", WIDEST)
    for name, run in (("deadlock", lost.deadlock), ("livelock", lost.livelock)):
        if run is not None:
            yield from wrapped(f"  new {name} after: {run_line(run, words)}", WIDEST)


def _won_lines(repair: Repair, worth: Worth) -> Iterator[str]:
    """How C' compares with C, and what else it tolerates."""
    comparison = worth.comparison
    if comparison is None:
        yield f"Gained: unknown ({worth.reason})"
        return
    if not repair.engine.constraints:
        yield f"Gained: C' is {SAID[comparison.verdict]}."
    else:
        yield f"Gained: within the assumptions, C' is {SAID[comparison.verdict]}."
        yield from _without(worth.without)
    about, first = comparison.about, comparison.first
    if about.units is not None and first.alone:
        names = ", ".join(map(printable, labels(about, first.alone)))
        yield from wrapped(f"  fault modes individually tolerated only by C': {names}")
    elif first.alone:
        beyond = set(first.alone).difference(*repair.deviations)
        more = f", {len(beyond):,} of them not required" if beyond else ""
        yield (
            f"  individually tolerated by C' but not by C: "
            f"{plural(len(first.alone), about.noun)}{more}"
        )
    elif about.units is not None and first.witness is not None:
        names = " and ".join(map(printable, labels(about, first.witness.units)))
        yield from wrapped(f"  a smallest set tolerated only by C': {names}")


def _without(without: Unassumed | None) -> Iterator[str]:
    if without is not None:
        reason = f" ({without.reason})" if without.verdict == "unknown" else ""
        yield f"  Without them, C' is {SAID[without.verdict]}{reason}."


def _had_lines(answer: Answer, words: Words, *, everything: bool) -> Iterator[str]:
    """The maximal sets that some restriction tolerates."""
    keeps = " that keeps the plan" if answer.keep_plan else ""
    yield f"Feasible, each with some guard{keeps}: maximal sets within the assumptions"
    environment = answer.repair.engine.problem.environment
    everywhere = all_that_is_asked(answer.repair.engine)
    most = None if everything else MOST_LINES
    for number, repair in enumerate(answer.had, 1):
        (deviation,) = repair.deviations
        left = everywhere - deviation
        count = plural(len(deviation), "transition")
        shown, what = frozenset(deviation), count
        if len(left) < len(deviation):
            shown, what = left, f"{count}, all that E lacks except {len(left):,}:"
        if deviation.modes is not None:
            names = ", ".join(map(printable, deviation.modes)) or "nothing"
            yield from wrapped(f"Set {number}: {names}", WIDEST)
            shown = frozenset()
        else:
            yield f"Set {number}: {what}"
        lines = transition_lines(environment, shown, frozenset())
        yield from (f"    {line}" for line in limited(lines, most, where="--all"))
        assert repair.guards is not None
        if repair.needless:
            yield "  needs no guard"
        else:
            yield from (f"  {line}" for line in guards_lines(repair.guards, words))
    if answer.more:
        yield "… more sets; --limit N shows N of them"


def _text(answer: Answer | Suggestions, view: View) -> Iterator[str]:
    words, everything = view.session.words, view.everything
    if view.session.title:
        yield printable(view.session.title)
    allowed = answer.controllable
    yield from controllable_lines(allowed, assumed=answer.assumed)
    if answer.about is not None:
        yield from budget_lines(answer.about.budget)
    if isinstance(answer, Suggestions):
        engine = view.session.engine
        yield from suggestion_lines(answer, engine, words, everything=everything)
    else:
        yield from answer_lines(answer, words, everything=everything)


_KEPT = "sentences about states require these names; a .json file keeps the old names"


def save(answer: Answer | Suggestions, view: View) -> Iterator[str | Diagnostic]:
    """Write C with its guard, or pictures of it, to the given files.

    Yields:
        What was written, and what a format cannot express.
    """
    for path in view.question.out or ():
        suffix = os.path.splitext(path)[1].lower()
        if isinstance(answer, Suggestions):
            picture = front_svg(answer, view.session.title or "Guards")
            yield saved(picture, path, "picture")
        elif answer.repair.guards is None:
            continue
        elif suffix in (".svg", ".dot"):
            picture = drawn(
                guard_pictures(answer.repair),
                suffix[1:],
                title=view.session.title,
                max_edges=view.bounds.get("max_edges"),
                max_pictures=view.bounds.get("max_pictures"),
                words=view.session.words,
            )
            yield saved(picture, path, "picture")
        elif suffix == ".json":
            yield from write(answer.repair.controller, path)
        else:
            written = FspText(answer.repair.controller, "REPAIRED")
            text = "".join(f"{line}\n" for line in written.lines())
            yield saved(text, path, "C with its guard")
            for message in written.lost():
                yield Diagnostic("fsp-loss", message, "warning", hint=_KEPT)


FORMS: Mapping[str, Form] = {"text": _text}
