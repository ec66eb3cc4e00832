"""The cases that are asked in fault modes: what each forgives, and what breaks it."""

import json

import pytest

from tests.cli.tools import run
from tests.models.tools import CASES, MODELS


def entries():
    """(case file, what `expected.json` says of it), where it speaks of modes."""
    for case in CASES:
        folder, name = case.removesuffix(".toml").split("/")
        known = json.loads((MODELS / folder / "expected.json").read_text("utf-8"))
        if known.get(name, {}).keys() & {"modes", "by_class"}:
            yield case, known[name]


KNOWN = list(entries())


def test_every_case_with_faults_has_an_answer():
    named = {case for case, _ in KNOWN}
    texts = {case: (MODELS / case).read_text("utf-8") for case in CASES}
    assert {case for case, text in texts.items() if "[faults]" in text} <= named


@pytest.mark.parametrize(("case", "expected"), KNOWN)
def test_what_is_forgiven_together_and_what_hurts(case, expected):
    path = MODELS / case
    by = ("--by", "class") if "by_class" in expected else ()
    result = json.loads(run("compute", path, *by, "--format", "json").out)
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
