"""The graded set: both sides agree, and the rule is judged as it is written."""

from bench.bench_nondeterministic import (
    QUESTIONS,
    SLACK,
    Bounds,
    graded,
    judged,
    lines,
    measured,
)


def test_every_question_is_asked_of_both_sides_and_answered_alike():
    records = list(measured(345, Bounds(60, 60)))
    assert [r["question"] for r in records] == [*QUESTIONS, "compare"]
    assert all(r["same"] is True for r in records)
    assert [r["question"] for r in measured(46, Bounds(60, 60))] == ["compute"]
    assert len(lines(judged(records, {}))) == 1 + len(records)


def test_what_no_bound_let_finish_is_no_answer():
    (record,) = measured(713, Bounds(60, 0.0001))
    assert record["finished"] == [True, False]
    assert record["same"] is None


def test_the_better_of_the_reference_and_the_earlier_engine_counts():
    times = {"engine": 0.3, "reference": 0.2, "finished": [True, True]}
    record = {"number": 1, "question": "cuts", **times}
    before = {(1, "cuts"): {"engine": 0.1, "finished": [True, False]}}
    (alone,) = judged([dict(record)], {})
    (unanswered,) = judged([{**record, "finished": [True, False]}], {})
    (both,) = judged([dict(record)], before)
    assert alone["share"] == round(0.3 / (0.4 + SLACK), 3)
    assert unanswered["share"] == 0
    assert both["share"] == round(0.3 / (0.2 + SLACK), 3)


def test_a_number_is_the_same_problem_again():
    assert graded(296).environment == graded(296).environment
