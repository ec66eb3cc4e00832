"""An environment in parts, every answer: against the whole, and by definition."""

from collections import Counter
from contextlib import contextmanager
from itertools import compress, product
from random import Random

from hypothesis import assume, given, settings

import symrob
from symrob.analyses.compare import compare, surplus_sets
from symrob.analyses.cuts import Cuts
from symrob.analyses.explain import explain
from symrob.analyses.fault_mode_space import FaultModeSpace
from symrob.api.parts import split
from symrob.envelope import tuning
from symrob.options import Options
from tests.composed import fault_modes, network, random_composed, random_modes
from tests.oracles import modes as oracle
from tests.strategies import rngs
from tests.strength import examples

TOLERATED = "tolerated"
VERDICTS = {
    (True, True): "tolerated",
    (True, False): "hazardous",
    (False, False): "excluded-unsafe",
    (False, True): "excluded-safe",
}


def in_parts(envelope):
    """Whether E was not multiplied out."""
    return envelope.space.whole is None


def renamed(problem, mark):
    """The problem with other actions."""

    def system(lts):
        names = {a: f"{mark}{a}" for a in lts["alphabet"]} | {"tau": "tau"}
        return {
            **lts,
            "alphabet": [names[a] for a in lts["alphabet"]],
            "transitions": [[q, names[a], r] for q, a, r in lts["transitions"]],
        }

    return {
        "components": [system(c) for c in problem["components"]],
        "controller": system(problem["controller"]),
        "properties": [system(p) for p in problem["properties"]],
        "env_constraints": [system(p) for p in problem["env_constraints"]],
        "hidden": [mark + a for a in problem["hidden"]],
    }


@settings(max_examples=examples(6, 120))
@given(rngs())
def test_two_problems_side_by_side(rng):
    problems = [random_composed(rng, states=2) for _ in range(2)]
    assume(None not in problems)
    problems = [renamed(p, mark) for p, mark in zip(problems, "xy", strict=True)]
    named, wants, verdicts = {}, [], []
    shift = 0
    for problem, mark in zip(problems, "xy", strict=True):
        modes = marked_modes(rng, problem, mark, 3)
        found, judged = oracle.every_maximal(problem, modes)
        wants.append(found)
        verdicts.append(judged)
        named |= {
            name: [(i + shift, *t) for i, *t in held] for name, held in modes.items()
        }
        shift += len(problem["components"])
    # Modes that hold nothing are of no part.
    assume(any(named.values()))
    read = symrob.Lts.from_dict
    whole_network = network(
        {
            "components": [c for p in problems for c in p["components"]],
            "hidden": [a for p in problems for a in p["hidden"]],
        }
    )
    controller = symrob.Network([read(p["controller"]) for p in problems])
    properties = [read(m) for p in problems for m in p["properties"]]
    constraints = [read(m) for p in problems for m in p["env_constraints"]]
    arguments = (whole_network, controller, properties, constraints)
    asked = {"faults": fault_modes(named), "only": True}
    at_once = symrob.compute(*arguments, **asked)
    assert not in_parts(at_once)
    with parts_of_any_size():
        by_parts = symrob.compute(*arguments, **asked)
    assert in_parts(by_parts)
    want = {one | other for one in wants[0] for other in wants[1]}
    assert {frozenset(s.modes) for s in by_parts} == want
    assert by_parts.status == "complete"
    assert {frozenset(s.modes) for s in at_once} == want
    held = by_parts.space.about.units.held()
    assert {name: sorted(map(tuple, rows)) for name, rows in held.items()} == {
        name: sorted(set(rows)) for name, rows in named.items()
    }
    parts, whole = by_parts.space, FaultModeSpace([at_once.engine])
    of = {
        one | other: VERDICTS[tuple(map(min, first, second))]
        for (one, first), (other, second) in product(*(v.items() for v in verdicts))
    }
    for sets in (parts, whole):
        check_every_answer(rng, sets, want, of)
    for one, other in ((parts, whole), (whole, parts), (parts, parts)):
        assert compare(one, other).verdict == "equal"
        assert list(surplus_sets(one, other)) == []
    # The other side keeps no property, so that it is safe with all modes.
    free = [symrob.Lts([], 1, [])]
    with parts_of_any_size():
        lax = symrob.compute(whole_network, controller, free, constraints, **asked)
    if in_parts(lax):
        told = compare(parts, lax.space)
        more = {frozenset(s.modes) for s in lax} - {
            s for s, v in of.items() if v == TOLERATED
        }
        assert told.verdict == ("less" if more else "equal")
        assert {frozenset(s.modes) for s in surplus_sets(lax.space, parts)} == more
        if told.second.witness is not None:
            size = min(len(s) for s, v in of.items() if is_only_of(s, v, lax))
            assert len(told.second.witness.units) == size


