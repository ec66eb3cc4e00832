"""Symmetries: exactly what the definition allows, and Δ the same without them."""

from dataclasses import replace
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from symrob.api import load_roles, pose
from symrob.case import load_case
from symrob.errors import NominalViolation
from symrob.limits import Clock
from symrob.lts import ERROR, Lts, Network, Transition
from symrob.options import Options
from symrob.robustness.effort import Effort
from symrob.robustness.engine import Engine
from symrob.robustness.envelope import Envelope
from symrob.robustness.graph import Candidates
from symrob.robustness.loop import Screen
from symrob.robustness.problem import Role, build_problem
from symrob.robustness.symmetry import Symmetries
from tests.generate import random_problem
from tests.oracles import definition
from tests.unit.test_automorphism import closure

CLOCK = Clock()


# --- symmetries of problems -------------------------------------------------


def turned_round(things, turn):
    """The things and all their images, each once, in a fixed order."""
    found = list(dict.fromkeys(things))
    for thing in found:
        if (image := turn(thing)) not in found:
            found.append(image)
    return found


class Turn:
    """A permutation of actions, and of E's states but for the initial one."""

    def __init__(self, rng, environment):
        alphabet, others = environment.alphabet, range(1, environment.size)
        shift = rng.randrange(len(alphabet))
        self.after = dict(
            zip(alphabet, alphabet[shift:] + alphabet[:shift], strict=True)
        )
        self.after |= rng.choice(({}, {"u": "v", "v": "u"}))
        self.place = [0, *rng.sample(others, len(others))]

    def action(self, action):
        return self.after.get(action, action)

    def transition(self, transition):
        source, action, target = transition
        return (self.place[source], self.action(action), self.place[target])

    def system(self, lts):
        """With its actions renamed, and its states as they are."""
        return Lts(
            [self.action(a) for a in lts.alphabet],
            lts.size,
            [(s, self.action(a), t) for s, a, t in lts.transitions],
        )


def symmetric_problem(rng, **shape):
    """A random problem made symmetric, and the turn that it is symmetric under."""
    environment, controller, properties, constraints = random_problem(
        rng, machine=2, **shape
    )
    turn = Turn(rng, environment)
    moves = turned_round(map(tuple, environment.transitions), turn.transition)
    controller = Network(
        turned_round(controller.components, turn.system),
        hidden=turned_round(sorted(controller.hidden), turn.action),
    )
    properties = turned_round(properties, turn.system)
    constraints = turned_round(constraints, turn.system)
    environment = Lts(environment.alphabet, environment.size, moves)
    if not definition.robust(
        environment, frozenset(), controller, properties, constraints
    ):
        environment = Lts(environment.alphabet, environment.size, ())
    return (environment, controller, properties, constraints), turn


def spoiled(rng, problem):
    """The problem with one transition more or less, somewhere."""
    environment, controller, properties, constraints = problem
    parts = list(controller.components)
    systems = rng.choice([s for s in (parts, properties, constraints) if s])
    index = rng.randrange(len(systems))
    lts = systems[index]
    if not lts.alphabet:
        return problem
    new = (rng.randrange(lts.size), rng.choice(lts.alphabet), rng.randrange(lts.size))
    same = {(s, a, t) for s, a, t in lts.transitions if (s, a) == new[:2]}
    moves = {*map(tuple, lts.transitions)} - same | (set() if same else {new})
    systems[index] = Lts(lts.alphabet, lts.size, moves)
    return (
        environment,
        Network(parts, hidden=controller.hidden),
        properties,
        constraints,
    )


def posed(environment, controller, properties, constraints):
    return build_problem(
        Role(environment, "E"),
        Role(controller, "C"),
        [Role(p, "P") for p in properties],
        [Role(c, "P_env") for c in constraints],
    )


def engine_of(problem, patience=0):
    engine = Engine(posed(*problem), "auto", CLOCK, patience=patience)
    engine.check_nominal()
    return engine


def delta(engine):
    found = [frozenset(map(tuple, d)) for d in engine.deviations()]
    assert len(found) == len(set(found))
    return set(found)


@settings(max_examples=100)
@given(st.integers(0, 2**48))
def test_delta_of_symmetric_problems_is_that_of_the_definition(seed):
    rng = Random(seed)
    problem, _ = symmetric_problem(rng, shapes=((2, 2), (3, 1)))
    if rng.random() < 0.4:
        problem = spoiled(rng, problem)
    expected = definition.delta(*problem)
    if expected is None:
        with pytest.raises(NominalViolation):
            engine_of(problem)
        return
    engine = engine_of(problem)
    assert delta(engine) == expected
    for generator in engine.symmetries.generators:
        images = {
            frozenset(tuple(generator(Transition(*t))) for t in d) for d in expected
        }
        assert images == expected


