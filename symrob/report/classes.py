"""Classes of candidates: the matrix with the actions, and what one candidate is.

In:  a `ClassMatrix`; `Classes`.
Out: lines of at most `WIDEST` characters; lines of CSV.

A cell says how many candidates of a class and an action are worth what: `4+2!3-7` is
4 always tolerated, 2 contested, 3 hazardous, 7 outside the assumptions; what there is
none of is left out, and `.` stands for no candidate.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from symrob.analyses.classes import WORTHS, ClassMatrix, Worth
from symrob.files.csvtext import csv_line
from symrob.lts import Action, Transition
from symrob.problem.classes import CLASSES, Class, Classes
from symrob.report.text import WIDEST, aligned, plural, printable, wrapped
from symrob.words import PLAIN, Words

# What stands before a count, and what it means.
_MARKS: Mapping[Worth, tuple[str, str]] = {
    "always": ("", "n always tolerated"),
    "contested": ("+", "+n contested"),
    "unknown": ("?", "?n tolerated, unknown whether always"),
    "hazardous": ("!", "!n hazardous"),
    "assumed-away": ("~", "~n assumed away"),
    "outside-assumptions": ("-", "-n outside the assumptions"),
    # Where these are, the two before are not.
    "undecided": ("-", "-n breaking an assumption"),
}
_NOTHING = "."
_ALL = "all"
# Longer names are cut; those of actions go on below, after a dot or the like.
_LONGEST, _HEAD = 24, 10


def class_lines(
    matrix: ClassMatrix, words: Words = PLAIN, *, everything: bool = False
) -> Iterator[str]:
    """Yield the matrix: a row for each class that has candidates, a column an action.

    Args:
        matrix: The counts.
        words: What the classes are called.
        everything: Print the actions that do not fit into the width below the others;
            else those with the least that can hurt are only counted.
    """
    if not matrix.counts:
        return
    total: Counter[Worth] = Counter()
    for counts in matrix.counts.values():
        total.update(counts)
    meanings = [meaning for worth, (_, meaning) in _MARKS.items() if total[worth]]
    yield ""
    yield from wrapped(f"By class and action: {', '.join(meanings)}", WIDEST)
    kinds = [k for k in CLASSES if any(k == kind for kind, _ in matrix.counts)]
    labels = [*(_cut(words.kind(kind)) for kind in kinds), _ALL]
    sums = _column(matrix, kinds, matrix.actions)
    columns = {
        action: _column(matrix, kinds, (action,))
        for action in matrix.actions
        if any(a == action for _, a in matrix.counts)
    }
    heads = {action: _head(action) for action in columns}
    wide = {a: max(map(len, [*heads[a], *columns[a]])) for a in columns}
    room = WIDEST - 4 - max(map(len, labels)) - max(map(len, [_ALL, *sums]))
    shown = list(columns)
    while shown:
        block = _fitting(matrix, shown, wide, room)
        high = max(len(heads[action]) for action in block)
        # All names end on the line above the cells.
        stacks = [[""] * (high - len(heads[a])) + heads[a] + columns[a] for a in block]
        left = [*[""] * high, *labels]
        right = [*[""] * (high - 1), _ALL, *sums]
        rows = zip(left, *stacks, right, strict=True)
        yield from (f"  {line}" for line in aligned(rows, right_from=1))
        shown = [action for action in shown if action not in block]
        if shown and not everything:
            yield f"  … {plural(len(shown), 'more action')}; --all prints them"
            return
        if shown:
            yield ""


def _column(
    matrix: ClassMatrix, kinds: Sequence[Class], actions: Iterable[Action]
) -> list[str]:
    """The cells of some actions together: one for each class, and their sum."""
    total: Counter[Worth] = Counter()
    cells = []
    for kind in kinds:
        here: Counter[Worth] = Counter()
        for action in actions:
            here.update(matrix.counts.get((kind, action), {}))
        cells.append(_cell(here))
        total.update(here)
    return [*cells, _cell(total)]


def _head(action: Action) -> list[str]:
    """The name of an action in short lines."""
    lines = [""]
    for piece in re.split(r"(?<=[._\]])", printable(action)):
        if lines[-1] and len(lines[-1]) + len(piece) > _HEAD:
            lines.append("")
        lines[-1] = _cut(lines[-1] + piece)
    return lines


def _cell(counts: Mapping[Worth, int]) -> str:
    parts = (f"{m}{counts[w]}" for w, (m, _) in _MARKS.items() if counts.get(w))
    return "".join(parts) or _NOTHING


def _fitting(
    matrix: ClassMatrix, actions: list[Action], wide: Mapping[Action, int], room: int
) -> list[Action]:
    """The actions that fit, at least one; those that can hurt first, then by name."""

    def harmless(action: Action) -> tuple[int, ...]:
        of = [matrix.counts.get((kind, action), {}) for kind in CLASSES]
        hurts: tuple[Worth, ...] = ("hazardous", "contested", "unknown", "assumed-away")
        return tuple(-sum(counts.get(worth, 0) for counts in of) for worth in hurts)

    block: list[Action] = []
    for action in sorted(actions, key=harmless):
        room -= wide[action] + 2
        if room < 0 and block:
            break
        block.append(action)
    return [action for action in actions if action in block]


def _cut(name: str) -> str:
    shown = printable(name)
    return shown if len(shown) <= _LONGEST else f"{shown[: _LONGEST - 1]}…"


def class_csv(matrix: ClassMatrix) -> Iterator[str]:
    """Yield the same rows as lines of CSV, the heads first; safe for spreadsheets."""
    yield csv_line(("class", "name", "action", *(w.replace("-", "_") for w in WORTHS)))
    for row in matrix.rows:
        yield csv_line((row.class_, row.name, row.action, *row.counts.values()))


def said_of(classes: Classes, words: Words = PLAIN) -> Callable[[Transition], str]:
    """Return what is said of a candidate: its class, and what an omission leaves out.

    Args:
        classes: Those of its environment.
        words: What the classes are called.
    """

    def said(transition: Transition) -> str:
        kind, left_out = classes.of(transition)
        return words.kind(kind) + (f" of {left_out}" if left_out is not None else "")

    return said
