"""One Δ by several processes, from the command line and from inside."""

import json
import multiprocessing
import signal
from itertools import islice

import psutil
import pytest

from symrob.api import load_roles, open_engine
from symrob.case import load_case
from symrob.envelope import tuning
from symrob.errors import LimitExceeded
from symrob.options import Options
from symrob.parallel import local
from symrob.parallel.spread import spread
from tests.batch.tools import wait_until
from tests.cli.tools import ROOT, run

THERAC = ROOT / "models/therac25/therac25_unconstrained.toml"
VOTING = ROOT / "models/voting/voting_cfm_unconstrained.toml"


def opened(case, **options):
    return open_engine(load_roles(load_case(str(case))), Options(**options))


@pytest.fixture(autouse=True)
def _nobody_is_left():
    yield
    assert not multiprocessing.active_children()


def test_the_result_is_that_of_one_process(monkeypatch):
    monkeypatch.setattr(tuning, "SAMPLED_SETS", 20)
    one = run("compute", THERAC, "--format", "json", "--sorted")
    two = run("compute", THERAC, "--format", "json", "--sorted", "-j", 2)
    first, second = (json.loads(done.out) for done in (one, two))
    assert first["delta"] == second["delta"]
    assert len(first["delta"]) == 398
    assert second["status"] == "complete"


def test_sets_of_fault_modes_are_those_of_one_process(monkeypatch):
    monkeypatch.setattr(tuning, "SAMPLED_SETS", 2)
    asked = ("compute", THERAC, "--by", "action,class", "--format", "json", "--sorted")
    first, second = (json.loads(run(*asked, *more).out) for more in ((), ("-j", 2)))
    assert first["delta_modes"] == second["delta_modes"]
    assert len(first["delta_modes"]) == 21


def test_a_process_that_is_killed_costs_nothing(monkeypatch):
    monkeypatch.setattr(tuning, "SAMPLED_SETS", 20)
    monkeypatch.setattr(local, "_INTERVAL", 0.0)
    engine = opened(THERAC)
    found = spread(engine, 2)
    some = list(islice(found, 60))
    for child in multiprocessing.active_children():
        child.kill()
    assert {*some, *found} == set(opened(THERAC).deviations())


def test_processes_that_cannot_live_are_a_bound(monkeypatch):
    monkeypatch.setattr(tuning, "SAMPLED_SETS", 20)
    monkeypatch.setattr(local, "_work", lambda *_: None)
    # The API names its own option in place of `-j 1`.
    told = "exited with code 0, .* processes=1 uses the least memory"
    with pytest.raises(LimitExceeded, match=told):
        list(spread(opened(THERAC), 2))


@pytest.mark.parametrize("option", [("--timeout", 1.5), ("--limit", 60)])
def test_bounds_end_all_processes(option, monkeypatch):
    monkeypatch.setattr(tuning, "SAMPLED_SETS", 20)
    form = ("--format", "jsonl", "--compact")
    done = run("compute", VOTING, *form, "-j", 2, *option)
    assert done.code == 3
    *deviations, end = map(json.loads, done.out.splitlines()[1:])
    # Others help once one process has found so many.
    assert len(deviations) >= 20
    assert end["status"] in ("timeout", "limit")


def test_memory_counts_for_all_processes():
    done = run("compute", VOTING, "--format", "jsonl", "-j", 2, "--memory", 1)
    assert done.code == 3
    assert "raise --memory" in done.err


def test_a_bound_in_a_process_ends_the_run(monkeypatch):
    def stopped(*_args):
        raise LimitExceeded("no more nodes")

    monkeypatch.setattr(tuning, "SAMPLED_SETS", 20)
    monkeypatch.setattr(local.CubeSearch, "search", stopped)
    with pytest.raises(LimitExceeded, match="no more nodes"):
        list(spread(opened(THERAC), 2))


def test_a_process_ends_with_the_one_that_started_it(monkeypatch):
    """Even if that one has no time to say so."""
    context = multiprocessing.get_context("fork")
    ours, theirs = context.Pipe()

    def begin():
        found = spread(opened(VOTING), 2)
        list(islice(found, 400))
        theirs.send([child.pid for child in multiprocessing.active_children()])
        list(found)

    first = context.Process(target=begin)
    first.start()
    pids = ours.recv()
    assert len(pids) == 2
    psutil.Process(first.pid).send_signal(signal.SIGKILL)
    first.join()
    wait_until(lambda: not any(map(psutil.pid_exists, pids)), 20)


@pytest.mark.parametrize(
    "options",
    [("--top", 1), ("--algorithm", "plain")],
)
def test_what_cannot_be_split_is_refused(options):
    done = run("compute", THERAC, "-j", 2, *options)
    assert done.code == 2
    assert "-j and --dask" in done.err
