"""What commands print fits the schemas, which let nothing else through."""

import copy
import json
import re

import pytest
from jsonschema import Draft202012Validator

from symrob.schemas.__main__ import all_schemas
from tests.batch.tools import batch, write_cases
from tests.cli.tools import ROOT, run
from tests.schemas import fits, schemas, validate

THERAC = "models/therac25/therac25.toml"
MODES = "models/therac25/therac25_slips.toml"
COMPONENTS = "models/abp/abp.toml"
CASES = (THERAC, MODES, COMPONENTS)


def printed(*args):
    return json.loads(run(*args, "--format", "json").out)


def test_the_schemas_are_those_of_the_types():
    """`python -m symrob.schemas` writes them."""
    made = all_schemas()
    # What other programs write has no type here.
    assert set(schemas()) == {*made, "certificate", "model"}
    for name, schema in made.items():
        assert json.loads(json.dumps(schema)) == schemas()[name], name


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
        ("result", ("compute", THERAC, "--among", "*,e,*")),
        ("result-2", ("compute", THERAC, "--compact")),
        ("summary", ("summary", "models/voting/voting_cfm.toml")),
        ("cuts", ("cuts", THERAC, "--outside", "--order", 2)),
        ("explain", ("explain", THERAC, "--transition", "TREATED,e,NO_MODE")),
        ("explain", ("explain", THERAC, "--transition", "NO_MODE,enter,NO_MODE")),
        ("explain", ("explain", MODES, "--mode", "'enter' once more")),
        ("explain", ("explain", COMPONENTS, "--mode", "acks.corruption")),
        ("explain", ("explain", COMPONENTS, "--transition", "*,acks.put.*,*")),
        ("compare", ("compare", THERAC, "models/therac25/therac20.toml", "--delta")),
        ("ranking", ("compare", THERAC, "models/therac25/therac20.toml", THERAC)),
        ("repair", ("repair", THERAC, "--not-disable", "rotate")),
        ("repair", ("repair", MODES, "--tolerate", "second mode key")),
        ("repair", ("repair", COMPONENTS, "--limit", 1)),
        ("suggestions", ("repair", THERAC, "--suggest")),
        ("suggestions", ("repair", COMPONENTS, "--suggest")),
        ("check", ("check", THERAC)),
        ("show", ("show", "models/therac25/machines.lts#THERAC25")),
        ("show", ("show", "models/therac25/xflat.lts")),
        ("show", ("show", "models/therac25/nurse.lts", "--product")),
        ("lint", ("lint", THERAC)),
        ("lint", ("lint", THERAC, "no/such/file.lts", "grammar/reject")),
        ("ended", ("summary", THERAC, "--timeout", 1e-9)),
    ],
)
def test_what_commands_print_fits(name, args):
    document = printed(*args)
    assert document["schema"] == schemas()[name]["$id"]
    validate(document, name)


@pytest.mark.parametrize("case", CASES)
def test_what_each_question_prints_fits(case):
    """For transitions, for fault modes, and for those of components."""
    for name, args in (
        ("result", ("compute",)),
        ("summary", ("summary",)),
        ("cuts", ("cuts", "--traces")),
        ("cuts", ("cuts", "--resilience")),
    ):
        document = printed(args[0], case, *args[1:])
        assert document["schema"] == schemas()[name]["$id"]
        validate(document, name)
        assert not fits({**document, "more": 1}, name)
        for key in document:
            without = {k: v for k, v in document.items() if k != key}
            assert not fits(without, name), f"{name} without {key}"
    for command, name in (("compute", "result"), ("cuts", "cuts")):
        head, *parts, end = map(
            json.loads, run(command, case, "--format", "jsonl").out.splitlines()
        )
        assert parts
        for line in (head, *parts, end):
            validate(line, f"{name}-lines")
        assert (head["status"], end["status"]) == ("running", "complete")


def test_what_is_asked_of_probabilities_and_rules_fits(tmp_path):
    chances, policy = tmp_path / "chances.toml", tmp_path / "policy.toml"
    chances.write_text('[probability]\n"*,*,*" = 1e-4\n')
    asked = ("--probability", chances)
    validate(printed("risk", THERAC, *asked), "risk")
    other = "models/therac25/therac25_fix.toml"
    validate(printed("risk", THERAC, other, *asked), "risk-change")
    likely = ("cuts", THERAC, "--by-probability", *asked)
    validate(printed(*likely), "likely")
    for line in run(*likely, "--format", "jsonl").out.splitlines():
        validate(json.loads(line), "likely-lines")
    rules = (
        'resilience = 2\n[[forbids]]\ntransitions = ["MODE_CHOSEN,up,NO_MODE"]\n'
        '[[tolerates]]\ntransitions = ["MODE_CHOSEN,enter,MODE_CHOSEN"]\n'
    )
    policy.write_text(f'case = "{ROOT / THERAC}"\n{rules}')
    document = printed("gate", policy, "--allow-outside")
    validate(document, "gate")
    assert len(document["rules"]) == 3


def test_lines_of_a_compact_result_fit():
    lines = run("compute", THERAC, "--compact", "--format", "jsonl").out.splitlines()
    assert len(lines) == 1 + 1 + 4 + 1
    for line in lines:
        validate(json.loads(line), "result-lines-2")


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
            assert not fits(without, "row")
    validate(printed("results", out, out), "changes")


def test_damaged_results_do_not_fit():
    good = printed("compute", THERAC)
    for key in good:
        without = {k: v for k, v in good.items() if k != key}
        assert not fits(without, "result")
        assert not fits({**good, key: {"nonsense": True}}, "result")
    assert not fits({**good, "more": 1}, "result")
    for damage in ([0, "e"], [0, "e", 1, 2], ["0", "e", 1], [0, "e", -1], [-1, "e", 0]):
        bad = copy.deepcopy(good)
        bad["delta"][0][0] = damage
        assert not fits(bad, "result")
