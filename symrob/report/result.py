"""The safety envelope as JSON, written while it is computed.

In:  a `SafetyEnvelope`.
Out: pieces of text: one document of the schema `symrob/result/1`, or JSON lines. In the
     compact form, `symrob/result/2`, a deviation is what it leaves out of `tolerated`.

Deviations come in the order in which they are found, which one process repeats
exactly. Only `--sorted` keeps them until all are there.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict
from typing import Any

from symrob.api.result import SafetyEnvelope
from symrob.envelope.cache import Cache
from symrob.envelope.extension import MaximalExtension
from symrob.limits import Stages
from symrob.lts import TAU, Action, Transition
from symrob.lts.deviation import Deviation
from symrob.lts.masks import bits
from symrob.report.json import (
    about_dict,
    diagnostic_dict,
    dumps,
    versions,
)

WHOLE = "1"
COMPACT = "2"


def result_dict(envelope: SafetyEnvelope, title: str) -> dict[str, Any]:
    """Return a result as it is printed, sorted; iterates over all deviations."""
    result: dict[str, Any] = json.loads(
        "".join(result_pieces(envelope, title, in_order=True))
    )
    return result


def result_pieces(
    envelope: SafetyEnvelope,
    title: str,
    *,
    compact: bool = False,
    in_order: bool = False,
    as_asked: bool = False,
) -> Iterator[str]:
    """Yield a result as one line of JSON, its keys sorted.

    Args:
        envelope: Δ, computed or yet to be.
        title: What a person calls the case.
        compact: Write each deviation as the numbers of what it leaves out.
        in_order: Sort the deviations.
        as_asked: Call it complete where only the largest were asked for and are there.

    Cost: a text for each deviation, written by what it lacks of those before it;
        nothing is kept but what iterating keeps, unless they are sorted.
    """
    about = envelope.space.about
    asked = about_dict(about)
    head: dict[str, Any] = {"algorithm": envelope.algorithm}
    if "among" in asked:
        head["among"] = asked.pop("among")
    yield dumps(head)[:-1]
    # What a set of modes adds to E is not known where E is not multiplied out.
    listed = about.environment is not None
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
    statistics = asdict(envelope.statistics)
    statistics |= {"delta": found, "largest": largest if listed else None}
    rest: dict[str, Any] = {
        "schema": f"symrob/result/{COMPACT if compact else WHOLE}",
        "title": title,
        "status": "complete" if as_asked and envelope.as_asked else envelope.status,
        **asked,
        "statistics": statistics,
        "verdicts": verdict_counts(envelope),
        "warnings": [diagnostic_dict(w) for w in envelope.warnings],
        "timing": {
            "backend": about.backend,
            "seconds": round(envelope.seconds, 6),
        },
        "versions": versions(),
    }
    if "modes" in asked:
        rest["delta_modes"] = modes if listed else sorted(modes, key=str)
    if compact:
        rest["tolerated"] = _tolerated(envelope) if found else []
    # All of them come after `delta`.
    yield ("], " if listed else ", ") + dumps(rest)[1:]


def result_lines(
    envelope: SafetyEnvelope, title: str, *, compact: bool = False
) -> Iterator[str]:
    """Yield a result as JSON lines while it is being computed.

    The first line is the result without its deviations, each next one is a
    deviation in the order in which they are found, and the last one tells the
    status. In the compact form the second line has what is tolerated alone. Nothing is
    kept but what iterating keeps.

    Args:
        envelope: Δ, computed or yet to be.
        title: What a person calls the case.
        compact: Write each deviation as the numbers of what it leaves out.
    """
    yield dumps(
        {
            "schema": f"symrob/result-lines/{COMPACT if compact else WHOLE}",
            "title": title,
            "algorithm": envelope.algorithm,
            **about_dict(envelope.space.about),
            "versions": versions(),
        }
    )
    written = _compact(envelope) if compact else _Whole()
    key = "without" if compact else "deviation"
    found = 0
    for deviation in envelope:
        if compact and not found:
            yield dumps({"tolerated": _tolerated(envelope)})
        found += 1
        shown = written(deviation) if isinstance(deviation, Deviation) else "null"
        line = f'{{"{key}": {shown}'
        if deviation.modes is not None:
            line += f', "modes": {dumps(deviation.modes)}'
        yield line + "}"
    verdicts = verdict_counts(envelope)
    yield dumps({"status": envelope.status, "delta": found, "verdicts": verdicts})


def verdict_counts(envelope: SafetyEnvelope) -> dict[str, int] | None:
    """Return how many units alone have each verdict.

    What breaks an assumption is `undecided` where more than that would take long;
    `None` where a bound was hit before, for algorithms that judge no candidates, and
    for too many fault modes.
    """
    if envelope.algorithm != "maximal":
        return None
    with Stages(envelope.clock):
        alone = envelope.space.alone_soon()
        if alone is None:
            return None
        return {
            "tolerated": len(alone.tolerated),
            "hazardous": len(alone.hazardous),
            "assumed-away": len(alone.assumed_away),
            "outside-assumptions": len(alone.outside),
            "undecided": len(alone.undecided),
        }
    return None


def _order(deviation: Deviation) -> tuple[list[Transition], tuple[str, ...]]:
    """What deviations are sorted by."""
    return sorted(deviation), deviation.modes or ()


def _tolerated(envelope: SafetyEnvelope) -> list[Transition]:
    """What is tolerated alone, sorted; to be asked when a deviation is found."""
    engine = envelope.engine
    # The enumeration has screened already, or another algorithm has its answer.
    with engine.clock.suspended():
        return sorted(engine.safe_sets.alone)


def _compact(envelope: SafetyEnvelope) -> Callable[[Deviation], str]:
    """Return what writes deviations as the numbers of what they leave out."""
    place: dict[Transition, int] = {}
    everything: frozenset[Transition] = frozenset()

    def written(deviation: Deviation) -> str:
        nonlocal everything
        if not place:
            place.update({t: i for i, t in enumerate(_tolerated(envelope))})
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
