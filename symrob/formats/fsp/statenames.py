"""How states and components are called.

In:  local processes with their indices, and names that may repeat.
Out: names as they stand in the model, each once.
"""

from __future__ import annotations

from symrob.formats.fsp.values import Value

# What a state is before it has a number: a local process with its indices.
Key = tuple[str, tuple[Value, ...]]


def key_name(key: Key) -> str:
    """Return the name of a local process with its indices: `RUN[1]`."""
    return key[0] + "".join(f"[{value}]" for value in key[1])


def unique(names: list[str]) -> list[str]:
    """Add a number to each name that is taken already."""
    taken = set(names)
    used: dict[str, int] = {}
    result = []
    for name in names:
        count = used.get(name, 0)
        used[name] = count + 1
        if count:
            while f"{name}~{count + 1}" in taken:
                count += 1
            used[name] = count + 1
            name = f"{name}~{count + 1}"
            taken.add(name)
        result.append(name)
    return result
