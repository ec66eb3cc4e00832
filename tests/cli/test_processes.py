"""What only a separate process shows: signals, pipes, terminals, encodings."""

import json
import signal

import pytest

from tests.cli.tools import spawn, start

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


def test_pipe_that_is_closed_is_no_error():
    process = start("compute", LONG, "--limit", "50", PYTHONUNBUFFERED="1")
    try:
        assert process.stdout.readline()
        process.stdout.close()
        err = process.stderr.read()
        process.wait(timeout=60)
    finally:
        process.kill()
        process.stderr.close()
    assert "BrokenPipe" not in err


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
