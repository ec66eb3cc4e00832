"""Fault modes as text and for programs: Δ, a summary, common parts.

In:  a `SafetyEnvelope` or a `Summary`.
Out: lines of text, or dictionaries for `json.dumps`.
"""

from __future__ import annotations

from collections.abc import Iterator

from symrob.analyses.hazards import Alone
from symrob.analyses.space import About, Maximal, units_in
from symrob.analyses.summary import Summary
from symrob.api.result import SafetyEnvelope
from symrob.files.csvtext import csv_line
from symrob.problem import Many, Units
from symrob.report.listed import Listed
from symrob.report.text import limited, plural, printable
from symrob.report.units import mode_names, named_lines
from symrob.verdicts import SAID, VERDICTS
from symrob.words import Identity

MODE = "fault mode"
# Of what a mode holds; of overlaps.
_MOST_HELD = 20
_MOST_OVERLAPS = 5


def head_lines(about: About, title: str, *, details: bool) -> Iterator[str]:
    """Yield E, the modes, and with `details` their transitions."""
    units, environment = _units(about), about.environment
    if title:
        yield printable(title)
    parts = ""
    if units.network is not None:
        parts = plural(len(units.network.components), "component")
    if environment is None:
        apart = f" in {about.parts} independent parts" if about.parts > 1 else ""
        size = f"{parts}{apart}, product not computed"
    else:
        known = (
            plural(environment.size, "state"),
            plural(len(environment.alphabet), "action"),
        )
        size = ", ".join(filter(None, (parts, *known)))
    yield f"Environment: {size}; {plural(len(units), MODE)} could happen"
    if details:
        for mode in units.modes:
            yield from _held_lines(about, mode.name)
    overlaps = list(units.overlaps())
    for one, other, count in overlaps[: None if details else _MOST_OVERLAPS]:
        what = plural(count, "transition")
        yield printable(f"  {one} and {other} have {what} in common")
    if not details and len(overlaps) > _MOST_OVERLAPS:
        more = plural(len(overlaps) - _MOST_OVERLAPS, "more pair")
        have = "has" if len(overlaps) == _MOST_OVERLAPS + 1 else "have"
        yield f"  and {more} {have} transitions in common (--details)"


def _units(about: About) -> Units:
    assert about.units is not None, "units are fault modes"
    return about.units


def _held_lines(about: About, name: str) -> Iterator[str]:
    """What one mode holds."""
    units, environment = _units(about), about.environment
    mode = units.modes[units.numbers[name]]
    yield printable(f"  {name}")
    lines: list[str] = []
    if units.network is not None:
        for i, q, a, r in sorted(mode.local):
            part = units.network.components[i]
            label = units.network.component_names[i]
            shown = f"{part.state_name(q)} --{a}--> {part.state_name(r)}"
            lines.append(f"      {label}: {shown}")
    if environment is not None and (units.network is None or not mode.local):
        for q, a, r in sorted(mode.transitions):
            shown = f"{environment.state_name(q)} --{a}--> {environment.state_name(r)}"
            lines.append(f"      {shown}")
    if not lines:
        yield "      nothing"
    yield from limited(
        map(printable, lines), _MOST_HELD, indent="      ", where="--format json"
    )


def measured(found: Maximal) -> tuple[int, tuple[str, ...]]:
    """Return the number of modes in a maximal set, and no key for counting."""
    return len(units_in(found)), ()


def envelope_lines(
    envelope: SafetyEnvelope,
    listed: Listed[Maximal],
    title: str,
    *,
    preface: bool,
    details: bool,
) -> Iterator[str]:
    """Yield the modes by their verdict, and each maximal set as soon as it is found.

    Args:
        envelope: Δ, computed or not yet computed.
        listed: The sets that are listed.
        title: Human-readable title; may be empty.
        preface: Print the verdict on each mode before the sets.
        details: Print the transitions of each mode, and each set in full.
    """
    space = envelope.space
    units = _units(space.about)
    yield from head_lines(space.about, title, details=details)
    common = space.all
    judged = envelope.judged if preface else None
    if judged is not None:
        yield from _judged_lines(space.about, judged)
        common = judged.tolerated
    tolerated = sorted(common)
    everything = len(tolerated) == len(units)
    for number, deviation in enumerate(listed, 1):
        modes = deviation.modes or ()
        yield ""
        head = f"Set {number:,}: {len(modes):,} of {plural(len(units), MODE)}"
        lacking = sorted(set(tolerated) - set(modes))
        shown = mode_names(space.about, modes)
        if modes and not lacking and not details:
            said = "all" if everything else "all individually tolerated ones"
            yield from named_lines(f"{head}, {said}: ", shown)
        elif len(lacking) < len(modes) and not details:
            rest = "all" if everything else "all individually tolerated ones"
            rest = f"{head}: {rest} except "
            yield from named_lines(rest, mode_names(space.about, lacking))
        else:
            yield from named_lines(f"{head}: ", shown or ("none",))
    yield from listed.lines("set", "fault modes")


def _judged_lines(about: About, judged: Alone[Many]) -> Iterator[str]:
    """The modes that are not tolerated alone, by their verdict."""
    for verdict, modes in judged.by_verdict().items():
        if verdict != "tolerated" and len(modes):
            yield ""
            head = f"Individually {SAID[verdict]}: "
            yield from named_lines(head, mode_names(about, modes))


def summary_csv(summary: Summary) -> Iterator[str]:
    """Yield a row for each mode as lines of CSV, header first."""
    known = _units(summary.about).identities
    more = Identity._fields if known else ()
    yield csv_line(("fault mode", "individual verdict", "always tolerated", *more))
    for verdict in VERDICTS:
        for name in summary.alone.by_verdict()[verdict]:
            always = ""
            if name not in summary.unknown:
                always = "yes" if name in summary.always else "no"
            identity = (known.get(name) or ("", "")) if known else ()
            yield csv_line((name, verdict, always, *identity))
