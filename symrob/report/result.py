"""The safety envelope as JSON, written while it is computed.

In:  a `SafetyEnvelope`.
Out: pieces of text: one document of the schema `symrob/result/3`, or JSON lines. In the
     compact form, `symrob/result/2`, a deviation is what it leaves out of `tolerated`.

Deviations come in the order in which they are found, which one process repeats
exactly. Only `--sorted` keeps them until all are there.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from symrob.analyses.deadlocks import SideReport
from symrob.analyses.space import Timing
from symrob.api.result import SafetyEnvelope
from symrob.envelope.cache import Cache
from symrob.envelope.engine import Statistics
from symrob.envelope.extension import MaximalExtension
from symrob.errors import Diagnostic
from symrob.limits import Status
from symrob.lts import TAU, Action, Transition
from symrob.lts.deviation import Deviation
from symrob.lts.masks import bits
from symrob.report.json import NOTHING, Beside, dumps, encoded, head
from symrob.verdicts import Group


@dataclass(frozen=True)
class ResultStatistics(Statistics):
    """The figures of the paper's Table 1.

    Attributes:
        delta: |Δ|, or the number of deviations found.
        largest: |d_max|; `None` if the product of E is not computed.
    """

    delta: int
    largest: int | None


@dataclass(frozen=True)
class DeviationLine:
    """A maximal deviation.

    Attributes:
        deviation: All its transitions, including R_E; `None` if the product of E is not
            computed.
        modes: Its fault modes; `None` if each candidate is a unit.
    """

    deviation: tuple[Transition, ...] | None
    modes: tuple[str, ...] | None


@dataclass(frozen=True)
class ToleratedLine:
    """The individually tolerated transitions; each later line leaves out some of them.

    Attributes:
        tolerated: The transitions, in their order.
    """

    tolerated: tuple[Transition, ...]


@dataclass(frozen=True)
class CompactLine:
    """A maximal deviation, given by what it leaves out.

    Attributes:
        without: Indexes, in the list of individually tolerated transitions, of those it
            leaves out.
    """

    without: tuple[int, ...]


@dataclass(frozen=True)
class ResultEnd:
    """How the enumeration ended.

    Attributes:
        status: `complete`, or what stopped it.
        reason: Why it stopped.
        delta: How many deviations were found.
        verdicts: How many units have each individual verdict; `None` where a bound was
            hit before, and for algorithms that judge none.
        vacuous: The properties that nothing can violate, whatever E may do.
        side_report: Lost goals and deadlocks; `None` without `--details`.
    """

    status: Status
    reason: str
    delta: int
    verdicts: dict[Group, int] | None
    vacuous: tuple[str, ...]
    side_report: SideReport | None


@dataclass(frozen=True)
class Result:
    """The safety envelope: all maximal deviations, each with all its transitions.

    Attributes:
        algorithm: The algorithm that enumerated them.
        delta: The deviations, including R_E, in the order found, or sorted; `None` if
            the product of E is not computed.
        delta_modes: The fault modes of each; `None` if each candidate is a unit.
        statistics: The figures of the paper's Table 1.
        verdicts: As of `ResultEnd`; so are `vacuous` and `side_report`.
        warnings: What may be a mistake in the models.
        timing: What it took.
        status: `complete`, or what stopped it.
        reason: Why it stopped.
    """

    schema: ClassVar = "result/3"
    lines: ClassVar[Sequence[type]] = (DeviationLine,)

    algorithm: str
    delta: tuple[tuple[Transition, ...], ...] | None
    delta_modes: tuple[tuple[str, ...], ...] | None
    statistics: ResultStatistics
    verdicts: dict[Group, int] | None
    vacuous: tuple[str, ...]
    side_report: SideReport | None
    warnings: tuple[Diagnostic, ...]
    timing: Timing
    status: Status
    reason: str


@dataclass(frozen=True)
class CompactResult(Result):
    """The safety envelope: all maximal deviations, each given by what it leaves out.

    Attributes:
        delta: For each deviation, the indexes in `tolerated` of the transitions it
            leaves out; `None` for fault modes, which are in `delta_modes`.
        tolerated: The individually tolerated transitions; `None` for fault modes.
    """

    schema: ClassVar = "result/2"
    lines: ClassVar[Sequence[type]] = (ToleratedLine, CompactLine, DeviationLine)

    delta: tuple[tuple[int, ...], ...] | None  # type: ignore[assignment]
    tolerated: tuple[Transition, ...] | None = None


def result_dict(envelope: SafetyEnvelope, title: str) -> dict[str, Any]:
    """Return a result as it is printed, sorted; iterates over all deviations."""
    result: dict[str, Any] = json.loads(
        "".join(result_pieces(envelope, title, in_order=True))
    )
    return result


def result_pieces(
    envelope: SafetyEnvelope,
    title: str,
    beside: Beside = NOTHING,
    *,
    compact: bool = False,
    in_order: bool = False,
    as_asked: bool = False,
    details: bool = False,
) -> Iterator[str]:
    """Yield a result as one line of JSON, its keys sorted.

    Args:
        envelope: Δ, computed or not yet computed.
        title: Human-readable title.
        beside: Additional data of the document.
        compact: Write each deviation as the numbers of what it leaves out.
        in_order: Sort the deviations.
        as_asked: Call it complete where only the largest were asked for and are there.
        details: Add what is lost with the deviations.

    Cost: a text for each deviation, written by its differences from earlier ones;
        nothing else is stored, unless they are sorted.
    """
    about = envelope.space.about
    kind = CompactResult if compact else Result
    whole = head(kind.schema, about, title, beside)
    first = {"algorithm": envelope.algorithm, "among": whole.pop("among")}
    yield dumps(first)[:-1]
    # What a set of modes adds to E is not known without the product of E, and its names
    # are shorter than what it leaves out.
    listed = about.environment is not None and not (compact and about.units)
    yield ', "delta": [' if listed else ', "delta": null'
    written = _compact(envelope) if compact else _Whole()
    found = largest = 0
    modes: list[tuple[str, ...] | None] = []
    kept: list[tuple[Any, str, tuple[str, ...] | None]] = []
    for deviation in envelope:
        if not listed:
            modes.append(deviation.modes)
            found += 1
            continue
        if in_order:
            # Written while they come, so that little is left to do when the time is up.
            kept.append((_order(deviation), written(deviation), deviation.modes))
        else:
            yield (", " if found else "") + written(deviation)
            modes.append(deviation.modes)
        found += 1
        largest = max(largest, len(deviation))
    kept.sort(key=lambda row: row[0])
    for number, (_, text, held) in enumerate(kept):
        yield (", " if number else "") + text
        modes.append(held)
    lists: tuple[tuple[str, ...], ...] | None = None
    if about.units is not None:
        sets = [one or () for one in modes]
        lists = tuple(sets if listed else sorted(sets))
    figures = vars(envelope.statistics)
    rest = kind(
        envelope.algorithm,
        (),
        lists,
        ResultStatistics(**figures, delta=found, largest=largest if listed else None),
        envelope.verdict_counts(),
        envelope.space.vacuous,
        _side_report(envelope, found) if details else None,
        envelope.warnings,
        Timing(round(envelope.seconds, 6), about.backend),
        "complete" if as_asked and envelope.as_asked else envelope.status,
        envelope.reason,
    )
    whole |= encoded(rest)
    if compact and listed:
        whole["tolerated"] = envelope.tolerated_alone() if found else []
    del whole["algorithm"], whole["delta"]
    # All of them come after `delta`.
    yield ("], " if listed else ", ") + dumps(whole)[1:]


def result_lines(
    envelope: SafetyEnvelope,
    title: str,
    beside: Beside = NOTHING,
    *,
    compact: bool = False,
    details: bool = False,
) -> Iterator[str]:
    """Yield a result as JSON lines while it is being computed.

    The first line is the result without its deviations, each next one is a deviation in
    the order found, and the last one has the status. In the compact form the second
    line lists the individually tolerated transitions. Nothing else is stored.

    Args:
        envelope: Δ, computed or not yet computed.
        title: Human-readable title.
        beside: Additional data of the document.
        compact: Write each deviation as the numbers of what it leaves out.
        details: Add what is lost with the deviations, in the last line.
    """
    schema = (CompactResult if compact else Result).schema.replace("/", "-lines/")
    first = {**head(schema, envelope.space.about, title, beside), "status": "running"}
    yield dumps({**first, "algorithm": envelope.algorithm})
    in_modes = envelope.space.about.units is not None
    written = _compact(envelope) if compact and not in_modes else _Whole()
    found = 0
    for deviation in envelope:
        if compact and not in_modes and not found:
            yield dumps({"tolerated": envelope.tolerated_alone()})
        found += 1
        left_out = compact and in_modes
        if left_out or not isinstance(deviation, Deviation):
            yield f'{{"deviation": null, "modes": {dumps(deviation.modes or ())}}}'
        elif compact:
            yield f'{{"without": {written(deviation)}}}'
        else:
            modes = "null" if deviation.modes is None else dumps(deviation.modes)
            yield f'{{"deviation": {written(deviation)}, "modes": {modes}}}'
    verdicts, vacuous = envelope.verdict_counts(), envelope.space.vacuous
    side = _side_report(envelope, found) if details else None
    end = ResultEnd(envelope.status, envelope.reason, found, verdicts, vacuous, side)
    yield dumps(encoded(end))


def _side_report(envelope: SafetyEnvelope, found: int) -> SideReport:
    """What makes safety cheaper than it looks, with a trace for each lost goal."""
    report = envelope.side_report(found)
    with envelope.clock.step("progress"):
        for one in report.lost:
            # Kept in it.
            _ = one.traces
    return report


def _order(deviation: Deviation) -> tuple[list[Transition], tuple[str, ...]]:
    """What deviations are sorted by."""
    return sorted(deviation), deviation.modes or ()


def _compact(envelope: SafetyEnvelope) -> Callable[[Deviation], str]:
    """Return what writes deviations as the numbers of what they leave out."""
    place: dict[Transition, int] = {}
    everything: frozenset[Transition] = frozenset()

    def written(deviation: Deviation) -> str:
        nonlocal everything
        if not place:
            place.update({t: i for i, t in enumerate(envelope.tolerated_alone())})
            everything = frozenset(place)
        left_out = sorted(map(place.__getitem__, everything - deviation))
        return f"[{','.join(map(str, left_out))}]"

    return written


class _Whole:
    """Writes deviations with all their transitions.

    Those of one problem share most of them. Where they come with their bits, texts of
    rows are remembered; else the texts of all that were met are kept in order, and each
    deviation is written by what it lacks of them.
    """

    def __init__(self) -> None:
        self._met: frozenset[Transition] = frozenset()
        self._name: Cache[Action, str] = Cache(dumps)
        self._place: dict[Transition, int] = {}
        self._texts: list[str] = []
        self._layout: MaximalExtension | None = None
        self._rows: Cache[tuple[int, int], str] = Cache(self._row)

    def __call__(self, deviation: Deviation) -> str:
        if deviation.packed is not None:
            layout, mask = deviation.packed
            if isinstance(layout, MaximalExtension):
                return self._by_rows(layout, mask)
        lacking = self._met - deviation
        if len(self._met) - len(lacking) < len(deviation):
            self._meet(deviation - self._met)
            lacking = self._met - deviation
        texts = self._texts.copy()
        for place in map(self._place.__getitem__, lacking):
            texts[place] = ""
        return f"[{', '.join(filter(None, texts))}]"

    def _by_rows(self, layout: MaximalExtension, mask: int) -> str:
        if self._layout is not layout:
            self._layout = layout
            self._rows.clear()
        # Rows are in the order in which transitions are sorted.
        texts = map(self._rows.__getitem__, enumerate(layout.rows_of(mask)))
        return f"[{', '.join(filter(None, texts))}]"

    def _row(self, key: tuple[int, int]) -> str:
        """The text of what R_E and a deviation have of a row, `tau` left out."""
        row, chosen = key
        assert self._layout is not None
        source, action = self._layout.rows[row]
        targets = bits(self._layout.fixed[row] | chosen) if action != TAU else ()
        name = self._name[action]
        return ", ".join([f"[{source}, {name}, {target}]" for target in targets])

    def _meet(self, fresh: Iterable[Transition]) -> None:
        self._met = self._met.union(fresh)
        order = sorted(self._met)
        self._place = {t: i for i, t in enumerate(order)}
        name = self._name
        self._texts = [f"[{q}, {name[a]}, {r}]" for q, a, r in order]
