"""What a case calls the classes of candidates: `[classes]`, read and checked.

In:  what a case file says under `classes`.
Out: the names by class, every problem of them.

    [classes]
    omission = "skipped step"
    jump-ahead = "step taken too early"
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from symrob.case.keys import Expected, KeyProblem, wrong_values
from symrob.errors import printable
from symrob.problem.classes import CLASSES

# Characters of a name.
MAX_LENGTH = 60
_A_NAME: Expected = (
    lambda value: isinstance(value, str) and 0 < len(value) <= MAX_LENGTH,
    f"a text of 1 to {MAX_LENGTH} characters",
)


def class_problems(table: Mapping[str, Any]) -> Iterator[KeyProblem]:
    """Yield everything that is wrong with a table of names of classes."""
    found = list(wrong_values(table, dict.fromkeys(CLASSES, _A_NAME), ("classes",)))
    yield from found
    if found:
        return
    names = {kind: kind.replace("-", " ") for kind in CLASSES} | dict(table)
    for kind, name in table.items():
        others = [o for o in CLASSES if name in (o, names[o]) and o != kind]
        if others:
            message = f"'classes.{kind}' is called '{name}', as is '{others[0]}'"
            yield KeyProblem(message, ("classes", kind))


def class_names(table: Mapping[str, Any]) -> dict[str, str]:
    """Return the names of a table without problems; none of them steers a terminal."""
    return {kind: printable(name) for kind, name in table.items()}
