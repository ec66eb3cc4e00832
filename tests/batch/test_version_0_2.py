"""What version 0.2 wrote is still read; damaged rows of it give messages."""

import copy
import csv
import io
import json
from random import Random

import pytest

from tests.cli.tools import ROOT, run
from tests.schemas import validate
from tests.strength import examples

OLD = ROOT / "tests/data/version-0.2"
ROWS = OLD / "rows.jsonl"
CASES = {
    "result": "models/therac25/therac25.toml",
    "compact": "models/therac25/therac25.toml",
    # Of sets of states by action, as large ones were written.
    "blocks": "models/therac25/therac20_unconstrained.toml",
    "modes": "models/therac25/therac25_slips.toml",
    "components": "models/abp/abp.toml",
}


def rows():
    return [json.loads(line) for line in ROWS.read_text("utf-8").splitlines()]


def test_they_are_of_that_version():
    found = {f: json.loads((OLD / f"{f}.json").read_text("utf-8")) for f in CASES}
    assert {f: data["schema"] for f, data in found.items()} == {
        **dict.fromkeys(CASES, "symrob/result/1"),
        "compact": "symrob/result/2",
        "blocks": "symrob/result/2",
    }
    assert {row["schema"] for row in rows()} == {"symrob/row/1"}
    for data in found.values():
        assert "reason" not in data


@pytest.mark.parametrize("name", CASES)
def test_results_are_verified(name):
    done = run("verify", OLD / f"{name}.json", CASES[name])
    assert done.code == 0, done.err
    assert "each is maximal" in done.out


def test_blocks_that_are_wrong_are_named(tmp_path):
    data = json.loads((OLD / "blocks.json").read_text("utf-8"))
    data["tolerated"]["fire"] = {"loops": "ffffffff", "pairs": [["1", "zz"]]}
    path = tmp_path / "blocks.json"
    path.write_text(json.dumps(data), encoding="utf-8")
    done = run("verify", path, CASES["blocks"])
    assert done.code == 2
    assert "'fire'" in done.err


@pytest.mark.parametrize("name", CASES)
def test_deviations_are_explained(name):
    done = run("explain", CASES[name], "--deviation", OLD / f"{name}.json#1")
    assert done.code == 0, done.err
    assert "Tolerated: E with" in done.out
    data = json.loads(
        run("explain", CASES[name], "--deviation", OLD / f"{name}.json",
            "--format", "json").out
    )  # fmt: skip
    assert (data["verdict"], data["addable"]) == ("tolerated", [])


@pytest.mark.parametrize("name", CASES)
def test_they_are_baselines_of_a_gate(name, tmp_path):
    policy = tmp_path / "policy.toml"
    policy.write_text(
        f'case = "{ROOT / CASES[name]}"\n'
        f'[[as_robust_as]]\nbaseline = "{OLD / f"{name}.json"}"\n'
    )
    done = run("gate", policy, "--allow-outside")
    assert done.code == 0, done.err
    assert "of the baseline tolerated" in done.out


def test_rows_are_listed():
    text = run("results", ROWS).out
    assert "6 rows: 4 complete, 1 nominal, 1 error" in text
    assert "the nominal system already violates xflat_espread.lts" in text
    told = run("results", ROWS, "--format", "csv").out
    listed = {row["case"]: row for row in csv.DictReader(io.StringIO(told))}
    assert set(listed) == {row["case"] for row in rows()}
    therac = listed["therac25/all.toml"]
    assert (therac["status"], therac["hazardous"]) == ("complete", "5")
    for form in ("markdown", "junit"):
        done = run("results", ROWS, "--format", form)
        assert (done.code, done.err) == (0, "")
    document = json.loads(run("results", ROWS, "--format", "json").out)
    validate(document, "rows")
    assert document["rows"] == sorted(rows(), key=lambda row: row["case"])


def test_old_rows_are_compared_with_new_ones(tmp_path):
    """The same cases, computed now: nothing changed."""
    new = tmp_path / "rows.jsonl"
    cases = ("models/therac25/therac25_fix.toml", "models/abp/abp.toml")
    assert run("batch", *cases, "--out", new, "-j", 1).code == 0
    fresh = new.read_text("utf-8").replace('"case":"models/', '"case":"')
    new.write_text(fresh, encoding="utf-8")
    for one, other in ((ROWS, new), (new, ROWS)):
        done = run("results", one, other, "--format", "json")
        data = json.loads(done.out)
        validate(data, "changes")
        told = {row["case"]: row["verdict"] for row in data["changes"]}
        assert {name for name, verdict in told.items() if verdict == "equal"} == {
            name.removeprefix("models/") for name in cases
        }
    assert "6 cases: 1 unknown, 5 equal" in run("results", ROWS, ROWS).out


def damaged(rng, row):
    """A row with something else, or nothing, somewhere in it."""
    bad = copy.deepcopy(row)
    here = bad
    while True:
        key = rng.choice(range(len(here)) if isinstance(here, list) else [*here])
        inside = here[key]
        if isinstance(inside, (dict, list)) and inside and rng.random() < 0.7:
            here = inside
        elif isinstance(here, dict) and rng.random() < 0.3:
            del here[key]
            return bad
        else:
            here[key] = rng.choice(
                (None, "x", -1, 10**30, 1.5, [], {}, [[]], [["a", 1]], {"x": 1}, True)
            )
            return bad


@pytest.mark.parametrize("seed", range(examples(2, 20)))
def test_damaged_rows_give_messages(seed, tmp_path):
    rng, path = Random(seed), tmp_path / "rows.jsonl"
    codes = set()
    for _ in range(40):
        row = rng.choice(rows())
        path.write_text(json.dumps(damaged(rng, row)) + "\n", encoding="utf-8")
        for args in (
            (path,),
            (path, "--format", "csv"),
            (path, "--format", "junit"),
            (ROWS, path),
            (path, ROWS, "--format", "json"),
        ):
            done = run("results", *args)
            codes.add(done.code)
            assert done.code in (0, 2, 4), done.err
            assert "Traceback" not in done.err
            assert ("error: " in done.err) == (done.code == 2)
    assert codes >= {0, 2}
