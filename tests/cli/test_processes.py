"""What only a separate process shows: signals, pipes, terminals, encodings."""

import json
import signal
import subprocess
import sys

import pytest

from symrob.cli import COMMANDS
from symrob.cli.results import FORMATS as ROWS
from symrob.question_names import question_names
from symrob.questions import question_named
from symrob.report.svg import FORMATS as DRAWN
from tests.cli.calls import calls
from tests.cli.tools import ROOT, run, spawn, start

BOTH = ("text", "json")
LONG = "models/voting/voting_all_unconstrained.toml"


def interrupted(*args, until):
    """Interrupt a long run once a line of its output holds `until`."""
    process = start("compute", LONG, *args, PYTHONUNBUFFERED="1")
    try:
        printed = ""
        for line in process.stdout:
            printed += line
            if until in line:
                break
        process.send_signal(signal.SIGINT)
        rest, err = process.communicate(timeout=60)
    finally:
        process.kill()
    return process.returncode, printed + rest, err


def test_interrupt_keeps_what_was_found():
    code, out, err = interrupted(until="Deviation 20:")
    assert code == 130
    assert "Traceback" not in err
    assert "interrupted" in err
    assert "\nDeviation 20:" in out
    assert "Incomplete (interrupted)" in out


def unread(*args, lines=0):
    """Run a command whose reader goes away after some lines; its code and errors."""
    process = start(*args)
    try:
        for _ in range(lines):
            process.stdout.readline()
        process.stdout.close()
        err = process.stderr.read()
        process.wait(timeout=60)
    finally:
        process.kill()
        process.stderr.close()
    return process.returncode, err


@pytest.mark.parametrize("lines", [0, 1])
@pytest.mark.parametrize("form", ["text", "json", "jsonl"])
def test_a_pipe_that_is_closed_ends_the_command(form, lines):
    """Before the first line, or after it: silently, and not as an unsafe plan."""
    args = ("compute", LONG, "--limit", "1000", "--format", form)
    # A document of one line is read whole.
    assert form == "json" or unread(*args, lines=lines) == (0, "")
    assert unread("summary", "models/therac25/therac25.toml", lines=lines) == (0, "")


@pytest.mark.parametrize("args", [("--help",), ("--version",), ("compute", "--help")])
def test_help_that_nobody_reads_is_no_unsafe_plan(args):
    assert unread(*args) == (0, "")


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_and_format_ends_silently_when_its_reader_goes(name, tmp_path):
    """Before it has written, and after its first line; what fails keeps its code."""
    forms = {"draw": DRAWN, "results": ROWS, "show": BOTH, "lint": BOTH}
    if name in question_names():
        forms[name] = question_named(name).forms
    given = []
    for each, code, args in calls(tmp_path):
        if each == "batch" and code == 0:
            run(each, *args)  # `results` prints its rows.
            args = (*args, "--resume")
        if each == name:
            given.append((code, args))
    code, args = next(call for call in given if call[0] in (0, 4))
    for form in forms.get(name, ("",)):
        more = ("--format", form) if len(forms.get(name, ())) > 1 else ()
        for lines in (0, 1):
            ended, err = unread(name, *args, *more, lines=lines)
            assert ended in (0, code), (form, lines)
            assert "Broken" not in err
            assert "Traceback" not in err


def test_a_verdict_that_is_known_keeps_its_code(tmp_path):
    """What is written at the end, when the reader has gone, changes nothing."""
    given = {name: args for name, code, args in calls(tmp_path) if code == 1}
    assert unread("check", *given["check"], "--format", "json")[0] == 1


def test_another_pipe_that_is_closed_is_an_error():
    code = (
        "import errno, sys; from symrob.cli.ending import exit_code\n"
        "def call(): raise BrokenPipeError(errno.EPIPE, 'Broken pipe')\n"
        "sys.exit(exit_code(call))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, cwd=ROOT)
    assert (done.returncode, b"Broken pipe" in done.stderr) == (2, True)


@pytest.mark.parametrize("encoding", ["ascii", "latin-1"])
def test_terminal_without_greek(encoding):
    done = spawn(
        "compute",
        "models/running_example/running_example.toml",
        PYTHONIOENCODING=encoding,
    )
    assert done.code == 0
    assert "\\u0394| = 3" in done.out
    assert done.err == ""


def test_module_runs_like_the_command():
    done = spawn("show", "models/therac25/nurse.lts", "--format", "json")
    assert done.code == 0
    assert json.loads(done.out)["title"] == "models/therac25/nurse.lts"


def test_usage():
    help_text = spawn("--help").out
    for command in ("compute", "check", "draw", "show", "convert", "lint"):
        assert f"  {command} " in help_text
    assert "130" in help_text
    assert spawn("frobnicate").code == 2
