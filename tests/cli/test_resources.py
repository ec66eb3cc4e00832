"""Bounds on time, memory and BDD nodes hold for all that computes, and signals
end a run soon, with what was found."""

import json
import signal
import sys
import time

import pytest

from symrob import limits
from symrob.envelope.engine import Engine
from symrob.limits import Clock, Limits
from symrob.memory import MEBIBYTE
from tests.cli.tools import ROOT, run, spawn, start

LARGE = ROOT / "models/voting/voting_all_unconstrained.toml"
PUMP = ROOT / "models/pca_pump/pca_pump_unconstrained.toml"
THERAC = ROOT / "models/therac25/therac25_unconstrained.toml"

# 2^N states whose BDD doubles with each N: pairs that are equal, far apart.
BLOW_UP = """
const N = 24
P = (t -> Q), Q = (t -> P).
R = (t -> S), S = (t -> R).
A = (go -> A).
||C = (forall [i:1..N] x[i]:P || forall [i:1..N] x[i]:R || A).
E = (go -> E).
property SAFE = (go -> SAFE).
"""


@pytest.fixture
def blow_up(tmp_path):
    """The options for a problem that takes all memory and for ever."""
    path = tmp_path / "blow.lts"
    path.write_text(BLOW_UP)
    return ("--env", f"{path}#E", "--ctrl", f"{path}#C", "--prop", f"{path}#SAFE")


@pytest.fixture
def policy(tmp_path):
    """A gate whose one rule needs an analysis."""
    path = tmp_path / "policy.toml"
    path.write_text("resilience = 2\n")
    return path


def computing(policy, models):
    """Each command that builds BDDs, on some models."""
    yield from [(c, *models) for c in ("compute", "check", "cuts", "draw")]
    yield ("explain", *models, "--transition", "0,go,0")
    yield ("gate", policy, *models)
    yield ("compare", *models, *models[-2:])


@pytest.mark.parametrize(
    ("bound", "said"),
    [
        (("--timeout", "0.2"), "raise --timeout"),
        (("--bound", "max-nodes=3000", "--const", "N=14"), "raise --bound max-nodes"),
        # Less than the process has when it begins.
        pytest.param(("--memory", "5"), "raise --memory"),
    ],
)
def test_each_bound_stops_each_command(policy, blow_up, bound, said):
    for args in computing(policy, blow_up):
        begun = time.monotonic()
        done = run(*args, *bound)
        assert done.code == 3, (args, done.err)
        assert said in done.err
        assert "Traceback" not in done.err
        assert time.monotonic() - begun < 20


@pytest.mark.parametrize("bound", ["--timeout", "--memory"])
def test_bounds_on_reading(tmp_path, bound):
    if bound == "--memory" and not sys.platform.startswith("linux"):
        pytest.skip("memory in use is known on Linux only")
    path = tmp_path / "large.aut"
    rows = "".join(f'({i},"a",{i + 1})\n' for i in range(200_000))
    path.write_text(f"des (0,200000,200001)\n{rows}")
    value = {"--timeout": "0.1", "--memory": "32"}[bound]
    for args in (("show", path), ("lint", path), ("convert", path, tmp_path / "o.fsm")):
        # In a separate process: the alarm may ring in code of the test tools.
        done = spawn(*args, bound, value)
        assert done.code == 3, (args, done.err)
        assert f"raise {bound}" in done.err
        assert done.out == ""


def test_memory_bounds_what_is_made_of_a_model(tmp_path):
    """Reading takes less than half of what it takes to show the model."""
    path = tmp_path / "large.aut"
    rows = "".join(f'({i},"a",{i + 1})\n' for i in range(200_000))
    path.write_text(f"des (0,200000,200001)\n{rows}")
    done = spawn("show", path, "--memory", "90")
    assert done.code == 3
    assert "raise --memory" in done.err
    assert done.out == ""


def test_cudd_gives_up_in_good_order(blow_up):
    """One operation of CUDD can take all memory before the next check."""
    limit = 75
    begun = time.monotonic()
    done = spawn("check", *blow_up, "--memory", str(limit))
    assert time.monotonic() - begun < 100
    assert done.code == 3
    assert done.out == ""
    last = "error: stopped: out of memory; raise --memory to continue"
    assert last in done.err
    assert "CUDD" not in done.err
    assert "Traceback" not in done.err


def test_memory_keeps_what_was_found():
    done = spawn("compute", LARGE, "--format", "json", "--memory", "45")
    assert done.code == 3
    result = json.loads(done.out)
    assert result["status"] == "limit"
    assert len(result["delta"]) > 10
    assert "out of memory" in done.err


def test_memory_that_suffices_changes_nothing():
    asked = ("compute", "models/running_example/running_example.toml")
    free = run(*asked, "--format", "json", "--memory", "4000")
    assert free.code == 0
    assert len(json.loads(free.out)["delta"]) == 3


def test_a_clock_looks_at_memory(monkeypatch):
    used = 10
    monkeypatch.setattr(limits, "resident", lambda: used * MEBIBYTE)
    clock = Clock(Limits(memory=10))
    time.sleep(0.03)
    clock.check()
    used = 11
    time.sleep(0.03)
    with pytest.raises(Exception, match="max_memory="):
        clock.check()
    with clock.suspended():
        clock.check()


SOLVER = ("compute", LARGE, "--format", "json")
# One call of the MaxSAT solver that takes minutes.
MAXSAT = ("compute", PUMP, "--top", "1", "--format", "json")
CUTS = ("cuts", LARGE, "--format", "json")


@pytest.mark.parametrize(
    ("args", "number"),
    [
        pytest.param(SOLVER, signal.SIGINT, id="solver-int"),
        pytest.param(MAXSAT, signal.SIGTERM, id="maxsat-term"),
        pytest.param(CUTS, signal.SIGHUP, id="cuts-hup"),
    ],
)
def test_signals_end_a_run_within_two_seconds(args, number):
    process = start(*args, "-v")
    try:
        # The log tells when the work has begun.
        for line in process.stderr:
            if "screen" in line:
                break
        time.sleep(0.6)
        assert process.poll() is None
        process.send_signal(number)
        begun = time.monotonic()
        out, err = process.communicate(timeout=60)
        took = time.monotonic() - begun
    finally:
        process.kill()
    assert process.returncode == 130
    assert json.loads(out)["status"] == "interrupted"
    assert "incomplete: interrupted" in err
    assert "Traceback" not in err
    # Two seconds on a machine of our own; tests share theirs.
    assert took < 6


def test_an_interrupt_stops_the_figures_and_keeps_the_deviations(monkeypatch):
    def stopped(self):
        raise KeyboardInterrupt

    monkeypatch.setattr(Engine, "_winning_set", stopped)
    done = run("compute", "models/therac25/therac25.toml", "--stats")
    assert done.code == 130
    assert "|W|        ?" in done.out
    assert "|W_Penv|   ?" in done.out
    assert "|Δ| = 4" in done.out


def test_the_log_goes_to_standard_error_and_the_result_does_not_change():
    args = ("check", "models/therac25/therac25.toml")
    quiet, told, more = run(*args), run(*args, "-v"), run(*args, "-vv")
    assert quiet.out == told.out == more.out
    assert quiet.err == ""
    stages = [line.split()[2] for line in told.err.splitlines()]
    assert stages == ["encode:", "nominal:"]
    assert all(line.split()[4] == "s" for line in told.err.splitlines())
    assert len(more.err) >= len(told.err)
