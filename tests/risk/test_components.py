"""Risk where events change components of E: against trying all sets of events.

Each set is composed anew by the oracle; a step by an action that components share needs
an event for each component that lacks it.
"""

from dataclasses import replace
from itertools import combinations, pairwise
from math import isclose, prod
from random import Random

from symrob.case import Case, Spec
from symrob.case.faults import Faults
from symrob.case.probability import probabilities_of
from symrob.lts import Lts
from symrob.options import Options
from symrob.questions.cuts import CutsQuestion
from symrob.questions.risk import RiskQuestion
from symrob.questions.session import Session
from symrob.risk.search import Hazards
from tests.agreement.test_mode_parts import parts_of_any_size, renamed
from tests.composed import fault_modes, lacking, network, random_composed, random_modes
from tests.engines import roles_of
from tests.oracles import modes as oracle

PROBLEMS = 300
MOST_SINGLES = 3


def called(problem, candidate):
    """A transition of a component as expressions write it."""
    owner, *step = candidate
    name = network(problem).component_names[owner]
    return f"{name}:{','.join(map(str, step))}"


def random_events(rng, problem, marked=""):
    """What is possible, by name: modes, and single transitions of components."""
    modes = {f"{marked}{n}": held for n, held in random_modes(rng, problem, 4).items()}
    inside = {t for held in modes.values() for t in held}
    others = [t for t in lacking(problem) if t not in inside and t[2] != "tau"]
    rng.shuffle(others)
    return modes, others[: rng.randint(0, MOST_SINGLES)]


def session_of(problem, modes, singles, chances, *, only):
    """The case, with all that was said of it."""
    read = Lts.from_dict
    controllers = problem.get("controllers", [problem.get("controller")])
    controller = network({"components": controllers, "hidden": []})
    if len(controllers) == 1:
        controller = read(controllers[0])
    roles = roles_of(
        (
            network(problem),
            controller,
            [*map(read, problem["properties"])],
            [*map(read, problem["env_constraints"])],
        )
    )
    roles = replace(roles, faults=Faults(modes=tuple(fault_modes(modes)), only=only))
    # A key with a colon and a digit is one key, as in a file with quotes.
    table = probabilities_of({**chances})
    nowhere = Spec("")
    case = Case(nowhere, nowhere, (), probabilities=table)
    return Session({"case": case}, Options(), roles=roles)


def by_definition(problem, held, chances):
    """P(top), P(kept), P(both), the minimal hazardous sets: over all subsets."""
    names = sorted(held)
    judged = {
        frozenset(chosen): oracle.verdict(problem, held, chosen)
        for size in range(len(names) + 1)
        for chosen in combinations(names, size)
    }
    return measured(judged, chances)


def measured(judged, chances):
    """The same, from the verdict of every set of events."""

    def chance(chosen):
        return prod(
            chances[n] if n in chosen else 1 - chances[n] for n in sorted(chances)
        )

    hazardous = [s for s, found in judged.items() if found == (True, False)]
    minimal = {s for s in hazardous if not any(o < s for o in hazardous)}
    top = sum(chance(s) for s in judged if any(one <= s for one in minimal))
    kept = sum(chance(s) for s, found in judged.items() if found[0])
    both = sum(map(chance, hazardous))
    return top, kept, both, minimal


def of_names(events, one):
    return frozenset(events.events[n].name for n in one)


def _chance(rng):
    """Sometimes certain, sometimes small."""
    return rng.choice((1.0, 10 ** rng.uniform(-6, 0)))


def random_case(rng):
    """A problem with the transitions and the chance of each event; or `None`."""
    problem = random_composed(rng, constrained=0.7, strict=rng.choice((0.1, 0.3)))
    if problem is None:
        return None
    modes, singles = random_events(rng, problem)
    held = {**modes, **{called(problem, t): [t] for t in singles}}
    chances = {n: rng.choice((rng.random(), _chance(rng))) for n in held}
    session = session_of(problem, modes, singles, chances, only=not singles)
    planned = {
        (i, *t) for i, p in enumerate(problem["components"]) for t in p["transitions"]
    }
    changing = {n for n, ts in held.items() if {*map(tuple, ts)} - planned}
    chances = {n: p for n, p in chances.items() if n in changing}
    return problem, {n: held[n] for n in changing}, chances, session


