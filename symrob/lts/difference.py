"""The differences between two systems that should be equal, as text."""

from __future__ import annotations

from collections.abc import Iterator

from symrob.lts.model import Lts


def differences(first: Lts, second: Lts, names: tuple[str, str]) -> Iterator[str]:
    """Yield the differences between two systems as text; nothing if they are equal.

    Args:
        first: The first system.
        second: The second system. Equal systems whose states are numbered differently
            count as different, which the text reports.
        names: The names of the two systems.

    Cost: linear in both.
    """
    if _renumbered(first, second):
        q = next(q for q in range(first.size) if _state(first, q) != _state(second, q))
        name = first.state_name(q)
        there = next(r for r in range(second.size) if second.state_name(r) == name)
        yield (
            f"the same states with different numbers: {name} is {q} in the {names[0]} "
            f"and {there} in the {names[1]}"
        )
        return
    parts: tuple[tuple[str, set[str], set[str]], ...] = (
        ("actions", set(first.alphabet), set(second.alphabet)),
        ("states", _states(first), _states(second)),
        ("transitions", _words(first), _words(second)),
    )
    if _states(first) == _states(second):
        parts += (("initial states", _initial(first), _initial(second)),)
    for what, one, other in parts:
        if one != other:
            least = min(one ^ other)
            owner = names[0] if least in one else names[1]
            yield f"different {what}: only the {owner} has {least}"


def _renumbered(first: Lts, second: Lts) -> bool:
    return (
        first.names is not None
        and second.names is not None
        and first.names != second.names
        and first.names[0] == second.names[0]
        and set(first.names) == set(second.names)
        and first.alphabet == second.alphabet
        and _words(first) == _words(second)
    )


def _state(lts: Lts, state: int) -> str:
    return f"{lts.state_name(state)} ({state})"


def _initial(lts: Lts) -> set[str]:
    return {_state(lts, q) for q in lts.initial}


def _states(lts: Lts) -> set[str]:
    return {_state(lts, q) for q in range(lts.size)}


def _words(lts: Lts) -> set[str]:
    return {
        f"{source} --{a}--> {target}"
        for source, a, target in lts.named(lts.transitions)
    }