def sentences(rng, problem, names):
    """Requirements on states of a problem: at least one property, and assumptions."""
    sizes = [lts["states"] for lts in (*problem["components"], problem["controller"])]
    places = [*zip(names, sizes, strict=True)]

    def condition(known):
        (one, first), (other, second) = rng.choices(known, k=2)
        atom = f"{one} is {rng.randrange(first)}"
        more = f"{other} is {rng.randrange(second)}"
        return rng.choice((atom, f"{atom} and not {more}", f"{atom} or {more}"))

    own = [a for a in problem["controller"]["alphabet"] if a != "tau"]
    forms = ["never {a} while {c}", "{a} only while {c}", "never {c}"]
    properties = [
        rng.choice([*forms, "{a} enabled only while {c}"]).format(
            a=rng.choice(own), c=condition(places)
        )
        for _ in range(rng.randint(1, 2))
    ]
    seen = {a for c in problem["components"] for a in c["alphabet"]}
    seen = sorted(seen - {*problem["hidden"], "tau"})
    constraints = [
        rng.choice(forms).format(a=rng.choice(seen), c=condition(places[:-1]))
        for _ in range(rng.choice((0, 0, 1)) if seen else 0)
    ]
    return properties, constraints


def test_parts_with_requirements_on_states():
    seen = Counter()
    for seed in range(examples(300, 3000)):
        rng = Random(seed)
        problems = [random_composed(rng, states=2) for _ in range(2)]
        if None in problems:
            continue
        properties, constraints, held, names, shift = [], [], {}, [], 0
        for mark, plain in zip("xy", problems, strict=True):
            problem = renamed(plain, mark)
            count = len(problem["components"])
            own = [f"{mark}{i}" for i in range(count)]
            for name, rows in marked_modes(rng, problem, mark, 2).items():
                held[name] = [(i + shift, *t) for i, *t in rows]
            said = sentences(rng, problem, [*own, f"{mark}c"])
            read = symrob.Lts.from_dict
            properties += [*map(read, problem["properties"]), *said[0]]
            constraints += [*map(read, problem["env_constraints"]), *said[1]]
            names += own
            shift += count
        problems = [renamed(p, mark) for p, mark in zip(problems, "xy", strict=True)]
        parts = [read(c) for p in problems for c in p["components"]]
        hidden = [a for p in problems for a in p["hidden"]]
        models = (
            symrob.Network(parts, component_names=names, hidden=hidden),
            symrob.Network(
                [read(p["controller"]) for p in problems], component_names=["xc", "yc"]
            ),
            properties,
            constraints,
        )
        asked = {"faults": fault_modes(held), "only": True}
        at_once = attempt(*models, **asked)
        with parts_of_any_size():
            by_parts = attempt(*models, **asked)
        if isinstance(at_once, str):
            seen[at_once] += 1
            assert by_parts == at_once, seed
            continue
        if not in_parts(by_parts):
            continue
        want = {frozenset(each.modes) for each in at_once}
        assert {frozenset(each.modes) for each in by_parts} == want
        whole, every = FaultModeSpace([at_once.engine]), sorted(held)
        of = {}
        for several in product((False, True), repeat=len(every)):
            chosen = frozenset(compress(every, several))
            of[chosen] = whole.verdict(chosen)
        check_every_answer(rng, by_parts.space, want, of)
        assert compare(by_parts.space, whole).verdict == "equal"
        seen["in parts"] += 1
        seen["unsafe"] += any(v != TOLERATED for v in of.values())
    assert min(seen["in parts"], seen["unsafe"], seen["unsafe plan"]) > 3, seen


def attempt(*models, **asked):
    """An envelope, or what is wrong."""
    try:
        return symrob.compute(*models, **asked)
    except symrob.NominalViolation:
        return "unsafe plan"
    except symrob.SymrobError as error:
        return error.diagnostics[0].code


def is_only_of(chosen, verdict, lax):
    """Whether the lax side tolerates a set that has another verdict."""
    return verdict != TOLERATED and any(chosen <= set(s.modes) for s in lax)


@contextmanager
def parts_of_any_size(coupled=False):
    """Within it E is multiplied out by no size; if coupled, no part of it either."""
    before = tuning.COMPOSED_STATES, tuning.COUPLED_STATES
    tuning.COMPOSED_STATES = 0
    if coupled:
        tuning.COUPLED_STATES = 0
    try:
        yield
    finally:
        tuning.COMPOSED_STATES, tuning.COUPLED_STATES = before


def check_every_answer(rng, asked, want, of):
    """Verdicts, cuts, explanations, the summary: from the verdict of every set."""
    judged = asked.alone().by_verdict()
    for name in asked.all:
        (said,) = [v for v, chosen in judged.items() if name in chosen]
        assert said == of[frozenset({name})]
    for names, verdict in of.items():
        assert asked.verdict(names) == verdict
        assert asked.is_safe(names) == (verdict == TOLERATED)
        if verdict == TOLERATED:
            grown = asked.grown(names)
            assert grown in want
            assert names <= grown
    cuts = [*Cuts(asked, order=9, outside=True)]
    for kinds in (("hazardous",), ("excluded-safe",)):
        found = [frozenset(c.modes) for c in cuts if c.verdict in kinds]
        assert len(found) == len(set(found))
        assert set(found) == minimal(
            {s for s, v in of.items() if v in kinds}, of, kinds
        )
    unsafe = {s for s, v in of.items() if v in ("hazardous", "excluded-unsafe")}
    least = {s for s in unsafe if not any(o < s for o in unsafe)}
    away = {frozenset(c.modes) for c in cuts if c.verdict == "excluded-unsafe"}
    assert away == {s for s in least if of[s] == "excluded-unsafe"}
    assert all(cut.trace.violated for cut in cuts)
    for names in rng.sample(sorted(of, key=sorted), min(3, len(of))):
        check_explanation(asked, names, want, of)
    summary = asked.summarised()
    assert set(summary.always) == frozenset.intersection(*want)
    assert summary.sets == len(want)


