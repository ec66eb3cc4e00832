"""What `symrob summary` says of the shipped machines, as a stranger reads it.

    python -m tests.golden.test_stories

writes the golden files again; read what changed before it is kept. The first lines are
compared: what follows them is tested with the summary. No part of a story is cut short
by its budget, so that a busy machine tells the same; the largest cases take a minute
like that and are compared with `HYPOTHESIS_PROFILE=thorough` only.
"""

import os
import re
import tomllib
from functools import cache
from pathlib import Path

import pytest

from symrob.limits import BUDGETS
from tests.cli.tools import ROOT, run

FOLDER = Path(__file__).parent / "stories"
LINES = 30
# A reader has to see what is violated without scrolling.
FIRST = 25


def cases():
    """The shipped cases by name: all files that name an environment."""
    paths = sorted((ROOT / "models").glob("*/*.toml"))
    return {
        path.stem: path
        for path in paths
        if "environment" in tomllib.loads(path.read_text("utf-8"))
    }


CASES = cases()
# What is known of these after the usual budget depends on the machine.
LARGE = {"pca_pump_8", "pca_pump_8_every_line"}
THOROUGH = os.environ.get("HYPOTHESIS_PROFILE") == "thorough"
ASSUMED = "Safe within the assumptions; without them "
# In this order: what goes wrong, told from its beginning to its end.
TOLD = {
    "abp": (
        " individually hazardous. The most plausible one violates",
        "messages are accepted and delivered alternately",
        "Added to the plan: messages.spurious",
        "message channel, acknowledgement channel: empty",
        "network+protocol a message with bit 0 arrives (added)",
        "protocol the receiver delivers the message",
        "violates in_order.lts",
        "at this point it allows only: the user hands a message to the sender",
    ),
    "barriers": (
        " individually hazardous. The most plausible one violates",
        "no train passes while the road user is on the track",
        "Added to the plan: the road user drives onto the track: at the crossing → on",
        "road user+crossing the road user drives onto the track (added)",
        "planned instead: the road user sees the green light",
        "crossing the train passes",
        "violates clear_track.lts",
    ),
    "therac25": (
        " individually hazardous. The most plausible one violates",
        "X-rays are fired only with the flattener in place",
        "the nurse chooses electrons",
        "the nurse chooses X-rays (added)",
        "turntable: spreader in place → turning to the flattener",
        "the nurse fires the beam",
        "machine the machine fires an X-ray",
        "violates xflat.lts",
        "at this point it allows only: the turntable arrives",
    ),
    "voting_cfm": (
        ASSUMED,
        "3 transitions are unsafe. The most plausible one violates",
        "the official never confirms a vote",
        "Excluded by the assumption",
        "1–4 as planned: the voter goes in, …, the person inside presses 'vote'",
        "the voter leaves (added)",
        "polling place the official goes in",
        "the person inside confirms the vote",
        "violates vote_flipping.lts#P_CFM",
    ),
    "pca_pump": (
        ASSUMED,
        "after a power failure no medicine flows until a rate is set again",
        "as planned: the nurse plugs the pump in",
        "the nurse turns the pump on (added)",
        "planned instead: the nurse plugs the pump in",
        "7–11 as planned: the nurse sets the rate of line 1",
        "nurse, line 1: dispensing",
        "the power fails",
        "pump medicine flows in line 1",
    ),
}


def whole(name):
    """Whether all of a story is told."""
    return name not in LARGE or THOROUGH


@cache
def told(name):
    """The first lines of a summary."""
    with pytest.MonkeyPatch.context() as patch:
        for budget in ("story", "assumptions"):
            patch.setitem(BUDGETS, budget, 600.0 if whole(name) else 0.5)
        done = run("summary", CASES[name])
    assert (done.code, done.err) == (0, "")
    return tuple(done.out.splitlines()[:LINES])


def words_of(lines):
    """Lines as one text with single spaces."""
    return " ".join(" ".join(lines).split())


def seen_at_once(lines, most):
    """What is violated stands within the first lines, none of them too wide."""
    assert max(map(len, lines)) <= 100
    text = words_of(lines)
    if re.search("(The most plausible one|It) violates", text):
        first = next(n for n, s in enumerate(lines, 1) if s.startswith("  violates "))
        assert first <= most
    else:
        # Nothing is known that violates a property; then the story says so.
        assert re.search(r"[Nn]o deviation violates", text)


@pytest.mark.parametrize("name", CASES)
def test_a_story_is_told_as_before(name):
    lines = told(name)
    # What is not judged in time takes lines of its own.
    seen_at_once(lines, FIRST if whole(name) else LINES)
    if whole(name):
        golden = (FOLDER / f"{name}.txt").read_text("utf-8").splitlines()
        assert [*lines] == golden, "run `python -m tests.golden.test_stories`"


def test_there_is_a_story_for_each_case_and_no_other():
    assert {path.stem for path in FOLDER.iterdir()} == set(CASES)
    assert len(CASES) > 30


@pytest.mark.parametrize("name", TOLD)
def test_the_first_lines_say_what_is_violated_and_how(name):
    text, at = words_of(told(name)[:FIRST]), 0
    for said in TOLD[name]:
        found = text.find(said, at)
        assert found >= at, f"{said!r} is not said, or too late"
        at = found + len(said)


def main():
    """Write the golden files again; with `HYPOTHESIS_PROFILE=thorough` all of them."""
    for path in FOLDER.glob("*.txt"):
        if path.stem not in CASES:
            path.unlink()
    for name in CASES if THOROUGH else CASES.keys() - LARGE:
        text = "".join(f"{line}\n" for line in told(name))
        (FOLDER / f"{name}.txt").write_text(text, "utf-8")


if __name__ == "__main__":
    main()
