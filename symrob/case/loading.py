"""Reading case files: one case, or one for each choice of a matrix.

In:  a `.toml` file; or a model file that gives roles to its parts (`case.roles`).
Out: its `Case`, or one for each choice of a matrix; every problem of the file at once.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import product
from math import prod
from typing import Any

from symrob.case.faults import declared_names
from symrob.case.keys import CASE, LIMITS
from symrob.case.model import Case
from symrob.case.places import TomlSource, load_table, naming
from symrob.case.probability import unknown_problems
from symrob.case.roles import case_of_roles, has_roles, models_of, with_roles
from symrob.case.specs import GivenRoles
from symrob.case.tables import KeyProblem
from symrob.case.words import load_words, words_of
from symrob.errors import Diagnostic, LimitExceeded, SymrobError
from symrob.files.paths import ANYWHERE, beside
from symrob.limits import MAX_CASES
from symrob.options import Options
from symrob.words import Words


def load_case(path: str, *, allow_outside: bool = False) -> Case:
    """Read a case file with a single case.

    Args:
        path: The file, with the suffix `.toml`; or a model file that gives roles to its
            parts.
        allow_outside: Allow paths in the file outside of its folder.

    Raises:
        SymrobError: It cannot be read or is not valid TOML, or a key is missing,
            unknown or has a value of the wrong type; all problems at once. Or it has a
            matrix with several cases.
    """
    cases = load_cases(path, allow_outside=allow_outside)
    if len(cases) != 1:
        message = f"this file describes {len(cases):,} cases"
        hint = "`symrob batch` runs all cases of a file"
        raise SymrobError(Diagnostic("case-matrix", message, file=path, hint=hint))
    return cases[0]


def load_cases(
    path: str, *, allow_outside: bool = False, max_cases: int = MAX_CASES
) -> tuple[Case, ...]:
    """Read a case file; with a matrix it has several cases.

    Args:
        path: The file, with the suffix `.toml`; or a model file that gives roles to its
            parts.
        allow_outside: Allow paths in the file outside of its folder.
        max_cases: Bound on the number of cases.

    Returns:
        At least one case; see `expand` for their order.

    Raises:
        SymrobError: As for `load_case`.
        LimitExceeded: The matrix has more cases than that.
    """
    if has_roles(path):
        return (case_of_roles(path, allow_outside=allow_outside),)
    data, source = load_table(
        path,
        "case",
        "case-key",
        CASE,
        problems=_problems,
        allow_outside=allow_outside,
    )
    root = ANYWHERE if allow_outside else os.path.dirname(path)
    chosen = _chosen(data, path, root, source)
    # What all choices have in common.
    known: dict[str, Any] = {"source": source, "words": _words(data, source)}
    cases: list[Case] = []
    for choice, document in expand(data, path, max_cases):
        given = {} if chosen is None else models_of(chosen, document)
        case = Case.of(document, path, root=root, choice=choice, **known, **given)
        cases.append(case if chosen is None else with_roles(case, chosen))
        known["faults"] = cases[0].faults
        known["probabilities"] = cases[0].probabilities
    return tuple(cases)


def _chosen(
    data: Mapping[str, Any], path: str, root: str, source: TomlSource
) -> Case | None:
    """The case that a file describes of which [roles] says what its parts are."""
    if "roles" not in data:
        return None
    given = GivenRoles.of(data["roles"], path, root)
    bounds = {LIMITS[key]: value for key, value in data.get("limits", {}).items()}
    with naming(source, str(given.model)):
        return case_of_roles(
            given.model.path,
            given=given,
            limits=Options.of(bounds).limits,
            at=source.at,
        )


def _problems(data: Mapping[str, Any]) -> Iterator[KeyProblem]:
    """All that is wrong with a case file."""
    wrong = False
    for problem in CASE.problems(data):
        wrong = True
        yield problem
    chances, faults = data.get("probability", {}), data.get("faults", {})
    tables = isinstance(chances, dict) and isinstance(faults, dict)
    if wrong and tables and "table" not in faults:
        # What they mean is asked when the models are there, which is not reached now.
        yield from unknown_problems(chances, dict.fromkeys(declared_names(faults)))


def _words(data: Mapping[str, Any], source: TomlSource) -> Words:
    """Return the words of a document that was found to be right."""
    given, classes = data.get("words", {}), data.get("classes", {})
    if not isinstance(given, str):
        return words_of(given, classes, shared="matrix" in data or "against" in data)
    file = beside(source.file, given)
    with naming(source, file):
        words = load_words(file)
    return replace(words, classes=words_of({}, classes).classes)


def expand(
    data: Mapping[str, Any], path: str, max_cases: int = MAX_CASES
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the choice of each case of a matrix, and its document without a matrix.

    Controllers vary slowest, then properties, constraints, and the constants in the
    order of the file. The choice is empty if there is no [matrix].

    Raises:
        LimitExceeded: The matrix has more cases than that.
    """
    matrix, constants = data.get("matrix", {}), data.get("constants", {})
    whole = {key: value for key, value in data.items() if key != "matrix"}
    axes = [
        [(key, value) for value in matrix[axis]]
        for axis, key in _AXES.items()
        if axis in matrix
    ]
    varied = matrix.get("constants", {})
    axes += [[(name, value) for value in values] for name, values in varied.items()]
    count = prod(map(len, axes))
    if count > max_cases:
        raise LimitExceeded(
            f"{path} describes {count:,} cases, more than {max_cases:,}; "
            "raise --bound max-cases to compute them"
        )
    first = len(axes) - len(varied)
    for chosen in product(*axes):
        choice = ", ".join(f"{key}={_shown(value)}" for key, value in chosen)
        document = {**whole, **{k: _listed(k, v) for k, v in chosen[:first]}}
        document["constants"] = {**constants, **dict(chosen[first:])}
        if choice:
            title = data.get("title", os.path.basename(path))
            document["title"] = f"{title} ({choice})"
        yield choice, document


_AXES = {
    "controllers": "controller",
    "properties": "properties",
    "constraints": "constraints",
}


def _listed(key: str, value: Any) -> Any:
    """The rules of a choice, which may be a single one."""
    return [value] if key != "controller" and isinstance(value, str) else value


def _shown(value: Any) -> str:
    if isinstance(value, str | int):
        return str(value)
    numbers = value and isinstance(value[0], int)
    return (".." if numbers else "+").join(map(str, value)) or "none"
