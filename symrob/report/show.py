"""A model and its properties, as text, for `symrob show`.

In:  a model as a reader returns it, and its notable properties.
Out: lines of text.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from textwrap import wrap

from symrob.analyses.show import Portrait, kept, portraits
from symrob.formats import ModelFile
from symrob.limits import watched
from symrob.lts import ERROR, TAU, Action, Lts, Network, StateId
from symrob.report.text import limited, plural, printable

MOST_LINES = 200
"""Maximum lines of transitions, states or actions, unless all are requested."""

_WIDTH = 96


def show_lines(
    model: ModelFile, system: Lts | Network, title: str, *, everything: bool = False
) -> Iterator[str]:
    """Yield the output of `symrob show`.

    Args:
        model: The model as it was read.
        system: Its network, or the product of it.
        title: How the user named the model.
        everything: Show all lines of long lists.
    """
    if model.sentence is not None:
        yield printable(title)
        yield from _listed("in words", [model.meaning])
        return
    parts = portraits(model, system)
    most = None if everything else MOST_LINES
    if isinstance(system, Network):
        yield (
            f"{printable(title)}: {plural(len(parts), 'component')} in parallel "
            "(--product computes their product)"
        )
        yield from _listed(plural(len(system.alphabet), "action"), system.alphabet)
        if system.hidden:
            yield from _listed("hidden", sorted(system.hidden))
        meetings = list(_meetings(system))
        if meetings:
            yield "  shared:"
            yield from limited(meetings, most, indent="  ")
    for part in parts:
        if isinstance(system, Network):
            yield ""
        yield from _portrait_lines(part, most)
    if model.meaning:
        yield from _listed("in words", [model.meaning])
    declared = kept(model)
    if declared:
        yield ""
        yield from _listed("kept, not used by any analysis", declared)


def _portrait_lines(part: Portrait, most: int | None) -> Iterator[str]:
    lts = part.lts
    kind = "deterministic" if lts.deterministic else "nondeterministic"
    yield (
        f"{printable(part.name)}: {plural(lts.size, 'state')}, "
        f"{plural(len(lts.transitions), 'transition')}, "
        f"{plural(len(lts.alphabet), 'action')}, {kind}"
    )
    yield from _listed("alphabet", lts.alphabet)
    if lts.initial != (0,):
        yield from _listed("initial", _names(lts, lts.initial))
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
        yield from _run("shortest trace to a deadlock", part.deadlock_run)
    else:
        yield "  deadlock: none"
    if part.error_run is not None:
        yield from _run("shortest trace to ERROR", part.error_run)


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
