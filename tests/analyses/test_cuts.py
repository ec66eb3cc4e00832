"""Minimal cut sets: against brute force, their duality with Δ, known cases."""

import json
from collections import Counter
from itertools import combinations
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pysat.card import ITotalizer
from pysat.solvers import Solver

import symrob
from symrob import Lts
from symrob.analyses.cuts import Cuts, Resilience
from symrob.analyses.unsafe import SetSearch
from symrob.api import analyse, load_roles
from symrob.case import load_case
from symrob.envelope import tuning
from symrob.errors import NominalViolation
from symrob.limits import Limits
from symrob.options import Options
from tests.bench.duality import minimal_hitting_sets
from tests.generate import MEDIUM, random_problem
from tests.oracles import definition
from tests.strategies import problems, rngs
from tests.strength import examples

DATA = Path(__file__).parent.parent / "data"
MODELS = Path(__file__).parents[2] / "models"
TABLE1 = json.loads((DATA / "table1.json").read_text())
EXAMPLES = examples(90)


def cuts_of(problem, order=None, limit=None, outside=False, **options):
    """The cuts as they come, as frozensets of triples, and the whole object."""
    envelope = symrob.compute(*problem, **options)
    found = envelope.cuts(order, limit=limit, outside=outside)
    return [triples(cut) for cut in found], found


def triples(cut):
    return frozenset(map(tuple, cut.transitions))


def by_verdict(problem, unsafe, property_unsafe):
    """Minimal sets by verdict.

    Args:
        unsafe: The minimal sets that break P or P_env.
        property_unsafe: The minimal sets that break P.
    """

    def keeps_rules(chosen):
        return definition.violation(problem[0], chosen, None, problem[3]) is None

    away = {s for s in property_unsafe if not keeps_rules(s)}
    return {
        "hazardous": set(property_unsafe) - away,
        "excluded-unsafe": away,
        "excluded-safe": set(unsafe) - set(property_unsafe),
    }


def smallest_of(sets):
    size = min(map(len, sets), default=None)
    return {s for s in sets if len(s) == size}


def dual(problem):
    """The minimal sets that meet what each maximal deviation leaves out."""
    delta = definition.delta(*problem)
    if delta is None:
        return None
    candidates = frozenset(definition.candidates(problem[0]))
    return minimal_hitting_sets([candidates - d for d in delta])


def minimal_unsafe(problem, most=None):
    """By the definition: unsafe, and safe without any one of its members."""
    new = definition.candidates(problem[0])
    found = []
    for size in range(1, (len(new) if most is None else most) + 1):
        for chosen in combinations(new, size):
            chosen = frozenset(chosen)
            environment, *others = problem
            if not any(small < chosen for small in found) and not definition.robust(
                environment, chosen, *others
            ):
                found.append(chosen)
    return set(found)


def shortest_run(problem, cut):
    """Steps of a shortest trace to ERROR: of E‖C if it hurts, else of E alone."""
    environment, controller, properties, constraints = problem
    added = cut.transitions
    if cut.verdict != "excluded-safe":
        return definition.violation(environment, added, controller, properties)
    lengths = [definition.violation(environment, added, None, [c]) for c in constraints]
    return min(n for n in lengths if n is not None)


def agrees(problem):
    expected = dual(problem)
    if expected is None:
        with pytest.raises(NominalViolation):
            symrob.compute(*problem)
        return
    expected = by_verdict(problem, expected, dual((*problem[:3], [])))
    assert_right(problem, expected, expected, None, outside=False)
    assert_right(problem, expected, expected, None, outside=True)
    order = 2
    upto = {v: {s for s in sets if len(s) <= order} for v, sets in expected.items()}
    assert_right(problem, expected, upto, order, outside=False)


