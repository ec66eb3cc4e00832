"""Checking rows against the shipped schema.

In:  a parsed row.
Out: its problems, each with its location.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import lru_cache
from importlib.resources import files
from itertools import islice
from typing import Any

# The schemas refer to each other by relative addresses, which need a base.
_BASE = "json-schema:///"
_LONGEST = 200


# What is read of a row that 0.2 wrote.
_STOPPED = ("limit", "timeout", "memory", "crash")
_TEXT = {"type": "string"}
_UNITS = {"type": "array", "items": {"type": ["array", "string"]}}
_ENVIRONMENT = {"type": "object", "required": ["alphabet", "transitions"]}
_COUNTS = {
    "type": "object",
    "required": ["candidates", "delta", "largest", "winning_set"],
    "properties": {"candidates": {"type": "integer"}, "delta": {"type": "integer"}},
}
_OLDER = {
    "type": "object",
    "required": ["case", "constants", "diagnostics", "labels", "reason", "status"],
    "properties": {
        "case": _TEXT,
        "title": _TEXT,
        "reason": _TEXT,
        "status": {"enum": ["complete", "nominal", "error", *_STOPPED]},
        "labels": {"type": "array", "items": _TEXT},
        "constants": {"type": "object"},
        "timing": {"type": "object", "properties": {"seconds": {"type": "number"}}},
        "diagnostics": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["message"],
                "properties": {"message": _TEXT},
            },
        },
        "result": {
            "type": "object",
            "required": ["delta", "environment", "statistics", "status"],
            "properties": {
                "delta": {"type": ["array", "null"], "items": _UNITS},
                "environment": _ENVIRONMENT,
                "statistics": _COUNTS,
                "status": _TEXT,
                "verdicts": {"type": ["object", "null"]},
            },
        },
        "summary": {
            "type": "object",
            "required": ["environment"],
            "properties": {"environment": _ENVIRONMENT, "never": _UNITS},
        },
    },
}


def row_problems(row: object, most: int) -> Iterator[str]:
    """Yield the problems of a row.

    Args:
        row: The parsed line.
        most: At most this many problems.

    Cost: linear in the row.
    """
    older = isinstance(row, dict) and row.get("schema") == "symrob/row/1"
    try:
        found = [*islice(_validator(older).iter_errors(row), most)]
    except UnicodeEncodeError:
        # Names of files need not be UTF-8; for the kinds of values it is all one.
        text = json.dumps(row, ensure_ascii=False).encode("utf-8", "replace")
        found = [*islice(_validator(older).iter_errors(json.loads(text)), most)]
    for error in found:
        place = ".".join(map(str, error.instance_path))
        message = error.message[:_LONGEST]
        yield f"{place}: {message}" if place else message


@lru_cache
def _validator(older: bool) -> Any:
    """The validator of rows, with the schemas of the documents in them."""
    import jsonschema_rs  # Of all commands only the one that reads rows needs it.

    if older:
        return jsonschema_rs.validator_for(_OLDER)

    schemas = [
        _based(json.loads(file.read_text(encoding="utf-8")))
        for file in (files("symrob") / "schemas").iterdir()
        if file.name.endswith(".json")
    ]
    registry = jsonschema_rs.Registry([(s["$id"], s) for s in schemas])
    (row,) = (s for s in schemas if s["$id"].endswith("/row/2"))
    return jsonschema_rs.validator_for(row, registry=registry)


def _based(schema: Mapping[str, Any]) -> dict[str, Any]:
    return {**schema, "$id": _BASE + schema["$id"]}
