"""What commands print fits the schemas, which let nothing else through."""

import copy
import json
import re

import pytest
from jsonschema import Draft202012Validator

from tests.batch.tools import batch, write_cases
from tests.cli.tools import run
from tests.schemas import fits, schemas, validate

THERAC = "models/therac25/therac25.toml"


def printed(*args):
    return json.loads(run(*args, "--format", "json").out)


@pytest.mark.parametrize("name", sorted(schemas()))
def test_each_schema_is_one_and_closed(name):
    schema = schemas()[name]
    Draft202012Validator.check_schema(schema)
    kind, _, version = name.rpartition("-")
    kind, version = (kind, version) if version.isdigit() else (name, "[1-9]")
    assert re.fullmatch(f"symrob/{kind}/{version}", schema["$id"])
    assert set(names_in(schema)) <= {schema["$id"]}
    assert not fits({}, name)
    assert list(open_objects(schema)) == []


def names_in(schema):
    """What documents of a schema have to call it."""
    if isinstance(schema, dict):
        if str(schema.get("const")).startswith("symrob/"):
            yield schema["const"]
        for value in schema.values():
            yield from names_in(value)
    elif isinstance(schema, list):
        for value in schema:
            yield from names_in(value)


def open_objects(schema, path=""):
    """Where a schema lets through what it does not name, without a word on it."""
    if isinstance(schema, dict):
        names = "properties" in schema and schema.get("type") == "object"
        if names and schema.get("additionalProperties") is not False:
            yield path
        for key, value in schema.items():
            yield from open_objects(value, f"{path}/{key}")
    elif isinstance(schema, list):
        for number, value in enumerate(schema):
            yield from open_objects(value, f"{path}/{number}")


@pytest.mark.parametrize(
    ("name", "args"),
    [
        ("result", ("compute", THERAC)),
        ("result", ("compute", "models/link/link_any_reply.toml", "--limit", 1)),
        ("result", ("compute", THERAC, "--algorithm", "brute-force", "--timeout", 0.4)),
        ("result", ("compute", "models/running_example/running_example.toml")),
        ("result-2", ("compute", THERAC, "--compact")),
        ("summary-3", ("summary", THERAC)),
        ("summary-3", ("summary", "models/voting/voting_cfm.toml")),
        ("cuts", ("cuts", THERAC, "--traces")),
        ("cuts", ("cuts", THERAC, "--outside", "--order", 2)),
        ("explain", ("explain", THERAC, "--transition", "TREATED,e,NO_MODE")),
        ("explain", ("explain", THERAC, "--transition", "NO_MODE,enter,NO_MODE")),
        ("show", ("show", "models/therac25/machines.lts#THERAC25")),
        ("show", ("show", "models/therac25/nurse.lts", "--product")),
        ("lint", ("lint", THERAC)),
        ("lint", ("lint", THERAC, "no/such/file.lts", "grammar/reject")),
    ],
)
def test_what_commands_print_fits(name, args):
    document = printed(*args)
    assert document["schema"] == schemas()[name]["$id"]
    validate(document, name)


def test_lines_fit(tmp_path):
    for command, count in (("compute", 4), ("cuts", 10)):
        lines = run(command, THERAC, "--format", "jsonl").out.splitlines()
        assert len(lines) == 1 + count + 1
        name = {"compute": "result"}.get(command, command)
        for line in lines:
            validate(json.loads(line), f"{name}-lines")


def test_rows_and_changes_fit(tmp_path):
    paths = write_cases(tmp_path, 5, seed=13)
    paths += [tmp_path / "missing.toml"]
    out = tmp_path / "rows.jsonl"
    assert batch(*paths, THERAC, "--out", out, "-j", 2)[0] == 2
    document = printed("results", out)
    validate(document, "rows")
    assert {"complete", "nominal", "error"} == {r["status"] for r in document["rows"]}
    for row in document["rows"]:
        validate(row, "row")
        for key in row:
            without = {k: v for k, v in row.items() if k != key}
            optional = ("trace", "result")
            assert fits(without, "row") == (key in optional)
    validate(printed("results", out, out), "changes")


def test_damaged_results_do_not_fit():
    good = printed("compute", THERAC)
    for key in good:
        # Results of older versions have no verdicts.
        without = {k: v for k, v in good.items() if k != key}
        assert fits(without, "result") == (key == "verdicts")
        assert not fits({**good, key: {"nonsense": True}}, "result")
    assert not fits({**good, "more": 1}, "result")
    for damage in ([0, "e"], [0, "e", 1, 2], ["0", "e", 1], [0, "e", -1], [-1, "e", 0]):
        bad = copy.deepcopy(good)
        bad["delta"][0][0] = damage
        assert not fits(bad, "result")
