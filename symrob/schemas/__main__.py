"""Write the JSON Schemas of all documents: `python -m symrob.schemas [FOLDER]`.

In:  the types of the answers.
Out: a schema for each document, `NAME.json`, by default beside this file. A test fails
     if they are outdated. Schemas of files that other programs write, models and
     certificates, are not generated here.

Descriptions come from the docstrings of the types.
"""

from __future__ import annotations

import json
import re
import sys
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import fields, is_dataclass
from importlib import import_module
from inspect import getdoc, isfunction
from pathlib import Path
from pkgutil import walk_packages
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import symrob
from symrob.analyses.changes import Changes
from symrob.analyses.coverage import NotCovered
from symrob.analyses.hazards import Alone
from symrob.analyses.show import ModelShown
from symrob.analyses.space import ModeSet
from symrob.api.lint import LintFindings
from symrob.batch.work import RowDocument
from symrob.lts import Lts, Network, Transition
from symrob.lts.deviation import Deviation
from symrob.problem import Many
from symrob.problem.classes import CLASSES, Kind
from symrob.questions import all_questions
from symrob.questions.question import Question
from symrob.report import result
from symrob.report.json import keys_of
from symrob.verdicts import VERDICTS
from symrob.words import Identity

Schema = dict[str, Any]
TEXT, NONE = {"type": "string"}, {"type": "null"}
COUNT = {"type": "integer", "minimum": 0}
# Documents that answer no question of `symrob.questions`.
OTHERS: Sequence[type] = (
    ModelShown,
    LintFindings,
    Changes,
    result.Result,
    result.CompactResult,
)


def _object(properties: Mapping[str, Any], **more: Any) -> Schema:
    return {
        "type": "object",
        "properties": dict(sorted(properties.items())),
        "required": sorted(properties),
        "additionalProperties": False,
        **more,
    }


def _array(items: Schema, **more: Any) -> Schema:
    return {"type": "array", "items": items, **more}


def _tuple(*items: Schema) -> Schema:
    return {
        "type": "array",
        "prefixItems": list(items),
        "items": False,
        "minItems": len(items),
    }


def _either(*schemas: Schema) -> Schema:
    different = [s for n, s in enumerate(schemas) if s not in schemas[:n]]
    if len(different) == 2 and NONE in different:
        # So that a validator says what is wrong with it, not that it is no null.
        (other,) = (s for s in different if s != NONE)
        return {"if": {"not": NONE}, "then": other}
    return different[0] if len(different) == 1 else {"anyOf": different}


def _ref(name: str) -> Schema:
    return {"$ref": f"#/$defs/{name}"}


_SYSTEM = {
    "alphabet": _array(TEXT),
    "states": {"type": "integer", "minimum": 1},
    "end": _either(COUNT, NONE),
    "names": _array(TEXT),
    # Of what is shown, those into ERROR are among them.
    "transitions": _array(_tuple(COUNT, TEXT, {"type": "integer", "minimum": -1})),
}


def _beginning(keys: Mapping[str, Schema]) -> Schema:
    """A system; one that can begin in other states than the first lists these."""
    schema = _object(keys)
    schema["properties"] = {**keys, "initial": _array(COUNT)}
    return schema


# What has an encoder of its own; a schema has those definitions that it refers to.
_SHARED: Mapping[str, Schema] = {
    "Transition": _tuple(COUNT, TEXT, COUNT),
    "LocalTransition": _tuple(COUNT, COUNT, TEXT, COUNT),
    "Units": _array(_either(_ref("Transition"), TEXT)),
    "JudgedUnits": _object(dict.fromkeys((*VERDICTS, "undecided"), _ref("Units"))),
    "System": _beginning(_SYSTEM),
    "Network": _object(
        {
            "alphabet": _array(TEXT),
            "components": _array(_beginning({**_SYSTEM, "name": TEXT})),
        }
    ),
    "Kind": _object({"class": {"enum": [*CLASSES]}, "left_out": _either(TEXT, NONE)}),
}
_OWN: Mapping[Any, Schema] = {
    Any: {},
    NoneType: NONE,
    bool: {"type": "boolean"},
    int: COUNT,
    str: TEXT,
    # What is not finite is written as null.
    float: {"type": ["number", "null"], "minimum": 0},
    Lts: _ref("System"),
    Network: _ref("Network"),
    Transition: _ref("Transition"),
    Deviation: _ref("Units"),
    ModeSet: _array(TEXT),
    Many: _ref("Units"),
    Kind: _ref("Kind"),
}


