"""Writing CIF specifications: a plant for each component.

In:  a system.
Out: the lines of a specification, and warnings about changes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set

from symrob.formats.cif.words import WORDS
from symrob.formats.text import (
    ERROR_NAME,
    by_target,
    distinct_names,
    renamed,
    unused_name,
)
from symrob.lts import ERROR, TAU, Lts, Network


def _spelling(system: Lts | Network) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield the identifiers of actions, components, and states of each component."""
    actions = _spelled(sorted({a for c in system.components for a in c.alphabet}))
    yield "actions", actions
    taken = {name.lstrip("$") for name in actions.values()}
    components = distinct_names(system.component_names, "M")
    spelled = _spelled(components, taken)
    yield "components", {name: spelled[name] for name in components}
    for lts in system.components:
        names = map(lts.state_name, range(lts.size))
        yield "states", _spelled(names, {ERROR_NAME})


def changed(system: Lts | Network) -> Iterator[str]:
    """Yield a warning for each kind of changed names."""
    for what, row in _spelling(system):
        yield from renamed(what, {n: w.removeprefix("$") for n, w in row.items()})


def lines(system: Lts | Network) -> Iterator[str]:
    """Yield the lines; a component with transitions to ERROR is a requirement.

    Cost: linear in the transitions.
    """
    actions, automata, *states = (row for _what, row in _spelling(system))
    for name in actions.values():
        yield f"event {name};"
    for name, lts, row in zip(
        automata.values(), system.components, states, strict=True
    ):
        names = [row[lts.state_name(state)] for state in range(lts.size)]
        yield ""
        yield from _automaton(name, lts, {**actions, TAU: TAU}, names)


def _automaton(
    name: str, lts: Lts, spelled: Mapping[str, str], names: Sequence[str]
) -> Iterator[str]:
    error = lts.can_fail
    yield f"{'requirement' if error else 'plant'} {name}:"
    if lts.alphabet:
        yield f"  alphabet {', '.join(spelled[a] for a in lts.alphabet)};"
    for state, row in enumerate(lts.successors):
        yield f"  location {names[state]}:"
        if state == 0:
            yield "    initial;"
        yield "    marked;"
        for target, actions in by_target(row).items():
            words = ", ".join([spelled[action] for action in actions])
            there = ERROR_NAME if target == ERROR else names[target]
            yield f"    edge {words} goto {there};"
    if error:
        yield f"  location {ERROR_NAME};"
    yield "end"


def _spelled(names: Iterable[str], taken: Set[str] = frozenset()) -> dict[str, str]:
    """Spell names as identifiers, all of them different."""
    used, spelled = set(taken), {}
    # Those that stay as they are come first, so that others make room for them.
    for name in sorted(names, key=lambda n: not _fits(n)):
        word = name if _fits(name) else _made(name)
        unique = unused_name(word, used)
        spelled[name] = f"${unique}" if unique in WORDS else unique
    return spelled


def _fits(name: str) -> bool:
    return re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name) is not None


def _made(name: str) -> str:
    word = re.sub(r"[^A-Za-z0-9_]", "_", name)
    return f"_{word}" if not word or word[0].isdigit() else word
