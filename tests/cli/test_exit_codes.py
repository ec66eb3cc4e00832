"""Each exit code of each command is really given, and only where it should be."""

import os
import re
import signal
import time
from contextlib import contextmanager, suppress

import pytest

from symrob import errors
from symrob.cli import COMMANDS, EXIT_CODES
from tests.cli.calls import calls, endless, pipe_of
from tests.cli.tools import ROOT, run, spawn, start

DOCUMENTED = {0, 1, 2, 3, 4, 130}


def test_codes_are_those_of_the_help_and_of_the_readme():
    named = {v for k, v in vars(errors).items() if k.startswith("EXIT_")}
    assert named == DOCUMENTED
    in_help = {int(c) for c in re.findall(r"^ *(\d+)  ", EXIT_CODES, re.MULTILINE)}
    assert in_help == DOCUMENTED
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert {int(c) for c in re.findall(r"^\| (\d+) \|", readme, re.M)} == DOCUMENTED


def test_each_command_has_its_calls(tmp_path):
    given = [*calls(tmp_path)]
    for code in (0, 2):
        assert {name for name, c, _args in given if c == code} == set(COMMANDS)
    assert {name for name, _args in endless(tmp_path)} == set(COMMANDS) - {"batch"}


def test_calls_end_with_their_codes(tmp_path):
    for name, code, args in calls(tmp_path):
        done = run(name, *args)
        assert done.code == code, (name, args, done.out, done.err)
        # What is wrong is said in a place of its own; a verdict is a result.
        said = done.out if name == "lint" or code in (0, 4) else done.err
        assert said or name == "convert", (name, code)


def test_a_bound_that_is_hit_gives_3(tmp_path):
    for name, args in endless(tmp_path):
        done = run(name, *args, "--timeout", "0.1")
        assert done.code == 3, (name, done.err)
        assert "raise --timeout to go on [limit-timeout]" in done.err
        assert done.out == ""


@pytest.mark.parametrize("code", [0, 1, 2, 4])
def test_a_process_returns_the_code(tmp_path, code):
    name, _, args = next(c for c in calls(tmp_path) if c[1] == code)
    done = spawn(name, *args)
    assert done.code == code
    assert "Traceback" not in done.err


# `tests/batch` interrupts batches: they read in processes of their own.
@pytest.mark.parametrize("command", [c for c in COMMANDS if c != "batch"])
def test_an_interrupted_process_returns_130(tmp_path, command):
    args = dict(endless(tmp_path))[command]
    number = signal.SIGTERM if command in ("compute", "lint") else signal.SIGINT
    process = start(command, *args)
    try:
        with held_open(pipe_of(tmp_path), process):
            process.send_signal(number)
            out, err = process.communicate(timeout=30)
    finally:
        process.kill()
    assert process.returncode == 130
    assert err == "interrupted\n"
    assert out == ""


@contextmanager
def held_open(pipe, process):
    """Write nothing into a pipe, from when the process has begun to read it."""
    for _ in range(600):
        assert process.poll() is None, process.stderr.read()
        with suppress(OSError):
            end = os.open(pipe, os.O_WRONLY | os.O_NONBLOCK)
            break
        time.sleep(0.05)
    yield
    os.close(end)


def test_unknown_commands_and_options_are_bad_usage():
    assert spawn("frobnicate").code == 2
    assert spawn("compute", "--frobnicate").code == 2