class Described:
    """Schemas of types, with their definitions.

    Attributes:
        definitions: The definitions, by the names of the types.
    """

    def __init__(self) -> None:
        self.definitions: dict[str, Schema] = {}

    def of(self, hint: Any) -> Schema:
        """Return the schema of an annotation."""
        if hint in _OWN:
            return _OWN[hint]
        origin, arguments = get_origin(hint) or hint, get_args(hint)
        if origin is Literal:
            return {"enum": list(arguments)}
        if origin in (Union, UnionType):
            return _either(*map(self.of, arguments))
        if origin is Alone:
            return _ref("JudgedUnits")
        if is_dataclass(origin) or hasattr(origin, "_fields"):
            return self._reference(origin)
        if issubclass(origin, Counter):
            arguments = (*arguments, int)
        if issubclass(origin, Mapping):
            return self._mapping(origin, *arguments)
        if issubclass(origin, tuple) and arguments[1:] not in ((), (...,)):
            return _tuple(*map(self.of, arguments))
        if issubclass(origin, Set):
            return _array(self.of(arguments[0]))
        assert issubclass(origin, Iterable), f"{hint} is no data"
        return _array(self.of(arguments[0]))

    def _mapping(self, kind: type, key: Any, value: Any) -> Schema:
        """Of keys that are literals a `dict` has all, another mapping some."""
        names, values = get_args(key), self.of(value)
        if names and kind is dict:
            return _object(dict.fromkeys(names, values))
        more: Schema = {"additionalProperties": values}
        if names:
            more["propertyNames"] = {"enum": list(names)}
        elif key is int:
            more["propertyNames"] = {"pattern": "^[1-9][0-9]*$"}
        return {"type": "object", **more}

    def _reference(self, kind: type) -> Schema:
        name = kind.__name__
        if name not in self.definitions:
            # First, for what refers to itself.
            self.definitions[name] = {}
            self.definitions[name] = _object(self.properties(kind))
        return _ref(name)

    def properties(self, kind: type) -> dict[str, Schema]:
        """Return the schemas of the keys of an object."""
        said = _said(kind)
        keys = keys_of(kind) if is_dataclass(kind) else {n: n for n in kind._fields}  # type: ignore[attr-defined]
        found = {}
        for key, path in keys.items():
            hint: Any = kind
            for name in path.split("."):
                hint = _hint(hint, name)
            found[key] = self.of(hint)
            if path in said:
                found[key] = {**found[key], "description": said[path]}
        return found


def _hint(kind: Any, name: str) -> Any:
    """The annotation of a field or property."""
    if get_origin(kind) is UnionType:
        # What is asked of one is the same of all.
        kind = get_args(kind)[0]
    found = getattr(get_origin(kind) or kind, name, None)
    function = getattr(found, "fget", getattr(found, "func", None))
    if function is None and isfunction(found):
        function = found
    names = {**_everything(), **vars(import_module(kind.__module__))}
    if function is not None:
        return get_type_hints(function, None, names)["return"]
    return get_type_hints(kind, None, names)[name]


def _everything() -> dict[str, Any]:
    """What modules import for their annotations alone."""
    if not _FOUND:
        for module in walk_packages(symrob.__path__, "symrob."):
            if not module.name.endswith("__main__"):
                loaded = vars(import_module(module.name))
                _FOUND.update({k: v for k, v in loaded.items() if isinstance(v, type)})
    return _FOUND


_FOUND: dict[str, Any] = {}


def _said(kind: type) -> dict[str, str]:
    """What the docstring of a type says of its attributes."""
    _, _, section = (getdoc(kind) or "").partition("Attributes:\n")
    lines = re.split(r"\n\n|\n(?=\S)", section)[0]
    entries = re.findall(r"^    (\w+): ((?:.|\n(?!    \w+: ))*)", lines, re.MULTILINE)
    return {name: " ".join(text.replace("`", "").split()) for name, text in entries}


def _head(schema: str, found: Described) -> dict[str, Schema]:
    """The keys that all documents share."""
    environment = _either(found.of(Lts), found.of(Network), NONE)
    held = _array(_either(_ref("Transition"), _ref("LocalTransition")))
    counts = {"type": "object", "additionalProperties": COUNT}
    budget = _object({"run": _either(COUNT, NONE), "modes": counts})
    return {
        "schema": {"const": f"symrob/{schema}"},
        "title": TEXT,
        "status": {"enum": ["complete", "limit", "timeout", "interrupted"]},
        "reason": TEXT,
        "environment": environment,
        "among": _either(_array(_ref("Transition")), NONE),
        "modes": _either({"type": "object", "additionalProperties": held}, NONE),
        "at_most": _either(budget, NONE),
        "identifiers": {
            "type": "object",
            "additionalProperties": found.of(Identity),
        },
        "not_covered": found.of(NotCovered),
        "versions": {"type": "object", "additionalProperties": TEXT},
    }


def _document(schema: str, what: str, body: Schema, found: Described) -> Schema:
    used, waiting = dict(found.definitions), [{**body, "$defs": found.definitions}]
    while waiting:
        names = set(re.findall(r"#/\$defs/(\w+)", json.dumps(waiting.pop())))
        fresh = {name: _SHARED[name] for name in names if name not in used}
        used |= fresh
        waiting += fresh.values()
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"symrob/{schema}",
        "title": what,
        **body,
        "$defs": dict(sorted(used.items())),
    }


