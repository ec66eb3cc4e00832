"""Devices, pipes and files without an end were opened wherever a name led."""

import os

import pytest

from tests.cli.tools import run

IMPORTS = 'import P = "{}"\n||M = P.\n'


@pytest.fixture
def sparse(tmp_path):
    """A file of 6 GB that takes no room on the disk."""
    path = tmp_path / "large.aut"
    with open(path, "wb") as file:
        file.truncate(6_000_000_000)
    return path


def test_devices_and_pipes_are_refused(tmp_path):
    pipe = tmp_path / "pipe.aut"
    os.mkfifo(pipe)
    model = tmp_path / "m.lts"
    for name in ("/dev/zero", pipe):
        model.write_text(IMPORTS.format(name))
        for command in ("lint", "show"):
            done = run(command, model, "--allow-outside")
            assert done.code == 2
            assert "[file-special]" in done.out + done.err
    for args in (
        ("show", pipe),
        ("compute", pipe),
        ("results", pipe),
        ("gate", pipe),
        ("verify", pipe, "models/running_example/running_example.toml"),
    ):
        done = run(*args)
        assert (done.code, "file-special" in done.err) == (2, True), (args, done.err)


def test_large_files_are_refused_and_the_message_says_what_helps(tmp_path, sparse):
    for suffix in ("aut", "lts", "json", "fsm"):
        path = sparse.rename(tmp_path / f"large.{suffix}")
        done = run("show", path)
        assert done.code == 3
        assert "read it with --bound max-file=5723" in done.err
        sparse = path


def test_a_batch_does_not_read_what_is_too_large(tmp_path, sparse):
    (tmp_path / "p.lts").write_text("P = (a -> P).")
    case = tmp_path / "case.toml"
    case.write_text(
        f'environment = "{sparse.name}"\ncontroller = "p.lts"\nproperties = ["p.lts"]'
    )
    done = run("batch", case, "--out", tmp_path / "rows.jsonl")
    assert done.code == 3
    assert '"file-limit"' in (tmp_path / "rows.jsonl").read_text()


def test_the_bound_is_the_users(tmp_path):
    model = tmp_path / "m.lts"
    model.write_text("P = (a -> P)." + " " * (2 << 20))
    done = run("show", model, "--bound", "max-file=1")
    assert done.code == 3
    assert "read it with --bound max-file=3" in done.err
    assert run("show", model, "--bound", "max-file=3").code == 0
    assert run(
        "show", "-", "--from", "lts", "--bound", "max-file=1", stdin=model.read_bytes()
    )