def minimal(sets, of, kinds):
    """The minimal sets of a verdict among the minimal ones that are not tolerated."""
    bad = {s for s, v in of.items() if v != TOLERATED}
    if kinds == ("hazardous",):
        return {s for s in sets if not any(o < s for o in sets)}
    return {s for s in sets if not any(o < s for o in bad)}


def check_explanation(asked, names, want, of):
    """What is said of one set."""
    told = explain(asked, names, deviations=99)
    assert told.verdict == of[names]
    if not told.tolerated:
        part = frozenset(told.cut.modes)
        assert part <= names
        assert of[part] != TOLERATED
        assert told.violations
        return
    assert {frozenset(s.modes) for s in told.deviations} == {
        s for s in want if names <= s
    }
    others = set(asked.all) - names
    fits = {m for m in others if of[names | {m}] == TOLERATED}
    assert set(told.addable) == fits
    rest = {m for m in others - fits if of[frozenset({m})] == TOLERATED}
    assert set(told.excluded) == rest


def marked_modes(rng, problem, mark, most):
    """Random modes of a renamed problem."""
    return {
        f"{mark}{name}": [
            (i, q, mark + a if a != "tau" else a, r) for i, q, a, r in held
        ]
        for name, held in random_modes(rng, unmarked(problem, mark), most).items()
    }


def unmarked(problem, mark):
    """The problem with the actions that `random_modes` is to choose from."""
    return {
        **problem,
        "components": [
            {
                **c,
                "alphabet": [a.removeprefix(mark) for a in c["alphabet"]],
                "transitions": [
                    [q, a.removeprefix(mark), r] for q, a, r in c["transitions"]
                ],
            }
            for c in problem["components"]
        ],
    }


def test_without_modes_of_components_nothing_is_split():
    from symrob.api.loading import load_roles
    from symrob.case import load_case

    case = load_case("models/therac25/therac25.toml")
    assert split(load_roles(case), Options()) == []


def test_a_mode_of_two_parts_keeps_them_together():
    cell = {
        mark: symrob.Lts([f"{mark}.on"], 2, [(0, f"{mark}.on", 1)]) for mark in "xy"
    }
    network = symrob.Network([*cell.values()], component_names=["x", "y"])
    once = [symrob.Lts([f"{m}.on"], 2, [(0, f"{m}.on", 1)]) for m in "xy"]
    free = symrob.Network(
        [symrob.Lts([f"{m}.on"], 1, [(0, f"{m}.on", 0)]) for m in "xy"]
    )
    again = {m: f"{m}:1,{m}.on,1" for m in "xy"}
    asked = {"one": [again["x"]], "both": [*again.values()], "none": []}
    with parts_of_any_size():
        found = symrob.compute(network, free, once, faults=asked, only=True)
        del asked["both"]
        apart = symrob.compute(network, free, once, faults=asked, only=True)
    assert not in_parts(found)
    assert in_parts(apart)
    assert [each.modes for each in (*found, *apart)] == [("none",), ("none",)]


def test_what_two_parts_do_comes_together():
    """One part can hurt, the other breaks an assumption: so both are excluded."""
    parts = [symrob.Lts([f"{m}.on"], 2, [(0, f"{m}.on", 1)]) for m in "xy"]
    network = symrob.Network(parts, component_names=["x", "y"])
    free = symrob.Network(
        [symrob.Lts([f"{m}.on"], 1, [(0, f"{m}.on", 0)]) for m in "xy"]
    )
    faults = {m: f"{m}:1,{m}.on,1" for m in "xy"}
    with parts_of_any_size():
        found = symrob.compute(
            network, free, [parts[0]], [parts[1]], faults=faults, only=True
        )
    assert in_parts(found)
    said = {
        names: found.space.verdict(frozenset(names))
        for names in ((), ("x",), ("y",), ("x", "y"))
    }
    assert [*said.values()] == [
        *("tolerated", "hazardous", "excluded-safe", "excluded-unsafe")
    ]
    assert not found.space.keeps_assumptions(frozenset(found.space.all))
    assert [cut.modes for cut in found.cuts(outside=True)] == [("x",), ("y",)]
    told = explain(found.space, frozenset("xy"))
    assert told.cut.modes == ("x",)
    assert [t.violated for t in told.violations] == ["property 1", "constraint 1"]
