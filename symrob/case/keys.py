"""The keys of a case file.

In:  nothing.
Out: `CASE`, which describes the valid values of each; see `case.tables`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from symrob.case.faults import FAULTS
from symrob.case.goals import GOALS
from symrob.case.probability import PROBABILITIES
from symrob.case.tables import (
    A_COUNT,
    A_TEXT,
    AT_MOST,
    FILE,
    IDENTITY,
    MODEL,
    RULE,
    Key,
    KeyPath,
    KeyProblem,
    Keys,
    dotted,
    is_number,
    is_table,
    is_text,
    list_of,
    needing,
    some_texts,
)
from symrob.case.words import CLASS_NAMES, WORDS
from symrob.limits import BUDGETS
from symrob.options import ALGORITHMS, is_seconds
from symrob.question_names import question_names

# What a batch can be asked: `deviations`, and what there is a question for.
QUESTIONS = ("deviations", *question_names())

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
# Other keys that set some.
SETTINGS = {
    "algorithm": "algorithm",
    "extra_states": "extra_states",
    "top": "largest",
    "weights": "weights",
    "budgets": "budgets",
}


def is_constant(value: object) -> bool:
    """Whether a value is a number or a range `[low, high]`."""
    if isinstance(value, list):
        return len(value) == 2 and all(is_number(v) for v in value)
    return is_number(value)


def _is_figure(value: object) -> bool:
    figure = is_number(value) or isinstance(value, float | str)
    return figure or list_of(is_number)(value)


# What a case may give once, or as a list in [matrix].
_EITHER = {"controller": "controllers", "properties": "properties"}


def _together(data: Mapping[str, Any], _at: KeyPath) -> Iterator[KeyProblem]:
    """Keys that are missing, or that do not go with others."""
    matrix = data.get("matrix", {})
    axes = matrix if isinstance(matrix, dict) else {}
    if "roles" in data:
        named = (k for k in ("environment", "controller") if k in data)
        given: list[tuple[str, KeyPath]] = [(key, (key,)) for key in named]
        if "controllers" in axes:
            given.append(("controller", ("matrix", "controllers")))
        for key, path in given:
            hint = f"name the parts as 'roles.{key}'"
            yield KeyProblem(f"'{dotted(path)}' conflicts with 'roles'", path, hint)
    else:
        for key in ("environment", *_EITHER):
            if key not in data and _EITHER.get(key) not in axes:
                yield KeyProblem(f"the key '{key}' is missing")
    for key in ("controller", "properties", "constraints"):
        axis = _EITHER.get(key, key)
        if key in data and axis in axes:
            message = f"'{key}' is given here and as 'matrix.{axis}'"
            yield KeyProblem(message, (key,), "omit one of them")
    both = axes.get("constants", {}), data.get("constants", {})
    if all(isinstance(table, dict) for table in both):
        for name in sorted(set(both[0]) & set(both[1])):
            message = f"'{name}' is a constant here and in 'matrix.constants'"
            yield KeyProblem(message, ("constants", name), "omit one of them")
    if "matrix" in data:
        if not axes:
            yield KeyProblem("'matrix' contains no lists", ("matrix",))
        for key in ("row", "paper"):
            if key in data:
                message = f"'{key}' is for a single case, but 'matrix' defines several"
                yield KeyProblem(message, (key,))
    asked = data.get("compute", ())
    wants_other = isinstance(asked, list) and "compare" in asked
    if wants_other and "against" not in data:
        hint = "name the other controller or properties in [against]"
        message = "'compare' in 'compute' requires the table 'against'"
        yield KeyProblem(message, ("compute",), hint)
    if data.get("against") == {}:
        yield KeyProblem("'against' names no model of the other side", ("against",))
    if "weights" in data and "top" not in data:
        hint = "specify how many of the largest deviations to compute: top = 1"
        message = "'weights' requires 'top'"
        yield KeyProblem(message, ("weights",), hint)
    if "top" in data and data.get("algorithm", "maximal") != "maximal":
        message = "'top' requires the algorithm 'maximal'"
        yield KeyProblem(message, ("top",))


def _a_table(what: str, inside: Keys) -> Key:
    return Key(is_table, f"a table of {what}", inside=inside)


def _is_rule(value: object) -> bool:
    return is_text(value) or is_table(value)


_A_MODEL = Key(is_text, "the path of a model", MODEL)
_A_RULE = Keys(
    {"model": Key(is_text, "the path of a model, or a sentence", RULE), **IDENTITY},
    together=needing("model", "id"),
)
_PROPERTIES = Key(
    list_of(_is_rule, 1), "a non-empty list of paths of models", RULE, _A_RULE
)
_CONSTRAINTS = Key(list_of(_is_rule), "a list of paths of models", RULE, _A_RULE)
_TEXTS = Key(list_of(is_text), "a list of strings")
_SECONDS = Key(is_seconds, "a number of seconds, more than 0")
_LISTS = "a list of paths of models, or of lists of them"

_AGAINST = Keys(
    {
        "controller": _A_MODEL,
        "properties": _PROPERTIES,
        "constraints": _CONSTRAINTS,
    }
)
_MATRIX = Keys(
    {
        "controllers": Key(list_of(is_text, 1), _PROPERTIES.expected, MODEL),
        "properties": Key(list_of(some_texts(1), 1), _LISTS, RULE),
        "constraints": Key(list_of(some_texts(), 1), _LISTS, RULE),
        "constants": _a_table(
            "constants",
            Keys(
                free=Key(
                    list_of(is_constant, 1), "a list of numbers or [low, high] pairs"
                )
            ),
        ),
    }
)

_PARTS = Key(list_of(is_text, 1), "a non-empty list of names")
_GIVEN_ROLES = Keys(
    {
        "model": _A_MODEL,
        **dict.fromkeys(("environment", "controller", "properties", "guards"), _PARTS),
    },
    together=needing("model"),
)

CASE = Keys(
    {
        "title": A_TEXT,
        "row": A_TEXT,
        "labels": _TEXTS,
        "environment": _A_MODEL,
        "controller": _A_MODEL,
        "properties": _PROPERTIES,
        "constraints": _CONSTRAINTS,
        "algorithm": Key(ALGORITHMS.__contains__, f"one of {', '.join(ALGORITHMS)}"),
        "extra_states": Key(
            lambda v: is_number(v, 0), "a whole number of at least 0, below 2^63"
        ),
        "at_most": AT_MOST,
        "top": A_COUNT,
        "weights": Key(is_text, "the path of a file of weights", FILE),
        "compute": Key(
            list_of(QUESTIONS.__contains__, 1),
            f"a list of one or more of {', '.join(QUESTIONS)}",
        ),
        "order": A_COUNT,
        "one_sided": _TEXTS,
        "controllable": _TEXTS,
        "uncontrollable": _TEXTS,
        "against": _a_table("the models of the other side", _AGAINST),
        "limits": _a_table(
            "bounds", Keys({**dict.fromkeys(LIMITS, A_COUNT), "timeout": _SECONDS})
        ),
        "budgets": _a_table("seconds", Keys(dict.fromkeys(BUDGETS, _SECONDS))),
        "matrix": _a_table("lists", _MATRIX),
        "paper": _a_table(
            "figures",
            Keys(
                dict.fromkeys(
                    PAPER_KEYS,
                    Key(_is_figure, "a number, a list of whole numbers, or a string"),
                )
            ),
        ),
        "constants": _a_table(
            "constants",
            Keys(free=Key(is_constant, "a number or a [low, high] pair")),
        ),
        "words": Key(
            lambda v: is_table(v) or is_text(v),
            "a table of words, or the path of a file that contains one",
            FILE,
            WORDS,
        ),
        "classes": _a_table("names of classes", CLASS_NAMES),
        "faults": _a_table("fault modes", FAULTS),
        "probability": _a_table("probabilities", PROBABILITIES),
        "progress": _a_table("goals", GOALS),
        "roles": _a_table("a model and the roles of its parts", _GIVEN_ROLES),
    },
    together=_together,
)
