"""Case files, read: paths made relative to the working folder and kept in their own.

In:  a `.toml` file; or a file of models that gives roles to its parts (`case.roles`).
Out: its `Case`, or one for each choice of a matrix; every problem of the file at once.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from symrob.case.classes import class_names, class_problems
from symrob.case.faults import Faults, fault_problems, faults_of, keys_of
from symrob.case.keys import LIMITS, VALUE, KeyPath, KeyProblem, problems
from symrob.case.matrix import MAX_CASES, expand, not_one_case
from symrob.case.model import Case
from symrob.case.places import Source, located, naming
from symrob.case.probability import (
    probabilities_of,
    probability_problems,
    unknown_problems,
)
from symrob.case.specs import Rule, Spec, named_in, outside, parse_rule, parse_spec
from symrob.case.words import load_words, word_problems, words_of
from symrob.errors import SymrobError
from symrob.files import tomltext
from symrob.files.kinds import recognised
from symrob.files.paths import ANYWHERE, beside
from symrob.logic.patterns import is_sentence, parse_pattern
from symrob.words import Words


def load_case(path: str, *, allow_outside: bool = False) -> Case:
    """Read a case file that stands for one case.

    Args:
        path: The file, with the suffix `.toml`; or one that gives roles to its parts.
        allow_outside: Let paths in the file lead out of its folder.

    Raises:
        SymrobError: It cannot be read or is no TOML, or a key is missing, is
            unknown or has a value of the wrong kind; all problems at once. Or
            it has a matrix that stands for several cases.
    """
    cases = load_cases(path, allow_outside=allow_outside)
    if len(cases) != 1:
        raise SymrobError(not_one_case(path, len(cases)))
    return cases[0]


def load_cases(
    path: str, *, allow_outside: bool = False, max_cases: int = MAX_CASES
) -> tuple[Case, ...]:
    """Read a case file; with a matrix it stands for several cases.

    Args:
        path: The file, with the suffix `.toml`; or one that gives roles to its parts.
        allow_outside: Let paths in the file lead out of its folder.
        max_cases: Bound on the number of cases.

    Returns:
        At least one case; see `case.matrix` for their order.

    Raises:
        SymrobError: As for `load_case`.
        LimitExceeded: The matrix stands for more cases than that.
    """
    from symrob.case.roles import case_of_roles, has_roles

    if has_roles(path):
        return (case_of_roles(path, allow_outside=allow_outside),)
    with recognised(path, "case"):
        text, data = read_toml(path)
        found = located(_problems(data), "case-key", path, text)
        source = Source(path, text, {} if found else named_in(_specs(data), path))
        if not found and not allow_outside:
            found = [*outside(_specs(data), "case", source)]
        if found:
            raise SymrobError(found)
        words = _words(data, source)
    root = ANYWHERE if allow_outside else os.path.dirname(path)
    probabilities = None
    if "probability" in data:
        probabilities = probabilities_of(data["probability"], path, text)
    cases = (
        _case(document, source, choice, root, words)
        for choice, document in expand(data, path, max_cases)
    )
    modes = replace(source, keys=keys_of(data.get("faults", {})))
    return tuple(
        replace(
            case,
            probabilities=probabilities,
            faults=case.faults and replace(case.faults, source=modes),
        )
        for case in cases
    )


def read_toml(path: str) -> tuple[str, dict[str, Any]]:
    """Return the text of a case file or policy, and what it says."""
    text, data = tomltext.read_toml(path)
    message = "a path holds the character NUL"
    wrong = (KeyProblem(message, key) for spec, key in _paths(data) if "\0" in spec)
    if found := located(wrong, "file-path", path, text):
        raise SymrobError(found)
    return text, data


# What case files and policies give paths for; other texts may hold anything.
_PATH_KEYS = {
    *("environment", "controller", "controllers", "properties", "constraints"),
    *("weights", "words", "case", "baseline"),
}


def _paths(document: object, at: KeyPath = ()) -> Iterator[tuple[str, KeyPath]]:
    """The texts of keys for paths, wherever they stand, with their keys."""
    if isinstance(document, dict):
        for key, value in document.items():
            if key in _PATH_KEYS or (*at, key) == ("faults", "table"):
                yield from _flat(value, (*at, key))
            else:
                yield from _paths(value, (*at, key))
    elif isinstance(document, list):
        for number, value in enumerate(document):
            yield from _paths(value, (*at, number))


def _problems(data: Mapping[str, Any]) -> Iterator[KeyProblem]:
    """All that is wrong with a case file."""
    wrong = False
    for problem in _each_problem(data):
        wrong = True
        yield problem
    chances, faults = data.get("probability", {}), data.get("faults", {})
    tables = isinstance(chances, dict) and isinstance(faults, dict)
    if wrong and tables and "table" not in faults:
        # What they mean is asked when the models are there, which is not reached now.
        yield from unknown_problems(chances, keys_of(faults))


def _each_problem(data: Mapping[str, Any]) -> Iterator[KeyProblem]:
    yield from problems(data)
    yield from _wrong_sentences(data)
    if isinstance(data.get("words"), dict):
        yield from word_problems(data["words"])
    if isinstance(data.get("classes"), dict):
        yield from class_problems(data["classes"])
    if isinstance(data.get("faults"), dict):
        yield from fault_problems(data["faults"])
    if isinstance(data.get("probability"), dict):
        yield from probability_problems(data["probability"])


def _wrong_sentences(data: Mapping[str, Any]) -> Iterator[KeyProblem]:
    """Properties in words that are none of the sentences."""
    for name in ("against", "matrix", ""):
        table = data.get(name) if name else data
        for key in ("properties", "constraints"):
            rules = table.get(key, ()) if isinstance(table, dict) else ()
            for rule, at in _flat(rules, (name, key) if name else (key,)):
                try:
                    if is_sentence(rule):
                        parse_pattern(rule)
                except SymrobError as error:
                    problem = error.diagnostics[0]
                    yield KeyProblem(problem.message, at, problem.hint)


def _words(data: Mapping[str, Any], source: Source) -> Words:
    """Return the words of a document that was found to be right."""
    given = data.get("words", {})
    if isinstance(given, str):
        file = beside(source.file, given)
        with naming(source, file):
            words = load_words(file)
    else:
        words = words_of(given, shared="matrix" in data or "against" in data)
    return replace(words, classes=class_names(data.get("classes", {})))


def _case(
    data: Mapping[str, Any], source: Source, choice: str, root: str, words: Words
) -> Case:
    """Return the case of a document without matrix."""
    path = source.file

    def models(table: Mapping[str, Any]) -> dict[str, Any]:
        roles: dict[str, Any] = {}
        if "controller" in table:
            roles["controller"] = parse_spec(table["controller"], file=path, root=root)
        for role in ("properties", "constraints"):
            if role in table:
                rules = table[role]
                roles[role] = tuple(parse_rule(r, file=path, root=root) for r in rules)
        return roles

    settings = {LIMITS[k]: v for k, v in data.get("limits", {}).items()}
    settings |= {k: data[k] for k in ("algorithm", "extra_states") if k in data}
    if "budgets" in data:
        settings["budgets"] = data["budgets"]
    if "top" in data:
        settings["largest"] = data["top"]
    if "weights" in data:
        settings["weights"] = beside(path, data["weights"])
    title = data.get("title", os.path.basename(path))
    case = Case(
        environment=parse_spec(data["environment"], file=path, root=root),
        **models(data),
        constants={
            name: tuple(value) if isinstance(value, list) else value
            for name, value in data.get("constants", {}).items()
        },
        title=f"{title} ({choice})" if choice else title,
        row=data.get("row"),
        paper=data.get("paper", {}),
        path=path,
        choice=choice,
        labels=tuple(data.get("labels", ())),
        questions=tuple(dict.fromkeys(data.get("compute", ("deviations",)))),
        settings=settings,
        order=data.get("order"),
        one_sided=tuple(data.get("one_sided", ())),
        words=words,
        faults=_faults(data["faults"], path) if "faults" in data else None,
        controllable=_names(data, "controllable"),
        uncontrollable=_names(data, "uncontrollable"),
        source=source,
    )
    if "against" in data:
        case = replace(case, other=replace(case, **models(data["against"])))
    return case


def _faults(table: Mapping[str, Any], path: str) -> Faults:
    faults = faults_of(table)
    if faults.table is None:
        return faults
    return replace(faults, table=beside(path, faults.table))


def _names(data: Mapping[str, Any], key: str) -> tuple[str, ...] | None:
    return tuple(data[key]) if key in data else None


def _specs(data: Mapping[str, Any]) -> Iterator[tuple[Rule, KeyPath]]:
    """Each path in a document that was found to be right, with its key."""
    for name in ("", "against", "matrix", "faults"):
        table = data.get(name, {}) if name else data
        known = {"table"} if name == "faults" else _PATH_KEYS
        for key in table:
            at = (name, key) if name else (key,)
            for text, place in _flat(table[key], at) if key in known else ():
                if key in ("properties", "constraints"):
                    yield parse_rule(text), place
                elif key in ("environment", "controller", "controllers"):
                    yield parse_spec(text), place
                else:
                    yield Spec(text), place


def _flat(value: Any, key: KeyPath) -> Iterator[tuple[str, KeyPath]]:
    """Each text of a value that is one or a list, with its key."""
    if isinstance(value, str):
        yield value, key if isinstance(key[-1], int) else (*key, VALUE)
    elif isinstance(value, list):
        for number, part in enumerate(value):
            yield from _flat(part, (*key, number))
