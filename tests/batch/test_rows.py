"""The file of rows: whole lines, one writer, and what is kept on resuming."""

import json
import os
from dataclasses import replace
from hashlib import sha256

import pytest

from symrob.batch.rows import (
    RowFile,
    brief,
    brief_of,
    is_settled,
    read_rows,
    without_timing,
)
from symrob.batch.run import pack
from symrob.batch.text import compact
from symrob.batch.work import answer
from symrob.errors import SymrobError
from tests.cli.tools import ROOT


def row(case, status="complete", **more):
    return {
        "schema": "symrob/row/1",
        "case": case,
        **dict.fromkeys(("choice", "title", "reason"), ""),
        "labels": [],
        "diagnostics": [],
        "constants": {},
        "paper": {},
        "row": None,
        "input": sha256(case.encode()).hexdigest(),
        "status": status,
        "limits": {},
        "timing": {"seconds": 1.0},
        **more,
    }


def everything(_row):
    return True


@pytest.fixture
def path(tmp_path):
    return str(tmp_path / "rows.jsonl")


def content(path):
    with open(path, "rb") as file:
        return file.read()


def fill(path, *rows):
    with open(path, "wb") as file:
        file.write(b"".join(compact(r).encode() + b"\n" for r in rows))
    return content(path)


def opened(path, *, resume=True, wanted=everything):
    return RowFile(path, resume=resume, wanted=wanted)


def codes(path, **options):
    with pytest.raises(SymrobError) as caught:
        opened(path, **options)
    return [d.code for d in caught.value.diagnostics]


def test_rows_are_lines(path):
    rows = opened(path, resume=False)
    rows.append(compact(row("a")))
    rows.append(compact(row("b")))
    rows.close()
    assert [json.loads(line) for line in content(path).splitlines()] == [
        row("a"),
        row("b"),
    ]
    assert read_rows(path) == [row("a"), row("b")]


def test_a_torn_line_is_cut_wherever_it_was_torn(path):
    whole = fill(path, row("a"), row("b", reason="[[1, x, 2]]"))
    first = whole.index(b"\n") + 1
    for end in range(first, len(whole) + 1):
        with open(path, "wb") as file:
            file.write(whole[:end])
        kept = ["a", "b"] if end == len(whole) else ["a"]
        assert [r["case"] for r in read_rows(path)] == kept
        rows = opened(path)
        assert list(rows.kept) == kept
        rows.append(compact(row("c")))
        rows.close()
        expected = whole if end == len(whole) else whole[:first]
        assert content(path) == expected + compact(row("c")).encode() + b"\n"


def test_zeros_after_a_power_cut_are_cut(path):
    whole = fill(path, row("a"))
    for rest in (b"\0" * 40, b'{"case":"b\0\0\0', b'{"case":"b\0\0\n'):
        with open(path, "wb") as file:
            file.write(whole + rest)
        opened(path).close()
        assert content(path) == whole


@pytest.mark.parametrize(
    "text",
    [
        b"notes of mine\n",
        b"notes of mine",
        b"notes\nof\nmine",
        b'{"schema":"symrob/row/1"}\n',
        b"[" * 100_000 + b"\n" + b"[",
        b"\xff\xfe\n\n",
    ],
)
def test_a_file_of_another_kind_is_not_touched(path, text):
    with open(path, "wb") as file:
        file.write(text)
    assert set(codes(path)) == {"batch-row"}
    assert content(path) == text
    with pytest.raises(SymrobError):
        read_rows(path)


def test_a_wrong_line_is_told_by_its_number(path):
    whole = fill(path, row("a"), row("b"))
    with open(path, "wb") as file:
        file.write(whole.replace(b"\n", b"\nnonsense\n", 1))
    with pytest.raises(SymrobError) as caught:
        read_rows(path)
    assert [d.line for d in caught.value.diagnostics] == [2]


def test_without_resume_nothing_is_overwritten(path):
    whole = fill(path, row("a"))
    assert codes(path, resume=False) == ["batch-exists"]
    assert content(path) == whole


def test_one_writer_at_a_time(path):
    rows = opened(path)
    assert codes(path) == ["batch-locked"]
    rows.close()
    opened(path).close()


def test_the_lock_holds_when_the_file_was_replaced(path):
    fill(path, row("a"), row("b"))
    rows = opened(path, wanted=lambda r: r["case"] != "a")
    assert codes(path) == ["batch-locked"]
    rows.append(compact(row("a")))
    rows.close()
    assert [r["case"] for r in read_rows(path)] == ["b", "a"]
    assert os.listdir(os.path.dirname(path)) == ["rows.jsonl"]


def test_rows_that_are_not_wanted_go_and_the_last_of_a_case_counts(path):
    fill(
        path,
        *(row("a", "crash"), row("b"), row("a"), row("c", "timeout")),
        *(row("d"), row("d", "crash")),
    )
    assert [r["status"] for r in read_rows(path)] == [
        *("complete", "complete", "timeout", "crash")
    ]
    rows = opened(path, wanted=lambda r: r["status"] == "complete")
    rows.close()
    assert list(rows.kept) == ["b", "a"]
    assert [json.loads(x)["case"] for x in content(path).splitlines()] == ["b", "a"]


def test_a_folder_that_is_not_there_and_a_file_that_is_not_there(tmp_path):
    assert codes(str(tmp_path / "no" / "rows.jsonl")) == ["batch-file"]
    with pytest.raises(SymrobError):
        read_rows(str(tmp_path / "rows.jsonl"))


def test_a_full_disk_is_told(path):
    rows = opened(path)
    rows.close()
    rows._file = os.open("/dev/full", os.O_WRONLY)
    with pytest.raises(SymrobError, match="No space left"):
        rows.append(compact(row("a")))
    rows.close()


@pytest.mark.parametrize(
    ("status", "limits", "settled"),
    [
        ("complete", {"timeout": 1}, True),
        ("nominal", {"timeout": 1}, True),
        ("error", {"timeout": 1}, False),
        ("error", {"timeout": 2}, True),
        ("limit", {"timeout": 1}, False),
        ("limit", {"timeout": 2}, True),
        ("timeout", {"timeout": 2}, False),
        ("memory", {"timeout": 2}, False),
        ("crash", {"timeout": 2}, False),
    ],
)
def test_what_is_computed_again(status, limits, settled):
    found = {"status": status, "limits": limits}
    assert is_settled(found, {"timeout": 2}) is settled


def test_timing_is_left_out_at_every_depth():
    found = {"timing": 1, "a": {"timing": 2, "b": 3}, "c": [4]}
    assert without_timing(found) == {"a": {"b": 3}, "c": [4]}


def test_brief_rows_have_the_figures():
    result = {"schema": "symrob/result/3", "delta": [], "statistics": {"delta": 0}}
    assert brief({"case": "a", "result": result, "trace": {}}) == {
        "case": "a",
        "statistics": {"delta": 0},
    }


@pytest.mark.parametrize("case", ["abp/abp", "therac25/therac25", "voting/voting_cfm"])
def test_a_row_in_brief_needs_no_deviation(case):
    """Also where other answers and fault modes stand beside Δ."""
    (job,) = pack([str(ROOT / f"models/{case}.toml")], {})
    job = replace(job, case={**job.case, "compute": ["deviations", "cuts"]})
    line = answer(job)
    found = json.loads(line)
    assert found["result"]["delta"]
    assert found["cuts"]
    assert brief_of(line) == brief(found)
