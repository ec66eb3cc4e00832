"""The summary as text.

In:  a `Summary`.
Out: lines of text.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, cast

from symrob.analyses.hazards import Alone
from symrob.analyses.space import About
from symrob.analyses.summary import Reason, Summary
from symrob.api.result import SafetyEnvelope
from symrob.envelope.transitions import Candidates
from symrob.errors import enumerated
from symrob.problem import Many
from symrob.questions.question import View
from symrob.report.assume import mattering_lines
from symrob.report.classes import class_csv, class_lines
from symrob.report.hints import notes as notes
from symrob.report.legend import about_legend
from symrob.report.listing import counted_or_listed
from symrob.report.modes import summary_csv as mode_csv
from symrob.report.output_formats import Form
from symrob.report.progress import side_lines
from symrob.report.run import property_called, property_named
from symrob.report.story import is_harmless, story_lines
from symrob.report.text import (
    KEPT,
    NEVER_MARK,
    limited,
    plural,
    printable,
    with_vacuous,
    wrapped,
)
from symrob.report.units import candidates
from symrob.words import PLAIN, Words, base_name

if TYPE_CHECKING:
    from symrob.analyses.overview import Overview

# Lines of each kind: before the deviations, and in the summary itself.
MOST_BEFORE = 12
MOST_LINES = 40


def summary_lines(
    found: Overview,
    words: Words = PLAIN,
    *,
    everything: bool = False,
    in_haste: bool = False,
) -> Iterator[str]:
    """Yield the verdicts, the story, then each kind of unit, as they are known.

    Args:
        found: The classification of each unit.
        words: Words for names.
        everything: Print long lists in full.
        in_haste: Omit which assumptions matter.
    """
    # `compute` has no use for these.
    yield from with_vacuous(verdict_lines(found.about, found.alone), found.space)
    yield from story_lines(found.story, found.about, words, everything=everything)
    if not in_haste and found.mattering is not None:
        yield ""
        yield from mattering_lines(found.mattering, words)
    yield from _worth_lines(found.worth, words)
    summary, alone = found.first, found.worth.alone
    if summary.matrix is not None:
        modal = summary.about.units is not None
        what = "Transitions of fault modes" if modal else "Candidates"
        yield from class_lines(summary.matrix, what, words, everything=everything)
    most = None if everything else MOST_LINES
    yield from _kind_lines(summary, most, "--all", is_harmless(found.story))
    yield from limited(_never_lines(summary, alone, most, words), most, indent="  ")
    yield from about_legend(summary.about, words)


def _kind_lines(
    summary: Summary, most: int | None, where: str, harmless: bool = False
) -> Iterator[str]:
    """What is tolerated, and what never fires of it."""
    together = "not all together"
    if harmless:
        together = "but together they violate an assumption"
    kinds = (
        ("Always tolerated", summary.always),
        (f"Contested (tolerated individually, {together})", summary.contested),
        ("Tolerated individually, unknown whether always", summary.unknown),
    )
    marked = False
    for title, units in kinds:
        if len(units) and not (most == MOST_BEFORE and title == kinds[2][0]):
            yield ""
            yield f"{title}: {len(units):,}"
            lines = list(
                counted_or_listed(summary.about, units, summary.inert, most, where)
            )
            yield from limited(lines, most, indent="  ", where=where)
            marked = marked or any(NEVER_MARK in line for line in lines)
    if marked:
        yield ""
        yield f"{NEVER_MARK} can never fire in any tolerated deviation"


# Reasons that a heading names.
_NAMED = 3


def _never_lines(
    summary: Summary, alone: Alone[Many], most: int | None, words: Words = PLAIN
) -> Iterator[str]:
    """What is not tolerated, what can hurt first, by what it breaks."""
    groups = forbidden_groups(summary)
    for title, part in (
        ("Hazardous", alone.hazardous),
        ("Unsafe, excluded by an assumption", alone.excluded_unsafe),
        ("Safe, excluded by an assumption", alone.excluded_safe),
        ("Excluded by an assumption", alone.undecided),
    ):
        for reasons, units in groups if len(part) else ():
            group = units.within(part)
            if len(group):
                yield ""
                heading = f"{title}: {len(group):,}"
                if summary.reasons:
                    heading += f", violating {_listed(reasons, words)}"
                yield from wrapped(heading)
                yield from counted_or_listed(
                    summary.about, group, summary.inert, most, "--all"
                )


def verdict_lines(
    about: About, alone: Alone[Many], summary: Summary | None = None
) -> Iterator[str]:
    """Yield the number of candidates with each verdict, and of always tolerated."""
    parts: list[tuple[str, Many]] = []
    if summary is not None:
        parts = [
            ("always", summary.always),
            ("contested", summary.contested),
            ("unknown", summary.unknown),
        ]
    kinds = [
        _with_parts(f"{len(alone.tolerated):,} tolerated", *parts),
        f"{len(alone.hazardous):,} hazardous",
    ]
    excluded = (
        len(alone.excluded_unsafe) + len(alone.excluded_safe) + len(alone.undecided)
    )
    if excluded:
        kinds.append(
            _with_parts(
                f"{excluded:,} excluded by assumptions",
                ("unsafe", alone.excluded_unsafe),
                ("safe", alone.excluded_safe),
                ("not judged further", alone.undecided),
            )
        )
    total = sum(map(len, alone.groups().values()))
    # A count and its noun stay together.
    kept = ", ".join(kind.replace(" ", KEPT) for kind in kinds)
    yield from wrapped(f"{candidates(about, total)}: {kept}")


def _worth_lines(summary: Summary, words: Words) -> Iterator[str]:
    """What is not known of those tolerated, what others violate, what never fires."""
    lines = [*_doubt_lines(summary)]
    yield from ("", *lines) if lines else ()
    yield from _reason_lines(summary, words)


def _doubt_lines(summary: Summary) -> Iterator[str]:
    noun = f"tolerated {summary.about.noun}"
    if len(summary.unknown):
        count = plural(len(summary.unknown), noun)
        line = f"Unknown whether always or contested: {count}; {summary.reason}"
        yield from wrapped(line)
    if len(summary.inert):
        yield f"{plural(len(summary.inert), noun)} can never fire"
    if len(summary.inert_unknown):
        count = plural(len(summary.inert_unknown), noun)
        yield f"Unknown: whether {count} can fire"


def _with_parts(total: str, *parts: tuple[str, Many]) -> str:
    """A count with what it consists of: `20 tolerated (12 always, 8 contested)`."""
    shown = [(name, len(many)) for name, many in parts if len(many)]
    match shown:
        case []:
            return total
        case [("always", _)]:
            return total
        case [(name, _)]:
            return f"{total} ({name})"
        case _:
            several = (f"{count:,} {name}" for name, count in shown)
            return f"{total} ({', '.join(several)})"


def sets_of(summary: Summary) -> str:
    """The noun for maximal sets of units."""
    return "deviations" if summary.about.units is None else "sets"


def _reason_lines(summary: Summary, words: Words) -> Iterator[str]:
    """How many break each property, and how many each assumption; not in that both."""
    if not summary.all_reasons:
        return
    properties = [r for r in _joined(summary.reasons) if r.kind != "constraint"]
    if len(properties) > 1:
        alone = summary.alone
        yield ""
        yield "By property:"
        for reason in properties:
            hazardous = len(reason.forbids.within(alone.hazardous))
            away = len(reason.forbids.within(alone.excluded_unsafe))
            excluded = f"; {away:,} unsafe, excluded by an assumption" if away else ""
            told = property_called(reason.name, words)
            yield from wrapped(f"  {hazardous:,} hazardous{excluded}: {told}")


def preface_lines(
    envelope: SafetyEnvelope, *, listed: bool = True
) -> Generator[str, None, Summary]:
    """Yield the lines before the deviations; return quickly available results.

    Args:
        envelope: Δ, computed or not yet computed.
        listed: Whether all tolerated candidates are listed, however many.

    Raises:
        KeyboardInterrupt: The user interrupts.
    """
    summary = envelope.summary(every_reason=False, at_once=True)
    interrupted = summary.status == "interrupted"
    yield ""
    alone = summary.alone if interrupted else envelope.judged
    assert alone is not None, "candidates are judged however many they are"
    yield from verdict_lines(summary.about, alone, summary)
    if interrupted:
        raise KeyboardInterrupt
    if hurting := len(alone.hazardous) + len(alone.excluded_unsafe):
        properties = {base_name(m.name) for m in envelope.engine.problem.properties}
        names = enumerated([*map(printable, sorted(properties))], _NAMED, " or ")
        violate = "violates" if hurting == 1 else "violate"
        noun = summary.about.noun if summary.about.units else "candidate"
        yield from wrapped(f"  {plural(hurting, noun)} {violate} {names}")
    yield from _doubt_lines(summary)
    # Deviations are told by what they have of these, unless some are unknown.
    most = MOST_BEFORE if len(summary.unknown) or not listed else None
    yield from _kind_lines(summary, most, "symrob summary")
    return summary


def forbidden_groups(summary: Summary) -> list[tuple[tuple[Reason, ...], Many]]:
    """Return the never tolerated units, by their reasons.

    Units that the constraints would allow come first, since the controller is under
    analysis; then the largest group.
    """
    groups: dict[tuple[Reason, ...], list[list[int]]] = {}
    joined = _joined(summary.reasons)
    if not joined:
        return [((), summary.never)]
    never = cast("Candidates", summary.never)
    for state, row in enumerate(never.masks):
        for column, mask in enumerate(row):
            for reasons, part in _parts(joined, state, column, mask):
                if reasons not in groups:
                    groups[reasons] = [[0] * len(r) for r in never.masks]
                groups[reasons][state][column] |= part
    found: list[tuple[tuple[Reason, ...], Many]] = [
        (rs, Candidates(never.actions, masks)) for rs, masks in groups.items()
    ]

    def place(group: tuple[tuple[Reason, ...], Many]) -> tuple[int, int, int]:
        reasons, members = group
        by_constraints = sum(reason.kind == "constraint" for reason in reasons)
        rank = 0 if not by_constraints else 1 + (by_constraints == len(reasons))
        return rank, -len(members), len(reasons)

    return sorted(found, key=place)


def _joined(reasons: Iterable[Reason]) -> tuple[Reason, ...]:
    """The reasons, those of the equal components of one property as one."""
    by_name: dict[tuple[str, str], Reason] = {}
    for reason in reasons:
        key = (reason.kind, base_name(reason.name))
        known = by_name.get(key)
        if known is not None:
            reason = replace(known, forbids=known.forbids.union(reason.forbids))
        by_name[key] = reason
    return tuple(by_name.values())


def _parts(
    reasons: tuple[Reason, ...], state: int, column: int, mask: int
) -> list[tuple[tuple[Reason, ...], int]]:
    """Split targets by the reasons that forbid them."""
    parts: list[tuple[tuple[Reason, ...], int]] = [((), mask)] if mask else []
    for reason in reasons:
        theirs = cast("Candidates", reason.forbids).masks[state][column]
        split = [(rs, part & ~theirs) for rs, part in parts]
        split += [((*rs, reason), part & theirs) for rs, part in parts]
        parts = [(rs, part) for rs, part in split if part]
    return parts


def _listed(reasons: Iterable[Reason], words: Words) -> str:
    # What can hurt before what is only assumed.
    ordered = sorted(reasons, key=lambda r: r.kind == "constraint")
    names = [property_named(r.name, words) for r in ordered]
    named = enumerated([*map(printable, names)], _NAMED)
    return named or "an unknown property or assumption"


def _text(answer: Overview, view: View) -> Iterator[str]:
    if view.session.title:
        yield printable(view.session.title)
    words, everything = view.session.words, view.everything
    yield from summary_lines(answer, words, everything=everything)
    side = answer.final.side_report
    assert side is not None, "the whole answer has it"
    lines = list(side_lines(side, words, details=everything))
    yield from ("", *lines) if lines else ()


def _page(answer: Overview, view: View) -> Iterator[str]:
    """What can be said in the time that a page has."""
    yield from summary_lines(answer, view.session.words, in_haste=True)


def _csv(answer: Overview, _view: View) -> Iterator[str]:
    matrix, modal = answer.first.matrix, answer.first.about.units is not None
    yield from mode_csv(answer.first) if modal or matrix is None else class_csv(matrix)


FORMS: Mapping[str, Form] = {"text": _text, "csv": _csv, "page": _page}
