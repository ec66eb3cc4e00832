"""`verify` finds every kind of wrong result, and accepts right ones."""

import pytest

from symrob import load
from symrob.analyses.choice import require_same
from symrob.case.results import read_deviations
from symrob.certify import check
from symrob.certify.check import ExplicitTransitions
from symrob.certify.check import verify as verify_in
from symrob.errors import SymrobError
from symrob.limits import Clock
from symrob.lts import Lts, Transition
from tests.golden.test_reference import TABLE1, problems, solve


def parts(row="therac25", **options):
    found = solve(TABLE1[row], **options)
    return found.engine.problem, [frozenset(d) for d in found]


def verify(problem, deviations, clock, **options):
    return verify_in(ExplicitTransitions(problem), deviations, clock, **options)


def kinds(problem, deviations, **options):
    return {f.kind for f in verify(problem, deviations, Clock(), **options).faults}


@pytest.mark.parametrize("row", TABLE1)
def test_accepts_table_1(row):
    problem, deviations = parts(row)
    result = verify(problem, deviations, Clock())
    assert result.correct
    assert result.deviations == len(deviations)
    everything = problem.environment.size**2 * len(problem.environment.alphabet)
    missing = sum(everything - len(d) for d in deviations)
    assert len(result.certificates) == missing
    for trace in result.certificates.values():
        assert trace.steps
        assert trace.violated


def test_accepts_and_completes_reference_problems():
    checked = 0
    for reference in problems("small.jsonl")[:60]:
        if reference["delta"] is None:
            continue
        found = solve(reference)
        deviations = [frozenset(d) for d in found]
        result = verify(found.engine.problem, deviations, Clock(), complete=True)
        assert result.correct
        assert result.complete
        checked += 1
    assert checked > 20


def test_many_are_judged_by_one_search_as_each_by_its_own(monkeypatch):
    """Deviations that lack one transition more: what can be added is found."""
    more = addable = 0
    for reference in problems("small.jsonl")[:150]:
        if not reference["delta"]:
            continue
        found = solve(reference)
        problem, nominal = found.engine.problem, found.environment.visible_transitions
        for one in found:
            fewer = [frozenset(one) - {t} for t in sorted(one - nominal)[:2]]
            for deviation in (frozenset(one), *fewer):
                monkeypatch.setattr(check, "MOST_STEPS", 10**9)
                each = verify(problem, [deviation], Clock())
                monkeypatch.setattr(check, "MOST_STEPS", 0)
                together = verify(problem, [deviation], Clock())
                assert together.faults == each.faults
                assert together.without_run == len(each.certificates)
                assert not together.certificates
                more += together.without_run
                addable += len(each.faults)
    assert more > 800
    assert addable > 20


def test_one_transition_too_many():
    problem, deviations = parts()
    outside = next(
        Transition(q, a, r)
        for q in range(4)
        for a in problem.environment.alphabet
        for r in range(4)
        if Transition(q, a, r) not in deviations[0]
    )
    result = verify(problem, [deviations[0] | {outside}, *deviations[1:]], Clock())
    (fault,) = result.faults
    assert fault.kind == "unsafe"
    assert any(step.added for step in fault.trace.steps)


def test_one_transition_too_few():
    problem, deviations = parts()
    new = next(iter(deviations[0] - set(problem.environment.transitions)))
    result = verify(problem, [deviations[0] - {new}, *deviations[1:]], Clock())
    assert "not-maximal" in {f.kind for f in result.faults}


def test_a_nominal_transition_too_few():
    problem, deviations = parts()
    nominal = problem.environment.transitions[0]
    assert kinds(problem, [deviations[0] - {nominal}]) == {"nominal"}


def test_one_deviation_missing_shows_only_on_demand():
    reference = next(
        p
        for p in problems("small.jsonl")
        if p["delta"] is not None and len(p["delta"]) > 2
    )
    found = solve(reference)
    problem, deviations = found.engine.problem, [frozenset(d) for d in found]
    assert kinds(problem, deviations[1:]) == set()
    assert kinds(problem, deviations[1:], complete=True) == {"missing"}
    assert kinds(problem, deviations, complete=True) == set()


def test_two_comparable_ones():
    problem, deviations = parts()
    new = next(iter(deviations[0] - set(problem.environment.transitions)))
    assert "comparable" in kinds(problem, [*deviations, deviations[0] - {new}])
    assert "comparable" in kinds(problem, [*deviations, deviations[0]])


def test_a_transition_outside_of_a():
    problem, deviations = parts()
    foreign = deviations[0] | {Transition(0, "fireXray", 0)}
    assert kinds(problem, [foreign]) == {"foreign"}


def test_a_constraint_that_is_broken():
    """Right without the constraint, wrong with it."""
    free = solve(TABLE1["therac25"], constrained=False, limit=3)
    problem, _ = parts()
    assert "unsafe" in kinds(problem, [frozenset(d) for d in free])


def test_too_many_sets_for_complete():
    problem, deviations = parts()
    with pytest.raises(SymrobError, match="2\\^76"):
        verify(problem, deviations, Clock(), complete=True)


def test_a_result_of_another_environment_is_refused():
    problem, _ = parts()
    with pytest.raises(SymrobError, match="different environment"):
        read_deviations(
            {"schema": "symrob/result/1", "environment": {}, "delta": []},
            problem.environment,
            "r.json",
        )
    with pytest.raises(SymrobError, match="schema"):
        read_deviations({}, problem.environment, "r.json")


def renumbered(lts):
    """The same system, its last state behind the first."""
    order = [0, lts.size - 1, *range(1, lts.size - 1)]
    place = {old: new for new, old in enumerate(order)}
    rows = [(place[s], a, place[t]) for s, a, t in lts.transitions]
    names = [lts.state_name(q) for q in order]
    return Lts(lts.alphabet, lts.size, rows, names=names)


def test_states_with_other_numbers_are_told():
    environment = load("models/therac25/nurse.lts")
    theirs = renumbered(environment).to_dict()
    message = "same states with different numbers: TREATED is 1 in the result and 3 in"
    data = {"schema": "symrob/result/1", "environment": theirs, "delta": []}
    with pytest.raises(SymrobError, match=message):
        read_deviations(data, environment, "r.json")
    theirs["alphabet"].append("new")
    with pytest.raises(SymrobError, match="only the result has new"):
        read_deviations(data, environment, "r.json")
    theirs["states"] = 10**15
    del theirs["names"]
    with pytest.raises(SymrobError, match="it has 1,000,000,000,000,000 states, not 4"):
        read_deviations(data, environment, "r.json")
    with pytest.raises(SymrobError, match="same states with different numbers"):
        require_same(environment, renumbered(environment))
