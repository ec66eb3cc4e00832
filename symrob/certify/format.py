"""The records of a certificate: their kinds, keys and types, in one table.

In:  a line of a certificate.
Out: its record, if the line is exactly what `encoded` writes of a record of the table.

A shape is a type; a constant; `{key: shape}`, an object with exactly these keys in this
order; `[shape]`, a list; `(shape, …)`, a list of this many; `Rising`, a list that
increases; `Either`. Standard library only.
"""

import json
from itertools import pairwise
from typing import Any, NamedTuple

SCHEMA = "symrob/certificate/2"


class Rising(NamedTuple):
    """A list whose items increase, so that each set has one form."""

    item: Any


class Either(NamedTuple):
    """One of several shapes."""

    shapes: tuple[Any, ...]


# Claims, with the kinds of records that show each.
CLAIMS = {
    "all-deviations": ("deviation", "unsafe", "add"),
    "deviations": ("deviation", "unsafe"),
    "all-unsafe-sets": ("deviation", "unsafe", "add"),
    "unsafe-sets": ("unsafe",),
    "includes": ("deviation", "unsafe", "add"),
    "exceeds": ("deviation", "unsafe"),
    "tolerates": ("deviation",),
    "excludes": ("unsafe",),
    "resilient": ("deviation", "unsafe", "add"),
    "no-hazard-within": ("deviation", "unsafe", "add"),
    "hazards-within": ("unsafe",),
    "keeps-goals": ("deviation",),
    "loses-goals": ("deviation",),
}
SYSTEM = {
    "name": str,
    "alphabet": Rising(str),
    "states": int,
    "transitions": Rising((int, str, int)),
    "names": Either((None, [str])),
}
# One that does not begin in its first state alone.
BEGINNING = {**SYSTEM, "initial": Rising(int)}
SYSTEMS = [Either((SYSTEM, BEGINNING))]
NETWORK = {"name": str, "components": SYSTEMS, "hidden": Rising(str)}
# A requirement on states: kind, actions, and a condition, which is read from the left.
REQUIRED = {
    "name": str,
    "kind": Either(("state", "while", "never-while", "guard")),
    "actions": Rising(str),
    "when": [(Either(("E", "C", "not", "and", "or")), int, Rising(int))],
}
CLAIM = {
    "claim": Either(tuple(CLAIMS)),
    "sides": (int, int),
    "title": str,
    "most": int,
}
# The kind of a record is its first key. Kinds come in this order.
RECORDS: dict[str, Any] = {
    "schema": {"schema": SCHEMA, "title": str},
    "environment": {"environment": NETWORK},
    "constraint": {"constraint": Either((NETWORK, REQUIRED))},
    "controller": {"controller": NETWORK},
    "property": {"property": Either((NETWORK, REQUIRED))},
    "budget": {"budget": int},
    "candidates": {"candidates": Either(("all", Rising(int)))},
    "mode": {
        "mode": str,
        "changes": Rising((int, int, str, int)),
        "at_most": Either((None, int)),
    },
    "claim": Either((CLAIM, {**CLAIM, "goals": [Rising(str)]})),
    "deviation": {"deviation": Rising(int)},
    "unsafe": {"unsafe": Rising(int), "breaks": int, "run": [int]},
    "add": {"add": [int], "by": [int]},
}
END = {"end": {**dict.fromkeys(RECORDS, int), "sha256": str}}
_ENCODER = json.JSONEncoder(separators=(",", ":"))


def encoded(record: dict[str, Any]) -> bytes:
    """Return the line of a record; each record has one."""
    return _ENCODER.encode(record).encode("ascii") + b"\n"


def decoded(line: bytes) -> dict[str, Any]:
    """Return the record of a line.

    Raises:
        ValueError: It is not a record, or not in canonical form.
    """
    try:
        record = json.loads(line.decode("ascii"))
    except (ValueError, RecursionError):
        raise ValueError("not valid ASCII JSON") from None
    if type(record) is not dict or encoded(record) != line:
        # So no key occurs twice, and no number, text or space is written otherwise.
        raise ValueError("a line is not a record in canonical form")
    kind = next(iter(record), "")
    shape = END if kind == "end" else RECORDS.get(kind)
    if shape is None:
        raise ValueError(f"unknown kind of record: {kind!r:.60}")
    if misfit := _misfit(record, shape, kind):
        raise ValueError(misfit)
    return record


def _misfit(value: Any, shape: Any, place: str) -> str:
    """Why a value does not have a shape; empty if it does."""
    if isinstance(shape, Either):
        found = [_misfit(value, each, place) for each in shape.shapes]
        return "" if "" in found else " or ".join(found)
    if isinstance(shape, dict):
        if type(value) is not dict or [*value] != [*shape]:
            return f"{place} does not have exactly the keys {', '.join(shape)}"
        return _first(_misfit(value[k], shape[k], f"{place}.{k}") for k in shape)
    if isinstance(shape, tuple) and not isinstance(shape, Rising):
        if type(value) is not list or len(value) != len(shape):
            return f"{place} is not a list of {len(shape)}"
        return _first(map(_misfit, value, shape, [place] * len(shape)))
    if isinstance(shape, list | Rising):
        item = shape[0]
        if type(value) is not list:
            return f"{place} is not a list"
        if isinstance(item, type):
            if not {*map(type, value)} <= {item}:
                return f"{place} has an item that is not {item.__name__}"
        elif misfit := _first(_misfit(each, item, place) for each in value):
            return misfit
        rises = not isinstance(shape, Rising) or all(a < b for a, b in pairwise(value))
        return "" if rises else f"the items of {place} are not in increasing order"
    if isinstance(shape, type):
        return "" if type(value) is shape else f"{place} is not {shape.__name__}"
    return (
        ""
        if value == shape and type(value) is type(shape)
        else f"{place} is not {shape!r}"
    )


def _first(misfits: Any) -> str:
    return next(filter(None, misfits), "")
