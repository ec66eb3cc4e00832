"""Fault modes as text and for programs: Δ, a summary, an explanation.

In:  a `SafetyEnvelope`, a `ModeSummary` or a `ModeExplanation`.
Out: lines of text, or dictionaries for `json.dumps`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Any

from symrob.analyses.cut import Cut
from symrob.analyses.hazards import SAID, VERDICTS
from symrob.analyses.modes import ModeExplanation, ModeSummary, alone
from symrob.api.result import SafetyEnvelope
from symrob.envelope.engine import Engine
from symrob.lts import Lts
from symrob.problem.units import Units
from symrob.report.json import asked_dict, environment_dict, trace_dict, versions
from symrob.report.run import run_line, trace_lines
from symrob.report.story import blocked_rows, refused_lines
from symrob.report.text import folded, limited, plural, printable, wrapped
from symrob.words import PLAIN, Words

EXPLAIN_SCHEMA = "symrob/explain-modes/1"
SUMMARY_SCHEMA = "symrob/summary-modes/1"
MODE = "fault mode"
# Of what a mode holds; of overlaps; and modes that are judged before Δ.
_MOST_HELD = 20
_MOST_OVERLAPS = 5
_MOST_JUDGED = 300
_MOST_NAMES = 40


def units_of(engine: Engine) -> Units:
    """Return the fault modes of a problem that asks about them."""
    return engine.mode_sets.units


def head_lines(engine: Engine, title: str, *, details: bool) -> Iterator[str]:
    """Yield what is asked about: E, the modes, and with `details` what they hold."""
    environment, units = engine.environment, units_of(engine)
    if title:
        yield printable(title)
    parts = ""
    if units.network is not None:
        parts = f"{plural(len(units.network.components), 'component')}, "
    yield (
        f"Environment: {parts}{plural(environment.size, 'state')}, "
        f"{plural(len(environment.alphabet), 'action')}; "
        f"{plural(len(units), MODE)} could happen"
    )
    if details:
        for mode in units.modes:
            yield from _held_lines(environment, units, mode.name)
    overlaps = list(units.overlaps())
    for one, other, count in overlaps[: None if details else _MOST_OVERLAPS]:
        what = plural(count, "transition")
        yield printable(f"  {one} and {other} have {what} in common")
    if not details and len(overlaps) > _MOST_OVERLAPS:
        more = len(overlaps) - _MOST_OVERLAPS
        yield f"  and {more:,} more pairs have some in common (--details)"


def _held_lines(environment: Lts, units: Units, name: str) -> Iterator[str]:
    """What one mode holds."""
    mode = units.modes[units.numbers[name]]
    yield printable(f"  {name}")
    lines: list[str] = []
    if units.network is not None:
        for i, q, a, r in sorted(mode.local):
            part = units.network.components[i]
            label = units.network.component_names[i]
            shown = f"{part.state_name(q)} --{a}--> {part.state_name(r)}"
            lines.append(f"      {label}: {shown}")
    if units.network is None or not mode.local:
        for q, a, r in sorted(mode.transitions):
            shown = f"{environment.state_name(q)} --{a}--> {environment.state_name(r)}"
            lines.append(f"      {shown}")
    if not lines:
        yield "      nothing"
    yield from limited(map(printable, lines), _MOST_HELD, indent="      ", where="json")


def envelope_lines(
    envelope: SafetyEnvelope, title: str, *, preface: bool, details: bool
) -> Iterator[str]:
    """Yield the modes by their verdict, and each maximal set as soon as it is found.

    Args:
        envelope: Δ, computed or yet to be.
        title: What a person calls the case; may be empty.
        preface: Say before the sets what each mode amounts to alone.
        details: Say what each mode holds, and print each set whole.
    """
    engine = envelope.engine
    units = units_of(engine)
    yield from head_lines(engine, title, details=details)
    common = units.all
    if preface and len(units) <= _MOST_JUDGED:
        judged = alone(engine)
        for verdict in VERDICTS[1:]:
            if judged[verdict]:
                yield ""
                head = f"{SAID[verdict].capitalize()} alone: "
                yield from named_lines(head, units.names(judged[verdict]))
        common = judged["tolerated"]
    tolerated = units.names(common)
    for number, deviation in enumerate(envelope, 1):
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


def verdict_lines(envelope: SafetyEnvelope) -> Iterator[str]:
    """Yield what Δ amounts to, once all of it is there."""
    found = len(envelope)
    most = max((len(d.modes or ()) for d in envelope), default=0)
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
    engine: Engine, summary: ModeSummary, title: str, words: Words = PLAIN
) -> Iterator[str]:
    """Yield the story first, then what becomes of each mode."""
    units = summary.units
    yield from head_lines(engine, title, details=False)
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
    yield from refused_lines(
        "The plan is safe only because E refuses what C offers; else a property would "
        "break:",
        summary.refused or (),
        engine.environment,
        words,
        False,
    )


def explanation_lines(
    environment: Lts,
    explanation: ModeExplanation,
    title: str,
    words: Words = PLAIN,
    *,
    everything: bool = False,
) -> Iterator[str]:
    """Yield the verdict of some modes, and why."""
    most = 10**9 if everything else 30
    if title:
        yield printable(title)
    yield from named_lines("Fault modes: ", explanation.asked or ("none",))
    yield f"Verdict: {SAID[explanation.verdict]}"
    if explanation.cut is not None:
        yield ""
        if explanation.cut.modes == explanation.asked:
            yield "It takes all of them."
        else:
            yield from named_lines("It takes only: ", explanation.cut.modes or ())
    for trace in explanation.violations or ():
        yield ""
        yield from trace_lines(trace, words)
    if explanation.idle:
        yield from named_lines("Without effect here: ", explanation.idle)
    if explanation.addable is not None:
        some = explanation.addable[:most] or ("none",)
        yield from named_lines("Each of these could come to them: ", some)
    if explanation.excluded:
        some = explanation.excluded[:most]
        yield from named_lines("Tolerated alone, but not with them: ", some)
    for number, names in enumerate(explanation.sets, 1):
        yield from named_lines(f"Maximal set {number:,} that holds them: ", names)
    if explanation.more:
        yield "and others (--limit shows more)"
    yield from refused_lines(
        "Safe only because E refuses what C offers; else a property would break:",
        explanation.refused or (),
        environment,
        words,
        everything,
        with_added=False,
    )


def explanation_dict(
    engine: Engine, explanation: ModeExplanation, title: str
) -> dict[str, Any]:
    """Return an explanation for programs."""
    cut = explanation.cut
    return {
        "schema": EXPLAIN_SCHEMA,
        "title": title,
        "environment": environment_dict(engine.environment),
        "modes": asked_dict(engine.problem)["modes"],
        "asked": list(explanation.asked),
        "verdict": explanation.verdict,
        "cut": None if cut is None else list(cut.modes or ()),
        "violations": _optional(explanation.violations, trace_dict),
        "idle": _optional(explanation.idle, str),
        "addable": _optional(explanation.addable, str),
        "excluded": _optional(explanation.excluded, str),
        "delta_modes": [list(names) for names in explanation.sets],
        "more": explanation.more,
        "refused": blocked_rows(explanation.refused),
        "status": explanation.status,
        "reason": explanation.reason,
        "versions": versions(),
    }


def _optional(values: Iterable[Any] | None, convert: Any) -> list[Any] | None:
    return None if values is None else [convert(value) for value in values]


def summary_dict(engine: Engine, summary: ModeSummary, title: str) -> dict[str, Any]:
    """Return a summary for programs."""
    units = summary.units

    def names(chosen: int | None) -> list[str] | None:
        return None if chosen is None else list(units.names(chosen))

    return {
        "schema": SUMMARY_SCHEMA,
        "title": title,
        "environment": environment_dict(engine.environment),
        "modes": asked_dict(engine.problem)["modes"],
        "alone": {verdict: names(summary.alone[verdict]) for verdict in VERDICTS},
        "always": names(summary.always),
        "contested": names(summary.contested),
        "sets": summary.sets,
        "refused": blocked_rows(summary.refused),
        "cuts": [
            {"modes": list(cut.modes or ()), "verdict": cut.verdict}
            for cut in summary.cuts
        ],
        "status": summary.status,
        "reason": summary.reason,
        "versions": versions(),
    }
