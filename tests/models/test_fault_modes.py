"""The cases that are asked in fault modes: what each forgives, and what breaks it."""

import json
from functools import cache
from itertools import chain, combinations

import pytest

from tests.cli.tools import run
from tests.models.tools import CASES, MODELS, case_file, components, load, plain
from tests.oracles import budgets
from tests.oracles import modes as oracle
from tests.oracles.classes import kind


def entries():
    """(case file, what `expected.json` says of it), where it speaks of modes."""
    for case in CASES:
        folder, name = case.removesuffix(".toml").split("/")
        known = json.loads((MODELS / folder / "expected.json").read_text("utf-8"))
        if known.get(name, {}).keys() & {"modes", "by_class"}:
            yield case, known[name]


KNOWN = list(entries())


@cache
def computed(path, *by):
    """Δ of a case, as JSON has it."""
    return json.loads(run("compute", path, *by, "--format", "json").out)


def test_every_case_with_faults_has_an_answer():
    named = {case for case, _ in KNOWN}
    texts = {case: (MODELS / case).read_text("utf-8") for case in CASES}
    assert {case for case, text in texts.items() if "[faults]" in text} <= named


@pytest.mark.parametrize(("case", "expected"), KNOWN)
def test_what_is_forgiven_together_and_what_hurts(case, expected):
    path = MODELS / case
    by = ("--by", "class") if "by_class" in expected else ()
    result = computed(path, *by)
    assert result["status"] == "complete"
    wanted = expected.get("modes", expected.get("by_class"))
    assert sorted(map(sorted, result["delta_modes"])) == sorted(wanted)
    cuts = json.loads(run("cuts", path, *by, "--format", "json").out)["cuts"]
    found = [cut["modes"] for cut in cuts if cut["verdict"] == "hazardous"]
    assert sorted(map(sorted, found)) == sorted(expected["hazardous"])


@pytest.mark.parametrize(
    ("one", "other", "verdict"),
    [
        ("abp/abp_uncorrupted", "abp/stop_and_wait", "more"),
        ("therac25/therac20_slips", "therac25/therac25_slips", "more"),
        (
            "two_phase_commit/two_phase_commit",
            "two_phase_commit/two_phase_commit_forgetful",
            "more",
        ),
        ("level_crossing/barriers", "level_crossing/lights", "equal"),
        ("level_crossing/detector", "level_crossing/barriers", "more"),
    ],
)
def test_which_design_forgives_more(one, other, verdict):
    paths = [MODELS / f"{name}.toml" for name in (one, other)]
    done = run("compare", *paths, "--format", "json")
    assert json.loads(done.out)["verdict"] == verdict


@pytest.mark.parametrize(("case", "expected"), KNOWN)
def test_what_is_known_is_right_and_complete_by_definition(case, expected):
    """Components are changed, composed and walked; few sets tell of all.

    What some maximal set holds is tolerated, what holds a minimal set outside of all of
    them is not: so these sets alone are walked, and each set is one or the other.
    """
    parts = {
        role: [*map(plain, components(load(case, role)))]
        for role in ("environment", "controller", "properties", "constraints")
    }

    def judged(chosen):
        if (most := case_file(case).get("at_most")) is not None:
            (controller,) = parts["controller"]
            told = {"components": parts["environment"], "controller": controller}
            told["properties"] = parts["properties"]
            told["env_constraints"] = parts["constraints"]
            return budgets.verdict(told, modes, chosen, most, {})
        held = {tuple(t) for name in chosen for t in modes[name]}
        changed = oracle.changed(parts["environment"], held)
        return (
            oracle.is_safe(changed, parts["constraints"]),
            oracle.is_safe([*changed, *parts["controller"]], parts["properties"]),
        )

    modes = modes_of_case(case, expected)
    maximal = [*map(frozenset, expected.get("modes", expected.get("by_class")))]
    assert all(judged(chosen) == (True, True) for chosen in maximal)
    every = chain.from_iterable(combinations(modes, n) for n in range(len(modes) + 1))
    outside = [s for s in map(frozenset, every) if not any(s <= m for m in maximal)]
    least = [s for s in outside if not any(o < s for o in outside)]
    verdicts = {s: judged(s) for s in least}
    assert (True, True) not in verdicts.values()
    hazardous = {s for s, judged in verdicts.items() if judged == (True, False)}
    assert hazardous == {*map(frozenset, expected["hazardous"])}


def modes_of_case(case, expected):
    """What each mode holds: (component, source, action, target)."""
    if "by_class" not in expected:
        return {
            name: [t if len(t) == 4 else (0, *t) for t in held]
            for name, held in computed(MODELS / case)["modes"].items()
        }
    (environment,) = components(load(case, "environment"))
    called, modes = case_file(case).get("classes", {}), {}
    states, planned = range(environment.size), {*environment.transitions}
    for q, a, r in (
        (q, a, r) for q in states for a in environment.alphabet for r in states
    ):
        if (q, a, r) not in planned:
            which, _ = kind(environment, 0, (q, a, r))
            modes.setdefault(called.get(which, which), []).append((0, q, a, r))
    return modes
