"""A bound that is hit leaves things unknown, and never a guess."""

import pytest

from symrob.analyses.candidate_space import CandidateSpace
from symrob.envelope import tuning
from symrob.errors import LimitExceeded
from tests.analyses.test_summary import unconstrained
from tests.golden.test_reference import TABLE1, solve

KINDS = ("never", "always", "contested", "unknown")


@pytest.fixture
def answer():
    return unconstrained()


def stopped(after, error):
    """The summary of the 398 deviations when a check raises at last."""
    engine = solve(TABLE1["therac25"], constrained=False).engine
    assert not engine.safe_sets.unbroken
    left = after

    def check():
        nonlocal left
        left -= 1
        if left < 0:
            raise error

    engine.clock.check = check
    return CandidateSpace(engine).summarised(), left


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (LimitExceeded("no more time", reason="timeout"), "timeout"),
        (LimitExceeded("too many"), "limit"),
        (KeyboardInterrupt(), "interrupted"),
    ],
)
def test_what_was_proved_is_kept(answer, error, status):
    seen = set()
    after, done = 0, False
    while not done:
        summary, left = stopped(after, error)
        done = left >= 0
        assert summary.status == ("complete" if done else status)
        sets = {k: set(map(tuple, getattr(summary, k))) for k in KINDS}
        assert sum(map(len, sets.values())) == len(set().union(*sets.values())) == 76
        assert sets["never"] == answer["never"]
        assert sets["always"] <= answer["always"]
        assert sets["contested"] <= answer["contested"]
        inert, unsure = set(summary.inert), set(summary.inert_unknown)
        assert inert <= answer["inert"] <= inert | unsure
        seen.add((len(sets["always"]) > 0, len(sets["contested"]) > 0, len(unsure) > 0))
        after = after * 3 // 2 + 1
    # Stopped at the start, among the contested, and when all was known.
    assert {(False, False, True), (False, True, True), (True, True, False)} <= seen


def test_the_solver_and_the_list_of_deviations_take_turns(answer, monkeypatch):
    """With no patience for the solver all of Δ is listed; with it, a part."""
    listed = []
    for conflicts in (1, 10**6):
        monkeypatch.setattr(tuning, "TURN_CONFLICTS", conflicts)
        monkeypatch.setattr(tuning, "TURN_DEVIATIONS", 1000)
        engine = solve(TABLE1["therac25"], constrained=False).engine
        summary = CandidateSpace(engine).summarised()
        assert summary.status == "complete"
        for kind in ("never", "always", "contested", "inert"):
            assert set(getattr(summary, kind)) == answer[kind]
        listed.append(engine.effort.sets_visited)
    assert listed[0] >= 398
    assert tuning.FIRST_DEVIATIONS <= listed[1] < 100


def test_more_than_a_moment_is_left_to_the_summary_itself(monkeypatch):
    monkeypatch.setattr(tuning, "JUDGED_AT_ONCE", 65)
    engine = solve(TABLE1["therac25"], constrained=False).engine
    summary = CandidateSpace(engine).summarised(at_once=True)
    assert (len(summary.never), len(summary.unknown)) == (10, 66)
    assert summary.status == "limit"
    assert "symrob summary" in summary.reason
    assert CandidateSpace(engine).summarised().status == "complete"


def test_too_many_steps_leave_it_unknown():
    """The bound on states holds for the determinised closed loop too."""
    from symrob.limits import Limits

    engine = solve(TABLE1["therac25"], constrained=False).engine
    assert not engine.safe_sets.unbroken
    engine.clock.limits = Limits(max_states=20)
    summary = CandidateSpace(engine).summarised()
    assert summary.status == "limit"
    assert "raise max_states=" in summary.reason
    assert len(summary.unknown) > 0
