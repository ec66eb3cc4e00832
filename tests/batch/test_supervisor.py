"""Workers that misbehave cost one row, and workers that behave stay warm."""

import json
import os
import tempfile
import threading
from time import monotonic, sleep

import pytest

from symrob.batch import supervisor
from symrob.batch.job import Job
from symrob.batch.run import pack
from symrob.batch.supervisor import Worker
from symrob.memory import resident
from tests.batch.tools import ROOT, children, runs, wait_until

THERAC = str(ROOT / "models/therac25/therac25.toml")
ENDLESS = str(ROOT / "models/voting/voting_cfm_unconstrained.toml")

# Programs in the place of a worker, for the jobs that arrive.
SLEEPS = "import time; sys.stdin.readline(); time.sleep(100)"
EATS = (
    "import time; sys.stdin.readline(); x = []\n"
    "while True: x.append(bytearray(b'x' * (1 << 22))); time.sleep(0.005)"
)
ABORTS = "import os; sys.stdin.readline(); os.abort()"
LEAVES = "sys.stdin.readline(); sys.exit('all is lost')"
DEAF = "sys.exit(3)"
HALF = "sys.stdin.readline(); print('{\"case\":', end='', flush=True); sys.exit(0)"


@pytest.fixture
def worker():
    made = Worker()
    yield made
    made.close()


@pytest.fixture
def program(monkeypatch):
    """Let workers run another program."""

    def of(text):
        monkeypatch.setattr(supervisor, "_PROGRAM", f"import sys\n{text}")

    return of


def job(path=THERAC, **limits):
    (made,) = pack([path], limits)
    return made


def asked(worker, job):
    return json.loads(worker.answer(job))


def pids():
    return set(children(os.getpid()))


@pytest.mark.parametrize(
    ("text", "limits", "status", "reason"),
    [
        (SLEEPS, {"timeout": 0.2}, "timeout", "stopped after 0.2 s"),
        (EATS, {"max_memory": 60}, "memory", "stopped at 60 MiB of memory"),
        (ABORTS, {}, "crash", "the worker was killed by signal 6"),
        (LEAVES, {}, "crash", "the worker exited with code 1: all is lost"),
        (DEAF, {}, "crash", "the worker exited with code 3"),
        (HALF, {}, "crash", "the worker exited with code 0"),
    ],
)
def test_a_worker_that_fails_costs_its_row(
    worker, program, monkeypatch, text, limits, status, reason
):
    monkeypatch.setattr(supervisor, "_MORE_SECONDS", 0.2)
    before = pids()
    with monkeypatch.context() as patch:
        patch.setattr(supervisor, "_PROGRAM", f"import sys\n{text}")
        row = asked(worker, job(**limits))
    assert (row["status"], row["reason"]) == (status, reason)
    assert row["case"].endswith("therac25.toml")
    assert row["result"] is None
    assert pids() <= before, "the process is still there"
    assert asked(worker, job())["status"] == "complete"


def test_a_job_makes_no_files(monkeypatch, tmp_path):
    """So that a worker that is killed cannot leave any behind."""
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(tempfile, "tempdir", None)
    worker = Worker()
    thread = threading.Thread(target=worker.answer, args=(job(ENDLESS),))
    thread.start()
    wait_until(pids)
    seen = []
    end = monotonic() + 1
    while monotonic() < end:
        seen += tmp_path.iterdir()
        sleep(0.01)
    worker.stop()
    thread.join()
    assert seen == []


def test_a_worker_stays_warm_and_is_replaced_when_it_keeps_much(worker, monkeypatch):
    asked(worker, job())
    (first,) = pids()
    asked(worker, job())
    assert pids() == {first}
    assert 1e7 < resident(first) < 5e8
    monkeypatch.setattr(supervisor, "_STALE", 1)
    asked(worker, job())
    assert pids() == set()


def test_a_job_that_knows_its_bounds_says_what_it_found(worker):
    row = asked(worker, job(ENDLESS, timeout=1.5))
    assert row["status"] == "timeout"
    assert row["reason"] == "stopped after 1.5 s"
    assert row["result"]["status"] == "timeout"
    assert len(row["result"]["delta"]) > 0
    row = asked(worker, job(ENDLESS, max_memory=90))
    assert row["status"] == "memory"
    assert "--memory" in row["reason"]
    row = asked(worker, job(ENDLESS, limit=7))
    assert row["status"] == "limit"
    assert len(row["result"]["delta"]) == 7


def test_stopping_is_quick_and_gives_no_row(worker):
    answers = []
    thread = threading.Thread(
        target=lambda: answers.append(worker.answer(job(ENDLESS)))
    )
    thread.start()
    wait_until(pids)
    sleep(0.2)
    start = monotonic()
    worker.stop()
    thread.join(5)
    assert monotonic() - start < 1
    assert answers == [None]
    assert pids() == set()
    assert worker.answer(job()) is None


def test_a_worker_ends_with_the_one_who_started_it(worker):
    asked(worker, job())
    (pid,) = pids()
    worker._process.stdin.close()
    wait_until(lambda: not runs(pid), 5)


def test_a_fault_of_symrob_is_a_crash_with_its_reason(worker):
    good = job()
    broken = Job(**{**vars(good), "case": {**good.case, "compute": ["nonsense"]}})
    row = asked(worker, broken)
    assert row["status"] == "crash"
    assert row["reason"].startswith("symrob failed: ModuleNotFoundError")
    (pid,) = pids()
    assert asked(worker, good)["status"] == "complete"
    assert pids() == {pid}
