"""Classes of candidates: the matrix with the actions, and the class of a candidate.

In:  a `ClassMatrix`; `Classes`.
Out: lines of at most `WIDEST` characters; lines of CSV.

A cell counts the candidates of a class and an action by verdict: `4 +2 !3 -7` is 4
always tolerated, 2 contested, 3 hazardous, 7 excluded that violate no property. Zeros
are left out; `.` stands for no candidate.
"""

from __future__ import annotations

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
    "excluded-unsafe": ("~", "~n unsafe, excluded by an assumption"),
    "excluded-safe": ("-", "-n safe, excluded by an assumption"),
    # Where these are, the two before are not.
    "undecided": ("-", "-n excluded by an assumption"),
}
_NOTHING = "."
_ALL = "all"
# Longer names are cut: those of actions, and of classes, which stand in two lines.
_LONGEST, _LONGEST_CLASS = 28, 14
# Of the actions, unless all are asked for.
_MOST_ROWS = 20


def class_lines(
    matrix: ClassMatrix,
    what: str = "Candidates",
    words: Words = PLAIN,
    *,
    everything: bool = False,
) -> Iterator[str]:
    """Yield the matrix: a row for each action that has candidates, a column a class.

    Args:
        matrix: The counts.
        what: The noun for the counted items.
        words: What the classes are called.
        everything: Print all actions; else only those with the most candidates that
            violate a property.
    """
    if not matrix.counts:
        return
    total: Counter[Worth] = Counter()
    for counts in matrix.counts.values():
        total.update(counts)
    meanings = [meaning for worth, (_, meaning) in _MARKS.items() if total[worth]]
    yield ""
    yield from wrapped(f"{what} by action and class: {'; '.join(meanings)}")
    kinds = [k for k in CLASSES if any(k == kind for kind, _ in matrix.counts)]
    actions = [a for a in matrix.actions if any(a == b for _, b in matrix.counts)]
    shown = actions if everything else _gravest(matrix, actions)
    rows = [(_cut(a, _LONGEST), (a,)) for a in shown] + [(_ALL, matrix.actions)]
    cells = {kind: [_cell(matrix, (kind,), of) for _, of in rows] for kind in kinds}
    heads = {kind: _head(words.kind(kind)) for kind in kinds}
    columns = {kind: [*heads[kind], *cells[kind]] for kind in kinds}
    left = ["", "", *(label for label, _ in rows)]
    sums = ["", _ALL, *(_cell(matrix, kinds, of) for _, of in rows)]
    room = WIDEST - 4 - max(map(len, left)) - max(map(len, sums))
    while columns:
        block = _fitting(columns, room)
        stacks = [columns.pop(kind) for kind in block]
        last = [] if columns else [sums]
        table = zip(left, *stacks, *last, strict=True)
        lines = (f"  {line}".rstrip() for line in aligned(table, right_from=1))
        # No name of a block may have a second line.
        yield from filter(None, lines)
        if columns:
            yield ""
    if len(actions) > len(shown):
        left_out = plural(len(actions) - len(shown), "more action")
        yield f"  \u2026 {left_out}; --all lists them"


def _gravest(matrix: ClassMatrix, actions: list[Action]) -> list[Action]:
    """The actions with the most that violates a property, in their order."""

    def harmless(action: Action) -> tuple[int, ...]:
        of = [matrix.counts.get((kind, action), {}) for kind in CLASSES]
        grave: tuple[Worth, ...] = (
            "hazardous",
            "contested",
            "unknown",
            "excluded-unsafe",
        )
        return tuple(-sum(counts.get(worth, 0) for counts in of) for worth in grave)

    first = {*sorted(actions, key=harmless)[:_MOST_ROWS]}
    return [action for action in actions if action in first]


def _fitting(columns: Mapping[Class, Sequence[str]], room: int) -> list[Class]:
    """The first classes that fit into some characters, at least one."""
    block: list[Class] = []
    for kind, column in columns.items():
        room -= max(map(len, column)) + 2
        if room < 0 and block:
            break
        block.append(kind)
    return block


def _head(name: str) -> tuple[str, str]:
    """The name of a class in two lines."""
    first, _, second = _cut(name, 2 * _LONGEST_CLASS).partition(" ")
    cut = (_cut(first, _LONGEST_CLASS), _cut(second, _LONGEST_CLASS))
    return cut if second else ("", cut[0])


def _cell(
    matrix: ClassMatrix, kinds: Sequence[Class], actions: Iterable[Action]
) -> str:
    """What the candidates of some classes and actions are worth."""
    counts: Counter[Worth] = Counter()
    for action in actions:
        for kind in kinds:
            counts.update(matrix.counts.get((kind, action), {}))
    parts = (f"{m}{counts[w]}" for w, (m, _) in _MARKS.items() if counts.get(w))
    return " ".join(parts) or _NOTHING


def _cut(name: str, most: int) -> str:
    shown = printable(name)
    return shown if len(shown) <= most else f"{shown[: most - 1]}\u2026"


def class_csv(matrix: ClassMatrix) -> Iterator[str]:
    """Yield the same rows as lines of CSV, header first; safe for spreadsheets."""
    yield csv_line(("class", "name", "action", *(w.replace("-", "_") for w in WORTHS)))
    for row in matrix.rows:
        yield csv_line((row.class_, row.name, row.action, *row.counts.values()))


def said_of(classes: Classes, words: Words = PLAIN) -> Callable[[Transition], str]:
    """Return the remark on a candidate: its class, and what an omission leaves out.

    Args:
        classes: The classes of its environment.
        words: What the classes are called.
    """

    def said(transition: Transition) -> str:
        kind, left_out = classes.of(transition)
        return words.kind(kind) + (f" of {left_out}" if left_out is not None else "")

    return said