def assert_right(problem, everything, expected, order, outside):
    """Each set once, by its verdict, the smallest first, and what follows of it."""
    cuts = symrob.compute(*problem).cuts(order, outside=outside)
    came = list(cuts)
    found = {v: [triples(c) for c in came if c.verdict == v] for v in expected}
    for verdict, sets in found.items():
        wanted = expected[verdict]
        if verdict == "excluded-unsafe" and order is None:
            wanted = smallest_of(wanted)
        if verdict == "excluded-safe":
            if problem[3]:
                told = Counter(map(len, wanted))
                assert cuts.sizes[verdict] == told
            wanted = wanted if outside else set()
        else:
            assert cuts.sizes[verdict] == Counter(map(len, sets))
            assert list(map(len, sets)) == sorted(map(len, sets))
        assert len(sets) == len(set(sets)), "a set came twice"
        assert set(sets) == wanted
    assert cuts.status == "complete"
    hazardous = everything["hazardous"]
    assert_resilience(problem, cuts.resilience, hazardous, order)
    hurting = hazardous | everything["excluded-unsafe"]
    assert_resilience(problem, cuts.resilience_without, hurting, order)
    smallest = {
        len(c) for c in Cuts(symrob.compute(*problem).space, smallest=True, order=order)
    }
    sizes = {min(map(len, s)) for s in (hazardous, hurting) if s}
    assert smallest == {size for size in sizes if order is None or size <= order}


def assert_resilience(problem, told, hurting, order):
    size = min(map(len, hurting), default=None)
    if size is None or (order is not None and size > order):
        count = len(definition.candidates(problem[0]))
        harmless = count if order is None else min(order, count)
        assert (told.size, told.harmless) == (None, harmless)
    else:
        assert (told.size, told.harmless) == (size, size - 1)


@settings(max_examples=EXAMPLES)
@given(rngs())
def test_cuts_are_the_minimal_hitting_sets_of_what_delta_leaves_out(rng):
    agrees(random_problem(rng))


@pytest.mark.parametrize("seed", range(examples(20, 400)))
def test_parts_are_found_among_known_sets_as_well(seed, monkeypatch):
    """What is done for sets with more parts than there are known sets."""
    problem = random_problem(Random(seed), shapes=((2, 3), (3, 2), (3, 3), (4, 2)))
    if not definition.robust(problem[0], frozenset(), *problem[1:]):
        return
    expected, _ = cuts_of(problem, order=4, outside=True)
    monkeypatch.setattr(SetSearch, "_all_parts", SetSearch._known_parts)
    assert cuts_of(problem, order=4, outside=True)[0] == expected


def test_a_cut_with_more_parts_than_could_be_listed():
    (found,), cuts = cuts_of(chain_problem(40))
    assert len(found) == 40
    assert cuts.resilience.harmless == 39


