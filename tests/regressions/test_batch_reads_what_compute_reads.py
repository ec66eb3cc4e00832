"""A batch never left its case's folder on purpose; it built cases without a root."""

import json
import os
from io import BytesIO

import pytest

from symrob.batch.job import Job
from symrob.batch.run import pack
from symrob.batch.work import answer
from tests.cli.tools import run

MODEL = 'import X = "{}"\nE = (a -> E).\n||M = (E || X).\n'
AUT = 'des (0, 1, 1)\n(0, "b", 0)\n'


@pytest.fixture
def case(tmp_path):
    """Writes a case whose environment imports a file, in a folder of its own."""

    def written(imported, **roles):
        folder = tmp_path / "case"
        folder.mkdir(exist_ok=True)
        (folder / "e.lts").write_text(MODEL.format(imported))
        (folder / "c.lts").write_text("C = (a -> C).")
        (folder / "p.lts").write_text("property P = (a -> P).")
        models = {"environment": "e.lts#M", "controller": "c.lts", **roles}
        lines = [f'{role} = "{name}"' for role, name in models.items()]
        path = folder / "case.toml"
        path.write_text("\n".join([*lines, 'properties = ["p.lts"]']))
        return path

    return written


def row(path, **options):
    (job,) = pack([str(path)], {}, **options)
    return json.loads(answer(Job.read(BytesIO(b"".join(job.parts())))))


def both(path):
    """The problems that `compute` and `batch` find in a case; they must agree."""
    found = row(path)["diagnostics"]
    done = run("compute", path)
    assert done.code == (2 if found else 0), done.err
    for problem in found:
        assert f"[{problem['code']}]" in done.err
        assert problem["message"] in done.err
    return [problem["code"] for problem in found]


def test_imports_stay_in_the_folder_of_the_case(case, tmp_path):
    (tmp_path / "secret.aut").write_text(AUT)
    (tmp_path / "link.aut").symlink_to(tmp_path / "secret.aut")
    for name in ("../secret.aut", str(tmp_path / "secret.aut"), "/dev/zero"):
        assert both(case(name)) == ["format-outside"]
    (tmp_path / "case" / "link.aut").symlink_to(tmp_path / "secret.aut")
    assert both(case("link.aut")) == ["format-outside"]
    assert both(case("../" * 3000 + "etc/passwd")) == ["format-outside"]


def test_what_may_be_outside_is_read_from_where_it_is(case, tmp_path):
    (tmp_path / "x.aut").write_text(AUT)
    found = row(case(str(tmp_path / "x.aut")), allow_outside=True)
    assert found["status"] == "complete"
    assert found["result"]["environment"]["alphabet"] == ["a", "b"]


def test_originals_are_never_written(case, tmp_path):
    """The name is absolute, and the file is changed while the batch runs."""
    original = tmp_path / "case" / "x.aut"
    path = case(str(original))
    original.write_text(AUT)
    (job,) = pack([str(path)], {})
    original.write_text("my own work")
    assert json.loads(answer(job))["status"] == "complete"
    assert original.read_text() == "my own work"


def test_a_worker_reads_no_file_that_did_not_come_with_the_job(case, tmp_path):
    path = case("x.aut")
    (job,) = pack([str(path)], {})
    (tmp_path / "case" / "x.aut").write_text(AUT)
    found = json.loads(answer(job))
    assert [d["code"] for d in found["diagnostics"]] == ["file-missing"]


def test_one_bad_case_does_not_end_a_batch(case, tmp_path):
    bad = case("a\0b.aut")
    good = "models/running_example/running_example.toml"
    out = tmp_path / "rows.jsonl"
    done = run("batch", bad, good, "--out", out)
    assert done.code == 2
    rows = [json.loads(line) for line in out.read_text().splitlines()]
    assert [r["status"] for r in rows] == ["error", "complete"]
    assert "NUL" in rows[0]["reason"]
    assert both(bad) == ["file-path"]


def test_names_are_not_normalised_as_text(case, tmp_path):
    """`sub/..` is the folder above what `sub` links to."""
    path = case("x.aut", environment="sub/../e2.lts")
    inner = tmp_path / "case" / "deep" / "er"
    inner.mkdir(parents=True)
    (inner.parent / "e2.lts").write_text("E = (a -> E | deep -> E).")
    (inner.parents[1] / "e2.lts").write_text("E = (a -> E | shallow -> E).")
    os.symlink(inner, inner.parents[1] / "sub")
    assert row(path)["result"]["environment"]["alphabet"] == ["a", "deep"]
    shown = json.loads(run("compute", path, "--format", "json").out)
    assert shown["environment"]["alphabet"] == ["a", "deep"]
