"""The safety envelope as text, as it is found: the common part, then the differences.

In:  a `SafetyEnvelope`, computed or not yet computed.
Out: lines of text.

Each maximal deviation contains all always tolerated candidates, and some contested
ones. So if both are known before the first deviation, only the latter part is printed,
or its complement. Deviations with the same firing transitions cannot be distinguished
by running E and C, and those with which E behaves the same cannot be distinguished by C
and P; only the first of them is printed.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Mapping, Sequence, Set
from itertools import chain

from symrob.analyses.groups import Groups
from symrob.analyses.summary import Summary
from symrob.api.result import SafetyEnvelope
from symrob.errors import enumerated
from symrob.limits import Stages
from symrob.lts import Lts, Transition
from symrob.lts.deviation import Deviation
from symrob.lts.masks import mask_of
from symrob.report.listed import Listed
from symrob.report.summary import preface_lines
from symrob.report.text import (
    NEVER_MARK,
    deviation_lines,
    heading_lines,
    limited,
    plural,
    transition_lines,
    wrapped,
)

# This many of those that others stand for are told, and this many lines about them.
_MOST_NUMBERS = 8
_MOST_ALIKE = 1000
_MOST_LINES = 20


def measured(deviation: Deviation) -> tuple[int, set[str]]:
    """Return the number of transitions that a deviation adds, and their actions."""
    return len(deviation.new), {t.action for t in deviation.new}


def envelope_lines(
    envelope: SafetyEnvelope,
    listed: Listed[Deviation],
    title: str,
    *,
    preface: bool,
    details: bool,
) -> Iterator[str]:
    """Yield E and each deviation as soon as it is found.

    Args:
        envelope: Δ, computed or not yet computed.
        listed: The deviations that are listed.
        title: Human-readable title; may be empty.
        preface: Print the verdict on each transition before the deviations.
        details: Print each deviation in full.
    """
    environment = envelope.environment
    yield from heading_lines(envelope, title)
    for line in transition_lines(environment, environment.transitions, frozenset()):
        yield f"  {line}"
    summary = None
    if preface:
        summary = yield from preface_lines(envelope)
    if details or summary is None:
        yield from _whole_lines(envelope, listed)
    else:
        yield from _short_lines(envelope, listed, summary)
    yield from listed.lines("deviation", "new transitions")


def _whole_lines(envelope: SafetyEnvelope, listed: Listed[Deviation]) -> Iterator[str]:
    marked = False
    for number, deviation in enumerate(listed, 1):
        yield ""
        never = envelope.never_firing(deviation)
        marked = marked or not never.isdisjoint(deviation.new)
        yield from deviation_lines(envelope.environment, deviation, number, never)
    yield from _mark_lines(marked=marked)


def _short_lines(
    envelope: SafetyEnvelope, listed: Listed[Deviation], summary: Summary
) -> Iterator[str]:
    environment = envelope.environment
    # Where something is unknown, nobody has said yet what all of them share.
    known = not len(summary.unknown)
    contested = frozenset(summary.contested)
    alone = chain(summary.always, summary.contested, summary.unknown)
    if known and contested:
        yield ""
        yield from _how_to_read(summary)
    # By the bits of what fires: sets of this many deviations would take more memory.
    place: dict[Transition, int] = {}
    groups = Groups(envelope.engine)
    # The one that was printed for what fires, and for what C and P see.
    firing: dict[int, int] = {}
    seen: dict[int, int] = {}
    alike: dict[int, array[int]] = {}
    marked = told = False
    for number, deviation in enumerate(listed, 1):
        never = envelope.never_firing(deviation)
        # Where there is one; so many could be tolerated that only this takes long.
        place = place or {t: n for n, t in enumerate(alone)}
        fires = mask_of([place[t] for t in deviation.new - never])
        if fires not in firing:
            # One that takes too long stands apart: the search ends then, and tells why.
            with Stages(envelope.engine.clock):
                firing[fires] = seen.setdefault(groups.of(deviation), number)
            firing.setdefault(fires, number)
            told = told or firing[fires] != number
        if firing[fires] != number:
            alike.setdefault(firing[fires], array("Q")).append(number)
            # It takes no room in the list, but not so for ever.
            listed.shown -= number < _MOST_ALIKE
            continue
        yield ""
        if known and deviation.new:
            lines = list(_part_lines(environment, deviation, number, contested, never))
        else:
            lines = list(deviation_lines(environment, deviation, number, never))
        marked = marked or any(NEVER_MARK in line for line in lines[1:])
        yield from lines
    yield from _mark_lines(marked=marked)
    how = "only in transitions that can never fire"
    yield from _alike_lines(alike, how + ", or that neither C nor P observes" * told)


def _how_to_read(summary: Summary) -> Iterator[str]:
    some = "the contested ones listed under 'with', or all contested ones but those"
    if len(summary.always):
        told = "every transition that is always tolerated. It also adds " + some
    else:
        told = some
    yield from wrapped(f"Each deviation adds {told} listed under 'without'.")


def _part_lines(
    environment: Lts,
    deviation: Deviation,
    number: int,
    contested: frozenset[Transition],
    never: Set[Transition],
) -> Iterator[str]:
    """A deviation by the part of what is contested that it has, or that it lacks."""
    part = deviation.new & contested
    idle = len(deviation.new & never)
    head = (
        f"Deviation {number}: {plural(len(deviation), 'transition')}, "
        f"{len(deviation.new):,} new"
    )
    if idle:
        head += f", of which {idle:,} can never fire"
    if not part:
        yield f"{head}: the always tolerated ones"
        return
    rest = contested - part
    shorter = len(rest) < len(part)
    yield f"{head}, without" if shorter else f"{head}, with"
    # What it lacks does not fire in it, which goes without saying.
    shown, marked = (rest, frozenset[Transition]()) if shorter else (part, never)
    for line in transition_lines(environment, shown, marked):
        yield f"  {line}"


def _mark_lines(*, marked: bool) -> Iterator[str]:
    if marked:
        yield ""
        yield f"{NEVER_MARK} can never fire with this deviation"


def _alike_lines(alike: Mapping[int, Sequence[int]], how: str) -> Iterator[str]:
    """Which deviations were not printed, by the number of the one that was."""
    if not alike:
        return
    hidden = sum(map(len, alike.values()))
    differs = "it differs" if hidden == 1 else "each differs"
    yield ""
    yield from wrapped(
        f"{plural(hidden, 'deviation')} not shown without --details, because "
        f"{differs} from a listed one {how}:"
    )
    lines = (f"  {_listed(rest)}: like {first:,}" for first, rest in alike.items())
    yield from limited(lines, _MOST_LINES, indent="  ", where="--details")


def _listed(numbers: Sequence[int]) -> str:
    return enumerated([f"{number:,}" for number in numbers], _MOST_NUMBERS)
