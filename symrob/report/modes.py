"""Fault modes as text and for programs: Δ, a summary; what all answers in modes share.

In:  a `SafetyEnvelope`, a `PartsEnvelope` or a `ModeSummary`.
Out: lines of text, or dictionaries for `json.dumps`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Any

from symrob.analyses.cut import Cut
from symrob.analyses.hazards import SAID, VERDICTS, Blocked
from symrob.analyses.in_modes import InModes
from symrob.analyses.modes import ModeSummary, alone
from symrob.api.mode_result import ModeSet, PartsEnvelope
from symrob.api.result import SafetyEnvelope
from symrob.files.csvtext import csv_line
from symrob.lts.deviation import Deviation
from symrob.lts.masks import bits
from symrob.report.json import problem_dict, versions
from symrob.report.legend import legend_lines
from symrob.report.run import run_line
from symrob.report.story import blocked_rows, refused_lines
from symrob.report.text import folded, limited, plural, printable, wrapped
from symrob.words import PLAIN, Words

SUMMARY_SCHEMA = "symrob/summary-modes/1"
MODE = "fault mode"
# Of what a mode holds; of overlaps; and modes that are judged before Δ.
_MOST_HELD = 20
_MOST_OVERLAPS = 5
_MOST_JUDGED = 300
_MOST_NAMES = 40


def head_lines(modes: InModes, title: str, *, details: bool) -> Iterator[str]:
    """Yield what is asked about: E, the modes, and with `details` what they hold."""
    units, whole = modes.units, modes.whole
    if title:
        yield printable(title)
    parts = ""
    if units.network is not None:
        parts = plural(len(units.network.components), "component")
    if whole is None:
        apart = plural(len(modes.engines), "independent part")
        size = f"{parts} in {apart}, not multiplied out"
    else:
        environment = whole.environment
        known = (
            plural(environment.size, "state"),
            plural(len(environment.alphabet), "action"),
        )
        size = ", ".join(filter(None, (parts, *known)))
    yield f"Environment: {size}; {plural(len(units), MODE)} could happen"
    if details:
        for mode in units.modes:
            yield from _held_lines(modes, mode.name)
    overlaps = list(units.overlaps())
    for one, other, count in overlaps[: None if details else _MOST_OVERLAPS]:
        what = plural(count, "transition")
        yield printable(f"  {one} and {other} have {what} in common")
    if not details and len(overlaps) > _MOST_OVERLAPS:
        more = len(overlaps) - _MOST_OVERLAPS
        yield f"  and {more:,} more pairs have some in common (--details)"


def _held_lines(modes: InModes, name: str) -> Iterator[str]:
    """What one mode holds."""
    units = modes.units
    mode = units.modes[units.numbers[name]]
    yield printable(f"  {name}")
    lines: list[str] = []
    if units.network is not None:
        for i, q, a, r in sorted(mode.local):
            part = units.network.components[i]
            label = units.network.component_names[i]
            shown = f"{part.state_name(q)} --{a}--> {part.state_name(r)}"
            lines.append(f"      {label}: {shown}")
    if modes.whole is not None and (units.network is None or not mode.local):
        environment = modes.whole.environment
        for q, a, r in sorted(mode.transitions):
            shown = f"{environment.state_name(q)} --{a}--> {environment.state_name(r)}"
            lines.append(f"      {shown}")
    if not lines:
        yield "      nothing"
    yield from limited(map(printable, lines), _MOST_HELD, indent="      ", where="json")


def envelope_lines(
    envelope: SafetyEnvelope | PartsEnvelope,
    title: str,
    *,
    preface: bool,
    details: bool,
) -> Iterator[str]:
    """Yield the modes by their verdict, and each maximal set as soon as it is found.

    Args:
        envelope: Δ, computed or yet to be.
        title: What a person calls the case; may be empty.
        preface: Say before the sets what each mode amounts to alone.
        details: Say what each mode holds, and print each set whole.
    """
    asked = in_modes(envelope)
    units = asked.units
    yield from head_lines(asked, title, details=details)
    common = units.all
    if preface and len(units) <= _MOST_JUDGED:
        judged = alone(asked)
        for verdict in VERDICTS[1:]:
            if judged[verdict]:
                yield ""
                head = f"{SAID[verdict].capitalize()} alone: "
                yield from named_lines(head, units.names(judged[verdict]))
        common = judged["tolerated"]
    tolerated = units.names(common)
    found: Iterable[Deviation | ModeSet] = envelope
    for number, deviation in enumerate(found, 1):
        modes = deviation.modes or ()
        yield ""
        head = f"Set {number:,}: {len(modes):,} of {plural(len(units), MODE)}"
        lacking = sorted(set(tolerated) - set(modes))
        if modes and not lacking and not details:
            said = "all" if common == units.all else "all that are tolerated alone"
            yield from named_lines(f"{head}, {said}: ", modes)
        elif len(lacking) < len(modes) and not details:
            rest = "all" if common == units.all else "those tolerated alone"
            yield from named_lines(f"{head}: {rest} without ", lacking)
        else:
            yield from named_lines(f"{head}: ", modes or ("none",))


def in_modes(envelope: SafetyEnvelope | PartsEnvelope) -> InModes:
    """Return the problem of a result that asks about fault modes."""
    if isinstance(envelope, PartsEnvelope):
        return envelope.asked
    return InModes([envelope.engine])


def named_lines(head: str, names: Sequence[str]) -> Iterator[str]:
    """Names behind a head, or below it where they do not fit.

    Those of groups, such as `omission,up`, come by their first part; those of single
    transitions, which hold commas too, one a line.
    """
    shown = [printable(name) for name in names]
    one = head + ", ".join(shown)
    commas = {name.count(",") for name in shown}
    if len(one) <= 100 and (commas <= {0} or len(shown) == 1):
        yield one
        return
    yield head.rstrip()
    if commas <= {0}:
        yield from folded("  ", shown)
    elif commas == {1}:
        for first, group in groupby(shown, lambda name: name.partition(",")[0]):
            yield from folded(f"  {first}: ", (n.partition(",")[2] for n in group))
    else:
        yield from limited((f"  {n}" for n in shown), _MOST_NAMES, where="json")


def mode_legend_lines(modes: InModes, words: Words) -> Iterator[str]:
    """Yield what the names of E that stand in those of modes are in words."""
    if modes.whole is not None:
        names = modes.units.numbers
        used = {part for name in names for part in (name, *name.split(","))}
        yield from legend_lines(modes.whole.environment, words, used)


def verdict_lines(envelope: SafetyEnvelope | PartsEnvelope) -> Iterator[str]:
    """Yield what Δ amounts to, once all of it is there."""
    found = len(envelope)
    every: Iterable[Deviation | ModeSet] = envelope
    most = max((len(d.modes or ()) for d in every), default=0)
    if envelope.as_asked:
        yield (
            f"the largest of Δ: {plural(found, 'maximal set')} of fault modes; "
            f"{envelope.seconds:.3f} s"
        )
        return
    if envelope.status != "complete":
        what = plural(found, "maximal set")
        yield f"Incomplete ({envelope.reason}): {what} of fault modes so far"
        return
    yield (
        f"|Δ| = {found:,}: {plural(found, 'maximal set')} of fault modes, of at most "
        f"{most:,}; {envelope.seconds:.3f} s"
    )


def cut_lines(cut: Cut, words: Words = PLAIN) -> Iterator[str]:
    """Yield a set that hurts: its modes, and its run in a line."""
    yield from named_lines("  ", cut.modes or ())
    broken = printable(words.property(cut.trace.violated))
    yield from wrapped(f"    breaks {broken}: {run_line(cut.trace, words)}")


def summary_lines(
    modes: InModes,
    summary: ModeSummary,
    title: str,
    words: Words = PLAIN,
    *,
    everything: bool = False,
) -> Iterator[str]:
    """Yield the story first, then what becomes of each mode."""
    units = summary.units
    yield from head_lines(modes, title, details=False)
    if summary.cuts:
        yield ""
        first = summary.cuts[0]
        if first.verdict == "assumed-away":
            yield "No set of fault modes is hazardous within the assumptions; without:"
        else:
            yield f"What can hurt soonest ({SAID[first.verdict]}):"
        for cut in summary.cuts:
            yield from cut_lines(cut, words)
    elif summary.status == "complete":
        yield ""
        yield "No set of fault modes is hazardous."
    for verdict in VERDICTS[1:]:
        if summary.alone[verdict]:
            yield ""
            head = f"{SAID[verdict].capitalize()} alone: "
            yield from named_lines(head, units.names(summary.alone[verdict]))
    yield ""
    if summary.always is None:
        tolerated = units.names(summary.alone["tolerated"])
        yield from named_lines("Tolerated alone: ", tolerated or ("none",))
    else:
        always = units.names(summary.always)
        head = "Always tolerated, whatever else is: "
        yield from named_lines(head, always or ("none",))
        if summary.contested:
            contested = units.names(summary.contested)
            head = "Contested, tolerated alone and not with some others: "
            yield from named_lines(head, contested)
    if summary.always is None:
        yield f"More than {summary.sets - 1:,} maximal sets of fault modes"
    elif summary.sets == 1:
        yield "All that is tolerated alone is tolerated together: one maximal set"
    else:
        yield f"{summary.sets:,} maximal sets of fault modes (`compute` lists them)"
    head = (
        "The plan is safe only because E refuses what C offers; else a property would "
    )
    yield from mode_refused_lines(
        f"{head}break:", summary.refused or (), words, everything
    )


def mode_refused_lines(
    head: str, refused: Sequence[Blocked], words: Words, everything: bool
) -> Iterator[str]:
    """Yield what E refuses: each action once, in the first state, unless all is asked.

    States of a composed E are many, and their names long.
    """
    first: dict[str, Blocked] = {}
    for one in refused:
        first.setdefault(one.action, one)
    shown = refused if everything else [*first.values()]
    yield from refused_lines(head, shown, words, everything, with_added=False)
    if others := len(refused) - len(shown):
        yield f"  and {others:,} more in other states (--all)"


def summary_csv(summary: ModeSummary) -> Iterator[str]:
    """Yield a row for each mode as lines of CSV, the heads first."""
    units = summary.units
    yield csv_line(("fault mode", "verdict alone", "always tolerated"))
    for verdict in VERDICTS:
        for m in bits(summary.alone[verdict]):
            always = ""
            if summary.always is not None:
                always = "yes" if summary.always >> m & 1 else "no"
            yield csv_line((units.modes[m].name, verdict, always))


def refused_rows(
    modes: InModes, refused: Sequence[Blocked] | None
) -> list[dict[str, Any]] | None:
    """Return what is refused; in parts the states of E have names and no numbers."""
    if modes.whole is not None or refused is None:
        return blocked_rows(refused)
    return [
        {
            "state": one.engine.environment.state_name(one.state),
            "action": one.action,
            "added": None,
        }
        for one in refused
    ]


def summary_dict(modes: InModes, summary: ModeSummary, title: str) -> dict[str, Any]:
    """Return a summary for programs."""
    units = summary.units

    def names(chosen: int | None) -> list[str] | None:
        return None if chosen is None else list(units.names(chosen))

    return {
        "schema": SUMMARY_SCHEMA,
        "title": title,
        **problem_dict(modes),
        "alone": {verdict: names(summary.alone[verdict]) for verdict in VERDICTS},
        "always": names(summary.always),
        "contested": names(summary.contested),
        "sets": summary.sets,
        "refused": refused_rows(modes, summary.refused),
        "cuts": [
            {"modes": list(cut.modes or ()), "verdict": cut.verdict}
            for cut in summary.cuts
        ],
        "status": summary.status,
        "reason": summary.reason,
        "versions": versions(),
    }
