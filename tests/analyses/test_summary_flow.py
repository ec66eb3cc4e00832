"""Questions to the solver on graphs drawn by hand, where each step can be seen."""

from symrob.analyses.flow import Grounds, conflicts, firings
from symrob.analyses.pairs import NOMINAL, PairGraph
from symrob.envelope.effort import Effort
from symrob.limits import Clock
from symrob.lts import ERROR, Transition

ONE, TWO, THREE = (Transition(q, "a", 0) for q in range(3))
BUDGET = 1000


def grounds(steps):
    alone = list(range(len(steps)))
    risks = PairGraph([0], steps, [[] for _ in steps], alone)
    return Grounds((ONE, TWO, THREE), risks, Clock(), Effort())


def answers(question, wanted):
    return list(question.answers(wanted, BUDGET))


def test_a_run_may_take_the_judged_candidate_more_than_once():
    """0 -1-> 1 -2-> 2 -1-> 3 -3-> ERROR."""
    known = grounds([[(1, 1)], [(2, 2)], [(1, 3)], [(3, ERROR)]])
    assert answers(conflicts(known, {ONE}), {ONE}) == [frozenset({TWO, THREE})]


def test_a_run_is_no_circle_beside_the_start():
    """What leads to ERROR is only ever reached from itself."""
    known = grounds([[(3, 0)], [(2, 1), (1, ERROR)], [(1, 1)]])
    assert answers(conflicts(known, {ONE}), {ONE}) == []
    runs = PairGraph([0], [[(3, 0)], [(2, 1), (1, 0)]])
    question = firings(grounds([[]]), {ONE, TWO, THREE}, runs, alike=False)
    (chosen,) = answers(question, {ONE, TWO, THREE})
    assert THREE in chosen


def test_a_set_that_is_unsafe_anyhow_is_no_answer():
    """1 leads to where 2 fails; 3 leads there too, but needs 2 as well."""
    known = grounds([[(1, 1), (3, 1)], [(2, ERROR)]])
    assert answers(conflicts(known, {ONE}), {ONE}) == [frozenset({TWO})]
    (chosen,) = answers(conflicts(known, {TWO}), {TWO})
    assert TWO not in chosen
    assert chosen & {ONE, THREE}
    # 1 and 3 have the same steps: one answer is for both.
    assert answers(conflicts(known, {ONE, THREE}), {ONE, THREE}) == [{TWO}]


def test_transitions_of_the_plan_need_no_candidate():
    known = grounds([[(1, 1)], [(NOMINAL, 2)], [(2, ERROR)]])
    assert answers(conflicts(known, {ONE}), {ONE}) == [frozenset({TWO, THREE})]


def test_pairs_of_the_closed_loop_are_no_pairs_of_a_constraint():
    """The constraint fails on 2 after 1; the closed loop needs 3 before 2."""
    known = grounds([[(1, 1)], [(2, ERROR)]])
    runs = PairGraph([0], [[(3, 1)], [(2, 1)]])
    (chosen,) = answers(firings(known, {TWO}, runs, alike=False), {TWO})
    assert chosen == {TWO, THREE}


def test_what_is_wanted_no_more_is_not_judged():
    known = grounds([[(1, 1)], [(2, ERROR), (3, 2)], [(2, ERROR), (3, ERROR)]])
    wanted = {TWO, THREE}
    question = conflicts(known, wanted)
    assert ONE in next(question.answers(wanted, BUDGET))
    assert len(answers(conflicts(known, {TWO, THREE}), {TWO, THREE})) == 2
    wanted.clear()
    assert answers(question, wanted) == []
