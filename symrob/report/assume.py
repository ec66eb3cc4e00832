"""The transitions to forbid, and which assumptions matter, as text.

In:  `Assumed`, found on demand; a `Mattering`.
Out: lines of text; files with the repaired plan.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from symrob.analyses.assume import MOST_LISTED, Assumed, Forbidden
from symrob.analyses.assumptions import Assumption, Mattering
from symrob.api.repaired import assumption_of, write_repaired
from symrob.errors import Diagnostic
from symrob.formats import write
from symrob.limits import counted_out
from symrob.questions.question import View
from symrob.report.listed import COUNTED, Listed
from symrob.report.output_formats import Form
from symrob.report.run import actor, run_line, violated
from symrob.report.text import KEPT, plural, printable, wrapped
from symrob.report.units import labels, unit_lines
from symrob.words import Words

# Names, or sets of names, in a line of a summary; actions that are lost.
_MOST = 3
_MOST_ACTIONS = 6


def measured(answer: Forbidden) -> tuple[int, set[str]]:
    """Return the size of an answer, and the forbidden actions."""
    return len(answer), {t.action for t in answer.forbid}


def mattering_lines(
    found: Mattering, words: Words, *, everything: bool = False
) -> Iterator[str]:
    """Yield which assumptions matter: in three lines, or in full.

    Args:
        found: The results.
        words: Words for names.
        everything: Print long lists in full, and the sets that one assumption excludes.
    """
    unknown = f"unknown ({found.reason})" if found.reason else "unknown"
    assumptions = found.assumptions
    nothing = unknown if any(one.effect is None for one in assumptions) else "none"
    yield from wrapped(_sufficient(found, unknown, words, everything))
    idle = [printable(one.name) for one in assumptions if one.effect is False]
    told = _some(idle, everything) or nothing
    yield from wrapped(f"Implied by the other assumptions: {told}")
    alone = [_excluding(one, found.about.noun) for one in assumptions if one.alone]
    told = _some(alone, everything, "; ") or nothing
    yield from wrapped(f"Excluded by one assumption only: {told}")
    if everything:
        for one in assumptions:
            yield from _set_lines(found, one)


def _sufficient(found: Mattering, unknown: str, words: Words, everything: bool) -> str:
    head = "Sufficient assumptions:"
    if found.suffices is None:
        return f"{head} {unknown}"
    if not found.suffices:
        return (
            "The assumptions are not sufficient: some deviations that keep all of them "
            "are hazardous"
        )
    sets = [" and ".join(map(printable, some)) for some in found.sufficient]
    if not sets:
        return f"{head} all together; smaller sets {unknown}"
    if sets == [""]:
        controller = actor("C", words)
        return f"No assumptions are needed: {controller} is safe without them"
    told = _some(sets, everything, "; or ")
    return f"{head} {told}; others {unknown}" if found.reason else f"{head} {told}"


def _some(
    names: Sequence[str], everything: bool, between: str = ", ", most: int = _MOST
) -> str:
    """The first names, and how many there are more."""
    shown = names if everything else names[:most]
    more = [f"{len(names) - len(shown):,} more"] if len(names) > len(shown) else []
    return between.join([*shown, *more])


def _excluding(one: Assumption, noun: str) -> str:
    unsafe = f" ({one.unsafe:,} unsafe)" if one.unsafe else ""
    count = f"{plural(one.alone or 0, noun)}{unsafe}".replace(" ", KEPT)
    return f"{count} by {printable(one.name)}"


def _set_lines(found: Mattering, one: Assumption) -> Iterator[str]:
    """The unsafe sets that one assumption alone excludes."""
    if one.sets:
        yield from wrapped(f"Unsafe, excluded by {printable(one.name)} alone:")
    for units in one.sets:
        yield from wrapped(f"  {'; '.join(map(printable, labels(found.about, units)))}")


def _answer_lines(
    answer: Forbidden,
    number: int,
    words: Words,
    told: dict[str, int],
    everything: bool,
) -> Iterator[str]:
    """An answer, why each of its units is needed, and what is lost.

    A trace that stands below an earlier answer is not told again; `told` knows where.
    """
    about = answer.plan.about
    yield ""
    yield f"Answer {number:,}: forbid {plural(len(answer), _noun(answer))}"
    yield from (f"  {line}" for line in unit_lines(about, answer.units))
    for needed in answer.needed:
        (name,) = labels(about, (needed.unit,))
        head = f"with {printable(name)} allowed" if len(answer) > 1 else "otherwise"
        run = run_line(needed.trace, words)
        broken = violated(needed.trace, words)
        if told.setdefault(run, number) < number:
            run = f"the trace of answer {told[run]:,}"
        yield from wrapped(f"  {head}, the plan violates {broken}: {run}")
    yield from _lost_lines(answer, words, everything)


def _lost_lines(answer: Forbidden, words: Words, everything: bool) -> Iterator[str]:
    lost = answer.lost
    if lost.run is None:
        yield "  lost traces: only those that violate a property"
    else:
        yield from wrapped(f"  a shortest lost trace: {run_line(lost.run, words)}")
    if lost.actions:
        names = [printable(words.action(action)) for action in lost.actions]
        shown = _some(names, everything, most=_MOST_ACTIONS)
        yield from wrapped(f"  no longer performed: {shown}")
    if lost.deadlock is not None:
        after = f"after: {run_line(lost.deadlock, words)}"
        where = after if lost.deadlock.steps else "in the initial state"
        yield from wrapped(f"  new deadlock {where}")


def _noun(answer: Forbidden) -> str:
    """What a unit is called."""
    units = answer.plan.about.units
    if units is None:
        return "transition"
    if units.network is None:
        return "action"
    single = all(len(mode.local) == 1 for mode in units.modes)
    return "component transition" if single else "component action"


def _text(answer: Assumed, view: View) -> Iterator[str]:
    session = view.session
    if session.title:
        yield printable(session.title)
    most = None if view.everything else session.options.limit or MOST_LISTED
    listed = Listed(answer, most, answer.clock, measured)
    told: dict[str, int] = {}
    for number, one in enumerate(listed, 1):
        if one.forbid:
            yield from _answer_lines(one, number, session.words, told, view.everything)
    yield from listed.lines("answer", "size")
    yield from _end_lines(answer, listed.shown + listed.left, view)


def _end_lines(answer: Assumed, count: int, view: View) -> Iterator[str]:
    if answer.safe:
        yield "The plan is safe: no transition has to be forbidden."
        if answer.mattering is not None:
            words = view.session.words
            yield from mattering_lines(answer.mattering, words, everything=True)
        return
    yield ""
    if counted_out(answer.status, answer.clock):
        yield f"{COUNTED}; found so far:"
    elif answer.status != "complete":
        yield f"Incomplete ({answer.reason}); so far:"
    found = plural(count, "minimal set")
    yield f"{found} to forbid; assumptions not considered; {answer.seconds:.3f} s"


def save(answer: Assumed, view: View) -> Iterable[str | Diagnostic]:
    """Write the repaired plans and assumptions to the given files.

    Yields:
        What was written, and what the files lack.
    """
    session, first = view.session, answer.first
    limits = session.options.limits
    for paths, plans in ((view.question.out, True), (view.question.monitor, False)):
        for number, path in enumerate(paths or ()):
            if number >= len(first):
                are = "is" if len(first) == 1 else "are"
                message = f"{path} is not written: there {are} "
                message += plural(len(first), "answer")
                yield Diagnostic("assume-out", message, severity="warning")
            elif plans:
                yield from write_repaired(
                    first[number], session.case, session.roles, path, limits
                )
                yield f"repaired plan written to {path}"
                if first[number].lost.deadlock is not None:
                    message = f"{path}: this plan can deadlock where the given one "
                    message += "does not"
                    yield Diagnostic("assume-deadlock", message, severity="warning")
            else:
                monitor = assumption_of(first[number], limits.max_states)
                yield from write(monitor, path)
                yield f"assumption for that plan written to {path}"


FORMS: Mapping[str, Form] = {"text": _text}
