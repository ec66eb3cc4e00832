"""Certificates with another structure are refused; see `structure`, which has more."""

import json

import pytest

from symrob.certify import format as table
from symrob.certify import reading
from tests.certificates import structure
from tests.schemas import schemas


def test_changed_at_random():
    figures, accepted = structure.main(1_000)
    assert sum(figures[why] for why in ("malformed", "damaged")) > 700
    assert figures["accepted and true"] > 20
    assert figures["of these not the case's"] > 0
    assert figures["accepted, not judged"] == 0
    assert accepted["other_claim"] > 3


def more_keys(value, shape, place, exact=table._misfit):
    """Let objects have further keys, in any order."""
    if isinstance(shape, dict) and isinstance(value, dict) and {*value} >= {*shape}:
        value = {key: value[key] for key in shape}
    return exact(value, shape, place)


def any_form(line):
    """Read a line in whatever form it is."""
    record = json.loads(line)
    kind = next(iter(record or ("",)))
    shape = table.END if kind == "end" else table.RECORDS.get(kind)
    if shape is None or table._misfit(record, shape, kind):
        raise ValueError
    return record


@pytest.mark.parametrize(
    ("room", "name", "instead"),
    [(table, "_misfit", more_keys), (reading, "decoded", any_form)],
)
def test_a_lenient_reader_is_found(room, name, instead, monkeypatch):
    monkeypatch.setattr(room, name, instead)
    with pytest.raises(structure.FalseError, match="key"):
        structure.main(1_000)


def test_the_schema_says_the_same():
    """Each kind of record has the keys of the table, and the claims are the same."""
    schema, found = schemas()["certificate"], {}
    shapes = {**table.RECORDS, "end": table.END}
    for each in schema["oneOf"]:
        (kind,) = {*each["properties"]} & {*shapes}
        found[kind] = each
    found |= schema["$defs"]
    shapes |= {"network": table.NETWORK, "requirement": table.REQUIRED}
    claim = shapes.pop("claim")
    assert {*found["claim"]["required"]} == {*table.CLAIM}
    assert {*found["claim"]["properties"]} == {*claim.shapes[1]}
    for kind, shape in shapes.items():
        assert {*found[kind]["required"]} == {*found[kind]["properties"]} == {*shape}
    assert {*found["system"]["required"]} == {*table.SYSTEM}
    assert {*found["system"]["properties"]} == {*table.BEGINNING}
    assert found["claim"]["properties"]["claim"]["enum"] == [*table.CLAIMS]
    assert found["schema"]["properties"]["schema"] == {"const": table.SCHEMA}
