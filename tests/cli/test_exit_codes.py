"""Each exit code of each command is really given, and only where it should be."""

import os
import re
import signal
import subprocess
import sys
from contextlib import contextmanager, suppress
from threading import Timer
from types import SimpleNamespace

import pytest

from symrob import errors
from symrob.cli import EXIT_CODES, NAMES
from symrob.files import reading
from tests.cli.calls import calls, endless
from tests.cli.tools import ROOT, run, spawn, start

# It reads in processes of its own.
OTHERS = {"batch"}
DOCUMENTED = {0, 1, 2, 3, 4, 70, 130}


def test_codes_are_those_of_the_help_and_of_the_reference():
    named = {v for k, v in vars(errors).items() if k.startswith("EXIT_")}
    assert named == DOCUMENTED
    in_help = {int(c) for c in re.findall(r"^ *(\d+)  ", EXIT_CODES, re.MULTILINE)}
    assert in_help == DOCUMENTED
    page = (ROOT / "docs/reference.md").read_text(encoding="utf-8")
    assert {int(c) for c in re.findall(r"^\| (\d+) \|", page, re.M)} == DOCUMENTED


def test_each_command_has_its_calls(tmp_path):
    given = [*calls(tmp_path)]
    for code in (0, 2):
        assert {name for name, c, _args in given if c == code} == set(NAMES)
    assert {name for name, _args in endless(tmp_path)} == set(NAMES) - OTHERS


def test_calls_end_with_their_codes(tmp_path):
    for name, code, args in calls(tmp_path):
        done = run(name, *args)
        assert done.code == code, (name, args, done.out, done.err)
        # What is wrong is said in a place of its own; a verdict is a result.
        said = done.out if name == "lint" or code in (0, 4) else done.err
        assert said or name == "convert", (name, code)


def test_a_bound_that_is_hit_gives_3(tmp_path, monkeypatch):
    for name, args in endless(tmp_path):
        with silent() as stdin:
            system = SimpleNamespace(stdin=SimpleNamespace(buffer=stdin))
            monkeypatch.setattr(reading, "sys", system)
            done = run(name, *args, "--timeout", "0.1")
        assert done.code == 3, (name, done.err)
        assert "raise --timeout to continue [limit-timeout]" in done.err
        assert done.out == ""


@pytest.mark.parametrize("code", [0, 1, 2, 4])
def test_a_process_returns_the_code(tmp_path, code):
    name, _, args = next(c for c in calls(tmp_path) if c[1] == code)
    done = spawn(name, *args)
    assert done.code == code
    assert "Traceback" not in done.err


@pytest.mark.parametrize("command", [c for c in NAMES if c not in OTHERS])
def test_an_interrupted_process_returns_130(tmp_path, command):
    args = dict(endless(tmp_path))[command]
    number = signal.SIGTERM if command in ("compute", "lint") else signal.SIGINT
    with start(command, *args, stdin=subprocess.PIPE) as process:
        try:
            # More than a pipe holds: that it could be written says that reading began.
            process.stdin.write(" " * 200_000)
            process.stdin.flush()
            process.send_signal(number)
            # Standard input stays open: its end would be another answer.
            process.wait(timeout=30)
        finally:
            process.kill()
        out, err = process.stdout.read(), process.stderr.read()
    assert process.returncode == 130
    assert err == "interrupted\n"
    assert out == ""


@contextmanager
def silent():
    """Standard input into which nobody writes.

    It ends after a while, so that who waits for ever fails and does not hang.
    """
    reads, writes = os.pipe()
    end = Timer(20, os.close, (writes,))
    end.start()
    try:
        with open(reads, "rb") as stdin:
            yield stdin
            assert end.is_alive(), "it was read to its end"
    finally:
        end.cancel()
        end.join()
        # The timer has closed it where it came first.
        with suppress(OSError):
            os.close(writes)


def test_unknown_commands_and_options_are_bad_usage():
    assert spawn("frobnicate").code == 2
    assert spawn("compute", "--frobnicate").code == 2


def test_an_interrupt_in_a_text_that_is_executed_ends_as_any_other():
    """As while a dataclass is made: Python remembers it, and would end by a signal."""
    script = "from symrob.cli.ending import exit_code, leave, own_process\n"
    script += "own_process()\nleave(exit_code(lambda: exec('raise KeyboardInterrupt')))"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "interrupted\n")
