"""Guards in words: "Disable fireXray while TURNTABLE is TO_FLATTENER".

In:  guards, and the memory that they need.
Out: lines of text.
"""

from __future__ import annotations

from collections.abc import Iterator

from symrob.lts import Action, Lts
from symrob.repair.components import MEMORY, Guard, InStates
from symrob.repair.guards import Guards
from symrob.report.text import plural, printable, wrapped
from symrob.words import PLAIN, Words

# More states of a component are told as all but the others.
MOST_STATES = 3


def guards_lines(guards: Guards, words: Words = PLAIN) -> Iterator[str]:
    """Yield all guards, and how the memory changes, if there is one."""
    for guard in guards.guards:
        yield from guard_lines(guard, words)
    yield from memory_lines(guards.memory, words)


def guard_lines(guard: Guard, words: Words = PLAIN) -> Iterator[str]:
    """Yield one guard: the action, and when it is disabled."""
    head = f"Disable {_named(guard.action, words)}"
    if not all(guard.terms):
        yield f"{head} always"
        return
    for number, term in enumerate(guard.terms):
        conditions = " and ".join(condition(c, words) for c in term)
        start = f"{head} while " if number == 0 else "  or while "
        yield from wrapped(start + conditions)


def _named(action: Action, words: Words) -> str:
    """An action, and in brackets what it is called in words."""
    said = words.action(action)
    return printable(action if said == action else f"{action} ({said})")


def guard_text(guard: Guard) -> str:
    """Return a guard in one line, in the names of the model."""
    if not all(guard.terms):
        return f"{printable(guard.action)} always"
    terms = (" and ".join(condition(c) for c in term) for term in guard.terms)
    return f"{printable(guard.action)} while {', or '.join(terms)}"


def condition(one: InStates, words: Words = PLAIN) -> str:
    """Return a condition on one component: `TURNTABLE is TO_FLATTENER`."""
    component = printable(one.component)
    others = [s for s in range(one.lts.size) if s not in one.states]
    if len(one.states) > MOST_STATES and len(others) == 1:
        return f"{component} is not {printable(one.lts.state_name(others[0]))}"
    shown = []
    for name in one.names:
        said = words.state(one.component, name)
        shown.append(printable(name if said == name else f"{name} ({said})"))
    return f"{component} is {' or '.join(shown)}"


def memory_lines(memory: Lts, words: Words = PLAIN) -> Iterator[str]:
    """Yield how the memory changes; nothing if it has one state."""
    if memory.size == 1:
        return
    yield (
        f"{MEMORY} has {plural(memory.size, 'state')} and starts in 0; other actions "
        "do not change it:"
    )
    moves: dict[tuple[int, int], list[str]] = {}
    for source, action, target in memory.transitions:
        moves.setdefault((source, target), []).append(_named(action, words))
    for (source, target), actions in sorted(moves.items()):
        yield from wrapped(f"  {source} → {target}  {', '.join(actions)}")
