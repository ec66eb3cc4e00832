"""Comparing two files of rows: which cases became more, or less, robust.

In:  the rows before and after.
Out: a `Change` for each case.

For the same R_E, one side is at least as robust as the other if each of the other's
maximal deviations is contained in one of its own ([S1] Def. 6 and 7). An incomplete
list of deviations proves part of that:

- a set that is contained in a listed deviation is tolerated; - a set that is contained
in none is not tolerated only if the list is complete.

So each direction has three answers: yes, no and unknown. The candidates that a summary
lists as never tolerated are certainly not tolerated; all others are, individually.

Source: docs/sources.md [S1], Def. 6, Def. 7.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from symrob.limits import Status

BatchRow = Mapping[str, Any]
Verdict = Literal[
    "more", "less", "equal", "incomparable", "unknown", "new", "gone", "other"
]
Triple = tuple[str, str, str]
_Set = frozenset[tuple[int, str, int]]


@dataclass(frozen=True)
class Change:
    """The change of one case.

    Attributes:
        case: Its key.
        verdict: `more` or `less` robust than before, `equal`, `incomparable`, `unknown`
            if too little is known, `new` or `gone` if only one file has the case,
            `other` if E has changed.
        before: Status before; empty if new.
        after: Status after; empty if gone.
        gained: For a deviation that is tolerated only now, the part that exceeds a
            deviation tolerated before: the fewest such transitions that the lists show,
            with the names of states.
        lost: The same for a deviation that was tolerated only before.
        note: Any further remark.
    """

    case: str
    verdict: Verdict
    before: str = ""
    after: str = ""
    gained: tuple[Triple, ...] = ()
    lost: tuple[Triple, ...] = ()
    note: str = ""


@dataclass(frozen=True)
class Changes:
    """The answer of `symrob results` about two files of rows.

    Attributes:
        changes: The change of each case.
        status: `complete`, or what stopped the run.
        reason: Why something is missing; empty if nothing is.
    """

    schema: ClassVar = "changes/2"

    changes: tuple[Change, ...]
    status: Status = "complete"
    reason: str = ""


@dataclass(frozen=True)
class _Side:
    """What a row says about Δ.

    Attributes:
        complete: Whether `delta` is all of Δ.
        delta: Deviations of Δ.
        never: All transitions that are not tolerated alone; `None` if the row
            does not say.
    """

    complete: bool
    delta: tuple[_Set, ...]
    never: _Set | None

    @classmethod
    def of(cls, row: BatchRow) -> _Side:
        result = row.get("result") or {"status": "", "delta": ()}
        never = (row.get("summary") or {}).get("never")
        return cls(
            result["status"] == "complete",
            tuple(map(_triples, result["delta"])),
            None if never is None else _triples(never),
        )

    def surely_tolerates(self, transition: tuple[int, str, int]) -> bool:
        """Whether the transition is tolerated alone, as far as the row says."""
        if self.never is not None:
            return transition not in self.never
        return any(transition in deviation for deviation in self.delta)


def _triples(rows: Iterable[Sequence[Any]]) -> _Set:
    return frozenset((s, a, t) for s, a, t in rows)


def changes(before: Iterable[BatchRow], after: Iterable[BatchRow]) -> list[Change]:
    """Compare two files of rows.

    Args:
        before: The rows of the older file.
        after: The rows of the newer file.

    Returns:
        A change for each case of either file, by case.

    Cost: |Δ| before times |Δ| after, for each case in which they differ.
    """
    old = {row["case"]: row for row in before}
    new = {row["case"]: row for row in after}
    found = []
    for key in sorted(old.keys() | new.keys()):
        if key not in old:
            found.append(Change(key, "new", after=new[key]["status"]))
        elif key not in new:
            found.append(Change(key, "gone", before=old[key]["status"]))
        else:
            found.append(_change(key, old[key], new[key]))
    return found


def _change(key: str, old: BatchRow, new: BatchRow) -> Change:
    statuses = old["status"], new["status"]
    # Where the plan is unsafe Δ is undefined: not even R_E is tolerated.
    if statuses == ("nominal", "nominal"):
        return Change(key, "equal", *statuses, note="the plan is unsafe")
    environments = [_environment(row) for row in (old, new)]
    if statuses[1] == "nominal" and environments[0]:
        return Change(key, "less", *statuses, note="the plan itself is unsafe now")
    if statuses[0] == "nominal" and environments[1]:
        return Change(key, "more", *statuses, note="the plan itself was unsafe")
    if not all(environments):
        return Change(key, "unknown", *statuses, note="one of the rows has no answer")
    if not _same(*environments):
        return Change(key, "other", *statuses, note="the environment has changed")
    names = environments[0]["names"]
    earlier, later = _Side.of(old), _Side.of(new)
    if earlier == later and earlier.complete:
        return Change(key, "equal", *statuses)
    keeps, lost = _tolerates(later, earlier)
    kept, gained = _tolerates(earlier, later)
    at_least = keeps if earlier.complete or keeps is False else None
    at_most = kept if later.complete or kept is False else None
    return Change(
        key,
        _verdict(at_least, at_most),
        *statuses,
        gained=_named(gained, names) if kept is False else (),
        lost=_named(lost, names) if keeps is False else (),
    )


def _verdict(at_least: bool | None, at_most: bool | None) -> Verdict:
    """The verdict, from whether it is at least and at most as robust as before."""
    known: dict[tuple[bool | None, bool | None], Verdict] = {
        (True, True): "equal",
        (True, False): "more",
        (False, True): "less",
        (False, False): "incomparable",
    }
    return known.get((at_least, at_most), "unknown")


def _tolerates(side: _Side, other: _Side) -> tuple[bool | None, _Set]:
    """Whether a side tolerates what is known of the other: yes, no, or unknown.

    Returns:
        The answer; for no, the least that is beyond one of the side's own.
    """
    refused = sorted(filter(other.surely_tolerates, side.never or ()))
    if refused:
        return False, frozenset(refused[:1])
    beyond: list[_Set] = []
    same = frozenset(side.delta)
    for deviation in other.delta:
        # Most are there as they are.
        if deviation in same or any(deviation <= own for own in side.delta):
            continue
        if not side.complete:
            return None, frozenset()
        rests = (deviation - own for own in side.delta)
        beyond.append(min(rests, key=lambda r: (len(r), sorted(r)), default=deviation))
    if not beyond:
        return True, frozenset()
    return False, min(beyond, key=lambda r: (len(r), sorted(r)))


def _environment(row: BatchRow) -> Mapping[str, Any]:
    """The environment that the answers of a row are of; empty without any."""
    for document in ("result", "summary"):
        if row.get(document):
            found: Mapping[str, Any] = row[document]["environment"]
            return found
    return {}


def _same(one: BatchRow, other: BatchRow) -> bool:
    keys = ("alphabet", "states", "transitions")
    return all(one.get(key) == other.get(key) for key in keys)


def _named(transitions: _Set, names: Sequence[str]) -> tuple[Triple, ...]:
    return tuple((names[s], a, names[t]) for s, a, t in sorted(transitions))