@settings(max_examples=60)
@given(st.integers(0, 2**48))
def test_the_symmetry_that_a_problem_was_made_with_is_found(seed):
    problem, turn = symmetric_problem(Random(seed), shapes=((2, 2), (3, 2), (4, 2)))
    known = Symmetries(posed(*problem), CLOCK, patience=0)
    for t in definition.candidates(problem[0]):
        assert turn.transition(t) in set(
            map(tuple, known.of_transition(Transition(*t)))
        )


MEDIUM = ((3, 2), (4, 1), (3, 3), (4, 2))


@settings(max_examples=60)
@given(st.integers(0, 2**48))
def test_delta_is_the_same_with_and_without(seed):
    rng = Random(seed)
    problem, _ = symmetric_problem(rng, shapes=MEDIUM)
    if rng.random() < 0.4:
        problem = spoiled(rng, problem)
    try:
        one, other = engine_of(problem), engine_of(problem, patience=None)
    except NominalViolation:
        return
    assert other.symmetries is None
    assert delta(one) == delta(other)
    assert set(one.envelope.alone) == set(other.envelope.alone)


@settings(max_examples=40)
@given(st.integers(0, 2**48))
def test_questions_about_a_part_of_delta_are_answered_alike(seed):
    rng = Random(seed)
    problem, _ = symmetric_problem(rng, shapes=((2, 2), (3, 2)))
    try:
        engine = engine_of(problem)
    except NominalViolation:
        return
    every = delta(engine_of(problem, patience=None))

    def weight(transition):
        return 1 + transition.source

    def heaviness(deviation):
        return sum(map(weight, deviation.new))

    heaviest_first = list(engine.envelope.deviations(weight))
    assert {frozenset(map(tuple, d)) for d in heaviest_first} == every
    assert heaviest_first == sorted(heaviest_first, key=heaviness, reverse=True)
    chosen = rng.sample(definition.candidates(problem[0]), 1)
    some = engine.envelope.deviations(including=[Transition(*t) for t in chosen])
    assert {frozenset(map(tuple, d)) for d in some} == {
        d for d in every if d >= set(chosen)
    }


# --- what tells apart -------------------------------------------------------


def group_order(generators):
    """The number of permutations of Act_E that come of the generators."""
    if not generators:
        return 1
    names = tuple(sorted(generators[0].actions))
    moves = [lambda p, g=g: tuple(g.actions[a] for a in p) for g in generators]
    return len(closure(moves, names))


def loops(*actions, alphabet=None):
    """One state that offers these actions."""
    return Lts(alphabet or actions, 1, [(0, a, 0) for a in actions])


def cell(action, internal):
    """A component that works on its own after each `action`."""
    return Lts((action, internal), 2, [(0, action, 1), (1, internal, 0)])


IDLE = Lts("ab", 1, ())
BOTH = loops("a", "b")


@pytest.mark.parametrize(
    ("parts", "order"),
    [
        ((IDLE, [BOTH], [BOTH], []), 2),
        ((Lts("ab", 1, [(0, "a", 0)]), [BOTH], [BOTH], []), 1),
        ((Lts("ab", 3, [(0, "tau", 1), (0, "a", 2)]), [BOTH], [BOTH], []), 1),
        ((IDLE, [loops("a", alphabet="ab")], [BOTH], []), 1),
        ((IDLE, [loops("a")], [BOTH], []), 1),
        ((IDLE, [BOTH, loops("a")], [BOTH], []), 1),
        ((IDLE, [BOTH, loops("a"), loops("b")], [BOTH], []), 2),
        ((IDLE, [BOTH, loops("a"), loops("a"), loops("b")], [BOTH], []), 1),
        ((IDLE, [Lts("ab", 1, [(0, "a", ERROR), (0, "b", 0)])], [BOTH], []), 1),
        ((IDLE, [BOTH], [loops("a", alphabet="ab")], []), 1),
        ((Lts("abc", 1, ()), [BOTH], [loops("c", alphabet="ac")], []), 1),
        ((IDLE, [BOTH], [BOTH], [loops("a", alphabet="ab")]), 1),
        ((IDLE, [BOTH], [loops("a"), loops("b")], []), 2),
        ((IDLE, [BOTH], [loops("a")], [loops("b")]), 1),
        # States that nothing reaches make no difference, but in E.
        ((IDLE, [BOTH], [loops("a"), Lts("b", 2, [(0, "b", 0), (1, "b", 1)])], []), 2),
        ((IDLE, [Lts("ab", 2, [*BOTH.transitions, (1, "a", 1)])], [BOTH], []), 2),
        ((Lts("ab", 2, [(1, "a", 1)]), [BOTH], [BOTH], []), 1),
    ],
)
def test_what_tells_two_actions_apart(parts, order):
    environment, components, properties, constraints = parts
    problem = posed(environment, Network(components), properties, constraints)
    assert group_order(Symmetries(problem, CLOCK).generators) == order


