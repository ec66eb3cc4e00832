"""Writing destroyed what was there, and followed links that lay in wait."""

import json
import os
import re
import tempfile
from functools import partial
from pathlib import Path

import pytest

from symrob import files
from symrob.errors import SymrobError
from symrob.files import writing
from tests.cli.tools import ROOT, run, spawn

NURSE = ROOT / "models/therac25/nurse.lts"
RUNNING = ROOT / "models/running_example/running_example.toml"


def test_the_old_file_stays_when_writing_fails(tmp_path, monkeypatch):
    def full(_number, _content):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(writing, "write_all", full)
    for command in (("convert", NURSE), ("draw", RUNNING, "--out")):
        old = tmp_path / "old.dot"
        old.write_text("mine")
        done = run(*command, old)
        assert done.code == 2
        assert "No space left" in done.err
        assert old.read_text() == "mine"
        assert [*tmp_path.iterdir()] == [old]


def test_a_link_is_replaced_and_its_target_stays(tmp_path):
    victim, out = tmp_path / "victim", tmp_path / "out.aut"
    victim.write_text("mine")
    out.symlink_to(victim)
    assert run("convert", NURSE, out).code == 0
    assert victim.read_text() == "mine"
    assert out.read_text().startswith("des (0, ")
    rows = tmp_path / "rows.jsonl"
    rows.symlink_to(tmp_path / "elsewhere")
    done = run("batch", RUNNING, "--out", rows)
    assert done.code == 2
    assert "symbolic link" in done.err
    assert not (tmp_path / "elsewhere").exists()


def test_resuming_writes_beside_through_no_link(tmp_path):
    rows, victim = tmp_path / "s.jsonl", tmp_path / "victim"
    other = ROOT / "models/therac25/therac25.toml"
    assert run("batch", RUNNING, other, "--out", rows).code == 0
    first, second = rows.read_text().splitlines(keepends=True)
    # As if the case had been another one then.
    rows.write_text(re.sub('"input":"[0-9a-f]{4}', '"input":"0000', first) + second)
    victim.write_text("mine")
    (tmp_path / "s.jsonl.new").symlink_to(victim)
    assert run("batch", RUNNING, other, "--out", rows, "--resume").code == 0
    assert victim.read_text() == "mine"
    statuses = [json.loads(line)["status"] for line in rows.read_text().splitlines()]
    assert statuses == ["complete", "complete"]


def test_the_mode_of_a_file_is_kept(tmp_path):
    out = tmp_path / "out.aut"
    out.write_text("")
    out.chmod(0o604)
    assert run("convert", NURSE, out).code == 0
    assert out.stat().st_mode & 0o777 == 0o604


def test_half_files_of_dead_processes_are_swept(tmp_path):
    dead, fresh, alive, other = (
        tmp_path / f".{name}-{'0' * 16}.new"
        for name in ("x.aut.999999999", "x.aut.999999998", f"x.aut.{os.getpid()}", "y")
    )
    for path in (dead, fresh, alive, other):
        path.write_text("half")
        if path != fresh:
            os.utime(path, (0, 0))
    files.write_file(str(tmp_path / "x.aut"), b"whole")
    assert not dead.exists()
    assert all(path.exists() for path in (fresh, alive, other))


def test_pipes_and_devices_are_written_directly(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    got = []
    for command in (
        ("batch", RUNNING, "--out"),
        ("draw", RUNNING, "--format", "dot", "--out"),
    ):
        # Open before anybody writes; a pipe holds all of it.
        reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
        assert run(*command, pipe).code == 0
        read = partial(os.read, reader, 1 << 16)
        got.append(b"".join(iter(read, b"")).decode())
        os.close(reader)
    assert json.loads(got[0])["status"] == "complete"
    assert got[1].startswith("digraph")
    for args in (
        ("batch", RUNNING, "--out"),
        ("draw", RUNNING, "--format", "dot", "--out"),
    ):
        done = run(*args, "/dev/full")
        assert done.code == 2
        assert "No space left" in done.err
    assert (
        "--resume requires a regular file"
        in run("batch", RUNNING, "--out", pipe, "--resume").err
    )


def test_rows_on_standard_output_are_rows_alone(tmp_path):
    done = spawn("batch", RUNNING, "--out", "/dev/stdout")
    assert done.code == 0
    assert json.loads(done.out)["status"] == "complete"
    assert "complete" in done.err


@pytest.mark.skipif(not os.path.isdir("/dev/shm"), reason="no files in /dev here")
def test_a_file_in_memory_is_a_file():
    with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
        path = os.path.join(folder, "new")
        writing.write_file(path, b"whole")
        assert Path(path).read_bytes() == b"whole"


def test_a_name_that_no_file_has(tmp_path):
    with pytest.raises(SymrobError, match="NUL"):
        files.write_file(str(tmp_path / "a\0b"), b"")
