"""The keys of a case file: what each may hold, and what is wrong with a file.

In:  a TOML document as a dictionary.
Out: every problem of it, with the key that it is about.

The rules stand here alone: a validator of schemas takes longer to load than a small
case to compute, and its words are not the user's.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from symrob.errors import did_you_mean
from symrob.limits import BUDGETS
from symrob.options import ALGORITHMS, is_seconds

Check = Callable[[object], bool]
# What a value must pass, and what is expected, for messages.
Expected = tuple[Check, str]
# The number of a table or element stands behind the key of its array.
KeyPath = tuple[str | int, ...]
# Behind the key of a text or a number: not the key is meant, but what it holds.
VALUE = -1

QUESTIONS = ("deviations", "summary", "cuts", "compare", "risk")

PAPER_KEYS = (
    "actions",
    "environment_states",
    "controller_states",
    "property_states",
    "winning_set",
    "winning_set_per_env_deviation",
    "delta",
    "largest",
    "wall_heuristic",
    "wall_plain",
)

# The keys of [limits], and the fields of `Options` that they set.
LIMITS = {
    "timeout": "timeout",
    "memory": "max_memory",
    "deviations": "limit",
    "nodes": "max_nodes",
    "max_states": "max_states",
    "max_transitions": "max_transitions",
    "max_expansion": "max_expansion",
    "max_nesting": "max_nesting",
}


class KeyProblem(NamedTuple):
    """One thing that is wrong with a case.

    Attributes:
        message: What, and what was expected.
        key: The key that it is about, behind those of the tables around it;
            empty where a key is missing.
        hint: What to do about it.
    """

    message: str
    key: KeyPath = ()
    hint: str | None = None


def is_number(value: object, least: int | None = None) -> bool:
    """Whether a value is a whole number of the usual size, and not too small."""
    if not isinstance(value, int) or isinstance(value, bool):
        return False
    return abs(value) <= sys.maxsize and (least is None or value >= least)


def is_text(value: object) -> bool:
    """Whether a value is a text that is not empty."""
    return isinstance(value, str) and value != ""


def is_constant(value: object) -> bool:
    """Whether a value is a number or a range `[low, high]`."""
    if isinstance(value, list):
        return len(value) == 2 and all(is_number(v) for v in value)
    return is_number(value)


def list_of(check: Check, least: int = 0) -> Check:
    """Return the check of lists, of so many values at least, that all pass one."""

    def fits(value: object) -> bool:
        return (
            isinstance(value, list)
            and len(value) >= least
            and all(check(v) for v in value)
        )

    return fits


def _is_figure(value: object) -> bool:
    figure = is_number(value) or isinstance(value, float | str)
    return figure or list_of(is_number)(value)


def _is_questions(value: object) -> bool:
    return list_of(QUESTIONS.__contains__, 1)(value)


def _is_words(value: object) -> bool:
    return _is_table(value) or is_text(value)


def _is_table(value: object) -> bool:
    return isinstance(value, dict)


def _positive(value: object) -> bool:
    return is_number(value, 1)


def _models(value: object) -> bool:
    return is_text(value) or list_of(is_text)(value)


def _some_models(value: object) -> bool:
    return is_text(value) or list_of(is_text, 1)(value)


_A_COUNT = (_positive, "a whole number of at least 1, below 2^63")
_A_MODEL = (is_text, "the path of a model")
_MODELS = (list_of(is_text), "a list of paths of models")
_SOME_MODELS = (list_of(is_text, 1), "a list of paths of models, at least one")
_A_TEXT = (is_text, "a text")
_CONSTANTS = (_is_table, "a table of constants")
_SECONDS = (is_seconds, "a number of seconds, more than 0")
_A_FIGURE = (_is_figure, "a number, a list of whole numbers, or a text")

_KEYS: dict[str, Expected] = {
    "title": _A_TEXT,
    "row": _A_TEXT,
    "labels": (list_of(is_text), "a list of texts"),
    "environment": _A_MODEL,
    "controller": _A_MODEL,
    "properties": _SOME_MODELS,
    "constraints": _MODELS,
    "constants": _CONSTANTS,
    "algorithm": (ALGORITHMS.__contains__, f"one of {', '.join(ALGORITHMS)}"),
    "extra_states": (
        lambda v: is_number(v, 0),
        "a whole number of at least 0, below 2^63",
    ),
    "top": _A_COUNT,
    "weights": (is_text, "the path of a file of weights"),
    "compute": (_is_questions, f"a list of some of {', '.join(QUESTIONS)}"),
    "order": _A_COUNT,
    "one_sided": (list_of(is_text), "a list of texts"),
    "against": (_is_table, "a table of the models of the other side"),
    "limits": (_is_table, "a table of bounds"),
    "budgets": (_is_table, "a table of seconds"),
    "matrix": (_is_table, "a table of lists"),
    "paper": (_is_table, "a table of figures"),
    "classes": (_is_table, "a table of names of classes"),
    "faults": (_is_table, "a table of fault modes"),
    "probability": (_is_table, "a table of probabilities"),
    "controllable": (list_of(is_text), "a list of texts"),
    "uncontrollable": (list_of(is_text), "a list of texts"),
    "words": (_is_words, "a table of words, or the path of a file that has it"),
}
_TABLES: dict[str, dict[str, Expected]] = {
    "against": {
        "controller": _A_MODEL,
        "properties": _SOME_MODELS,
        "constraints": _MODELS,
    },
    "limits": {
        **dict.fromkeys(LIMITS, _A_COUNT),
        "timeout": _SECONDS,
    },
    "budgets": dict.fromkeys(BUDGETS, _SECONDS),
    "matrix": {
        "controllers": _SOME_MODELS,
        "properties": (
            list_of(_some_models, 1),
            "a list of paths of models, or of lists of them",
        ),
        "constraints": (
            list_of(_models, 1),
            "a list of paths of models, or of lists of them",
        ),
        "constants": _CONSTANTS,
    },
    "paper": dict.fromkeys(PAPER_KEYS, _A_FIGURE),
}
_A_CONSTANT: Expected = (is_constant, "a number or a [low, high] pair")
_SOME_CONSTANTS: Expected = (
    list_of(is_constant, 1),
    "a list of numbers or [low, high] pairs",
)
# What a case may give once, or as a list in [matrix].
_EITHER = {"controller": "controllers", "properties": "properties"}


def problems(data: Mapping[str, Any]) -> Iterator[KeyProblem]:
    """Yield everything that is wrong with a case file.

    Args:
        data: What the TOML reader gave.
    """
    yield from wrong_values(data, _KEYS, ())
    for table, keys in _TABLES.items():
        if isinstance(data.get(table), dict):
            yield from wrong_values(data[table], keys, (table,))
    yield from _wrong_constants(data, (), _A_CONSTANT)
    yield from _wrong_constants(data.get("matrix"), ("matrix",), _SOME_CONSTANTS)
    yield from _wrong_together(data)


def dotted(key: KeyPath) -> str:
    """Return a key as messages name it, without the numbers in arrays."""
    return ".".join(part for part in key if isinstance(part, str))


def wrong_values(
    table: Mapping[str, Any], known: Mapping[str, Expected], path: KeyPath
) -> Iterator[KeyProblem]:
    """Yield the keys of a table that are not known, and those with wrong values.

    Args:
        table: What the TOML reader gave.
        known: What each key may hold.
        path: The keys of the tables around it.
    """
    for key, value in table.items():
        at = (*path, key)
        name = dotted(at)
        if key not in known:
            yield KeyProblem(f"unknown key '{name}'", at, did_you_mean(key, known))
            continue
        fits, expected = known[key]
        if not fits(value):
            elements = value if isinstance(value, list) else []
            wrong = [i for i, each in enumerate(elements) if not fits([each])]
            # Where all are wrong, the list is.
            place = (*at, wrong[0]) if 0 < len(wrong) < len(elements) else at
            yield KeyProblem(f"'{name}' must be {expected}", place)


def _wrong_constants(
    table: object, path: KeyPath, expected: Expected
) -> Iterator[KeyProblem]:
    """The constants of a case or of its matrix that have wrong values."""
    constants = table.get("constants") if isinstance(table, dict) else None
    if isinstance(constants, dict):
        known = dict.fromkeys(constants, expected)
        yield from wrong_values(constants, known, (*path, "constants"))


def _wrong_together(data: Mapping[str, Any]) -> Iterator[KeyProblem]:
    """Keys that are missing, or that do not go with others."""
    matrix = data.get("matrix", {})
    axes = matrix if isinstance(matrix, dict) else {}
    if "environment" not in data:
        yield KeyProblem("the key 'environment' is missing")
    for key, axis in _EITHER.items():
        if key not in data and axis not in axes:
            yield KeyProblem(f"the key '{key}' is missing")
    for key in ("controller", "properties", "constraints"):
        axis = _EITHER.get(key, key)
        if key in data and axis in axes:
            message = f"'{key}' is given here and as 'matrix.{axis}'"
            yield KeyProblem(message, (key,), "leave one of them out")
    both = axes.get("constants", {}), data.get("constants", {})
    if all(isinstance(table, dict) for table in both):
        for name in sorted(set(both[0]) & set(both[1])):
            message = f"'{name}' is a constant here and in 'matrix.constants'"
            yield KeyProblem(message, ("constants", name), "leave one of them out")
    if "matrix" in data:
        if not axes:
            yield KeyProblem("'matrix' has no list to choose from", ("matrix",))
        for key in ("row", "paper"):
            if key in data:
                message = f"'{key}' is of one case, and 'matrix' makes several"
                yield KeyProblem(message, (key,))
    asked = data.get("compute", ())
    wants_other = isinstance(asked, list) and "compare" in asked
    if wants_other and "against" not in data:
        hint = "name the other controller or properties in [against]"
        yield KeyProblem("nothing to compare with", ("compute",), hint)
    if data.get("against") == {}:
        yield KeyProblem("'against' names no model of the other side", ("against",))
    if "weights" in data and "top" not in data:
        hint = "say how many of the largest are wanted: top = 1"
        yield KeyProblem(
            "'weights' counts only together with 'top'", ("weights",), hint
        )
    if "top" in data and data.get("algorithm", "maximal") != "maximal":
        message = "'top' is only for the algorithm 'maximal'"
        yield KeyProblem(message, ("top",))