def check(risk, expected):
    """Both readings of the assumptions, and the sets themselves."""
    top, kept, both, minimal = expected
    assert {of_names(risk.events, one) for one in risk.together.family} == minimal
    assert risk.is_exact
    assert risk.status == "complete"
    assert isclose(risk.together.bounds.lower, top, abs_tol=1e-12)
    assert isclose(risk.kept, kept, abs_tol=1e-12)
    if kept:
        assert isclose(risk.conditional * kept, both, abs_tol=1e-12)
        if kept > 1e-3:
            assert isclose(risk.conditional, both / kept, abs_tol=1e-12)
    else:
        assert risk.conditional is None


def test_risk_of_components_is_what_its_definition_says():
    rng = Random(7)
    seen = dict.fromkeys(("hazardous", "several", "shared", "excluded", "single"), 0)
    done = 0
    while done < PROBLEMS:
        made = random_case(rng)
        if made is None or not made[1]:
            continue
        done += 1
        problem, held, chances, session = made
        (risk,) = RiskQuestion().ask(session).assessed
        assert {e.name for e in risk.events.events} == held.keys()
        assert [*risk.events.overlaps] == []
        expected = by_definition(problem, held, chances)
        _, kept, _, minimal = expected
        check(risk, expected)
        for one in risk.together.family:
            assert risk.cut(one).trace.steps or risk.cut(one).trace.violated
        seen["hazardous"] += bool(minimal)
        seen["several"] += any(len(s) > 1 for s in minimal)
        seen["shared"] += any(
            len({t[0] for n in s for t in held[n]}) > 1 and len(s) > 1 for s in minimal
        )
        seen["excluded"] += bool(minimal) and kept < 1
        seen["single"] += any(":" in name for s in minimal for name in s)
    assert min(seen.values()) >= 5, seen


def test_a_shared_step_needs_several_events_and_assumptions_condition_it():
    """By hand: `a` is hazardous, `a` with `b` excluded, `s` needs both components."""
    problem = {
        "components": [
            {"alphabet": ["a", "s"], "states": 1, "transitions": []},
            {"alphabet": ["b", "s"], "states": 1, "transitions": []},
        ],
        "hidden": [],
        "controller": {"alphabet": [], "states": 1, "transitions": []},
        "properties": [{"alphabet": ["a", "s"], "states": 1, "transitions": []}],
        "env_constraints": [
            {
                "alphabet": ["a", "b"],
                "states": 2,
                "transitions": [[0, "b", 0], [0, "a", 1], [1, "a", 1]],
            }
        ],
    }
    modes = {"a": [(0, 0, "a", 0)], "b": [(1, 0, "b", 0)]}
    shared = [(0, 0, "s", 0), (1, 0, "s", 0)]
    first, second = (called(problem, t) for t in shared)
    chances = {"a": 0.25, "b": 0.5, first: 0.75, second: 0.125}
    session = session_of(problem, modes, shared, chances, only=False)
    (risk,) = RiskQuestion().ask(session).assessed
    step = 0.75 * 0.125
    kept, both = 1 - 0.25 * 0.5, 0.25 * 0.5 + 0.75 * step
    minimal = {frozenset({"a"}), frozenset({first, second})}
    check(risk, (1 - 0.75 * (1 - step), kept, both, minimal))
    assert risk.conditional < risk.together.bounds.lower - 0.05
    assert {of_names(risk.events, one) for one in risk.excluded} == {
        frozenset({"a", "b"})
    }


def test_bounds_of_components_hold_wherever_the_search_stops():
    rng = Random(8)
    looser = 0
    for _ in range(PROBLEMS):
        made = random_case(rng)
        if made is None or not made[1]:
            continue
        problem, held, chances, session = made
        (risk,) = RiskQuestion().ask(session).assessed
        if len(risk.parts) > 1:
            continue
        top = by_definition(problem, held, chances)[0]
        hazards = Hazards(risk.space, risk.units)
        search, harmless = hazards.search(), hazards.deviations()
        while True:
            bounds = risk._bounds(hazards.known, False)
            assert bounds.lower - 1e-12 <= top <= bounds.upper + 1e-12
            looser += bounds.gap > 1e-9
            turn = search if rng.random() < 0.5 else harmless
            if next(turn, hazards) is hazards:
                break
    assert looser > 20


