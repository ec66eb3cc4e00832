"""Unique names for the states of one system."""

from __future__ import annotations

from collections.abc import Sequence


def distinct(names: Sequence[str]) -> Sequence[str]:
    """Return unique names: repeated names get a number, `x~2`.

    Cost: linear in their number.
    """
    taken = set(names)
    if len(taken) == len(names):
        return names
    used: dict[str, int] = {}
    result = []
    for name in names:
        count = used[name] = used.get(name, 0) + 1
        if count > 1:
            while f"{name}~{count}" in taken:
                count += 1
            used[name] = count
            name = f"{name}~{count}"
            taken.add(name)
        result.append(name)
    return result
