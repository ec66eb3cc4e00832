"""The most permissive restriction: by its definition, by brute force, step for step."""

from dataclasses import replace
from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from symrob.api import open_engine
from symrob.case.faults import Faults
from symrob.lts import Lts, Network, Transition
from symrob.lts.deviation import Deviation
from symrob.options import Options
from symrob.problem import FaultMode
from symrob.repair.repair import repair
from symrob.repair.worth import checked
from tests.engines import roles_of
from tests.fuzz.problems import requirement
from tests.generate import MEDIUM, TINY, random_problem, thinned
from tests.oracles import definition, restriction
from tests.oracles.states import Stated
from tests.strategies import rngs
from tests.strength import examples

SEEDS = examples(60)


def engine_of(problem, run=None, held=None):
    """An engine, or None where the plan is unsafe; budgets as of `Knowledge`."""
    environment, controller, properties, constraints = problem
    if definition.violation(environment, (), controller, properties) is not None:
        return None
    if definition.violation(environment, (), None, constraints) is not None:
        return None

    roles = replace(roles_of(problem), at_most=run)
    if held is not None:
        modes = tuple(
            FaultMode(n, frozenset(ts), at_most=k) for n, (ts, k) in held.items()
        )
        roles = replace(roles, faults=Faults(modes=modes, only=True))
    return open_engine(roles, Options())


def beginning_anywhere(rng, environment, controller, *others):
    """The same problem with other initial states."""

    def begins(lts):
        if rng.random() < 0.4:
            return lts
        states = range(lts.size)
        initial = rng.sample(states, rng.randint(1, lts.size))
        return Lts(lts.alphabet, lts.size, lts.transitions, initial=initial)

    parts = map(begins, controller.components)
    return begins(environment), Network(parts, hidden=controller.hidden), *others


def random_question(rng, *, shapes=TINY, machine=4, stated=0.0, several=0.0):
    """A problem, the deviations that must be tolerated, what may be disabled.

    Args:
        rng: The numbers.
        shapes: Of E.
        machine: States of a component of C.
        stated: How many have requirements on states.
        several: In how many E or C can begin in several states.
    """
    problem = random_problem(rng, shapes=shapes, machine=machine)
    if several and rng.random() < several:
        problem = thinned(rng, *beginning_anywhere(rng, *problem))
    if stated and rng.random() < stated:
        environment, controller, properties, constraints = problem
        asked = [
            Stated(requirement(rng, environment, controller))
            for _ in range(rng.randint(1, 2))
        ]
        asked = [*properties, *asked]
        problem = thinned(rng, environment, controller, asked, constraints)
    new = definition.candidates(problem[0])
    deviations = [
        frozenset(t for t in new if rng.random() < density)
        for density in rng.choice(((0.3,), (1.0,), (0.6,), (0.3, 0.5), (0.9, 0.2)))
    ]
    actions = problem[1].alphabet
    controllable = {a for a in actions if rng.random() < rng.choice((0.3, 0.6, 1.0))}
    return problem, deviations, controllable


def taken_by(guards, states, action):
    """The states of some guards after an action; None if one refuses it."""
    after = []
    for guard, state in zip(guards, states, strict=True):
        targets = (state,)
        if action in guard.alphabet:
            targets = guard.successors[state].get(action)
        if targets is None:
            return None
        after.append(targets[0])
    return tuple(after)


def follow(knowledge, table, lost, guards):
    """Where the guards and the definition part: None, or the actions until then."""
    start = (knowledge.start, (0,) * len(guards))
    seen, todo = {start}, [(start, ())]
    while todo:
        (points, states), run = todo.pop()
        for action, after in table[points].items():
            offered = taken_by(guards, states, action)
            if (after not in lost) != (offered is not None):
                return (*run, action)
            new = (after, offered)
            if offered is not None and new not in seen:
                seen.add(new)
                todo.append((new, (*run, action)))
    return None


def brought(engine, deviations):
    """What must be tolerated, of transitions, or of names of modes."""
    units = engine.problem.units
    if units is None:
        return deviations
    return [
        Deviation((), units.added(units.chosen(names)), modes=tuple(sorted(names)))
        for names in deviations
    ]


