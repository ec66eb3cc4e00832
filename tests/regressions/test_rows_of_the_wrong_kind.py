"""Rows that no batch wrote ended `results` with a traceback and exit code 1."""

import copy
import json
from random import Random

import pytest

from symrob.batch.rows import read_rows
from symrob.errors import SymrobError
from tests.cli.calls import case_text
from tests.cli.tools import ROOT, run
from tests.strength import examples

WRONG = (None, 5, -1, 1.5, "x", "", [], {}, [1], {"a": 1}, True, 10**30, "\ud800")
FORMATS = ("text", "json", "jsonl", "csv", "markdown", "junit")


@pytest.fixture(scope="module")
def rows(tmp_path_factory):
    """A row of each kind: complete, with all questions; nominal; error."""
    folder = tmp_path_factory.mktemp("rows")
    (folder / "e.lts").write_text("E = (a -> E).")
    (folder / "p.lts").write_text("property P = STOP + {a}.")
    (folder / "unsafe.toml").write_text(case_text("e.lts", "e.lts", "p.lts"))
    (folder / "wrong.toml").write_text(case_text("e.lts", "e.lts", "nowhere.lts"))
    everything = folder / "all.toml"
    models = ROOT / "models/running_example"
    text = (models / "running_example.toml").read_text()
    for name in ("environment", "controller", "property"):
        text = text.replace(f"{name}.lts", str(models / f"{name}.lts"))
    asked = 'compute = ["deviations", "summary", "cuts", "compare"]\n'
    against = f'[against]\ncontroller = "{models / "controller.lts"}"\n'
    everything.write_text(asked + text + against)
    files = [everything, folder / "unsafe.toml", folder / "wrong.toml"]
    out = folder / "rows.jsonl"
    assert run("batch", *files, "--out", out, "--allow-outside").code == 2
    return [json.loads(line) for line in out.read_text().splitlines()]


def places(value, path=()):
    """Every place in a document."""
    if isinstance(value, dict | list):
        for key in value if isinstance(value, dict) else range(min(len(value), 2)):
            yield (*path, key)
            yield from places(value[key], (*path, key))


def changed(rows, rng):
    """A row in which something else stands somewhere, or is missing or too much."""
    row = copy.deepcopy(rng.choice(rows))
    *path, key = rng.choice([p for p in places(row) if len(p) <= rng.randint(1, 6)])
    inner = row
    for step in path:
        inner = inner[step]
    if isinstance(inner, dict) and rng.random() < 0.2:
        del inner[key]
    else:
        inner[key] = rng.choice(WRONG)
    return row


def test_rows_of_a_batch_are_rows(rows, tmp_path):
    path = tmp_path / "rows.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert read_rows(str(path)) == rows
    assert [row["status"] for row in rows] == ["complete", "nominal", "error"]


def test_mutated_rows_are_told_or_printed(rows, tmp_path):
    """`run` fails on whatever would be a fault of symrob's own."""
    rng, path, refused = Random(1), tmp_path / "rows.jsonl", 0
    for number in range(examples(150, 4_000)):
        path.write_text(json.dumps(changed(rows, rng)) + "\n")
        done = run("results", path, "--format", FORMATS[number % len(FORMATS)])
        assert done.code in (0, 2), path.read_text()[:500]
        refused += done.code == 2
        assert done.code == 2 or "0 rows" not in done.out  # None is passed over.
    assert refused > number / 2


def test_all_problems_with_their_places(rows, tmp_path):
    path = tmp_path / "rows.jsonl"
    first = {**rows[0], "labels": 5, "constants": None, "timing": {"seconds": "1"}}
    lines = [json.dumps(first), json.dumps(rows[1]), json.dumps({**rows[2], "row": 5})]
    path.write_text("\n".join(lines) + "\n")
    with pytest.raises(SymrobError) as error:
        read_rows(str(path))
    told = [(d.line, d.message.split(":")[0]) for d in error.value.diagnostics]
    assert sorted(told) == [
        (1, "constants"),
        (1, "labels"),
        (1, "timing.seconds"),
        (3, "row"),
    ]


def test_changes_between_mutated_rows(rows, tmp_path):
    rng, old, new = Random(2), tmp_path / "old.jsonl", tmp_path / "new.jsonl"
    old.write_text("".join(json.dumps(row) + "\n" for row in rows))
    for _ in range(60):
        new.write_text(json.dumps(changed(rows, rng)) + "\n")
        assert run("results", old, new).code in (0, 2)


def test_no_numbers_of_javascript(rows, tmp_path):
    path = tmp_path / "rows.jsonl"
    row = {**rows[0], "timing": {"seconds": float("nan")}}
    path.write_text(json.dumps(row) + "\n")
    assert run("results", path).code == 2