def whole(kind: Any) -> Schema:
    """Return the schema of an answer in one document."""
    found = Described()
    keys = {**_head(kind.schema, found), **found.properties(kind)}
    return _document(kind.schema, _first_line(kind), _object(keys), found)


def streamed(kind: Any, part: type, end: type) -> Iterable[Schema]:
    """Yield the schemas of an answer in parts: as one document, and as lines."""
    found = Described()
    head, parts = _head(kind.schema, found), found.of(part)
    keys = {**head, **found.properties(end), kind.parts: _array(parts)}
    yield _document(kind.schema, _first_line(kind), _object(keys), found)
    yield lines(kind.schema.replace("/", "-lines/"), _first_line(kind), {}, [part], end)


def lines(
    schema: str, what: str, more: Mapping[str, Schema], parts: Sequence[type], end: type
) -> Schema:
    """Return the schema of a line of an answer in JSON lines.

    Args:
        schema: Its name and number.
        what: Its description.
        more: What the first line contains besides the head.
        parts: The types of the other lines, except the last.
        end: The type of the last.
    """
    found = Described()
    running = {"const": "running"}
    first = _object({**_head(schema, found), "status": running, **more})
    each = [first, *map(found.of, parts), found.of(end)]
    return _document(schema, f"{what}: a line", {"anyOf": each}, found)


def _first_line(kind: type) -> str:
    return (getdoc(kind) or "").partition("\n")[0]


def _row() -> Schema:
    found = Described()
    head = _head(RowDocument.schema, found)
    keys = {
        **found.properties(RowDocument),
        "schema": head["schema"],
        "title": head["title"],
    }
    keys["result"] = _either(_ref_to(result.Result), NONE)
    for kind in all_questions():
        if kind.in_batches() and (kinds := answers(kind)):
            keys[kind.key()] = _either(*map(_ref_to, kinds), NONE)
    number = {"type": "integer"}
    ranges = _either(number, _tuple(number, number))
    keys["constants"] = {**keys["constants"], "additionalProperties": ranges}
    # Others are there where they were asked.
    always = {"schema", "title", *(field.name for field in fields(RowDocument))}
    body = _object(keys, required=sorted(always))
    return _document(RowDocument.schema, _first_line(RowDocument), body, found)


def _ref_to(kind: Any) -> Schema:
    return {"$ref": f"../{kind.schema}"}


def ended() -> Schema:
    """Return the schema of the document of a run that ended before any answer."""
    status = {"enum": ["limit", "timeout", "interrupted"]}
    keys = {"schema": {"const": "symrob/ended/1"}, "status": status, "reason": TEXT}
    what = "A run that ended before it printed anything"
    return _document("ended/1", what, _object(keys), Described())


def answers(kind: type[Question]) -> list[Any]:
    """Return the types of the documents that answer a question."""
    found = []
    for each in _parts(_hint(kind, "ask")):
        final = _parts(_hint(each, "final")) if hasattr(each, "final") else [each]
        found += [one for one in final if hasattr(one, "schema")]
    return found


def _parts(hint: Any) -> list[Any]:
    return list(get_args(hint)) if get_origin(hint) in (Union, UnionType) else [hint]


def all_schemas() -> dict[str, Schema]:
    """Return every schema, by the name of its file without the suffix."""
    asked = (answer for kind in all_questions() for answer in answers(kind))
    found: list[Schema] = []
    for kind in (*dict.fromkeys(asked), *OTHERS):
        if hasattr(kind, "parts"):
            found += streamed(kind, _hint(kind, "__next__"), _hint(kind, "end"))
        else:
            found.append(whole(kind))
    algorithm = {"algorithm": TEXT}
    for kind in (result.Result, result.CompactResult):
        schema = kind.schema.replace("/", "-lines/")
        what = _first_line(kind)
        found.append(lines(schema, what, algorithm, kind.lines, result.ResultEnd))
    rows = Described()
    found.append(_row())
    # What 0.2 wrote is passed on as it is.
    older = {"schema": {"enum": ["symrob/row/1"]}}
    row = _either({"$ref": "../row/2"}, {"required": ["schema"], "properties": older})
    body = _object({**_head("rows/2", rows), "rows": _array(row)})
    found += [_document("rows/2", "The rows of a batch", body, rows), ended()]
    schemas = {}
    for one in found:
        name, number = one["$id"].removeprefix("symrob/").split("/")
        schemas[f"{name}-2" if (name, number) in _OLDER else name] = one
    return schemas


# The compact form keeps its number.
_OLDER = {("result", "2"), ("result-lines", "2")}


def main(arguments: Sequence[str]) -> None:
    """Write all schemas into a folder."""
    folder = Path(arguments[0]) if arguments else Path(__file__).parent
    for name, schema in all_schemas().items():
        text = json.dumps(schema, indent=1, ensure_ascii=False)
        (folder / f"{name}.json").write_text(f"{text}\n", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
