"""A right file in the wrong place was told to be no TOML, or to have unknown keys."""

import itertools
import json

import pytest

from symrob.files import kinds
from tests.cli.tools import ROOT, run

CASE = ROOT / "models/running_example/running_example.toml"
MODEL = ROOT / "models/running_example/controller.lts"


@pytest.fixture(scope="module")
def given(tmp_path_factory):
    """One file of each kind."""
    folder = tmp_path_factory.mktemp("kinds")
    texts = {
        "policy": "resilience = 1\n",
        "weights": '[[weight]]\naction = "a"\nvalue = 2\n',
        "deviation": '[["0", "a", "1"]]',
        "result": run("compute", CASE, "--format", "json").out,
        "lines": run("compute", CASE, "--format", "jsonl").out,
        "summary": run("summary", CASE, "--format", "json").out,
    }
    found = {"case": CASE, "model": MODEL}
    for kind, text in texts.items():
        suffix = "toml" if kind in ("policy", "weights") else "json"
        found[kind] = folder / f"{kind}.{suffix}"
        found[kind].write_text(text)
    found["rows"] = folder / "rows.jsonl"
    run("batch", CASE, "--out", found["rows"])
    return found


def test_each_kind_is_known_by_what_it_is(given):
    assert {kind: kinds.kind(str(path)) for kind, path in given.items()} == {
        kind: kind for kind in given
    }
    assert kinds.kind("LICENSE") is None
    assert kinds.kind("nowhere") is None


TAKES = {
    "case": lambda path: ("compute", path),
    "policy": lambda path: ("gate", path),
    "weights": lambda path: ("compute", CASE, "--top", 1, "--weights", path),
    "model": lambda path: ("show", path),
    "deviation": lambda path: ("explain", CASE, "--deviation", path),
    "result": lambda path: ("verify", path, CASE),
    "rows": lambda path: ("results", path),
}
# A result holds deviations, so that it is no wrong file for one.
FITS = {("deviation", "result")}


def test_each_kind_given_for_each_other_is_told_what_it_is(given):
    for wanted, found in itertools.product(TAKES, given):
        if wanted == found or (wanted, found) in FITS:
            continue
        done = run(*TAKES[wanted](given[found]))
        assert done.code == 2, (wanted, found)
        assert "[file-kind]" in done.err, (wanted, found, done.err)
        words = kinds._KINDS.get(found, (f"output of `symrob {found}`",))[0]
        assert f"this is {words}, not {kinds._KINDS[wanted][0]}" in done.err


def test_a_policy_among_cases_is_skipped_with_a_note(given, tmp_path):
    out = tmp_path / "rows.jsonl"
    done = run("batch", given["policy"], CASE, given["weights"], "--out", out)
    assert done.code == 0
    assert done.err.count("[file-kind]") == 2
    assert "this is a gate policy, not a case file" in done.err
    assert len(out.read_text().splitlines()) == 1
    # What is no case and no neighbour of cases has a row that says so.
    done = run("batch", given["model"], "--out", tmp_path / "other.jsonl")
    assert done.code == 2
    row = json.loads((tmp_path / "other.jsonl").read_text())
    assert row["diagnostics"][0]["code"] == "file-kind"


def test_nothing_to_do_is_no_success(given, tmp_path):
    out = tmp_path / "rows.jsonl"
    done = run("batch", CASE, "--label", "nobody", "--out", out)
    assert done.code == 2
    assert "no case has the label 'nobody'" in done.err
    done = run("batch", CASE, "--label", "a", "--label", "b", "--out", out)
    assert "no case has all of the labels 'a' and 'b'" in done.err
    assert run("batch", given["policy"], "--out", out).code == 2
    assert not out.exists()
    out.write_text("")
    for torn in ("", '{"case":"x'):
        out.write_text(torn)
        done = run("results", out)
        assert (done.code, "[batch-empty]" in done.err) == (2, True)
    done = run("results", given["rows"], "--label", "nobody")
    assert done.code == 0
    assert "none of the 1 row matches" in done.err