def test_the_most_probable_sets_of_components_come_first():
    rng = Random(9)
    larger = several = 0
    for _ in range(3 * PROBLEMS):
        made = random_case(rng)
        if made is None or not made[1]:
            continue
        problem, held, chances, session = made
        minimal = by_definition(problem, held, chances)[3]
        found = CutsQuestion(by_probability=True).ask(session)
        came = [*found]
        assert found.status == "complete"
        named = [of_names(found.events, one.events) for one in came]
        assert len(named) == len(minimal)
        assert {*named} == minimal
        for one, names in zip(came, named, strict=True):
            assert isclose(one.probability, prod(chances[n] for n in names))
            assert {*one.cut.modes} == names
        probabilities = [one.probability for one in came]
        assert all(a >= b * (1 - 1e-9) for a, b in pairwise(probabilities))
        larger += any(len(s) > 1 for s in minimal)
        several += len(minimal) > 1
    assert min(larger, several) >= 10


def test_what_components_lack_and_has_no_chance_is_named():
    rng = Random(10)
    hazardous = 0
    for _ in range(60):
        problem = random_composed(rng, components=2, states=2)
        free = [] if problem is None else lacking(problem)
        if len(free) < 2:
            continue
        said, *others = [called(problem, t) for t in free]
        (risk,) = (
            RiskQuestion()
            .ask(session_of(problem, {}, free[:1], {said: 0.5}, only=False))
            .assessed
        )
        held = {called(problem, t): [t] for t in free}
        bad = {n for n in others if oracle.verdict(problem, held, [n]) == (True, False)}
        assert len(risk.events.missing) == len(others)
        assert {*risk.missing_hazards} == bad
        hazardous += bool(bad)
    assert hazardous >= 10


def test_parts_are_assessed_without_the_product():
    """Two problems side by side: all subsets of both, from those of each."""
    rng = Random(11)
    done = both_hurt = 0
    while done < 120:
        sides = [random_composed(rng, components=2, states=2) for _ in range(2)]
        if None in sides:
            continue
        sides = [renamed(p, mark) for p, mark in zip(sides, "xy", strict=True)]
        modes, judged, shift = {}, [], 0
        for problem, mark in zip(sides, "xy", strict=True):
            free = [t for t in lacking(problem) if t[2] != "tau"]
            own = {
                f"{mark}{n}": rng.sample(free, min(len(free), rng.randint(1, 3)))
                for n in range(3)
            }
            own = {name: ts for name, ts in own.items() if ts}
            judged.append(oracle.every_maximal(problem, own)[1])
            modes |= {n: [(i + shift, *t) for i, *t in ts] for n, ts in own.items()}
            shift += len(problem["components"])
        if not modes:
            continue
        joint = {
            "components": [c for p in sides for c in p["components"]],
            "controllers": [p["controller"] for p in sides],
            "properties": [m for p in sides for m in p["properties"]],
            "env_constraints": [m for p in sides for m in p["env_constraints"]],
            "hidden": [a for p in sides for a in p["hidden"]],
        }
        chances = {name: rng.random() for name in modes}
        with parts_of_any_size(coupled=bool(done % 2)):
            session = session_of(joint, modes, [], chances, only=True)
            (risk,) = RiskQuestion().ask(session).assessed
        if risk.space.whole is not None:
            continue
        done += 1
        of = {
            one | other: (first[0] and second[0], first[1] and second[1])
            for one, first in judged[0].items()
            for other, second in judged[1].items()
        }
        expected = measured(of, chances)
        check(risk, expected)
        hurt = {name[0] for s in expected[3] for name in s}
        both_hurt += len(hurt) == 2
        with parts_of_any_size(coupled=bool(done % 2)):
            session = session_of(joint, modes, [], chances, only=True)
            likely = CutsQuestion(by_probability=True).ask(session)
            named = [of_names(likely.events, one.events) for one in likely]
        assert {*named} == expected[3]
    assert both_hurt >= 3