@pytest.mark.parametrize(
    ("hidden", "order"), [((), 2), ("h", 1), ("k", 1), (("h", "k"), 4)]
)
def test_hidden_actions_are_others_than_those_of_their_name(hidden, order):
    cells = Network([cell("a", "h"), cell("b", "k")], hidden=hidden)
    environment = Lts("abhk", 1, ())
    problem = posed(environment, cells, [loops(*"abhk")], [])
    assert group_order(Symmetries(problem, CLOCK).generators) == order


def one_of(actions):
    """A rule: whichever comes first, no other one comes."""
    moves = [(0, a, i) for i, a in enumerate(actions, 1)]
    return Lts(actions, len(actions) + 1, [*moves, *((i, a, i) for _, a, i in moves)])


def rivals():
    """Three transitions, of which there can be one."""
    return engine_of((Lts("abc", 1, ()), loops("a", "b", "c"), [one_of("abc")], []))


def actions_of(deviations):
    return ["".join(t.action for t in d.new) for d in deviations]


def test_images_come_in_the_order_of_weight():
    weights = {"a": 3, "b": 1, "c": 2}
    found = rivals().envelope.deviations(lambda t: weights[t.action])
    assert actions_of(found) == ["a", "c", "b"]


def test_images_have_what_is_required():
    assert sorted(actions_of(rivals().envelope.deviations())) == ["a", "b", "c"]
    required = [Transition(0, "b", 0)]
    assert actions_of(rivals().envelope.deviations(including=required)) == ["b"]


def test_images_are_among_the_candidates():
    engine = rivals()
    some = Envelope(
        engine.environment,
        engine.constraints,
        engine.closed_loop,
        CLOCK,
        Effort(),
        among=Candidates(("a", "b", "c"), [[1, 1, 0]]),
        symmetries=engine.symmetries,
    )
    assert sorted(actions_of(some.deviations())) == ["a", "b"]


# --- the models -------------------------------------------------------------


def model(path, **constants):
    case = load_case(f"models/{path}.toml")
    case = replace(case, constants={**case.constants, **constants})
    return pose(load_roles(case), Options())


@pytest.mark.parametrize(
    ("path", "constants", "order"),
    [
        ("therac25/therac25", {}, 1),
        ("voting/voting_all", {}, 1),
        ("link/link", {"N": 2}, 1),
        ("token_ring/token_ring", {"N": 5}, 5),
        ("pca_pump/pca_pump", {"LINES": 4}, 6),
        ("pca_pump/pca_pump_every_line", {"LINES": 4}, 24),
    ],
)
def test_rings_turn_and_lines_can_be_exchanged(path, constants, order):
    problem = model(path, **constants)
    assert group_order(Symmetries(problem, CLOCK).generators) == order


def test_fewer_searches_with_symmetries(monkeypatch):
    searches = []
    search = Screen._survives
    monkeypatch.setattr(
        Screen, "_survives", lambda *args: searches.append(0) or search(*args)
    )
    problem = model("token_ring/token_ring_unconstrained", N=3)
    counts, alone = [], []
    for patience in (None, 10**9, 0):
        searches.clear()
        engine = Engine(problem, "auto", CLOCK, patience=patience)
        alone.append(set(engine.envelope.alone))
        counts.append(len(searches))
    assert alone[0] == alone[1] == alone[2]
    assert counts[0] == counts[1] > 2 * counts[2] > 0


def test_few_questions_begin_no_search(monkeypatch):
    searched = property(lambda _: pytest.fail("symmetries were searched for"))
    monkeypatch.setattr(Symmetries, "generators", searched)
    problem = model("therac25/therac25")
    engine = Engine(problem, "auto", CLOCK)
    assert len(list(engine.deviations())) == 4
