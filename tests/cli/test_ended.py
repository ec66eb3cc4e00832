"""Who asks for JSON gets a whole document, also of a run that ended with nothing."""

import json
import os
import signal
import sys

import pytest
import typer

from symrob.cli.common import guarded
from symrob.ended import Printed, due
from symrob.errors import EXIT_DONE, EXIT_INTERRUPTED, EXIT_LIMIT, LimitExceeded
from symrob.interrupts import OverError
from symrob.limits import Clock
from tests.cli.tools import ROOT, run, start
from tests.schemas import validate

CASE = ROOT / "models/running_example/running_example.toml"
THERAC = ROOT / "models/therac25/therac25_unconstrained.toml"


def asking(folder):
    """Each command that prints JSON and can take its time."""
    policy, chances = folder / "policy.toml", folder / "chances.toml"
    policy.write_text("resilience = 2\n")
    chances.write_text('[probability]\n"*,*,*" = 1e-3\n')
    for command in ("check", "compute", "summary", "repair", "cuts", "lint"):
        yield command, CASE
    yield "compute", CASE, "--sorted"
    yield "compute", CASE, "--compact"
    yield "repair", CASE, "--suggest"
    yield "explain", CASE, "--transition", "0,a,0"
    yield "compare", CASE, CASE
    yield "gate", policy, CASE
    yield "risk", CASE, "--probability", chances
    yield "cuts", CASE, "--by-probability", "--probability", chances
    yield "show", ROOT / "models/link/stations.lts"


def ended(text):
    found = json.loads(text)
    validate(found, "ended")
    return found["status"]


def test_a_time_out_before_anything_is_found_is_told_as_json(tmp_path):
    for args in asking(tmp_path):
        found = run(*args, "--format", "json", "--timeout", "1e-9")
        assert (found.code, ended(found.out)) == (EXIT_LIMIT, "timeout"), args
    for command in ("compute", "cuts"):
        found = run(command, CASE, "--format", "jsonl", "--timeout", "1e-9")
        assert (found.code, ended(found.out)) == (EXIT_LIMIT, "timeout")


def test_a_signal_before_anything_is_found_is_told_as_json(monkeypatch, tmp_path):
    def check(_clock):
        raise KeyboardInterrupt

    monkeypatch.setattr(Clock, "check", check)
    # A lint of this size does not look at the clock.
    for args in (a for a in asking(tmp_path) if a[0] != "lint"):
        found = run(*args, "--format", "json")
        assert (found.code, ended(found.out)) == (EXIT_INTERRUPTED, "interrupted"), args


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (OverError(KeyboardInterrupt()), "interrupted"),
        (OverError(LimitExceeded("late", reason="timeout")), "timeout"),
        (LimitExceeded("much", reason="memory"), "limit"),
        (MemoryError(), "limit"),
        (typer.Exit(EXIT_LIMIT), None),
    ],
)
def test_nothing_is_added_to_what_is_printed_nor_to_a_text(error, status, capsys):
    def command(text):
        @guarded
        def function(**_options):
            print(end=text)
            raise error

        return function

    def printed(text, **options):
        with pytest.raises(Exception, match=f"{EXIT_LIMIT}|{EXIT_INTERRUPTED}"):
            command(text)(**options)
        return capsys.readouterr().out

    text = printed("", output="json")
    assert (ended(text) if text else None) == status
    assert printed("a line\n", output="jsonl") == "a line\n"
    assert printed("", output="text") == ""


def test_a_signal_while_symrob_is_imported_is_told_as_json(tmp_path):
    """Handlers stand before all other modules are there; here they are called."""
    code = "import signal, sys, symrob.__main__ as m; m._quit(signal.SIGTERM, None)"
    for option, status in (("--format=json", "interrupted"), ("--sorted", None)):
        path = tmp_path / "out"
        with path.open("w") as out:
            pid = os.posix_spawn(
                sys.executable,
                [sys.executable, "-c", code, option],
                {**os.environ, "PYTHONPATH": str(ROOT)},
                file_actions=[(os.POSIX_SPAWN_DUP2, out.fileno(), 1)],
            )
            waited = os.waitpid(pid, 0)[1]
        assert os.waitstatus_to_exitcode(waited) == EXIT_INTERRUPTED
        text = path.read_text()
        assert (ended(text) if text else None) == status


def test_who_asks_for_json_is_known_before_the_command_line_is_read(monkeypatch):
    monkeypatch.setattr(Printed, "anything", False)
    assert due(["x", "compute", "--format", "json"])
    assert due(["x", "compute", "--format=jsonl", "case"])
    assert not due(["x", "compute", "json", "--format", "text"])


def test_a_slow_reader_and_a_signal_leave_a_document_whole():
    """Without a buffer Python would lose what the interrupted write had left over."""
    args = ("cuts", THERAC, "--format", "json")
    process = start(*args, PYTHONUNBUFFERED="1")
    try:
        # More than a pipe holds: the rest waits now, in the midst of a write.
        first = os.read(process.stdout.fileno(), 1).decode()
        process.send_signal(signal.SIGTERM)
        out, _ = process.communicate(timeout=60)
    finally:
        process.kill()
    assert process.returncode == EXIT_DONE
    assert json.loads(first + out)["schema"] == "symrob/cuts/3"
