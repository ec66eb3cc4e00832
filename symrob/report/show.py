"""What a model is, before any question is asked about it: for `symrob show`.

In:  a model as a reader returns it.
Out: for each of its components, or for its product, a `Portrait`; lines of
     text, a dictionary for JSON, or an SVG document of these.

A component shows what stands in the file. What the components can do together,
such as deadlocks, only the product shows; it is built when someone asks for it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from textwrap import wrap
from typing import Any

from symrob.formats import ModelFile
from symrob.limits import watched
from symrob.lts import ERROR, TAU, Action, Lts, Network, StateId
from symrob.lts.reachability import breadth_first
from symrob.report.json import diagnostic_dict
from symrob.report.text import limited, plural, printable

SCHEMA = "symrob/show/1"
MOST_LINES = 200
"""Lines of transitions, states or actions that text shows unless all are wanted."""

_WIDTH = 96


@dataclass(frozen=True)
class Portrait:
    """One transition system and what strikes the eye about it.

    Attributes:
        name: What the file calls it.
        lts: The system.
    """

    name: str
    lts: Lts

    @cached_property
    def unreachable(self) -> tuple[StateId, ...]:
        """States that no run enters."""
        met = set(breadth_first(self.lts))
        return tuple(q for q in range(self.lts.size) if q not in met)

    @cached_property
    def deadlocks(self) -> tuple[StateId, ...]:
        """Reachable states without moves, other than END."""
        dead = set(self.unreachable)
        return tuple(
            q
            for q, row in enumerate(self.lts.successors)
            if not row and q != self.lts.end and q not in dead
        )

    @cached_property
    def nondeterminism(self) -> tuple[tuple[StateId, Action], ...]:
        """States with an internal move, or with several targets of one action."""
        return tuple(
            (q, action)
            for q, row in enumerate(watched(self.lts.successors))
            for action, targets in row.items()
            if action == TAU or len(targets) > 1
        )

    @cached_property
    def deadlock_run(self) -> tuple[Action, ...] | None:
        """A shortest run into a deadlock; `None` if there is none."""
        return _shortest_run(self.lts, frozenset(self.deadlocks))

    @cached_property
    def error_run(self) -> tuple[Action, ...] | None:
        """A shortest run into ERROR; `None` if it cannot be reached."""
        return _shortest_run(self.lts, frozenset([ERROR]))


def portraits(model: ModelFile, system: Lts | Network) -> tuple[Portrait, ...]:
    """Return the portrait of each component of a system.

    Args:
        model: The model as it was read, for its name.
        system: Its network, or the product of it.
    """
    if isinstance(system, Lts):
        return (Portrait(model.name, system),)
    return tuple(
        Portrait(name, lts)
        for name, lts in zip(system.component_names, system.components, strict=True)
    )


def _shortest_run(lts: Lts, goals: frozenset[StateId]) -> tuple[Action, ...] | None:
    """Return the actions of a shortest run from the initial state into `goals`.

    Cost: linear in the transitions; stops at the first goal.
    """
    came_from: dict[StateId, tuple[StateId, Action] | None] = {0: None}
    queue = [0]
    for state in watched(queue):
        if state in goals:
            return tuple(_way_back(came_from, state))
        if state == ERROR:
            continue
        for action, targets in lts.successors[state].items():
            for target in targets:
                if target not in came_from:
                    came_from[target] = (state, action)
                    queue.append(target)
    return None


def _way_back(
    came_from: dict[StateId, tuple[StateId, Action] | None], state: StateId
) -> list[Action]:
    actions: list[Action] = []
    step = came_from[state]
    while step is not None:
        state, action = step
        actions.append(action)
        step = came_from[state]
    return actions[::-1]


# --- text -----------------------------------------------------------------


def show_lines(
    model: ModelFile, system: Lts | Network, title: str, *, everything: bool = False
) -> Iterator[str]:
    """Yield what `symrob show` prints.

    Args:
        model: The model as it was read.
        system: Its network, or the product of it.
        title: How the user named the model.
        everything: Show all lines of long lists.
    """
    parts = portraits(model, system)
    most = None if everything else MOST_LINES
    if isinstance(system, Network):
        yield (
            f"{printable(title)}: {plural(len(parts), 'component')} side by side, "
            "not multiplied out (--product does it)"
        )
        yield from _listed(plural(len(system.alphabet), "action"), system.alphabet)
        if system.hidden:
            yield from _listed("hidden", sorted(system.hidden))
        meetings = list(_meetings(system))
        if meetings:
            yield "  taken together:"
            yield from limited(meetings, most, indent="  ")
    for part in parts:
        if isinstance(system, Network):
            yield ""
        yield from _portrait_lines(part, most)
    if model.meaning:
        yield from _listed("in words", [model.meaning])
    kept = _kept(model)
    if kept:
        yield ""
        yield from _listed("read and kept, without part in any analysis", kept)


def _portrait_lines(part: Portrait, most: int | None) -> Iterator[str]:
    lts = part.lts
    kind = "deterministic" if lts.deterministic else "nondeterministic"
    yield (
        f"{printable(part.name)}: {plural(lts.size, 'state')}, "
        f"{plural(len(lts.transitions), 'transition')}, "
        f"{plural(len(lts.alphabet), 'action')}, {kind}"
    )
    yield from _listed("alphabet", lts.alphabet)
    if lts.unused_actions:
        yield from _listed("never offered", lts.unused_actions)
    yield from limited(_transition_lines(lts), most, indent="  ")
    yield from _listed("unreachable", _names(lts, part.unreachable))
    yield from _listed(
        "nondeterministic",
        [
            f"{lts.state_name(q)} has an internal move"
            if action == TAU
            else f"{lts.state_name(q)} on {action}"
            for q, action in part.nondeterminism
        ],
    )
    if lts.end is not None:
        yield f"  END: {printable(lts.state_name(lts.end))}"
    if part.deadlocks:
        yield from _listed("deadlock", _names(lts, part.deadlocks))
        yield from _run("shortest run into a deadlock", part.deadlock_run)
    else:
        yield "  deadlock: none"
    if part.error_run is not None:
        yield from _run("shortest run into ERROR", part.error_run)


def _run(label: str, actions: Sequence[Action] | None) -> Iterator[str]:
    yield from _listed(label, actions or ["(at the start)"], join=" → ")


def _transition_lines(lts: Lts) -> Iterator[str]:
    """Yield a line for each state and target: `state  actions → target`."""
    name = [printable(lts.state_name(q)) for q in range(lts.size)]
    wide = min(max(map(len, name)), 40)
    groups: dict[tuple[StateId, StateId], list[Action]] = {}
    for source, action, target in watched(lts.transitions):
        groups.setdefault((source, target), []).append(action)
    rows: list[list[StateId]] = [[] for _ in name]
    for source, target in groups:
        rows[source].append(target)
    for source, targets in enumerate(rows):
        label = name[source]
        if not targets:
            yield f"  {label}"
        for target in sorted(targets, key=lambda t: (t == ERROR, t)):
            actions = ", ".join(map(printable, groups[source, target]))
            goal = "ERROR" if target == ERROR else name[target]
            yield f"  {label:{wide}}  {actions} → {goal}"
            label = ""


def _meetings(network: Network) -> Iterator[str]:
    """Yield a line for each action that several components take together."""
    owners: dict[Action, list[str]] = {}
    for name, lts in zip(network.component_names, network.components, strict=True):
        for action in lts.alphabet:
            owners.setdefault(action, []).append(name)
    shared = {a: names for a, names in owners.items() if len(names) > 1}
    wide = min(max((len(printable(a)) for a in shared), default=0), 40)
    for action in sorted(shared):
        label = printable(action)
        yield f"    {label:{wide}}  {', '.join(map(printable, shared[action]))}"


def _listed(label: str, items: Sequence[str], join: str = ", ") -> Iterator[str]:
    """Yield `label: a, b, …`, wrapped; nothing for no items."""
    if items:
        shown = [printable(i) for i in items[:MOST_LINES]]
        more = len(items) - len(shown)
        text = join.join(shown) + (f" and {more:,} more" if more else "")
        yield from wrap(
            f"{label}: {text}",
            _WIDTH,
            initial_indent="  ",
            subsequent_indent="    ",
            break_long_words=False,
            break_on_hyphens=False,
        )


def _names(lts: Lts, states: Sequence[StateId]) -> list[str]:
    return [lts.state_name(q) for q in states]


def _kept(model: ModelFile) -> list[str]:
    """Return the declarations of an FSP text that no analysis looks at."""
    if not model.declarations or model.meaning:
        return []
    from symrob.formats.fsp import ast

    kinds = (ast.ProgressDef, ast.Menu, ast.Animation, ast.FluentDef, ast.Assert)
    return [
        f"{type(d).__name__.lower().removesuffix('def')} {d.name.text}"
        for d in model.declarations
        if isinstance(d, kinds)
    ]


# --- JSON and SVG ---------------------------------------------------------


def show_dict(model: ModelFile, system: Lts | Network, title: str) -> dict[str, Any]:
    """Return the same for JSON; states by number, their names in each system."""
    return {
        "schema": SCHEMA,
        "title": title,
        "alphabet": list(system.alphabet),
        "hidden": sorted(system.hidden),
        "components": [_portrait_dict(p) for p in portraits(model, system)],
        "kept": _kept(model),
        **({"meaning": model.meaning} if model.meaning else {}),
        "warnings": [diagnostic_dict(w) for w in model.warnings],
    }


def _portrait_dict(part: Portrait) -> dict[str, Any]:
    return {
        "name": part.name,
        "system": part.lts.to_dict(),
        "deterministic": part.lts.deterministic,
        "nondeterminism": [list(pair) for pair in part.nondeterminism],
        "deadlocks": list(part.deadlocks),
        "deadlock_run": _listed_or_none(part.deadlock_run),
        "error_run": _listed_or_none(part.error_run),
        "unreachable": list(part.unreachable),
        "unused": list(part.lts.unused_actions),
        "error_transitions": sum(t.target == ERROR for t in part.lts.transitions),
    }


def _listed_or_none(actions: Sequence[Action] | None) -> list[Action] | None:
    return None if actions is None else list(actions)
