"""From one case file with a [matrix] to its cases.

In:  a TOML document that was found to be right.
Out: one document without [matrix] for each choice, with the name of the choice.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product
from math import prod
from typing import Any

from symrob.errors import Diagnostic, LimitExceeded

MAX_CASES = 10_000


def expand(
    data: Mapping[str, Any], path: str, max_cases: int = MAX_CASES
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the choice and the document of each case.

    Controllers vary slowest, then properties, constraints, and the constants in
    the order of the file. The choice is empty where there is no [matrix].

    Args:
        data: The document.
        path: Its file, for messages.
        max_cases: Bound on the number of cases.

    Raises:
        LimitExceeded: The matrix stands for more cases than that.
    """
    matrix = data.get("matrix", {})
    axes = [
        [(key, value) for value in matrix[axis]]
        for axis, key in (
            ("controllers", "controller"),
            ("properties", "properties"),
            ("constraints", "constraints"),
        )
        if axis in matrix
    ]
    constants = matrix.get("constants", {})
    axes += [[(f"constants.{n}", v) for v in vs] for n, vs in constants.items()]
    count = prod(map(len, axes))
    if count > max_cases:
        raise LimitExceeded(
            f"{path} stands for {count:,} cases, more than {max_cases:,}; "
            "raise --bound max-cases to compute them"
        )
    for choice in product(*axes):
        yield ", ".join(map(_named, choice)), _chosen(data, choice)


def _chosen(data: Mapping[str, Any], choice: tuple[tuple[str, Any], ...]) -> Any:
    case = {key: value for key, value in data.items() if key != "matrix"}
    case["constants"] = dict(case.get("constants", {}))
    for key, value in choice:
        table, _, name = key.partition(".")
        if name:
            case[table][name] = value
        elif key == "controller":
            case[key] = value
        else:
            case[key] = [value] if isinstance(value, str) else value
    return case


def _named(choice: tuple[str, Any]) -> str:
    key, value = choice
    if key.startswith("constants."):
        key = key.removeprefix("constants.")
        shown = "..".join(map(str, value)) if isinstance(value, list) else str(value)
    else:
        shown = value if isinstance(value, str) else "+".join(value) or "none"
    return f"{key}={shown}"


def not_one_case(path: str, count: int) -> Diagnostic:
    """Return what to say where one case is needed and a file stands for more."""
    return Diagnostic(
        "case-matrix",
        f"this file stands for {count:,} cases",
        file=path,
        hint="`symrob batch` computes all cases of a file",
    )
