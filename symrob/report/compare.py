"""A comparison of two designs: the verdict, witnesses, differences.

In:  a `Comparison`, and the names of its sides.
Out: lines of text.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from symrob.analyses.compare import Comparison, Surplus, Unassumed
from symrob.analyses.space import About
from symrob.api.result import SafetyEnvelope
from symrob.questions.compare import Compared, Ranked
from symrob.questions.question import View
from symrob.report.legend import about_legend
from symrob.report.output_formats import Form
from symrob.report.progress import lost_lines, plan_lines
from symrob.report.ranking import mode_lines, ranking_lines, unassumed_lines
from symrob.report.run import trace_lines
from symrob.report.text import KEPT, deviation_lines, limited, printable, wrapped
from symrob.report.units import candidates, counted, mode_names, named_lines, unit_lines
from symrob.words import Words

SIDES = ("A", "B")
# Of each list of transitions, unless all are asked for.
MOST_LINES = 20
VERDICTS = {
    "equal": "A and B are equally robust.",
    "more": "A is strictly more robust than B.",
    "less": "A is strictly less robust than B.",
    "incomparable": "A and B are incomparable: each tolerates a deviation that the "
    "other does not.",
}


def comparison_lines(
    found: Compared, words: Sequence[Words], *, everything: bool = False
) -> Iterator[str]:
    """Yield the verdict, the witnesses and the difference by transition.

    Args:
        found: The found to report; its parts are computed on demand.
        words: Words for the names of each side in traces.
        everything: Print long lists in full.
    """
    comparison = found.first
    for side, name in zip(SIDES, comparison.sides, strict=True):
        yield f"{side}  {printable(name)}"
    yield ""
    yield from _verdict_lines(comparison)
    for index, surplus in enumerate(comparison.surplus):
        # The run that shows it is one of the other side.
        told = words[1 - index]
        yield from _witness_lines(comparison.about, surplus, index, told)
    yield from plan_lines(SIDES, comparison.lost, words[0])
    yield from _unassumed_lines(comparison, found.without_constraints)
    most = None if everything else MOST_LINES
    yield from _difference_lines(comparison, most)
    yield from mode_lines(comparison.modes, SIDES, most)
    yield from about_legend(comparison.about, words[0])


def _verdict_lines(comparison: Comparison) -> Iterator[str]:
    if comparison.verdict != "unknown":
        yield VERDICTS[comparison.verdict]
        return
    yield f"The verdict is unknown ({comparison.reason}). Known so far:"
    for surplus, (side, other) in zip(
        (comparison.first, comparison.second), (SIDES, SIDES[::-1]), strict=True
    ):
        if surplus.exists is None:
            yield f"- {side} may tolerate a deviation that {other} does not."
        elif surplus.exists:
            yield f"- {side} tolerates a deviation that {other} does not."
        else:
            yield f"- {other} tolerates every deviation that {side} tolerates."


def _unassumed_lines(
    comparison: Comparison, unassumed: Unassumed | None
) -> Iterator[str]:
    if unassumed is None:
        return
    yield ""
    if unassumed.verdict == "unknown":
        yield from wrapped(f"Without the assumptions: {unassumed.reason}.")
        return
    yield f"Without the assumptions: {VERDICTS[unassumed.verdict]}"
    if comparison.verdict == unassumed.verdict:
        yield "The verdict does not depend on the assumptions."
    elif comparison.verdict != "unknown":
        yield "The verdict depends on the assumptions."


def _witness_lines(
    about: About, surplus: Surplus, index: int, words: Words
) -> Iterator[str]:
    witness = surplus.witness
    if witness is None:
        return
    side, other = SIDES[index], SIDES[1 - index]
    best = "a smallest set" if witness.smallest else "perhaps not a smallest set"
    yield ""
    new = counted(about, witness.units, "new")
    yield f"Tolerated only by {side}: {new}, {best}"
    for line in unit_lines(about, witness.units):
        yield f"  {line}"
    yield f"With it {other} violates {printable(witness.trace.violated)}:"
    yield from trace_lines(witness.trace, words)
    yield from lost_lines(f"in {side} with it", witness.lost or (), words)


def _difference_lines(comparison: Comparison, most: int | None) -> Iterator[str]:
    if comparison.tolerated_by_both is None:
        return
    only = [comparison.first.alone, comparison.second.alone]
    about, both = comparison.about, comparison.tolerated_by_both
    neither = about.size - both - sum(map(len, only))
    yield ""
    by = ("by both", "by neither", "only by A", "only by B")
    counts = zip((both, neither, *map(len, only)), by, strict=True)
    # A count and its noun stay together.
    told = ", ".join(f"{count:,} {who}".replace(" ", KEPT) for count, who in counts)
    yield from wrapped(
        f"{candidates(about, about.size)}, individually tolerated: {told}"
    )
    for side, units in zip(SIDES, only, strict=True):
        if not units:
            continue
        yield f"Only by {side}:"
        lines = unit_lines(about, units)
        yield from limited((f"  {line}" for line in lines), most, indent="  ")


def surplus_lines(deviations: SafetyEnvelope, index: int) -> Iterator[str]:
    """Yield the deviations of one side that the other does not tolerate.

    Args:
        deviations: These deviations, possibly not yet computed.
        index: 0 for the first side, 1 for the second.
    """
    side, other = SIDES[index], SIDES[1 - index]
    yield ""
    about, number = deviations.space.about, 0
    kind = "sets" if about.units is not None else "deviations"
    yield f"Maximal {kind} of {side} that {other} does not tolerate:"
    for number, found in enumerate(deviations, 1):
        if about.units is None:
            yield from deviation_lines(
                deviations.environment, found, number, frozenset()
            )
        else:
            names = mode_names(about, found.modes)
            yield from named_lines(f"Set {number:,}: ", names)
    if deviations.status != "complete":
        yield f"  incomplete ({deviations.reason}): {number:,} so far"
    elif not number:
        yield "  none"


def _text(answer: Compared | Ranked, view: View) -> Iterator[str]:
    if isinstance(answer, Ranked):
        most = None if view.everything else MOST_LINES
        yield from ranking_lines(answer.first, answer.first.sides, most)
        yield from plan_lines(answer.first.sides, answer.first.lost)
        yield from unassumed_lines(answer.final)
        return
    words = [case.words for case in view.session.cases.values()]
    yield from comparison_lines(answer, words, everything=view.everything)
    for index, deviations in enumerate(answer.deltas):
        yield from surplus_lines(deviations, index)


FORMS: Mapping[str, Form] = {"text": _text}
