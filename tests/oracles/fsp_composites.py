"""What an FSP composite means, computed on terms by the language's definition.

In:  composites as terms: plain values that hold processes as explicit machines.
Out: the machine of each, multiplied out wherever the definition says so.

Renaming goes down to the members, as the definition words it: a group is renamed
member by member, a named composite is inlined as its members, unless it is
composed first or the renaming maps two of its labels to one. Nothing is shared with
symrob, where renaming goes up from the members and hidden actions keep names.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cache, cached_property, reduce
from itertools import product as combinations
from typing import Any

ERROR = "ERROR"
TAU = "tau"
MOST_STATES = 150
MOST_MEMBERS = 6
MOST_LABELS = 40


class TooLarge(Exception):
    """A machine has more states or labels, or a product more members, than it may."""


class Unclear(Exception):
    """The definition does not say what comes out."""


@dataclass(frozen=True)
class Machine:
    """A transition system; its states are whatever can be hashed."""

    labels: frozenset[str]
    start: Any
    moves: frozenset[tuple[Any, str, Any]]
    end: Any = None

    def row(self) -> dict[Any, list[tuple[str, Any]]]:
        """Return the moves of each state that has some."""
        rows: dict[Any, list[tuple[str, Any]]] = {}
        for source, label, target in self.moves:
            rows.setdefault(source, []).append((label, target))
        return rows

    def states(self) -> set[Any]:
        """Return the reachable states without ERROR."""
        rows, seen, todo = self.row(), {self.start}, [self.start]
        while todo:
            new = {t for _a, t in rows.get(todo.pop(), ())} - seen - {ERROR}
            seen |= new
            todo += new
        return seen


Renaming = Callable[[str], set[str]]


@dataclass(frozen=True)
class Group:
    """Members side by side: a group in brackets, the copies of a `forall`."""

    members: tuple[Any, ...]


@dataclass(frozen=True)
class Renamed:
    """A term with a renaming: a prefix, `{…}::`, or relabels."""

    renaming: Renaming
    inside: Any


@dataclass(frozen=True)
class Composite:
    """A named composite, used as a term where it is called."""

    body: Any
    priority: tuple[bool, frozenset[str]] | None = None
    hiding: tuple[bool, frozenset[str]] | None = None
    modifiers: frozenset[str] = field(default_factory=frozenset)

    @property
    def first(self) -> bool:
        """Whether it is composed before what stands around it."""
        return bool(self.priority or self.hiding or self.modifiers)

    @cached_property
    def labels(self) -> frozenset[str]:
        """The labels that it does not hide."""
        found = labels(self.body)
        if self.hiding is None:
            return found
        keep, names = self.hiding
        return frozenset(a for a in found if among(a, names) == keep)


Term = Machine | Group | Renamed | Composite


def prefixes(names: Iterable[str]) -> Renaming:
    """Return the renaming of `name:` or `{names}::`."""
    names = tuple(names)
    return lambda label: {f"{name}.{label}" for name in names}


def relabels(pairs: Iterable[tuple[str, str]]) -> Renaming:
    """Return the renaming of `/ {new/old, …}`: exact, or the longest dotted prefix."""
    pairs = tuple(pairs)

    @cache
    def renaming(label: str) -> set[str]:
        words = label.split(".")
        for count in range(len(words), 0, -1):
            old = ".".join(words[:count])
            rest = "".join(f".{word}" for word in words[count:])
            found = {new + rest for new, this in pairs if this == old}
            if found:
                return found
        return {label}

    return renaming


def among(label: str, names: frozenset[str]) -> bool:
    """Tell whether hiding or priority by `names` means a label."""
    return any(label == name or label.startswith(f"{name}.") for name in names)


def renamed(machine: Machine, renaming: Renaming) -> Machine:
    """Rename a machine; several new names multiply its moves."""
    return Machine(
        frozenset(new for label in machine.labels for new in renaming(label)),
        machine.start,
        frozenset(
            (s, new, t)
            for s, label, t in machine.moves
            for new in ({TAU} if label == TAU else renaming(label))
        ),
        machine.end,
    )


def hidden(machine: Machine, keep: bool, names: frozenset[str]) -> Machine:
    """Hide some labels, or all others."""
    gone = {label for label in machine.labels if among(label, names) != keep}
    return Machine(
        machine.labels - gone,
        machine.start,
        frozenset((s, TAU if a in gone else a, t) for s, a, t in machine.moves),
        machine.end,
    )


def members(term: Term, renamings: tuple[Renaming, ...] = ()) -> list[Machine]:
    """Return the machines that run side by side in a term."""
    match term:
        case Machine():
            return [reduce(renamed, renamings, term)]
        case Group(inside):
            return [m for member in inside for m in members(member, renamings)]
        case Renamed(renaming, inside):
            return members(inside, (renaming, *renamings))
        case Composite(body):
            if term.first or merged(labels(term), renamings):
                alone = whole(term)
                return [reduce(renamed, renamings, alone)] if alone else []
            return members(body, renamings)
    raise AssertionError(term)


def labels(term: Term) -> frozenset[str]:
    """Return the visible labels of a term."""
    match term:
        case Machine() | Composite():
            return term.labels
        case Group(inside):
            return frozenset(a for member in inside for a in labels(member))
        case Renamed(renaming, inside):
            return frozenset(new for a in labels(inside) for new in renaming(a))
    raise AssertionError(term)


def merged(names: frozenset[str], renamings: tuple[Renaming, ...]) -> bool:
    """Tell whether renaming maps two labels to one."""
    for renaming in renamings:
        new = [n for name in names for n in renaming(name)]
        if len(new) > len(set(new)):
            return True
        names = frozenset(new)
    return False


def whole(term: Composite) -> Machine | None:
    """Return the machine of a composite; `None` if nothing is in it."""
    machines = members(term.body)
    if not machines:
        return None
    machine = together(machines)
    if term.priority is not None:
        machine = favouring(machine, *term.priority)
    if term.hiding is not None:
        machine = hidden(machine, *term.hiding)
    if "minimal" in term.modifiers and "deterministic" not in term.modifiers:
        machine = minimal(without_silent_states(machine))
    if term.modifiers & {"deterministic", "property"}:
        machine = deterministic(machine)
    if "property" in term.modifiers:
        machine = completed(machine)
    return machine


def together(machines: list[Machine]) -> Machine:
    """Return the product: common labels together, all else interleaved."""
    if len(machines) > MOST_MEMBERS or any(
        len(m.labels) > MOST_LABELS for m in machines
    ):
        raise TooLarge
    rows = [m.row() for m in machines]
    names = frozenset(a for m in machines for a in m.labels)
    able = [
        i
        for i, m in enumerate(machines)
        if m.end is not None and m.end != m.start and m.end in m.states()
    ]
    covered = frozenset(a for i in able for a in machines[i].labels)

    @cache
    def steps(state: tuple[Any, ...]) -> set[tuple[str, Any]]:
        found = set()
        for i, row in enumerate(rows):
            for label, target in row.get(state[i], ()):
                if label == TAU:
                    found.add((TAU, (*state[:i], target, *state[i + 1 :])))
        offered = {
            a
            for row, here in zip(rows, state, strict=True)
            for a, _t in row.get(here, ())
        }
        for name in offered - {TAU}:
            options = [
                [t for a, t in row.get(here, ()) if a == name]
                if name in m.labels
                else [here]
                for m, row, here in zip(machines, rows, state, strict=True)
            ]
            found |= {(name, after) for after in combinations(*options)}
        return {(a, ERROR if ERROR in after else after) for a, after in found}

    def ends(state: tuple[Any, ...]) -> bool:
        return (
            bool(able)
            and covered == names
            and all(state[i] == machines[i].end for i in able)
        )

    start = tuple(m.start for m in machines)
    moves, todo, seen, end = set(), [start], {start}, None
    while todo:
        state = todo.pop()
        for label, after in steps(state):
            if after != ERROR and not steps(after) and ends(after):
                after = end = "END"
            moves.add((state, label, after))
            if after not in (ERROR, "END") and after not in seen:
                seen.add(after)
                todo.append(after)
                if len(seen) > MOST_STATES:
                    raise TooLarge
    return Machine(names, start, frozenset(moves), end)


def favouring(machine: Machine, high: bool, names: frozenset[str]) -> Machine:
    """Apply `<< names` (high) or `>> names`."""
    moves = set()
    for state, row in machine.row().items():
        liked = {(a, t) for a, t in row if a != TAU and among(a, names)}
        others = set(row) - liked
        kept = (liked or others) if high else (others or liked)
        moves |= {(state, a, t) for a, t in kept}
    return Machine(machine.labels, machine.start, frozenset(moves), machine.end)


def completed(machine: Machine) -> Machine:
    """Return a property: whatever is missing leads to ERROR."""
    moves = set(machine.moves)
    for state in machine.states():
        offered = {a for s, a, _t in machine.moves if s == state}
        moves |= {(state, a, ERROR) for a in machine.labels - offered}
    return Machine(machine.labels, machine.start, frozenset(moves))


def silent(machine: Machine) -> dict[Any, set[Any]]:
    """Return what each state reaches by `tau` alone."""
    rows = machine.row()
    found: dict[Any, set[Any]] = {ERROR: {ERROR}}
    for state in machine.states():
        seen, todo = {state}, [state]
        while todo:
            new = {t for a, t in rows.get(todo.pop(), ()) if a == TAU} - seen
            seen |= new
            todo += new
        found[state] = seen
    return found


def deterministic(machine: Machine) -> Machine:
    """Apply `deterministic`, up to minimisation, which keeps bisimilarity."""
    rows = machine.row()
    reached = {s: rows.get(s, []) for s in machine.states()}
    if not any(
        a == TAU or sum(b == a for b, _t in row) > 1
        for row in reached.values()
        for a, _t in row
    ):
        return machine
    closure = silent(machine)
    start = frozenset(closure[machine.start] - {ERROR})
    moves, todo, seen = set(), [start], {start}
    while todo:
        here = todo.pop()
        after: dict[str, set[Any]] = {}
        for state in here:
            for a, t in rows.get(state, ()):
                if a != TAU:
                    after.setdefault(a, set()).update(closure[t])
        for a, targets in after.items():
            target = ERROR if ERROR in targets else frozenset(targets)
            moves.add((here, a, target))
            if target != ERROR and target not in seen:
                seen.add(target)
                todo.append(target)
    end = frozenset([machine.end]) if machine.end is not None else None
    return Machine(machine.labels, start, frozenset(moves), end)


def without_silent_states(machine: Machine) -> Machine:
    """Let predecessors of a state with only `tau` go to where it goes."""
    while True:
        rows = machine.row()
        for state in machine.states() - {machine.start}:
            if state in rows and {a for a, _t in rows[state]} == {TAU}:
                break
        else:
            return machine
        after = {t for _a, t in rows[state]}
        if state in after or any(
            state in silent(machine)[t] for t in after if t != ERROR
        ):
            raise Unclear("a cycle of tau")
        moves = {
            (s, a, u)
            for s, a, t in machine.moves
            if s != state
            for u in (after if t == state else {t})
        }
        machine = Machine(machine.labels, machine.start, frozenset(moves), machine.end)


def minimal(machine: Machine) -> Machine:
    """Merge weakly bisimilar states; END counts as seen after `tau`."""
    closure = silent(machine)
    states = machine.states()
    weak: dict[Any, set[tuple[str, Any]]] = {}
    rows = machine.row()
    for state in states:
        row = {(TAU, t) for t in closure[state]}
        for middle in closure[state]:
            for a, t in rows.get(middle, ()):
                row |= {(a, u) for u in closure[t]}
        weak[state] = row
    of = stable({s: int(machine.end in closure[s]) for s in states}, weak)
    moves = {
        (of[s], a, ERROR if t == ERROR else of[t])
        for s, a, t in machine.moves
        if s in of
    }
    return Machine(
        machine.labels,
        of[machine.start],
        frozenset(m for m in moves if m[1] != TAU or m[0] != m[2]),
        of.get(machine.end),
    )


def stable(
    classes: dict[Any, int], rows: dict[Any, set[tuple[str, Any]]]
) -> dict[Any, int]:
    """Split classes until states of one class have the same moves to classes."""
    while True:
        marks: dict[Any, int] = {}
        new = {
            s: marks.setdefault(
                (c, frozenset((a, classes.get(t, ERROR)) for a, t in rows[s])),
                len(marks),
            )
            for s, c in classes.items()
        }
        if len(marks) == len(set(classes.values())):
            return new
        classes = new


def same(one: Machine, two: Machine, *, ends: bool = True) -> bool:
    """Tell whether two machines are strongly bisimilar and have the same labels.

    Args:
        one: A machine.
        two: A machine.
        ends: Whether END counts.
    """
    if one.labels != two.labels:
        return False
    classes: dict[Any, int] = {}
    rows: dict[Any, set[tuple[str, Any]]] = {}
    for side, machine in enumerate((one, two)):
        table = machine.row()
        for state in machine.states():
            classes[side, state] = int(ends and state == machine.end)
            rows[side, state] = {
                (a, ERROR if t == ERROR else (side, t)) for a, t in table.get(state, ())
            }
    of = stable(classes, rows)
    return of[0, one.start] == of[1, two.start]
