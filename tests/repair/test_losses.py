"""What a repair costs, against walking; the guards' conditions, against trying all."""

from itertools import combinations, product
from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from symrob.lts import ERROR, Lts
from symrob.repair.cover import cover, holds
from symrob.repair.losses import losses
from symrob.repair.possible import on_plan, strictest, to_be_had
from symrob.repair.repair import repair
from tests.oracles import definition, restriction
from tests.oracles.losses import Walk
from tests.repair.test_restriction import brought, budgeted, engine_of, random_question
from tests.strategies import rngs

EXAMPLES = max(100, settings.default.max_examples)


def length(trace):
    return None if trace is None else len(trace.steps)


def check_losses(question):
    """Compare what is lost; return what kinds of it there were."""
    problem, deviations, controllable = question
    engine = engine_of(problem)
    if engine is None:
        return set()
    found = repair(engine, deviations, controllable)
    if found.guards is None or found.needless:
        return set()
    guard, kinds = found.guards.components, set()
    for added in (frozenset(), *deviations):
        walk, lost = Walk(problem, added, guard), losses(engine, guard, added)
        assert length(lost.run) == walk.lost()
        if lost.run is None:
            kinds.add("nothing")
            continue
        assert set(lost.actions) == walk.actions()
        assert length(lost.deadlock) == walk.shortest(walk.deadlocks())
        assert length(lost.livelock) == walk.shortest(walk.livelocks())
        kinds |= {"run"} | {
            k for k in ("actions", "deadlock", "livelock") if getattr(lost, k)
        }
    return kinds


@settings(max_examples=EXAMPLES)
@given(rngs())
def test_losses_are_those_of_walking(rng):
    check_losses(random_question(rng))


def test_every_kind_of_loss_is_met():
    kinds = set()
    for seed in range(150):
        kinds |= check_losses(random_question(Random(seed)))
    assert kinds == {"nothing", "run", "actions", "deadlock", "livelock"}


def check_losses_within(question, run, held):
    """Compare what is lost within budgets: E and what is left, walked as one."""
    problem, deviations, controllable = question
    engine = engine_of(problem, run, held)
    if engine is None:
        return set()
    wanted = brought(engine, deviations)
    found = repair(engine, wanted, controllable)
    if found.guards is None or found.needless:
        return set()
    guard, kinds = found.guards.components, set()
    knowledge = restriction.Knowledge(problem, deviations, run, held)
    for added, moves, (first,) in zip(
        wanted, knowledge.spent, knowledge.starts, strict=True
    ):
        steps = [(q - first, a, r - first) for q, row in moves.items() for a, r in row]
        e = Lts(problem[0].alphabet, len(moves), steps)
        walk, lost = Walk((e, *problem[1:]), (), guard), losses(engine, guard, added)
        assert length(lost.run) == walk.lost()
        if lost.run is not None:
            assert set(lost.actions) == walk.actions()
            assert length(lost.deadlock) == walk.shortest(walk.deadlocks())
            assert length(lost.livelock) == walk.shortest(walk.livelocks())
            kinds |= {
                k for k in ("actions", "deadlock", "livelock") if getattr(lost, k)
            }
    return kinds


def test_losses_within_budgets_are_those_of_walking():
    kinds = set()
    for seed in range(50):
        kinds |= check_losses_within(*budgeted(Random(seed), stated=0.0))
    assert {"actions", "deadlock"} <= kinds


def keeps_plan(problem, added, controllable):
    """Whether the most permissive restriction for one set keeps every planned run."""
    knowledge = restriction.Knowledge(problem, [added])
    table, lost = restriction.supremal(knowledge, controllable)
    if knowledge.start in lost:
        return None
    plan = restriction.Knowledge(problem, [()])
    seen, todo = set(), [(plan.start, knowledge.start)]
    while todo:
        here, known = todo.pop()
        for action, after in plan.after(here).items():
            new = table[known][action]
            if new in lost:
                return False
            if (after, new) not in seen:
                seen.add((after, new))
                todo.append((after, new))
    return True


@settings(max_examples=EXAMPLES)
@given(rngs())
def test_the_strictest_restriction_tells_what_can_be_had(rng):
    problem, deviations, controllable = random_question(rng)
    engine = engine_of(problem)
    if engine is None:
        return
    for added in deviations:
        graph = engine.extended(added)
        kept = keeps_plan(problem, added, controllable)
        some = strictest(engine, controllable, plan=False)
        assert some.keeps_properties(graph) == (kept is not None)
        planned = strictest(engine, controllable, plan=True)
        assert planned.keeps_properties(graph) == (kept is True)
        if kept is not None:
            guards = repair(engine, [added], controllable).guards
            assert (losses(engine, guards.components).run is None) == kept


@settings(max_examples=EXAMPLES // 4, deadline=None)
@given(rngs(), st.booleans())
def test_maximal_sets_that_can_be_had(rng, plan):
    problem, _, controllable = random_question(rng)
    engine = engine_of(problem)
    if engine is None:
        return
    new = definition.candidates(problem[0])
    if len(new) > 6:
        return

    def possible(chosen):
        if definition.violation(problem[0], chosen, None, problem[3]) is not None:
            return False
        kept = keeps_plan(problem, chosen, controllable)
        return kept is True if plan else kept is not None

    good = [
        frozenset(c)
        for size in range(len(new) + 1)
        for c in combinations(new, size)
        if possible(c)
    ]
    maximal = {c for c in good if not any(c < other for other in good)}
    found = [
        frozenset(map(tuple, c)) for c in to_be_had(engine, controllable, plan=plan)
    ]
    assert len(found) == len(set(found))
    assert set(found) == maximal


def test_the_restraint_of_the_plan_takes_the_plan():
    """It offers what E and C do as planned, and nothing that leads to ERROR."""
    for seed in range(30):
        problem, _, controllable = random_question(Random(seed))
        engine = engine_of(problem)
        if engine is None:
            continue
        restraint = on_plan(engine, controllable)
        assert all(t.target != ERROR for t in restraint.transitions)
        walk = Walk(problem, (), [restraint])
        assert walk.lost() is None


points = st.integers(1, 3).flatmap(
    lambda width: st.sets(st.tuples(*[st.integers(0, 2)] * width), min_size=1)
)


@given(points, st.randoms(use_true_random=False))
def test_covers_hold_of_what_they_must(everything, random):
    """Of all points inside and none outside; and no fewer cubes would do."""
    inside = {p for p in everything if random.random() < 0.5}
    outside = everything - inside
    cubes = cover(inside, outside)
    assert all(any(holds(c, p) for c in cubes) for p in inside)
    assert not any(holds(c, p) for c in cubes for p in outside)
    if len(everything) <= 9:
        assert len(cubes) == fewest_cubes(inside, outside)


def fewest_cubes(inside, outside):
    """By trying all choices of cubes that hold of nothing outside."""
    if not inside:
        return 0
    width = len(min(inside))
    values = [v for n in (1, 2, 3) for v in combinations(range(3), n)]
    allowed = [
        held
        for cube in product(values, repeat=width)
        if not any(all(v in c for c, v in zip(cube, p, strict=True)) for p in outside)
        and (
            held := frozenset(
                p for p in inside if all(v in c for c, v in zip(cube, p, strict=True))
            )
        )
    ]
    largest = {h for h in allowed if not any(h < other for other in allowed)}
    return next(
        n
        for n in range(1, len(inside) + 1)
        if any(frozenset().union(*c) == inside for c in combinations(largest, n))
    )