def check_by_definition(question, run=None, held=None):
    problem, deviations, controllable = question
    engine = engine_of(problem, run, held)
    if engine is None:
        return None
    found = repair(engine, brought(engine, deviations), controllable)
    knowledge = restriction.Knowledge(problem, deviations, run, held)
    table, lost = restriction.supremal(knowledge, controllable)
    if knowledge.start in lost:
        assert found.guards is None
        return "none"
    assert found.guards is not None
    guards = found.guards
    assert follow(knowledge, table, lost, guards.components) is None
    taken, _ = restriction.behaviour(
        table,
        knowledge.start,
        {(k, a) for k, row in table.items() for a, new in row.items() if new in lost},
    )
    reached = {knowledge.start, *(table[k][a] for k, a in taken)}
    off = {a for k in reached for a, new in table[k].items() if new in lost}
    assert {g.action for g in guards.guards} == off
    # C' is safe as a model, by the definition.
    repaired = (problem[0], found.controller, problem[2], ())
    for added in deviations if run is None and held is None else ():
        assert definition.robust(repaired[0], added, *repaired[1:])
    assert checked(found) is True
    if guards.memory.size > 1:
        return "memory"
    return "guards" if guards.guards else "needless"


@settings(max_examples=SEEDS)
@given(rngs())
def test_restriction_is_the_one_of_the_definition(rng):
    check_by_definition(random_question(rng, stated=0.3, several=0.2))


def budgeted(rng, *, stated=0.3, several=0.0):
    """A question with a budget of a run, of modes, or of both; mostly not needless."""
    for _ in range(8):
        question = random_question(rng, stated=stated, several=several)
        problem, deviations, controllable = question
        if engine_of(problem) is None:
            continue
        table = restriction.Knowledge(problem, deviations).everything(300) or ()
        if any(restriction.BAD in points for points in table):
            break
    if rng.random() < 0.5:
        return question, rng.choice((0, 1, 1, 2, 3)), None
    held = {}
    for added in deviations:
        for _ in range(rng.randint(1, 2)):
            some = [Transition(*t) for t in sorted(added) if rng.random() < 0.8]
            held[f"m{len(held)}"] = some, rng.choice((None, 0, 1, 1, 2))
    sets = [{n for n in held if rng.random() < 0.8} for _ in deviations]
    return (problem, sets, controllable), rng.choice((None, None, 1, 2)), held


@settings(max_examples=SEEDS)
@given(st.integers(0, 2**32))
def test_restriction_within_budgets_is_the_one_of_the_definition(seed):
    check_by_definition(*budgeted(Random(seed), several=0.2))


def test_budgets_make_a_difference():
    """So that the above does not pass for lack of cases."""
    kinds = {}
    for seed in range(30):
        question, run, held = budgeted(Random(seed))
        within = check_by_definition(question, run, held)
        if within is None:
            continue
        free = None if held is None else {n: (ts, None) for n, (ts, _) in held.items()}
        kind = within, check_by_definition(question, None, free)
        kinds[kind] = kinds.get(kind, 0) + 1
    changed = [("needless", k) for k in ("none", "guards", "memory")]
    kept = [(k, k) for k in ("guards", "memory")]
    assert min(kinds[kind] for kind in (*changed, *kept)) > 1


