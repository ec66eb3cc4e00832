"""What `symrob summary` tells of the shipped machines, as a stranger reads it.

    python -m tests.golden.test_stories

writes the golden files anew; read what changed before it is kept. The first lines are
compared: what follows them is tested with the summary.
"""

from pathlib import Path

import pytest

from tests.cli.tools import run

FOLDER = Path(__file__).parent / "stories"
CASES = {
    "therac25": "models/therac25/therac25.toml",
    "voting_cfm": "models/voting/voting_cfm.toml",
    "pca_pump": "models/pca_pump/pca_pump.toml",
}
LINES = 30
# A reader has to see these without scrolling.
FIRST = 25
ASSUMED = (
    "No deviation within the assumptions is hazardous.",
    "Only the assumptions make it so.",
    "Without the assumptions, 1 added transition can break this:",
)
# In this order: what goes wrong, told from its beginning to its end.
TOLD = {
    "therac25": (
        "Hazard, 1 added transition can break this:",
        "X-rays are fired only with the flattener in place",
        "the nurse chooses electrons",
        "the nurse chooses X-rays (added)",
        "turntable: spreader in place → still turning to the flattener",
        "the nurse fires the beam",
        "the machine fires an X-ray",
    ),
    "voting_cfm": (
        *ASSUMED,
        "the official never confirms a vote",
        "candidate selected → vote not yet confirmed",
        "the voter leaves (added)",
        "the official goes in",
        "the vote is confirmed",
    ),
    "pca_pump": (
        *ASSUMED,
        "after a power failure no medicine flows until a rate is set anew",
        "line 1: unit locked → dispensing",
        "the nurse unplugs the pump (added)",
    ),
}


def told(name):
    """The first lines of a summary."""
    done = run("summary", CASES[name])
    assert (done.code, done.err) == (0, "")
    return done.out.splitlines()[:LINES]


@pytest.fixture(scope="module", params=CASES)
def story(request):
    return request.param, told(request.param)


def test_a_story_is_told_as_before(story):
    name, lines = story
    golden = (FOLDER / f"{name}.txt").read_text("utf-8").splitlines()
    assert lines == golden, "run `python -m tests.golden.test_stories`"


def test_the_first_lines_say_what_can_hurt(story):
    name, lines = story
    text, at = " ".join(map(str.strip, lines[:FIRST])), 0
    for said in TOLD[name]:
        found = text.find(said, at)
        assert found >= at, f"{said!r} is not said, or too late"
        at = found + len(said)


def test_no_line_is_wider_than_a_page(story):
    _, lines = story
    assert max(map(len, lines)) <= 100


def main():
    """Write the golden files anew."""
    for name in CASES:
        text = "".join(f"{line}\n" for line in told(name))
        (FOLDER / f"{name}.txt").write_text(text, "utf-8")


if __name__ == "__main__":
    main()