@settings(max_examples=EXAMPLES // 5)
@given(problems())
def test_cuts_of_odd_shapes(problem):
    agrees(problem)


@settings(max_examples=EXAMPLES // 6)
@given(rngs())
def test_each_cut_is_minimal_unsafe_by_the_definition_and_has_a_shortest_run(rng):
    problem = random_problem(rng, shapes=((2, 2), (3, 1)))
    try:
        cuts = list(symrob.compute(*problem).cuts(9, outside=True))
    except NominalViolation:
        return
    unsafe, hurting = minimal_unsafe(problem), minimal_unsafe((*problem[:3], []))
    for verdict, sets in by_verdict(problem, unsafe, hurting).items():
        assert {triples(c) for c in cuts if c.verdict == verdict} == sets
    for cut in cuts:
        assert len(cut.trace.steps) == shortest_run(problem, cut)
        assert sum(step.added for step in cut.trace.steps) >= len(cut)


@pytest.mark.parametrize("seed", range(examples(12, 250)))
def test_larger_problems_up_to_two_transitions(seed):
    """Beyond what trying all sets can do: all pairs, by the definition."""
    rng = Random(seed)
    problem = random_problem(rng, shapes=[s for s in MEDIUM if s[0] ** 2 * s[1] < 30])
    if not definition.robust(problem[0], frozenset(), *problem[1:]):
        return
    cuts = symrob.compute(*problem).cuts(2, outside=True)
    came = list(cuts)
    unsafe = minimal_unsafe(problem, most=2)
    hurting = minimal_unsafe((*problem[:3], []), most=2)
    for verdict, sets in by_verdict(problem, unsafe, hurting).items():
        assert {triples(c) for c in came if c.verdict == verdict} == sets
    assert cuts.status == "complete"


@settings(max_examples=examples(20, 400))
@given(rngs(), st.integers(1, 4))
def test_order_is_a_prefix(rng, order):
    problem = random_problem(rng)
    try:
        everything, _ = cuts_of(problem, 9)
        found, cuts = cuts_of(problem, order)
    except NominalViolation:
        return
    assert found == [cut for cut in everything if len(cut) <= order]
    assert cuts.status == "complete"


def table1(row, constrained=True):
    problem = TABLE1[row]
    return (
        Lts.from_dict(problem["environment"]),
        Lts.from_dict(problem["controller"]),
        [Lts.from_dict(p) for p in problem["properties"]],
        [Lts.from_dict(c) for c in problem["env_constraints"]] if constrained else [],
    )


def hitting_sets_of(environment, delta):
    candidates = frozenset(definition.candidates(environment))
    return minimal_hitting_sets([candidates - frozenset(map(tuple, d)) for d in delta])


@pytest.mark.parametrize("row", TABLE1)
@pytest.mark.parametrize("backend", ["cudd", "autoref"])
def test_cuts_of_table_1(row, backend):
    problem = table1(row)
    expected = hitting_sets_of(problem[0], TABLE1[row]["delta"])
    order = max(map(len, expected), default=1)
    cuts = symrob.compute(*problem, backend=backend).cuts(order, outside=True)
    came = list(cuts)
    hurting = {triples(c) for c in came if c.verdict != "excluded-safe"}
    for verdict, sets in by_verdict(problem, expected, hurting).items():
        found = [triples(c) for c in came if c.verdict == verdict]
        assert len(found) == len(set(found)) == cuts.sizes[verdict].total()
        assert set(found) == sets
    for cut in Random(5).sample(came, min(len(came), 30)):
        assert cut.verdict == definition.verdict(problem, cut.transitions)
    # Of the minimal sets none is missing, and what hurts holds one of them.
    assert expected <= {triples(c) for c in came}
    assert all(any(small <= large for small in expected) for large in hurting)


def therac_25_unconstrained():
    """Its cuts, and what each of its maximal deviations leaves out."""
    problem = table1("therac25", constrained=False)
    answer = json.loads((DATA / "therac25-unconstrained.json").read_text())
    candidates = frozenset(definition.candidates(problem[0]))
    delta = [frozenset(map(tuple, d)) for d in answer["delta"]]
    return *cuts_of(problem), {candidates - d for d in delta}


def test_cuts_of_therac_25_without_constraint():
    """1,547, as another program found, each a minimal hitting set."""
    found, cuts, left_out = therac_25_unconstrained()
    assert len(found) == len(set(found)) == 1547
    assert cuts.sizes["hazardous"] == Counter(
        {1: 10, 2: 70, 3: 233, 4: 422, 5: 436, 6: 268, 7: 94, 8: 14}
    )
    for cut in found:
        met = [cut & out for out in left_out]
        assert all(met)
        assert all({t} in met for t in cut)


@pytest.mark.skipif(settings.default.max_examples < 1000, reason="takes a minute")
def test_cuts_of_therac_25_give_back_delta():
    """What meets each cut, and just so, is what maximal deviations leave out."""
    found, _, left_out = therac_25_unconstrained()
    assert minimal_hitting_sets(found) == left_out


def by_hitting_sets(envelope, most):
    """Another way: smallest sets that meet what known deviations leave out.

    Such a set is safe, and grows to a deviation that was not known, or it is
    unsafe and no smaller set is. `most` bounds the size.
    """
    envelope = envelope.engine.safe_sets
    candidates = list(envelope.alone)
    number = {t: i for i, t in enumerate(candidates, 1)}
    found = set()
    with Solver(name="minisat22") as solver:
        sums = ITotalizer(list(number.values()), ubound=most, top_id=len(number))
        for clause in sums.cnf.clauses:
            solver.add_clause(clause)
        for size in range(1, most + 1):
            while solver.solve(assumptions=[-sums.rhs[size]]):
                model = solver.get_model()
                chosen = frozenset(t for t, i in number.items() if model[i - 1] > 0)
                if envelope.is_safe(chosen):
                    outside = set(candidates) - envelope.grown(chosen).new
                    solver.add_clause([number[t] for t in outside])
                else:
                    found.add(chosen)
                    solver.add_clause([-number[t] for t in chosen])
    return found


@pytest.mark.parametrize(
    ("case", "order", "count"),
    [
        ("therac25/therac25_unconstrained", 4, 735),
        ("voting/voting_cfm_unconstrained", 2, 117),
        ("token_ring/token_ring_unconstrained", 2, 230),
        ("link/link_unconstrained", 2, 1898),
    ],
)
def test_hitting_sets_give_the_same_on_larger_cases(case, order, count):
    options = Options()
    roles = load_roles(load_case(str(MODELS / f"{case}.toml")), options.limits)
    envelope = analyse(roles, options)
    found = [cut.transitions for cut in envelope.cuts(order)]
    assert len(found) == count
    larger = {cut for cut in found if len(cut) > 1}
    assert larger == by_hitting_sets(envelope, order)


def test_a_machine_that_nothing_breaks_has_no_cut():
    found, cuts = cuts_of(table1("therac20", constrained=False))
    assert found == []
    assert cuts.status == "complete"
    assert cuts.resilience == Resilience(None, 76)


def test_a_limit_stops_and_says_so():
    problem = table1("therac25", constrained=False)
    found, cuts = cuts_of(problem, limit=12)
    assert len(found) == 12
    assert cuts.status == "limit"
    assert "limit=12" in cuts.reason
    assert next(cuts, None) is None
    assert found == cuts_of(problem)[0][:12]


def test_a_limit_that_is_just_enough_leaves_the_result_complete():
    found, cuts = cuts_of(table1("therac25"), limit=10)
    assert len(found) == 10
    assert cuts.status == "complete"


def test_a_bound_on_sets_keeps_what_was_found():
    space = symrob.compute(*table1("therac25", constrained=False)).space
    space.clock.limits = Limits(max_states=1000)
    cuts = Cuts(space)
    found = list(cuts)
    assert 80 < len(found) < 1547
    assert cuts.status == "limit"
    assert "max_states=" in cuts.reason
    assert cuts.resilience.size == 1


def chain_problem(length):
    """One state, and a monitor that fails after all its actions in order."""
    actions = [f"a{i}" for i in range(length)]
    monitor = [
        (q, a, q + (q == i))
        for q in range(length)
        for i, a in enumerate(actions)
        if (q, i) != (length - 1, length - 1)
    ]
    machine = Lts(actions, 1, [(0, a, 0) for a in actions])
    return Lts(actions, 1, []), machine, [Lts(actions, length, monitor)], []


def test_a_cut_of_everything_and_what_is_harmless_before_it_is_found():
    found, cuts = cuts_of(chain_problem(6), order=4)
    assert found == []
    assert (cuts.status, cuts.resilience) == ("complete", Resilience(None, 4))
    (found,), cuts = cuts_of(chain_problem(6))
    assert len(found) == 6
    assert (cuts.status, cuts.resilience) == ("complete", Resilience(6, 5))


def test_the_smallest_set_alone_needs_no_search_for_others():
    space = symrob.compute(*chain_problem(6)).space
    cuts = Cuts(space, smallest=True)
    assert [len(cut) for cut in cuts] == [6]
    assert cuts.resilience == Resilience(6, 5)
    cuts = Cuts(space, smallest=True, order=5)
    assert list(cuts) == []
    assert (cuts.status, cuts.resilience) == ("complete", Resilience(None, 5))


def test_what_is_proved_to_be_harmless_when_a_bound_is_hit(monkeypatch):
    monkeypatch.setattr(tuning, "TURN_DEVIATIONS", 1)
    space = symrob.compute(*chain_problem(6)).space
    space.clock.limits = Limits(max_states=4)
    cuts = Cuts(space)
    assert list(cuts) == []
    assert (cuts.status, cuts.resilience.size) == ("limit", None)
    assert 1 <= cuts.resilience.harmless < 6


def test_an_interrupt_ends_it_quietly(monkeypatch):
    envelope = symrob.compute(*table1("therac25", constrained=False))
    cuts = envelope.cuts()
    for _ in range(15):
        next(cuts)

    def interrupt():
        raise KeyboardInterrupt

    monkeypatch.setattr(envelope.engine.clock, "check", interrupt)
    assert list(cuts) == []
    assert cuts.status == "interrupted"
    assert cuts.resilience.size == 1
