"""Times of parts of an answer: what ends with its budget, and what a case may set."""

import json
import shutil
from time import monotonic

import pytest

from symrob.errors import LimitExceeded
from symrob.limits import BUDGETS, Clock, Limits
from tests.cli.tools import ROOT, run


def spin(clock, seconds):
    end = monotonic() + seconds
    while monotonic() < end:
        clock.check()


def test_a_budget_that_is_used_up_ends_its_part_only():
    clock = Clock(Limits(budgets=(("part", 0.02),)))
    with clock.step("part") as step:
        spin(clock, 5.0)
    assert (step.exhausted, step.seconds) == (True, 0.02)
    clock.check()
    with clock.step("story") as other:
        spin(clock, 0.05)
    assert not other.exhausted


@pytest.mark.parametrize("reason", ["memory", "limit", "interrupted"])
def test_another_bound_is_not_taken_for_a_budget(reason):
    clock = Clock()
    with pytest.raises(LimitExceeded), clock.step("part"):
        raise LimitExceeded("too many nodes", reason=reason)


def test_the_time_of_the_run_is_not_taken_for_a_budget():
    clock = Clock(Limits(seconds=0.02))
    with pytest.raises(LimitExceeded, match="--timeout"), clock.step("part"):
        spin(clock, 5.0)


def case_with(tmp_path, text):
    shutil.copytree(ROOT / "models/therac25", tmp_path / "therac")
    path = tmp_path / "therac/case.toml"
    given = (tmp_path / "therac/therac25.toml").read_text("utf-8")
    path.write_text(f"{given}\n[budgets]\n{text}\n", encoding="utf-8")
    return path


def test_a_case_sets_budgets(tmp_path):
    path = case_with(tmp_path, "unassumed = 1e-9")
    other = tmp_path / "therac/therac20.toml"
    data = json.loads(run("compare", path, other, "--format", "json").out)
    without = data["without_constraints"]
    assert without["verdict"] == "unknown"
    assert without["reason"] == "unknown (1e-09 s used)"
    assert data["verdict"] == "less"


def test_a_budget_that_there_is_not(tmp_path):
    done = run("check", case_with(tmp_path, "storry = 3\npart = 0"))
    assert done.code == 2
    assert "unknown key 'budgets.storry'" in done.err
    assert "did you mean 'story'" in done.err
    assert "'budgets.part' must be a number of seconds, more than 0" in done.err


def test_every_budget_is_told_in_the_docs():
    text = (ROOT / "docs/batch.md").read_text("utf-8")
    assert not [name for name in BUDGETS if f"`{name}`" not in text]
