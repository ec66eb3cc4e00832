"""Whether a row is one, by the schema that is shipped.

In:  a row as JSON has it.
Out: what is wrong with it, each problem with its place.
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


def row_problems(row: object, most: int) -> Iterator[str]:
    """Yield what is wrong with a row, so much of it at most.

    Args:
        row: What stands in a line.
        most: At most so many problems.

    Cost: linear in the row.
    """
    try:
        found = [*islice(_validator().iter_errors(row), most)]
    except UnicodeEncodeError:
        # Names of files need not be UTF-8; for the kinds of values it is all one.
        text = json.dumps(row, ensure_ascii=False).encode("utf-8", "replace")
        found = [*islice(_validator().iter_errors(json.loads(text)), most)]
    for error in found:
        place = ".".join(map(str, error.instance_path))
        message = error.message[:_LONGEST]
        yield f"{place}: {message}" if place else message


@lru_cache
def _validator() -> Any:
    """The validator of rows, with the schemas of the documents in them."""
    import jsonschema_rs  # Of all commands only the one that reads rows needs it.

    schemas = [
        _based(json.loads(file.read_text(encoding="utf-8")))
        for file in (files("symrob") / "schemas").iterdir()
        if file.name.endswith(".json")
    ]
    registry = jsonschema_rs.Registry([(s["$id"], s) for s in schemas])
    (row,) = (s for s in schemas if s["$id"].endswith("/row/1"))
    return jsonschema_rs.validator_for(row, registry=registry)


def _based(schema: Mapping[str, Any]) -> dict[str, Any]:
    return {**schema, "$id": _BASE + schema["$id"]}
