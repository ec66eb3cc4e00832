"""The JSON Schemas that are shipped, ready to validate with."""

import json
from functools import lru_cache
from importlib.resources import files

from jsonschema import Draft202012Validator
from referencing import Registry, Resource

FOLDER = files("symrob") / "schemas"


@lru_cache
def schemas():
    """Each schema by its name."""
    return {
        file.name.removesuffix(".json"): json.loads(file.read_text(encoding="utf-8"))
        for file in FOLDER.iterdir()
        if file.name.endswith(".json")
    }


@lru_cache
def validator(name):
    """A validator for a schema; schemas may refer to each other."""
    registry = Registry().with_resources(
        (schema["$id"], Resource.from_contents(schema)) for schema in schemas().values()
    )
    return Draft202012Validator(schemas()[name], registry=registry)


def validate(document, name):
    """Fail unless a document fits its schema."""
    validator(name).validate(document)


def fits(document, name):
    """Whether a document fits a schema."""
    return validator(name).is_valid(document)
