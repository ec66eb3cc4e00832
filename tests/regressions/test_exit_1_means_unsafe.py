"""Exit code 1 says that the nominal system is unsafe, and nothing else.

A full disk, a closed pipe, a bound beyond what the system can hold, and faults of
symrob's own ended with a traceback and 1, which reads as "the plan is unsafe".
"""

import errno
import gc
import io
import signal
import subprocess
import sys

import pytest
import typer

from symrob.cli import main
from symrob.cli.common import guarded
from symrob.cli.ending import exit_code
from symrob.errors import LimitExceeded, SymrobError
from tests.cli.calls import RUNNING, calls
from tests.cli.tools import ROOT


class Full(io.StringIO):
    """A stream to a full disk."""

    def write(self, _text):
        raise OSError(errno.ENOSPC, "No space left on device")


LIMIT = LimitExceeded("too long", reason="timeout")


@pytest.mark.parametrize(
    ("raised", "code", "said"),
    [
        (SymrobError("bad"), 2, "error: bad"),
        (OSError(errno.ENOSPC, "No space left"), 2, "No space left [input-output]"),
        (PermissionError(errno.EACCES, "Denied", "x.lts"), 2, "x.lts: error"),
        (typer.BadParameter("odd"), 2, "odd"),
        (LIMIT, 3, "too long"),
        (MemoryError(), 3, "--memory"),
        (KeyboardInterrupt(), 130, "interrupted"),
        (typer.Exit(4), 4, ""),
        (AssertionError("never"), 70, "please report"),
        (KeyError("x"), 70, "KeyError: 'x' in test_exit_1_means_unsafe.py:"),
        (ValueError("x"), 70, "please report"),
        (OverflowError("x"), 70, "please report"),
        (RecursionError(), 70, "please report"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_what_is_raised_has_its_code(capsys, raised, code, said):
    def call():
        raise raised

    assert exit_code(call) == code
    err = capsys.readouterr().err
    assert said in err
    assert "Traceback" not in err
    with pytest.raises(typer.Exit) as end:
        guarded(call)()
    assert end.value.exit_code == code


def test_a_reader_that_has_gone_is_no_error(capsys):
    def call():
        raise BrokenPipeError

    assert exit_code(call) == 0
    guarded(call)()
    assert capsys.readouterr() == ("", "")


def test_a_fault_has_its_traceback_with_v(capsys):
    def call():
        return {}["x"]

    assert exit_code(call, 1) == 70
    assert "Traceback (most recent call last)" in capsys.readouterr().err


@pytest.fixture
def started(monkeypatch):
    """Call the entry point in this process, with an output of its own."""
    before = signal.getsignal(signal.SIGTERM), gc.get_threshold()

    def start(output, *args):
        monkeypatch.setattr(sys, "argv", ["symrob", *map(str, args)])
        monkeypatch.setattr(sys, "stdout", output)
        with pytest.raises(SystemExit) as end:
            main()
        return end.value.code

    yield start
    signal.signal(signal.SIGTERM, before[0])
    gc.set_threshold(*before[1])


def test_output_that_fails_is_2_for_every_command(started, tmp_path, capsys):
    given = [(name, *args) for name, code, args in calls(tmp_path) if code in (0, 4)]
    given += [("--help",), ("--version",), ("compute", "--help")]
    for args in given:
        with open("/dev/full", "w", encoding="utf-8") as full:
            code = started(full, *args)
        err = capsys.readouterr().err
        if args[0] in ("convert", "batch"):  # These write to a file of their own.
            continue
        assert code == 2, args
        assert err.count("No space left on device") == 1, (args, err)
        assert "Traceback" not in err


def test_output_that_is_closed(started, capsys):
    assert started(None, "check", RUNNING) == 2
    assert "standard output is closed" in capsys.readouterr().err


def test_an_error_that_nobody_can_read_keeps_its_code(started, monkeypatch, capsys):
    monkeypatch.setattr(sys, "stderr", Full())
    assert started(io.StringIO(), "check", "nowhere.toml") == 2
    monkeypatch.setattr(sys, "stderr", None)
    assert started(sys.stdout, "check", "nowhere.toml") == 2
    sys.stderr.close()
    assert capsys.readouterr().out == ""


def test_a_process_whose_output_fails():
    """Python flushes once more at its end, and has a code of its own for that."""
    script = "import os, sys; os.dup2(os.open('/dev/full', os.O_WRONLY), 1); "
    script += "from symrob.cli import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", script, "check", RUNNING],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
