"""Ctrl-C reaches all processes of a terminal; the run is interrupted, nothing fails."""

import json
import os
import random
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryFile

import pytest

from symrob.errors import EXIT_INTERRUPTED
from symrob.report.svg import laid_out
from tests.batch.tools import write_cases
from tests.cli.tools import ROOT

LONG = ROOT / "models/voting/voting_all_unconstrained.toml"
# The command itself, and with less patience for what is still shown after a signal.
USUAL = ("-m", "symrob")
HASTY = (
    "-c",
    "from symrob import interrupts; interrupts.SHOWN = 0.25\n"
    "from symrob.__main__ import main; main()",
)
INT, TERM, HUP = signal.SIGINT, signal.SIGTERM, signal.SIGHUP


def interrupted(args, number, ready, program=USUAL):
    """Send a signal to a run and all that it has started, as soon as it is ready."""
    # Into a file: nobody reads while it is waited for.
    with TemporaryFile("w+") as output:
        process = subprocess.Popen(
            [sys.executable, *program, *map(str, args)],
            cwd=ROOT,
            stdout=output,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        try:
            ready(process)
            os.killpg(process.pid, number)
            _out, err = process.communicate(timeout=60)
        finally:
            process.kill()
            process.communicate()
        output.seek(0)
        out = output.read()
    assert "Traceback" not in err
    return process.returncode, out, err


def children(process):
    """The commands of what a process has started, whichever thread did."""
    found = []
    for task in Path(f"/proc/{process.pid}/task").glob("*/children"):
        with suppress(OSError):
            for pid in task.read_text().split():
                found.append(Path(f"/proc/{pid}/cmdline").read_text())
    return found


def once_it_runs(word, seconds=0.0):
    """Wait for a child whose command has a word, and some more seconds."""

    def ready(process):
        end = time.monotonic() + 20
        while not any(word in command for command in children(process)):
            assert process.poll() is None, "it has ended"
            assert time.monotonic() < end
            time.sleep(0.005)
        time.sleep(seconds)

    return ready


@pytest.fixture
def tangle(tmp_path):
    """A graph that takes Graphviz longer than any test waits."""
    chance = random.Random(1)
    names = [f"a{n}" for n in range(2000)]
    steps = [[chance.randrange(90), a, chance.randrange(90)] for a in names]
    path = tmp_path / "tangle.json"
    data = {"alphabet": names, "states": 90, "transitions": steps}
    path.write_text(json.dumps(data))
    return path


@pytest.mark.parametrize(("number", "seconds"), [(INT, 0.0), (TERM, 0.2), (HUP, 0.0)])
def test_while_graphviz_draws(tangle, number, seconds):
    ready = once_it_runs("graphviz.py", seconds)
    args = ("draw", tangle, "--bound", "max-edges=9999")
    code, out, err = interrupted(args, number, ready, HASTY)
    assert (code, out) == (EXIT_INTERRUPTED, ""), err
    assert "interrupted" in err


def test_graphviz_that_a_signal_has_ended_is_an_interrupt(monkeypatch):
    """Where it reaches Graphviz alone, or first."""
    begin = subprocess.Popen

    def killed(*args, **options):
        process = begin(*args, **options)
        process.terminate()
        return process

    monkeypatch.setattr("subprocess.Popen", killed)
    with pytest.raises(KeyboardInterrupt):
        laid_out(["digraph {}"])


@pytest.mark.parametrize(
    ("number", "seconds"), [(INT, 0.0), (TERM, 0.02), (HUP, 0.1), (INT, 0.3)]
)
def test_while_the_workers_of_a_batch_begin(tmp_path, number, seconds):
    paths = [*write_cases(tmp_path, 3, seed=5), LONG]
    out = tmp_path / "rows.jsonl"
    ready = once_it_runs("symrob.batch.worker", seconds)
    args = ("batch", *paths, "--out", out, "-j", 2)
    code, _out, err = interrupted(args, number, ready)
    assert code == EXIT_INTERRUPTED, err
    rows = [json.loads(line) for line in out.read_text().splitlines()]
    assert {row["status"] for row in rows} <= {"complete", "nominal"}, rows


@pytest.mark.parametrize(("number", "seconds"), [(INT, 0.3), (TERM, 0.0), (HUP, 0.0)])
def test_while_several_processes_search(number, seconds):
    ready = once_it_runs("compute", seconds)
    args = ("compute", LONG, "-j", 4, "--format", "jsonl")
    code, out, err = interrupted(args, number, ready)
    assert code == EXIT_INTERRUPTED, err
    assert json.loads(out.splitlines()[-1])["status"] == "interrupted"
