"""A batch on a real Dask cluster: a scheduler and two workers on loopback."""

import json
import os
import subprocess
import sys
import time
from contextlib import contextmanager

import pytest

from symrob.batch import cluster as cluster_module
from symrob.batch.cluster import answer_remotely
from symrob.batch.rows import without_timing
from symrob.batch.run import pack
from symrob.batch.work import answer
from symrob.envelope import tuning
from symrob.parallel import cluster as parallel_cluster
from tests.batch.tools import (
    ROOT,
    batch,
    busy,
    by_case,
    children,
    lines_in,
    medium_cases,
    running,
    runs,
    wait_until,
    write_cases,
)
from tests.cli.tools import run, start

pytest.importorskip("distributed")

ENDLESS = ROOT / "models/voting/voting_cfm_unconstrained.toml"


@contextmanager
def dask(kind, *args, cwd):
    """A process of the cluster, ended with the block."""
    process = subprocess.Popen(
        [sys.executable, "-m", "distributed.cli.dask_" + kind, *map(str, args)],
        cwd=cwd,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    try:
        yield process
    finally:
        process.kill()
        process.wait()


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    """The address of a scheduler, and its two workers, for all tests in their order."""
    tmp_path = tmp_path_factory.mktemp("cluster")
    file = tmp_path / "scheduler.json"
    common = ("--host", "127.0.0.1", "--scheduler-file", file, "--no-dashboard")
    worker = (*common, "--no-nanny", "--nthreads", 1, "--local-directory", tmp_path)
    with dask("scheduler", *common, "--port", 0, cwd=tmp_path):
        wait_until(lambda: file.exists() and file.read_text().endswith("}"), 60)
        with (
            dask("worker", *worker, cwd=tmp_path) as one,
            dask("worker", *worker, cwd=tmp_path) as two,
        ):
            yield json.loads(file.read_text())["address"], (one, two)


def all_children(workers):
    """The processes that compute for the workers."""
    return [child for worker in workers for child in children(worker.pid)]


def test_a_crash_on_a_cluster_is_a_row_and_ctrl_c_ends_it(tmp_path, cluster):
    address, workers = cluster
    out = tmp_path / "rows.jsonl"
    paths = write_cases(tmp_path, 3, seed=22)
    code, _out, _err = batch(
        ENDLESS, *paths, "--out", out, "--dask", address, "--timeout", 1
    )
    assert code == 3
    table = by_case(out)
    assert table.pop(str(ENDLESS))["status"] == "timeout"
    assert len(table) == 3
    with running(ENDLESS, "--out", out, "--dask", address, "--resume") as process:
        wait_until(lambda: any(map(busy, all_children(workers))), 30)
        process.send_signal(2)
        process.wait(10)
        assert process.returncode == 130
    # What was being computed is given up, though nobody bounded its time.
    wait_until(lambda: not any(map(busy, all_children(workers))), 10)
    assert len(by_case(out)) == 3


def test_a_cluster_finds_the_deviations_of_one_process(cluster, monkeypatch):
    address, _workers = cluster
    case = ROOT / "models/therac25/therac25_unconstrained.toml"
    monkeypatch.setattr(tuning, "SAMPLED_SETS", 20)
    args = ("compute", case, "--format", "json", "--sorted")
    here, there = run(*args), run(*args, "--dask", address)
    assert there.code == 0, there.err
    assert json.loads(there.out)["delta"] == json.loads(here.out)["delta"]
    assert run("compute", ENDLESS, "--dask", address, "--limit", 1000).code == 3


def test_a_cluster_gives_the_rows_of_one_machine_and_loses_none(
    tmp_path, cluster, monkeypatch
):
    """The last test on this cluster: one of its workers is gone afterwards."""
    address, workers = cluster
    folder = tmp_path / "cases"
    folder.mkdir()
    paths = [*medium_cases(folder, 24, seed=21), folder / "missing.toml"]
    there = tmp_path / "there.jsonl"
    here = [json.loads(answer(job)) for job in pack(map(str, paths), {})]
    expected = {row["case"]: without_timing(row) for row in here}
    with running(*paths, "--out", there, "--dask", address) as process:
        wait_until(lambda: lines_in(there) >= 4, 60)
        lost = children(workers[0].pid)
        workers[0].kill()
        workers[0].wait()
        _out, err = process.communicate(timeout=60)
        assert process.returncode == 2, err
    assert by_case(there) == expected
    # Nobody computes for a worker that is gone.
    wait_until(lambda: not any(map(runs, lost)))
    # What one machine has begun, the cluster finishes.
    text = there.read_text().splitlines(keepends=True)
    there.write_text("".join(text[:20]) + text[20][:50])
    monkeypatch.setattr(cluster_module, "_AHEAD", 2)
    done = run("batch", *paths, "--out", there, "--dask", address, "--resume")
    assert done.code == 2
    assert "20 of 25 cases already have a row" in done.err
    assert by_case(there) == expected


def test_a_scheduler_that_is_not_there_is_said(tmp_path, monkeypatch):
    monkeypatch.setattr(parallel_cluster, "_PATIENCE", 0.3)
    out = tmp_path / "rows.jsonl"
    done = run("batch", ENDLESS, "--out", out, "--dask", "tcp://127.0.0.1:1")
    assert done.code == 2
    assert "cannot reach the scheduler at tcp://127.0.0.1:1" in done.err
    assert "[dask]" in done.err
    done = run("batch", ENDLESS, "--out", out, "--dask", "nonsense://x", "--resume")
    assert done.code == 2
    assert "[dask]" in done.err
    # Nobody needs it where there is nothing to compute.
    (path,) = write_cases(tmp_path, 1, seed=1)
    there = ("batch", path, "--out", tmp_path / "done.jsonl")
    done = run(*there)
    again = run(*there, "--resume", "--dask", "tcp://127.0.0.1:1")
    assert (again.code, again.out) == (done.code, done.out)


def test_without_dask_the_extra_is_named(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    done = run("batch", ENDLESS, "--out", tmp_path / "x", "--dask", "tcp://localhost:1")
    assert done.code == 2
    assert "symrob[dask]" in done.err


def test_another_version_on_the_cluster_gives_no_answers(tmp_path):
    from symrob.batch.run import pack

    (job,) = pack(map(str, write_cases(tmp_path, 1, seed=1)), {})
    row = json.loads(answer_remotely(b"".join(job.parts()), "0.0.0"))
    assert row["status"] == "crash"
    assert "not 0.0.0" in row["reason"]


@pytest.mark.parametrize("command", ["batch", "compute"])
def test_a_scheduler_that_is_lost_is_told_in_one_line(tmp_path, command):
    file = tmp_path / "scheduler.json"
    common = ("--host", "127.0.0.1", "--scheduler-file", file, "--no-dashboard")
    with dask("scheduler", *common, "--port", 0, cwd=tmp_path) as scheduler:
        wait_until(lambda: file.exists() and file.read_text().endswith("}"), 60)
        address = json.loads(file.read_text())["address"]
        rows = ("--out", tmp_path / "rows.jsonl") if command == "batch" else ()
        process = start(
            *(command, ENDLESS, *rows, "--dask", address),
            DASK_DISTRIBUTED__COMM__TIMEOUTS__CONNECT="2s",
        )
        try:
            own = f"/proc/{process.pid}/net/tcp"
            port = f":{int(address.rpartition(':')[2]):04X} "
            wait_until(lambda: connections(own, port) > 1, 60)
            time.sleep(3)  # It works on, and the jobs wait for a worker.
            scheduler.kill()
            _out, err = process.communicate(timeout=60)
        finally:
            process.kill()
    assert process.returncode == 2, err
    assert "[dask]" in err
    assert "Traceback" not in err
    assert "distributed." not in err


def connections(table, port):
    """How often a port stands in the system's table of connections that are open."""
    with open(table, encoding="ascii") as file:
        return sum(port in line and " 01 " in line for line in file)
