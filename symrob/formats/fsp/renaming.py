"""Renaming and hiding actions, of processes and of composites.

In:  an `Lts`, and relabels or label sets of an FSP text.
Out: the `Lts` with other actions.

A renaming maps each action to its new names: several names duplicate a transition, and
actions with the same new name are merged. The names of hidden actions of a network
contain `#`, which no label can; they remain unchanged.

A relabel renames the longest matching dotted prefix of an action; hiding and `@` use
the same test.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain

from symrob.formats.fsp import ast
from symrob.formats.fsp.tokens import Findings
from symrob.formats.fsp.values import Scope
from symrob.limits import watched
from symrob.lts import TAU, Action, Lts

HIDDEN_MARK = "#"

Renaming = Callable[[Action], tuple[Action, ...]]


@dataclass(frozen=True)
class Renamings:
    """The pairs of relabels.

    Attributes:
        new: For each old name or prefix, its new names.
        places: For each old name, the places of its relabels.
    """

    new: Mapping[Action, tuple[Action, ...]]
    places: Mapping[Action, frozenset[int]]

    def __call__(self, action: Action) -> tuple[Action, ...]:
        """Return the new names of an action; the action itself if no pair matches."""
        prefix = self.match(action)
        if prefix is None:
            return (action,)
        rest = action[len(prefix) :]
        return tuple(new + rest for new in self.new[prefix])

    def match(self, action: Action) -> Action | None:
        """Return the matching old name: the longest dotted prefix."""
        if HIDDEN_MARK in action:
            return None
        return longest_prefix(action, self.new)


def longest_prefix(action: Action, olds: Mapping[Action, object]) -> Action | None:
    """Return the longest dotted prefix of `action` (or itself) among `olds`."""
    while action not in olds:
        dot = action.rfind(".")
        if dot < 0:
            return None
        action = action[:dot]
    return action


def relabel_pairs(relabels: Iterable[ast.Relabelling], scope: Scope) -> Renamings:
    """Expand relabels into pairs.

    The old label may use variables that the new label binds.
    """
    new: dict[Action, dict[Action, None]] = {}
    places: dict[Action, set[int]] = {}
    written = _written_out(relabels, scope)
    for count, (name, old, pos) in enumerate(written, start=1):
        new.setdefault(old, {})[name] = None
        places.setdefault(old, set()).add(pos)
        scope.check_expansion(count, pos)
    return Renamings(
        {old: tuple(names) for old, names in new.items()},
        {old: frozenset(found) for old, found in places.items()},
    )


def _written_out(
    relabels: Iterable[ast.Relabelling], scope: Scope
) -> Iterator[tuple[Action, Action, int]]:
    for relabel in relabels:
        if isinstance(relabel, ast.RelabelForall):
            for _values, bound in scope.bind(relabel.indices):
                yield from _written_out(relabel.relabels, bound)
            continue
        for name, bound in scope.expand(relabel.new):
            for old in bound.label_names(relabel.old):
                yield name, old, relabel.pos


def note_relabels(
    pairs: Renamings, alphabet: Iterable[Action], notes: Findings
) -> None:
    """Note which relabels have an action to rename in `alphabet`."""
    found = {pairs.match(action) for action in alphabet}
    message = "this relabelling has no effect: no action has the old name"
    for old, places in pairs.places.items():
        for pos in places:
            notes.doubt("fsp-relabel-nothing", pos, message, unless=old in found)


def prefixed(prefixes: tuple[str, ...]) -> Renaming:
    """Return the renaming that prefixes an action with each of `prefixes`."""

    def rename(action: Action) -> tuple[Action, ...]:
        if HIDDEN_MARK in action:
            return (action,)
        return tuple(f"{prefix}.{action}" for prefix in prefixes)

    return rename


def rename(lts: Lts, renaming: Renaming) -> Lts:
    """Return `lts` with its actions renamed, or hidden if the new name is `tau`.

    Cost: linear in the resulting transitions.
    """
    table = {action: renaming(action) for action in lts.alphabet} | {TAU: (TAU,)}
    return Lts(
        set(chain(*table.values())) - {TAU},
        lts.size,
        [(s, new, t) for s, action, t in lts.transitions for new in table[action]],
        names=lts.names,
        end=lts.end,
    )


def merges(alphabet: Iterable[Action], renaming: Renaming) -> bool:
    """Whether two actions of `alphabet` get the same name."""
    seen: set[Action] = set()
    for action in watched(alphabet):
        for new in set(renaming(action)):
            if new in seen:
                return True
            seen.add(new)
    return False


def hidden_actions(
    alphabet: Iterable[Action], names: Iterable[str], *, keep: bool
) -> frozenset[Action]:
    """Return the actions of `alphabet` that hiding (or `@`, `keep`) removes.

    A name also matches its dotted extensions.
    """
    table = dict.fromkeys(names)
    return frozenset(
        action
        for action in alphabet
        if HIDDEN_MARK not in action and (longest_prefix(action, table) is None) == keep
    )


def hiding_set(
    hiding: ast.Hiding | None, alphabet: Iterable[Action], scope: Scope
) -> frozenset[Action]:
    r"""Return the actions that a `\` or `@` suffix hides."""
    if hiding is None:
        return frozenset()
    names = scope.set_names(hiding.labels)
    return hidden_actions(alphabet, names, keep=hiding.sign == "@")
