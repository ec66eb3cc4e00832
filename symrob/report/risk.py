"""The risk of a case as text.

In:  an `Assessment`.
Out: lines of text.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice

from symrob.analyses.cut import Cut
from symrob.analyses.space import About
from symrob.lts import Lts
from symrob.problem import Unit
from symrob.questions.question import View
from symrob.questions.risk import Assessed
from symrob.report import faulttree, risktables
from symrob.report.chances import bounds_text, conditional_text, figure
from symrob.report.endings import markdown_endings
from symrob.report.output_formats import Form, Piece
from symrob.report.run import property_in_words, run_line
from symrob.report.text import aligned, budget_lines, folded, plural, printable, wrapped
from symrob.report.units import local_labels
from symrob.risk.answer import MEANING
from symrob.risk.assessment import Assessment
from symrob.risk.bounds import Importance
from symrob.risk.comparison import RiskDifference, compared
from symrob.risk.events import Event, transition_name
from symrob.words import PLAIN, Words

# Sets with their runs, and events, unless all are asked for.
MOST_SETS, MOST_EVENTS, MOST_NAMES = 5, 10, 8
# What a mode adds to components.
MOST_ADDED = 8


def risk_lines(
    risk: Assessment, title: str, words: Words = PLAIN, *, everything: bool = False
) -> Iterator[str]:
    """Yield the probability of the top event, and the contributions to it.

    Args:
        risk: The risk to report.
        title: Human-readable title; may be empty.
        words: Words for names.
        everything: Also the sets and events that a short answer leaves out.
    """
    if title:
        yield printable(title)
    yield _size_line(risk)
    yield from budget_lines(risk.space.about.budget)
    yield from _missing_lines(risk)
    yield ""
    yield from _probability_lines(risk, words)
    yield from _set_lines(risk, words, everything)
    yield from _importance_lines(risk, words, everything)
    yield ""
    yield "Meaning of the numbers"
    for sentence in MEANING:
        yield from wrapped(f"  {sentence}")


def _size_line(risk: Assessment) -> str:
    events = risk.events.events
    modes = sum(event.is_mode for event in events)
    kinds = f" ({plural(modes, 'fault mode')} among them)" if modes else ""
    family = risk.together.family
    so_far = "" if risk.together.is_complete else " so far"
    return (
        f"{plural(len(events), 'event')} with a probability{kinds}; "
        f"{plural(len(family), 'minimal hazardous set')}{so_far}; {risk.seconds:.3f} s"
    )


def _missing_lines(risk: Assessment) -> Iterator[str]:
    """What has no probability, and what has two."""
    events, environment = risk.events, risk.space.about.environment
    if events.missing_modes:
        head = "Fault modes without a probability, treated as impossible: "
        yield from folded(head, map(printable, events.missing_modes))
    if len(events.missing):
        noun = "component transition" if events.of_components else "transition"
        yield (
            f"{plural(len(events.missing), noun)} without a probability, "
            "treated as impossible"
        )
        hurting = risk.missing_hazards
        if hurting is None:
            yield "  unknown: which of them are individually hazardous"
        elif hurting:
            shown = [
                printable(_unit_name(unit, environment))
                for unit in islice(hurting, MOST_NAMES)
            ]
            more = len(hurting) - len(shown)
            shown += [f"{more:,} more"] if more else []
            yield from folded("  individually hazardous: ", shown)
        else:
            yield "  none of them is individually hazardous"
    for told in events.overlaps:
        yield f"Matched twice: {printable(told)}"
    for told in events.ignored:
        yield f"Ignored: {printable(told)}"


def _unit_name(unit: Unit, environment: Lts | None) -> str:
    if isinstance(unit, str) or environment is None:
        return str(unit)
    return transition_name(unit, environment)


def _probability_lines(risk: Assessment, words: Words) -> Iterator[str]:
    assumed = risk.space.constrained
    yield "Probability that the possible events contain a hazardous set"
    if assumed:
        yield "  (a set that violates a property and keeps the assumptions)"
    rows = []
    if len(risk.parts) > 1:
        rows = [(words.property(p.name), bounds_text(p.bounds)) for p in risk.parts]
        rows.append(("together", bounds_text(risk.together.bounds)))
    else:
        (part,) = risk.parts
        rows.append((words.property(part.name), bounds_text(part.bounds)))
    yield from (f"  {line}" for line in aligned(rows))
    if assumed:
        yield "Probability that the possible events violate a property, given that E"
        yield f"  keeps the assumptions: {conditional_text(risk)}"
        if risk.kept is not None:
            yield f"  E keeps them with probability {figure(risk.kept)}"


def _set_lines(risk: Assessment, words: Words, everything: bool) -> Iterator[str]:
    rows = risk.contributions
    if not rows:
        yield ""
        so_far = "" if risk.together.is_complete else " found so far"
        yield f"No hazardous set of these events{so_far}"
        return
    shown, about = rows if everything else rows[:MOST_SETS], risk.space.about
    yield ""
    yield "The most probable hazardous sets, their share of the total, and a trace"
    for one, chance, share in shown:
        yield f"  {figure(chance)}  {share:.1%}"
        for number in sorted(one):
            classes = ", ".join(map(words.kind, risk.classes_of(number)))
            yield from event_lines(risk.event(number), classes, about, words)
        cut, broken = risk.cut(one), risk.broken(one)
        yield from run_lines(cut, words)
        others = (n for n in broken if n != cut.trace.violated)
        if told := [property_in_words(name, words) for name in others]:
            yield from folded("      also violates: ", told)
    if len(shown) < len(rows):
        yield f"  … {len(rows) - len(shown):,} more; --all lists them"


def event_lines(
    event: Event, classes: str, about: About, words: Words
) -> Iterator[str]:
    """Yield an event of a set: its name, its kind of change, its probability.

    For a fault mode of components, also what it adds to them.
    """
    kind = "fault mode" if event.is_mode else classes
    told = ", ".join(filter(None, (kind, figure(event.chance))))
    if not event.local:
        yield from wrapped(f"    {printable(event.called)}  ({told})")
        return
    added = [*local_labels(event.local, about, words)]
    if not event.is_mode:
        yield from wrapped(f"    {added[0]}  ({told})")
        return
    yield from wrapped(f"    {printable(event.called)}  ({told})")
    more = len(added) - MOST_ADDED
    for line in added[:MOST_ADDED] if more > 1 else added:
        yield from wrapped(f"      {line}")
    if more > 1:
        yield f"      … {more:,} more"


def run_lines(cut: Cut, words: Words) -> Iterator[str]:
    """Yield the properties that a set violates, and a shortest trace, on one line."""
    broken = property_in_words(cut.trace.violated, words)
    yield from wrapped(f"      violates {broken}: {run_line(cut.trace, words)}")


_HEADS = ("probability", "criticality", "Fussell-Vesely", "Birnbaum", "RAW", "RRW")


def _importance_lines(
    risk: Assessment, words: Words, everything: bool
) -> Iterator[str]:
    ranked = risk.ranked
    if not ranked:
        return
    shown = ranked if everything else ranked[:MOST_EVENTS]
    known = risk.tree.is_whole and risk.together.is_complete
    so_far = "" if known else ", as far as known"
    yield ""
    yield f"Importance of each event{so_far}"
    rows: list[Sequence[str]] = [("event", *_HEADS)]
    for number in shown:
        event = risk.event(number)
        cells = _cells(risk.importance([number]))
        rows.append((event.called, figure(event.chance), *cells))
    yield from (f"  {line}" for line in aligned(rows, right_from=1))
    if len(shown) < len(ranked):
        yield f"  … {len(ranked) - len(shown):,} more; --all lists them"
    if not risk.classes:
        return
    yield ""
    yield f"Importance of each class, all its events together{so_far}"
    rows = [("class", "events", *_HEADS[1:])]
    for name, numbers in risk.classes.items():
        cells = _cells(risk.importance(numbers))
        rows.append((words.kind(name), f"{len(numbers):,}", *cells))
    yield from (f"  {line}" for line in aligned(rows, right_from=1))


def _cells(importance: Importance | None) -> tuple[str, ...]:
    if importance is None:
        return ("?",) * 5
    vesely = importance.fussell_vesely
    return (
        figure(importance.criticality),
        "?" if vesely is None else figure(vesely),
        figure(importance.birnbaum),
        figure(importance.raw),
        figure(importance.rrw),
    )


def change_lines(change: RiskDifference, names: Sequence[str]) -> Iterator[str]:
    """Yield by how much the second of two designs lowers the risk of the first.

    Args:
        change: The difference.
        names: Display names.
    """
    yield "Probability that the possible events contain a hazardous set, same events"
    rows = [
        (names[0], bounds_text(change.before)),
        (names[1], bounds_text(change.after)),
    ]
    yield from (f"  {line}" for line in aligned(rows))
    yield _factor_line(change)
    for told, chance in (("first", change.gone), ("second", change.come)):
        known = "unknown" if chance is None else figure(chance)
        yield f"  hazardous only in the {told} design: {known}"
    yield ""
    for sentence in MEANING:
        yield from wrapped(f"  {sentence}")


def _factor_line(change: RiskDifference) -> str:
    if change.factor is None:
        if change.after.is_exact and change.before.lower > 0:
            return "  the second design lowers it to 0"
        return "  factor: unknown"
    least, most = change.factor
    if least > 1:
        return f"  the second design lowers it by a factor of {_range(least, most)}"
    if most < 1:
        factor = _range(1 / most, 1 / least)
        return f"  the second design raises it by a factor of {factor}"
    if least == most == 1:
        return "  the second design neither lowers nor raises it"
    return "  unknown within the bounds: whether the second design lowers or raises it"


def _range(least: float, most: float) -> str:
    same = figure(least) == figure(most)
    return figure(least) if same else f"{figure(least)} to {figure(most)}"


def _text(answer: Assessed, view: View) -> Iterator[str]:
    if len(answer.assessed) == 2:
        yield from change_lines(compared(*answer.assessed), answer.names)
        return
    title, words = view.session.title, view.session.words
    (risk,) = answer.assessed
    yield from risk_lines(risk, title, words, everything=view.everything)


def _tree(form: str) -> Form:
    def tree(answer: Assessed, view: View) -> Iterator[str]:
        (risk,) = answer.assessed
        text = faulttree.WRITERS[form](risk, view.session.title, view.session.words)
        yield Piece(faulttree.drawn(text, risk) if form == "svg" else text)

    return tree


def _table(form: str) -> Form:
    def table(answer: Assessed, view: View) -> Iterator[str]:
        if len(answer.assessed) == 2:
            change = compared(*answer.assessed)
            yield Piece(risktables.change_table(change, answer.names, form))
            return
        (risk,) = answer.assessed
        title, words = view.session.title, view.session.words
        yield Piece(risktables.written(risk, form, title, words))
        if form == "markdown":
            yield from markdown_endings(view.session)

    return table


FORMS: Mapping[str, Form] = {
    "text": _text,
    **{form: _tree(form) for form in ("openpsa", "galileo", "dot", "svg")},
    **{form: _table(form) for form in ("csv", "csv-sets", "markdown")},
}