@settings(max_examples=SEEDS // 3)
@given(rngs())
def test_restriction_of_larger_problems(rng):
    shapes = [s for s in MEDIUM if s[0] <= 4 and s[1] <= 3]
    check_by_definition(random_question(rng, shapes=shapes, stated=0.3, several=0.2))


def check_by_brute_force(question):
    problem, deviations, controllable = question
    engine = engine_of(problem)
    if engine is None:
        return None
    knowledge = restriction.Knowledge(problem, deviations)
    safe = restriction.safe_restrictions(knowledge, controllable)
    if safe is None:
        return None
    found = repair(engine, deviations, controllable)
    assert (found.guards is None) == (not safe)
    if found.guards is None:
        return "none"
    # What the guard takes is what all safe restrictions take together.
    everything = set().union(*safe)
    assert everything in safe
    guards, table = found.guards.components, knowledge.everything()
    start = (knowledge.start, (0,) * len(guards))
    taken, seen, todo = set(), {start}, [start]
    while todo:
        points, states = todo.pop()
        for action, after in table[points].items():
            offered = taken_by(guards, states, action)
            if offered is None:
                continue
            taken.add((points, action))
            if (after, offered) not in seen:
                seen.add((after, offered))
                todo.append((after, offered))
    assert taken == everything
    return "guards" if found.guards.guards else "needless"


@settings(max_examples=SEEDS)
@given(rngs())
def test_no_safe_restriction_takes_more(rng):
    check_by_brute_force(random_question(rng, stated=0.3))


def test_the_random_questions_are_of_every_kind():
    """So that none of the above passes for lack of cases."""
    kinds, forced = {}, {}
    for seed in range(50):
        kind = check_by_definition(random_question(Random(seed)))
        kinds[kind] = kinds.get(kind, 0) + 1
        kind = check_by_brute_force(random_question(Random(seed)))
        forced[kind] = forced.get(kind, 0) + 1
    assert min(kinds.get(k, 0) for k in ("none", "memory", "guards", "needless")) > 1
    assert min(forced.get(k, 0) for k in ("none", "guards", "needless")) > 1


@settings(max_examples=SEEDS // 2)
@given(rngs(), st.integers(0, 3))
def test_what_is_forced_and_what_else_would_have_to_give(rng, fewer):
    problem, deviations, controllable = random_question(rng)
    engine = engine_of(problem)
    if engine is None:
        return
    actions = set(problem[1].alphabet)
    controllable = set(sorted(controllable)[: len(controllable) - fewer])
    found = repair(engine, deviations, controllable)
    if found.guards is not None:
        return
    forced = found.forced
    assert not set(forced.trace.actions) & controllable
    assert forced.deviation in found.deviations

    def helps(further):
        knowledge = restriction.Knowledge(problem, deviations)
        _, lost = restriction.supremal(knowledge, controllable | set(further))
        return knowledge.start not in lost

    for further in forced.further:
        assert helps(further)
        assert not any(helps(set(further) - {a}) for a in further)
    sizes = [len(f) for f in forced.further]
    assert sizes == sorted(sizes)
    if not forced.more:
        assert helps(actions) == bool(forced.further)


def test_network_stays_a_network():
    problem, deviations, controllable = random_question(Random(1))
    engine = engine_of(problem)
    found = repair(engine, deviations, controllable)
    assert isinstance(found.controller, Network)


def test_sets_of_modes_with_the_same_transitions_have_their_own_budgets():
    """Only the second set can ever use what both of them bring."""
    environment = Lts("ab", 2, [(0, "a", 1), (1, "b", 1)])
    machine = Network([Lts("ab", 1, [(0, "a", 0), (0, "b", 0)])])
    watcher = Lts("ab", 3, [(0, "a", 1), (1, "b", 1), (1, "a", 2)])
    step = [Transition(0, "a", 0)]
    held = {"never": (step, 0), "once": (step, 1)}
    sets = [{"never"}, {"never", "once"}]
    question = (environment, machine, [watcher], ()), sets, {"a"}
    assert check_by_definition(question, None, held) == "memory"


def test_a_step_into_error_that_a_requirement_takes_from_c():
    """After `b` C is in 1 or 2; in 1 `a` would fail, but a guard takes it there."""
    environment = Lts("ab", 1, [(0, "b", 0)])
    steps = [(0, "b", 1), (0, "b", 2), (1, "a", -1), (2, "a", 2)]
    machine = Network([Lts("ab", 3, steps)])
    only = Stated(
        ("enabled-only-while", frozenset("a"), ("is", "C", 0, frozenset({2})))
    )
    watcher = Lts("a", 1, [(0, "a", 0)])
    question = (environment, machine, [watcher, only], ()), [{(0, "a", 0)}], {"a"}
    assert check_by_definition(question) == "needless"


def test_several_initial_states():
    """C' does not know in which of them E and C begin; no run begins twice."""
    kinds = {}
    for seed in range(examples(60, 1_000)):
        kind = check_by_definition(random_question(Random(seed), several=1.0))
        kinds[kind] = kinds.get(kind, 0) + 1
    assert min(kinds[kind] for kind in ("none", "needless", "guards", "memory")) > 0
