"""How states and components are called.

In:  local processes with their indices, and names that may repeat.
Out: names as they stand in the model, each once.
"""

from __future__ import annotations

import re

from symrob.formats.fsp.values import Value

_NUMBER = re.compile(r"0|-?[1-9][0-9]*", re.ASCII)

# What a state is before it has a number: a local process with its indices.
Key = tuple[str, tuple[Value, ...]]


def local_key(name: str, values: tuple[Value, ...]) -> Key:
    """Return the key of a local process, one value for each index.

    A label that a set gives can stand for several: `Q[v]` with v = `1.a` is
    `Q[1][a]`, and its digits are the number.
    """
    if all(isinstance(value, int) for value in values):
        return name, values
    words = [word for value in values for word in str(value).split(".")]
    return name, tuple(int(w) if _NUMBER.fullmatch(w) else w for w in words)


def key_name(key: Key) -> str:
    """Return the name of a local process with its indices: `RUN[1]`."""
    return key[0] + "".join(f"[{value}]" for value in key[1])
