"""Views: what other components observe of E's states, and the labels that carry them.

In:  an `Lts` whose states have views: numbers, equal for states that nobody can
     distinguish.
Out: its transitions with labels in place of actions: an action, and the view of the
     state that it leads to.

Conditions may name states of E, but a component beside E observes only actions. A label
carries both, so that every result about components that observe actions remains valid.
Without views, labels are actions.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import Any, cast

from symrob.lts.model import TAU, Action, Lts, StateId, Transition

# No name of an action ends in it and a number.
_MARK = "\0view"
# What E does first where it, or C, can begin in other states than the first: it goes
# from state 0 to one of its initial states, and C beside it to one of its own. Before
# that nothing else can be done. It is no step of any run.
START = "\0start"

Label = Action


def with_views(environment: Lts, views: Sequence[int], *, starts: bool = False) -> Lts:
    """Return the same system with a view for each of its states.

    Args:
        environment: E.
        views: The views.
        starts: Whether `START` comes first.
    """
    e = environment
    seen = with_transitions(e, e.transitions)
    seen.views, seen.starts = tuple(views), starts
    return seen


def with_transitions(environment: Lts, transitions: Iterable[Sequence[Any]]) -> Lts:
    """Return a system with the same states and views, and other transitions."""
    e = environment
    other = Lts(
        *(e.alphabet, e.size, transitions),
        names=e.names,
        end=e.end,
        parts=e.parts,
        initial=e.initial,
    )
    other.views, other.starts = e.views, e.starts
    return other


def plain(label: Label) -> Action:
    """Return the action of a label."""
    return label.partition(_MARK)[0] if _MARK in label else label


def view_of(label: Label) -> str:
    """Return the view that a label carries."""
    return label[len(plain(label)) :]


def named(action: Action, view: int) -> Label:
    """Return the label of an action that leads to a state with a view."""
    return f"{action}{_MARK}{view}"


def label_of(
    environment: Lts, source: StateId, action: Action, target: StateId
) -> Label:
    """Return the label of a transition; a `tau` that keeps the view stays `tau`."""
    views = environment.views
    if views is None:
        return action
    if action == TAU and views[source] == views[target] and not environment.starts:
        return action
    return named(action, views[target])


def labelled(environment: Lts, transitions: Iterable[Any]) -> Iterable[Transition]:
    """Return transitions with labels in place of actions."""
    views = environment.views
    if views is None:
        return transitions
    return (Transition(q, label_of(environment, q, a, r), r) for q, a, r in transitions)


def moves_of(environment: Lts, transitions: Iterable[Any]) -> Iterable[Transition]:
    """Return transitions with labels, after the `START` steps if there are any."""
    if not environment.starts:
        return labelled(environment, transitions)
    return chain(starts_of(environment), labelled(environment, transitions))


def starts_of(environment: Lts) -> list[Transition]:
    """Return the `START` steps."""
    views = environment.views
    assert views is not None, "where it comes first, states have views"
    return [Transition(0, named(START, views[q]), q) for q in environment.initial]


def labels_of(environment: Lts, action: Action) -> tuple[Label, ...]:
    """Return the labels of a visible action, by view."""
    views = environment.views
    if views is None:
        return (action,)
    return tuple(named(action, view) for view in sorted({*views}))


def visible_labels(environment: Lts) -> tuple[Label, ...]:
    """Return the labels that transitions over Act_E can have, sorted."""
    if environment.views is None:
        return environment.alphabet
    alphabet = environment.alphabet
    return tuple(sorted(x for a in alphabet for x in labels_of(environment, a)))


def all_labels(environment: Lts) -> tuple[Label, ...]:
    """Return the visible labels, and those of silent steps that change the view."""
    if environment.views is None:
        return environment.alphabet
    return tuple(sorted((*visible_labels(environment), *fixed_labels(environment))))


def fixed_labels(environment: Lts) -> tuple[Label, ...]:
    """Return the labels of steps that are never candidates, except `TAU` itself."""
    if environment.views is None:
        return ()
    starts = (
        {step.action for step in starts_of(environment)} if environment.starts else ()
    )
    return (*labels_of(environment, TAU), *sorted(starts))


def by_label(environment: Lts) -> Sequence[Mapping[Label, tuple[StateId, ...]]]:
    """Return for each state its labels with their targets; see `Lts.successors`."""
    if environment.views is None:
        return environment.successors
    known = environment.__dict__.get("_by_label")
    if known is None:
        table: list[dict[Label, list[StateId]]] = [{} for _ in range(environment.size)]
        for source, label, target in moves_of(environment, environment.transitions):
            table[source].setdefault(label, []).append(target)
        known = [{x: tuple(ts) for x, ts in row.items()} for row in table]
        environment.__dict__["_by_label"] = known
    return cast("Sequence[Mapping[Label, tuple[StateId, ...]]]", known)


def mask_seen(environment: Lts, label: Label) -> int:
    """Return the states, as bits, that a label can lead to."""
    views = environment.views
    if views is None:
        return (1 << environment.size) - 1
    view = int(label.partition(_MARK)[2])
    return sum(1 << q for q, mine in enumerate(views) if mine == view)
